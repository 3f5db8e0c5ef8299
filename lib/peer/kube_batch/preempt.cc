// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// preempt (kube-batch): room for jobs, taken from running tasks of the same queue.
//
// Phase 1, queue by queue, the jobs of a queue by job order: each pending task of the job looks for
// a node where evicting running tasks of the queue's other jobs frees what it requests. As soon as
// the job is pipelined (its gang has a place), what it has gathered is decided; if that got it
// anything, it gets another turn, so that jobs go on growing beyond their gangs. A job that is not
// pipelined when its tasks are used up loses everything. Phase 2, after each queue, for all jobs of
// all queues: a task may take the place of running tasks of its own job. One task, one node after
// the other, best score first (equal scores: the last name in byte order first): the policies name
// the victims, together they must cover the request, and they go one by one until they do.
// Peer. kube-batch's preempt. What is idle or being released already does not count: on a node
// where the task would fit as it is, it still evicts. Being tried in one phase, without success
// even, a task is not tried again. A job that is pipelined already is decided after each task,
// whether that found a node or not.
// Ties. As said; victims by Go's heap under a comparison that is true both ways. Cost: O(nodes) to
// rank them a task, then the running tasks on the nodes tried.
#include <algorithm>
#include <string_view>

#include "lib/part/queue_round.h"
#include "lib/peer/kube_batch/actions.h"
#include "lib/peer/kube_batch/amounts.h"

namespace muster {
namespace {

class KubeBatchPreempt {
 public:
  explicit KubeBatchPreempt(ActionContext& context)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher),
        waiting_(tables_.jobs.alive.size()) {}

  void Run() {
    const JobTable& jobs = tables_.jobs;
    QueueRound round(context_);
    std::vector<uint8_t> has_jobs(tables_.queues.alive.size(), 0);
    for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
      if (!jobs.alive[j]) continue;
      has_jobs[jobs.queue[j]] = 1;
      if (ledger_.job(j).pending() == 0) continue;
      waiting_[j].tasks = KubeBatch::Waiting(context_, j);
      if (waiting_[j].empty()) continue;
      round.PushJob(j);
      candidates_.push_back(j);
    }
    for (QueueIndex queue = 0; queue < has_jobs.size(); ++queue) {
      if (!has_jobs[queue]) continue;
      while (round.HasJobs(queue)) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        const JobIndex job = round.PopJob(queue);
        if (BetweenJobs(job)) round.PushJob(job);
      }
      for (JobIndex job : candidates_) {
        if (waiting_[job].empty()) continue;
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        WithinJob(job);
      }
    }
  }

 private:
  // Returns whether the job gets another turn.
  bool BetweenJobs(JobIndex job) {
    KubeBatch::Worksheet& waiting = waiting_[job];
    const QueueIndex queue = tables_.jobs.queue[job];
    const auto may_go = [&](JobIndex other) {
      return other != job && tables_.jobs.queue[other] == queue;
    };
    Attempt attempt(context_);
    bool assigned = false, decided = false;
    while (!waiting.empty() && !decided) {
      context_.meter.Spend();
      assigned |= MakeRoom(waiting.Pop(), may_go);
      decided = dispatcher_.Pipelined(job);
    }
    return CommitIfPipelined(context_, job, "preempt", &attempt) && assigned;
  }

  void WithinJob(JobIndex job) {
    KubeBatch::Worksheet& waiting = waiting_[job];
    const auto may_go = [&](JobIndex other) { return other == job; };
    while (!waiting.empty()) {
      context_.meter.Spend();
      Attempt attempt(context_);
      if (!MakeRoom(waiting.Pop(), may_go)) return;
      attempt.Commit();
    }
  }

  // Nominates the task where running tasks of jobs that `may_go` make room. False: everything is as
  // before.
  template <typename MayGo>
  bool MakeRoom(TaskIndex task, const MayGo& may_go) {
    const auto worse = [&](const Ranked& a, const Ranked& b) {
      if (a.score != b.score) return a.score < b.score;
      return tables_.nodes.names.name(a.node) < tables_.nodes.names.name(b.node);
    };
    std::vector<Ranked> nodes = context_.search.RankForEviction(task, Want::kAnywhere);
    std::make_heap(nodes.begin(), nodes.end(), worse);
    while (!nodes.empty()) {
      std::pop_heap(nodes.begin(), nodes.end(), worse);
      const NodeIndex node = nodes.back().node;
      nodes.pop_back();
      KubeBatch::Candidates(context_, task, node, may_go, &running_);
      if (!running_.empty() && TryNode(task, node)) return true;
    }
    return false;
  }

  bool TryNode(TaskIndex task, NodeIndex node) {
    const std::vector<TaskIndex> victims = dispatcher_.Preemptable(task, running_);
    if (!KubeBatch::Suffice(context_, task, victims)) return false;
    const auto not_before = [&](TaskIndex a, TaskIndex b) { return !dispatcher_.TaskBefore(a, b); };
    GoHeap<TaskIndex, decltype(not_before)> heap(not_before);
    for (TaskIndex victim : victims) heap.Push(victim);
    std::vector<TaskIndex> gone;
    while (!KubeBatch::Suffice(context_, task, gone)) {
      gone.push_back(heap.Pop());
      Evict(context_, gone.back(), task);
    }
    Nominate(context_, task, node, /*after_eviction=*/true);
    return true;
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  std::vector<KubeBatch::Worksheet> waiting_;  // per job: tasks that neither phase has tried
  std::vector<JobIndex> candidates_;           // jobs that had waiting tasks when the action began
  std::vector<TaskIndex> running_;
};

void RunKubeBatchPreempt(ActionContext& context, const Options&) {
  KubeBatchPreempt(context).Run();
}

}  // namespace

ActionDecl KubeBatchPreemptAction() {
  return {"preempt",           "room for jobs, from running tasks of the same queue", {},
          RunKubeBatchPreempt,
          /*admits=*/false,
          /*evicts=*/true};
}

}  // namespace muster
