// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The default profile: fair shares over the queue tree, whole gangs, as few evictions as possible.
//
//   std::vector<Preset> presets = {MusterPreset()};
#ifndef MUSTER_PEER_MUSTER_MUSTER_H_
#define MUSTER_PEER_MUSTER_MUSTER_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset MusterPreset();
std::vector<PolicyDecl> MusterPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_MUSTER_H_
