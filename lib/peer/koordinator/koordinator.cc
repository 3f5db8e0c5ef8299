// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/koordinator.h"

#include "lib/peer/koordinator/actions.h"
#include "lib/peer/koordinator/policies.h"
#include "lib/peer/koordinator/profile/schedule.h"

namespace muster {

Preset KoordinatorPreset() {
  Preset preset;
  preset.name = "koordinator";
  preset.summary = "Koordinator: kube-scheduler with elastic quotas, gangs and measured loads";
  preset.actions = "schedule";
  preset.tiers = "";
  preset.catalogue = {KoordinatorScheduleAction(), KoordinatorRebalanceAction(),
                      KoordinatorColocateAction()};
  preset.rules.places_lone_tasks = true;
  preset.rules.plan_rule = PlanRule::kNetChange;  // what leaves and comes back elsewhere moves
  preset.rules.needs.queues = {.weight = true, .guaranteed = true, .limit = true};
  return preset;
}

std::vector<PolicyDecl> KoordinatorPolicies() { return {ElasticQuotaPolicy(), LoadAwarePolicy()}; }

}  // namespace muster
