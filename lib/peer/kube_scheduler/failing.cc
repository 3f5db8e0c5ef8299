// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods that found no node: they try to make room, alone or together with others, and go back to the
// queue.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/kube_scheduler/scheduler.h"
#include "lib/peer/kube_scheduler/trace.h"

namespace muster::kube {

// The pod found no node: it tries to make room together with others, and goes back to the queue.
// So does a pod that was refused before all nodes, where FailPod does not try: no other plug-in's
// step after filtering comes before such an attempt.
void Scheduler::FailJointly(std::unique_ptr<Entity> entity, PodCycle* failed, AttemptTrace* trace) {
  AttemptTrace& attempt = *trace;
  const TaskIndex task = failed->task();
  const std::string name = entity->name;
  const JointPreemption joint = extra_->PreemptJointly(
      *failed, &nominations_, tables_.tasks.flags[task] & kTaskNeverPreempts);
  const Rejection rejection = extra_->NothingFits(*failed, joint.message.empty());
  std::string after = joint.message.empty() ? "" : absl::StrCat("preemption: ", joint.message);
  if (!after.empty() && !rejection.message.empty()) absl::StrAppend(&after, ", ");
  attempt.failed = true;
  attempt.message = FailureText(world_, *failed, after + rejection.message);
  attempt.deleted = joint.victims;
  attempt.nominations = joint.places;
  if (settings_.traces) trace_ = TraceOf(world_, attempt);
  unplaced_[task] = {attempt.message, RefusalsOf(world_, *failed)};
  queue_.Fail(std::move(entity), failed->rejectors());
  RejectWith(rejection, name);
  if (!joint.rejection.rejected.empty()) RejectWaiting(joint.rejection);
  Preempt(joint.victims, task);
  for (const auto& [pod, node] : joint.places) {
    if (node != kNone) WithdrawBelow(node, world_.priority(task));
  }
  for (const auto& [pod, node] : joint.places) {
    // A pod that waited since an earlier plan is evicted.
    if (queue_.FindMember(tables_.tasks.names.name(pod)) == nullptr) continue;
    if (node != kNone) made_.push_back({Made::Kind::kNominate, pod, node});
    SetNomination(std::string(tables_.tasks.names.name(pod)), node);
  }
}

// What default preemption and the plug-ins behind it had to say.
std::string Scheduler::AfterFiltering(const Preemption& preemption,
                                      const Rejection& rejection) const {
  std::string text = preemption.message();
  const bool own_words = extra_ != nullptr && extra_->ReplacesPreemption();
  if (!text.empty() && !own_words) text = absl::StrCat("preemption: ", text);
  if (text.empty() || rejection.message.empty()) return text + rejection.message;
  return absl::StrCat(text, ", ", rejection.message);
}

// The pod found no node: it tries preemption, and goes back to the queue.
void Scheduler::FailPod(std::unique_ptr<Entity> entity, PodCycle* failed, AttemptTrace* trace) {
  PodCycle& cycle = *failed;
  AttemptTrace& attempt = *trace;
  const TaskIndex task = cycle.task();
  const std::string name = entity->name;
  Preemption preemption(world_, settings_, nominations_, &dry_runs_, now_);
  Rejection rejection;
  std::string after;
  if (!cycle.rejected_by_pre_filter() || cycle.rejected_by_extra()) {
    const bool replaced = extra_ != nullptr && extra_->ReplacesPreemption();
    if (settings_.preempts || replaced) {
      preemption.Try(cycle, tables_.tasks.flags[task] & kTaskNeverPreempts);
    }
    if (extra_ != nullptr) {
      rejection = extra_->NothingFits(cycle, preemption.chosen() != nullptr);
    }
    after = AfterFiltering(preemption, rejection);
  }
  attempt.preemption = &preemption;
  attempt.failed = true;
  attempt.message = FailureText(world_, cycle, after);
  unplaced_[task] = {attempt.message, RefusalsOf(world_, cycle)};
  queue_.Fail(std::move(entity), cycle.rejectors());
  nominations_.Set(task, nominations_.of(task));
  if (const Candidate* candidate = preemption.chosen()) {
    for (const TaskIndex t : candidate->victims) {
      if (!world_.terminating(t)) attempt.deleted.push_back(t);
    }
    attempt.nominates = true;
    attempt.nominated = candidate->node;
    for (const TaskIndex t : nominations_.on(candidate->node)) {
      if (world_.priority(t) < world_.priority(task)) attempt.nominations.emplace_back(t, kNone);
    }
    if (nominations_.of(task) != candidate->node)
      attempt.nominations.emplace_back(task, candidate->node);
    if (settings_.traces) trace_ = TraceOf(world_, attempt);
    Preempt(attempt.deleted, task);
    WithdrawBelow(candidate->node, world_.priority(task));
    made_.push_back({Made::Kind::kNominate, task, candidate->node});
    SetNomination(name, candidate->node);
    RejectWith(rejection, name);
    return;
  }
  attempt.nominates = preemption.tried();
  if (attempt.nominates && nominations_.of(task) != kNone) {
    attempt.nominations.emplace_back(task, kNone);
  }
  if (settings_.traces) trace_ = TraceOf(world_, attempt);
  if (attempt.nominates) SetNomination(name, kNone);
  RejectWith(rejection, name);
}

}  // namespace muster::kube
