// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's preempt: jobs that starve take the place of other tasks of their queue, then of their
// own job.
//
// The usual way walks the nodes by score and evicts on each until the task fits; whatever a node
// could not make work is undone. The topology-aware way tries nodes on copies of the world, spares
// every victim it can, and takes the node that loses least.
#include <algorithm>

#include "lib/reference/peer/volcano/network_topology.h"
#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

using Filter = std::function<bool(TaskIndex)>;

// A task that was already promised a node may only preempt when that promise cannot be kept.
bool MayPreempt(const Cycle& cycle, TaskIndex task) {
  const TaskTable& tasks = cycle.tables().tasks;
  if ((tasks.flags[task] & kTaskNeverPreempts) != 0) return false;
  const NodeIndex promised = tasks.nominated[task];
  if (promised == kNone) return true;
  if (!cycle.world.in_session[promised]) return false;
  const Verdict verdict = Judge(cycle, task, promised);
  if (!verdict.refusal) return false;
  if (verdict.unresolvable) return true;
  for (TaskIndex t : cycle.world.on_node[promised]) {
    if (tasks.status[t] == TaskStatus::kReleasing && tasks.priority[t] < tasks.priority[task])
      return false;
  }
  return true;
}

std::vector<TaskIndex> TasksOn(const Cycle& cycle, NodeIndex node, const Filter& filter) {
  std::vector<TaskIndex> out;
  for (TaskIndex t : cycle.world.on_node[node]) {
    if (filter(t)) out.push_back(t);
  }
  return out;
}

bool CanStart(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  return Allocatable(cycle, cycle.world.queue_of(task), task) &&
         FitsLater(cycle.world, task, node) && !Judge(cycle, task, node).refusal;
}

bool PreemptOn(Cycle& cycle, Statement& statement, TaskIndex task, NodeIndex node,
               const Filter& filter) {
  const auto victims = Preemptable(cycle, task, TasksOn(cycle, node, filter));
  if (!ValidVictims(cycle, task, node, victims)) return false;
  Heap<TaskIndex> heap = VictimHeap(cycle, task);
  for (TaskIndex t : victims) heap.Push(t);
  Statement local;
  bool evicted_something = false;
  while (!CanStart(cycle, task, node)) {
    if (heap.empty()) {
      Discard(cycle, local);
      return false;
    }
    const TaskIndex victim = heap.Pop();
    DoEvict(cycle, local, victim, task);
    evicted_something = evicted_something || !cycle.world.shape(victim).devices.empty();
    for (DimensionIndex d = 0; d < cycle.world.dimensions(); ++d) {
      evicted_something =
          evicted_something || (d != kPods && OrZero(cycle.world.request(victim)[d]) > 0);
    }
  }
  DoPipeline(cycle, local, task, node, evicted_something);
  statement.insert(statement.end(), local.begin(), local.end());
  return true;
}

// --- topology-aware ------------------------------------------------------------------------------

// The victims that have to go from the node, the most important one first; empty: there is no such
// set, or no task has to go.
std::vector<TaskIndex> SelectVictims(const Cycle& cycle, TaskIndex task, NodeIndex node,
                                     const Filter& filter) {
  const auto candidates = Preemptable(cycle, task, TasksOn(cycle, node, filter));
  if (!ValidVictims(cycle, task, node, candidates)) return {};
  Cycle trial = cycle;
  Heap<TaskIndex> heap = VictimHeap(trial, task);
  for (TaskIndex t : candidates) heap.Push(t);
  const auto could_start = [&] {
    return AllocatableOnTrial(trial, trial.world.queue_of(task), task) &&
           FitsLater(trial.world, task, node) && TrialAccepts(cycle, trial, task, node);
  };
  std::vector<TaskIndex> removed;
  while (!heap.empty()) {
    removed.push_back(heap.Pop());
    Evict(trial.world, removed.back());
    if (could_start()) break;
  }
  if (removed.empty() || !TrialAccepts(cycle, trial, task, node)) return {};
  std::vector<TaskIndex> victims;
  for (auto t = removed.rbegin(); t != removed.rend(); ++t) {
    Unevict(trial.world, *t);
    trial.world.present[node].insert(*t);  // trials of nodes bring everything back
    if (could_start()) continue;
    Evict(trial.world, *t);
    victims.push_back(*t);
  }
  return victims;
}

struct Loss {
  NodeIndex node;
  std::vector<TaskIndex> victims;
};

// Whether losing `l` is better than losing `r`.
bool LosesLess(const Cycle& cycle, const Loss& l, const Loss& r) {
  const TaskTable& tasks = cycle.tables().tasks;
  const auto first = [&](const Loss& loss) { return tasks.priority[loss.victims[0]]; };
  if (first(l) != first(r)) return first(l) < first(r);
  const auto sum = [&](const Loss& loss) {
    int64_t total = 0;
    for (TaskIndex t : loss.victims) total += tasks.priority[t] + (int64_t{1} << 31);
    return total;
  };
  if (sum(l) != sum(r)) return sum(l) < sum(r);
  if (l.victims.size() != r.victims.size()) return l.victims.size() < r.victims.size();
  const auto start =
      [&](const Loss& loss) {  // the earliest one among those of the highest priority
        int32_t highest = first(loss);
        for (TaskIndex t : loss.victims) highest = std::max(highest, tasks.priority[t]);
        std::optional<int64_t> earliest;
        for (TaskIndex t : loss.victims) {
          if (tasks.priority[t] != highest) continue;
          earliest = earliest ? std::min(*earliest, tasks.created[t]) : tasks.created[t];
        }
        return *earliest;
      };
  return start(l) > start(r);
}

