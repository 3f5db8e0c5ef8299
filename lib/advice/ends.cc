// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/ends.h"

namespace muster {
namespace {

// A task that is told to be leaving has no node in the end.
bool Stays(TaskStatus status) { return IsAllocated(status) || status == TaskStatus::kUnknown; }

}  // namespace

Ends EndsOf(const Tables& tables, const Plan& plan) {
  const TaskTable& tasks = tables.tasks;
  Ends ends{std::vector<NodeIndex>(tasks.alive.size(), kNone),
            std::vector<uint32_t>(tasks.alive.size(), Ends::kNoReason)};
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (tasks.alive[t] && Stays(tasks.status[t])) ends.node[t] = tasks.node[t];
  }
  // In the order in which they were made: a log may evict a task and place it again.
  for (const Decision& d : plan.decisions()) {
    switch (d.kind) {
      case DecisionKind::kBind:
      case DecisionKind::kNominate:
      case DecisionKind::kMove:
      case DecisionKind::kReserve:
        ends.node[d.task] = d.node;
        break;
      case DecisionKind::kEvict:
        ends.node[d.task] = kNone;
        break;
      default:
        break;
    }
  }
  for (const PendingTask& pending : plan.pending()) ends.reason[pending.task] = pending.reason;
  return ends;
}

}  // namespace muster
