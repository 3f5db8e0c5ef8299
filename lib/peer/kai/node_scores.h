// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How KAI Scheduler's plugins score nodes and devices.
//
//   KaiPackRange range;
//   for (node : candidates) range.Add(nonallocated, allocatable);
//   score += KaiPackScore(range, nonallocated, allocatable);
//
// Idea. Each plugin has a band, far enough above the one below that sums compare like tuples:
// placement up to 9, resource type 10, NUMA 100, availability 1,000, shared devices 10,000,
// topology 100,000 times 0 .. 10, Kubernetes' own 1,000,000, nominated node 10,000,000.
//
// Peer. Packing scales between the least and the most that candidates have left of the resource; a
// node that has none of it scores 0, and so do all if none has anything left. Spreading divides by
// the number of GPUs that the node's label states, or has allocatable; it is not scaled.
//
// Cost. O(1) each.
#ifndef MUSTER_PEER_KAI_NODE_SCORES_H_
#define MUSTER_PEER_KAI_NODE_SCORES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace muster {

inline constexpr double kKaiPlacementScore = 9;
inline constexpr double kKaiResourceTypeScore = 10;
inline constexpr double kKaiNumaScore = 100;
inline constexpr double kKaiAvailabilityScore = 1000;
inline constexpr double kKaiSharingScore = 10000;
inline constexpr double kKaiTopologyScore = 100000;
inline constexpr double kKaiKubernetesScore = 1000000;
inline constexpr double kKaiNominatedScore = 10000000;

// What candidates have left of the task's main resource: GPUs, or cpu for a task without any.
struct KaiPackRange {
  double least = std::numeric_limits<double>::max();
  double most = 0;
  void Add(double left, double allocatable) {
    if (allocatable == 0) return;
    if (left < least) least = left;
    if (left > most) most = left;
  }
};
// Without a range (no candidates were looked at) both ends are 0.
double KaiPackScore(const KaiPackRange& range, double left, double allocatable);
double KaiSpreadScore(double left, double count);
// The number of GPUs that a label states, else that are allocatable, without fractions.
double KaiGpuCount(std::optional<std::string_view> label, double allocatable);

// Devices: the fuller one (pack) or the emptier one (spread) first. A whole device that is free
// scores 0 and 1. Nothing if the node's device memory is not valid.
std::optional<double> KaiDevicePackScore(int64_t used, int64_t device_memory);
std::optional<double> KaiDeviceSpreadScore(int64_t used, int64_t device_memory);

// Returns whether a node gives out MIG instances: by its label, if it has one, else by resources.
bool IsKaiMigNode(std::optional<std::string_view> label, bool has_mig_resources);
bool IsKaiCpuOnlyNode(bool is_mig, double allocatable_gpus, bool has_claimed_gpus);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_NODE_SCORES_H_
