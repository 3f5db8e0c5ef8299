// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Orders: which job, queue, task or sub-group goes first.
//
//   class OldestFirst : public muster::Policy, public muster::OrderPolicy {
//    public:
//     std::string_view name() const override { return "oldest-first"; }
//     muster::PointSet points() const override { return {muster::Point::kJobOrder}; }
//     muster::OrderPolicy* order() override { return this; }
//     void Open(const muster::Cycle& cycle) override { cycle_ = &cycle; }
//     int CompareJobs(muster::JobIndex a, muster::JobIndex b) override {
//       return muster::Sign(cycle_->job(a).created - cycle_->job(b).created);
//     }
//
//    private:
//     const muster::Cycle* cycle_ = nullptr;
//   };
//
// Promise. A comparison returns a negative number if `a` goes first, a positive one if `b` does,
// and 0 if the policy does not distinguish them. The first policy that distinguishes two rows
// decides. Behind all policies stands a total order: creation time, rank of the uid, insertion.
// Failure. None. REQUIRES: comparisons are consistent (a before b and b before c: a before c) as
// long as the books do not change. Inconsistent ones give some order, never a crash.
// Ownership. References are valid during the call.
// Threads. One thread at a time calls an instance.
// Cost. A comparison is called O(n log n) times a cycle: compute keys in Policy::Open.
#ifndef MUSTER_POLICY_ORDER_H_
#define MUSTER_POLICY_ORDER_H_

#include <cstdint>
#include <span>

#include "muster/policy/sub_group.h"
#include "muster/types.h"

namespace muster {

// A queue that may take the next turn, for orders that depend on the turn. Down a tree, all fields
// but `queue` include the queues below it.
struct QueueTurn {
  QueueIndex queue;
  JobIndex head = kNone;  // the job that would take the turn; kNone: the queue has none in line
  int64_t turns = 0;      // the number of turns that the queue has taken since the round began
  std::span<const int64_t> opening;  // what its tasks held when the cycle began, per dimension
  std::span<const int64_t> held;     // what they hold now, per dimension
  // Returns how much the cycle has given to the queue so far.
  int64_t taken(DimensionIndex d) const { return held[d] - opening[d]; }
};

// Returns -1, 0 or 1: the answer of a comparison, from a difference.
inline int Sign(int64_t x) { return (x > 0) - (x < 0); }

// Answers for the points kJobOrder, kQueueOrder, kTaskOrder, kSubGroupOrder and kVictimQueueOrder.
// The defaults distinguish nothing.
class OrderPolicy {
 public:
  // Compare two jobs of a queue, two queues, two tasks of a job.
  virtual int CompareJobs(JobIndex /*a*/, JobIndex /*b*/) { return 0; }
  virtual int CompareQueues(QueueIndex /*a*/, QueueIndex /*b*/) { return 0; }
  // Asked in place of CompareQueues where queues take turns, if Traits::orders_by_turn is set.
  virtual int CompareQueueTurns(const QueueTurn& a, const QueueTurn& b) {
    return CompareQueues(a.queue, b.queue);
  }
  virtual int CompareTasks(TaskIndex /*a*/, TaskIndex /*b*/) { return 0; }
  // Compares two sub-groups of one job.
  virtual int CompareSubGroups(const SubGroup& /*a*/, const SubGroup& /*b*/) { return 0; }
  // Compares two queues with tasks that may be evicted for `evictor`: tasks of the queue that goes
  // first are evicted first. If every policy returns 0, that is the queue that goes last in queue
  // order.
  virtual int CompareVictimQueues(QueueIndex /*a*/, QueueIndex /*b*/, QueueIndex /*evictor*/) {
    return 0;
  }

  // Turns: for orders of queues that depend on which queues still have jobs to serve. A round
  // begins with BeginTurns and no queue in line. SetInLine reports each queue that gets or loses
  // jobs in line, its own or those of queues below it, before the next comparison.
  virtual void BeginTurns() {}
  virtual void SetInLine(QueueIndex /*queue*/, bool /*in_line*/) {}
  // Returns a number that changes whenever a queue may have changed places although neither its own
  // account nor that of a queue below it has changed.
  virtual uint64_t QueueOrderEpoch() { return 0; }

 protected:
  ~OrderPolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_ORDER_H_
