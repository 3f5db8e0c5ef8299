// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/profile.h"

#include "lib/part/elastic.h"

namespace muster {

Preset YarnCapacityPreset() {
  Preset preset;
  preset.name = "yarn-capacity";
  preset.summary = "YARN's capacity scheduler: nodes report, queues by use of their guarantee";
  preset.actions = "heartbeat";
  preset.tiers = "";
  preset.catalogue = {CapacityHeartbeatAction(), CapacityPreemptAction(), ResizeAction()};
  preset.rules.needs.queues = {.weight = true};
  return preset;
}

Preset YarnFairPreset() {
  Preset preset;
  preset.name = "yarn-fair";
  preset.summary = "YARN's fair scheduler: nodes report, queues and applications by their share";
  preset.actions = "heartbeat";
  preset.tiers = "";
  preset.catalogue = {FairHeartbeatAction(), YarnFairPreemptAction(), ResizeAction()};
  preset.rules.needs.queues = {.weight = true};
  return preset;
}

}  // namespace muster
