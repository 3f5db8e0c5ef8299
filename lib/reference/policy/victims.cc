// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tasks may be evicted. Every policy names the victims it agrees to; Rules::victims says how
// the lists are combined.
#include <algorithm>
#include <cmath>

#include "lib/reference/cycle.h"
#include "lib/reference/kube/selectors.h"

namespace muster::reference {

namespace {

using Tasks = TaskList;
using Answer = std::optional<Tasks>;  // nullopt: the policy has nothing to say at this point
using Ask = std::function<Answer(const ReferencePolicy&, const Tasks& candidates)>;

Tasks Intersect(const Tasks& victims, const Tasks& candidates) {
  Tasks out;
  for (TaskIndex t : victims) {
    if (std::find(candidates.begin(), candidates.end(), t) != candidates.end()) out.push_back(t);
  }
  return out;
}

Tasks CombineRestarting(const std::vector<PolicyTier>& tiers, const Tasks& all, const Ask& ask) {
  for (const PolicyTier& tier : tiers) {
    Tasks victims;
    for (const ReferencePolicy* policy : tier) {
      const Answer candidates = ask(*policy, all);
      if (!candidates) continue;
      if (candidates->empty()) {
        victims.clear();
        break;
      }
      victims = victims.empty() ? *candidates : Intersect(victims, *candidates);
    }
    if (!victims.empty()) return victims;
  }
  return {};
}

Tasks CombineSticky(const std::vector<PolicyTier>& tiers, const Tasks& all, const Ask& ask) {
  Tasks victims;
  bool asked = false;
  for (const PolicyTier& tier : tiers) {
    for (const ReferencePolicy* policy : tier) {
      const Answer candidates = ask(*policy, all);
      if (!candidates) continue;
      victims = asked ? Intersect(victims, *candidates) : *candidates;
      asked = true;
    }
    if (!victims.empty()) return victims;
  }
  return victims;
}

Tasks CombineStrict(const std::vector<PolicyTier>& tiers, Tasks left, const Ask& ask) {
  for (const PolicyTier& tier : tiers) {
    for (const ReferencePolicy* policy : tier) {
      if (const Answer answer = ask(*policy, left)) left = *answer;
    }
  }
  return left;
}

Tasks Combine(const Cycle& cycle, std::string_view point, const Tasks& all, const Ask& ask) {
  const auto tiers = TiersAt(cycle, point);
  switch (cycle.rules.victims) {
    case VictimAgreement::kStrict:
      return CombineStrict(tiers, all, ask);
    case VictimAgreement::kSticky:
      return CombineSticky(tiers, all, ask);
    case VictimAgreement::kRestarting:
      break;
  }
  return CombineRestarting(tiers, all, ask);
}

// The gang is counted down as its tasks are named, or every task is judged as the only victim.
Tasks AskGang(const Cycle& cycle, const Tasks& candidates) {
  Tasks victims;
  std::map<JobIndex, int64_t> occupied;
  for (TaskIndex t : candidates) {
    const JobIndex job = cycle.tables().tasks.job[t];
    const int64_t needed = cycle.tables().jobs.spec[job].min_available;
    const auto count = occupied.try_emplace(job, CountReady(cycle.world, job)).first;
    if (!cycle.rules.counts_victims_down) {
      if (needed <= count->second - 1 || needed == 1) victims.push_back(t);
    } else if (count->second > needed) {
      --count->second;
      victims.push_back(t);
    }
  }
  return victims;
}

Tasks AskPriority(const Cycle& cycle, TaskIndex preemptor, const Tasks& candidates) {
  const TaskTable& tasks = cycle.tables().tasks;
  const auto& jobs = cycle.tables().jobs.spec;
  const JobIndex own = tasks.job[preemptor];
  Tasks victims;
  for (TaskIndex t : candidates) {
    const bool lower = tasks.job[t] == own && cycle.rules.own_job_by_task_priority
                           ? tasks.priority[t] < tasks.priority[preemptor]
                           : jobs[tasks.job[t]].priority < jobs[own].priority;
    if (lower) victims.push_back(t);
  }
  return victims;
}

Tasks AskConformance(const Cycle& cycle, const Tasks& candidates) {
  Tasks victims;
  for (TaskIndex t : candidates) {
    const std::string_view name =
        cycle.tables().strings.name(cycle.tables().tasks.priority_class[t]);
    if (name == "system-cluster-critical" || name == "system-node-critical") continue;
    if (cycle.world.shape(t).name_space != "kube-system") victims.push_back(t);
  }
  return victims;
}

// A candidate that is not chosen is taken off its job's share all the same.
Tasks AskDrf(const Cycle& cycle, TaskIndex preemptor, const Tasks& candidates) {
  const World& world = cycle.world;
  Row own = world.job_allocated[cycle.tables().tasks.job[preemptor]];
  AddTo(own, world.request(preemptor), 1);
  const double left = DrfShare(cycle, own);
  Tasks victims;
  std::map<JobIndex, Row> others;
  for (TaskIndex t : candidates) {
    const JobIndex job = cycle.tables().tasks.job[t];
    Row& other = others.try_emplace(job, world.job_allocated[job]).first->second;
    AddTo(other, world.request(t), -1);
    const double right = DrfShare(cycle, other);
    if (left < right || std::fabs(left - right) <= 1e-6) victims.push_back(t);
  }
  return victims;
}

Tasks AskProportion(const Cycle& cycle, const Tasks& candidates) {
  const World& world = cycle.world;
  Tasks victims;
  std::map<QueueIndex, Row> allocated;
  for (TaskIndex t : candidates) {
    const QueueIndex queue = world.queue_of(t);
    Row& left = allocated.try_emplace(queue, world.queue_allocated[queue]).first->second;
    const Amount& deserved = cycle.queues[queue].deserved;
    if (!cycle.rules.tolerance) {
      if (LessEqual(AmountOfBooks(left), deserved)) continue;
      AddTo(left, world.request(t), -1);
      victims.push_back(t);
    } else {
      const Amount request = Measure(cycle, world.request(t));
      if (TolerantLess(MeasureBooks(cycle, left), request, cycle.tolerance)) continue;
      AddTo(left, world.request(t), -1);
      if (TolerantLessEqual(deserved, MeasureBooks(cycle, left), cycle.tolerance))
        victims.push_back(t);
    }
  }
  return victims;
}

// Each victim alone, as if it were the only one.
Tasks AskShareTree(const Cycle& cycle, TaskIndex reclaimer, const Tasks& candidates) {
  const World& world = cycle.world;
  std::vector<Row> held = world.job_allocated;
  AddTo(held[cycle.tables().tasks.job[reclaimer]], world.request(reclaimer), 1);
  Tasks victims;
  for (TaskIndex t : candidates) {
    std::vector<Row> without = held;
    AddTo(without[cycle.tables().tasks.job[t]], world.request(t), -1);
    if (CompareOnShareTree(cycle, without, world.queue_of(reclaimer), world.queue_of(t)) < 0) {
      victims.push_back(t);
    }
  }
  return victims;
}

}  // namespace

// Budgets are counted afresh in every question; with `whole_plan` each eviction of the cycle
// counts. Without it a refused task counts as taken, and a task without labels is never let go.
std::vector<TaskIndex> AskPdb(const Cycle& cycle, const ReferencePolicy& policy,
                              const Tasks& candidates) {
  const bool whole_plan = SwitchOption(policy.options, "whole_plan", false);
  const Tables& tables = cycle.tables();
  const auto matching = [&](TaskIndex t) {
    std::vector<size_t> budgets;
    const TaskShape& shape = cycle.world.shape(t);
    for (size_t b = 0; b < tables.budgets.size(); ++b) {
      const DisruptionBudgetSpec& budget = tables.budgets[b];
      if (budget.name_space != shape.name_space || !Matches(budget.selector, shape.labels))
        continue;
      if (whole_plan || !IsEverything(budget.selector)) budgets.push_back(b);
    }
    return budgets;
  };
  std::vector<int64_t> left;
  for (const DisruptionBudgetSpec& budget : tables.budgets) left.push_back(budget.allowed);
  for (TaskIndex t = 0; t < tables.tasks.alive.size() && whole_plan; ++t) {
    const TaskStatus before = tables.tasks.status[t];
    const bool there = before == TaskStatus::kRunning || before == TaskStatus::kBound;
    if (!tables.tasks.alive[t] || !there) continue;
    if (cycle.world.status[t] != TaskStatus::kReleasing) continue;
    for (size_t b : matching(t)) --left[b];
  }
  Tasks victims;
  for (TaskIndex t : candidates) {
    bool refused = !whole_plan && cycle.world.shape(t).labels.empty();
    if (refused) continue;
    const std::vector<size_t> budgets = matching(t);
    for (size_t b : budgets) refused = refused || left[b] <= 0;
    if (!refused) victims.push_back(t);
    for (size_t b : budgets) left[b] -= refused && whole_plan ? 0 : 1;
  }
  return victims;
}

std::vector<TaskIndex> Preemptable(const Cycle& cycle, TaskIndex preemptor, const Tasks& all) {
  return Combine(cycle, "preemptable", all,
                 [&](const ReferencePolicy& policy, const Tasks& candidates) -> Answer {
                   if (policy.name == "gang") return AskGang(cycle, candidates);
                   if (policy.name == "priority") return AskPriority(cycle, preemptor, candidates);
                   if (policy.name == "conformance") return AskConformance(cycle, candidates);
                   if (policy.name == "pdb") return AskPdb(cycle, policy, candidates);
                   if (policy.name == "drf") return AskDrf(cycle, preemptor, candidates);
                   const PolicyTwin& twin = TwinOf(cycle, policy);
                   if (twin.preemptable == nullptr) return std::nullopt;
                   return twin.preemptable(cycle, policy, preemptor, candidates);
                 });
}

std::vector<TaskIndex> Reclaimable(const Cycle& cycle, TaskIndex reclaimer, const Tasks& all) {
  return Combine(cycle, "reclaimable", all,
                 [&](const ReferencePolicy& policy, const Tasks& candidates) -> Answer {
                   if (policy.name == "gang") return AskGang(cycle, candidates);
                   if (policy.name == "conformance") return AskConformance(cycle, candidates);
                   if (policy.name == "pdb") return AskPdb(cycle, policy, candidates);
                   if (policy.name == "proportion") return AskProportion(cycle, candidates);
                   if (policy.name == "drf" && SwitchOption(policy.options, "hierarchy", false))
                     return AskShareTree(cycle, reclaimer, candidates);
                   const PolicyTwin& twin = TwinOf(cycle, policy);
                   if (twin.reclaimable == nullptr) return std::nullopt;
                   return twin.reclaimable(cycle, policy, reclaimer, candidates);
                 });
}

std::vector<TaskIndex> Evictable(const Cycle& cycle, JobIndex evictor, bool from_other_queues,
                                 const Tasks& all) {
  const auto& jobs = cycle.tables().jobs.spec;
  return Combine(cycle, "evictable", all,
                 [&](const ReferencePolicy& policy, const Tasks& candidates) -> Answer {
                   if (policy.name == "gang") return candidates;
                   if (policy.name == "conformance") return AskConformance(cycle, candidates);
                   const PolicyTwin& twin = TwinOf(cycle, policy);
                   const auto ask = from_other_queues ? twin.evictable_elsewhere : twin.evictable;
                   if (ask != nullptr) return ask(cycle, policy, evictor, candidates);
                   if (policy.name != "priority") return std::nullopt;
                   if (from_other_queues) return candidates;
                   Tasks lower;
                   for (TaskIndex t : candidates) {
                     const JobIndex job = cycle.tables().tasks.job[t];
                     if (jobs[job].priority < jobs[evictor].priority) lower.push_back(t);
                   }
                   return lower;
                 });
}

bool ValidVictims(const Cycle& cycle, TaskIndex task, NodeIndex node, const Tasks& victims) {
  Row room = cycle.world.future_idle(node);
  for (TaskIndex t : victims) AddTo(room, cycle.world.request(t), 1);
  return Fits(cycle.world, task, node, room);
}

}  // namespace muster::reference
