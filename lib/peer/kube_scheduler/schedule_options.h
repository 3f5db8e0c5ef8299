// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The options of action schedule as a table, for schedulers that add options of their own.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_SCHEDULE_OPTIONS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_SCHEDULE_OPTIONS_H_

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "muster/policy.h"

namespace muster::kube {

inline constexpr OptionDecl kScheduleOptions[] = {
    {"fit_weight", OptionKind::kNumber, "1", 0, 1e6, "weight of NodeResourcesFit's score"},
    {"balanced_weight", OptionKind::kNumber, "1", 0, 1e6, "weight of evenly used resources"},
    {"node_affinity_weight", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred node affinity"},
    {"taint_weight", OptionKind::kNumber, "3", 0, 1e6, "weight of PreferNoSchedule taints"},
    {"pod_affinity_weight", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred pod affinity"},
    {"spread_weight", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred topology spread"},
    {"image_weight", OptionKind::kNumber, "1", 0, 1e6, "weight of images that are there"},
    {"strategy", OptionKind::kChoice, "least", 0, 0,
     "least|most|ratio: nodes that NodeResourcesFit prefers: least used, most used, by shape"},
    {"resources", OptionKind::kText, "cpu:1+memory:1", 0, 0,
     "what NodeResourcesFit scores: NAME:WEIGHT+..., weights 1 to 100"},
    {"shape", OptionKind::kText, "", 0, 0,
     "of strategy ratio: PERCENT:SCORE+..., percents 0 to 100 ascending, scores 0 to 10"},
    {"balanced", OptionKind::kText, "cpu+memory", 0, 0, "resources to be used evenly: NAME+..."},
    {"off", OptionKind::kText, "", 0, 0,
     "plug-ins that refuse no node, DefaultPreemption, which then evicts nothing, or "
     "GangScheduling, without which groups need no minimum: NAME+..."},
    {"kubernetes", OptionKind::kChoice, "1.37", 0, 0,
     "1.35|1.36|1.37: the version whose scores these are; until 1.35 nodes are the better the more "
     "even they are, then the more even they become"},
    {"ignored", OptionKind::kText, "", 0, 0, "resources that every node has enough of: NAME+..."},
    {"ignored_groups", OptionKind::kText, "", 0, 0,
     "the same for all names with the prefix and a slash: PREFIX+..."},
    {"required_weight", OptionKind::kWhole, "1", 0, 100,
     "of required affinity of other pods in the affinity score"},
    {"ignore_preferred", OptionKind::kFlag, "off", 0, 0,
     "pods without preferred affinity are not scored by that of others"},
    {"percentage", OptionKind::kWhole, "0", 0, 100,
     "percent of nodes to find before scoring; 0: by the size of the cluster"},
    {"candidate_percentage", OptionKind::kWhole, "10", 0, 100,
     "percent of nodes that preemption tries"},
    {"candidate_least", OptionKind::kWhole, "100", 0, 1e9, "and the least number of them"},
    {"offset", OptionKind::kWhole, "0", 0, 1e9, "the node, by name, that preemption tries first"},
    {"ticks", OptionKind::kWhole, "1", 1, 1e9,
     "units of the caller's clock (now, started) in a second"},
    {"backoff", OptionKind::kWhole, "1", 0, 1e6, "seconds after the first failure"},
    {"longest_backoff", OptionKind::kWhole, "10", 0, 1e6, "seconds after many failures"},
    {"longest_wait", OptionKind::kWhole, "300", 0, 1e9,
     "seconds after which an unschedulable pod is tried again without an event"},
    {"cycles", OptionKind::kWhole, "1000000000", 0, 1e9,
     "pods or groups tried in one plan at most; 0: the queue alone follows the events"},
    {"groups", OptionKind::kFlag, "on", 0, 0, "jobs are pod groups, which are placed together"},
    {"batches", OptionKind::kFlag, "off", 0, 0,
     "a pod like the one before goes to the best node that is left of its list"},
    {"trace", OptionKind::kFlag, "off", 0, 0,
     "the last cycle is written to memory slot kube-trace"},
};

// Of schedulers that add plug-ins: pods go one by one, so groups and batches are not for them.
constexpr bool IsForExtraPlugins(std::string_view option) {
  return option != "groups" && option != "batches";
}

inline constexpr size_t kOptionsForExtraPlugins = [] {
  size_t kept = 0;
  for (const OptionDecl& option : kScheduleOptions) kept += IsForExtraPlugins(option.name);
  return kept;
}();

// Returns the options above, without those two, and behind them `more`. These schedulers are built
// on Kubernetes 1.35.
template <size_t kMore>
constexpr std::array<OptionDecl, kOptionsForExtraPlugins + kMore> ScheduleOptionsAnd(
    const OptionDecl (&more)[kMore]) {
  std::array<OptionDecl, kOptionsForExtraPlugins + kMore> all = {};
  size_t i = 0;
  for (const OptionDecl& option : kScheduleOptions) {
    if (!IsForExtraPlugins(option.name)) continue;
    all[i] = option;
    if (option.name == "kubernetes") all[i].default_value = "1.35";
    ++i;
  }
  for (const OptionDecl& option : more) all[i++] = option;
  return all;
}

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_SCHEDULE_OPTIONS_H_
