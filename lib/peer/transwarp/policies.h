// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The policies of the profile transwarp. The top of each policy's file has its promise.
//
//   const PolicyDecl decl = HdrfPolicy();
#ifndef MUSTER_PEER_TRANSWARP_POLICIES_H_
#define MUSTER_PEER_TRANSWARP_POLICIES_H_

#include "muster/policy.h"

namespace muster {

PolicyDecl BindingsPolicy();
PolicyDecl BorrowingPolicy();
PolicyDecl HdrfPolicy();
PolicyDecl LeafOrderPolicy();

}  // namespace muster

#endif  // MUSTER_PEER_TRANSWARP_POLICIES_H_
