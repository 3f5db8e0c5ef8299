// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/victims.h"

#include <algorithm>
#include <limits>

#include "lib/kube/budgets.h"

namespace muster::kube {
namespace {

// Returns whether the budget covers the pod.
bool Covers(const World& world, const DisruptionBudgetSpec& budget, TaskIndex t) {
  const TaskShape& shape = world.classes().shape(world.class_of(t));
  return CoversTask(budget, {shape.name_space, world.tables().tasks.names.name(t), shape.labels});
}

// Returns whether the pod has a label of its own.
bool HasLabels(const World& world, TaskIndex t) {
  const Labels& labels = world.classes().shape(world.class_of(t)).labels;
  return std::any_of(labels.begin(), labels.end(),
                     [](const auto& label) { return label.first != kPreemptedLabel; });
}

// Returns whether a budget does not allow the eviction. Budgets that do are charged.
bool Violates(const World& world, TaskIndex t, std::span<const size_t> order,
              std::vector<int64_t>* allowed) {
  if (!HasLabels(world, t)) return false;
  for (const size_t b : order) {
    if (Covers(world, world.tables().budgets[b], t) && --(*allowed)[b] < 0) return true;
  }
  return false;
}

}  // namespace

JobIndex GroupOf(const World& world, bool groups, TaskIndex t) {
  const JobIndex job = world.tables().tasks.job[t];
  if (!groups || job == kNone || !world.tables().jobs.spec[job].pod_group) return kNone;
  return job;
}

std::vector<Victim> VictimsOn(const World& world, bool groups, std::span<const NodeIndex> nodes,
                              int64_t now) {
  const JobTable& jobs = world.tables().jobs;
  std::vector<Victim> victims;
  std::vector<JobIndex> whole;
  const auto add = [&](Victim* victim, TaskIndex t) {
    const int64_t start = world.started(t) == kAbsent ? now : world.started(t);
    victim->started = victim->pods.empty() ? start : std::min(victim->started, start);
    victim->pods.push_back(t);
  };
  for (const NodeIndex n : nodes) {
    for (const TaskIndex t : world.pods_on(n)) {
      const JobIndex group = GroupOf(world, groups, t);
      Victim victim;
      victim.of_group = group != kNone;
      victim.priority = group == kNone ? world.priority(t) : jobs.spec[group].priority;
      if (group == kNone || !jobs.spec[group].pod_group->evicted_whole) {
        add(&victim, t);
      } else {
        if (std::find(whole.begin(), whole.end(), group) != whole.end()) continue;
        whole.push_back(group);
        for (const TaskIndex member : jobs.tasks[group]) {
          if (world.node_of(member) != kNone) add(&victim, member);
        }
        const NameTable& names = world.tables().tasks.names;
        std::sort(victim.pods.begin(), victim.pods.end(),
                  [&](TaskIndex a, TaskIndex b) { return names.name(a) < names.name(b); });
      }
      victims.push_back(std::move(victim));
    }
  }
  return victims;
}

bool MoreImportant(const Victim& a, const Victim& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.of_group != b.of_group) return a.of_group;
  if (a.pods.size() != b.pods.size()) return a.pods.size() > b.pods.size();
  return a.started < b.started;
}

std::vector<uint32_t> BudgetsOf(const World& world, TaskIndex t) {
  std::vector<uint32_t> covering;
  if (!HasLabels(world, t)) return covering;
  const std::vector<DisruptionBudgetSpec>& budgets = world.tables().budgets;
  for (uint32_t b = 0; b < budgets.size(); ++b) {
    if (Covers(world, budgets[b], t)) covering.push_back(b);
  }
  return covering;
}

void CountViolations(const World& world, std::vector<Victim>* victims) {
  const std::vector<DisruptionBudgetSpec>& budgets = world.tables().budgets;
  if (budgets.empty()) return;
  std::vector<int64_t> allowed;
  std::vector<size_t> order;
  for (const DisruptionBudgetSpec& budget : budgets) {
    order.push_back(allowed.size());
    allowed.push_back(budget.allowed);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(budgets[a].name_space, budgets[a].name) <
           std::pair(budgets[b].name_space, budgets[b].name);
  });
  for (Victim& victim : *victims) {
    for (const TaskIndex t : victim.pods) victim.violations += Violates(world, t, order, &allowed);
  }
}

}  // namespace muster::kube
