// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/overfull.h"

namespace muster {

bool IsOverfull(const Ledger& ledger, NodeIndex node) {
  return IsOverfull(ledger.node(node, kIdle), ledger.accounting().least);
}

bool IsOverfull(std::span<const int64_t> idle, const LeastAmounts& least) {
  for (DimensionIndex d = 0; d < idle.size(); ++d) {
    if (d != kPods && idle[d] <= -least.of(d)) return true;
  }
  return false;
}

ClusterTotal TotalWithoutOverfull(const Ledger& ledger) {
  const size_t dimensions = ledger.dimensions();
  const NodeTable& nodes = ledger.tables().nodes;
  ClusterTotal total{std::vector<int64_t>(dimensions, 0), std::vector<uint8_t>(dimensions, 0)};
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n] || IsOverfull(ledger, n)) continue;
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
