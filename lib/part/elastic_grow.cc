// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// grow: elastic jobs take what is idle beyond what waits. elastic.h has the rules.
#include <algorithm>
#include <limits>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/base/hash_map.h"
#include "lib/part/attempt.h"
#include "lib/part/elastic.h"
#include "lib/part/queue_tree_walk.h"

namespace muster {
namespace {

class GrowRound {
 public:
  GrowRound(ActionContext& context, const ElasticPlaces& places)
      : context_(context), tables_(context.tables), ledger_(context.ledger), places_(places) {}

  void Run() {
    QueueTreeWalk walk(context_);
    bool any = false;
    for (const JobIndex j : context_.waiting) {
      if (!IsElastic(context_, j) || !MayGrow(j)) continue;
      walk.Add(j);
      any = true;
    }
    if (!any) return;
    CountSpare();
    for (JobIndex job; (job = walk.Next()) != kNone && !context_.meter.Cut();) {
      context_.meter.Spend();
      walk.Done(job, Turn(job) && MayGrow(job));
    }
  }

 private:
  struct Sheet {
    std::vector<TaskIndex> tasks;
    size_t next = 0;
  };

  bool MayGrow(JobIndex job) const {
    const int64_t most =
        tables_.jobs.spec[job].gang->elastic->most.value_or(std::numeric_limits<int64_t>::max());
    const JobCounts& counts = ledger_.job(job);
    if (context_.facts.admission && context_.IsPending(job)) return false;
    return counts.pending() > 0 && counts.allocated() + counts.nominated() < most &&
           context_.dispatcher.Valid(job) && context_.dispatcher.Ready(job);
  }

  // Sets what is idle beyond what waits, by dimension.
  void CountSpare() {
    spare_.assign(ledger_.dimensions(), 0);
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      if (!tables_.nodes.alive[n] || !tables_.nodes.spec[n].ready ||
          tables_.nodes.spec[n].unschedulable) {
        continue;
      }
      const auto idle = ledger_.node(n, kIdle);
      for (DimensionIndex d = 0; d < spare_.size(); ++d) {
        if (idle[d] == kAbsent) continue;
        spare_[d] += std::max<int64_t>(std::min(idle[d], ledger_.future_idle(n, d)), 0);
      }
    }
    for (const JobIndex j : context_.waiting) {
      if (!Waits(j)) continue;
      std::vector<TaskIndex> tasks = context_.AllPendingTasks(j, /*with_best_effort=*/false);
      if (IsElastic(context_, j)) tasks = GangLacks(context_, j, std::move(tasks));
      if (tasks.empty() || !context_.dispatcher.Allocatable(tables_.jobs.queue[j], tasks[0]).ok()) {
        continue;
      }
      for (const TaskIndex t : tasks) Take(t);
    }
  }
  bool Waits(JobIndex job) const {
    if (context_.facts.admission && context_.IsPending(job)) return false;
    return ledger_.job(job).pending() > 0 && context_.dispatcher.Valid(job);
  }
  void Take(TaskIndex task) {
    const auto request = ledger_.request(task);
    for (DimensionIndex d = 0; d < spare_.size(); ++d) {
      if (request[d] > 0) spare_[d] -= request[d];
    }
  }
  bool IsSpare(TaskIndex task) const {
    const auto request = ledger_.request(task);
    for (DimensionIndex d = 0; d < spare_.size(); ++d) {
      if (d != kPods && request[d] > 0 && request[d] > spare_[d]) return false;
    }
    return true;
  }

  // Returns whether the job got a task.
  bool Turn(JobIndex job) {
    const auto [at, is_new] = sheets_.try_emplace(job);
    Sheet& sheet = at->second;
    if (is_new) sheet.tasks = context_.AllPendingTasks(job, /*with_best_effort=*/true);
    ClassIndex failed = kNone;
    while (sheet.next < sheet.tasks.size()) {
      const TaskIndex task = sheet.tasks[sheet.next++];
      if (context_.ClassOf(task) == failed) continue;
      if (Place(task)) return true;
      failed = context_.ClassOf(task);
    }
    return false;
  }

  bool Place(TaskIndex task) {
    context_.meter.Spend();
    if (!IsSpare(task)) return false;
    const QueueIndex queue = context_.QueueOf(task);
    if (const Verdict verdict = context_.dispatcher.Allocatable(queue, task); !verdict.ok()) {
      context_.reasons.Explain(task, context_.reasons.QueueReason(queue, verdict));
      return false;
    }
    const NodeIndex node = places_.best(task, Want::kNow);
    if (node == kNone || !context_.search.FitsIdle(context_.ClassOf(task), node)) {
      context_.reasons.Explain(task, context_.reasons.NoNode(context_.ClassOf(task)));
      return false;
    }
    Attempt attempt(context_);
    ledger_.Move(task, TaskStatus::kPlaced, node);
    attempt.Commit();
    Take(task);
    return true;
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const ElasticPlaces& places_;
  std::vector<absl::int128> spare_;  // idle beyond what waits, by dimension
  HashMap<JobIndex, Sheet> sheets_;
};

}  // namespace

void RunGrow(ActionContext& context, const ElasticPlaces& places) {
  GrowRound(context, places).Run();
}

}  // namespace muster
