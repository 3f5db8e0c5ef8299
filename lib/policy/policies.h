// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The policies that no single peer owns. What each promises stands at the top of its file.
//
//   const PolicyDecl decl = BinpackPolicy();
//   const absl::StatusOr<Options> options =
//       Options::Check("policy binpack", decl.options, {{"weight", "5"}});
//   std::unique_ptr<Policy> policy = decl.make(*options);
#ifndef MUSTER_POLICY_POLICIES_H_
#define MUSTER_POLICY_POLICIES_H_

#include "muster/policy.h"

namespace muster {

PolicyDecl BinpackPolicy();
PolicyDecl ConformancePolicy();
PolicyDecl DevicesPolicy();
PolicyDecl DrfPolicy();
PolicyDecl DuePolicy();
PolicyDecl FragmentationPolicy();
PolicyDecl GangPolicy();
PolicyDecl JobOrderPolicy();
PolicyDecl PriorityPolicy();
PolicyDecl ProportionPolicy();
PolicyDecl SamplingPolicy();
PolicyDecl SpendingPolicy();
PolicyDecl ZonesPolicy();

}  // namespace muster

#endif  // MUSTER_POLICY_POLICIES_H_
