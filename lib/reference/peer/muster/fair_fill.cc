// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Progressive filling. Jobs that earlier promises make whole first, in job order; then all jobs in
// fair order. A gang that is not whole gets all it lacks or nothing, in one of the sets of nodes
// that it may be in; a whole one gets one task a turn. A job that is whole, but not ready, is
// nominated with all it gets: devices are then those that will be free. A gang with devices that
// found no place tries last with all of it nominated.
#include <algorithm>
#include <functional>

#include "lib/reference/fit/node_devices.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/peer/muster/fair.h"

namespace muster::reference {

namespace {

bool IsPromised(const Cycle& cycle, TaskIndex task) {
  return cycle.tables().tasks.nominated[task] != kNone;
}

// The place of an earlier promise, if it still takes the task, be it only once those on their way
// out of that node are gone.
NodeIndex PromisedPlace(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes) {
  const World& world = cycle.world;
  const NodeIndex node = cycle.tables().tasks.nominated[task];
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) return kNone;
  if (!HasRoomLater(world, task, node) || !LeavesRoom(cycle, task, node)) return kNone;
  const Verdict verdict = Judge(cycle, task, node);
  if (!verdict.refusal) return node;
  return world.releasing[node][kPods] > 0 && !verdict.unresolvable ? node : kNone;
}

bool PlaceAt(Cycle& cycle, Statement& statement, TaskIndex task, NodeIndex node, bool waits) {
  const World& world = cycle.world;
  if (!waits && HasRoomNow(world, task, node) && !Judge(cycle, task, node).refusal) {
    DoAllocate(cycle, statement, task, node);
  } else {
    DoPipeline(cycle, statement, task, node, false);
  }
  return true;
}

bool PlaceFree(Cycle& cycle, Statement& statement, TaskIndex task,
               const std::vector<NodeIndex>& nodes, bool waits) {
  if (!Allocatable(cycle, cycle.world.queue_of(task), task)) return false;
  NodeIndex node = PromisedPlace(cycle, task, nodes);
  if (node == kNone) node = FreePlace(cycle, task, nodes);
  return node != kNone && PlaceAt(cycle, statement, task, node, waits);
}

// The statement's tasks keep their places, but none may start. False: one of them does not get its
// devices then.
bool Hold(Cycle& cycle, const World& before, Statement& statement) {
  const Statement placed = statement;
  cycle.world = before;
  statement.clear();
  for (const Operation& operation : placed) {
    if (!HasDevices(cycle.world, operation.task, operation.node, /*later=*/true)) return false;
    DoPipeline(cycle, statement, operation.task, operation.node, false);
  }
  return true;
}

bool OneByOne(Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks,
              const std::vector<NodeIndex>& nodes, bool waits, Statement& statement) {
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (!GangWants(cycle, job, cycle.tables().tasks.group[tasks[i]])) continue;
    if (!PlaceFree(cycle, statement, tasks[i], nodes, waits)) {
      if (!GangCouldBeWhole(cycle, job, {tasks.begin() + i + 1, tasks.end()})) return false;
      continue;
    }
    if (JobPipelined(cycle, job)) return true;
  }
  return false;
}

bool AllAtOnce(Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks,
               const std::vector<NodeIndex>& nodes, int64_t tries, bool devices,
               Statement& statement) {
  if (IsPromised(cycle, tasks.front()) && !devices) return false;
  for (const auto& [task, node, waits] : PackWhole(cycle, job, tasks, nodes, tries)) {
    if (!Allocatable(cycle, cycle.world.queue_of(task), task)) return false;
    if (!HasRoomLater(cycle.world, task, node)) return false;
    if (Judge(cycle, task, node).refusal || !LeavesRoom(cycle, task, node)) return false;
    PlaceAt(cycle, statement, task, node, waits);
  }
  return !statement.empty() && JobPipelined(cycle, job);
}

