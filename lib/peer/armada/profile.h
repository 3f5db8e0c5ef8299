// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile armada: rounds of pools over the cluster's tables.
//
//   std::vector<Preset> presets = {ArmadaPreset()};   // "armada" in spec strings
//
// armada.h has how the peer decides, read_world.h what rows of the cluster are to it, config.h the
// options, and schedule.cc what a plan makes of a round.
#ifndef MUSTER_PEER_ARMADA_PROFILE_H_
#define MUSTER_PEER_ARMADA_PROFILE_H_

#include "lib/session/preset.h"

namespace muster {

Preset ArmadaPreset();
ActionDecl ArmadaRoundAction();

}  // namespace muster

#endif  // MUSTER_PEER_ARMADA_PROFILE_H_
