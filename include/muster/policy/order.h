// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Orders: which job, queue, task or sub-group goes first.
//
//   class OldestFirst : public Policy, public OrderPolicy {
//     PointSet points() const override { return {Point::kJobOrder}; }
//     int CompareJobs(JobIndex a, JobIndex b) override {
//       return Sign(cycle_->job(a).created - cycle_->job(b).created);
//     }
//     ...
//
// A comparison returns a negative number if `a` goes first, a positive one if `b` does, and 0 if the policy does not
// distinguish them. The first policy that distinguishes two rows decides; behind all policies stands a total order
// (creation time, rank of the uid, insertion). Comparisons must be consistent while the books do not change.
// Cost. A comparison is called O(n log n) times a cycle: precompute keys in Policy::Open.
#ifndef MUSTER_POLICY_ORDER_H_
#define MUSTER_POLICY_ORDER_H_

#include <cstdint>

#include "muster/policy/sub_group.h"
#include "muster/types.h"

namespace muster {

inline int Sign(int64_t x) { return (x > 0) - (x < 0); }

class OrderPolicy {
 public:
  virtual int CompareJobs(JobIndex /*a*/, JobIndex /*b*/) { return 0; }
  virtual int CompareQueues(QueueIndex /*a*/, QueueIndex /*b*/) { return 0; }
  virtual int CompareTasks(TaskIndex /*a*/, TaskIndex /*b*/) { return 0; }
  // Orders the sub-groups of one job.
  virtual int CompareSubGroups(const SubGroup& /*a*/, const SubGroup& /*b*/) { return 0; }
  // Decides from which of two queues the queue `evictor` takes first. If every policy returns 0, it takes first from
  // the queue that goes last in queue order.
  virtual int CompareVictimQueues(QueueIndex /*a*/, QueueIndex /*b*/, QueueIndex /*evictor*/) {
    return 0;
  }

  // Turns, for orders of queues that depend on which queues still have jobs to serve. A round begins with no queue in
  // line; SetInLine reports each queue that gets or loses jobs in line, its own or those of queues below it, before
  // the next comparison.
  virtual void BeginTurns() {}
  virtual void SetInLine(QueueIndex /*queue*/, bool /*in_line*/) {}
  // Returns a number that changes whenever a queue may have changed places without an account change of its own or of
  // a queue below it.
  virtual uint64_t QueueOrderEpoch() { return 0; }

 protected:
  ~OrderPolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_ORDER_H_
