// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reasons of plans, shortened so that equal ones can be counted together.
#include "lib/replay/waiting_reasons.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/plan/explain.h"

namespace muster {

std::string ShortReason(const Reason& reason, const Tables& tables) {
  std::string kind(ReasonKindName(reason.kind));
  if (!reason.refusals.empty()) {
    const Refusal& most = reason.refusals.front();
    const std::string code(RefusalCodeName(most.code));
    if (most.dimension == kNone) return absl::StrCat(kind, ": ", code);
    return absl::StrCat(kind, ": ", code, " ", ToAbsl(tables.dimensions.name(most.dimension)));
  }
  if (reason.dimension == kNone) return kind;
  return absl::StrCat(kind, ": ", ToAbsl(tables.dimensions.name(reason.dimension)));
}

void WaitingReasons::Learn(const World& world, PlanData* plan) {
  tables_ = &world.tables();
  known_.clear();
  reasons_.swap(plan->reasons);
  JobIndex before = kNone;
  for (const PendingTask& pending : plan->pending) {
    // By task, and tasks of a job come together.
    const JobIndex job = tables_->tasks.job[pending.task];
    if (job == before) continue;
    before = job;
    known_.push_back({world.row_of(job), pending.reason});
  }
}

size_t WaitingReasons::Column(const std::string& reason, ReplaySeries* series) {
  const auto [at, added] = columns_.try_emplace(reason, series->reasons.size());
  if (added) {
    series->reasons.push_back(reason);
    series->waiting_by_reason.emplace_back(series->time.size(), 0);
  }
  return at->second;
}

}  // namespace muster
