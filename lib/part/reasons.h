// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why tasks wait: the reasons of a cycle, the latest attempt of each task, job and queue.
//
//   reasons.Explain(task, reasons.NoNode(task_class));
//   reasons.ExplainJob(job, reasons.GangUndone(job, "reclaim"));   // for tasks without one
//   reasons.ExplainQueue(queue, reasons.QueueReason(queue, verdict));
//
// Tasks with the same reason share one object, so a cycle that refuses a million tasks makes few.
// Where the plan is to have no reasons, what is explained is dropped, and a reason that is made has
// its kind alone.
//
// Cost. O(1) a reason; NoNode counts the refusals of all nodes once a class while the books stay
// the same.
#ifndef MUSTER_PART_REASONS_H_
#define MUSTER_PART_REASONS_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "lib/base/hash_map.h"
#include "lib/extension/cycle.h"
#include "lib/ledger/ledger.h"
#include "lib/search/node_search.h"
#include "muster/plan.h"

namespace muster {

using ReasonPtr = std::shared_ptr<const Reason>;

// Returns why the queue refuses a task.
inline ReasonKind QueueRefusal(const Verdict& verdict) {
  switch (verdict.cause) {
    case Cause::kClosed:
      return ReasonKind::kQueueClosed;
    case Cause::kTree:
      return ReasonKind::kQueueTree;
    case Cause::kDeserved:
      return ReasonKind::kQueueDeserved;
    case Cause::kSpending:
      return ReasonKind::kQueueSpending;
    case Cause::kLimit:
      break;
  }
  return ReasonKind::kQueueLimit;
}

class Reasons {
 public:
  // Both must outlive this. `wanted` false: the plan is to have no reasons.
  Reasons(const Ledger& ledger, NodeSearch& search, bool wanted = true)
      : ledger_(ledger), search_(search), wanted_(wanted) {}

  bool wanted() const { return wanted_; }

  // --- replace the reason of a task; of the tasks of a job that have none; of a queue
  void Explain(TaskIndex task, ReasonPtr reason) {
    if (wanted_) of_task_[task] = std::move(reason);
  }
  void Explain(TaskIndex task, Reason reason) {
    if (wanted_) of_task_[task] = Share(std::move(reason));
  }
  void ExplainJob(JobIndex job, ReasonPtr reason) {
    if (wanted_) of_job_[job] = std::move(reason);
  }
  void ExplainJob(JobIndex job, Reason reason) {
    if (wanted_) of_job_[job] = Share(std::move(reason));
  }
  void ExplainQueue(QueueIndex queue, Reason reason) {
    if (wanted_) of_queue_[queue] = Share(std::move(reason));
  }
  void Forget(TaskIndex task) {
    if (wanted_) of_task_.erase(task);
  }

  // --- make a reason
  // Returns kNoNode with the refusals of the class on the books as they are.
  ReasonPtr NoNode(ClassIndex c);
  // Returns the reason of a gang with `placed` of `needed` tasks. `failure` (may be null) is the
  // refusal of the task that ended the attempt. Gangs that are refused alike share the object.
  ReasonPtr GangReason(ReasonKind kind, int64_t placed, int64_t needed, const ReasonPtr& failure);
  // Returns kGangUndone, with the number of the job's tasks that have or are promised a place on
  // the books as they are. `action`: the action that undid its moves, where no task's refusal ended
  // the attempt.
  Reason GangUndone(JobIndex job, std::string_view action) const;
  // Returns a refusal of the queue, with all that the verdict has.
  Reason QueueReason(ReasonKind kind, QueueIndex queue, const Verdict& verdict) const;
  Reason QueueReason(QueueIndex queue, const Verdict& verdict) const {
    return QueueReason(QueueRefusal(verdict), queue, verdict);
  }

  // --- the reasons in force; null: there is none
  const Reason* of_task(TaskIndex task) const { return Find(of_task_, task); }
  const Reason* of_job(JobIndex job) const { return Find(of_job_, job); }
  const Reason* of_queue(QueueIndex queue) const { return Find(of_queue_, queue); }

 private:
  static ReasonPtr Share(Reason reason) {
    return std::make_shared<const Reason>(std::move(reason));
  }
  static const Reason* Find(const HashMap<uint32_t, ReasonPtr>& reasons, uint32_t key) {
    const auto it = reasons.find(key);
    return it == reasons.end() ? nullptr : it->second.get();
  }

  const Ledger& ledger_;
  NodeSearch& search_;
  const bool wanted_;
  ReasonPtr none_;  // kNoNode by itself, once it was asked for
  HashMap<uint32_t, ReasonPtr> of_task_, of_job_, of_queue_;
  struct OfBooks {
    uint64_t content = 0;
    ReasonPtr reason;
  };
  HashMap<ClassIndex, OfBooks> no_node_;
  struct OfGangs {
    ReasonPtr failure, reason;
  };
  HashMap<const Reason*, OfGangs> of_gangs_;  // the latest by failure, which it keeps alive
};

}  // namespace muster

#endif  // MUSTER_PART_REASONS_H_
