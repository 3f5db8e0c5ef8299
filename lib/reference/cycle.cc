// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Opening, the undo log and closing.
#include "lib/reference/cycle.h"

#include <algorithm>
#include <cstdlib>

namespace muster::reference {

namespace {

// Whether the node holds no more than it has.
bool InSync(const Cycle& cycle, NodeIndex node) {
  return TolerantLessEqual(MeasureBooks(cycle, cycle.world.used[node]),
                           MeasureBooks(cycle, cycle.world.capacity[node]), cycle.tolerance);
}

void Note(Cycle& cycle, DecisionKind kind, TaskIndex task, NodeIndex node) {
  Decision decision{.kind = kind, .task = task, .node = node};
  decision.job = cycle.tables().tasks.job[task];
  cycle.decisions.push_back(decision);
}

// By what holds resources, tasks placed in this session among them.
JobPhase PhaseByAllocated(const Cycle& cycle, JobIndex job) {
  int64_t running = 0, allocated = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    running += cycle.world.status[t] == TaskStatus::kRunning ? 1 : 0;
    allocated += IsAllocated(cycle.world.status[t]) ? 1 : 0;
  }
  const bool unschedulable = FindPolicy(cycle, "gang") != nullptr && !GangReady(cycle, job);
  if (running > 0 && unschedulable) return JobPhase::kDegraded;
  const bool enough = allocated >= cycle.tables().jobs.spec[job].min_available;
  return enough ? JobPhase::kRunning : JobPhase::kPending;
}

// Returns whether a task of the job is placed or has still to be.
bool HasTasksLeft(const World& world, JobIndex job) {
  const std::vector<TaskIndex>& tasks = world.tasks_of(job);
  return std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex t) {
    return IsAllocated(world.status[t]) || world.status[t] == TaskStatus::kPending ||
           world.status[t] == TaskStatus::kNominated;
  });
}

JobPhase PhaseByScheduled(const Cycle& cycle, JobIndex job) {
  const World& world = cycle.world;
  int64_t running = 0, scheduled = 0, ended = 0, waiting = 0;
  for (TaskIndex t : world.tasks_of(job)) {
    switch (world.status[t]) {
      case TaskStatus::kRunning:
        ++running;
        ++scheduled;
        break;
      case TaskStatus::kBound:
        ++scheduled;
        break;
      case TaskStatus::kReleasing:
        ++scheduled;
        break;
      case TaskStatus::kFailed:
      case TaskStatus::kSucceeded:
        ++ended;
        ++scheduled;
        break;
      case TaskStatus::kPending:
      case TaskStatus::kNominated:
        ++waiting;
        break;
      default:
        break;
    }
  }
  const int64_t needed = cycle.tables().jobs.spec[job].min_available;
  const bool settled = scheduled >= needed && waiting == 0;
  int64_t there = CountReady(world, job);
  for (TaskIndex t : world.tasks_of(job)) {
    there += world.status[t] == TaskStatus::kPending && world.best_effort(t);
  }
  const bool unschedulable = FindPolicy(cycle, "gang") != nullptr && there < needed && !settled;
  if (running > 0 && unschedulable) return JobPhase::kDegraded;
  if (scheduled >= needed && scheduled > ended) return JobPhase::kRunning;
  const bool completes = cycle.rules.none_completes || !HasTasksLeft(world, job);
  if (scheduled >= needed && completes) return JobPhase::kCompleted;
  return world.phase[job] == JobPhase::kAdmitted ? JobPhase::kAdmitted : JobPhase::kPending;
}

// Returns whether the job has tasks to place again, and none that stays on a node.
bool IsAway(const World& world, JobIndex job) {
  bool waits = false;
  for (TaskIndex t : world.tasks_of(job)) {
    if (IsAllocated(world.status[t])) return false;
    waits |= world.status[t] == TaskStatus::kPending || world.status[t] == TaskStatus::kNominated ||
             world.status[t] == TaskStatus::kReleasing;
  }
  return waits;
}

// An admission ends by a decision, or with the last task, and comes back by a decision.
JobPhase PhaseAtClose(const Cycle& cycle, JobIndex job) {
  const JobPhase by_tasks =
      cycle.rules.phase_by_allocated ? PhaseByAllocated(cycle, job) : PhaseByScheduled(cycle, job);
  const JobPhase phase = cycle.world.phase[job];
  if (!cycle.tables().jobs.spec[job].admission || phase == JobPhase::kCompleted) return by_tasks;
  if (phase == JobPhase::kPending) {
    return IsAway(cycle.world, job) ? JobPhase::kPending : by_tasks;
  }
  const bool lives = by_tasks == JobPhase::kCompleted && HasTasksLeft(cycle.world, job);
  return lives || by_tasks == JobPhase::kPending ? JobPhase::kAdmitted : by_tasks;
}

