// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan as columns. They are made with the plan, so that any thread may read them.
#include "capi/plan.h"

#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "capi/handles.h"
#include "lib/plan/plan_data.h"

using muster::capi::Allocator;
using muster::capi::Bytes;
using muster::capi::Column;
using muster::capi::Memory;

struct muster_plan {
  muster_plan(muster::Plan made, const std::shared_ptr<Memory>& from)
      : plan(std::move(made)),
        memory(from),
        indices(Allocator<int32_t>(from)),
        numbers(Allocator<int64_t>(from)),
        reals(Allocator<double>(from)),
        texts(Allocator<char>(from)) {}

  muster::Plan plan;
  std::shared_ptr<Memory> memory;
  // What its names come from. Those of a snapshot, which are no texts of C, are copied when they are first asked for.
  muster::Snapshot snapshot;
  bool is_of_snapshot = false;
  mutable std::once_flag once;
  mutable std::shared_ptr<const muster::PlanNames> names;
  // All columns of a type, one behind the other.
  Column<int32_t> indices;
  Column<int64_t> numbers;
  Column<double> reals;
  Bytes texts;
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
};

namespace muster::capi {
namespace {

int32_t IndexOut(uint32_t index) {
  return index == kNone ? MUSTER_NONE : static_cast<int32_t>(index);
}

// Lays the columns out. Room is made before, so that pointers stay.
class Filler {
 public:
  explicit Filler(muster_plan* plan) : plan_(plan) {}

  template <class List, class F>
  const int32_t* Indices(const List& list, const F& get) {
    const size_t begin = plan_->indices.size();
    for (const auto& row : list) plan_->indices.push_back(get(row));
    return plan_->indices.data() + begin;
  }
  template <class List, class F>
  const int64_t* Numbers(const List& list, const F& get) {
    const size_t begin = plan_->numbers.size();
    for (const auto& row : list) plan_->numbers.push_back(get(row));
    return plan_->numbers.data() + begin;
  }
  // Where each row's part ends, the first beginning at 0.
  template <class List, class F>
  const int64_t* Offsets(const List& list, const F& size_of) {
    const size_t begin = plan_->numbers.size();
    int64_t end = 0;
    plan_->numbers.push_back(0);
    for (const auto& row : list)
      plan_->numbers.push_back(end += static_cast<int64_t>(size_of(row)));
    return plan_->numbers.data() + begin;
  }

