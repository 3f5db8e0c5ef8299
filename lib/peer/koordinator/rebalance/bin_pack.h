// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// In which order tasks should go when a workload shrinks, so that whole nodes become empty.
//
//   std::vector<PackedTask> order = ScaleDownOrder(nodes, {{"cpu", 1.0}});
//
// Idea. A node is easy to empty if its other tasks request little beside the tasks that may go:
// score = sum of weight * others / sum of weight * targets, as fractions of what the node has. Easy
// nodes come first, then those with fewer targets, then by name. On a node the large targets go
// first, then the new ones, then by namespace and name.
//
// Peer. Koordinator's ScaleDownBinPack. Where it surprises:
// - Targets that must not be evicted count as others.
// - Targets that request nothing score infinity where others request something, and zero where not.
// - Without weights CPU and memory weigh 1 each. Sums go by the order of the weights.
// The rank of a task becomes its deletion cost; a target that must stay gets the largest cost.
//
// Cost. O(tasks * (log + resources)).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_BIN_PACK_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_BIN_PACK_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/share/resource_names.h"

namespace muster::koordinator {

// Of a target that must stay.
inline constexpr int64_t kLargestCost = std::numeric_limits<int32_t>::max();

enum class PackRole : uint8_t { kTarget, kHeldTarget, kOther };

struct PackNode {
  struct Task {
    std::string name_space = {}, name = {};
    NamedAmounts requests = {};  // in thousandths
    int64_t created = 0;         // seconds
    PackRole role = PackRole::kTarget;
  };
  std::string name = {};
  NamedAmounts allocatable = {};
  std::vector<Task> tasks = {};  // that have not ended
};

struct PackedTask {
  size_t node, task;  // indices
  double score;       // of the node
};

using PackWeights = std::vector<std::pair<std::string, double>>;

std::vector<PackedTask> ScaleDownOrder(std::span<const PackNode> nodes, PackWeights weights);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_BIN_PACK_H_
