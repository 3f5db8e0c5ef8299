// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a topology request means in one tree: levels by number, slices with sizes.
//
//   LevelPlan plan;
//   std::string failure = ReadLevels(tree, pod_set, gates, &plan);   // empty: the plan is set
//
// - The level is the required one, else the preferred one; for a request of slices alone the
//   widest; else, unconstrained or implied, the lowest.
// - The first slice has size and level; without slices a slice is one pod in a leaf. Each further
//   slice is of a lower level and divides the one before; its size holds for the levels between,
//   too.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_LEVELS_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_LEVELS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/kueue/topology.h"

namespace muster::kueue {

struct LevelPlan {
  int32_t count = 0, leaders = 0;
  int32_t slice_size = 1;
  uint32_t level = 0, slice_level = 0;
  bool required = false, unconstrained = false;
  bool least_first = false;         // least room first, instead of the best fit
  std::vector<int32_t> sizes = {};  // by level, of slices in slices; empty: none
  int32_t slices() const { return count / slice_size; }
};

std::string ReadLevels(const TopologyTree& tree, const TopologyPodSet& pod_set,
                       const TopologyGates& gates, LevelPlan* plan);

// The label key of the level that the pod set is placed in; absent: it requests none.
std::optional<std::string> LevelKeyOf(const TopologyTree& tree, const TopologyPodSet& pod_set);
// The size of the first slice; 1 without slices. Absent: slices without a size.
std::optional<int32_t> SliceSizeOf(const TopologyRequest* request);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_LEVELS_H_
