// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gates: whether a queue may take more, a job may start, a gang is whole.
//
//   class CpuQuota : public muster::Policy, public muster::GatePolicy {
//    public:
//     explicit CpuQuota(int64_t limit) : limit_(limit) {}
//     std::string_view name() const override { return "cpu-quota"; }
//     muster::PointSet points() const override { return {muster::Point::kAllocatable}; }
//     muster::GatePolicy* gate() override { return this; }
//     void Open(const muster::Cycle& cycle) override { cycle_ = &cycle; }
//     muster::Verdict Allocatable(muster::QueueIndex queue, muster::TaskIndex task) override {
//       const int64_t request = cycle_->request(cycle_->class_of(task))[muster::kCpu];
//       const int64_t after = cycle_->queue_allocated(queue)[muster::kCpu] + request;
//       if (after <= limit_) return muster::Verdict::Yes();
//       return muster::Verdict::No(muster::Cause::kLimit, muster::kCpu);
//     }
//
//    private:
//     const int64_t limit_;
//     const muster::Cycle* cycle_ = nullptr;
//   };
//
// Promise. How the answers of several policies combine depends on the point:
//  Allocatable, Preemptive, Valid, Ready   one refusal suffices
//  Overused                                one true suffices
//  Admit, Pipelined                        votes, which the profile's rule combines
//  Starving                                the first tier that answers decides
// Failure. None. A Verdict carries the cause of a refusal (verdict.h); plans show it as a Reason.
// Ownership. Arguments are valid during the call.
// Threads. One thread at a time calls an instance.
// Cost. Allocatable is called once a task and placement, the others once a job and turn.
#ifndef MUSTER_POLICY_GATE_H_
#define MUSTER_POLICY_GATE_H_

#include <cstdint>
#include <span>

#include "muster/policy/sub_group.h"
#include "muster/policy/verdict.h"
#include "muster/types.h"

namespace muster {

// Answers for the points kOverused to kStarving and those of sub-groups (point.h). The defaults
// refuse nothing.
class GatePolicy {
 public:
  // kOverused. Returns whether the queue holds all it may have. Its jobs then get no turn, and wait
  // with the reason kQueueOverused.
  virtual bool Overused(QueueIndex /*queue*/) { return false; }
  // kAllocatable. Returns whether the queue may take the task on free resources.
  virtual Verdict Allocatable(QueueIndex /*queue*/, TaskIndex /*task*/) { return Verdict::Yes(); }
  // Returns the same while trial evictions are in the books. Override it if the cause of a refusal
  // is costly to compute: this answer is a plain bool.
  virtual bool AllocatableTrial(QueueIndex queue, TaskIndex task) {
    return Allocatable(queue, task).ok();
  }
  // kPreemptive. Returns whether the queue may take `request`, per dimension, by evicting tasks of
  // other queues.
  virtual Verdict Preemptive(QueueIndex /*queue*/, std::span<const int64_t> /*request*/) {
    return Verdict::Yes();
  }
  // kAdmit. Returns whether the job may be placed from now on. Admitted reports each admission
  // of a cycle to every policy that answers at kAdmit, so that it can count what it has promised.
  virtual Verdict Admit(JobIndex /*job*/) { return Verdict::Abstain(); }
  virtual void Admitted(JobIndex /*job*/) {}
  // kValid. Returns whether the job has enough tasks to be tried at all.
  virtual bool Valid(JobIndex /*job*/) { return true; }
  // kReady. Returns whether the job's placements may become decisions: the gang is whole.
  virtual bool Ready(JobIndex /*job*/) { return true; }
  // kPipelined. Returns whether the job is ready once leaving tasks have gone and its nominated
  // tasks have started.
  virtual Vote Pipelined(JobIndex /*job*/) { return Vote::kAbstain; }
  // kStarving. Returns whether the job lacks tasks for which others may be evicted.
  virtual bool Starving(JobIndex /*job*/) { return true; }
  // kSubGroupReady and kSubGroupPipelined: Ready and Pipelined for one sub-group of a job.
  virtual bool SubGroupReady(const SubGroup& /*group*/) { return true; }
  virtual Vote SubGroupPipelined(const SubGroup& /*group*/) { return Vote::kAbstain; }

 protected:
  ~GatePolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_GATE_H_
