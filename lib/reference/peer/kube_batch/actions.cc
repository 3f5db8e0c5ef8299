// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch's actions. Nothing is undone here except inside preempt, and there not what was
// evicted on a node that then did not do: a gang that cannot be completed keeps its placements
// until the cycle ends.
#include <algorithm>

#include "lib/reference/cycle.h"
#include "lib/reference/peer/kube_batch/kube_batch.h"

namespace muster::reference {

namespace {

using Filter = std::function<bool(TaskIndex)>;

std::vector<NodeIndex> NodesPassing(const Cycle& cycle, TaskIndex task, bool with_resources) {
  std::vector<NodeIndex> nodes;
  for (NodeIndex n : cycle.world.session_nodes()) {
    if (with_resources && !FitsIdle(cycle, task, n) && !FitsReleasing(cycle, task, n)) continue;
    if (!Judge(cycle, task, n).refusal) nodes.push_back(n);
  }
  return nodes;
}

bool EmptyAmount(const Cycle& cycle, std::span<const int64_t> row) {
  return TolerantIsEmpty(Measure(cycle, row), cycle.tolerance);
}

bool Schedulable(const World& world, TaskIndex task) {
  return world.status[task] == TaskStatus::kPending && !world.gated(task);
}

// Decisions outside any statement stand at once.
void EvictNow(Cycle& cycle, TaskIndex task, TaskIndex beneficiary) {
  Statement statement;
  DoEvict(cycle, statement, task, beneficiary);
  Commit(cycle, statement);
}

void PipelineNow(Cycle& cycle, TaskIndex task, NodeIndex node, bool after_eviction) {
  Statement statement;
  DoPipeline(cycle, statement, task, node, after_eviction);
  Commit(cycle, statement);
}

bool Covers(const Cycle& cycle, TaskIndex task, const Row& freed) {
  return TolerantLessEqual(Measure(cycle, cycle.world.initial_request(task)),
                           MeasureBooks(cycle, freed), cycle.tolerance);
}

bool CoverTogether(const Cycle& cycle, TaskIndex task, const std::vector<TaskIndex>& victims) {
  Row freed(cycle.world.dimensions(), 0);
  for (TaskIndex t : victims) AddTo(freed, cycle.world.request(t), 1);
  return !victims.empty() && Covers(cycle, task, freed);
}

std::vector<TaskIndex> RunningOn(const Cycle& cycle, NodeIndex node, const Filter& filter) {
  std::vector<TaskIndex> out;
  for (TaskIndex t : cycle.world.on_node[node]) {
    const bool known = cycle.tables().tasks.job[t] != kNone;
    if (known && cycle.world.status[t] == TaskStatus::kRunning && filter(t)) out.push_back(t);
  }
  return out;
}

// A turn of a job in allocate. True: it is ready, has more tasks, and wants another turn.
bool PlaceTasks(Cycle& cycle, JobIndex job, Heap<TaskIndex>& tasks) {
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    ++cycle.work;
    const NodeIndex node = BestNode(cycle, task, NodesPassing(cycle, task, true));
    if (node == kNone) return false;
    if (FitsIdle(cycle, task, node)) {
      AllocateNow(cycle, task, node);
    } else {
      PipelineNow(cycle, task, node, false);
    }
    if (JobReady(cycle, job) && !tasks.empty()) return true;
  }
  return false;
}

bool PreemptFor(Cycle& cycle, Statement& statement, TaskIndex task, const Filter& filter) {
  ++cycle.work;
  const std::vector<NodeIndex> nodes = NodesPassing(cycle, task, false);
  const std::vector<double> scores = Scores(cycle, task, nodes);
  std::vector<size_t> order;
  for (size_t i = 0; i < nodes.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t l, size_t r) {
    if (scores[l] != scores[r]) return scores[l] > scores[r];
    return cycle.tables().nodes.spec[nodes[l]].name > cycle.tables().nodes.spec[nodes[r]].name;
  });
  for (size_t i : order) {
    const auto victims = Preemptable(cycle, task, RunningOn(cycle, nodes[i], filter));
    if (!CoverTogether(cycle, task, victims)) continue;
    Heap<TaskIndex> heap = VictimHeap(cycle, task);
    for (TaskIndex t : victims) heap.Push(t);
    Row freed(cycle.world.dimensions(), 0);
    do {  // one goes even for a task that needs nothing
      const TaskIndex victim = heap.Pop();
      DoEvict(cycle, statement, victim, task);
      AddTo(freed, cycle.world.request(victim), 1);
    } while (!heap.empty() && !Covers(cycle, task, freed));
    if (!Covers(cycle, task, freed)) continue;
    DoPipeline(cycle, statement, task, nodes[i], true);
    return true;
  }
  return false;
}

// True: something was placed and decided, so that the job may go on with its further tasks.
bool PreemptBetweenJobs(Cycle& cycle, JobIndex job, Heap<TaskIndex>& tasks) {
  Statement statement;
  bool assigned = false;
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    const QueueIndex queue = cycle.world.queue_of(task);
    assigned = PreemptFor(cycle, statement, task,
                          [&](TaskIndex victim) {
                            return cycle.tables().tasks.job[victim] != job &&
                                   cycle.world.queue_of(victim) == queue;
                          }) ||
               assigned;
    if (JobPipelined(cycle, job)) {
      Commit(cycle, statement);
      return assigned;
    }
  }
  Discard(cycle, statement);
  return false;
}

void PreemptInsideJob(Cycle& cycle, JobIndex job, Heap<TaskIndex>& tasks) {
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    Statement statement;
    const bool assigned = PreemptFor(cycle, statement, task, [&](TaskIndex victim) {
      return cycle.tables().tasks.job[victim] == job;
    });
    Commit(cycle, statement);
    if (!assigned) return;
  }
}

