// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What kube-batch's actions share: its comparison of amounts, and moves that are decisions at once.
//
// To kube-batch an amount is less than or equal to another that it exceeds by less than 10
// milli-cores, 10 MiB or 10 milli-units; a request all of which is less than that is no request at
// all. `pods` are no amount there.
//
//   std::vector<TaskIndex> victims;
//   KubeBatch::Candidates(context, task, node, [&](JobIndex j) { return j != job; }, &victims);
//   for (TaskIndex victim : victims) KubeBatch::Evict(context, victim, task);
//   KubeBatch::Nominate(context, task, node, /*after_eviction=*/true);
#ifndef MUSTER_PEER_KUBE_BATCH_AMOUNTS_H_
#define MUSTER_PEER_KUBE_BATCH_AMOUNTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/part/victims.h"

namespace muster {

struct KubeBatch {
  // Amounts below these are nothing. Node search, shares and the ledger read them from the
  // profile's accounting.
  static constexpr LeastAmounts kLeast = {.milli = 10, .memory = 10 << 20};

  static bool IsNothing(std::span<const int64_t> request);
  // Whether `request` is less than or equal to `amounts`.
  static bool Covers(std::span<const int64_t> amounts, std::span<const int64_t> request);

  // What is left to do of a job: tasks in task order, each tried once.
  struct Worksheet {
    std::vector<TaskIndex> tasks;
    size_t next = 0;
    bool empty() const { return next == tasks.size(); }
    TaskIndex Pop() { return tasks[next++]; }
  };

  // The job's pending tasks in task order, whatever they request.
  static std::vector<TaskIndex> Waiting(const ActionContext& context, JobIndex job) {
    return context.PendingTasks(job, /*with_best_effort=*/true);
  }

  // Places the task. When its job is ready with it, all of the job's placed tasks are bound, in
  // ascending order, those of earlier actions among them.
  static void Allocate(ActionContext& context, TaskIndex task, NodeIndex node);
  // Nominates the task, evicts the victim: decisions at once.
  static void Nominate(ActionContext& context, TaskIndex task, NodeIndex node, bool after_eviction);
  static void Evict(ActionContext& context, TaskIndex victim, TaskIndex beneficiary);

  // The victims a task may take on one node: running tasks of which `may_go` is true; empty when
  // together they do not cover its request, because then no choice among them does.
  template <typename MayGo>
  static void Candidates(ActionContext& context, TaskIndex task, NodeIndex node, MayGo may_go,
                         std::vector<TaskIndex>* candidates) {
    const auto runs = [&](TaskIndex t) {
      const JobIndex job = context.tables.tasks.job[t];
      return context.ledger.status(t) == TaskStatus::kRunning && job != kNone && may_go(job);
    };
    ListTasksOn(context, node, runs, candidates);
    if (!Suffice(context, task, *candidates)) candidates->clear();
  }
  // Whether the tasks hold what `task` requests. No tasks never suffice.
  static bool Suffice(const ActionContext& context, TaskIndex task,
                      const std::vector<TaskIndex>& victims);
};

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_BATCH_AMOUNTS_H_
