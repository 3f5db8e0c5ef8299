// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores of a node by its amounts, 0 to 100 each, for a class of pods.
//
//   int64_t score = FitScoreOf(settings, state, NodeAmounts{world, n, world.books(n)});
//
// Amounts have allocatable(d), requested(d) and scored(d): what is held, and the same as scores
// count it. ClassBoard::ScoreOf needs pods(), too: the number of pods. They are those of a node, or
// of all nodes of a state (World::StateOf).
#ifndef MUSTER_PEER_KUBE_SCHEDULER_RESOURCE_SCORES_H_
#define MUSTER_PEER_KUBE_SCHEDULER_RESOURCE_SCORES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/peer/kube_scheduler/class_state.h"
#include "lib/peer/kube_scheduler/settings.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

struct NodeAmounts {
  const World& world;
  NodeIndex node;
  const NodeBooks& books;

  int64_t pods() const { return books.pods; }
  int64_t allocatable(DimensionIndex d) const { return world.allocatable(node, d); }
  int64_t requested(DimensionIndex d) const { return books.requested[d]; }
  int64_t scored(DimensionIndex d) const {
    if (d == kCpu) return books.scored_cpu;
    return d == kMemory ? books.scored_memory : requested(d);
  }
};

namespace scores {

// The value of a function that is linear between its points, and constant outside.
inline int64_t Interpolate(const std::vector<std::pair<int64_t, int64_t>>& points, int64_t at) {
  for (size_t i = 0; i < points.size(); ++i) {
    if (at > points[i].first) continue;
    if (i == 0) return points[0].second;
    const auto& [x0, y0] = points[i - 1];
    const auto& [x1, y1] = points[i];
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0);
  }
  return points.empty() ? 0 : points.back().second;
}

inline int64_t ResourceScore(const Settings& settings, int64_t requested, int64_t capacity) {
  switch (settings.strategy) {
    case FitStrategy::kLeast:
      return requested > capacity ? 0 : (capacity - requested) * 100 / capacity;
    case FitStrategy::kMost:
      return std::min(requested, capacity) * 100 / capacity;
    case FitStrategy::kRatio:
      break;
  }
  return Interpolate(settings.shape, requested > capacity ? 100 : requested * 100 / capacity);
}

// Used parts of the resources of a node.
using Parts = absl::InlinedVector<double, 4>;

// trunc((1 - deviation) * 100).
inline int64_t EvennessAt(double deviation) {
  return static_cast<int64_t>((1 - deviation) * 100.0);
}
inline double DeviationOf(double a, double b) { return std::fabs((a - b) / 2); }

// EvennessAt the deviation of the used parts.
inline int64_t EvennessOf(const Parts& parts) {
  double deviation = 0;
  if (parts.size() == 2) deviation = DeviationOf(parts[0], parts[1]);
  if (parts.size() > 2) {
    double sum = 0;
    for (const double part : parts) sum += part;
    const double mean = sum / static_cast<double>(parts.size());
    double variance = 0;
    for (const double part : parts) variance += (part - mean) * (part - mean);
    deviation = std::sqrt(variance / static_cast<double>(parts.size()));
  }
  return EvennessAt(deviation);
}

inline int64_t BalanceOf(const ClassState& state, int64_t before, int64_t after) {
  return state.balance_is_change ? 50 + (50 + after - before) / 2 : after;
}

inline double PartOf(int64_t used, int64_t capacity) {
  const double part = static_cast<double>(used) / static_cast<double>(capacity);
  return part > 1 ? 1 : part;
}

}  // namespace scores

template <class Amounts>
int64_t FitScoreOf(const Settings& settings, const ClassState& state, const Amounts& amounts) {
  int64_t sum = 0, weights = 0;
  for (const ScoredResource& resource : state.fit) {
    const int64_t capacity = amounts.allocatable(resource.dimension);
    if (capacity == 0) continue;
    const int64_t score = scores::ResourceScore(
        settings, amounts.scored(resource.dimension) + resource.own, capacity);
    if (settings.strategy == FitStrategy::kRatio && score <= 0) continue;
    sum += score * resource.weight;
    weights += resource.weight;
  }
  if (weights == 0) return 0;
  if (settings.strategy != FitStrategy::kRatio) return sum / weights;
  return static_cast<int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

// Of any number of resources.
template <class Amounts>
int64_t BalancedScoreOfMany(const ClassState& state, const Amounts& amounts) {
  scores::Parts before, after;
  for (const ScoredResource& resource : state.balanced) {
    const int64_t capacity = amounts.allocatable(resource.dimension);
    if (capacity == 0) continue;
    const int64_t used = amounts.requested(resource.dimension);
    before.push_back(scores::PartOf(used, capacity));
    after.push_back(scores::PartOf(used + resource.own, capacity));
  }
  return scores::BalanceOf(state, scores::EvennessOf(before), scores::EvennessOf(after));
}

// `evenness`: of cpu and memory, as the amounts are; below 0: to be found, and kept there.
template <class Amounts>
int64_t BalancedScoreOf(const ClassState& state, const Amounts& amounts, int64_t* evenness) {
  // Nearly always there are two resources.
  if (state.balanced.size() != 2) return BalancedScoreOfMany(state, amounts);
  const ScoredResource &a = state.balanced[0], &b = state.balanced[1];
  const int64_t all_a = amounts.allocatable(a.dimension), all_b = amounts.allocatable(b.dimension);
  if (all_a == 0 || all_b == 0) return BalancedScoreOfMany(state, amounts);
  const int64_t used_a = amounts.requested(a.dimension), used_b = amounts.requested(b.dimension);
  const auto evenness_with = [&](int64_t more_a, int64_t more_b) {
    return scores::EvennessAt(scores::DeviationOf(scores::PartOf(used_a + more_a, all_a),
                                                  scores::PartOf(used_b + more_b, all_b)));
  };
  int64_t before;
  if (evenness == nullptr || a.dimension != kCpu || b.dimension != kMemory) {
    before = evenness_with(0, 0);
  } else {
    if (*evenness < 0) *evenness = evenness_with(0, 0);
    before = *evenness;
  }
  return scores::BalanceOf(state, before, evenness_with(a.own, b.own));
}

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_RESOURCE_SCORES_H_
