// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tasks for which no victims made room, and whether another fails in the same way.
//
//   FailedAlike failures(context, Point::kReclaimable);
//   if (failures.FailsLike(task)) return false;
//   if (Search(task)) return true;
//   failures.Note(task, /*same_job=*/false, /*for_want_of_victims=*/true);
//
// Tasks of one job, class and priority are equal to all rules, and the tasks of a gang come one
// after the other. While the books are as they were, the second finds what the first found. It
// passes over no fewer nodes: a task that allocate gave no hope on some nodes stands for itself
// alone. Where nodes are sampled, each search has a sample of its own, and nothing is kept.
//
// A backlog is many gangs of few kinds. A task stands for those of other jobs, too, if all policies
// that name victims judge such evictors alike (lib/extension/alike_evictors.h), neither job holds
// anything, and the search failed because victims were too few on each node. Then nothing that
// depends on the job was asked about: which tasks are candidates depends on its queue, and which
// nodes fit on the class. A class with a fit that depends on other nodes, and a role of unlike
// tasks, have a memory of nodes of their own (role_memory.h), and stand for themselves. A job that
// holds nothing has no victims of its own: where those of others were too few, none are, too.
// Where no node fits one such job without evictions, none fits another such job that is equal.
// Cost. O(1), and O(tasks of the role's job) once for a job.
#ifndef MUSTER_PEER_VOLCANO_ACTION_FAILED_ALIKE_H_
#define MUSTER_PEER_VOLCANO_ACTION_FAILED_ALIKE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/alike_evictors.h"
#include "lib/part/context.h"
#include "lib/peer/volcano/action/fit_errors.h"

namespace muster {

class FailedAlike {
 public:
  // `point`: where the policies name victims.
  FailedAlike(ActionContext& context, Point point)
      : context_(context),
        errors_(context.memory<FitErrors>()),
        alike_(JudgeEvictorsAlike(context.dispatcher, point)) {}

  // `same_job`: victims are looked for among the tasks of its own job.
  bool FailsLike(TaskIndex task, bool same_job = false) {
    if (!context_.ledger.SameAs(moment_)) return false;
    if (last_ != kNone && same_job == same_job_ && JobOf(task) == JobOf(last_) &&
        AreAlike(context_.tables, task, last_)) {
      return true;
    }
    if ((between_jobs_.empty() && within_jobs_.empty()) || !StandsForAnyJob(task)) return false;
    return Has(between_jobs_, task) || (same_job && Has(within_jobs_, task));
  }

  // `for_want_of_victims`: there were too few on each node, and nothing else was asked.
  void Note(TaskIndex task, bool same_job, bool for_want_of_victims) {
    if (!context_.ledger.SameAs(moment_)) {
      between_jobs_.clear();
      within_jobs_.clear();
    }
    moment_ = context_.ledger.moment();
    const bool stands_for_others = errors_.hopeless(task) == nullptr && !context_.search.samples();
    last_ = stands_for_others ? task : TaskIndex(kNone);
    same_job_ = same_job;
    if (stands_for_others && for_want_of_victims && StandsForAnyJob(task)) {
      (same_job ? within_jobs_ : between_jobs_)[KeyOf(task)].push_back(task);
    }
  }

 private:
  using Tasks = HashMap<uint64_t, std::vector<TaskIndex>>;  // by queue and class

  bool Has(const Tasks& failed, TaskIndex task) const {
    const auto known = failed.find(KeyOf(task));
    return known != failed.end() && std::ranges::any_of(known->second, [&](TaskIndex t) {
             return AreAlike(context_.tables, task, t);
           });
  }
  JobIndex JobOf(TaskIndex task) const { return context_.tables.tasks.job[task]; }
  uint64_t KeyOf(TaskIndex task) const {
    return uint64_t{context_.QueueOf(task)} << 32 | context_.ClassOf(task);
  }
  bool StandsForAnyJob(TaskIndex task) {
    return alike_ && HoldsNothing(JobOf(task)) &&
           !context_.search.FitDependsOnOthers(context_.ClassOf(task)) &&
           !errors_.IsMixed(JobOf(task), context_.tables.tasks.group[task]);
  }
  bool HoldsNothing(JobIndex job) const {
    const auto holds = context_.ledger.job_allocated(job);
    return context_.ledger.job(job).allocated() == 0 &&
           std::ranges::all_of(holds, [](int64_t amount) { return amount == 0; });
  }

  ActionContext& context_;
  FitErrors& errors_;
  const bool alike_;
  Ledger::Moment moment_;  // all that follows holds on these books
  TaskIndex last_ = kNone;
  bool same_job_ = false;
  // Tasks that stand for those of any job, by where victims were looked for.
  Tasks between_jobs_, within_jobs_;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_FAILED_ALIKE_H_
