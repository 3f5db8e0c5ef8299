// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator: elastic quotas of queues with gangs. Derived from Volcano's: its actions are those of
// lib/peer/volcano.
//
//   std::vector<Preset> presets = {KoordinatorPreset()};
#ifndef MUSTER_PEER_KOORDINATOR_KOORDINATOR_H_
#define MUSTER_PEER_KOORDINATOR_KOORDINATOR_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset KoordinatorPreset();
std::vector<PolicyDecl> KoordinatorPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_KOORDINATOR_H_
