// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gates: may a queue take more, may a job start, is a gang whole?
//
//   class Quota : public Policy, public GatePolicy {
//     PointSet points() const override { return {Point::kAllocatable}; }
//     Verdict Allocatable(QueueIndex queue, TaskIndex task) override {
//       const ClassIndex c = cycle_->class_of(task);
//       const int64_t after = cycle_->queue_allocated(queue)[kCpu] + cycle_->request(c)[kCpu];
//       return after <= limit_ ? Verdict::Yes() : Verdict::No(Cause::kLimit, kCpu);
//     }
//     ...
//
// One refusal suffices at Allocatable, Preemptive, Valid and Ready. Overused is true if any policy returns true. Pipelined
// and Admit are votes: the profile's rule combines them. Starving is decided by the first tier that has an answer.
// Cost. Allocatable is called once a task and placement, the others once a job and turn.
#ifndef MUSTER_POLICY_GATE_H_
#define MUSTER_POLICY_GATE_H_

#include <cstdint>
#include <span>

#include "muster/policy/sub_group.h"
#include "muster/policy/verdict.h"
#include "muster/types.h"

namespace muster {

class GatePolicy {
 public:
  // Returns whether the queue holds all it may have and gets no turn.
  virtual bool Overused(QueueIndex /*queue*/) { return false; }
  // May the queue take the task on free resources?
  virtual Verdict Allocatable(QueueIndex /*queue*/, TaskIndex /*task*/) { return Verdict::Yes(); }
  // The same question while trial evictions are in the books.
  virtual bool AllocatableTrial(QueueIndex queue, TaskIndex task) {
    return Allocatable(queue, task).ok();
  }
  // May the queue take `request` by evicting tasks of other queues?
  virtual Verdict Preemptive(QueueIndex /*queue*/, std::span<const int64_t> /*request*/) {
    return Verdict::Yes();
  }
  // May the job ask for nodes? Admitted reports each admission to every policy that answers Admit.
  virtual Verdict Admit(JobIndex /*job*/) { return Verdict::Abstain(); }
  virtual void Admitted(JobIndex /*job*/) {}
  // Returns whether the job has enough tasks to be tried at all.
  virtual bool Valid(JobIndex /*job*/) { return true; }
  // Returns whether the job's placements may become decisions.
  virtual bool Ready(JobIndex /*job*/) { return true; }
  // Returns whether the job could be ready once resources that are being released have gone.
  virtual Vote Pipelined(JobIndex /*job*/) { return Vote::kAbstain; }
  // Returns whether the job lacks tasks that others may be evicted for.
  virtual bool Starving(JobIndex /*job*/) { return true; }
  // The same as Ready and Pipelined, for one sub-group of a job.
  virtual bool SubGroupReady(const SubGroup& /*group*/) { return true; }
  virtual Vote SubGroupPipelined(const SubGroup& /*group*/) { return Vote::kAbstain; }

 protected:
  ~GatePolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_GATE_H_
