// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/koordinator.h"

#include "lib/peer/koordinator/actions.h"
#include "lib/peer/koordinator/policies.h"
#include "lib/peer/volcano/actions.h"

namespace muster {

Preset KoordinatorPreset() {
  Preset preset;
  preset.name = "koordinator";
  preset.summary =
      "elastic quotas of queues with gangs, the way Koordinator holds them to their runtime";
  preset.actions = "allocate";
  preset.tiers = "priority+gang/elastic-quota+predicates+load-aware+nodeorder";
  preset.defaults = {{"gang", "sub_groups", "off"},
                     {"predicates", "kubernetes", "1.35"},
                     {"nodeorder", "kubernetes", "1.35"}};
  preset.catalogue = {AllocateAction(), BackfillAction(), PreemptAction(),
                      KoordinatorRebalanceAction(), KoordinatorColocateAction()};
  preset.rules.plan_rule = PlanRule::kNetChange;
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

std::vector<PolicyDecl> KoordinatorPolicies() { return {ElasticQuotaPolicy(), LoadAwarePolicy()}; }

}  // namespace muster
