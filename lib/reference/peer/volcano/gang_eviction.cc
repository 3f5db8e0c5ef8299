// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's gangpreempt and gangreclaim, domain by domain: all the victims that a gang needs and a
// node for each of its tasks, planned on the world and undone, then done once more for good.
#include <algorithm>
#include <limits>

#include "lib/reference/peer/volcano/network_topology.h"
#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

enum class From { kOwnQueue, kOtherQueues };

struct Bundle {
  bool whole = false;
  JobIndex job = kNone;
  std::vector<TaskIndex> tasks;
};

std::string NameOf(From from) { return from == From::kOwnQueue ? "gangpreempt" : "gangreclaim"; }

PartSheet WorksheetOf(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  std::vector<TaskIndex> tasks;
  for (TaskIndex t : world.tasks_of(job)) {
    bool empty = true;
    for (DimensionIndex d = 0; d < world.dimensions(); ++d) {
      empty = empty && (d == kPods || OrZero(world.request(t)[d]) == 0);
    }
    if (world.status[t] == TaskStatus::kPending && !world.gated(t) && !empty) tasks.push_back(t);
  }
  return MakeSheet(cycle, job, tasks);
}

bool BoundToDomains(const Cycle& cycle, JobIndex job) {
  if (WishOfJob(cycle, job).tier) return true;
  for (SubGroupIndex s = 0; s < cycle.tables().jobs.spec[job].sub_groups.size(); ++s) {
    if (WishOfPart(cycle, {job, s}).tier) return true;
  }
  return false;
}

