// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's gangpreempt and gangreclaim over the whole cluster: all the victims that a gang needs
// and a node for each of its tasks, planned on the world and undone, then done once more for good.
#include <algorithm>
#include <limits>

#include "lib/reference/cycle.h"

namespace muster::reference {

namespace {

enum class From { kOwnQueue, kOtherQueues };

struct Bundle {
  bool whole = false;
  JobIndex job = kNone;
  std::vector<TaskIndex> tasks;
};

std::string NameOf(From from) { return from == From::kOwnQueue ? "gangpreempt" : "gangreclaim"; }

Heap WorksheetOf(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  Heap tasks = TaskHeap(cycle);
  for (TaskIndex t : world.tasks_of(job)) {
    bool empty = true;
    for (DimensionIndex d = 0; d < world.dimensions(); ++d) {
      empty = empty && (d == kPods || OrZero(world.request(t)[d]) == 0);
    }
    if (world.status[t] == TaskStatus::kPending && !world.gated(t) && !empty) tasks.Push(t);
  }
  return tasks;
}

bool MayGo(const Cycle& cycle, From from, JobIndex asker, TaskIndex victim) {
  const World& world = cycle.world;
  const Tables& tables = cycle.tables();
  const JobIndex job = tables.tasks.job[victim];
  const TaskStatus status = world.status[victim];
  if (job == kNone || !world.preemptable(victim)) return false;
  if (tables.jobs.spec[job].preemptable == std::optional<bool>(false)) return false;
  const QueueIndex queue = tables.jobs.queue[job], own = tables.jobs.queue[asker];
  if (from == From::kOtherQueues) {
    return status == TaskStatus::kRunning && queue != own && tables.queues.spec[queue].reclaimable;
  }
  if (status != TaskStatus::kRunning && status != TaskStatus::kBound) return false;
  return queue == own && job != asker &&
         tables.jobs.spec[asker].priority > tables.jobs.spec[job].priority;
}

// --- bundles -------------------------------------------------------------------------------------

int64_t ReadyOfRole(const Cycle& cycle, JobIndex job, GroupIndex role) {
  const World& world = cycle.world;
  int64_t ready = 0;
  for (TaskIndex t : world.tasks_of(job)) {
    if (cycle.tables().tasks.group[t] != role) continue;
    const TaskStatus status = world.status[t];
    ready += IsAllocated(status) || status == TaskStatus::kSucceeded ||
             (status == TaskStatus::kPending && world.best_effort(t));
  }
  return ready;
}

std::vector<Bundle> BundlesOf(const Cycle& cycle, JobIndex job, std::vector<TaskIndex> tasks) {
  const TaskTable& table = cycle.tables().tasks;
  std::stable_sort(tasks.begin(), tasks.end(), [&](TaskIndex l, TaskIndex r) {
    if (table.priority[l] != table.priority[r]) return table.priority[l] < table.priority[r];
    if (table.uid_rank[l] != table.uid_rank[r]) return table.uid_rank[l] < table.uid_rank[r];
    return l < r;
  });
  const int64_t needed = cycle.tables().jobs.spec[job].min_available;
  int64_t surplus = CountReady(cycle.world, job) - needed;
  if (surplus < 0) return {{false, job, tasks}};

  const auto& roles = cycle.tables().jobs.groups[job];
  int64_t role_total = 0;
  for (const GroupRow& role : roles) role_total += OrZero(role.min_available);
  std::map<GroupIndex, int64_t> role_surplus;
  for (GroupIndex g = 0; g < roles.size() && needed >= role_total; ++g) {
    if (OrZero(roles[g].min_available) > 0)
      role_surplus[g] = ReadyOfRole(cycle, job, g) - roles[g].min_available;
  }
  Bundle safe{false, job, {}}, whole{true, job, {}};
  for (TaskIndex t : tasks) {
    const auto role = role_surplus.find(table.group[t]);
    const bool role_safe = role == role_surplus.end() || role->second > 0;
    if (surplus <= 0 || !role_safe) {
      whole.tasks.push_back(t);
      continue;
    }
    safe.tasks.push_back(t);
    --surplus;
    if (role != role_surplus.end()) --role->second;
  }
  std::vector<Bundle> bundles;
  if (!safe.tasks.empty()) bundles.push_back(safe);
  if (!whole.tasks.empty()) bundles.push_back(whole);
  return bundles;
}

double Score(const Cycle& cycle, const std::vector<TaskIndex>& tasks, const Row& need, bool cap) {
  Row sum(need.size(), 0);
  for (TaskIndex t : tasks) AddTo(sum, cycle.world.request(t), 1);
  double score = 0;
  for (DimensionIndex d = 0; d < need.size(); ++d) {
    if (need[d] <= 0) continue;
    const int64_t counted = cap ? std::min(sum[d], need[d]) : sum[d];
    score += static_cast<double>(counted) / static_cast<double>(need[d]);
  }
  return score;
}

double Roi(const Cycle& cycle, const Bundle& bundle, const Row& need) {
  const double global =
      bundle.whole ? Score(cycle, cycle.world.tasks_of(bundle.job), need, false) : 0;
  if (global == 0) return std::numeric_limits<double>::infinity();
  return Score(cycle, bundle.tasks, need, true) / global;
}

void SortBundles(const Cycle& cycle, From from, JobIndex asker, const Row& need,
                 std::vector<Bundle>& bundles) {
  const JobTable& jobs = cycle.tables().jobs;
  std::stable_sort(bundles.begin(), bundles.end(), [&](const Bundle& l, const Bundle& r) {
    if (l.whole != r.whole) return r.whole;
    if (from == From::kOwnQueue && l.job != r.job) return !JobLess(cycle, l.job, r.job);
    const QueueIndex left = jobs.queue[l.job], right = jobs.queue[r.job];
    if (from == From::kOtherQueues && left != right)
      return VictimQueueLess(cycle, left, right, jobs.queue[asker]);
    const double left_roi = Roi(cycle, l, need), right_roi = Roi(cycle, r, need);
    if (left_roi != right_roi) return left_roi > right_roi;
    if (jobs.spec[l.job].uid_rank != jobs.spec[r.job].uid_rank)
      return jobs.spec[l.job].uid_rank < jobs.spec[r.job].uid_rank;
    return l.job < r.job;
  });
}

std::vector<Bundle> SelectBundles(const Cycle& cycle, From from, JobIndex asker, const Row& need) {
  const World& world = cycle.world;
  std::map<JobIndex, std::vector<TaskIndex>> candidates;
  for (NodeIndex n : world.session_nodes()) {
    for (TaskIndex t : world.on_node[n]) {
      if (MayGo(cycle, from, asker, t)) candidates[cycle.tables().tasks.job[t]].push_back(t);
    }
  }
  std::vector<Bundle> bundles;
  for (const auto& [job, tasks] : candidates) {
    for (const Bundle& bundle : BundlesOf(cycle, job, tasks)) bundles.push_back(bundle);
  }
  SortBundles(cycle, from, asker, need, bundles);
  std::vector<TaskIndex> all;
  for (const Bundle& bundle : bundles)
    all.insert(all.end(), bundle.tasks.begin(), bundle.tasks.end());
  const auto allowed_list = Evictable(cycle, asker, from == From::kOtherQueues, all);
  const std::set<TaskIndex> allowed(allowed_list.begin(), allowed_list.end());

  const bool whole_gangs = ActionSwitch(cycle, NameOf(from), "whole_gangs", true);
  std::vector<Bundle> valid;
  for (const Bundle& bundle : bundles) {
    Bundle left{bundle.whole, bundle.job, {}};
    for (TaskIndex t : bundle.tasks) {
      if (allowed.count(t) > 0) left.tasks.push_back(t);
    }
    if (left.tasks.empty()) continue;
    if (left.whole && (!whole_gangs || left.tasks.size() < bundle.tasks.size())) continue;
    valid.push_back(left);
  }
  SortBundles(cycle, from, asker, need, valid);
  return valid;
}

// --- the plan ------------------------------------------------------------------------------------

NodeIndex NodeFor(const Cycle& cycle, TaskIndex task, ErrorCache& cache) {
  std::vector<NodeIndex> nodes = CurableNodes(cycle, task);
  if (nodes.empty()) nodes = cycle.world.session_nodes();
  const Found found = FindNodes(cycle, task, nodes, Search::kGang, cache);
  std::vector<NodeIndex> now, later;
  for (NodeIndex n : found.nodes) (FitsIdle(cycle, task, n) ? now : later).push_back(n);
  return BestNode(cycle, task, now.empty() ? later : now);
}

// Applies the whole plan. False: something could not be placed, or the gang is still not pipelined.
bool ApplyPlan(Cycle& cycle, From from, JobIndex job, const std::vector<TaskIndex>& victims,
               Statement& statement) {
  ErrorCache cache;
  cache.enabled = ActionSwitch(cycle, NameOf(from), "error_cache", true);
  Heap tasks = WorksheetOf(cycle, job);
  bool first = true;
  while (!tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    ++cycle.work;
    if (first) {
      for (TaskIndex victim : victims) DoEvict(cycle, statement, victim, task);
      first = false;
    }
    if (!Allocatable(cycle, cycle.tables().jobs.queue[job], task)) return false;
    const NodeIndex node = NodeFor(cycle, task, cache);
    if (node == kNone) return false;
    DoPipeline(cycle, statement, task, node, true);
  }
  return JobPipelined(cycle, job);
}

// What is placed a second time is told once.
void Replay(Cycle& cycle, const Statement& plan, Statement& statement) {
  const auto told = cycle.world.placements;
  for (const Operation& operation : plan) {
    if (operation.kind == Operation::kEvict) {
      DoEvict(cycle, statement, operation.task, operation.beneficiary);
    } else {
      DoPipeline(cycle, statement, operation.task, operation.node, operation.after_eviction);
    }
  }
  cycle.world.placements = told;
}

// Whether `need` is within what the nodes have idle or releasing and the victims hold.
bool MayBeEnough(const Cycle& cycle, const Row& need, const Row& on_nodes,
                 const std::vector<TaskIndex>& victims) {
  Row available = on_nodes;
  for (TaskIndex t : victims) AddTo(available, cycle.world.request(t), 1);
  bool unlimited_pods = false;
  for (NodeIndex n : cycle.world.session_nodes())
    unlimited_pods = unlimited_pods || !cycle.world.counts_pods[n];
  for (DimensionIndex d = 0; d < need.size(); ++d) {
    if (d == kPods && unlimited_pods) continue;
    if (d > kPods && need[d] == 0) continue;
    if (need[d] > available[d]) return false;
  }
  return true;
}

void EvictFor(Cycle& cycle, From from, JobIndex job) {
  const World& world = cycle.world;
  std::vector<TaskIndex> pending;
  for (Heap tasks = WorksheetOf(cycle, job); !tasks.empty();) pending.push_back(tasks.Pop());
  if (pending.empty()) return;
  const QueueIndex queue = cycle.tables().jobs.queue[job];
  if (from == From::kOtherQueues && !AllPreemptive(cycle, queue, pending)) return;
  Row need(world.dimensions(), 0), on_nodes = need;
  for (TaskIndex t : pending) AddTo(need, world.initial_request(t), 1);
  const std::vector<Bundle> bundles = SelectBundles(cycle, from, job, need);
  for (NodeIndex n : world.session_nodes()) {
    AddTo(on_nodes, world.idle[n], 1);
    AddTo(on_nodes, world.releasing[n], 1);
  }
  std::vector<TaskIndex> victims;
  for (const Bundle& bundle : bundles) {
    victims.insert(victims.end(), bundle.tasks.begin(), bundle.tasks.end());
    if (!MayBeEnough(cycle, need, on_nodes, victims)) continue;
    Statement trial;
    const bool works = ApplyPlan(cycle, from, job, victims, trial);
    const Statement plan = trial;
    Discard(cycle, trial);
    if (!works) continue;
    Statement statement;
    Replay(cycle, plan, statement);
    Commit(cycle, statement);
    return;
  }
}

void Run(Cycle& cycle, From from) {
  Heap queues = QueueHeap(cycle);
  std::map<QueueIndex, Heap> jobs;
  for (JobIndex j : cycle.world.session_jobs()) {
    if (cycle.world.phase[j] == JobPhase::kPending || !JobValid(cycle, j)) continue;
    const QueueIndex queue = cycle.tables().jobs.queue[j];
    if (jobs.count(queue) == 0) {
      jobs.emplace(queue, JobHeap(cycle));
      queues.Push(queue);
    }
    if (JobStarving(cycle, j)) jobs.at(queue).Push(j);
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    if (from == From::kOtherQueues && Overused(cycle, queue)) continue;
    for (Heap& waiting = jobs.at(queue); !waiting.empty();) EvictFor(cycle, from, waiting.Pop());
  }
}

}  // namespace

void RunGangPreempt(Cycle& cycle) { Run(cycle, From::kOwnQueue); }
void RunGangReclaim(Cycle& cycle) { Run(cycle, From::kOtherQueues); }

}  // namespace muster::reference
