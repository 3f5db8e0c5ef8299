// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs of the muster profile: the job's minimum and that of each of its groups must hold, and no
// task counts before it has a place.
#include <algorithm>

#include "lib/reference/peer/muster/fair.h"

namespace muster::reference {

namespace {

int64_t GroupNeed(const Cycle& cycle, JobIndex job, GroupIndex group) {
  return OrZero(cycle.tables().jobs.groups[job][group].min_available);
}

int64_t PlacedOfGroup(const Cycle& cycle, JobIndex job, GroupIndex group) {
  int64_t placed = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const TaskStatus status = cycle.world.status[t];
    placed += cycle.tables().tasks.group[t] == group &&
              (IsAllocated(status) || status == TaskStatus::kSucceeded ||
               status == TaskStatus::kNominated);
  }
  return placed;
}

}  // namespace

int64_t GangNeed(const Cycle& cycle, JobIndex job) {
  int64_t of_groups = 0;
  for (GroupIndex g = 0; g < cycle.tables().jobs.groups[job].size(); ++g) {
    of_groups += GroupNeed(cycle, job, g);
  }
  return std::max(cycle.tables().jobs.spec[job].min_available, of_groups);
}

bool GangWants(const Cycle& cycle, JobIndex job, GroupIndex group) {
  int64_t placed = 0, owed_to_groups = 0;
  for (GroupIndex g = 0; g < cycle.tables().jobs.groups[job].size(); ++g) {
    const int64_t of_group = PlacedOfGroup(cycle, job, g);
    placed += of_group;
    const int64_t owed = std::max<int64_t>(GroupNeed(cycle, job, g) - of_group, 0);
    if (g == group && owed > 0) return true;
    owed_to_groups += owed;
  }
  return placed + owed_to_groups < GangNeed(cycle, job);
}

bool GangCouldBeWhole(const Cycle& cycle, JobIndex job, std::span<const TaskIndex> rest) {
  int64_t all = 0;
  for (GroupIndex g = 0; g < cycle.tables().jobs.groups[job].size(); ++g) {
    int64_t of_group = PlacedOfGroup(cycle, job, g);
    for (TaskIndex t : rest) of_group += cycle.tables().tasks.group[t] == g;
    if (of_group < GroupNeed(cycle, job, g)) return false;
    all += of_group;
  }
  return all >= GangNeed(cycle, job);
}

bool GangCanSpare(const Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& victims) {
  std::vector<int64_t> left(cycle.tables().jobs.groups[job].size(), 0);
  int64_t all = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const TaskStatus status = cycle.world.status[t];
    if (!IsAllocated(status) && status != TaskStatus::kSucceeded) continue;
    if (std::find(victims.begin(), victims.end(), t) != victims.end()) continue;
    ++left[cycle.tables().tasks.group[t]];
    ++all;
  }
  for (GroupIndex g = 0; g < left.size(); ++g) {
    if (left[g] < GroupNeed(cycle, job, g)) return false;
  }
  return all >= GangNeed(cycle, job);
}

}  // namespace muster::reference
