// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profiles yarn-capacity and yarn-fair: nodes report, and give containers to applications.
//
//   std::vector<Preset> presets = {YarnCapacityPreset(), YarnFairPreset()};
//
// yarn.h and fair/fair.h have how the peer decides, capacity_settings.h and fair_settings.h the
// options and settings, rows.h what each row of a cluster is to it.
#ifndef MUSTER_PEER_YARN_PROFILE_H_
#define MUSTER_PEER_YARN_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset YarnCapacityPreset();
Preset YarnFairPreset();
ActionDecl CapacityHeartbeatAction();
ActionDecl FairHeartbeatAction();
ActionDecl CapacityPreemptAction();
ActionDecl YarnFairPreemptAction();

}  // namespace muster

#endif  // MUSTER_PEER_YARN_PROFILE_H_
