// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/muster.h"

#include "lib/part/elastic.h"
#include "lib/peer/muster/actions.h"
#include "lib/peer/muster/policies.h"

namespace muster {

Preset MusterPreset() {
  Preset preset;
  preset.name = "muster";
  preset.summary = "fair shares over the queue tree, whole gangs, as few evictions as can be";
  preset.actions = "allocate(promise=head)+reclaim(exchange=0.02)+preempt(exchange=0.02)";
  preset.tiers =
      "priority+gang(without=preemptable|reclaimable)+conformance+pdb/"
      "fairshare+spending+predicates+devices+zones+nodeorder+binpack+due";
  preset.defaults = {{"gang", "best_effort_counts", "off"}, {"gang", "every_group", "on"},
                     {"gang", "sub_groups", "off"},         {"pdb", "whole_plan", "on"},
                     {"predicates", "node_ready", "on"},    {"zones", "strategy", "fewest"},
                     {"nodeorder", "least_requested", "0"}, {"binpack", "weight", "5"}};
  preset.catalogue = {FairAllocateAction(), FairReclaimAction(), FairPreemptAction(),
                      FairShrinkAction(),   FairGrowAction(),    ResizeAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  preset.rules.plan_rule = PlanRule::kNetChange;
  return preset;
}

std::vector<PolicyDecl> MusterPolicies() { return {FairSharePolicy()}; }

}  // namespace muster
