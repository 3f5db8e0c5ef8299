// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Victims: which running tasks may be evicted, and for which task.
//
//   class LowerOnly : public muster::Policy, public muster::VictimPolicy {
//    public:
//     std::string_view name() const override { return "lower-only"; }
//     muster::PointSet points() const override { return {muster::Point::kPreemptable}; }
//     muster::VictimPolicy* victims() override { return this; }
//     void Open(const muster::Cycle& cycle) override { cycle_ = &cycle; }
//     muster::Vote Preemptable(muster::TaskIndex evictor,
//                              std::span<const muster::TaskIndex> candidates,
//                              std::vector<muster::TaskIndex>* chosen) override {
//       for (muster::TaskIndex t : candidates) {
//         if (cycle_->priority(t) < cycle_->priority(evictor)) chosen->push_back(t);
//       }
//       return muster::Vote::kPermit;
//     }
//
//    private:
//     const muster::Cycle* cycle_ = nullptr;
//   };
//
// Promise. An answer is a subset of `candidates` in their order, appended to `*chosen`. The
// profile's rule combines the answers of several policies: the intersection within a tier, as a
// rule. A policy that returns kAbstain counts as if it had not been asked, whatever it appended.
// Failure. None. A policy that permits and appends nothing protects all candidates.
// Ownership. Spans are valid during the call.
// Threads. One thread at a time calls an instance.
// Cost. Called once for each node that is tried, for each task that needs room.
#ifndef MUSTER_POLICY_VICTIMS_H_
#define MUSTER_POLICY_VICTIMS_H_

#include <span>
#include <vector>

#include "muster/policy/verdict.h"
#include "muster/types.h"

namespace muster {

// Answers for the points kPreemptable, kReclaimable, kEvictable and kVictims. The defaults abstain.
class VictimPolicy {
 public:
  // Appends the candidates that may be evicted for `evictor`, a task of their own queue
  // (Preemptable) or of another queue (Reclaimable).
  virtual Vote Preemptable(TaskIndex /*evictor*/, std::span<const TaskIndex> /*candidates*/,
                           std::vector<TaskIndex>* /*chosen*/) {
    return Vote::kAbstain;
  }
  virtual Vote Reclaimable(TaskIndex /*evictor*/, std::span<const TaskIndex> /*candidates*/,
                           std::vector<TaskIndex>* /*chosen*/) {
    return Vote::kAbstain;
  }
  // Appends the candidates that may be evicted for a whole job, from gangs that can spare them.
  // `from_other_queues`: the candidates are of other queues than the job.
  virtual Vote Evictable(JobIndex /*evictor*/, bool /*from_other_queues*/,
                         std::span<const TaskIndex> /*candidates*/,
                         std::vector<TaskIndex>* /*chosen*/) {
    return Vote::kAbstain;
  }
  // Appends the running tasks that should leave their nodes although no task waits for the place.
  virtual void Victims(std::span<const TaskIndex> /*candidates*/,
                       std::vector<TaskIndex>* /*chosen*/) {}

 protected:
  ~VictimPolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_VICTIMS_H_
