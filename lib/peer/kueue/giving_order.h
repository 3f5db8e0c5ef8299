// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which queue gives a victim next, with fair sharing.
//
//   GivingOrder order(search, evictor);
//   order.Add(queue, candidates);                 // for each queue that has some
//   for (Queue q = order.Next(); q != kNothing; q = order.Next()) evict(order.Pop(q));
//
// From the root on, the child with the highest share is looked into: a cohort before a queue of the
// same share; of queues, the one with the first candidate. A queue gives one candidate, then the
// choice is made anew, for shares change with each.
//
// Queues and cohorts that do not borrow give nothing, but for those on the path to the evictor.
// What once gave nothing is not looked at again, even if it borrows later.
#ifndef MUSTER_PEER_KUEUE_GIVING_ORDER_H_
#define MUSTER_PEER_KUEUE_GIVING_ORDER_H_

#include <vector>

#include "lib/peer/kueue/victims.h"

namespace muster::kueue {

class GivingOrder {
 public:
  // The search stays the caller's and must outlive this.
  GivingOrder(VictimSearch& search, Queue evictor);

  // `candidates`: the first to be evicted first.
  void Add(Queue queue, std::vector<WorkloadIndex> candidates);
  bool Has(Queue queue) const { return !lists_[queue].empty(); }
  WorkloadIndex Pop(Queue queue);
  // The queue gives no more.
  void Drop(Queue queue) { pruned_[queue] = true; }
  // Returns the queue, or kNothing at the end. Between two calls one of its candidates has to be
  // popped, or the queue dropped.
  Queue Next();

 private:
  Queue NextBelow(Queue cohort);

  VictimSearch& search_;
  const Queue evictor_;
  std::vector<std::vector<WorkloadIndex>> lists_;  // by queue, the first candidate last
  std::vector<bool> pruned_, on_path_;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_GIVING_ORDER_H_
