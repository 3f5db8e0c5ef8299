// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's reclaim: starving jobs take back from other queues. Nodes are tried in their order,
// without a score, and only those that hold a task to take. The predicates are not asked
// again after an eviction.

#include "lib/reference/fit/node_devices.h"
#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

std::vector<TaskIndex> Reclaimees(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const World& world = cycle.world;
  std::vector<TaskIndex> out;
  for (TaskIndex t : world.on_node[node]) {
    if (world.status[t] != TaskStatus::kRunning || !world.preemptable(t)) continue;
    if (cycle.tables().tasks.job[t] == kNone) continue;
    const QueueIndex queue = world.queue_of(t);
    if (queue != world.queue_of(task) && cycle.tables().queues.spec[queue].reclaimable)
      out.push_back(t);
  }
  return out;
}

bool ReclaimOn(Cycle& cycle, Statement& statement, TaskIndex task, NodeIndex node) {
  const auto reclaimees = Reclaimees(cycle, task, node);
  if (reclaimees.empty()) return false;
  const auto victims = Reclaimable(cycle, task, reclaimees);
  if (!ValidVictims(cycle, task, node, victims)) return false;
  Heap<TaskIndex> heap = VictimHeap(cycle, task);
  for (TaskIndex t : victims) heap.Push(t);
  Statement local;
  Row room = cycle.world.future_idle(node);
  while (!Fits(cycle.world, task, node, room) ||
         !HasDevices(cycle.world, task, node, /*later=*/true)) {
    if (heap.empty()) {
      Discard(cycle, local);
      return false;
    }
    const TaskIndex victim = heap.Pop();
    DoEvict(cycle, local, victim, task);
    AddTo(room, cycle.world.request(victim), 1);
  }
  const bool evicted = !local.empty();
  DoPipeline(cycle, local, task, node, evicted);
  statement.insert(statement.end(), local.begin(), local.end());
  return true;
}

void ReclaimFor(Cycle& cycle, Statement& statement, TaskIndex task) {
  ErrorCache cache;
  const Found found = FindNodes(cycle, task, CurableNodes(cycle, task), Search::kPreempt, cache);
  for (const auto& alike : Divided(cycle, found.nodes)) {
    for (NodeIndex n : alike) {
      if (ReclaimOn(cycle, statement, task, n)) return;
    }
  }
}

void ReclaimForJob(Cycle& cycle, JobIndex job, Heap<TaskIndex>& tasks) {
  Statement statement;
  while (JobStarving(cycle, job) && !tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    ++cycle.work;
    if ((cycle.tables().tasks.flags[task] & kTaskNeverPreempts) != 0) continue;
    if (!Preemptive(cycle, cycle.tables().jobs.queue[job], task)) continue;
    ReclaimFor(cycle, statement, task);
  }
  if (JobPipelined(cycle, job)) {
    Commit(cycle, statement);
  } else {
    Discard(cycle, statement);
  }
}

}  // namespace

void RunReclaim(Cycle& cycle) {
  const World& world = cycle.world;
  Heap<QueueIndex> queues = QueueHeap(cycle);
  std::map<QueueIndex, Heap<JobIndex>> jobs;
  std::map<JobIndex, Heap<TaskIndex>> tasks;
  for (JobIndex j : world.session_jobs()) {
    if (world.phase[j] == JobPhase::kPending || !JobValid(cycle, j)) continue;
    const QueueIndex queue = cycle.tables().jobs.queue[j];
    if (jobs.count(queue) == 0) {
      jobs.emplace(queue, JobHeap(cycle));
      queues.Push(queue);
    }
    if (!JobStarving(cycle, j)) continue;
    jobs.at(queue).Push(j);
    Heap<TaskIndex> wanted = TaskHeap(cycle);
    for (TaskIndex t : world.tasks_of(j)) {
      if (world.status[t] == TaskStatus::kPending && !world.gated(t)) wanted.Push(t);
    }
    tasks.emplace(j, std::move(wanted));
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    if (Overused(cycle, queue)) continue;
    Heap<JobIndex>& waiting = jobs.at(queue);
    while (!waiting.empty()) {
      const JobIndex job = waiting.Pop();
      ReclaimForJob(cycle, job, tasks.at(job));
      // Needless, but it moves the other queues in the heap.
      if (!waiting.empty()) queues.Push(queue);
    }
  }
}

}  // namespace muster::reference
