// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The orders of the capacity scheduler: of sibling queues, and of a leaf's applications.
//
// The order of queues compares fractions used. With priorities it is no strict weak order: a queue
// below its guarantee goes before one above it, and priority counts only between queues that are
// both below or both above. So the result depends on the sort; it is the peer's, a binary insertion
// after the first run, for up to 31 queues, and a stable one beyond.
#ifndef MUSTER_PEER_YARN_CAPACITY_ORDER_H_
#define MUSTER_PEER_YARN_CAPACITY_ORDER_H_

#include <cstdint>
#include <vector>

#include "lib/peer/yarn/capacity/queue.h"

namespace muster::yarn {

// Returns below 0 if what uses the fraction `u1` goes before what uses `u2`.
template <typename Number>
int CompareUse(Number u1, Number u2, int32_t p1, int32_t p2) {
  const int by_use = u1 < u2 ? -1 : u1 > u2 ? 1 : 0;
  if (p1 == p2) return by_use;
  const bool same_side = (u1 < 1) == (u2 < 1);
  return same_side ? (p1 > p2 ? -1 : 1) : by_use;
}

// A queue as its siblings see it.
struct QueueRank {
  QueueIndex queue = kNone;
  int32_t priority = 0;  // 0 where the parent does not respect it
  bool has_access = true;
  float used = 0, absolute_used = 0, absolute = 0;
  Resource configured;  // absolute minimum; zero in other modes
};

// Returns below 0 if `a` goes first.
int CompareQueues(const QueueRank& a, const QueueRank& b, Partition partition);
void SortQueues(std::vector<QueueRank>* ranks, Partition partition);

// Returns whether `a` goes before `b` by priority, then number.
bool IsFirstByPriority(const App& a, const App& b);
// Returns whether `a` goes before `b` in a fair leaf.
bool IsFirstByUse(const App& a, const App& b, bool size_based_weight);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_ORDER_H_
