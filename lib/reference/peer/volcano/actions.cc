// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's actions that evict no task: admit (its enqueue), allocate and backfill.
//
// allocate gives one job a turn at a time. Until the job's gang is ready a turn places as many
// tasks as it takes, afterwards one; then the queue and the job are ranked again. A gang that is
// only nominated in part is neither bound nor undone: what it placed stays in the books until the
// cycle ends.
#include <algorithm>

#include "lib/reference/peer/volcano/network_topology.h"
#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

bool WaitsInQueue(const Cycle& cycle, JobIndex job) {
  return cycle.world.phase[job] == JobPhase::kPending;
}

// Holds nothing in any dimension but pods.
bool EmptyRequest(const World& world, TaskIndex task) {
  if (!world.shape(task).devices.empty()) return false;
  const auto request = world.request(task);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d != kPods && OrZero(request[d]) > 0) return false;
  }
  return true;
}

using Queues = std::map<QueueIndex, Heap<JobIndex>>;  // the jobs of each queue

// Puts the job into its queue's heap, and the queue into the heap of queues when it is its first
// job.
void PushJob(Cycle& cycle, JobIndex job, Heap<QueueIndex>& queues, Queues& jobs) {
  const QueueIndex queue = cycle.tables().jobs.queue[job];
  auto place = jobs.find(queue);
  if (place == jobs.end()) {
    place = jobs.emplace(queue, JobHeap(cycle)).first;
    queues.Push(queue);
  }
  place->second.Push(job);
}

// The nodes that allocate may take for the task: where it was meant to go, if that node still
// accepts it, else all that accept it. A task without any leaves its errors behind.
std::vector<NodeIndex> Candidates(Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes,
                                  ErrorCache& cache) {
  const World& world = cycle.world;
  const NodeIndex wished = cycle.tables().tasks.nominated[task];
  if (wished != kNone && std::find(nodes.begin(), nodes.end(), wished) != nodes.end() &&
      FitsLater(world, task, wished)) {
    const Found found = FindNodes(cycle, task, {wished}, Search::kAllocate, cache);
    if (!found.nodes.empty()) return found.nodes;
  }
  const Found found = FindNodes(cycle, task, nodes, Search::kAllocate, cache);
  if (found.nodes.empty()) cycle.fit_errors[task] = found.unresolvable;
  return found.nodes;
}

// Nodes with room now come before nodes that will have room; scores compare within one of the two
// only.
NodeIndex ChooseNode(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& candidates) {
  std::vector<NodeIndex> now, later;
  for (NodeIndex n : candidates) (FitsIdle(cycle, task, n) ? now : later).push_back(n);
  return BestNode(cycle, task, now.empty() ? later : now);
}

}  // namespace

bool PlaceTasks(Cycle& cycle, const Part& part, Heap<TaskIndex>& tasks,
                const std::vector<NodeIndex>& nodes, Statement& statement) {
  ErrorCache cache;
  cache.enabled = ActionSwitch(cycle, "allocate", "error_cache", true);
  const bool near = WishOfPart(cycle, part).said;
  std::optional<Vertex> place = near ? PlaceOf(cycle, part) : std::nullopt;
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    if (!GoesByDomain(cycle, part.job)) ++cycle.work;
    if (!Allocatable(cycle, cycle.tables().jobs.queue[part.job], task)) continue;
    if (RoleHasFitErrors(cycle, task)) {
      cycle.fit_errors[task].clear();
      continue;
    }
    Tree(cycle).anchor = place;
    const NodeIndex node = ChooseNode(cycle, task, Candidates(cycle, task, nodes, cache));
    Tree(cycle).anchor.reset();
    if (node == kNone) {
      if (NeedContinueAllocating(cycle, part)) continue;
      break;
    }
    if (FitsIdle(cycle, task, node)) {
      DoAllocate(cycle, statement, task, node);
    } else {
      DoPipeline(cycle, statement, task, node, false);
    }
    if (const auto lowest = LowestOf(cycle, node); near && lowest) {
      place = MeetingPoint(cycle, place, lowest);
    }
    if (PartReady(cycle, part)) break;
  }
  if (PartReady(cycle, part) || PartPipelined(cycle, part)) return true;
  Discard(cycle, statement);
  return false;
}

