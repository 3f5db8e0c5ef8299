// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which plug-ins are on, and their arguments, read from the options of action schedule.
//
//   const PluginSettings settings = PluginSettings::From(options);
//   if (settings.coscheduling) ...
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_PLUGIN_SETTINGS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_PLUGIN_SETTINGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/fit/zoned_node.h"
#include "lib/peer/kube_scheduler/settings.h"
#include "lib/peer/scheduler_plugins/exemption.h"
#include "lib/peer/scheduler_plugins/load/metrics.h"
#include "lib/peer/scheduler_plugins/network_overhead.h"
#include "muster/policy.h"

namespace muster::scheduler_plugins {

enum class QueueOrder : uint8_t { kGroups, kService, kTime };

// Plug-ins, numbered behind those of the scheduler.
enum class ExtraPlugin : uint8_t {
  kCoscheduling,
  kCapacity,
  kZones,
  kAllocatable,
  kPodState,
  kTargetLoad,
  kLoadVariation,
  kLowRisk,
  kNetwork,
  kPower,
  kMarks,
};
std::string_view ExtraPluginName(ExtraPlugin plugin);
constexpr kube::Plugin NumberOf(ExtraPlugin plugin) {
  return static_cast<kube::Plugin>(static_cast<int>(kube::Plugin::kExtra) +
                                   static_cast<int>(plugin));
}

// Of plug-ins that filter and score nodes. A weight of 0 switches a score off.
struct NodeSettings {
  int64_t ticks = 1;  // of the caller's clock in a second
  bool zones = true;
  int64_t zone_weight = 1, most_zones = 8;
  ZoneStrategy zone_strategy = ZoneStrategy::kLeastAllocated;
  std::vector<std::pair<std::string, int64_t>> zone_resources;
  int64_t allocatable_weight = 0;
  bool allocatable_least = true;
  std::vector<kube::WeightedResource> allocatable_resources;
  int64_t pod_state_weight = 0;
  int64_t target_load_weight = 0, default_request = 1000;
  double target_utilization = 40, request_multiplier = 1.5;
  int64_t load_variation_weight = 0;
  VariationSettings variation;
  int64_t low_risk_weight = 0;
  LowRiskSettings low_risk;
  int64_t power_weight = 0, mark_weight = 0;
  std::string mark_label;  // empty: the mark is a setting of the node
  bool lowest_mark = false;
  NetworkSettings network;
};

struct PluginSettings {
  static PluginSettings From(const Options& options);
  // Returns why the options contradict each other; empty: they do not.
  static std::string Check(const Options& options);

  int64_t ticks = 1;  // of the caller's clock in a second
  QueueOrder order = QueueOrder::kGroups;
  bool coscheduling = true;
  double permit_timeout = 60, group_backoff = 0;  // in ticks
  double reject_part = 0.1;
  bool capacity = true, quotas_follow = true;
  // By priority class: what its pods tolerate. Any class makes preemption tolerant.
  HashMap<std::string, Exemption> exemptions;
  NodeSettings nodes;
};

// The options of action schedule: the scheduler's but for pod groups and batches, and those above.
std::span<const OptionDecl> PluginOptionDecls();

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_PLUGIN_SETTINGS_H_
