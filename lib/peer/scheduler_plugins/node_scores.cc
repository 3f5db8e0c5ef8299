// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/node_scores.h"

#include <algorithm>

#include "absl/numeric/int128.h"

namespace muster::scheduler_plugins {

int64_t AllocatableScore(std::span<const WeightedAmount> amounts, bool least) {
  absl::int128 sum = 0, weights = 0;
  for (const WeightedAmount& one : amounts) {
    sum += absl::int128(one.weight) * one.amount;
    weights += one.weight;
  }
  if (weights == 0) return 0;
  return static_cast<int64_t>((least ? -sum : sum) / weights);
}

std::vector<int64_t> MinMaxScores(std::span<const int64_t> scores) {
  std::vector<int64_t> out(scores.size(), 0);
  if (scores.empty()) return out;
  const auto [low, high] = std::ranges::minmax(scores);
  if (low == high) return out;
  for (size_t i = 0; i < scores.size(); ++i) {
    const absl::int128 above = absl::int128(scores[i]) - low;
    out[i] = static_cast<int64_t>(above * 100 / (absl::int128(high) - low));
  }
  return out;
}

std::vector<int64_t> MarkScores(std::span<const std::optional<int64_t>> marks) {
  std::optional<int64_t> low, high;
  for (const std::optional<int64_t>& mark : marks) {
    if (!mark) continue;
    low = std::min(low.value_or(*mark), *mark);
    high = std::max(high.value_or(*mark), *mark);
  }
  std::vector<int64_t> out(marks.size(), 0);
  for (size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i]) continue;
    out[i] = 1;
    if (low == high) continue;
    const absl::int128 above = absl::int128(*marks[i]) - *low;
    out[i] += static_cast<int64_t>(above * 99 / (absl::int128(*high) - *low));
  }
  return out;
}

}  // namespace muster::scheduler_plugins