std::vector<NodeIndex> NodesOf(const Cycle& cycle, const Vertex& vertex) {
  if (vertex.empty()) return cycle.world.session_nodes();
  const std::set<NodeIndex> nodes = NodesIn(cycle, vertex);
  return {nodes.begin(), nodes.end()};
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

// What the sub-groups of a job can spare.
struct PartSurplus {
  std::set<SubGroupIndex> broken;            // those that lack a task
  std::map<std::string, int64_t> by_policy;  // how many more of each policy may lack one
  bool counts = false;                       // some policy has a minimum

  bool MaySpare(SubGroupIndex part, const std::string& policy) const {
    if (!counts || broken.count(part) > 0) return true;
    const auto found = by_policy.find(policy);
    return found != by_policy.end() && found->second > 0;
  }
};

const std::string& PolicyOf(const JobSpec& spec, SubGroupIndex number) {
  static const std::string none;
  return number == kNone ? none : spec.sub_groups[number].policy;
}

PartSurplus PartSurplusOf(const Cycle& cycle, JobIndex job) {
  PartSurplus surplus;
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  for (const Part& part : PartsOf(cycle, job)) {
    int64_t there = 0;
    for (TaskIndex t : TasksOf(cycle, part)) {
      const TaskStatus status = cycle.world.status[t];
      there += IsAllocated(status) || status == TaskStatus::kSucceeded ||
               (status == TaskStatus::kPending && cycle.world.best_effort(t));
    }
    if (there >= PartMinimum(cycle, part)) {
      ++surplus.by_policy[PolicyOf(spec, part.number)];
    } else {
      surplus.broken.insert(part.number);
    }
  }
  for (const SubGroupPolicy& policy : spec.sub_group_policies) {
    surplus.by_policy[policy.name] -= policy.min_sub_groups;
    surplus.counts = surplus.counts || policy.min_sub_groups > 0;
  }
  return surplus;
}

// How many tasks each role with a minimum can spare; empty where the job's minimum is below the
// sum of theirs.
std::map<GroupIndex, int64_t> RoleSurplus(const Cycle& cycle, JobIndex job) {
  const auto& roles = cycle.tables().jobs.groups[job];
  int64_t total = 0;
  for (const GroupRow& role : roles) total += OrZero(role.min_available);
  std::map<GroupIndex, int64_t> surplus;
  if (cycle.tables().jobs.spec[job].min_available < total) return surplus;
  for (GroupIndex g = 0; g < roles.size(); ++g) {
    if (OrZero(roles[g].min_available) <= 0) continue;
    surplus[g] = ReadyOfRole(cycle, job, g) - roles[g].min_available;
  }
  return surplus;
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

  std::map<GroupIndex, int64_t> role_surplus = RoleSurplus(cycle, job);
  PartSurplus parts = PartSurplusOf(cycle, job);
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  Bundle safe{false, job, {}}, whole{true, job, {}};
  for (TaskIndex t : tasks) {
    const auto role = role_surplus.find(table.group[t]);
    const bool role_safe = role == role_surplus.end() || role->second > 0;
    const SubGroupIndex part = table.sub_group[t];
    if (surplus <= 0 || !role_safe || !parts.MaySpare(part, PolicyOf(spec, part))) {
      whole.tasks.push_back(t);
      continue;
    }
    safe.tasks.push_back(t);
    if (parts.broken.insert(part).second) --parts.by_policy[PolicyOf(spec, part)];
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

std::vector<Bundle> SelectBundles(const Cycle& cycle, From from, JobIndex asker, const Row& need,
                                  const std::vector<NodeIndex>& nodes) {
  const World& world = cycle.world;
  std::map<JobIndex, std::vector<TaskIndex>> candidates;
  for (NodeIndex n : nodes) {
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

NodeIndex NodeFor(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& domain,
                  ErrorCache& cache) {
  std::vector<NodeIndex> nodes = CurableNodes(cycle, task);
  if (nodes.empty()) nodes = cycle.world.session_nodes();
  std::erase_if(nodes, [&](NodeIndex n) {
    return std::find(domain.begin(), domain.end(), n) == domain.end();
  });
  const Found found = FindNodes(cycle, task, nodes, Search::kGang, cache);
  std::vector<NodeIndex> now, later;
  for (NodeIndex n : found.nodes) (FitsIdle(cycle, task, n) ? now : later).push_back(n);
  return BestNode(cycle, task, now.empty() ? later : now);
}

// All tasks of the part in one domain. False: nothing has changed.
bool PlacePart(Cycle& cycle, From from, const Part& part, Heap<TaskIndex> tasks,
               const Vertex& vertex, Statement& statement) {
  ErrorCache cache;
  cache.enabled = ActionSwitch(cycle, NameOf(from), "error_cache", true);
  const std::vector<NodeIndex> nodes = NodesOf(cycle, vertex);
  const size_t before = statement.size();
  bool placed = true;
  while (placed && !tasks.empty()) {
    const TaskIndex task = tasks.Pop();
    ++cycle.work;
    placed = Allocatable(cycle, cycle.tables().jobs.queue[part.job], task);
    const NodeIndex node = placed ? NodeFor(cycle, task, nodes, cache) : kNone;
    placed = node != kNone;
    if (placed) DoPipeline(cycle, statement, task, node, true);
  }
  if (placed && (PartReady(cycle, part) || PartPipelined(cycle, part))) return true;
  Statement undone(statement.begin() + static_cast<ptrdiff_t>(before), statement.end());
  statement.resize(before);
  Discard(cycle, undone);
  return false;
}

// Applies the whole plan. False: something could not be placed, or the gang is still not pipelined.
bool ApplyPlan(Cycle& cycle, From from, JobIndex job, const Vertex& vertex, TaskIndex first,
               const std::vector<TaskIndex>& victims, Statement& statement) {
  const bool was_ready = JobReady(cycle, job);
  // As it was before any eviction.
  PartSheet sheet = WorksheetOf(cycle, job);
  for (TaskIndex victim : victims) DoEvict(cycle, statement, victim, first);
  while (!sheet.waiting.empty()) {
    const Part part = sheet.waiting.Pop();
    VertexLists lists = {{vertex}};
    if (BoundToDomains(cycle, job)) lists = SearchForPart(cycle, part, vertex, true);
    bool placed = false;
    for (const std::vector<Vertex>& list : lists) {
      for (const Vertex& within : list) {
        placed = placed || PlacePart(cycle, from, part, sheet.tasks.at(part), within, statement);
      }
    }
    if (!placed) return false;
    if (JobPipelined(cycle, job)) return true;
    if (was_ready) return false;
  }
  return false;
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
bool MayBeEnough(const Cycle& cycle, const Row& need, const std::vector<NodeIndex>& nodes,
                 const std::vector<TaskIndex>& victims) {
  Row available(need.size(), 0);
  for (NodeIndex n : nodes) {
    AddTo(available, cycle.world.idle[n], 1);
    AddTo(available, cycle.world.releasing[n], 1);
  }
  for (TaskIndex t : victims) AddTo(available, cycle.world.request(t), 1);
  bool unlimited_pods = false;
  for (NodeIndex n : nodes) unlimited_pods = unlimited_pods || !cycle.world.counts_pods[n];
  for (DimensionIndex d = 0; d < need.size(); ++d) {
    if (d == kPods && unlimited_pods) continue;
    if (d > kPods && need[d] == 0) continue;
    if (need[d] > available[d]) return false;
  }
  return true;
}

// Whether the gang got places in the domain.
bool EvictIn(Cycle& cycle, From from, JobIndex job, const Vertex& vertex, TaskIndex first,
             const Row& need) {
  const std::vector<NodeIndex> nodes = NodesOf(cycle, vertex);
  std::vector<TaskIndex> victims;
  for (const Bundle& bundle : SelectBundles(cycle, from, job, need, nodes)) {
    victims.insert(victims.end(), bundle.tasks.begin(), bundle.tasks.end());
    if (!MayBeEnough(cycle, need, nodes, victims)) continue;
    Statement trial;
    const bool works = ApplyPlan(cycle, from, job, vertex, first, victims, trial);
    const Statement plan = trial;
    Discard(cycle, trial);
    if (!works) continue;
    Statement statement;
    Replay(cycle, plan, statement);
    Commit(cycle, statement);
    return true;
  }
  return false;
}

void EvictFor(Cycle& cycle, From from, JobIndex job) {
  const World& world = cycle.world;
  std::vector<TaskIndex> pending;
  for (PartSheet sheet = WorksheetOf(cycle, job); !sheet.waiting.empty();) {
    for (Heap<TaskIndex> tasks = sheet.tasks.at(sheet.waiting.Pop()); !tasks.empty();)
      pending.push_back(tasks.Pop());
    if (JobReady(cycle, job)) break;
  }
  if (pending.empty()) return;
  const QueueIndex queue = cycle.tables().jobs.queue[job];
  if (from == From::kOtherQueues && !AllPreemptive(cycle, queue, pending)) return;
  Row need(world.dimensions(), 0);
  for (TaskIndex t : pending) AddTo(need, world.initial_request(t), 1);
  std::vector<Vertex> domains;
  for (const std::vector<Vertex>& list : SearchForJob(cycle, job, true)) {
    domains.insert(domains.end(), list.begin(), list.end());
  }
  const auto most = static_cast<size_t>(ActionNumber(cycle, NameOf(from), "max_domains", 8));
  if (domains.size() > most) domains.resize(most);
  if (domains.empty() && !BoundToDomains(cycle, job)) domains.push_back("");
  for (const Vertex& vertex : domains) {
    if (EvictIn(cycle, from, job, vertex, pending.front(), need)) return;
  }
}

void Run(Cycle& cycle, From from) {
  Heap<QueueIndex> queues = QueueHeap(cycle);
  std::map<QueueIndex, Heap<JobIndex>> jobs;
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
    for (Heap<JobIndex>& waiting = jobs.at(queue); !waiting.empty();)
      EvictFor(cycle, from, waiting.Pop());
  }
}

}  // namespace

void RunGangPreempt(Cycle& cycle) { Run(cycle, From::kOwnQueue); }
void RunGangReclaim(Cycle& cycle) { Run(cycle, From::kOtherQueues); }

}  // namespace muster::reference
