// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The last task for which no victims made room, and whether another fails in the same way.
//
//   FailedAlike failures(context);
//   if (failures.FailsLike(task)) return false;
//   if (Search(task)) return true;
//   failures.Note(task);
//
// Tasks of one job, class and priority are equal to all rules, and the tasks of a gang come one
// after the other. While the books are as they were, the second finds what the first found. It
// passes over no fewer nodes: a task that allocate gave no hope on some nodes stands for itself
// alone. Where nodes are sampled, each search has a sample of its own, and nothing is kept.
// Cost. O(1).
#ifndef MUSTER_PEER_VOLCANO_ACTION_FAILED_ALIKE_H_
#define MUSTER_PEER_VOLCANO_ACTION_FAILED_ALIKE_H_

#include "lib/part/context.h"
#include "lib/peer/volcano/action/fit_errors.h"

namespace muster {

class FailedAlike {
 public:
  explicit FailedAlike(ActionContext& context)
      : context_(context), errors_(context.memory<FitErrors>()) {}

  // `same_job`: victims are looked for among the tasks of its own job.
  bool FailsLike(TaskIndex task, bool same_job = false) const {
    return failed_ != kNone && same_job == same_job_ && context_.ledger.SameAs(moment_) &&
           IsLike(task);
  }
  void Note(TaskIndex task, bool same_job = false) {
    const bool stands_for_others = errors_.hopeless(task) == nullptr && !context_.search.samples();
    failed_ = stands_for_others ? task : TaskIndex(kNone);
    same_job_ = same_job;
    moment_ = context_.ledger.moment();
  }

 private:
  bool IsLike(TaskIndex task) const {
    const TaskTable& tasks = context_.tables.tasks;
    return tasks.job[task] == tasks.job[failed_] &&
           context_.ClassOf(task) == context_.ClassOf(failed_) &&
           tasks.priority[task] == tasks.priority[failed_] &&
           tasks.flags[task] == tasks.flags[failed_];
  }

  const ActionContext& context_;
  const FitErrors& errors_;
  TaskIndex failed_ = kNone;
  bool same_job_ = false;
  Ledger::Moment moment_;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_FAILED_ALIKE_H_
