// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which plug-ins of the profile are on, and their arguments, read from the options of its action.
//
//   const PluginSettings settings = PluginSettings::From(options);
//   if (settings.coscheduling) ...
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_PLUGIN_SETTINGS_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_PLUGIN_SETTINGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/koordinator/device/device_allocator.h"
#include "lib/peer/koordinator/gangs/gang_rules.h"
#include "lib/peer/koordinator/load_books.h"
#include "lib/peer/koordinator/numa/numa_rules.h"
#include "lib/peer/koordinator/profile/stand_ins.h"
#include "lib/peer/kube_scheduler/settings.h"
#include "muster/policy.h"

namespace muster::koordinator {

// Plug-ins, numbered behind those of the scheduler.
enum class ExtraPlugin : uint8_t {
  kCoscheduling,
  kElasticQuota,
  kLoadAware,
  kReservation,
  kFitPlus,
  kScarce,
  kDeviceShare,
  kNumaResource,
};
std::string_view ExtraPluginName(ExtraPlugin plugin);
constexpr kube::Plugin NumberOf(ExtraPlugin plugin) {
  return static_cast<kube::Plugin>(static_cast<int>(kube::Plugin::kExtra) +
                                   static_cast<int>(plugin));
}

struct QuotaSettings {
  bool by_runtime = true;      // off: groups are held to their maximums alone
  bool scale_min = true;       // minimums shrink together where there is less than all of them
  bool asks_parents = false;   // the groups above are held to theirs as well
  bool spares_default = true;  // tasks of no queue are never victims of preemption
  bool revokes = false;        // groups above their runtime for long lose tasks
  int64_t revoke_delay = 120;  // how long, in ticks
};

// A kind of resource that is better full, or better empty.
struct KindStrategy {
  std::string kind = {};
  int64_t weight = 1;
  bool prefers_full = false;
};

struct KindSettings {
  std::vector<KindStrategy> strategies = {};  // empty: no score by them
  std::vector<std::string> scarce = {};       // the same
  int64_t strategy_weight = 1, scarce_weight = 1;
};

struct DeviceSettings {
  DeviceScorer scorer;
  int64_t weight = 1;
  bool in_zones = true;  // devices come from the zones of CPUs and amounts
};

struct NumaSettings {
  BindPolicy bind = BindPolicy::kFullCores;  // of tasks that have CPUs of their own and name none
  bool zone_prefers_full = false;            // zones with little left are taken first
  NumaScorer scorer, zone_scorer;            // of nodes, of sets of zones
  int64_t weight = 1;
};

struct PluginSettings {
  static PluginSettings From(const Options& options);
  // Returns why the options mean nothing; empty: they do.
  static std::string Check(const Options& options);

  int64_t ticks = 1;  // of the caller's clock in a second
  bool coscheduling = true, quota = true, load = true, reservation = true, devices = true;
  bool numa = true;
  bool load_filters = true;  // off: loads only score
  GangDefaults gangs;
  bool gangs_preempt = false;  // all pending pods of a group make room together
  QuotaSettings quotas;
  LoadSettings loads;
  int64_t load_weight = 1, reservation_weight = 5000;
  TakeOver::Settings take_over;
  KindSettings kinds;
  DeviceSettings device;
  NumaSettings zones;
};

// The options of action schedule: the scheduler's but for pod groups and batches, and those above.
std::span<const OptionDecl> PluginOptionDecls();

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_PLUGIN_SETTINGS_H_
