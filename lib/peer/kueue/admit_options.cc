// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/admit_options.h"

#include <string>

namespace muster::kueue {
namespace {

constexpr OptionDecl kAdmitOptions[] = {
    {"cycles", OptionKind::kWhole, "1000000", 1, 1e9,
     "cycles in one plan at most; each tries the first job of each queue"},
    {"fair_sharing", OptionKind::kFlag, "off", 0, 0,
     "turns and victims go by dominant shares of queues"},
    {"preemption_strategies", OptionKind::kChoice, "both", 0, 0,
     "both|final|initial: with fair_sharing, which share of the victim's queue is compared: after "
     "the eviction (final), before it (initial), or first one and then the other (both)"},
    {"quota_check_strategy", OptionKind::kChoice, "block_undeclared", 0, 0,
     "block_undeclared|ignore_undeclared: what becomes of a resource that no quota of the queue is "
     "about: the job waits, or it does not count"},
    {"plain_queues", OptionKind::kFlag, "off", 0, 0,
     "queues without rules.groups have quota by what they are guaranteed, or by weight"},
    {"admission_fair_sharing", OptionKind::kFlag, "off", 0, 0,
     "jobs of queues with by_usage go by the usage of their LocalQueues"},
    {"usage_half_life", OptionKind::kNumber, "0", 0, 1e12,
     "seconds until past usage counts half; 0: past usage neither grows nor decays"},
    {"usage_sampling_interval", OptionKind::kNumber, "300", 1, 1e12,
     "seconds after which usage is brought up to date again"},
    {"usage_weight.*", OptionKind::kNumber, "1", 0, 1e12,
     "what one unit of RESOURCE adds to the usage"},
    {"partial_admission", OptionKind::kFlag, "on", 0, 0,
     "a job by count may get fewer tasks, down to its min_count"},
    {"flavor_fungibility", OptionKind::kFlag, "on", 0, 0,
     "a job may go on to the next flavor; off: the first that fits"},
    {"flavor_fungibility_preserve_scan_progress", OptionKind::kFlag, "on", 0, 0,
     "the scan goes on from where it was, whatever changed"},
    {"priority_sorting_within_cohort", OptionKind::kFlag, "on", 0, 0,
     "turns of a cycle go by priority before time"},
    {"fair_sharing_preempt_within_nominal", OptionKind::kFlag, "on", 0, 0,
     "a queue within its quota evicts whatever the shares are"},
    {"fair_sharing_prioritize_non_borrowing", OptionKind::kFlag, "on", 0, 0,
     "of two shares that of the side that borrows is behind"},
    {"recompute_assignment_upon_preemption_targets_overlap", OptionKind::kFlag, "on", 0, 0,
     "victims of an earlier turn: it is nominated once more"},
    {"scheduling_equivalence_hashing", OptionKind::kFlag, "on", 0, 0,
     "what is alike waits as soon as one of it has to"},
    {"reclaimable_pods", OptionKind::kFlag, "on", 0, 0,
     "tasks that succeeded give their quota back"},
    {"topology_aware_scheduling", OptionKind::kFlag, "on", 0, 0,
     "topologies of flavors count; off: none of tas_* has an effect"},
    {"tas_recompute_assignment_within_scheduling_cycle", OptionKind::kFlag, "on", 0, 0,
     "places of an earlier turn: it is nominated once more"},
    {"tas_failed_node_replacement", OptionKind::kFlag, "on", 0, 0,
     "tasks of a failed host get another place"},
    {"tas_failed_node_replacement_fail_fast", OptionKind::kFlag, "on", 0, 0,
     "without another place the job is evicted at once"},
    {"tas_replace_node_on_pod_termination", OptionKind::kFlag, "on", 0, 0,
     "a host fails once no task of the job runs there"},
    {"tas_replace_node_on_node_taints", OptionKind::kFlag, "on", 0, 0, "hosts fail by taints, too"},
    {"tas_multi_layer_topology", OptionKind::kFlag, "on", 0, 0,
     "slices within slices; off: their setting is refused"},
    {"tas_profile_mixed", OptionKind::kFlag, "on", 0, 0,
     "where any domain will do, those with the least room come first"},
    {"tas_handle_overlapping_flavors", OptionKind::kFlag, "on", 0, 0,
     "hosts of several flavors are counted together"},
    {"tas_balanced_placement", OptionKind::kFlag, "off", 0, 0,
     "preferred levels: equal shares for the domains"},
    {"tas_respect_node_affinity_preferred", OptionKind::kFlag, "off", 0, 0,
     "preferred node affinity orders domains"},
};

}  // namespace

std::span<const OptionDecl> AdmitOptionDecls() { return kAdmitOptions; }

Config ConfigOf(const Options& options) {
  Config config;
  config.fair_sharing = options.flag("fair_sharing");
  const std::string strategies = options.text("preemption_strategies");
  if (strategies == "final") config.share_rules = {ShareRule::kAtMostFinal};
  if (strategies == "initial") config.share_rules = {ShareRule::kBelowInitial};
  config.ignores_undeclared = options.text("quota_check_strategy") == "ignore_undeclared";
  config.plain_queues = options.flag("plain_queues");
  config.usage_order = options.flag("admission_fair_sharing");
  config.usage_half_life = options.number("usage_half_life");
  config.usage_interval = options.number("usage_sampling_interval");
  for (const auto& [resource, weight] : options.family("usage_weight.")) {
    config.usage_weights[resource] = weight;
  }
  for (const GateRule& rule : kGateRules) {
    if (!rule.option.empty()) config.gates.*rule.gate = options.flag(rule.option);
  }
  return config;
}

}  // namespace muster::kueue
