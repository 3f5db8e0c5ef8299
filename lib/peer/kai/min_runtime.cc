// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/min_runtime.h"

#include <algorithm>
#include <cstddef>

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

std::ptrdiff_t Depth(const KaiQueueTree& tree, uint32_t queue) {
  std::ptrdiff_t depth = 0;
  for (; queue != kKaiNone; queue = tree.queues[queue].parent) ++depth;
  return depth;
}

}  // namespace

int64_t KaiPreemptMinRuntime(const KaiQueueTree& tree, uint32_t victim, int64_t unset) {
  return NearestAbove(tree, victim, &KaiQueue::preempt_min_runtime, unset);
}

int64_t KaiReclaimMinRuntime(const KaiQueueTree& tree, KaiResolve method, uint32_t reclaimer,
                             uint32_t victim, int64_t unset) {
  constexpr MinRuntime kReclaim = &KaiQueue::reclaim_min_runtime;
  if (method == KaiResolve::kQueue) return NearestAbove(tree, victim, kReclaim, unset);
  // The step from the last common queue towards the victim's; the last one itself if that is all.
  uint32_t low = victim, step = victim;
  std::ptrdiff_t deeper = Depth(tree, victim) - Depth(tree, reclaimer);
  for (; deeper > 0; --deeper) {
    step = low;
    low = tree.queues[low].parent;
  }
  for (; deeper < 0; ++deeper) reclaimer = tree.queues[reclaimer].parent;
  while (low != reclaimer) {
    step = low;
    low = tree.queues[low].parent;
    reclaimer = tree.queues[reclaimer].parent;
  }
  if (low == kKaiNone) return (tree.queues[step].*kReclaim).value_or(unset);
  return NearestAbove(tree, step, kReclaim, unset);
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
