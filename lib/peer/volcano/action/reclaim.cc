// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// reclaim: queues take back what other queues borrowed.
//
// Queue by queue (an overused one is passed over), job by job: each pending task of a starving job for which its
// queue may still take resources goes to the first node, in index order, where evicting running tasks of other,
// reclaimable queues makes room. The policies name the victims, together they must suffice, and they go one by
// one until the request fits what will be idle. All of a job's moves are kept only if it is then pipelined.
// Peer. Volcano's reclaim: nodes are not scored, a node without candidates is passed over even if the task would
// fit there, and neither fits nor the queue's allowance are looked at again after evictions.
// Ties: node index, then Go's heap order. Cost: O(nodes) a task, O(tasks) on the nodes looked into.
#include <string>

#include "lib/part/eviction.h"
#include "lib/part/queue_walk.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

class Reclaim {
 public:
  explicit Reclaim(ActionContext& context)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher) {}

  void Run() {
    QueueWalk walk(context_);
    while (!walk.queues.empty()) {
      const QueueIndex queue = walk.queues.Pop();
      if (!dispatcher_.MayTakeTurn(queue).ok()) continue;
      while (!walk.jobs_of[queue].empty()) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        ForJob(queue, walk.jobs_of[queue].Pop());
        // The peer's needless push: by then the queue has nothing left, but it moves the others.
        if (!walk.jobs_of[queue].empty()) walk.queues.Push(queue);
      }
    }
  }

 private:
  void ForJob(QueueIndex queue, JobIndex job) {
    const Ledger::Savepoint before = ledger_.Save();
    TaskQueue tasks(context_, context_.PendingTasks(job, /*with_best_effort=*/true));
    while (!tasks.empty() && dispatcher_.Starving(job)) {
      const TaskIndex task = tasks.Pop();
      context_.meter.Spend();
      if (tables_.tasks.flags[task] & kTaskNeverPreempts) continue;
      if (!dispatcher_.Preemptive(queue, ledger_.request(task)).ok()) continue;
      MakeRoom(queue, task);
    }
    if (dispatcher_.Pipelined(job)) {
      context_.Commit(before);
      return;
    }
    if (ledger_.log().size() == before.position) return;
    Reason reason{ReasonKind::kGangUndone};
    reason.policy = "reclaim";
    reason.placed = ledger_.job(job).ready() + ledger_.job(job).nominated();
    reason.needed = tables_.jobs.spec[job].min_available;
    ledger_.Rollback(before);
    first_with_room_.clear();
    context_.ExplainJob(job, std::move(reason));
  }

  bool MakeRoom(QueueIndex queue, TaskIndex task) {
    const std::vector<uint8_t>* hopeless = context_.fit_errors.hopeless(task);
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
    candidates_.clear();
    for (TaskIndex t : ledger_.tasks_on(node)) {
      if (ledger_.status(t) != TaskStatus::kRunning) continue;
      if (!(tables_.tasks.flags[t] & kTaskPreemptable)) continue;
      const JobIndex job = tables_.tasks.job[t];
      if (job == kNone) continue;
      const QueueIndex other = tables_.jobs.queue[job];
      if (other == queue || !tables_.queues.spec[other].reclaimable) continue;
      candidates_.push_back(t);
    }
    if (candidates_.empty()) return false;
    const std::vector<TaskIndex> victims = dispatcher_.Reclaimable(task, candidates_);
    if (!VictimsSuffice(context_, task, node, victims)) return false;
    const Ledger::Savepoint before = ledger_.Save();
    VictimOrder order(context_, task, victims);
    bool evicted = false;
    while (!context_.search.FitsFutureIdle(context_.ClassOf(task), node)) {
      if (order.empty()) {
        ledger_.Rollback(before);
        return false;
      }
      Evict(context_, order.Pop(), task);
      evicted = true;
    }
    ledger_.Move(task, TaskStatus::kNominated, node);
    context_.NoteNominatedAfterEviction(task, evicted);
    return true;
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  std::vector<TaskIndex> candidates_;
  // Per class: no node before this one can make room. Evicting moves an amount from what could be evicted to what
  // will be idle and nominating takes from it, so only an undone job makes room.
  std::vector<NodeIndex> first_with_room_;
};

void RunReclaim(ActionContext& context, const Options&) { Reclaim(context).Run(); }

}  // namespace

ActionDecl ReclaimAction() {
  return {"reclaim",        "queues take back what other queues borrowed", {}, RunReclaim,
          /*admits=*/false,
          /*evicts=*/true};
}

}  // namespace muster
