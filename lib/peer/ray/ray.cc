// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/ray/ray.h"

namespace muster {

Preset RayPreset() {
  Preset preset;
  preset.name = "ray";
  preset.summary = "Ray's placement groups, and its hybrid policy for single tasks";
  preset.actions = "allocate";
  preset.tiers = "predicates";
  preset.defaults = {{"predicates", "node_ready", "on"}};
  preset.catalogue = {RayAllocateAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

}  // namespace muster
