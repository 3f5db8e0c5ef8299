// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which settings of nodes and jobs each part of the profile reads. A part passes over those of the
// others, so that only what no part knows is refused.
//
//   SettingReader settings("job", job.name, job.settings, "koordinator");
//   ...                                       // the part's own keys
//   PassOver(kWorkloadKeys, &settings);
//   return settings.Finish();
#ifndef MUSTER_PEER_KOORDINATOR_SETTING_KEYS_H_
#define MUSTER_PEER_KOORDINATOR_SETTING_KEYS_H_

#include <span>
#include <string_view>

#include "lib/model/settings.h"

namespace muster::koordinator {

// Of jobs: those of gangs (profile/gang_plugin.h), those of workloads (rebalance_world.h).
inline constexpr std::string_view kGangKeys[] = {"mode", "match-policy", "waiting-time", "groups"};
inline constexpr std::string_view kWorkloadKeys[] = {"owner",         "owner_kind",    "replicas",
                                                     "deletion_cost", "eviction_cost", "evict",
                                                     "local_data",    "claims"};

// Of nodes: options of action colocate that a node sets, and what it reports (colocate.cc).
inline constexpr std::string_view kNodeOptionKeys[] = {
    "suppress",        "suppress_least", "satisfaction_low", "satisfaction_high",  "busy",
    "limit",           "cpu_evict",      "cpu_evict_low",    "cpu_evict_priority", "memory_evict",
    "memory_evict_low"};
inline constexpr std::string_view kNodeReportKeys[] = {
    "reserved_cpu",    "reserved_memory",    "trimmed",
    "reclaimable_cpu", "reclaimable_memory", "cpu_ratio"};

// Of nodes: labels of their devices (profile/device_selectors.h).
inline constexpr std::string_view kNodeDeviceLabels = "device_labels";

// Of nodes: how they assign CPUs, and what they show beyond what they have (profile/numa_sites.h).
inline constexpr std::string_view kNodeZoneKeys[] = {"full_cores", "amplified_cpu",
                                                     "amplified_memory"};
inline constexpr double kMostAmplified = 100;

// Of nodes, of cpu and of memory: how much load they take, and what they have before amplification
// (load_books.h).
inline constexpr std::string_view kNodeThresholdKeys[2] = {"cpu_threshold", "memory_threshold"};
inline constexpr std::string_view kNodeProductionKeys[2] = {"production_cpu_threshold",
                                                            "production_memory_threshold"};
inline constexpr std::string_view kNodeStatisticKeys[2] = {"statistic_cpu_threshold",
                                                           "statistic_memory_threshold"};
inline constexpr std::string_view kNodeLoadStatistic = "load_statistic",
                                  kNodeLoadWindow = "load_window";
inline constexpr std::string_view kNodeRawKeys[] = {"raw_cpu", "raw_memory"};

inline constexpr std::string_view kNodeLoadKeys[] = {
    kNodeThresholdKeys[0], kNodeThresholdKeys[1], kNodeProductionKeys[0], kNodeProductionKeys[1],
    kNodeStatisticKeys[0], kNodeStatisticKeys[1], kNodeLoadStatistic,     kNodeLoadWindow,
    kNodeRawKeys[0],       kNodeRawKeys[1]};

inline void PassOver(std::span<const std::string_view> keys, SettingReader* settings) {
  for (const std::string_view key : keys) settings->Text(key);
}

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_SETTING_KEYS_H_
