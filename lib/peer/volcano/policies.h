// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's own policies. The top of each file in policy/ has its promise.
//
//   const PolicyDecl decl = CapacityPolicy();
#ifndef MUSTER_PEER_VOLCANO_POLICIES_H_
#define MUSTER_PEER_VOLCANO_POLICIES_H_

#include "muster/policy.h"

namespace muster {

PolicyDecl CapacityPolicy();
PolicyDecl CooldownPolicy();
PolicyDecl NetworkTopologyPolicy();
PolicyDecl NodeGroupPolicy();
PolicyDecl NumaAwarePolicy();
PolicyDecl OvercommitPolicy();
PolicyDecl ReschedulingPolicy();
PolicyDecl ResourceQuotaPolicy();
PolicyDecl ResourceStrategyFitPolicy();
PolicyDecl ShardsPolicy();
PolicyDecl SlaPolicy();
PolicyDecl TaskTopologyPolicy();
PolicyDecl TimeDivisionPolicy();
PolicyDecl UsagePolicy();

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_POLICIES_H_
