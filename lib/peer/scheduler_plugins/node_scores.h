// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Small scores of nodes: what they could hold, how many pods leave them, what their marks say.
//
//   AllocatableScore(weights, amounts, /*least=*/true);   // smaller nodes are better
//   MinMaxScores(raw);                                    // 0..100 over all nodes
//   MarkScores(marks);                                    // 1..100; 0 where there is no mark
//
// Allocatable: the weighted mean of what a node could hold, in each resource's own units, negated
// where the least is best. The default weights make a thousandth of a core count like a mebibyte.
// Requests and use do not matter.
// Pod state: pods that are leaving, less pods that are nominated.
// Marks: a label or annotation that holds a number or a time; nodes without one have 0, and equal
// marks 1.
//
// Ties are equal scores. Divisions of integers go towards zero. Cost: O(resources), or O(nodes).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_NODE_SCORES_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_NODE_SCORES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace muster::scheduler_plugins {

struct WeightedAmount {
  int64_t weight = 1, amount = 0;
};
// REQUIRES: weights are above 0.
int64_t AllocatableScore(std::span<const WeightedAmount> amounts, bool least);

// From 0 to 100 between the least and the largest score; all 0 where those are equal.
std::vector<int64_t> MinMaxScores(std::span<const int64_t> scores);

// From 1 to 100 between the least and the largest mark; 0 without one.
std::vector<int64_t> MarkScores(std::span<const std::optional<int64_t>> marks);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_NODE_SCORES_H_
