// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/short_jobs.h"

#include <algorithm>
#include <limits>

#include "lib/base/math.h"
#include "lib/peer/armada/row_settings.h"

namespace muster::armada {
namespace {

// Before the amounts of a row come its queue and its deadline.
constexpr size_t kAmountsAt = 2;

bool IsEnded(TaskStatus status) {
  return status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
}

NamedAmounts RequestOf(const muster::Tables& tables, TaskIndex task) {
  NamedAmounts request;
  for (DimensionIndex d = 0; d < tables.dimensions.size(); ++d) {
    const int64_t amount = OrZero(tables.classes.request.at(tables.tasks.task_class[task], d));
    if (amount > 0) request.emplace_back(tables.dimensions.name(d), amount);
  }
  return request;
}

bool IsOfPool(const JobSpec& spec, const Config& config) {
  JobSettings settings;
  return ReadJobSettings(spec, config, &settings).ok() &&
         (settings.pools.empty() ||
          std::ranges::find(settings.pools, config.pool) != settings.pools.end());
}

}  // namespace

void ShortJobs::SetNow(int64_t now) {
  now_ = now;
  std::erase_if(charges_, [&](const auto& charge) { return charge.second.deadline <= now; });
}

bool ShortJobs::IsShort(const EndedJob& job) const {
  if (!now_ || !job.ended || job.preempted || !job.started) return false;
  if (*job.started >= *now_) return cutoff_ > 0;
  // Differences of two times may need 65 bits with a sign, and no more than 64 without.
  const uint64_t passed = static_cast<uint64_t>(*now_) - static_cast<uint64_t>(*job.started);
  return passed < static_cast<uint64_t>(cutoff_);
}

void ShortJobs::Report(const EndedJob& job) {
  if (!IsShort(job)) return;
  const int64_t deadline =
      std::min(*job.started, std::numeric_limits<int64_t>::max() - cutoff_) + cutoff_;
  charges_.try_emplace(job.id, Charge{job.queue, deadline, job.requests});
}

Amounts ShortJobs::PenaltyOf(std::string_view queue, std::span<const Resource> resources) const {
  Amounts sum(resources.size());
  for (const auto& [id, charge] : charges_) {
    if (charge.queue != queue) continue;
    for (const auto& [name, amount] : charge.requests) {
      const auto found = std::ranges::find(resources, name, &Resource::name);
      if (found == resources.end()) continue;
      auto& part = sum[static_cast<size_t>(found - resources.begin())];
      part = SatAdd(part, amount);
    }
  }
  return sum;
}

void ShortJobs::Load(const MemorySlot& slot) {
  charges_.clear();
  for (const auto& [id, row] : slot.rows()) {
    Charge charge{std::string(slot.Text(id, 0)), slot.Integer(id, 1), {}};
    for (size_t i = kAmountsAt; i + 1 < row.size(); i += 2) {
      const int64_t amount = std::max<int64_t>(0, slot.Integer(id, i + 1));
      charge.requests.emplace_back(slot.Text(id, i), amount);
    }
    charges_.emplace(id, std::move(charge));
  }
}

MemorySlot ShortJobs::Stored() const {
  MemorySlot slot;
  for (const auto& [id, charge] : charges_) {
    MemoryRow row = {charge.queue, charge.deadline};
    for (const auto& [name, amount] : charge.requests) {
      row.emplace_back(name);
      row.emplace_back(amount);
    }
    slot.Set(id, std::move(row));
  }
  return slot;
}

void ReportEnded(const muster::Tables& tables, const Ledger& ledger, const Config& config,
                 ShortJobs* jobs) {
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (!tables.jobs.alive[j] || !IsOfPool(tables.jobs.spec[j], config)) continue;
    for (const TaskIndex task : tables.jobs.tasks[j]) {
      const int64_t started = tables.tasks.started[task];
      if (!IsEnded(ledger.status(task)) || started == kAbsent) continue;
      jobs->Report({.id = std::string(tables.tasks.names.name(task)),
                    .queue = std::string(tables.queues.names.name(tables.jobs.queue[j])),
                    .requests = RequestOf(tables, task),
                    .started = started});
    }
  }
}

}  // namespace muster::armada
