// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reasons of plans, shortened to what may be counted together.
#include "lib/replay/waiting_reasons.h"

#include <charconv>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/plan/explain.h"
#include "lib/plan/plan_data.h"

namespace muster {

std::string ShortReason(const Reason& reason, const Plan& plan) {
  const std::string kind(ReasonKindName(reason.kind));
  if (!reason.refusals.empty()) {
    const Refusal& most = reason.refusals.front();
    const std::string code(RefusalCodeName(most.code));
    if (most.dimension == kNone) return absl::StrCat(kind, ": ", code);
    return absl::StrCat(kind, ": ", code, " ", ToAbsl(plan.dimension_name(most.dimension)));
  }
  if (reason.dimension == kNone) return kind;
  return absl::StrCat(kind, ": ", ToAbsl(plan.dimension_name(reason.dimension)));
}

void WaitingReasons::Read() {
  is_read_ = true;
  known_.clear();
  words_.clear();
  for (const Reason& reason : plan_.reasons()) words_.push_back(ShortReason(reason, plan_));
  JobIndex before = kNone;
  for (const PendingTask& pending : plan_.pending()) {
    // By task, and tasks of a job come together.
    const JobIndex job = plan_.data()->names->job_of(pending.task);
    if (job == before) continue;
    before = job;
    const std::string_view name = plan_.job_name(job);
    uint32_t row = kNone;
    std::from_chars(name.data(), name.data() + name.size(), row);
    known_.push_back({row, pending.reason});
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
