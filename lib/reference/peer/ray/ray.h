// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ray's allocate, slowly.
#ifndef MUSTER_REFERENCE_PEER_RAY_RAY_H_
#define MUSTER_REFERENCE_PEER_RAY_RAY_H_

#include "lib/reference/rules.h"

namespace muster::reference {

ActionTwins RayActions();

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_RAY_RAY_H_
