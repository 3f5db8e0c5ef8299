// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What there is to share in a cluster, as kube-batch counts it.
//
//   const ClusterTotal total = TotalWithoutOverfull(ledger);
//   if (total.present[d]) share = ShareOf(held[d], total.amount[d]);
#ifndef MUSTER_LEDGER_OVERFULL_H_
#define MUSTER_LEDGER_OVERFULL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/ledger/ledger.h"

namespace muster {

// Amounts below these are nothing to kube-batch, per dimension: 10 milli-cores, 10 MiB, 10 milli-units.
std::vector<double> LeastAmounts(size_t dimensions);

// Whether the node holds more than it has, in any dimension but pods: the peer does not see such nodes.
bool IsOverfull(const Ledger& ledger, NodeIndex node);
bool IsOverfull(std::span<const int64_t> idle);

struct ClusterTotal {
  std::vector<int64_t> amount;
  std::vector<uint8_t> present;  // whether any node names the dimension
};

// Allocatable amounts over the nodes, without pods, and without overfull nodes. O(nodes * dimensions).
ClusterTotal TotalWithoutOverfull(const Ledger& ledger);

}  // namespace muster

#endif  // MUSTER_LEDGER_OVERFULL_H_