// Tries to have it whole, ready to be committed: all of it bound, or all of it nominated.
bool InOneWay(Cycle& cycle, JobIndex job, Statement& statement, const std::function<bool()>& way) {
  const World before = cycle.world;
  bool whole = way();
  const bool all_now = std::all_of(statement.begin(), statement.end(), [](const Operation& o) {
    return o.kind == Operation::kAllocate;
  });
  if (whole && !(all_now && JobReady(cycle, job))) whole = Hold(cycle, before, statement);
  if (whole) return true;
  cycle.world = before;
  statement.clear();
  return false;
}

// Places all that the gang lacks, to be committed or taken back. Whether it is whole.
bool PlaceGang(Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks, int64_t tries,
               Statement& statement) {
  const bool devices = std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex t) {
    return cycle.world.device_strategy && !cycle.world.shape(t).devices.empty();
  });
  for (const std::vector<NodeIndex>& nodes : WithinReach(cycle, job, tasks)) {
    const bool whole =
        InOneWay(cycle, job, statement,
                 [&] { return OneByOne(cycle, job, tasks, nodes, false, statement); }) ||
        InOneWay(cycle, job, statement,
                 [&] { return AllAtOnce(cycle, job, tasks, nodes, tries, devices, statement); }) ||
        (devices && InOneWay(cycle, job, statement,
                             [&] { return OneByOne(cycle, job, tasks, nodes, true, statement); }));
    if (whole) return true;
  }
  return false;
}

// Takes what was placed off `tasks`. Whether anything became a decision.
bool GangTurn(Cycle& cycle, JobIndex job, std::vector<TaskIndex>& tasks, int64_t tries) {
  Statement statement;
  if (!PlaceGang(cycle, job, tasks, tries, statement)) {
    PromiseStart(cycle, job,
                 [&](Statement& trial) { return PlaceGang(cycle, job, tasks, tries, trial); });
    return false;
  }
  Commit(cycle, statement);
  std::erase_if(tasks, [&](TaskIndex t) { return cycle.world.status[t] != TaskStatus::kPending; });
  return true;
}

bool PlaceWithinReach(Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks,
                      Statement& statement) {
  for (const std::vector<NodeIndex>& nodes : WithinReach(cycle, job, tasks)) {
    if (PlaceFree(cycle, statement, tasks.front(), nodes, false)) return true;
  }
  return false;
}

bool TaskTurn(Cycle& cycle, JobIndex job, std::vector<TaskIndex>& tasks, bool may_start) {
  while (!tasks.empty()) {
    const World before = cycle.world;
    Statement statement;
    const bool placed = PlaceWithinReach(cycle, job, tasks, statement);
    tasks.erase(tasks.begin());
    if (!placed) continue;
    if (!may_start) Hold(cycle, before, statement);
    Commit(cycle, statement);
    return true;
  }
  return false;
}

bool Turn(Cycle& cycle, JobIndex job, std::vector<TaskIndex>& tasks, int64_t tries) {
  if (JobReady(cycle, job)) return TaskTurn(cycle, job, tasks, true);
  if (JobPipelined(cycle, job)) return TaskTurn(cycle, job, tasks, false);
  return GangTurn(cycle, job, tasks, tries);
}

}  // namespace

JobIndex NextInFairOrder(Cycle& cycle, const std::set<JobIndex>& jobs) {
  const auto& queues = cycle.tables().queues;
  Fair(cycle).in_line = jobs;
  QueueIndex level = kNone;
  for (;;) {
    JobIndex first_job = kNone;
    QueueIndex first_child = kNone;
    for (JobIndex j : jobs) {
      const QueueIndex queue = cycle.tables().jobs.queue[j];
      if (queue == level && (first_job == kNone || JobLess(cycle, j, first_job))) first_job = j;
      // The child of `level` that the job is in or below.
      QueueIndex child = queue;
      while (child != kNone && queues.parent[child] != level) child = queues.parent[child];
      if (child == kNone || child == first_child) continue;
      if (first_child == kNone || QueueLess(cycle, child, first_child)) first_child = child;
    }
    if (first_job != kNone) return first_job;
    if (first_child == kNone) return kNone;
    level = first_child;
  }
}

