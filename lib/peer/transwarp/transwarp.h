// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queue trees as Transwarp's scheduler has them. Derived from the profile muster: its actions are those of
// lib/peer/muster.
//
//   std::vector<Preset> presets = {TranswarpPreset()};
#ifndef MUSTER_PEER_TRANSWARP_TRANSWARP_H_
#define MUSTER_PEER_TRANSWARP_TRANSWARP_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset TranswarpPreset();
std::vector<PolicyDecl> TranswarpPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_TRANSWARP_TRANSWARP_H_
