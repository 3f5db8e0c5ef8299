// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/victims.h"

#include <algorithm>
#include <limits>

namespace muster::kube {

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

void CountViolations(BudgetTurns* turns, std::vector<Victim>* victims) {
  if (turns->empty()) return;
  std::vector<TaskIndex> pods;
  for (const Victim& victim : *victims) {
    pods.insert(pods.end(), victim.pods.begin(), victim.pods.end());
  }
  const std::vector<bool>& refused = turns->Refused(pods);
  size_t i = 0;
  for (Victim& victim : *victims) {
    for (const size_t end = i + victim.pods.size(); i < end; ++i) victim.violations += refused[i];
  }
}

}  // namespace muster::kube
