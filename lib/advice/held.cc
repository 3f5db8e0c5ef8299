// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/held.h"

#include <algorithm>

namespace muster {

void AddUpTo(std::span<const int64_t> amounts, std::span<int64_t> sum) {
  for (size_t d = 0; d < amounts.size(); ++d) {
    if (__builtin_add_overflow(sum[d], OrZero(amounts[d]), &sum[d])) sum[d] = INT64_MAX;
  }
}

const QueueShare* ShareOf(const Plan& plan, QueueIndex queue) {
  const auto share = std::ranges::lower_bound(plan.shares(), queue, {}, &QueueShare::queue);
  return share != plan.shares().end() && share->queue == queue ? &*share : nullptr;
}

std::vector<int64_t> HeldBelow(const Tables& tables, const Plan& plan, QueueIndex queue) {
  std::vector<int64_t> held(tables.dimension_count(), 0);
  std::vector<QueueIndex> rest = {queue};
  while (!rest.empty()) {
    const QueueIndex q = rest.back();
    rest.pop_back();
    if (const QueueShare* share = ShareOf(plan, q)) AddUpTo(share->allocated_after, held);
    const std::vector<QueueIndex>& children = tables.queues.children[q];
    rest.insert(rest.end(), children.begin(), children.end());
  }
  return held;
}

}  // namespace muster