 private:
  muster_plan* plan_;
};

void Fill(muster_plan* made) {
  const Plan& plan = made->plan;
  const auto decisions = plan.decisions();
  const auto tentative = plan.tentative();
  const auto pending = plan.pending();
  const auto reasons = plan.reasons();
  const auto shares = plan.shares();
  const auto domains = plan.domains();
  const auto devices = plan.devices();
  std::vector<const Refusal*> refusals;
  size_t text_bytes = 0;
  for (const ChosenDomain& chosen : domains) {
    text_bytes += chosen.sub_group.size() + chosen.domain.size();
  }
  for (const ChosenDevice& chosen : devices) text_bytes += chosen.device.size();
  for (const Reason& reason : reasons) {
    text_bytes += reason.policy.size();
    for (const Refusal& refusal : reason.refusals) {
      refusals.push_back(&refusal);
      text_bytes += refusal.detail.size();
    }
  }
  size_t dimensions = 0;
  for (const QueueShare& share : shares) {
    dimensions = std::max({dimensions, share.allocated_before.size(), share.allocated_after.size(),
                           share.deserved.size()});
  }
  made->indices.reserve(7 * decisions.size() + 3 * tentative.size() + 2 * pending.size() +
                        3 * reasons.size() + 2 * refusals.size() + shares.size() +
                        2 * domains.size() + devices.size());
  made->numbers.reserve(2 * reasons.size() + 2 * (reasons.size() + 1) + refusals.size() +
                        refusals.size() + 1 + 2 * shares.size() * dimensions +
                        2 * (domains.size() + 1) + 3 * devices.size() + 1);
  made->reals.reserve(shares.size() * (dimensions + 2));
  made->texts.reserve(text_bytes + 1);

  Filler fill(made);
  muster_plan_view& view = made->view;
  view.dimensions = static_cast<int32_t>(dimensions);
  view.complete = plan.complete() ? 1 : 0;
  view.cursor = plan.cursor();
  view.work = plan.work();
  view.version = plan.version();

  using D = Decision;
  view.decision_count = static_cast<int64_t>(decisions.size());
  view.decision_kind =
      fill.Indices(decisions, [](const D& d) { return static_cast<int32_t>(d.kind); });
  view.decision_task = fill.Indices(decisions, [](const D& d) { return IndexOut(d.task); });
  view.decision_node = fill.Indices(decisions, [](const D& d) { return IndexOut(d.node); });
  view.decision_job = fill.Indices(decisions, [](const D& d) { return IndexOut(d.job); });
  view.decision_beneficiary =
      fill.Indices(decisions, [](const D& d) { return IndexOut(d.beneficiary); });
  view.decision_phase =
      fill.Indices(decisions, [](const D& d) { return static_cast<int32_t>(d.phase); });
  view.decision_after_eviction =
      fill.Indices(decisions, [](const D& d) { return d.after_eviction ? 1 : 0; });

  using T = Tentative;
  view.tentative_count = static_cast<int64_t>(tentative.size());
  view.tentative_task = fill.Indices(tentative, [](const T& t) { return IndexOut(t.task); });
  view.tentative_node = fill.Indices(tentative, [](const T& t) { return IndexOut(t.node); });
  view.tentative_nominated =
      fill.Indices(tentative, [](const T& t) { return t.nominated ? 1 : 0; });

  using P = PendingTask;
  view.pending_count = static_cast<int64_t>(pending.size());
  view.pending_task = fill.Indices(pending, [](const P& p) { return IndexOut(p.task); });
  view.pending_reason = fill.Indices(pending, [](const P& p) { return IndexOut(p.reason); });

  using R = Reason;
  view.reason_count = static_cast<int64_t>(reasons.size());
  view.reason_kind = fill.Indices(reasons, [](const R& r) { return static_cast<int32_t>(r.kind); });
  view.reason_queue = fill.Indices(reasons, [](const R& r) { return IndexOut(r.queue); });
  view.reason_dimension = fill.Indices(reasons, [](const R& r) { return IndexOut(r.dimension); });
  view.reason_placed = fill.Numbers(reasons, [](const R& r) { return r.placed; });
  view.reason_needed = fill.Numbers(reasons, [](const R& r) { return r.needed; });
  view.reason_refusals = fill.Offsets(reasons, [](const R& r) { return r.refusals.size(); });
  view.reason_policy_offsets = fill.Offsets(reasons, [](const R& r) { return r.policy.size(); });

  using F = const Refusal*;
  view.refusal_count = static_cast<int64_t>(refusals.size());
  view.refusal_code = fill.Indices(refusals, [](F r) { return static_cast<int32_t>(r->code); });
  view.refusal_dimension = fill.Indices(refusals, [](F r) { return IndexOut(r->dimension); });
  view.refusal_nodes = fill.Numbers(refusals, [](F r) { return r->nodes; });
  view.refusal_detail_offsets = fill.Offsets(refusals, [](F r) { return r->detail.size(); });
  for (const R& reason : reasons) made->texts.append(reason.policy);
  const size_t details = made->texts.size();
  for (F refusal : refusals) made->texts.append(refusal->detail);
  view.reason_policies = made->texts.data();
  view.refusal_details = made->texts.data() + details;

  using C = ChosenDomain;
  view.domain_count = static_cast<int64_t>(domains.size());
  view.domain_job = fill.Indices(domains, [](const C& c) { return IndexOut(c.job); });
  view.domain_tier = fill.Indices(domains, [](const C& c) { return c.tier; });
  view.domain_sub_group_offsets =
      fill.Offsets(domains, [](const C& c) { return c.sub_group.size(); });
  view.domain_name_offsets = fill.Offsets(domains, [](const C& c) { return c.domain.size(); });
  const size_t sub_groups = made->texts.size();
  for (const C& chosen : domains) made->texts.append(chosen.sub_group);
  const size_t names = made->texts.size();
  for (const C& chosen : domains) made->texts.append(chosen.domain);
  view.domain_sub_groups = made->texts.data() + sub_groups;
  view.domain_names = made->texts.data() + names;

  using V = ChosenDevice;
  view.device_count = static_cast<int64_t>(devices.size());
  view.device_task = fill.Indices(devices, [](const V& v) { return IndexOut(v.task); });
  view.device_milli = fill.Numbers(devices, [](const V& v) { return v.milli; });
  view.device_memory = fill.Numbers(devices, [](const V& v) { return v.memory; });
  view.device_name_offsets = fill.Offsets(devices, [](const V& v) { return v.device.size(); });
  const size_t device_names = made->texts.size();
  for (const V& chosen : devices) made->texts.append(chosen.device);
  view.device_names = made->texts.data() + device_names;

  view.share_count = static_cast<int64_t>(shares.size());
  view.share_queue = fill.Indices(shares, [](const QueueShare& s) { return IndexOut(s.queue); });
  const auto amounts = [&](std::vector<int64_t> QueueShare::*amount) {
    const size_t begin = made->numbers.size();
    for (const QueueShare& share : shares) {
      const std::vector<int64_t>& row = share.*amount;
      for (size_t d = 0; d < dimensions; ++d) {
        made->numbers.push_back(d < row.size() ? row[d] : MUSTER_ABSENT);
      }
    }
    return made->numbers.data() + begin;
  };
  view.share_allocated_before = amounts(&QueueShare::allocated_before);
  view.share_allocated_after = amounts(&QueueShare::allocated_after);
  for (const QueueShare& share : shares) {
    for (size_t d = 0; d < dimensions; ++d) {
      made->reals.push_back(d < share.deserved.size() ? share.deserved[d] : -1.0);
    }
  }
  for (const QueueShare& share : shares) made->reals.push_back(share.share_before);
  for (const QueueShare& share : shares) made->reals.push_back(share.share_after);
  view.share_deserved = made->reals.data();
  view.share_before = made->reals.data() + shares.size() * dimensions;
  view.share_after = view.share_before + shares.size();
}

std::string_view NameOf(const PlanNames& names, int32_t kind, uint32_t row) {
  switch (kind) {
    case MUSTER_NODES:
      return names.node(row);
    case MUSTER_QUEUES:
      return names.queue(row);
    case MUSTER_JOBS:
      return names.job(row);
    case MUSTER_TASKS:
      return names.task(row);
    case MUSTER_DIMENSIONS:
      return names.dimension(row);
    default:
      return {};
  }
}

template <class F>
muster_status GivePlanText(const muster_plan* plan, muster_text** out, muster_error* error,
                           const F& text) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    if (out == nullptr) return NullArgument("out");
    const absl::StatusOr<std::string> words = text(plan->plan);
    if (!words.ok()) return words.status();
    return GiveText(plan->memory, *words, out);
  });
}

}  // namespace

