// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// shrink: tasks beyond the gangs of elastic jobs make room. elastic.h has the rules.
#include <algorithm>
#include <optional>
#include <utility>

#include "lib/part/attempt.h"
#include "lib/part/elastic.h"
#include "lib/part/queue_tree_walk.h"
#include "lib/part/victims.h"

namespace muster {
namespace {

class ShrinkRound {
 public:
  ShrinkRound(ActionContext& context, const ElasticPlaces& places)
      : context_(context), tables_(context.tables), ledger_(context.ledger), places_(places) {}

  void Run() {
    ListNodes();
    if (nodes_.empty()) return;
    QueueTreeWalk walk(context_);
    for (const JobIndex j : context_.waiting) {
      if (TakesPart(j)) walk.Add(j);
    }
    bool took_any = false;
    for (JobIndex job; (job = walk.Next()) != kNone && !context_.meter.Cut();) {
      context_.meter.Spend();
      givers_.clear();
      const bool took = TakesPart(job) && Turn(job);
      took_any |= took;
      walk.Done(job, took && ledger_.job(job).pending() > 0);
      if (took) walk.Resort(givers_);
    }
    if (took_any) context_.dispatcher.Recount();
  }

 private:
  struct Step {
    TaskIndex task;
    NodeIndex node;
    std::vector<TaskIndex> victims = {};
  };

  // The nodes with tasks of elastic jobs that run.
  void ListNodes() {
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      if (!tables_.jobs.alive[j] || !IsElastic(context_, j)) continue;
      for (const TaskIndex t : tables_.jobs.tasks[j]) {
        if (Runs(t)) nodes_.push_back(ledger_.node_of(t));
      }
    }
    std::ranges::sort(nodes_);
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  }
  bool Runs(TaskIndex task) const {
    const TaskStatus status = ledger_.status(task);
    return status == TaskStatus::kRunning || status == TaskStatus::kBound;
  }

  bool TakesPart(JobIndex job) const {
    if (context_.facts.admission && context_.IsPending(job)) return false;
    return ledger_.job(job).pending() > 0 && !tables_.jobs.spec[job].topology &&
           context_.dispatcher.Valid(job);
  }

  bool Turn(JobIndex job) {
    const std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
    const bool one = context_.dispatcher.Pipelined(job);
    Attempt attempt(context_);
    steps_.clear();
    bool whole = false;
    ClassIndex failed = kNone;
    for (const TaskIndex task : tasks) {
      if (context_.ClassOf(task) == failed) continue;
      context_.meter.Spend();
      if (!PlaceTask(task)) {
        failed = context_.ClassOf(task);
        continue;
      }
      whole = one || context_.dispatcher.Pipelined(job);
      if (whole) break;
    }
    if (!whole) return false;
    GiveBack(&attempt);
    return Decide(&attempt);
  }

  bool PlaceTask(TaskIndex task) {
    if (context_.dispatcher.Allocatable(context_.QueueOf(task), task).ok()) {
      NodeIndex node = places_.best(task, Want::kNow);
      if (node == kNone) node = places_.best(task, Want::kLater);
      if (node != kNone) {
        Do({task, node});
        return true;
      }
    }
    if (tables_.tasks.flags[task] & kTaskNeverPreempts) return false;
    std::optional<Step> best;
    for (const NodeIndex node : nodes_) {
      std::vector<TaskIndex> victims;
      const size_t most = best ? best->victims.size() - 1 : tables_.tasks.alive.size();
      if (most > 0 && MakesRoom(task, node, most, &victims)) {
        best = Step{task, node, std::move(victims)};
      }
    }
    if (!best) return false;
    Do(std::move(*best));
    return true;
  }

  // Sets `*victims` to those that go from the node until the task fits, `most` or fewer. The books
  // stay as they are.
  bool MakesRoom(TaskIndex task, NodeIndex node, size_t most, std::vector<TaskIndex>* victims) {
    const std::vector<TaskIndex> candidates = Candidates(task, node);
    if (candidates.empty()) return false;
    VictimOrder order(context_);
    order.Start(task, candidates);
    Attempt trial(context_);
    while (!order.empty()) {
      const TaskIndex victim = order.Pop();
      if (!CanGive(context_, victim)) continue;
      if (victims->size() == most) return false;
      ledger_.Move(victim, TaskStatus::kReleasing, node);
      victims->push_back(victim);
      if (Fits(task, node)) return true;
    }
    return false;
  }