// The first node on which the victims cover the task. What was evicted stays evicted.
bool ReclaimFor(Cycle& cycle, TaskIndex task) {
  const QueueIndex queue = cycle.world.queue_of(task);
  for (NodeIndex n : cycle.world.session_nodes()) {
    if (Judge(cycle, task, n).refusal) continue;
    const auto victims = Reclaimable(cycle, task, RunningOn(cycle, n, [&](TaskIndex victim) {
                                       return cycle.world.queue_of(victim) != queue;
                                     }));
    if (!CoverTogether(cycle, task, victims)) continue;
    Row freed(cycle.world.dimensions(), 0);
    for (TaskIndex victim : victims) {
      EvictNow(cycle, victim, task);
      AddTo(freed, cycle.world.request(victim), 1);
      if (Covers(cycle, task, freed)) break;
    }
    PipelineNow(cycle, task, n, true);
    return true;
  }
  return false;
}

void RunAllocateNow(Cycle& cycle) {
  const World& world = cycle.world;
  Heap<QueueIndex> queues = QueueHeap(cycle);
  std::map<QueueIndex, Heap<JobIndex>> jobs;
  std::map<JobIndex, Heap<TaskIndex>> tasks;
  for (JobIndex j : world.session_jobs()) {
    const QueueIndex queue = cycle.tables().jobs.queue[j];
    queues.Push(queue);  // once for each job
    jobs.try_emplace(queue, JobHeap(cycle)).first->second.Push(j);
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    if (Overused(cycle, queue)) continue;
    Heap<JobIndex>& waiting = jobs.at(queue);
    if (waiting.empty()) continue;
    const JobIndex job = waiting.Pop();
    if (tasks.count(job) == 0) {
      Heap<TaskIndex>& wanted = tasks.emplace(job, TaskHeap(cycle)).first->second;
      for (TaskIndex t : world.tasks_of(job)) {
        if (Schedulable(world, t) && !EmptyAmount(cycle, world.request(t))) wanted.Push(t);
      }
    }
    if (PlaceTasks(cycle, job, tasks.at(job))) waiting.Push(job);
    queues.Push(queue);
  }
}

void RunBackfillNow(Cycle& cycle) {
  const World& world = cycle.world;
  for (JobIndex j : world.session_jobs()) {
    for (TaskIndex t : world.tasks_of(j)) {
      if (!Schedulable(world, t) || !EmptyAmount(cycle, world.initial_request(t))) continue;
      ++cycle.work;
      for (NodeIndex n : NodesPassing(cycle, t, false)) {
        // Many next to nothings are something: a node takes what its idle part covers.
        if (!TolerantLessEqual(Measure(cycle, world.request(t)), MeasureBooks(cycle, world.idle[n]),
                               cycle.tolerance)) {
          continue;
        }
        AllocateNow(cycle, t, n);
        break;
      }
    }
  }
}

void RunPreemptNow(Cycle& cycle) {
  const World& world = cycle.world;
  std::map<QueueIndex, Heap<JobIndex>> jobs;
  std::set<QueueIndex> queues;
  std::vector<JobIndex> wanting;
  std::map<JobIndex, Heap<TaskIndex>>
      tasks;  // shared by both phases: what one has tried the other does not see
  for (JobIndex j : world.session_jobs()) {
    const QueueIndex queue = cycle.tables().jobs.queue[j];
    queues.insert(queue);
    Heap<TaskIndex> pending = TaskHeap(cycle);
    for (TaskIndex t : world.tasks_of(j)) {
      if (Schedulable(world, t)) pending.Push(t);
    }
    if (pending.empty()) continue;
    jobs.try_emplace(queue, JobHeap(cycle)).first->second.Push(j);
    wanting.push_back(j);
    tasks.emplace(j, std::move(pending));
  }
  for (QueueIndex queue : queues) {
    Heap<JobIndex>& waiting = jobs.try_emplace(queue, JobHeap(cycle)).first->second;
    while (!waiting.empty()) {
      const JobIndex job = waiting.Pop();
      if (PreemptBetweenJobs(cycle, job, tasks.at(job))) waiting.Push(job);
    }
    for (JobIndex job : wanting) PreemptInsideJob(cycle, job, tasks.at(job));
  }
}

void RunReclaimNow(Cycle& cycle) {
  const World& world = cycle.world;
  Heap<QueueIndex> queues = QueueHeap(cycle);
  std::map<QueueIndex, Heap<JobIndex>> jobs;
  std::map<JobIndex, Heap<TaskIndex>> tasks;
  for (JobIndex j : world.session_jobs()) {
    const QueueIndex queue = cycle.tables().jobs.queue[j];
    if (jobs.count(queue) == 0) {
      jobs.emplace(queue, JobHeap(cycle));
      queues.Push(queue);
    }
    Heap<TaskIndex> pending = TaskHeap(cycle);
    for (TaskIndex t : world.tasks_of(j)) {
      if (Schedulable(world, t)) pending.Push(t);
    }
    if (pending.empty()) continue;
    jobs.at(queue).Push(j);
    tasks.emplace(j, std::move(pending));
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    if (Overused(cycle, queue)) continue;
    Heap<JobIndex>& waiting = jobs.at(queue);
    if (waiting.empty()) continue;
    const JobIndex job = waiting.Pop();
    const TaskIndex task = tasks.at(job).Pop();
    ++cycle.work;
    if (ReclaimFor(cycle, task)) queues.Push(queue);
  }
}

}  // namespace

ActionTwins KubeBatchActions() {
  return {{"allocate", RunAllocateNow},
          {"backfill", RunBackfillNow},
          {"preempt", RunPreemptNow},
          {"reclaim", RunReclaimNow}};
}

}  // namespace muster::reference
