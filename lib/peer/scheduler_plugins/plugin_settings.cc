// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/plugin_settings.h"

#include <algorithm>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/peer/kube_scheduler/schedule_options.h"

namespace muster::scheduler_plugins {
namespace {

constexpr OptionDecl kPluginOptions[] = {
    {"order", OptionKind::kChoice, "groups", 0, 0,
     "groups|service|time: pods of one priority go by the age of their group (Coscheduling), by "
     "class of service (QOSSort), or by their last failure or arrival"},
    {"coscheduling", OptionKind::kFlag, "on", 0, 0,
     "jobs are groups of pods, which wait with their nodes for one another"},
    {"permit_timeout", OptionKind::kNumber, "60", 0, 1e9,
     "seconds that a pod waits for its group at most"},
    {"group_backoff", OptionKind::kNumber, "0", 0, 1e9,
     "seconds after a failure in which a group is not tried"},
    {"reject_percent", OptionKind::kNumber, "10", 0, 100,
     "of a group that may be without nodes when a pod of it finds none"},
    {"capacity", OptionKind::kFlag, "on", 0, 0,
     "queues with a guarantee or limit are elastic quotas, with preemption of their own"},
    {"quotas_follow", OptionKind::kFlag, "on", 0, 0,
     "dry runs give back to quotas what their victims use; off: as recorded runs of the peer"},
    {"minimum.*", OptionKind::kNumber, "0", -2147483648.0, 2147483647.0,
     "priority from which on pods of the named priority class may always be preempted"},
    {"toleration.*", OptionKind::kNumber, "0", -1, 1e9,
     "seconds after their start in which pods of the class are spared from lower priorities; -1: "
     "for ever"},
    {"zones", OptionKind::kFlag, "on", 0, 0, "nodes align pods with their zones"},
    {"zone_weight", OptionKind::kWhole, "1", 0, 1e6, "weight of the score of zones"},
    {"zone_strategy", OptionKind::kChoice, "least", 0, 0,
     "least|most|balanced|fewest: what makes zones good"},
    {"zone_resources", OptionKind::kText, "cpu:1+memory:1", 0, 0,
     "what least and most weigh: NAME:WEIGHT+..."},
    {"most_zones", OptionKind::kWhole, "8", 2, 1024,
     "zones that a node could have: what one more costs (fewest)"},
    {"allocatable_weight", OptionKind::kWhole, "0", 0, 1e6,
     "weight of what nodes could hold (NodeResourcesAllocatable)"},
    {"allocatable", OptionKind::kChoice, "least", 0, 0, "least|most: which nodes are good"},
    {"allocatable_resources", OptionKind::kText, "cpu:1048576+memory:1", 0, 0,
     "what it weighs: NAME:WEIGHT+..., cpu in thousandths"},
    {"pod_state_weight", OptionKind::kWhole, "0", 0, 1e6,
     "weight of pods that leave a node, less those nominated to it (PodState)"},
    {"target_load_weight", OptionKind::kWhole, "0", 0, 1e6, "weight of TargetLoadPacking"},
    {"target_utilization", OptionKind::kNumber, "40", 0, 100, "percent of cpu to come near to"},
    {"default_request", OptionKind::kWhole, "1000", 0, 1e9,
     "thousandths of a core that a container without request is expected to use"},
    {"request_multiplier", OptionKind::kNumber, "1.5", 0, 1e6,
     "what a container without limit is expected to use of its request"},
    {"load_variation_weight", OptionKind::kWhole, "0", 0, 1e6,
     "weight of LoadVariationRiskBalancing"},
    {"variance_margin", OptionKind::kNumber, "1", 0, 1e6, "factor of the deviation"},
    {"variance_sensitivity", OptionKind::kNumber, "1", 0, 1e6, "root of the deviation"},
    {"low_risk_weight", OptionKind::kWhole, "0", 0, 1e6, "weight of LowRiskOverCommitment"},
    {"smoothing_window", OptionKind::kWhole, "5", 1, 1e6, "measurements that a deviation is of"},
    {"cpu_limit_weight", OptionKind::kNumber, "0.5", 0, 1, "part of limits in the risk of cpu"},
    {"memory_limit_weight", OptionKind::kNumber, "0.5", 0, 1, "the same of memory"},
    {"network_weight", OptionKind::kWhole, "0", 0, 1e6,
     "weight of the way to what a pod's workload depends on (NetworkOverhead); 0: no node is "
     "filtered by it, either"},
    {"dependencies", OptionKind::kText, "", 0, 0,
     "of workloads: APPLICATION:WORKLOAD:OTHER:COST+..., COST is tolerated at most"},
    {"zone_costs", OptionKind::kText, "", 0, 0, "between zones: FROM:TO:COST+..."},
    {"region_costs", OptionKind::kText, "", 0, 0, "between regions: FROM:TO:COST+..."},
    {"power_weight", OptionKind::kWhole, "0", 0, 1e6,
     "weight of the power that a pod adds, by the models of nodes (Peaks)"},
    {"mark_weight", OptionKind::kWhole, "0", 0, 1e6,
     "weight of the numbers that mark nodes (NodeMetadata)"},
    {"mark_label", OptionKind::kText, "", 0, 0,
     "label with the number; empty: setting `scheduler-plugins/mark` of the node"},
    {"mark", OptionKind::kChoice, "highest", 0, 0, "highest|lowest: which numbers are good"},
};

constexpr auto kAllOptions = kube::ScheduleOptionsAnd(kPluginOptions);

// Reads NAME:WEIGHT+...; a weight that is no number of 1 or more is 0.
std::vector<kube::WeightedResource> WeightsOf(const std::string& text) {
  std::vector<kube::WeightedResource> list;
  if (text.empty()) return list;
  for (const absl::string_view part : absl::StrSplit(text, '+')) {
    const std::string word(part);
    kube::WeightedResource& entry = list.emplace_back();
    const size_t colon = word.rfind(':');
    entry.name = word.substr(0, colon);
    if (colon == std::string::npos) continue;
    if (!absl::SimpleAtoi(word.substr(colon + 1), &entry.weight)) entry.weight = 0;
  }
  return list;
}

NodeSettings NodesFrom(const Options& options) {
  NodeSettings s;
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  s.ticks = whole("ticks");
  s.zones = options.flag("zones");
  s.zone_weight = whole("zone_weight");
  s.most_zones = whole("most_zones");
  const std::string strategy = options.text("zone_strategy");
  s.zone_strategy = strategy == "most"       ? ZoneStrategy::kMostAllocated
                    : strategy == "balanced" ? ZoneStrategy::kBalanced
                    : strategy == "fewest"   ? ZoneStrategy::kFewestZones
                                             : ZoneStrategy::kLeastAllocated;
  for (const kube::WeightedResource& entry : WeightsOf(options.text("zone_resources"))) {
    s.zone_resources.emplace_back(entry.name, entry.weight);
  }
  s.allocatable_weight = whole("allocatable_weight");
  s.allocatable_least = options.text("allocatable") == "least";
  s.allocatable_resources = WeightsOf(options.text("allocatable_resources"));
  s.pod_state_weight = whole("pod_state_weight");
  s.target_load_weight = whole("target_load_weight");
  s.target_utilization = options.number("target_utilization");
  s.default_request = whole("default_request");
  s.request_multiplier = options.number("request_multiplier");
  s.load_variation_weight = whole("load_variation_weight");
  s.variation = {options.number("variance_margin"), options.number("variance_sensitivity")};
  s.low_risk_weight = whole("low_risk_weight");
  s.low_risk = {options.number("cpu_limit_weight"), options.number("memory_limit_weight"),
                whole("smoothing_window")};
  s.power_weight = whole("power_weight");
  s.mark_weight = whole("mark_weight");
  s.mark_label = options.text("mark_label");
  s.lowest_mark = options.text("mark") == "lowest";
  s.network.weight = whole("network_weight");
  s.network.Read(options.text("dependencies"), options.text("zone_costs"),
                 options.text("region_costs"));
  return s;
}

}  // namespace

std::string_view ExtraPluginName(ExtraPlugin plugin) {
  constexpr std::string_view kNames[] = {"Coscheduling",
                                         "CapacityScheduling",
                                         "NodeResourceTopologyMatch",
                                         "NodeResourcesAllocatable",
                                         "PodState",
                                         "TargetLoadPacking",
                                         "LoadVariationRiskBalancing",
                                         "LowRiskOverCommitment",
                                         "NetworkOverhead",
                                         "Peaks",
                                         "NodeMetadata"};
  return kNames[static_cast<int>(plugin)];
}

std::span<const OptionDecl> PluginOptionDecls() { return kAllOptions; }

PluginSettings PluginSettings::From(const Options& options) {
  PluginSettings s;
  s.ticks = static_cast<int64_t>(options.number("ticks"));
  const double ticks = options.number("ticks");
  const std::string order = options.text("order");
  s.order = order == "groups"    ? QueueOrder::kGroups
            : order == "service" ? QueueOrder::kService
                                 : QueueOrder::kTime;
  s.coscheduling = options.flag("coscheduling");
  s.permit_timeout = options.number("permit_timeout") * ticks;
  s.group_backoff = options.number("group_backoff") * ticks;
  s.capacity = options.flag("capacity");
  s.quotas_follow = options.flag("quotas_follow");
  s.reject_part = options.number("reject_percent") / 100;
  for (const auto& [name, minimum] : options.family("minimum.")) {
    s.exemptions[name].minimum = static_cast<int32_t>(minimum);
  }
  for (const auto& [name, seconds] : options.family("toleration.")) {
    s.exemptions[name].seconds = static_cast<int64_t>(seconds);
  }
  s.nodes = NodesFrom(options);
  return s;
}

std::string PluginSettings::Check(const Options& options) {
  const PluginSettings settings = From(options);
  for (const auto& [name, weight] : settings.nodes.zone_resources) {
    if (name.empty() || weight < 1) return "zone_resources: a weight must be 1 or more";
  }
  for (const kube::WeightedResource& entry : settings.nodes.allocatable_resources) {
    if (entry.name.empty() || entry.weight < 1) {
      return absl::StrCat("allocatable_resources: resource weight of ", entry.name,
                          " should be a positive value, got :", entry.weight);
    }
  }
  NetworkSettings network;
  if (std::string wrong = network.Read(options.text("dependencies"), options.text("zone_costs"),
                                       options.text("region_costs"));
      !wrong.empty()) {
    return wrong;
  }
  if (settings.capacity && !settings.exemptions.empty()) {
    return "minimum, toleration: capacity=on has preemption of its own; one of them must go";
  }
  return {};
}

}  // namespace muster::scheduler_plugins
