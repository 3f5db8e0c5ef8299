// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What there is to share in a cluster if overfull nodes do not count.
//
//   const ClusterTotal total = TotalWithoutOverfull(ledger);
//   if (total.present[d]) share = ShareOf(held[d], total.amount[d]);
#ifndef MUSTER_LEDGER_OVERFULL_H_
#define MUSTER_LEDGER_OVERFULL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/ledger/accounting.h"
#include "lib/ledger/ledger.h"

namespace muster {

// Returns whether the node holds more than it has, by the least amount that counts or more, in any
// dimension but pods.
bool IsOverfull(const Ledger& ledger, NodeIndex node);  // by the ledger's Accounting::least
bool IsOverfull(std::span<const int64_t> idle, const LeastAmounts& least);

struct ClusterTotal {
  std::vector<int64_t> amount;
  std::vector<uint8_t> present;  // whether any node names the dimension
};

// Returns the allocatable amounts over the nodes, without pods, and without overfull nodes. O(nodes
// * dimensions).
ClusterTotal TotalWithoutOverfull(const Ledger& ledger);

}  // namespace muster

#endif  // MUSTER_LEDGER_OVERFULL_H_