bool PreemptLosingLeast(Cycle& cycle, Statement& statement, TaskIndex task,
                        const std::vector<NodeIndex>& nodes, const Filter& filter) {
  const size_t wanted = std::min(nodes.size(), std::clamp<size_t>(nodes.size() * 10 / 100, 1, 100));
  std::vector<Loss> losses;
  for (NodeIndex n : nodes) {
    if (losses.size() == wanted) break;
    const auto victims = SelectVictims(cycle, task, n, filter);
    if (!victims.empty()) losses.push_back({n, victims});
  }
  if (losses.empty()) return false;
  const Loss* least = &losses[0];
  for (const Loss& loss : losses) {
    if (LosesLess(cycle, loss, *least)) least = &loss;
  }
  for (TaskIndex t : least->victims) DoEvict(cycle, statement, t, task);
  DoPipeline(cycle, statement, task, least->node, true);
  return true;
}

// --- one task ------------------------------------------------------------------------------------

bool PreemptAmong(Cycle& cycle, Statement& statement, TaskIndex task,
                  const std::vector<NodeIndex>& nodes, const Filter& filter) {
  if (nodes.empty()) return false;
  if (ActionSwitch(cycle, "preempt", "topology_aware", false)) {
    return PreemptLosingLeast(cycle, statement, task, nodes, filter);
  }
  std::vector<NodeIndex> by_index = nodes;
  std::sort(by_index.begin(), by_index.end());
  const std::vector<double> scores = Scores(cycle, task, by_index);
  std::vector<size_t> order;
  for (size_t i = 0; i < scores.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t l, size_t r) { return scores[l] > scores[r]; });
  for (size_t i : order) {
    if (PreemptOn(cycle, statement, task, by_index[i], filter)) return true;
  }
  return false;
}

bool PreemptFor(Cycle& cycle, Statement& statement, TaskIndex task, ErrorCache& cache,
                const Filter& filter) {
  ++cycle.work;
  if (!MayPreempt(cycle, task)) return false;
  const Found found = FindNodes(cycle, task, CurableNodes(cycle, task), Search::kPreempt, cache);
  for (const auto& alike : Divided(cycle, found.nodes)) {
    if (PreemptAmong(cycle, statement, task, alike, filter)) return true;
  }
  return false;
}

// Victims of either phase.
bool MayGo(const Cycle& cycle, TaskIndex preemptor, TaskIndex victim) {
  const World& world = cycle.world;
  if (world.status[victim] != TaskStatus::kBound && world.status[victim] != TaskStatus::kRunning)
    return false;
  if (cycle.tables().tasks.job[victim] == kNone || !world.preemptable(victim)) return false;
  return !world.best_effort(preemptor) || world.best_effort(victim);
}

Heap<TaskIndex> PendingTasks(const Cycle& cycle, JobIndex job) {
  Heap<TaskIndex> tasks = TaskHeap(cycle);
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    if (cycle.world.status[t] == TaskStatus::kPending && !cycle.world.gated(t)) tasks.Push(t);
  }
  return tasks;
}

void PreemptBetweenJobs(Cycle& cycle, JobIndex job, Heap<TaskIndex>& tasks, ErrorCache& cache) {
  Statement statement;
  while (JobStarving(cycle, job) && !tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    PreemptFor(cycle, statement, task, cache, [&](TaskIndex victim) {
      return MayGo(cycle, task, victim) && cycle.tables().tasks.job[victim] != job &&
             cycle.world.queue_of(victim) == cycle.world.queue_of(task);
    });
  }
  if (JobPipelined(cycle, job)) {
    Commit(cycle, statement);
  } else {
    Discard(cycle, statement);
  }
}

void PreemptInsideJob(Cycle& cycle, JobIndex job, ErrorCache& cache) {
  Heap<TaskIndex> tasks = PendingTasks(cycle, job);
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    Statement statement;
    const bool placed = PreemptFor(cycle, statement, task, cache, [&](TaskIndex victim) {
      return MayGo(cycle, task, victim) && cycle.tables().tasks.job[victim] == job;
    });
    if (!placed) {
      Discard(cycle, statement);
      return;
    }
    Commit(cycle, statement);
  }
}

}  // namespace

void RunPreempt(Cycle& cycle) {
  ErrorCache cache;  // one for the whole action: refusals given before an eviction are kept
  cache.enabled = ActionSwitch(cycle, "preempt", "error_cache", true);
  Heap<QueueIndex> queues = QueueHeap(cycle);
  std::map<QueueIndex, Heap<JobIndex>> jobs;
  std::map<QueueIndex, std::vector<JobIndex>> found;
  std::map<JobIndex, Heap<TaskIndex>> tasks;
  for (JobIndex j : cycle.world.session_jobs()) {
    if (cycle.world.phase[j] == JobPhase::kPending || !JobValid(cycle, j) || !JobStarving(cycle, j))
      continue;
    const std::vector<Part> parts = PartsOf(cycle, j);
    if (WishOfJob(cycle, j).said || std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
          return WishOfPart(cycle, part).said;
        })) {
      continue;
    }
    const QueueIndex queue = cycle.tables().jobs.queue[j];
    if (jobs.count(queue) == 0) {
      jobs.emplace(queue, JobHeap(cycle));
      queues.Push(queue);
    }
    jobs.at(queue).Push(j);
    found[queue].push_back(j);
    tasks.emplace(j, PendingTasks(cycle, j));
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    Heap<JobIndex>& waiting = jobs.at(queue);
    while (!waiting.empty()) {
      const JobIndex job = waiting.Pop();
      PreemptBetweenJobs(cycle, job, tasks.at(job), cache);
    }
    for (JobIndex job : found[queue]) PreemptInsideJob(cycle, job, cache);
  }
}

}  // namespace muster::reference
