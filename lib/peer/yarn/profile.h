// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yarn-capacity: nodes report, and the capacity scheduler gives them to applications.
//
//   std::vector<Preset> presets = {YarnCapacityPreset()};   // "yarn-capacity" in spec strings
//
// yarn.h has how the peer decides, capacity_settings.h the options and settings, capacity_world.h
// what each row of a cluster is to it.
#ifndef MUSTER_PEER_YARN_PROFILE_H_
#define MUSTER_PEER_YARN_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset YarnCapacityPreset();
ActionDecl CapacityHeartbeatAction();

}  // namespace muster

#endif  // MUSTER_PEER_YARN_PROFILE_H_
