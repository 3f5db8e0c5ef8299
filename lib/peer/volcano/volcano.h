// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano 1.16: gangs of tasks in queues that share by weight.
//
//   std::vector<Preset> presets = {VolcanoPreset()};
#ifndef MUSTER_PEER_VOLCANO_VOLCANO_H_
#define MUSTER_PEER_VOLCANO_VOLCANO_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset VolcanoPreset();
std::vector<PolicyDecl> VolcanoPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_VOLCANO_H_
