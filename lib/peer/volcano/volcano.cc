// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/volcano.h"

#include "lib/part/elastic.h"
#include "lib/peer/volcano/actions.h"
#include "lib/peer/volcano/policies.h"

namespace muster {

Preset VolcanoPreset() {
  Preset preset;
  preset.name = "volcano";
  preset.summary = "Volcano 1.16 as its Helm chart configures it, all nodes searched";
  preset.actions = "admit+allocate+backfill";
  preset.tiers =
      "priority+gang(without=preemptable)+conformance/"
      "overcommit+drf(without=preemptable)+predicates+proportion+nodeorder+binpack";
  preset.catalogue = {AdmitAction(),   AllocateAction(),    BackfillAction(),    PreemptAction(),
                      ReclaimAction(), GangPreemptAction(), GangReclaimAction(), ShuffleAction(),
                      ShrinkAction(),  GrowAction(),        ResizeAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kRestarting};
  preset.rules.accounting.undone_eviction_lingers = true;
  preset.rules.phase_rule = PhaseRule::kScheduledOrNone;
  return preset;
}

std::vector<PolicyDecl> VolcanoPolicies() {
  return {CapacityPolicy(),     CooldownPolicy(),      NetworkTopologyPolicy(),
          NodeGroupPolicy(),    NumaAwarePolicy(),     OvercommitPolicy(),
          ReschedulingPolicy(), ResourceQuotaPolicy(), ResourceStrategyFitPolicy(),
          ShardsPolicy(),       SlaPolicy(),           TaskTopologyPolicy(),
          TimeDivisionPolicy(), UsagePolicy()};
}

}  // namespace muster
