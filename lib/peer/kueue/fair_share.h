// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dominant resource shares of queues: how much a node of the quota tree borrows, as a part of what
// its parent could use.
//
//   FairShares shares(world);
//   if (Compare(shares.Of(a), shares.Of(b)) < 0) ...   // a has the smaller share
//
// For each resource: what the node uses beyond its quota, over all flavors, times 1000, divided by
// what its parent could use of the resource if nothing else were used. The largest quotient is the
// share, and is divided by the node's weight. Computed in doubles, as in the peer.
//
// - A root has no share. A node may borrow and have a share of 0: its parent can lend nothing.
// - Weight 0: the share is infinite once it borrows. Two of these compare without their weights.
//
// Cost. O(cells of the node). What parents could use is computed once for each structure.
#ifndef MUSTER_PEER_KUEUE_FAIR_SHARE_H_
#define MUSTER_PEER_KUEUE_FAIR_SHARE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "lib/peer/kueue/world.h"

namespace muster::kueue {

struct Share {
  double ratio = 0;  // without the weight
  double weight = 1;
  bool borrowing = false;

  bool infinite() const { return weight == 0 && ratio != 0; }
  double value() const {
    if (ratio == 0) return 0;
    return weight == 0 ? std::numeric_limits<double>::infinity() : ratio / weight;
  }
};

// Returns whether the node borrows any of the cells of which there is a positive amount.
bool BorrowsOn(const QuotaTree& tree, Queue node, const CellAmounts& amounts);

// Returns what of its usage the queue has from its cohort: what is beyond its own quota.
Amount BorrowedOf(const QuotaTree& tree, Queue queue, Cell cell);

// Returns the sign of a - b.
int Compare(const Share& a, const Share& b);

class FairShares {
 public:
  // The world stays the caller's and must outlive this.
  explicit FairShares(const World& world) : world_(&world) {}

  Share Of(Queue node, const CellAmounts& more = {});
  // Returns what of the resource the cohort could use if nothing were used.
  Amount Lendable(Queue cohort, ResourceIndex resource);

 private:
  const World* world_;
  uint64_t structure_ = 0;
  std::vector<std::vector<Amount>> lendable_;  // by cohort, then by resource; empty: not computed
  std::vector<Amount> over_;                   // by resource
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_FAIR_SHARE_H_