std::vector<QueueShare> SharesAtClose(const Cycle& cycle, const std::vector<Row>& allocated_before,
                                      const std::vector<double>& share_before) {
  const Tables& tables = cycle.tables();
  std::vector<QueueShare> shares;
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    if (!tables.queues.alive[q]) continue;
    QueueShare share;
    share.queue = q;
    share.allocated_before = allocated_before[q];
    share.allocated_after = cycle.world.queue_allocated[q];
    if (cycle.queues[q].known) share.deserved = cycle.queues[q].deserved.value;
    for (const PolicyTwin& twin : *cycle.policies) {
      if (twin.deserved == nullptr || FindPolicy(cycle, twin.name) == nullptr) continue;
      if (const auto deserved = twin.deserved(cycle, q)) {
        share.deserved = *deserved;
        break;
      }
    }
    share.share_before = share_before[q];
    share.share_after = QueueShareNow(cycle, q);
    shares.push_back(share);
  }
  return shares;
}

}  // namespace

Cycle OpenCycle(const Tables& tables, const ReferenceProfile& profile, const Rules& rules,
                const PolicyTwins& policies, int64_t now) {
  Cycle cycle;
  cycle.profile = &profile;
  cycle.now = now;
  cycle.rules = rules;
  cycle.policies = &policies;
  cycle.world = OpenWorld(tables);
  if (const ReferencePolicy* devices = FindPolicy(cycle, "devices")) {
    cycle.world.device_strategy = TextOption(*devices, "strategy", "pack");
  }
  for (DimensionIndex d = 0; d < tables.dimension_count() && rules.tolerance; ++d) {
    const bool milli = IsMilliDimension(tables.dimensions.name(d));
    cycle.tolerance.push_back(d == kMemory ? rules.tolerance->memory
                              : milli      ? rules.tolerance->milli
                                           : rules.tolerance->other);
  }
  cycle.world.evicted_tasks_show = rules.evicted_tasks_show;
  cycle.world.follow_present = FindPolicy(cycle, "predicates") != nullptr;
  for (NodeIndex n = 0; n < cycle.world.in_session.size() && rules.overfull_nodes_leave; ++n) {
    if (cycle.world.in_session[n]) cycle.world.in_session[n] = InSync(cycle, n);
  }
  OpenShares(cycle);
  for (const PolicyTwin& twin : policies) {
    const ReferencePolicy* policy = FindPolicy(cycle, twin.name);
    if (policy != nullptr && twin.open != nullptr) twin.open(cycle, *policy);
  }
  return cycle;
}

PlanData CloseCycle(Cycle& cycle, const std::vector<Row>& allocated_before,
                    const std::vector<double>& share_before) {
  const Tables& tables = cycle.tables();
  PlanData plan;
  plan.version = tables.version;
  plan.shelf = tables.shelf;
  plan.work = cycle.work;

  std::vector<bool> decided(tables.tasks.alive.size(), false);
  for (const Decision& d : cycle.decisions) {
    if (d.kind == DecisionKind::kBind || d.kind == DecisionKind::kNominate) decided[d.task] = true;
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    const TaskStatus status = cycle.world.status[t];
    if (!tables.tasks.alive[t] || decided[t]) continue;
    if (status != TaskStatus::kPlaced && status != TaskStatus::kNominated) continue;
    plan.tentative.push_back({t, cycle.world.node[t], status == TaskStatus::kNominated});
  }

  for (JobIndex j : cycle.world.session_jobs()) {
    bool admitted = false;
    for (const Decision& d : cycle.decisions) {
      admitted = admitted || (d.kind == DecisionKind::kAdmit && d.job == j);
    }
    const JobPhase before = admitted ? JobPhase::kAdmitted : tables.jobs.spec[j].phase;
    const JobPhase after = PhaseAtClose(cycle, j);
    if (after == before) continue;
    Decision decision{.kind = DecisionKind::kPhase};
    decision.job = j;
    decision.phase = after;
    cycle.decisions.push_back(decision);
  }
  plan.decisions = cycle.decisions;
  plan.by_kind.resizes = cycle.resizes;
  ListByKind(&plan);
  for (const Bind& d : plan.by_kind.binds) {
    if (!cycle.world.device_strategy && cycle.world.choose_cpus == nullptr) continue;
    for (const DeviceSpec& device : tables.nodes.spec[d.node].devices) {
      const auto hold = cycle.world.held[d.task].find(device.name);
      if (hold == cycle.world.held[d.task].end()) continue;
      plan.devices.push_back({d.task, device.name, hold->second.milli, hold->second.memory});
    }
  }

  plan.shares = SharesAtClose(cycle, allocated_before, share_before);
  return plan;
}

