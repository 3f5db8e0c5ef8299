// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate (kube-batch): place the tasks of all jobs, and never take a placement back.
//
// Idea. Queues take turns by queue order. In its turn a queue gives one job, by job order, nodes for as many tasks
// as the job needs to be ready, or all it has; a job that is ready already gets one task a turn. A task fits a node
// where its request fits what is idle, or else what is being released, each alone, and goes to the best such node.
// Peer. kube-batch's allocate. Each placement counts at once; when the job is ready with it, all that is placed of
// the job is bound. A gang that cannot complete keeps what it has, undecided, until the cycle ends: others do
// without it. A placement on what is being released is a decision at once, ready or not. The first task without a
// node ends its job's part in the action. A queue has as many turns as it has jobs; a turn that finds it overused
// is lost, and so is one that finds no job left.
// Ties. The node of smallest index among equal scores. Cost. One query of the class's scoreboard a task.
#include <string>
#include <utility>

#include "lib/action/actions.h"
#include "lib/action/kube_batch.h"

namespace muster {
namespace {

class KubeBatchAllocate {
 public:
  explicit KubeBatchAllocate(ActionContext& context)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher),
        sheets_(tables_.jobs.alive.size()) {}

  void Run() {
    const auto queue_before = [&](QueueIndex a, QueueIndex b) {
      return dispatcher_.QueueBefore(a, b);
    };
    const auto job_before = [&](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(a, b); };
    using JobHeap = GoHeap<JobIndex, decltype(job_before)>;
    GoHeap<QueueIndex, decltype(queue_before)> queues(queue_before);
    std::vector<JobHeap> jobs(tables_.queues.alive.size(), JobHeap(job_before));
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      if (!tables_.jobs.alive[j]) continue;
      queues.Push(tables_.jobs.queue[j]);
      jobs[tables_.jobs.queue[j]].Push(j);
    }
    while (!queues.empty()) {
      const QueueIndex queue = queues.Pop();
      std::string_view who;
      if (dispatcher_.Overused(queue, &who)) {
        context_.ExplainQueue(queue, context_.QueueReason(ReasonKind::kQueueOverused, queue, who));
        continue;
      }
      if (jobs[queue].empty()) continue;
      if (context_.meter.Cut()) return;
      const JobIndex job = jobs[queue].Pop();
      if (TakeTurn(job)) jobs[queue].Push(job);
      queues.Push(queue);
    }
  }

 private:
  struct Worksheet {
    bool filled = false;
    std::vector<TaskIndex> tasks;  // in task order
    size_t next = 0;
    bool empty() const { return next == tasks.size(); }
  };

  // Whether the job wants another turn.
  bool TakeTurn(JobIndex job) {
    Worksheet& sheet = sheets_[job];
    if (!sheet.filled) {
      sheet.filled = true;
      sheet.tasks = KubeBatch::Waiting(context_, job);
      std::erase_if(sheet.tasks,
                    [&](TaskIndex t) { return KubeBatch::IsNothing(ledger_.request(t)); });
    }
    if (sheet.empty()) return false;
    context_.meter.Spend();
    while (!sheet.empty()) {
      const TaskIndex task = sheet.tasks[sheet.next++];
      context_.meter.Spend();
      if (!Place(task)) {
        ActionContext::ReasonPtr failure = context_.NoNode(context_.ClassOf(task));
        context_.Explain(task, failure);
        if (!dispatcher_.Ready(job)) ExplainGang(job, failure.get());
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

  void ExplainGang(JobIndex job, const Reason* failure) {
    Reason reason{ReasonKind::kGangWaits};
    reason.placed = ledger_.job(job).ready() + ledger_.job(job).nominated();
    reason.needed = tables_.jobs.spec[job].min_available;
    if (failure != nullptr) reason.refusals = failure->refusals;
    context_.ExplainJob(job, std::move(reason));
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  std::vector<Worksheet> sheets_;
};

void RunKubeBatchAllocate(ActionContext& context, const Options&) { KubeBatchAllocate(context).Run(); }

}  // namespace

ActionDecl KubeBatchAllocateAction() {
  return {"allocate", "place the tasks of all jobs, and keep what is placed", {}, RunKubeBatchAllocate};
}

}  // namespace muster
