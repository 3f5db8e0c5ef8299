// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/ray/ray.h"

#include "lib/part/elastic.h"
#include "lib/peer/ray/autoscaler.h"

namespace muster {

Preset RayPreset() {
  Preset preset;
  preset.name = "ray";
  preset.summary = "Ray's placement groups, and its hybrid policy for single tasks";
  preset.actions = "allocate";
  preset.tiers = "predicates";
  preset.defaults = {{"predicates", "node_ready", "on"}};
  preset.catalogue = {RayAllocateAction(), ShrinkAction(), GrowAction(), ResizeAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  preset.rules.wanted_nodes = RayWantedNodes;
  return preset;
}

}  // namespace muster
