// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The presets of the slow twin, and the entry points. This is the only file outside
// lib/reference/peer that names schedulers.
#include "lib/reference/reference.h"

#include "lib/reference/cycle.h"
#include "lib/reference/peer/batch/conservative.h"
#include "lib/reference/peer/koordinator/load_aware.h"
#include "lib/reference/peer/kube_batch/kube_batch.h"
#include "lib/reference/peer/muster/fair.h"
#include "lib/reference/peer/ray/ray.h"
#include "lib/reference/peer/training/training.h"
#include "lib/reference/peer/transwarp/transwarp.h"
#include "lib/reference/peer/volcano/volcano.h"
#include "lib/reference/policy/job_orders.h"
#include "lib/reference/policy/spending.h"

namespace muster {

namespace reference {

namespace {

struct PresetTwin {
  std::string name;
  Rules rules;
  ActionTwins actions;
};

Rules FairRules() {
  Rules rules;
  rules.best_effort_is_placed = false;
  rules.group_minimums = GroupMinimums::kAlways;
  rules.sub_group_minimums = false;
  rules.victims = VictimAgreement::kStrict;
  return rules;
}

Rules VolcanoRules() {
  Rules rules;
  rules.none_completes = true;
  return rules;
}

Rules KubeBatchRules() {
  Rules rules;
  rules.best_effort_is_placed = false;
  rules.group_minimums = GroupMinimums::kNever;
  rules.sub_group_minimums = false;
  rules.asks_valid = false;
  rules.yes_ends_waiting = false;
  rules.phase_by_allocated = true;
  rules.queue_priority = false;
  rules.task_ordinals = false;
  rules.victims_by_owner = false;
  rules.victims = VictimAgreement::kSticky;
  rules.counts_victims_down = false;
  rules.own_job_by_task_priority = false;
  rules.evicted_tasks_show = true;
  rules.pods_are_a_resource = false;
  rules.queue_limits = false;
  rules.shares_of_nothing = true;
  rules.releasing_apart = true;
  rules.overfull_nodes_leave = true;
  rules.tolerance = {.milli = 10, .memory = 10.0 * 1024 * 1024, .other = 0.01};
  rules.kubernetes = {.ready_always = true,
                      .network_available = true,
                      .unschedulable_tolerated = false,
                      .spread = false,
                      .fields = false,
                      .init_containers = false,
                      .every_task_has_terms = false,
                      .percent = false};
  return rules;
}

const std::vector<PresetTwin>& Presets() {
  static const std::vector<PresetTwin> presets = {
      {"muster", FairRules(), FairActions()},
      {"transwarp", FairRules(), FairActions()},
      {"volcano", VolcanoRules(), VolcanoActions()},
      {"kube-batch", KubeBatchRules(), KubeBatchActions()},
      {"ray", Rules(), RayActions()},
      {"fcfs", Rules(), BatchActions()},
      {"easy", Rules(), BatchActions()},
      {"conservative", Rules(), BatchActions()},
      {"tiresias", Rules(), TrainingActions()},
      {"themis", Rules(), TrainingActions()},
      {"gavel", Rules(), TrainingActions()},
  };
  return presets;
}

// A preset that is not listed has the default rules and no actions.
const PresetTwin& PresetOf(const ReferenceProfile& profile) {
  static const PresetTwin unlisted;
  for (const PresetTwin& preset : Presets()) {
    if (preset.name == profile.preset) return preset;
  }
  return unlisted;
}

// Policies that divide the cluster come first: the first that is in a profile reports the shares.
const PolicyTwins& AllPolicies() {
  static const PolicyTwins policies = [] {
    PolicyTwins all;
    for (auto of_peer : {FairPolicies, TranswarpPolicies, VolcanoPolicies, KoordinatorPolicies,
                         JobOrderTwins, SpendingTwins, TrainingTwins}) {
      const PolicyTwins some = of_peer();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return policies;
}

}  // namespace

}  // namespace reference

PlanData ReferenceSchedule(const Tables& tables, const ReferenceProfile& profile, int64_t now) {
  const reference::PresetTwin& preset = reference::PresetOf(profile);
  reference::Cycle cycle =
      reference::OpenCycle(tables, profile, preset.rules, reference::AllPolicies(), now);
  const std::vector<reference::Row> allocated = cycle.world.queue_allocated;
  std::vector<double> shares;
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    shares.push_back(reference::QueueShareNow(cycle, q));
  }
  for (const std::string& name : profile.actions) {
    const auto action = preset.actions.find(name);
    if (action != preset.actions.end()) action->second(cycle);
  }
  if (HasAction(cycle, "shrink") || HasAction(cycle, "grow") || HasAction(cycle, "resize")) {
    NoteSizes(cycle);
  }
  return reference::CloseCycle(cycle, allocated, shares);
}

std::optional<Refusal> ReferenceRefusal(const Tables& tables, const ReferenceProfile& profile,
                                        TaskIndex task, NodeIndex node) {
  const reference::Cycle cycle = reference::OpenCycle(
      tables, profile, reference::PresetOf(profile).rules, reference::AllPolicies(), 0);
  return reference::FirstRefusal(cycle, task, node);
}

}  // namespace muster
