// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/trials.h"

#include <algorithm>

#include "lib/advice/changes.h"
#include "lib/advice/counted_tasks.h"
#include "lib/advice/ends.h"
#include "lib/base/math.h"
#include "lib/model/access.h"
#include "lib/profile/profile.h"
#include "lib/session/places_tasks.h"
#include "muster/schedule.h"

namespace muster {

int64_t TriedIn(const Tables& tables, const Plan& plan) {
  return SatAdd(static_cast<int64_t>(plan.pending().size() + plan.binds().size() +
                                     plan.nominations().size() + plan.reservations().size()),
                CountedWaiting(tables, plan));
}

namespace {

// Whether so many tasks make the job's gang whole, with those that hold nodes. Tasks with a
// reserved node wait there until it is.
bool IsWhole(const Tables& tables, JobIndex job, int64_t more) {
  return more + std::ranges::count_if(
                    tables.jobs.tasks[job],
                    [&](TaskIndex t) { return IsAllocated(tables.tasks.status[t]); }) >=
         tables.jobs.spec[job].min_available;
}

}  // namespace

Trials::Outcome Trials::Try(std::span<const WhatIfChange> changes, std::string_view profile) {
  if (made_ >= options_.trials) return {};
  ++made_;
  return Confirm(changes, profile);
}

Trials::Outcome Trials::Confirm(std::span<const WhatIfChange> changes,
                                std::string_view profile) const {
  Cluster clone = cluster_.Clone();
  for (const std::span<const WhatIfChange> list :
       {std::span<const WhatIfChange>(assumed_), changes}) {
    for (const WhatIfChange& change : list) {
      if (!MakeChange(change, &clone).ok()) return {};
    }
  }
  const Snapshot snapshot = clone.Freeze();
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, options_.schedule);
  return plan.ok() ? Judge(snapshot, *plan, profile) : Outcome();
}

Trials::Outcome Trials::Judge(const Snapshot& snapshot, const Plan& plan,
                              std::string_view profile) const {
  const Tables& tables = TablesOf(snapshot);
  const std::optional<JobIndex> job = tables.jobs.names.Find(name_);
  const std::optional<TaskIndex> task = FindLoneTask(tables, name_);
  Outcome outcome;
  outcome.least = least_;
  outcome.evictions =
      SatAdd(static_cast<int64_t>(plan.evictions().size()), CountedEvictions(tables, plan));
  for (const Eviction& eviction : plan.evictions()) {
    outcome.evicted.emplace_back(plan.task_name(eviction.task));
  }
  if (!job && !task) return outcome;
  const auto is_of_it = [&](TaskIndex t) { return job ? tables.tasks.job[t] == *job : t == *task; };
  int64_t reserved = 0;
  for (const Decision& d : plan.decisions()) {
    const bool reserves = d.kind == DecisionKind::kReserve;
    const bool starts =
        reserves || d.kind == DecisionKind::kBind || d.kind == DecisionKind::kNominate;
    if (starts) ++(!is_of_it(d.task) ? outcome.others : reserves ? reserved : outcome.starts);
  }
  for (const PendingTask& pending : plan.pending()) {
    outcome.waiting += is_of_it(pending.task);
  }
  if (outcome.waiting == 0 || (job && IsWhole(tables, *job, outcome.starts + reserved))) {
    outcome.starts += reserved;
  }
  const absl::StatusOr<ProfileConfig> config =
      ResolveProfile(profile, options_.schedule.extensions.get());
  const bool places = !config.ok() || PlacesTasks(*config);
  if (job && !places && EndsOf(tables, plan).holds_quota[*job] != 0) {
    outcome.starts += std::exchange(outcome.waiting, 0);
  }
  if (job) outcome.waiting = SatAdd(outcome.waiting, CountedWaiting(tables, plan, *job));
  for (const Admission& admission : plan.admissions()) {
    const bool of_it = job && admission.job == *job;
    int64_t& admitted = of_it ? outcome.starts : outcome.others;
    // Rows of the job itself are counted above: they may have been admitted before.
    admitted = SatAdd(admitted, AdmittedTasks(tables, admission, !places && !of_it));
  }
  return outcome;
}

}  // namespace muster
