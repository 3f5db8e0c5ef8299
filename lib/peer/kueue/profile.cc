// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/profile.h"

#include "lib/peer/kueue/provisioning.h"
#include "lib/peer/volcano/actions.h"

namespace muster {

Preset KueuePreset() {
  Preset preset;
  preset.name = "kueue";
  preset.summary =
      "Kueue: quota, borrowing, preemption, fair sharing, places in topologies; no nodes";
  preset.actions = "admit";
  preset.tiers = "priority+gang/predicates+nodeorder";
  preset.catalogue = {KueueAdmitAction(), AllocateAction(), KueueScheduleAction()};
  preset.rules.reads_counts = true;
  preset.rules.wanted_nodes = KueueWantedNodes;
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

}  // namespace muster
