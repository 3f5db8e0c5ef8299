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
//
// Cost. Next: O(children that may still give) on its way down. A share is computed anew only after
// a candidate of the queue, or of one below the cohort, was popped.
#ifndef MUSTER_PEER_KUEUE_GIVING_ORDER_H_
#define MUSTER_PEER_KUEUE_GIVING_ORDER_H_

#include <cstdint>
#include <vector>

#include "lib/peer/kueue/candidates.h"

namespace muster::kueue {

class GivingOrder {
 public:
  // The search stays the caller's and must outlive this.
  GivingOrder(VictimSearch& search, Queue evictor);

  void Add(Queue queue, Candidates candidates);
  bool Has(Queue queue) const {
    return list_of_[queue] != kNothing && !lists_[list_of_[queue]].Done();
  }
  WorkloadIndex Pop(Queue queue);
  // The queue gives no more.
  void Drop(Queue queue) { pruned_[queue] = true; }
  // Returns the share of a child of a cohort that Next came through.
  const Share& ShareOf(Queue node);
  // Returns the queue, or kNothing at the end. Between two calls one of its candidates has to be
  // popped, or the queue dropped. Usage may change of queues of which a candidate was popped.
  Queue Next();

 private:
  Queue NextBelow(Queue cohort);
  WorkloadIndex Front(Queue queue) const { return lists_[list_of_[queue]].Front(); }

  VictimSearch& search_;
  const Queue evictor_;
  std::vector<Candidates> lists_;
  std::vector<uint32_t> list_of_;  // by queue; kNothing: it has none
  std::vector<bool> pruned_, on_path_;
  std::vector<Share> shares_;               // by queue
  std::vector<bool> current_;               // by queue: its share is known
  std::vector<std::vector<Queue>> living_;  // by cohort: children; empty at first
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_GIVING_ORDER_H_
