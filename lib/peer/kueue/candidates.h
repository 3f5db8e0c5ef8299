// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The workloads of one queue that may be evicted, in order, found one at a time.
//
//   Candidates candidates(search, queue, need, policy);
//   for (; !candidates.Done(); candidates.Next()) Use(candidates.Front());
//
// Idea. Workloads that hold quota are kept in the order of World::Precedes: evicted ones first,
// then by priority. So the candidates are read from that list, from the front and only as
// far as the search goes; and where the policy compares priorities, the first workload of too high
// a priority ends the reading. Only where workloads go by the usage of their LocalQueues, the
// candidates are gathered and sorted first.
//
// The list of the queue must not change while candidates are read.
//
// Cost. O(workloads passed over). A queue that gives no victim costs its first candidate.
#ifndef MUSTER_PEER_KUEUE_CANDIDATES_H_
#define MUSTER_PEER_KUEUE_CANDIDATES_H_

#include <cstddef>
#include <vector>

#include "lib/peer/kueue/victims.h"

namespace muster::kueue {

class Candidates {
 public:
  // The candidates of the queue that satisfy the policy and use what is lacking. The search and
  // the need stay the caller's and must outlive this.
  Candidates(const VictimSearch& search, Queue queue, const Need& need, Policy policy);
  // These, and in this order.
  Candidates(const VictimSearch& search, const Need& need, std::vector<WorkloadIndex> list);

  bool Done() const { return next_ >= list().size(); }
  // REQUIRES: !Done().
  WorkloadIndex Front() const { return list()[next_]; }
  void Next() {
    ++next_;
    Settle();
  }
  // From the first evicted one, or from the first of the others.
  void Restart(bool evicted);

 private:
  const std::vector<WorkloadIndex>& list() const { return kept_ == nullptr ? own_ : *kept_; }
  void Gather();
  // Moves on to a candidate, if it stands at none.
  void Settle();
  size_t FirstOther() const;

  const VictimSearch* search_;
  const Need* need_;
  Policy policy_;
  const std::vector<WorkloadIndex>*
      kept_;  // the queue's own list; null: `own_` has candidates only
  std::vector<WorkloadIndex> own_;
  size_t next_ = 0;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_CANDIDATES_H_
