// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// reclaim (kube-batch): queues take back what other queues borrowed, a task a job.
//
// Queues take turns by queue order; in its turn a queue that is not overused gives its first job,
// by job order, one try: the job's first task goes to the first node, in index order, where the
// policies name victims among the running tasks of other queues that together cover its request.
// They go, in the order in which they are named, until they do. A queue with a try that fails has
// had its last turn.
// Peer. kube-batch's reclaim: evictions are decisions at once, whatever becomes of the job's gang;
// what is idle does not count; all queues are reclaimable.
// Ties. Node index, then task index. Cost. O(nodes) a job, O(tasks) on the nodes looked into.
#include "lib/part/queue_round.h"
#include "lib/peer/kube_batch/actions.h"
#include "lib/peer/kube_batch/amounts.h"

namespace muster {
namespace {

class KubeBatchReclaim {
 public:
  explicit KubeBatchReclaim(ActionContext& context)
      : context_(context), tables_(context.tables), dispatcher_(context.dispatcher) {}

  void Run() {
    const JobTable& jobs = tables_.jobs;
    QueueRound round(context_);
    std::vector<TaskIndex> first(jobs.alive.size(), kNone);
    for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
      if (!jobs.alive[j]) continue;
      round.AddQueue(jobs.queue[j]);
      if (context_.ledger.job(j).pending() == 0) continue;
      const std::vector<TaskIndex> waiting = KubeBatch::Waiting(context_, j);
      if (waiting.empty()) continue;
      first[j] = waiting.front();
      round.PushJob(j);
    }
    while (!round.empty()) {
      const QueueIndex queue = round.PopQueue();
      if (!dispatcher_.MayTakeTurn(queue).ok() || !round.HasJobs(queue)) continue;
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      if (MakeRoom(queue, first[round.PopJob(queue)])) round.PushQueue(queue);
    }
  }

 private:
  bool MakeRoom(QueueIndex queue, TaskIndex task) {
    const auto may_go = [&](JobIndex job) { return tables_.jobs.queue[job] != queue; };
    const ClassIndex c = context_.ClassOf(task);
    return context_.search.VisitInOrder(c, Want::kAnywhere, 0, [&](NodeIndex node) {
      KubeBatch::Candidates(context_, task, node, may_go, &running_);
      if (running_.empty()) return false;
      const std::vector<TaskIndex> victims = dispatcher_.Reclaimable(task, running_);
      if (!KubeBatch::Suffice(context_, task, victims)) return false;
      std::vector<TaskIndex> gone;
      while (!KubeBatch::Suffice(context_, task, gone)) {
        gone.push_back(victims[gone.size()]);
        KubeBatch::Evict(context_, gone.back(), task);
      }
      KubeBatch::Nominate(context_, task, node, /*after_eviction=*/true);
      return true;
    });
  }

  ActionContext& context_;
  const Tables& tables_;
  const Dispatcher& dispatcher_;
  std::vector<TaskIndex> running_;
};

void RunKubeBatchReclaim(ActionContext& context, const Options&) {
  KubeBatchReclaim(context).Run();
}

}  // namespace

ActionDecl KubeBatchReclaimAction() {
  return {"reclaim",           "queues take back what others borrowed, a task a job", {},
          RunKubeBatchReclaim,
          /*admits=*/false,
          /*evicts=*/true};
}

}  // namespace muster
