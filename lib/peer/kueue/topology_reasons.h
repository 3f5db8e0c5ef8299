// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why no places were found, in the peer's words.
//
//   topology "default" allows to fit only 3 out of 4 pod(s). Total nodes: 5; excluded: ...
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_REASONS_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_REASONS_H_

#include <cstdint>
#include <string>

#include "lib/peer/kueue/topology_counts.h"
#include "lib/peer/kueue/topology_levels.h"

namespace muster::kueue {

// What a shortage is described from.
struct Shortage {
  const TopologyTree* tree = nullptr;
  const LeafFilter* filter = nullptr;
  const TopologyCounts* counts = nullptr;
  const TopologyCounts::Board* board = nullptr;
  const TopologyAssumed* assumed = nullptr;
  uint32_t first = 0, last = 0;  // leaves that may be used
  uint32_t level = 0;            // where the search ended
  int32_t fits = 0;              // what there is room for there
};

std::string TextOf(const Shortage& shortage, const LevelPlan& plan, const TopologyRequest* request);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_REASONS_H_
