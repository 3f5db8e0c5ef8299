// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Copies of a workload that crowd on nodes leave those with more than an even part.
//
//   for (const size_t copy : ExcessCopies(copies, /*targets=*/3)) ...
//
// Idea. An even part is the number of copies over the number of nodes that could hold one, rounded
// up. On each node the first copies up to this part stay, in the given order.
//
// Peer. RemoveDuplicates of Kubernetes' descheduler, which Koordinator runs. Where it surprises: a
// copy that may not leave is not counted at all, and with less than two nodes nothing moves.
//
// Cost. O(copies).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_DUPLICATES_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_DUPLICATES_H_

#include <cstddef>
#include <span>
#include <vector>

namespace muster::koordinator {

// A task with the owner, namespace and images of the others.
struct WorkloadCopy {
  size_t node = 0;
  bool may_leave = true;
};

// Returns the copies that should leave, by index, in the given order.
std::vector<size_t> ExcessCopies(std::span<const WorkloadCopy> copies, size_t targets);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_DUPLICATES_H_
