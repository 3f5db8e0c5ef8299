// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/min_runtime.h"

#include <algorithm>
#include <vector>

#include "lib/base/math.h"

namespace muster {
namespace {

using MinRuntime = std::optional<int64_t> KaiQueue::*;

int64_t NearestAbove(const KaiQueueTree& tree, uint32_t queue, MinRuntime which, int64_t unset) {
  for (; queue != kKaiNone; queue = tree.queues[queue].parent) {
    if (const std::optional<int64_t>& time = tree.queues[queue].*which) return *time;
  }
  return unset;
}

}  // namespace

int64_t KaiPreemptMinRuntime(const KaiQueueTree& tree, uint32_t victim, int64_t unset) {
  return NearestAbove(tree, victim, &KaiQueue::preempt_min_runtime, unset);
}

int64_t KaiReclaimMinRuntime(const KaiQueueTree& tree, KaiResolve method, uint32_t reclaimer,
                             uint32_t victim, int64_t unset) {
  constexpr MinRuntime kReclaim = &KaiQueue::reclaim_min_runtime;
  if (method == KaiResolve::kQueue) return NearestAbove(tree, victim, kReclaim, unset);
  const std::vector<uint32_t> above = tree.PathTo(reclaimer), path = tree.PathTo(victim);
  if (above.front() != path.front()) {
    return (tree.queues[path.front()].*kReclaim).value_or(unset);
  }
  const size_t length = std::min(above.size(), path.size());
  size_t common = 0;
  while (common + 1 < length && above[common + 1] == path[common + 1]) ++common;
  return NearestAbove(tree, path[std::min(common + 1, path.size() - 1)], kReclaim, unset);
}

bool KaiIsProtected(std::optional<int64_t> started, int64_t now, int64_t min_runtime) {
  return started.has_value() && now < SatAdd(*started, min_runtime);
}

bool KaiKeepsMinimum(std::span<const KaiElasticLoss> losses) {
  return std::all_of(losses.begin(), losses.end(), [](const KaiElasticLoss& loss) {
    return loss.min_available <= loss.active_used - loss.victims;
  });
}

}  // namespace muster
