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
// marks 1. A number counts without its fraction, a time by its age in whole seconds. Of both the
// lowest (or newest) may be best, and then they are negated.
//
// Settings that the peer refuses have the peer's reason here.
//
// Ties are equal scores. Divisions of integers go towards zero. Cost: O(resources), or O(nodes).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_NODE_SCORES_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_NODE_SCORES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace muster::scheduler_plugins {

struct WeightedAmount {
  int64_t weight = 1, amount = 0;
};
// REQUIRES: weights are above 0.
int64_t AllocatableScore(std::span<const WeightedAmount> amounts, bool least);

// Fails with InvalidArgument if a weight is below 1.
struct NamedWeight {
  std::string resource;
  int64_t weight = 1;
};
absl::Status CheckAllocatable(std::span<const NamedWeight> weights);

// From 0 to 100 between the least and the largest score; all 0 where those are equal.
std::vector<int64_t> MinMaxScores(std::span<const int64_t> scores);

struct MarkSettings {
  std::string key;
  std::string source;      // "Label" or "Annotation"
  std::string type;        // "Number" or "Timestamp"
  std::string preference;  // of numbers "Highest" or "Lowest", of times "Newest" or "Oldest"
};
// Fails with InvalidArgument for a missing key or any other word.
absl::Status CheckMarks(const MarkSettings& settings);
// Returns nothing if the text is no number, or one beyond 64 bits.
std::optional<int64_t> NumberMark(std::string_view text, bool lowest);
int64_t TimeMark(double at, double now, bool newest);

// From 1 to 100 between the least and the largest mark; 0 without one.
std::vector<int64_t> MarkScores(std::span<const std::optional<int64_t>> marks);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_NODE_SCORES_H_