std::vector<PolicyTier> TiersAt(const Cycle& cycle, std::string_view point) {
  std::vector<PolicyTier> tiers;
  for (const auto& tier : cycle.profile->tiers) {
    PolicyTier enabled;
    for (const ReferencePolicy& policy : tier) {
      if (policy.without.count(std::string(point)) == 0) enabled.push_back(&policy);
    }
    tiers.push_back(enabled);
  }
  return tiers;
}

PolicyTier PoliciesAt(const Cycle& cycle, std::string_view point) {
  PolicyTier all;
  for (const PolicyTier& tier : TiersAt(cycle, point))
    all.insert(all.end(), tier.begin(), tier.end());
  return all;
}

const ReferencePolicy* FindPolicy(const Cycle& cycle, std::string_view name) {
  for (const auto& tier : cycle.profile->tiers) {
    for (const ReferencePolicy& policy : tier) {
      if (policy.name == name) return &policy;
    }
  }
  return nullptr;
}

const PolicyTwin& TwinOf(const Cycle& cycle, const ReferencePolicy& policy) {
  static const PolicyTwin silent;
  for (const PolicyTwin& twin : *cycle.policies) {
    if (twin.name == policy.name) return twin;
  }
  return silent;
}

double NumberOption(const ReferencePolicy& policy, const std::string& key, double otherwise) {
  const auto found = policy.options.find(key);
  return found == policy.options.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

std::string TextOption(const ReferencePolicy& policy, const std::string& key,
                       const std::string& otherwise) {
  const auto found = policy.options.find(key);
  return found == policy.options.end() ? otherwise : found->second;
}

bool SwitchOption(const std::map<std::string, std::string>& options, const std::string& key,
                  bool otherwise) {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : found->second == "on";
}

bool ActionSwitch(const Cycle& cycle, const std::string& action, const std::string& key,
                  bool otherwise) {
  const auto found = cycle.profile->action_options.find(action);
  if (found == cycle.profile->action_options.end()) return otherwise;
  return SwitchOption(found->second, key, otherwise);
}

double ActionNumber(const Cycle& cycle, const std::string& action, const std::string& key,
                    double otherwise) {
  const auto found = cycle.profile->action_options.find(action);
  if (found == cycle.profile->action_options.end()) return otherwise;
  const auto option = found->second.find(key);
  return option == found->second.end() ? otherwise : std::strtod(option->second.c_str(), nullptr);
}

bool HasAction(const Cycle& cycle, std::string_view action) {
  const auto& actions = cycle.profile->actions;
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

void DoEvict(Cycle& cycle, Statement& statement, TaskIndex task, TaskIndex beneficiary) {
  statement.push_back({Operation::kEvict, task, cycle.world.node[task], beneficiary});
  Evict(cycle.world, task);
}

void DoPipeline(Cycle& cycle, Statement& statement, TaskIndex task, NodeIndex node,
                bool after_eviction) {
  statement.push_back({Operation::kPipeline, task, node, kNone, after_eviction});
  Place(cycle.world, task, node, TaskStatus::kNominated);
}

void DoAllocate(Cycle& cycle, Statement& statement, TaskIndex task, NodeIndex node) {
  statement.push_back({Operation::kAllocate, task, node});
  Place(cycle.world, task, node, TaskStatus::kPlaced);
}

void Commit(Cycle& cycle, Statement& statement) {
  for (const Operation& operation : statement) {
    switch (operation.kind) {
      case Operation::kEvict:
        Note(cycle, DecisionKind::kEvict, operation.task, operation.node);
        cycle.decisions.back().beneficiary = operation.beneficiary;
        break;
      case Operation::kPipeline:
        Note(cycle, DecisionKind::kNominate, operation.task, operation.node);
        cycle.decisions.back().after_eviction = operation.after_eviction;
        break;
      case Operation::kAllocate:
        Note(cycle, DecisionKind::kBind, operation.task, operation.node);
        cycle.world.status[operation.task] = TaskStatus::kBinding;
        break;
    }
  }
  statement.clear();
}

void Discard(Cycle& cycle, Statement& statement) {
  for (auto operation = statement.rbegin(); operation != statement.rend(); ++operation) {
    if (operation->kind == Operation::kEvict) {
      Unevict(cycle.world, operation->task);
    } else {
      Unplace(cycle.world, operation->task);
    }
  }
  statement.clear();
}

void AllocateNow(Cycle& cycle, TaskIndex task, NodeIndex node) {
  Place(cycle.world, task, node, TaskStatus::kPlaced);
  const JobIndex job = cycle.tables().tasks.job[task];
  if (!JobReady(cycle, job)) return;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    if (cycle.world.status[t] != TaskStatus::kPlaced) continue;
    Note(cycle, DecisionKind::kBind, t, cycle.world.node[t]);
    cycle.world.status[t] = TaskStatus::kBinding;
  }
}

}  // namespace muster::reference