namespace {

NodeIndex BestThatLeavesRoom(const Cycle& cycle, TaskIndex task, std::vector<NodeIndex> places) {
  const NodeIndex best = BestNode(cycle, task, places);
  if (best == kNone || LeavesRoom(cycle, task, best)) return best;
  std::erase_if(places, [&](NodeIndex n) { return !LeavesRoom(cycle, task, n); });
  return BestNode(cycle, task, places);
}

std::vector<NodeIndex> PlacesWithRoom(const Cycle& cycle, TaskIndex task,
                                      const std::vector<NodeIndex>& nodes, bool now) {
  const World& world = cycle.world;
  const FilterState state = PrepareFilters(cycle, task);
  std::vector<NodeIndex> places;
  for (NodeIndex n : nodes) {
    if (!HasRoomLater(world, task, n) || (now && !HasRoomNow(world, task, n))) continue;
    if (!Judge(cycle, state, task, n).refusal) places.push_back(n);
  }
  return places;
}

}  // namespace

NodeIndex IdlePlace(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes) {
  return BestThatLeavesRoom(cycle, task, PlacesWithRoom(cycle, task, nodes, /*now=*/true));
}

NodeIndex FreePlace(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes) {
  const NodeIndex idle = IdlePlace(cycle, task, nodes);
  if (idle != kNone) return idle;
  return BestThatLeavesRoom(cycle, task, PlacesWithRoom(cycle, task, nodes, /*now=*/false));
}

void FillFree(Cycle& cycle, const std::string& action) {
  const auto tries = static_cast<int64_t>(ActionNumber(cycle, action, "tries", 200));
  std::map<JobIndex, std::vector<TaskIndex>> tasks;
  std::vector<JobIndex> promised;
  for (JobIndex j : cycle.world.session_jobs()) {
    if (!JobValid(cycle, j)) continue;
    std::vector<TaskIndex> mine = TasksToPlace(cycle, j);
    std::stable_partition(mine.begin(), mine.end(),
                          [&](TaskIndex t) { return IsPromised(cycle, t); });
    if (mine.empty()) continue;
    std::vector<TaskIndex> first;
    for (TaskIndex t : mine) {
      if (IsPromised(cycle, t)) first.push_back(t);
    }
    if (!first.empty() && GangCouldBeWhole(cycle, j, first)) promised.push_back(j);
    tasks[j] = std::move(mine);
  }
  std::sort(promised.begin(), promised.end(),
            [&](JobIndex l, JobIndex r) { return JobLess(cycle, l, r); });
  for (JobIndex j : promised) {
    std::vector<TaskIndex>& mine = tasks[j];
    while (!mine.empty() && IsPromised(cycle, mine.front()) && Turn(cycle, j, mine, tries))
      continue;
  }
  for (JobIndex j : TakePromisesBack(cycle)) {
    const auto mine = tasks.find(j);
    if (mine == tasks.end() || mine->second.empty()) continue;
    PromiseStart(cycle, j,
                 [&](Statement& trial) { return PlaceGang(cycle, j, mine->second, tries, trial); });
  }
  std::set<JobIndex> jobs;
  for (const auto& [job, mine] : tasks) {
    if (!mine.empty()) jobs.insert(job);
  }
  if (const JobIndex j = OldestToPromise(cycle, jobs); j != kNone) {
    PromiseStart(cycle, j,
                 [&](Statement& trial) { return PlaceGang(cycle, j, tasks[j], tries, trial); });
  }
  for (JobIndex j; (j = NextInFairOrder(cycle, jobs)) != kNone;) {
    if (!Turn(cycle, j, tasks[j], tries) || tasks[j].empty()) jobs.erase(j);
  }
}

}  // namespace muster::reference
