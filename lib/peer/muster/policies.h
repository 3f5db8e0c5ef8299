// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The policies of the profile muster alone.
//
//   const PolicyDecl decl = FairSharePolicy();
#ifndef MUSTER_PEER_MUSTER_POLICIES_H_
#define MUSTER_PEER_MUSTER_POLICIES_H_

#include "muster/policy.h"

namespace muster {

PolicyDecl FairSharePolicy();

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_POLICIES_H_
