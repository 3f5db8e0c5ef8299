// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What changes Kueue's decisions beyond its objects: feature gates and the scheduler's options,
// with their defaults at the revision that is reproduced.
#ifndef MUSTER_PEER_KUEUE_GATES_H_
#define MUSTER_PEER_KUEUE_GATES_H_

#include <cstdint>
#include <vector>

namespace muster::kueue {

struct Gates {
  bool partial_admission = true;
  bool flavor_fungibility = true;
  bool preserve_scan_progress = true;    // FlavorFungibilityPreserveScanProgress
  bool priority_sorting = true;          // PrioritySortingWithinCohort
  bool preempt_within_nominal = true;    // FairSharingPreemptWithinNominal
  bool prioritize_non_borrowing = true;  // FairSharingPrioritizeNonBorrowing
  bool recompute_on_overlap = true;      // RecomputeAssignmentUponPreemptionTargetsOverlap
  bool equivalence_hashing = true;       // SchedulingEquivalenceHashing
  bool reclaimable_pods = true;
  bool admission_fair_sharing = true;
  bool topology = true;                // TopologyAwareScheduling
  bool topology_recompute = true;      // TASRecomputeAssignmentWithinSchedulingCycle
  bool topology_fail_fast = true;      // TASFailedNodeReplacementFailFast
  bool mixed_profile = true;           // TASProfileMixed
  bool elastic_slices = true;          // ElasticJobsViaWorkloadSlices
  bool elastic_topology = false;       // ElasticJobsViaWorkloadSlicesWithTAS
  bool prioritize_preemptors = false;  // PrioritizePreemptorWorkloads
  bool concurrent_admission = false;
  bool priority_boost = false;
};

// How a share must change for a workload of another queue to be evicted (fair sharing).
enum class ShareRule : uint8_t { kAtMostFinal, kBelowInitial };

struct Config {
  Gates gates = {};
  bool fair_sharing = false;
  std::vector<ShareRule> share_rules = {ShareRule::kAtMostFinal, ShareRule::kBelowInitial};
  bool ignores_undeclared = false;  // resources that no group of the queue covers are not counted
  bool usage_order = false;         // admission fair sharing is configured
  bool explains = false;            // why no places were found is said in whole sentences
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_GATES_H_
