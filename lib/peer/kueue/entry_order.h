// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// In which order the entries of a cycle get their turn.
//
//   EntryOrder order(world, shares, entries);   // one entry a queue at most
//   for (Entry* e = order.Next(); e != nullptr; e = order.Next()) Process(e);
//
// Classical: those that hold quota, [preemptors,] those that borrow from lower in the tree,
// priority, waiting time. Entries that are equal in all of these go by the order of their queues.
//
// Fair: a tournament for each turn, along the tree of the root, with the shares that each entry
// would lead to. Only entries below the root of the first queue left take part, as queues of
// different roots do not affect each other. Two entries of one queue collide: the later one
// replaces the earlier, which gets no turn.
//
// Cost. Classical O(log n) a turn. Fair O(entries of the root x depth x cells) a turn.
#ifndef MUSTER_PEER_KUEUE_ENTRY_ORDER_H_
#define MUSTER_PEER_KUEUE_ENTRY_ORDER_H_

#include <utility>
#include <vector>

#include "lib/peer/kueue/entry.h"
#include "lib/peer/kueue/fair_share.h"

namespace muster::kueue {

class EntryOrder {
 public:
  // Everything stays the caller's. Entries that were not considered take no part.
  EntryOrder(World& world, FairShares& shares, std::vector<Entry>& entries);

  Entry* Next();

  // Returns whether `a` goes before `b` without fair sharing.
  static bool Before(const World& world, const Entry& a, const Entry& b);
  // The same with fair sharing, for shares of their sides of one cohort. `borrowing` of a share:
  // that side borrows what the entry requests.
  static bool FairBefore(const World& world, const Entry& a, const Share& mine, const Entry& b,
                         const Share& theirs);

 private:
  struct Contender {
    Entry* entry = nullptr;
    // By height from the queue up: the share of the child on its path, and whether that child
    // borrows what the entry requests.
    std::vector<std::pair<Queue, Share>> shares;
  };
  Entry* Tournament();
  Contender Measure(Entry* entry);
  // Returns the winner below the cohort, or null.
  const Contender* Winner(Queue cohort, const std::vector<Contender>& contenders) const;
  bool Wins(const Contender& a, const Contender& b, Queue cohort) const;

  World& world_;
  FairShares& shares_;
  std::vector<Entry*> classical_;  // the first last
  std::vector<Entry*> by_queue_;   // fair sharing
  Queue first_ = 0;                // no queue before it has an entry
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_ENTRY_ORDER_H_
