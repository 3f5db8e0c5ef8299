// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/training/service_rows.h"

#include <algorithm>
#include <optional>

#include "lib/base/math.h"
#include "lib/extension/cycle.h"

namespace muster {

int64_t SecondsBetween(int64_t from, int64_t to) {
  int64_t seconds = 0;
  if (from >= to) return 0;
  return __builtin_sub_overflow(to, from, &seconds) ? kMaxQuantity : seconds;
}

void ServiceRows::Update(const Cycle& cycle) {
  cycle_ = &cycle;
  tables_ = &internal::DataOf(cycle).tables;
  ledger_ = &internal::DataOf(cycle).ledger;
  dimension_ = tables_->dimensions.Find(resource_).value_or(kNone);
  scale_ = IsMilliDimension(resource_) ? 1 : 1000;
  const JobTable& jobs = tables_->jobs;
  MemorySlot& slot = cycle.Remember(slot_);
  slot.EraseIf([&](std::string_view name) {
    const std::optional<JobIndex> job = jobs.names.Find(name);
    return !job || !jobs.alive[*job];
  });
  services_.assign(jobs.alive.size(), {});
  for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
    if (!jobs.alive[job]) continue;
    JobService& row = services_[job];
    const std::string_view name = jobs.names.name(job);
    int64_t seen = kMinQuantity;
    if (slot.Find(name) != nullptr) {
      const auto cell = [&](size_t i) { return std::max<int64_t>(slot.Integer(name, i), 0); };
      row = {.service = cell(0),
             .ran = cell(1),
             .waited = cell(2),
             .ran_before = cell(4),
             .noted = true};
      seen = slot.Integer(name, 3);
    }
    Count(job, seen, &row);
    if (!row.holds && !row.noted) continue;
    row.noted = true;
    Write(job);
  }
}

void ServiceRows::Count(JobIndex job, int64_t seen, JobService* row) const {
  const int64_t now = cycle_->now();
  int64_t longest = 0;
  for (const TaskIndex task : tables_->jobs.tasks[job]) {
    if (!Serves(task)) continue;
    row->holds = true;
    const int64_t started = tables_->tasks.started[task];
    int64_t from = std::max(seen, started);
    if (started == kAbsent) from = row->noted ? seen : now;
    const int64_t seconds = SecondsBetween(from, now);
    row->service = SatAdd(row->service, SatMul(UnitsOf(task), seconds));
    longest = std::max(longest, seconds);
  }
  row->ran = SatAdd(row->ran, longest);
  if (row->noted) row->waited = SatAdd(row->waited, SecondsBetween(seen, now) - longest);
}

void ServiceRows::Reset(JobIndex job) {
  JobService& row = services_[job];
  row = {.service = 0,
         .ran = 0,
         .waited = 0,
         .ran_before = SatAdd(row.ran_before, row.ran),
         .noted = row.noted,
         .holds = row.holds};
  Write(job);
}

int64_t ServiceRows::SizeOf(JobIndex job) const {
  int64_t size = 0;
  for (const TaskIndex task : tables_->jobs.tasks[job]) size = SatAdd(size, UnitsOf(task));
  return size;
}

int64_t ServiceRows::UnitsOf(TaskIndex task) const {
  const int64_t amount = dimension_ == kNone ? 0 : ledger_->request(task)[dimension_];
  return amount > 0 ? SatMul(amount, scale_) : 1000;
}

bool ServiceRows::Serves(TaskIndex task) const {
  const TaskStatus status = ledger_->status(task);
  return IsAllocated(status) || status == TaskStatus::kReleasing;
}

void ServiceRows::Write(JobIndex job) const {
  const JobService& row = services_[job];
  cycle_->Remember(slot_).Set(tables_->jobs.names.name(job),
                              {row.service, row.ran, row.waited, cycle_->now(), row.ran_before});
}

}  // namespace muster
