// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// backfill: places tasks that request nothing.
//
// The pending tasks without a request of every admitted, valid job go to the best node that passes
// all fits but the comparison of resources. They go queue by queue, job by job, task by task; each
// order is total. Queue limits are not checked.
//
// Peer. Volcano's backfill. A placement counts at once. When the job is ready with it, all of the
// job's placed tasks are bound, also those that an earlier action left undecided. Nominated tasks
// without a request are taken back first and tried again.
//
// Cost. One query a task.
#include <algorithm>
#include <utility>

#include "lib/base/hash_map.h"
#include "lib/part/queue_round.h"
#include "lib/peer/volcano/action/fit_errors.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

class Backfill {
 public:
  explicit Backfill(ActionContext& context)
      : context_(context), tables_(context.tables), ledger_(context.ledger) {}

  void Run() {
    QueueRound round(context_);
    // Taking a nomination back changes how jobs compare: each is queued as the books are then.
    HashMap<JobIndex, std::vector<TaskIndex>> candidates;
    for (const JobIndex j : context_.waiting) {
      if (context_.IsPending(j) || !MayHaveCandidates(j) || !context_.dispatcher.Valid(j)) continue;
      std::vector<TaskIndex> tasks = Candidates(j);
      if (tasks.empty()) continue;
      candidates[j] = std::move(tasks);
      round.AddJob(j);
    }
    std::vector<std::vector<TaskIndex>> turns;
    while (!round.empty()) {
      const QueueIndex queue = round.PopQueue();
      while (round.HasJobs(queue)) {
        turns.push_back(context_.InTaskOrder(std::move(candidates[round.PopJob(queue)])));
      }
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
  bool IsCandidate(TaskIndex t) const {
    const TaskStatus status = ledger_.status(t);
    return context_.IsBestEffort(t) && !context_.IsGated(t) &&
           (status == TaskStatus::kPending ||
            (status == TaskStatus::kNominated && tables_.tasks.status[t] == TaskStatus::kPending));
  }
  bool MayHaveCandidates(JobIndex job) const {
    return ledger_.job(job).pending_best_effort > 0 || ledger_.job(job).nominated() > 0;
  }
  std::vector<TaskIndex> Candidates(JobIndex job) {
    std::vector<TaskIndex> tasks;
    for (TaskIndex t : tables_.jobs.tasks[job]) {
      if (!IsCandidate(t)) continue;
      tasks.push_back(t);
      if (ledger_.status(t) != TaskStatus::kNominated) continue;
      ledger_.Move(t, TaskStatus::kPending, kNone);
      context_.decisions.WithdrawNomination(t);
    }
    return tasks;
  }

  NodeIndex NodeFor(TaskIndex task) {
    NodeSearch& search = context_.search;
    if (!search.samples()) return search.Best(task, Want::kAnywhere);
    const ClassIndex c = context_.ClassOf(task);
    std::vector<uint8_t> except(tables_.nodes.alive.size(), 1);
    for (NodeIndex n : search.Sample(c, Want::kAnywhere, nullptr, nullptr, nullptr)) except[n] = 0;
    return search.BestExcept(task, Want::kAnywhere, except);
  }

  void Place(TaskIndex task) {
    const NodeIndex node = NodeFor(task);
    if (node == kNone) {
      context_.reasons.Explain(task, context_.reasons.NoNode(context_.ClassOf(task)));
      context_.memory<FitErrors>().NoteNoNode(task, Want::kAnywhere, nullptr);
      return;
    }
    ledger_.Move(task, TaskStatus::kPlaced, node);
    const JobIndex job = tables_.tasks.job[task];
    if (!context_.dispatcher.Ready(job)) return;
    for (TaskIndex t : tables_.jobs.tasks[job]) {
      if (ledger_.status(t) == TaskStatus::kPlaced) context_.decisions.Bind(t);
    }
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
};

void RunBackfill(ActionContext& context, const Options&) { Backfill(context).Run(); }

}  // namespace

ActionDecl BackfillAction() {
  return {"backfill", "places tasks that request nothing", {}, RunBackfill};
}

}  // namespace muster
