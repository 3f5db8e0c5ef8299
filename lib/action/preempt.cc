// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// preempt: room for starving jobs, taken from lesser jobs of the same queue.
//
// Phase 1, queue by queue and job by job: each pending task of a starving job looks for a node where evicting tasks
// of other jobs of the queue makes room; the whole of it is kept only if the job is then pipelined (its gang has a
// place). Phase 2: tasks of a job may take the place of lesser tasks of the same job; each such exchange stands
// alone.
// One task, one node after the other, best score first: the policies name the victims, together they must suffice,
// and they go one by one - least important first - until the task is allocatable in its queue, fits what will be
// idle, and passes every fit again. A node where it fits without eviction is taken as it is.
// Peer. Volcano's preempt, the normal variant. Guarantee: no more victims than needed on the chosen node in victim
// order; not minimal over nodes. Ties: node index, then Go's heap order. Cost: O(nodes) to rank them a task, then
// the nodes tried.
#include <algorithm>
#include <string>

#include "lib/action/actions.h"
#include "lib/action/eviction.h"
#include "lib/action/role_memory.h"

namespace muster {
namespace {

class Preempt {
 public:
  explicit Preempt(ActionContext& context)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        dispatcher_(context.dispatcher),
        memory_(context) {}

  void Run() {
    const JobTable& jobs = tables_.jobs;
    const auto queue_before = [&](QueueIndex a, QueueIndex b) {
      return dispatcher_.QueueBefore(a, b);
    };
    const auto job_before = [&](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(a, b); };
    using JobHeap = GoHeap<JobIndex, decltype(job_before)>;
    GoHeap<QueueIndex, decltype(queue_before)> queues(queue_before);
    std::vector<std::vector<JobIndex>> candidates(tables_.queues.alive.size());
    std::vector<JobHeap> heaps(candidates.size(), JobHeap(job_before));
    for (const JobIndex j : context_.waiting) {
      if (ledger_.job(j).pending() == 0 || context_.IsPending(j) ||
          jobs.spec[j].topology.has_value() || !dispatcher_.Valid(j) || !dispatcher_.Starving(j)) {
        continue;
      }
      const QueueIndex queue = jobs.queue[j];
      if (candidates[queue].empty()) queues.Push(queue);
      candidates[queue].push_back(j);
      heaps[queue].Push(j);
    }
    while (!queues.empty()) {
      const QueueIndex queue = queues.Pop();
      while (!heaps[queue].empty()) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        BetweenJobs(heaps[queue].Pop());
      }
      for (JobIndex job : candidates[queue]) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        WithinJob(job);
      }
    }
  }

 private:
  void BetweenJobs(JobIndex job) {
    const Ledger::Savepoint before = ledger_.Save();
    const std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
    size_t next = 0;
    while (next < tasks.size() && dispatcher_.Starving(job)) {
      context_.meter.Spend();
      MakeRoom(tasks[next++], /*same_job=*/false);
    }
    if (dispatcher_.Pipelined(job)) {
      context_.Commit(before);
      return;
    }
    if (ledger_.log().size() == before.position) return;
    Reason reason{ReasonKind::kGangUndone};
    reason.policy = "preempt";
    reason.placed = ledger_.job(job).ready() + ledger_.job(job).nominated();
    reason.needed = tables_.jobs.spec[job].min_available;
    ledger_.Rollback(before);
    context_.ExplainJob(job, std::move(reason));
  }

  void WithinJob(JobIndex job) {
    for (TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      context_.meter.Spend();
      const Ledger::Savepoint before = ledger_.Save();
      if (!MakeRoom(task, /*same_job=*/true)) return;
      context_.Commit(before);
    }
  }

  // Nominates `task` on the best node where victims make room. False: everything is as before.
  bool MakeRoom(TaskIndex task, bool same_job) {
    if (!Eligible(task)) return false;
    const ClassIndex c = context_.ClassOf(task);
    std::vector<uint8_t>* refused = memory_.Of(task);
    std::vector<uint8_t> before;  // refusals of the role, this task's own aside
    if (refused != nullptr) {
      before = *refused;
      context_.search.AddRefused(c, Want::kEvicting, refused);
    }
    return context_.search.VisitByScore(
        c, Want::kEvicting, refused == nullptr ? nullptr : &before, [&](NodeIndex node) {
          return CouldMakeRoom(context_, task, node) && TryNode(task, c, node, same_job);
        });
  }

  // An earlier plan's nomination is still being waited for, or the task must not preempt at all.
  bool Eligible(TaskIndex task) const {
    if (tables_.tasks.flags[task] & kTaskNeverPreempts) return false;
    const NodeIndex nominated = tables_.tasks.nominated[task];
    return nominated == kNone || !context_.search.FitsNode(context_.ClassOf(task), nominated);
  }

  bool IsCandidate(TaskIndex task, TaskIndex victim, bool same_job) const {
    const TaskStatus status = ledger_.status(victim);
    if (status != TaskStatus::kBound && status != TaskStatus::kRunning) return false;
    if (!(tables_.tasks.flags[victim] & kTaskPreemptable)) return false;
    const JobIndex job = tables_.tasks.job[task], other = tables_.tasks.job[victim];
    if (other == kNone || (job == other) != same_job) return false;
    if (tables_.jobs.queue[other] != tables_.jobs.queue[job]) return false;
    return !context_.IsBestEffort(task) || context_.IsBestEffort(victim);
  }

  bool TryNode(TaskIndex task, ClassIndex c, NodeIndex node, bool same_job) {
    candidates_.clear();
    for (TaskIndex t : ledger_.tasks_on(node)) {
      if (IsCandidate(task, t, same_job)) candidates_.push_back(t);
    }
    const std::vector<TaskIndex> victims = dispatcher_.Preemptable(task, candidates_);
    if (!VictimsSuffice(context_, task, node, victims)) return false;
    const QueueIndex queue = tables_.jobs.queue[tables_.tasks.job[task]];
    const auto fits = [&] {
      Denial denial;
      std::string_view who;
      return dispatcher_.Allocatable(queue, task, &denial, &who) &&
             context_.search.FitsFutureIdle(c, node) && context_.search.FitsNode(c, node);
    };
    const Ledger::Savepoint before = ledger_.Save();
    VictimOrder order(context_, victims);
    bool fit = fits();
    bool evicted = false;
    while (!fit && !order.empty()) {
      const TaskIndex victim = order.Pop();
      Evict(context_, victim, task);
      evicted |= !context_.IsBestEffort(victim);
      fit = fits();
    }
    if (!fit) {
      ledger_.Rollback(before);
      return false;
    }
    ledger_.Move(task, TaskStatus::kNominated, node);
    if (evicted) context_.NoteNominatedAfterEviction(task);
    return true;
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  RoleMemory memory_;  // of the whole action
  std::vector<TaskIndex> candidates_;
};

void Run(ActionContext& context, const Options&) { Preempt(context).Run(); }

}  // namespace

ActionDecl PreemptAction() {
  return {"preempt", "room for starving jobs, from lesser jobs of the same queue", {}, Run};
}

}  // namespace muster
