// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/ends.h"

#include <algorithm>
#include <span>

namespace muster {
namespace {

// A task that is told to be leaving has no node in the end.
bool Stays(TaskStatus status) { return IsAllocated(status) || status == TaskStatus::kUnknown; }

// By job: whether it holds assigned quota once the plan has been carried out.
std::vector<uint8_t> QuotaAtTheEnd(const Tables& tables, const Plan& plan,
                                   const std::vector<NodeIndex>& ends) {
  const JobTable& jobs = tables.jobs;
  std::vector<uint8_t> holds(jobs.alive.size(), 0);
  for (JobIndex j = 0; j < holds.size(); ++j) {
    if (!jobs.alive[j]) continue;
    holds[j] = jobs.spec[j].admission.has_value() && jobs.spec[j].phase != JobPhase::kPending;
  }
  for (const Decision& d : plan.decisions()) {
    if (d.kind == DecisionKind::kPhase && d.phase == JobPhase::kPending) holds[d.job] = 0;
    if (d.kind == DecisionKind::kEvict && d.job != kNone && holds[d.job]) {
      holds[d.job] =
          std::ranges::any_of(jobs.tasks[d.job], [&ends](TaskIndex t) { return ends[t] != kNone; });
    }
  }
  const std::span<const Admission> admissions = plan.admissions();
  for (const Admission& admission : admissions) {
    if (!admission.assignment.empty()) holds[admission.job] = 1;
  }
  return holds;
}

}  // namespace

Ends EndsOf(const Tables& tables, const Plan& plan) {
  const TaskTable& tasks = tables.tasks;
  Ends ends{std::vector<NodeIndex>(tasks.alive.size(), kNone),
            std::vector<uint32_t>(tasks.alive.size(), Ends::kNoReason),
            {}};
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
  ends.holds_quota = QuotaAtTheEnd(tables, plan, ends.node);
  return ends;
}

}  // namespace muster