const Plan& PlanOf(const muster_plan& plan) { return plan.plan; }

absl::Status MakePlan(Plan plan, const Snapshot* snapshot, const std::shared_ptr<Memory>& memory,
                      muster_plan** out) {
  auto made = std::make_unique<muster_plan>(std::move(plan), memory);
  if (snapshot != nullptr) {
    made->snapshot = *snapshot;
    made->is_of_snapshot = true;
  } else {
    made->names = made->plan.data()->names;
  }
  Fill(made.get());
  *out = made.release();
  return absl::OkStatus();
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's
using muster::Plan;

void muster_plan_free(muster_plan* plan) { delete plan; }

muster_status muster_plan_get_view(const muster_plan* plan, muster_plan_view* view,
                                   muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    return WriteStruct("muster_plan_view", plan->view, view);
  });
}

const char* muster_plan_name(const muster_plan* plan, int32_t kind, int32_t index, int64_t* size) {
  if (size != nullptr) *size = 0;
  if (plan == nullptr || index < 0) return nullptr;
  const std::string_view name = GuardValue(std::string_view(), [&] {
    if (plan->is_of_snapshot) {
      std::call_once(plan->once, [plan] {
        plan->names = muster::CopyNames(plan->snapshot.tables(), *plan->plan.data());
      });
    }
    return NameOf(*plan->names, kind, static_cast<uint32_t>(index));
  });
  if (name.empty()) return nullptr;
  if (size != nullptr) *size = static_cast<int64_t>(name.size());
  return name.data();
}

muster_status muster_plan_digest(const muster_plan* plan, char out[33], muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (plan == nullptr) return NullArgument("plan");
    if (out == nullptr) return NullArgument("out");
    const std::string digest = plan->plan.Digest();
    std::memcpy(out, digest.c_str(), digest.size() + 1);
    return absl::OkStatus();
  });
}

muster_status muster_plan_explain(const muster_plan* plan, const char* name, int64_t size,
                                  muster_text** out, muster_error* error) {
  return GivePlanText(plan, out, error, [&](const Plan& p) -> absl::StatusOr<std::string> {
    const auto text = TextIn("name", name, size);
    if (!text.ok()) return text.status();
    return p.Explain(*text);
  });
}
muster_status muster_plan_to_text(const muster_plan* plan, muster_text** out, muster_error* error) {
  return GivePlanText(plan, out, error,
                      [](const Plan& p) -> absl::StatusOr<std::string> { return p.ToText(); });
}
muster_status muster_plan_to_json(const muster_plan* plan, muster_text** out, muster_error* error) {
  return GivePlanText(plan, out, error,
                      [](const Plan& p) -> absl::StatusOr<std::string> { return p.ToJson(); });
}
