// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ways up in a forest of cohorts that may have cycles, as edits of single cohorts can make them.
//
//   std::vector<uint32_t> parents{1, kNothing, 2};   // node 2 is its own parent
//   WayUp(parents, 0);                               // {1}
//   WayUp(parents, 2);                               // absent: it never ends
//
// A ClusterQueue on a way without an end admits nothing, and its cohorts have no quota to share.
#ifndef MUSTER_PEER_KUEUE_COHORT_PATH_H_
#define MUSTER_PEER_KUEUE_COHORT_PATH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/peer/kueue/quota_tree.h"

namespace muster::kueue {

// Returns the nodes above, the nearest first; absent if there is no last one. `parents`: by node;
// kNothing: none. REQUIRES: node < parents.size(), and so is each parent but kNothing.
std::optional<std::vector<uint32_t>> WayUp(const std::vector<uint32_t>& parents, uint32_t node);

// Returns, for each node, whether its way up has no end.
std::vector<bool> Endless(const std::vector<uint32_t>& parents);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_COHORT_PATH_H_
