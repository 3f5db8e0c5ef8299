// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The filters and scores of Kubernetes as policies. What each promises stands at the top of its
// file.
//
//   const PolicyDecl decl = NodeOrderPolicy();
#ifndef MUSTER_KUBE_POLICIES_H_
#define MUSTER_KUBE_POLICIES_H_

#include "muster/policy.h"

namespace muster {

PolicyDecl NodeOrderPolicy();
PolicyDecl PdbPolicy();
PolicyDecl PredicatesPolicy();

}  // namespace muster

#endif  // MUSTER_KUBE_POLICIES_H_