  // The tasks on the node that the profile lets go for this one, each by itself.
  std::vector<TaskIndex> Candidates(TaskIndex task, NodeIndex node) {
    const JobIndex job = tables_.tasks.job[task];
    const QueueIndex queue = tables_.jobs.queue[job];
    std::vector<TaskIndex> own, others;
    ListTasksOn(
        context_, node, [&](TaskIndex t) { return MayGive(job, t); }, &own);
    std::erase_if(own, [&](TaskIndex t) {
      const JobIndex giver = tables_.tasks.job[t];
      const bool is_own = tables_.jobs.queue[giver] == queue;
      if (!is_own && tables_.queues.spec[tables_.jobs.queue[giver]].reclaimable) {
        others.push_back(t);
      }
      return !is_own || tables_.jobs.spec[giver].priority >= tables_.jobs.spec[job].priority;
    });
    std::vector<TaskIndex> all;
    if (!own.empty()) all = context_.dispatcher.Preemptable(task, own);
    if (!others.empty() && context_.dispatcher.Preemptive(queue, ledger_.request(task)).ok()) {
      const std::vector<TaskIndex> more = context_.dispatcher.Reclaimable(task, others);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  bool MayGive(JobIndex job, TaskIndex task) const {
    const JobIndex giver = tables_.tasks.job[task];
    return giver != kNone && giver != job && Runs(task) &&
           (tables_.tasks.flags[task] & kTaskPreemptable) != 0 && IsElastic(context_, giver) &&
           CanGive(context_, task);
  }

  bool Fits(TaskIndex task, NodeIndex node) {
    const ClassIndex c = context_.ClassOf(task);
    return context_.search.FitsFutureIdle(c, node) &&
           context_.dispatcher.Allocatable(context_.QueueOf(task), task).ok() &&
           context_.search.FitsNode(c, node) && (!places_.may_take || places_.may_take(task, node));
  }

  void Evict(const Step& step) {
    for (const TaskIndex victim : step.victims) {
      ledger_.Move(victim, TaskStatus::kReleasing, ledger_.node_of(victim));
    }
  }
  void Do(Step step) {
    Evict(step);
    ledger_.Move(step.task, TaskStatus::kNominated, step.node);
    steps_.push_back(std::move(step));
  }

  // Tries the turn without each task that is given back, the last first.
  void GiveBack(Attempt* attempt) {
    for (size_t s = steps_.size(); s-- > 0;) {
      for (size_t v = steps_[s].victims.size(); v-- > 0;) {
        std::vector<Step> fewer = steps_;
        fewer[s].victims.erase(fewer[s].victims.begin() + static_cast<std::ptrdiff_t>(v));
        if (Holds(attempt, fewer)) steps_ = std::move(fewer);
      }
    }
    attempt->StartOver();
    for (Step& step : std::exchange(steps_, {})) Do(std::move(step));
  }
  bool Holds(Attempt* attempt, const std::vector<Step>& steps) {
    attempt->StartOver();
    for (const Step& step : steps) Evict(step);
    for (const Step& step : steps) {
      if (!Fits(step.task, step.node)) return false;
      ledger_.Move(step.task, TaskStatus::kNominated, step.node);
    }
    return true;
  }

  bool Decide(Attempt* attempt) {
    bool gives = false;
    for (const Step& step : steps_) {
      for (const TaskIndex victim : step.victims) {
        context_.decisions.NoteEviction(victim, step.task);
        givers_.push_back(context_.QueueOf(victim));
      }
      if (!step.victims.empty()) context_.decisions.NoteNominatedAfterEviction(step.task);
      gives |= !step.victims.empty();
    }
    if (gives) attempt->Commit();
    return gives;
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const ElasticPlaces& places_;
  std::vector<NodeIndex> nodes_;
  std::vector<Step> steps_;         // of the turn
  std::vector<QueueIndex> givers_;  // queues that lose by it
};

}  // namespace

void RunShrink(ActionContext& context, const ElasticPlaces& places) {
  ShrinkRound(context, places).Run();
}

}  // namespace muster
