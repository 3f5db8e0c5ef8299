// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ray's placement groups, and its hybrid policy for single tasks.
//
//   std::vector<Preset> presets = {RayPreset()};
#ifndef MUSTER_PEER_RAY_RAY_H_
#define MUSTER_PEER_RAY_RAY_H_

#include "lib/session/preset.h"

namespace muster {

Preset RayPreset();
ActionDecl RayAllocateAction();

}  // namespace muster

#endif  // MUSTER_PEER_RAY_RAY_H_
