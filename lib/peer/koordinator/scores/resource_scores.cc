// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/scores/resource_scores.h"

#include <algorithm>

#include "lib/share/sparse.h"

namespace muster {
namespace {

constexpr int64_t kBestScore = 100;

int64_t ScoreOfShare(const StrategyShare& share) {
  if (share.capacity == 0) return 0;
  const int64_t used = std::min(share.requested, share.capacity);
  const __int128 counted = share.prefer_full ? used : share.capacity - used;
  return static_cast<int64_t>(counted * kBestScore / share.capacity);
}

}  // namespace

int64_t ScoreByStrategies(std::span<const StrategyShare> shares) {
  int64_t sum = 0, weights = 0;
  for (const StrategyShare& share : shares) {
    sum = SaturatingAdd(sum, ScoreOfShare(share) * share.weight);
    weights = SaturatingAdd(weights, share.weight);
  }
  return weights == 0 ? kBestScore : sum / weights;
}

int64_t ScoreWithoutScarce(int64_t idle, int64_t scarce) {
  return idle == 0 ? kBestScore : (idle - scarce) * kBestScore / idle;
}

void ScaleScores(std::span<int64_t> scores) {
  const auto largest = std::max_element(scores.begin(), scores.end());
  if (largest == scores.end() || *largest <= 0) return;
  const int64_t most = *largest;
  for (int64_t& score : scores) score = kBestScore * score / most;
}

int64_t RequestWithLeast(std::span<const ContainerRequest> containers,
                         std::span<const ContainerRequest> init_containers, int64_t least,
                         int64_t overhead) {
  int64_t request = 0;
  for (const ContainerRequest& container : containers) {
    request = SaturatingAdd(request, container.amount.value_or(least));
  }
  for (const ContainerRequest& container : init_containers) {
    const int64_t amount = container.amount.value_or(least);
    request = container.restarts ? SaturatingAdd(request, amount) : std::max(request, amount);
  }
  return SaturatingAdd(request, overhead);
}

}  // namespace muster
