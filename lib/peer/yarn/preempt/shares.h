// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What each queue of one partition should hold, and what it should give back.
//
//   ShareTree tree(&scheduler, partition, rules);
//   tree.Compute(allowed);      // ideal, to_be_preempted and obtain of all queues
//
// Level by level, what the parent should hold is offered to the children that want more: always to
// those that have the smallest part of their guarantee, each a part by its guarantee. A leaf is
// offered no more than its guarantee or what it uses. What a queue uses beyond that is to be
// preempted, scaled down to the allowance of the round.
//
// Tie-break. Children that have the same part of their guarantee follow a binary heap's order.
#ifndef MUSTER_PEER_YARN_PREEMPT_SHARES_H_
#define MUSTER_PEER_YARN_PREEMPT_SHARES_H_

#include <cstdint>
#include <vector>

#include "lib/peer/yarn/capacity/scheduler.h"

namespace muster::yarn {

struct QueueShare {
  Resource used, reserved, pending, pending_less_reserved;
  Resource guaranteed, max;
  float absolute = 0;
  int32_t priority = 0;  // below a parent that respects it, else 0
  bool is_disabled = false;
  Resource untouchable, preemptable;  // of what is used beyond the guarantee
  Resource ideal, to_be_preempted;
  Resource obtain;                   // what is left to take from the queue
  double part[kResources] = {0, 0};  // of the guarantees of queues that request more
};

struct ShareRules {
  double max_ignored = 0.1, natural_termination = 0.2;
  // What is reserved counts as wanted, and no part is left to natural termination.
  bool counts_reserved = false;
  bool balances = false;  // beyond guarantees
};

class ShareTree {
 public:
  // Limits of users are computed on the way.
  ShareTree(CapacityScheduler* scheduler, Partition partition);

  void Compute(const ShareRules& rules, const Resource& allowed);
  // Takes the size off what is left to obtain, if that is more.
  void Deduct(QueueIndex queue, const Resource& size);

  std::vector<QueueShare>& shares() { return shares_; }
  const std::vector<QueueShare>& shares() const { return shares_; }
  // Queues that requested more, in the order in which they were met first.
  const std::vector<QueueIndex>& under_served() const { return under_served_; }

 private:
  void CountPending(QueueIndex leaf);
  void FindExtras(QueueIndex queue);
  void ComputeLevel(QueueIndex parent, const Resource& allowed);
  void FillUp(const std::vector<QueueIndex>& group, const Resource& total, bool evenly,
              Resource* unassigned);
  void SetParts(const std::vector<QueueIndex>& wanting, bool evenly);
  Resource Offer(QueueIndex queue, const Resource& offered, const Resource& total);
  void SetToBePreempted(QueueIndex queue, const Resource& total, float scale);
  void SetObtain(QueueIndex leaf);
  int CompareNeed(QueueIndex a, QueueIndex b, const Resource& total) const;
  void NoteUnderServed(QueueIndex queue);
  Calculator by() const { return s_.settings().calculator; }

  CapacityScheduler& s_;
  const Partition partition_;
  const Resource total_;
  ShareRules rules_;
  std::vector<QueueShare> shares_;
  std::vector<QueueIndex> under_served_;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_PREEMPT_SHARES_H_
