// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/kube_batch_total.h"

namespace muster {

std::vector<double> KubeBatchSlack(size_t dimensions) {
  std::vector<double> slack(dimensions, 10.0);
  if (dimensions > kMemory) slack[kMemory] = 10.0 * 1024 * 1024;
  return slack;
}

ClusterTotal KubeBatchTotal(const Ledger& ledger) {
  const size_t dimensions = ledger.dimensions();
  const std::vector<double> slack = KubeBatchSlack(dimensions);
  const NodeTable& nodes = ledger.tables().nodes;
  ClusterTotal total{std::vector<int64_t>(dimensions, 0), std::vector<uint8_t>(dimensions, 0)};
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    const auto idle = ledger.node(n, kIdle);
    bool overfull = false;
    for (DimensionIndex d = 0; d < dimensions; ++d) {
      overfull |= d != kPods && static_cast<double>(idle[d]) <= -slack[d];
    }
    if (overfull) continue;
    const auto allocatable = nodes.allocatable.row(n);
    for (DimensionIndex d = 0; d < dimensions; ++d) {
      if (d == kPods || allocatable[d] == kAbsent) continue;
      total.amount[d] += allocatable[d];
      total.present[d] = 1;
    }
  }
  return total;
}

}  // namespace muster
