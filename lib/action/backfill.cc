// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// backfill: a place for tasks that request nothing.
//
// Every admitted, valid job's pending tasks without a request, queue by queue, job by job, task by task, each order
// total, go to the best node that passes all fits but the comparison of resources. No queue is asked for leave.
// Peer. Volcano's backfill: a placement counts at once, and when the job is ready with it, all of the job's placed
// tasks are bound, also those that an earlier action had left undecided. Nominated tasks without a request are
// taken back first and tried again.
// Cost. One query a task.
#include <algorithm>

#include "lib/action/actions.h"

namespace muster {
namespace {

class Backfill {
 public:
  explicit Backfill(ActionContext& context)
      : context_(context), tables_(context.tables), ledger_(context.ledger) {}

  void Run() {
    const JobTable& jobs = tables_.jobs;
    std::vector<std::vector<JobIndex>> by_queue(tables_.queues.alive.size());
    std::vector<QueueIndex> queues;
    for (const JobIndex j : context_.waiting) {
      if (context_.IsPending(j) || !HasCandidates(j) || !context_.dispatcher.Valid(j)) {
        continue;
      }
      if (by_queue[jobs.queue[j]].empty()) queues.push_back(jobs.queue[j]);
      by_queue[jobs.queue[j]].push_back(j);
    }
    std::vector<std::vector<TaskIndex>> turns;
    const Dispatcher& dispatcher = context_.dispatcher;
    GoHeap<QueueIndex, QueueLess> queue_heap(QueueLess{&dispatcher});
    for (QueueIndex q : queues) queue_heap.Push(q);
    while (!queue_heap.empty()) {
      GoHeap<JobIndex, JobLess> job_heap(JobLess{&dispatcher});
      for (JobIndex j : by_queue[queue_heap.Pop()]) job_heap.Push(j);
      while (!job_heap.empty()) turns.push_back(Candidates(job_heap.Pop()));
    }
    for (const auto& tasks : turns) {
      for (TaskIndex task : tasks) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        Place(task);
      }
    }
  }

 private:
  struct QueueLess {
    const Dispatcher* dispatcher;
    bool operator()(QueueIndex a, QueueIndex b) const { return dispatcher->QueueBefore(a, b); }
  };
  struct JobLess {
    const Dispatcher* dispatcher;
    bool operator()(JobIndex a, JobIndex b) const { return dispatcher->JobBefore(a, b); }
  };

  bool IsCandidate(TaskIndex t) const {
    const TaskStatus status = ledger_.status(t);
    return context_.IsBestEffort(t) && !context_.IsGated(t) &&
           (status == TaskStatus::kPending ||
            (status == TaskStatus::kNominated && tables_.tasks.status[t] == TaskStatus::kPending));
  }
  bool HasCandidates(JobIndex job) const {
    if (ledger_.job(job).pending_best_effort == 0 && ledger_.job(job).nominated() == 0)
      return false;
    const auto& tasks = tables_.jobs.tasks[job];
    return std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex t) { return IsCandidate(t); });
  }
  std::vector<TaskIndex> Candidates(JobIndex job) {
    for (TaskIndex t : tables_.jobs.tasks[job]) {
      if (!IsCandidate(t) || ledger_.status(t) != TaskStatus::kNominated) continue;
      ledger_.Move(t, TaskStatus::kPending, kNone);
      context_.WithdrawNomination(t);
    }
    std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
    std::erase_if(tasks, [&](TaskIndex t) { return !context_.IsBestEffort(t); });
    return tasks;
  }

  void Place(TaskIndex task) {
    const ClassIndex c = context_.ClassOf(task);
    const NodeIndex node = context_.search.Best(c, Want::kAnywhere);
    if (node == kNone) {
      context_.Explain(task, context_.NoNode(c));
      return;
    }
    ledger_.Move(task, TaskStatus::kPlaced, node);
    const JobIndex job = tables_.tasks.job[task];
    if (!context_.dispatcher.Ready(job)) return;
    for (TaskIndex t : tables_.jobs.tasks[job]) {
      if (ledger_.status(t) == TaskStatus::kPlaced) context_.Bind(t);
    }
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
};

void Run(ActionContext& context, const Options&) { Backfill(context).Run(); }

}  // namespace

ActionDecl BackfillAction() {
  return {"backfill", "a place for tasks that request nothing", {}, Run};
}

}  // namespace muster
