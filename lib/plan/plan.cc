// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A Plan is a shared pointer to what the session left; every copy reads the same frozen data. The
// empty plan has no data, so it costs nothing and returns empty lists.
#include "muster/plan.h"

#include <utility>

#include "lib/plan/plan_data.h"

namespace muster {
Plan::Plan() = default;
Plan::Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}

std::span<const Decision> Plan::decisions() const {
  if (data_ == nullptr) return {};
  return data_->decisions;
}

std::span<const Admission> Plan::admissions() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.admissions;
}
std::span<const Bind> Plan::binds() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.binds;
}
std::span<const Nomination> Plan::nominations() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.nominations;
}
std::span<const Eviction> Plan::evictions() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.evictions;
}
std::span<const PhaseChange> Plan::phases() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.phases;
}
std::span<const Move> Plan::moves() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.moves;
}
std::span<const Reservation> Plan::reservations() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.reservations;
}
std::span<const Offer> Plan::offers() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.offers;
}
std::span<const Resize> Plan::resizes() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.resizes;
}
std::span<const Split> Plan::splits() const {
  if (data_ == nullptr) return {};
  return data_->by_kind.splits;
}

std::span<const Tentative> Plan::tentative() const {
  if (data_ == nullptr) return {};
  return data_->tentative;
}

std::span<const PendingTask> Plan::pending() const {
  if (data_ == nullptr) return {};
  return data_->pending;
}

std::span<const Reason> Plan::reasons() const {
  if (data_ == nullptr) return {};
  return data_->reasons;
}

std::span<const ChosenDomain> Plan::domains() const {
  if (data_ == nullptr) return {};
  return data_->domains;
}

std::span<const ChosenDevice> Plan::devices() const {
  if (data_ == nullptr) return {};
  return data_->devices;
}

std::span<const QueueShare> Plan::shares() const {
  if (data_ == nullptr) return {};
  return data_->shares;
}

std::string_view Plan::task_name(TaskIndex task) const {
  return data_ == nullptr || data_->names == nullptr ? "" : data_->names->task(task);
}

std::string_view Plan::task_uid(TaskIndex task) const {
  return data_ == nullptr || data_->names == nullptr ? "" : data_->names->uid(task);
}

std::string_view Plan::node_name(NodeIndex node) const {
  return data_ == nullptr || data_->names == nullptr ? "" : data_->names->node(node);
}

std::string_view Plan::job_name(JobIndex job) const {
  return data_ == nullptr || data_->names == nullptr ? "" : data_->names->job(job);
}

std::string_view Plan::queue_name(QueueIndex queue) const {
  return data_ == nullptr || data_->names == nullptr ? "" : data_->names->queue(queue);
}

std::string_view Plan::dimension_name(DimensionIndex dimension) const {
  return data_ == nullptr || data_->names == nullptr ? "" : data_->names->dimension(dimension);
}

std::string_view Plan::profile() const {
  return data_ == nullptr ? std::string_view() : data_->profile;
}
uint64_t Plan::version() const { return data_ == nullptr ? 0 : data_->version; }
int64_t Plan::now() const { return data_ == nullptr ? 0 : data_->now; }
int64_t Plan::work() const { return data_ == nullptr ? 0 : data_->work; }
bool Plan::complete() const { return data_ == nullptr || data_->complete; }
uint32_t Plan::cursor() const { return data_ == nullptr ? 0 : data_->cursor; }
Memory Plan::memory() const { return data_ == nullptr ? Memory() : data_->memory; }

bool IsOf(const Plan& plan, const Tables& tables) {
  const PlanData* data = DataOf(plan);
  return data != nullptr && data->version == tables.version &&
         !data->shelf.owner_before(tables.shelf) && !tables.shelf.owner_before(data->shelf);
}

}  // namespace muster
