// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's policies. The top of each policy's file has its promise.
//
//   const PolicyDecl decl = ElasticQuotaPolicy();
#ifndef MUSTER_PEER_KOORDINATOR_POLICIES_H_
#define MUSTER_PEER_KOORDINATOR_POLICIES_H_

#include "muster/policy.h"

namespace muster {

PolicyDecl ElasticQuotaPolicy();
PolicyDecl LoadAwarePolicy();

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_POLICIES_H_
