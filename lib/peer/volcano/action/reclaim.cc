// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// reclaim: queues take back what other queues borrowed.
//
// Queue by queue (an overused one is passed over), job by job: each pending task of a starving job
// for which its queue may still take resources goes to the first node, in index order, where
// evicting running tasks of other, reclaimable queues makes room. The policies name the victims,
// and together these must suffice. They go one by one until the request fits what will be idle. All
// of a job's moves are kept only if it is then pipelined.
//
// Peer. Volcano's reclaim. Nodes are not scored. A node without candidates is passed over even if
// the task would fit there. Fits and the queue's allowance are not checked again after evictions.
//
// Ties. Node index, then Go's heap order.
//
// Cost. O(nodes) a task, O(tasks) on the nodes looked into.
#include <string>

#include "lib/part/queue_round.h"
#include "lib/part/task_queue.h"
#include "lib/part/victims.h"
#include "lib/peer/volcano/action/failed_alike.h"
#include "lib/peer/volcano/action/fit_errors.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

class Reclaim {
 public:
  explicit Reclaim(ActionContext& context)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher),
        failures_(context, Point::kReclaimable),
        order_(context) {}

  void Run() {
    QueueRound round = StarvingRound(context_);
    while (!round.empty()) {
      const QueueIndex queue = round.PopQueue();
      if (!dispatcher_.MayTakeTurn(queue).ok()) continue;
      while (round.HasJobs(queue)) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        ForJob(queue, round.PopJob(queue));
        // A needless push of the peer: by then the queue has nothing left, but the push moves the
        // others.
        if (round.HasJobs(queue)) round.PushQueue(queue);
      }
    }
  }

 private:
  void ForJob(QueueIndex queue, JobIndex job) {
    Attempt attempt(context_);
    TaskQueue tasks(context_.dispatcher, context_.PendingTasks(job, /*with_best_effort=*/true));
    while (!tasks.empty() && dispatcher_.Starving(job)) {
      const TaskIndex task = tasks.Pop();
      context_.meter.Spend();
      if (tables_.tasks.flags[task] & kTaskNeverPreempts) continue;
      if (!dispatcher_.Preemptive(queue, ledger_.request(task)).ok()) continue;
      MakeRoom(queue, task);
    }
    const bool moved = !attempt.moves().empty();
    if (!CommitIfPipelined(context_, job, "reclaim", &attempt) && moved) first_with_room_.clear();
  }

  void MakeRoom(QueueIndex queue, TaskIndex task) {
    if (failures_.FailsLike(task)) return;
    if (TryNodes(queue, task)) return;
    failures_.Note(task, /*same_job=*/false, /*for_want_of_victims=*/true);
  }

  bool TryNodes(QueueIndex queue, TaskIndex task) {
    const std::vector<uint8_t>* hopeless = context_.memory<FitErrors>().hopeless(task);
    const ClassIndex c = context_.ClassOf(task);
    if (context_.search.samples()) {
      for (NodeIndex node :
           context_.search.Sample(c, Want::kEvicting, hopeless, nullptr, nullptr)) {
        if (CouldMakeRoom(context_, task, node) && TryNode(queue, task, node)) return true;
      }
      return false;
    }
    if (first_with_room_.size() <= c) first_with_room_.resize(tables_.classes.shape.size(), 0);
    NodeIndex& first = first_with_room_[c];
    bool none_before = !context_.search.FitDependsOnOthers(c) && !context_.search.ranks();
    return context_.search.VisitInOrder(c, Want::kEvicting, first, [&](NodeIndex node) {
      const bool room = CouldMakeRoom(context_, task, node);
      if (none_before) first = node;
      none_before &= !room;
      if (!room || (hopeless != nullptr && (*hopeless)[node])) return false;
      return TryNode(queue, task, node);
    });
  }

  bool TryNode(QueueIndex queue, TaskIndex task, NodeIndex node) {
    ListTasksOn(
        context_, node, [&](TaskIndex t) { return IsCandidate(queue, t); }, &candidates_);
    if (candidates_.empty()) return false;
    const std::vector<TaskIndex> victims = dispatcher_.Reclaimable(task, candidates_);
    if (!VictimsSuffice(context_, task, node, victims)) return false;
    Attempt attempt(context_);
    order_.Start(task, victims);
    const ClassIndex c = context_.ClassOf(task);
    gone_.clear();
    const auto fits = [&] { return context_.search.FitsFutureIdle(c, node); };
    if (!EvictUntil(context_, task, &order_, fits, &gone_)) return false;
    Nominate(context_, task, node, /*after_eviction=*/!gone_.empty());
    attempt.Keep();
    return true;
  }

  // Returns whether the victim is a running task of another queue that may be reclaimed from.
  bool IsCandidate(QueueIndex queue, TaskIndex victim) const {
    if (ledger_.status(victim) != TaskStatus::kRunning) return false;
    if (!(tables_.tasks.flags[victim] & kTaskPreemptable)) return false;
    const JobIndex job = tables_.tasks.job[victim];
    if (job == kNone) return false;
    const QueueIndex other = tables_.jobs.queue[job];
    return other != queue && tables_.queues.spec[other].reclaimable;
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  FailedAlike failures_;
  VictimOrder order_;
  std::vector<TaskIndex> candidates_, gone_;  // of one node; kept for their memory
  // By class: no node before this one can make room. Evicting moves an amount from what could be
  // evicted to what will be idle, and nominating takes from it. So only an undone job makes room.
  std::vector<NodeIndex> first_with_room_;
};

void RunReclaim(ActionContext& context, const Options&) { Reclaim(context).Run(); }

}  // namespace

ActionDecl ReclaimAction() {
  return {"reclaim",        "takes back what other queues borrowed", {}, RunReclaim,
          /*admits=*/false,
          /*evicts=*/true};
}

}  // namespace muster
