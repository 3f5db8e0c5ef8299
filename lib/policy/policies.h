// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The policies, one declaration each; what they promise stands at the top of their files.
//
//   const PolicyDecl decl = BinpackPolicy();
//   std::unique_ptr<Policy> policy = decl.make(*Options::Check("policy binpack", decl.options, {{"weight", "5"}}));
#ifndef MUSTER_POLICY_POLICIES_H_
#define MUSTER_POLICY_POLICIES_H_

#include "lib/extension/options.h"

namespace muster {

PolicyDecl BindingsPolicy();
PolicyDecl BinpackPolicy();
PolicyDecl BorrowingPolicy();
PolicyDecl CapacityPolicy();
PolicyDecl CooldownPolicy();
PolicyDecl ConformancePolicy();
PolicyDecl DevicesPolicy();
PolicyDecl DrfPolicy();
PolicyDecl ElasticQuotaPolicy();
PolicyDecl FairSharePolicy();
PolicyDecl GangPolicy();
PolicyDecl HdrfPolicy();
PolicyDecl LeafOrderPolicy();
PolicyDecl NetworkTopologyPolicy();
PolicyDecl NodeGroupPolicy();
PolicyDecl NodeOrderPolicy();
PolicyDecl NumaAwarePolicy();
PolicyDecl OvercommitPolicy();
PolicyDecl PdbPolicy();
PolicyDecl PredicatesPolicy();
PolicyDecl PriorityPolicy();
PolicyDecl ProportionPolicy();
PolicyDecl ReschedulingPolicy();
PolicyDecl ResourceQuotaPolicy();
PolicyDecl ResourceStrategyFitPolicy();
PolicyDecl SamplingPolicy();
PolicyDecl ShardsPolicy();
PolicyDecl SlaPolicy();
PolicyDecl TaskTopologyPolicy();
PolicyDecl TimeDivisionPolicy();
PolicyDecl LoadAwarePolicy();
PolicyDecl UsagePolicy();
PolicyDecl ZonesPolicy();

}  // namespace muster

#endif  // MUSTER_POLICY_POLICIES_H_
