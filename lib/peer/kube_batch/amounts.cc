// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_batch/amounts.h"

namespace muster {
bool KubeBatch::IsNothing(std::span<const int64_t> request) {
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d != kPods && request[d] >= kLeast.of(d)) return false;
  }
  return true;
}

bool KubeBatch::Covers(std::span<const int64_t> amounts, std::span<const int64_t> request) {
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d == kPods || (d > kPods && request[d] <= kLeast.of(d))) continue;
    if (request[d] - amounts[d] >= kLeast.of(d)) return false;
  }
  return true;
}

void KubeBatch::Allocate(ActionContext& context, TaskIndex task, NodeIndex node) {
  context.ledger.Move(task, TaskStatus::kPlaced, node);
  const JobIndex job = context.tables.tasks.job[task];
  if (!context.dispatcher.Ready(job)) return;
  if (context.ledger.job(job)[TaskStatus::kPlaced] == 1) {
    context.decisions.Bind(task);
    return;
  }
  for (TaskIndex t : context.tables.jobs.tasks[job]) {
    if (context.ledger.status(t) == TaskStatus::kPlaced) context.decisions.Bind(t);
  }
}

void KubeBatch::Nominate(ActionContext& context, TaskIndex task, NodeIndex node,
                         bool after_eviction) {
  Attempt attempt(context);
  muster::Nominate(context, task, node, after_eviction);
  attempt.Commit();
}

void KubeBatch::Evict(ActionContext& context, TaskIndex victim, TaskIndex beneficiary) {
  Attempt attempt(context);
  muster::Evict(context, victim, beneficiary);
  attempt.Commit();
}

bool KubeBatch::Suffice(const ActionContext& context, TaskIndex task,
                        const std::vector<TaskIndex>& victims) {
  if (victims.empty()) return false;
  const auto request = context.tables.classes.initial_request.row(context.ClassOf(task));
  std::vector<int64_t> freed(request.size(), 0);
  for (TaskIndex victim : victims) {
    const auto held = context.ledger.request(victim);
    for (size_t d = 0; d < freed.size(); ++d) freed[d] += held[d];
  }
  return Covers(freed, request);
}

}  // namespace muster