void RunAdmit(Cycle& cycle) {
  Heap<QueueIndex> queues = QueueHeap(cycle);
  std::set<QueueIndex> seen;
  Queues jobs;
  for (JobIndex j : cycle.world.session_jobs()) {
    const QueueIndex queue = cycle.tables().jobs.queue[j];
    if (seen.insert(queue).second) queues.Push(queue);
    if (!WaitsInQueue(cycle, j)) continue;
    jobs.try_emplace(queue, JobHeap(cycle)).first->second.Push(j);
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    const auto waiting = jobs.find(queue);
    if (waiting == jobs.end() || waiting->second.empty()) continue;
    const JobIndex job = waiting->second.Pop();
    if (JobEnqueueable(cycle, job)) {
      JobEnqueued(cycle, job);
      cycle.world.phase[job] = JobPhase::kAdmitted;
      Decision decision{.kind = DecisionKind::kAdmit};
      decision.job = job;
      cycle.decisions.push_back(decision);
    }
    queues.Push(queue);
  }
}

void RunAllocate(Cycle& cycle) {
  const World& world = cycle.world;
  Heap<QueueIndex> queues = QueueHeap(cycle);
  Queues jobs;
  std::map<JobIndex, Heap<TaskIndex>> tasks;
  std::map<JobIndex, PartSheet> sheets;
  for (JobIndex j : world.session_jobs()) {
    if (WaitsInQueue(cycle, j)) {
      if (HasAction(cycle, "admit")) continue;
      cycle.world.phase[j] = JobPhase::kAdmitted;
    }
    if (!JobValid(cycle, j)) continue;
    Heap<TaskIndex> wanted = TaskHeap(cycle);
    std::vector<TaskIndex> pending;
    for (TaskIndex t : world.tasks_of(j)) {
      if (world.status[t] == TaskStatus::kPending && !world.gated(t) && !EmptyRequest(world, t)) {
        wanted.Push(t);
        pending.push_back(t);
      }
    }
    if (wanted.empty()) continue;
    if (GoesByDomain(cycle, j)) sheets.emplace(j, MakeSheet(cycle, j, pending));
    tasks.emplace(j, std::move(wanted));
    PushJob(cycle, j, queues, jobs);
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    if (Overused(cycle, queue)) continue;
    Heap<JobIndex>& waiting = jobs.at(queue);
    if (waiting.empty()) continue;
    const JobIndex job = waiting.Pop();
    Statement statement;
    if (const auto sheet = sheets.find(job); sheet != sheets.end()) {
      if (PlaceByDomain(cycle, job, sheet->second, statement) && JobReady(cycle, job)) {
        Commit(cycle, statement);
        SettleByDomain(cycle, job);
        if (!sheet->second.waiting.empty()) waiting.Push(job);
      }
    } else if (PlaceTasks(cycle, {job, kNone}, tasks.at(job), world.session_nodes(), statement) &&
               JobReady(cycle, job)) {
      Commit(cycle, statement);
      if (!tasks.at(job).empty()) waiting.Push(job);
    }
    queues.Push(queue);
  }
}

void RunBackfill(Cycle& cycle) {
  const World& world = cycle.world;
  Heap<QueueIndex> queues = QueueHeap(cycle);
  Queues jobs;
  std::map<JobIndex, Heap<TaskIndex>> tasks;
  for (JobIndex j : world.session_jobs()) {
    if (WaitsInQueue(cycle, j) || !JobValid(cycle, j)) continue;
    Heap<TaskIndex> wanted = TaskHeap(cycle);
    for (TaskIndex t : world.tasks_of(j)) {
      if (!world.best_effort(t)) continue;
      if (world.status[t] == TaskStatus::kNominated) {
        Unplace(cycle.world, t);
        std::erase_if(cycle.decisions, [&](const Decision& d) {
          return d.kind == DecisionKind::kNominate && d.task == t;
        });
        wanted.Push(t);
      } else if (world.status[t] == TaskStatus::kPending && !world.gated(t)) {
        wanted.Push(t);
      }
    }
    if (wanted.empty()) continue;
    tasks.emplace(j, std::move(wanted));
    PushJob(cycle, j, queues, jobs);
  }
  std::vector<TaskIndex> order;
  while (!queues.empty()) {
    Heap<JobIndex>& waiting = jobs.at(queues.Pop());
    while (!waiting.empty()) {
      Heap<TaskIndex>& wanted = tasks.at(waiting.Pop());
      while (!wanted.empty()) order.push_back(wanted.Pop());
    }
  }
  for (TaskIndex task : order) {
    ++cycle.work;
    ErrorCache cache;
    const Found found = FindNodes(cycle, task, world.session_nodes(), Search::kBackfill, cache);
    const NodeIndex node = BestNode(cycle, task, found.nodes);
    if (node == kNone) {
      cycle.fit_errors[task] = found.unresolvable;
      continue;
    }
    AllocateNow(cycle, task, node);
  }
}

}  // namespace muster::reference
