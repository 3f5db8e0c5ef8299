// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate (kube-batch): place the tasks of all jobs, and never take a placement back.
//
// Idea. Queues take turns by queue order. In its turn a queue gives one job, by job order, nodes
// for as many tasks as the job needs to be ready, or all it has; a job that is ready already gets
// one task a turn. A task fits a node where its request fits what is idle, or else what is being
// released, each alone, and goes to the best such node.
// Peer. kube-batch's allocate. Each placement counts at once; when the job is ready with it, all
// that is placed of the job is bound. A gang that cannot complete keeps what it has, undecided,
// until the cycle ends: others do without it. A placement on what is being released is a decision
// at once, ready or not. The first task without a node ends its job's part in the action. A queue
// has as many turns as it has jobs; a turn that finds it overused is lost, and so is one that finds
// no job left.
// Ties. The node of smallest index among equal scores. Cost. One query of the class's scoreboard a
// task; a turn for every job that waits where one queue has all jobs, and for every job where there
// are more.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/queue_round.h"
#include "lib/peer/kube_batch/actions.h"
#include "lib/peer/kube_batch/amounts.h"

namespace muster {
namespace {

class KubeBatchAllocate {
 public:
  explicit KubeBatchAllocate(ActionContext& context)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher) {}

  void Run() {
    std::vector<QueueIndex> queues;  // with jobs
    for (QueueIndex q = 0; q < tables_.queues.alive.size(); ++q) {
      if (tables_.queues.alive[q] && tables_.queues.jobs[q] > 0) queues.push_back(q);
    }
    if (queues.size() == 1) {
      RunAlone(queues[0]);
    } else if (context_.waiting.empty()) {
      ExplainOverused(std::move(queues));
    } else {
      RunInTurns();
    }
  }

 private:
  // No other queue is between two turns of the queue. A job's place in the order moves with nothing
  // but what is placed of the job itself, which is out of the heap by then: so those with
  // nothing to place need not be compared with the others.
  void RunAlone(QueueIndex queue) {
    QueueRound round(context_);
    for (const JobIndex job : context_.waiting) round.PushJob(job);
    while (!IsOverused(queue) && round.HasJobs(queue)) {
      const JobIndex job = round.PopJob(queue);
      if (!HasTurn(job)) continue;
      if (context_.meter.Cut()) return;
      if (TakeTurn(job)) round.PushJob(job);
    }
  }

  // Which queue is next depends on how the heap has been shuffled by all turns before, idle ones
  // too. Only those after the last job with tasks to place are as good as not taken.
  void RunInTurns() {
    QueueRound round(context_);
    size_t wanting = context_.waiting.size();
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      if (!tables_.jobs.alive[j]) continue;
      round.PushQueue(tables_.jobs.queue[j]);
      round.PushJob(j);
    }
    while (wanting > 0 && !round.empty()) {
      const QueueIndex queue = round.PopQueue();
      if (IsOverused(queue) || !round.HasJobs(queue)) continue;
      const JobIndex job = round.PopJob(queue);
      // An idle turn is no work, so a budget that the cycle's work uses up does not cut it.
      const bool acts = HasTurn(job);
      if (acts && context_.meter.Cut()) return;
      if (acts && TakeTurn(job)) {
        round.PushJob(job);
      } else {
        wanting -= std::ranges::binary_search(context_.waiting, job);
      }
      round.PushQueue(queue);
    }
    ExplainOverused(round.queues());
  }

  // What turns find that no queue takes.
  void ExplainOverused(std::vector<QueueIndex> queues) {
    std::ranges::sort(queues);
    queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
    for (const QueueIndex queue : queues) (void)IsOverused(queue);
  }

  bool IsOverused(QueueIndex queue) {
    const Verdict verdict = dispatcher_.MayTakeTurn(queue);
    if (verdict.ok()) return false;
    context_.reasons.ExplainQueue(
        queue, context_.reasons.QueueReason(ReasonKind::kQueueOverused, queue, verdict));
    return true;
  }

  // Returns whether a turn of the job would try a task.
  bool HasTurn(JobIndex job) {
    if (ledger_.job(job).pending() == 0) return false;
    const auto [at, added] = sheets_.try_emplace(job);
    KubeBatch::Worksheet& sheet = at->second;
    if (added) {
      sheet.tasks = KubeBatch::Waiting(context_, job);
      std::erase_if(sheet.tasks,
                    [&](TaskIndex t) { return KubeBatch::IsNothing(ledger_.request(t)); });
    }
    return !sheet.empty();
  }

  // Returns whether the job gets another turn. REQUIRES: HasTurn(job).
  bool TakeTurn(JobIndex job) {
    KubeBatch::Worksheet& sheet = sheets_.find(job)->second;
    context_.meter.Spend();
    while (!sheet.empty()) {
      const TaskIndex task = sheet.Pop();
      context_.meter.Spend();
      if (!Place(task)) {
        ReasonPtr failure = context_.reasons.NoNode(context_.ClassOf(task));
        context_.reasons.Explain(task, failure);
        if (!dispatcher_.Ready(job)) ExplainGang(job, failure);
        return false;
      }
      if (dispatcher_.Ready(job) && !sheet.empty()) return true;
    }
    if (!dispatcher_.Ready(job)) ExplainGang(job, nullptr);
    return false;
  }

  bool Place(TaskIndex task) {
    const NodeIndex node = context_.search.Best(task, Want::kEither);
    if (node == kNone) return false;
    if (context_.search.FitsIdle(context_.ClassOf(task), node)) {
      KubeBatch::Allocate(context_, task, node);
    } else {
      KubeBatch::Nominate(context_, task, node, /*after_eviction=*/false);
    }
    return true;
  }

  void ExplainGang(JobIndex job, const ReasonPtr& failure) {
    const JobCounts& counts = ledger_.job(job);
    context_.reasons.ExplainJob(
        job,
        context_.reasons.GangReason(ReasonKind::kGangWaits, counts.ready() + counts.nominated(),
                                    tables_.jobs.spec[job].min_available, failure));
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  HashMap<JobIndex, KubeBatch::Worksheet> sheets_;
};

void RunKubeBatchAllocate(ActionContext& context, const Options&) {
  KubeBatchAllocate(context).Run();
}

}  // namespace

ActionDecl KubeBatchAllocateAction() {
  return {
      "allocate", "place the tasks of all jobs, and keep what is placed", {}, RunKubeBatchAllocate};
}

}  // namespace muster
