// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Victims: which running tasks may be evicted, and for which task.
//
//   class LowerOnly : public Policy, public VictimPolicy {
//     PointSet points() const override { return {Point::kPreemptable}; }
//     Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
//                      std::vector<TaskIndex>* chosen) override {
//       for (TaskIndex t : candidates) {
//         if (cycle_->priority(t) < cycle_->priority(evictor)) chosen->push_back(t);
//       }
//       return Vote::kPermit;
//     }
//     ...
//
// An answer is a subset of `candidates` in their order, appended to `chosen`. A policy that returns kAbstain counts as if
// it had not been asked. The profile's rule combines the answers of several policies.
// Cost. Called once for each node that is tried.
#ifndef MUSTER_POLICY_VICTIMS_H_
#define MUSTER_POLICY_VICTIMS_H_

#include <span>
#include <vector>

#include "muster/policy/verdict.h"
#include "muster/types.h"

namespace muster {

class VictimPolicy {
 public:
  // For a task of the victims' own queue (Preemptable) or of another queue (Reclaimable).
  virtual Vote Preemptable(TaskIndex /*evictor*/, std::span<const TaskIndex> /*candidates*/,
                           std::vector<TaskIndex>* /*chosen*/) {
    return Vote::kAbstain;
  }
  virtual Vote Reclaimable(TaskIndex /*evictor*/, std::span<const TaskIndex> /*candidates*/,
                           std::vector<TaskIndex>* /*chosen*/) {
    return Vote::kAbstain;
  }
  // For a whole job, from gangs that can spare the candidates.
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
