// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What changes Kueue's decisions beyond its objects: feature gates and the scheduler's options,
// with their defaults at the revision that is reproduced.
//
// kGateRules lists the gates by Kueue's names. Those that change decisions of profile kueue are
// options of action admit (admit_options.h); of the others the cluster's tables have no facts:
// places of jobs that grow, variants, preemptors of an earlier plan.
#ifndef MUSTER_PEER_KUEUE_GATES_H_
#define MUSTER_PEER_KUEUE_GATES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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
  bool replaces_nodes = true;          // TASFailedNodeReplacement
  bool awaits_pods = true;             // TASReplaceNodeOnPodTermination
  bool reads_taints = true;            // TASReplaceNodeOnNodeTaints
  bool several_layers = true;          // TASMultiLayerTopology
  bool mixed_profile = true;           // TASProfileMixed
  bool overlapping_flavors = true;     // TASHandleOverlappingFlavors
  bool balanced_placement = false;     // TASBalancedPlacement
  bool preferred_affinity = false;     // TASRespectNodeAffinityPreferred
  bool elastic_slices = true;          // ElasticJobsViaWorkloadSlices
  bool elastic_topology = false;       // ElasticJobsViaWorkloadSlicesWithTAS
  bool prioritize_preemptors = false;  // PrioritizePreemptorWorkloads
  bool concurrent_admission = false;
  bool priority_boost = false;
};

struct GateRule {
  std::string_view name;  // Kueue's
  bool Gates::*gate;
  std::string_view option;  // of action admit; empty: none
};

inline constexpr GateRule kGateRules[] = {
    {"PartialAdmission", &Gates::partial_admission, "partial_admission"},
    {"FlavorFungibility", &Gates::flavor_fungibility, "flavor_fungibility"},
    {"FlavorFungibilityPreserveScanProgress", &Gates::preserve_scan_progress,
     "flavor_fungibility_preserve_scan_progress"},
    {"PrioritySortingWithinCohort", &Gates::priority_sorting, "priority_sorting_within_cohort"},
    {"FairSharingPreemptWithinNominal", &Gates::preempt_within_nominal,
     "fair_sharing_preempt_within_nominal"},
    {"FairSharingPrioritizeNonBorrowing", &Gates::prioritize_non_borrowing,
     "fair_sharing_prioritize_non_borrowing"},
    {"RecomputeAssignmentUponPreemptionTargetsOverlap", &Gates::recompute_on_overlap,
     "recompute_assignment_upon_preemption_targets_overlap"},
    {"SchedulingEquivalenceHashing", &Gates::equivalence_hashing, "scheduling_equivalence_hashing"},
    {"ReclaimablePods", &Gates::reclaimable_pods, "reclaimable_pods"},
    {"TopologyAwareScheduling", &Gates::topology, "topology_aware_scheduling"},
    {"TASRecomputeAssignmentWithinSchedulingCycle", &Gates::topology_recompute,
     "tas_recompute_assignment_within_scheduling_cycle"},
    {"TASFailedNodeReplacement", &Gates::replaces_nodes, "tas_failed_node_replacement"},
    {"TASFailedNodeReplacementFailFast", &Gates::topology_fail_fast,
     "tas_failed_node_replacement_fail_fast"},
    {"TASReplaceNodeOnPodTermination", &Gates::awaits_pods, "tas_replace_node_on_pod_termination"},
    {"TASReplaceNodeOnNodeTaints", &Gates::reads_taints, "tas_replace_node_on_node_taints"},
    {"TASMultiLayerTopology", &Gates::several_layers, "tas_multi_layer_topology"},
    {"TASProfileMixed", &Gates::mixed_profile, "tas_profile_mixed"},
    {"TASHandleOverlappingFlavors", &Gates::overlapping_flavors, "tas_handle_overlapping_flavors"},
    {"TASBalancedPlacement", &Gates::balanced_placement, "tas_balanced_placement"},
    {"TASRespectNodeAffinityPreferred", &Gates::preferred_affinity,
     "tas_respect_node_affinity_preferred"},
    {"AdmissionFairSharing", &Gates::admission_fair_sharing, ""},
    {"ElasticJobsViaWorkloadSlices", &Gates::elastic_slices, ""},
    {"ElasticJobsViaWorkloadSlicesWithTAS", &Gates::elastic_topology, ""},
    {"PrioritizePreemptorWorkloads", &Gates::prioritize_preemptors, ""},
    {"ConcurrentAdmission", &Gates::concurrent_admission, ""},
    {"PriorityBoost", &Gates::priority_boost, ""},
};

// How a share must change for a workload of another queue to be evicted (fair sharing).
enum class ShareRule : uint8_t { kAtMostFinal, kBelowInitial };

struct Config {
  Gates gates = {};
  bool fair_sharing = false;
  std::vector<ShareRule> share_rules = {ShareRule::kAtMostFinal, ShareRule::kBelowInitial};
  bool ignores_undeclared = false;  // resources that no group of the queue covers are not counted
  bool plain_queues = false;        // queues without groups have quota (plain_queues.h)
  bool usage_order = false;         // admission fair sharing is configured
  double usage_half_life = 0;       // seconds; 0: past usage neither grows nor decays
  double usage_interval = 300;      // seconds after which usage is brought up to date
  std::map<std::string, double> usage_weights = {};  // by resource; others have 1
  bool explains = false;  // why no places were found is said in whole sentences
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_GATES_H_
