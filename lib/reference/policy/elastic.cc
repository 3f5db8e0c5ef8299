// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which jobs are elastic, what of them is their gang, and the sizes that a plan lists.
#include <algorithm>
#include <map>
#include <set>

#include "lib/reference/cycle.h"

namespace muster::reference {
namespace {

using Tasks = std::vector<TaskIndex>;

}  // namespace

int64_t PlacedOf(const Cycle& cycle, JobIndex job, GroupIndex group) {
  int64_t placed = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const bool counts = group == kNone || cycle.tables().tasks.group[t] == group;
    placed += counts && IsAllocated(cycle.world.status[t]);
  }
  return placed;
}

Tasks AllTasksToPlace(const Cycle& cycle, JobIndex job) {
  Heap<TaskIndex> heap = TaskHeap(cycle);
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    if (cycle.world.status[t] == TaskStatus::kPending && !cycle.world.gated(t)) heap.Push(t);
  }
  Tasks tasks;
  while (!heap.empty()) tasks.push_back(heap.Pop());
  return tasks;
}

bool IsElastic(const Cycle& cycle, JobIndex job) {
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  return spec.gang && spec.gang->elastic && spec.sub_groups.empty() && !spec.topology;
}

Tasks OfTheGang(const Cycle& cycle, JobIndex job, const Tasks& tasks) {
  const auto& table = cycle.tables().tasks;
  std::map<GroupIndex, int64_t> lacks;
  int64_t lacks_in_all = cycle.tables().jobs.spec[job].min_available;
  const auto& groups = cycle.tables().jobs.groups[job];
  for (size_t g = 0; g < groups.size(); ++g)
    lacks[static_cast<GroupIndex>(g)] = std::max<int64_t>(0, groups[g].min_available);
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const TaskStatus status = cycle.world.status[t];
    if (!IsAllocated(status) && status != TaskStatus::kNominated &&
        status != TaskStatus::kSucceeded) {
      continue;
    }
    --lacks[table.group[t]];
    --lacks_in_all;
  }
  Tasks promised_first = tasks;
  std::stable_partition(promised_first.begin(), promised_first.end(),
                        [&](TaskIndex t) { return table.nominated[t] != kNone; });
  std::set<TaskIndex> chosen;
  for (TaskIndex t : promised_first) {
    if (lacks[table.group[t]] <= 0) continue;
    chosen.insert(t);
    --lacks[table.group[t]];
    --lacks_in_all;
  }
  for (TaskIndex t : promised_first) {
    if (lacks_in_all <= 0 || chosen.contains(t)) continue;
    chosen.insert(t);
    --lacks_in_all;
  }
  Tasks result;
  for (TaskIndex t : tasks) {
    if (chosen.contains(t)) result.push_back(t);
  }
  return result;
}

void NoteSizes(Cycle& cycle) {
  const Tables& tables = cycle.tables();
  for (JobIndex j : cycle.world.session_jobs()) {
    if (!IsElastic(cycle, j)) continue;
    bool whole = PlacedOf(cycle, j, kNone) > 0;
    whole = whole && PlacedOf(cycle, j, kNone) >= cycle.tables().jobs.spec[j].min_available;
    const auto& groups = tables.jobs.groups[j];
    for (size_t g = 0; g < groups.size(); ++g) {
      whole = whole && PlacedOf(cycle, j, static_cast<GroupIndex>(g)) >= groups[g].min_available;
    }
    for (size_t g = 0; whole && g < groups.size(); ++g) {
      int64_t before = 0;
      for (TaskIndex t : tables.jobs.tasks[j]) {
        before += tables.tasks.group[t] == static_cast<GroupIndex>(g) &&
                  IsAllocated(tables.tasks.status[t]);
      }
      const int64_t after = PlacedOf(cycle, j, static_cast<GroupIndex>(g));
      if (before == after) continue;
      Decision decision{.kind = DecisionKind::kResize, .job = j};
      decision.index = static_cast<uint32_t>(cycle.resizes.size());
      cycle.decisions.push_back(decision);
      cycle.resizes.push_back({.job = j, .group = groups[g].name, .count = after});
    }
  }
}

}  // namespace muster::reference
