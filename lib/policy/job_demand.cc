// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/job_demand.h"

#include <algorithm>

namespace muster {

std::vector<int64_t> DeductGated(const Tables& tables, const Ledger& ledger, JobIndex job,
                                 std::vector<int64_t> amounts) {
  if (ledger.job(job).pending() == 0) return amounts;
  for (TaskIndex t : tables.jobs.tasks[job]) {
    if (!(tables.tasks.flags[t] & kTaskGated) || ledger.status(t) != TaskStatus::kPending) continue;
    const auto request = ledger.request(t);
    for (DimensionIndex d = 0; d < amounts.size(); ++d) {
      if (amounts[d] == kAbsent || request[d] == 0) continue;
      amounts[d] = std::max<int64_t>(0, amounts[d] - request[d]);
    }
  }
  return amounts;
}

std::vector<int64_t> MissingMinimum(const Tables& tables, const Ledger& ledger, JobIndex job) {
  const auto minimum = tables.jobs.min_resources.row(job);
  const auto allocated = ledger.job_allocated(job);
  std::vector<int64_t> missing(minimum.begin(), minimum.end());
  for (DimensionIndex d = 0; d < missing.size(); ++d) {
    if (missing[d] != kAbsent) missing[d] = std::max<int64_t>(0, missing[d] - allocated[d]);
  }
  return missing;
}

bool HoldsMinimum(const Tables& tables, const Ledger& ledger, JobIndex job) {
  const auto minimum = tables.jobs.min_resources.row(job);
  const auto allocated = ledger.job_allocated(job);
  for (DimensionIndex d = 0; d < minimum.size(); ++d) {
    if (minimum[d] != kAbsent && minimum[d] > allocated[d]) return false;
  }
  return true;
}

bool RunsItsGang(const Tables& tables, const Ledger& ledger, JobIndex job, JobPhase phase) {
  return phase == JobPhase::kRunning &&
         ledger.job(job).allocated() >= tables.jobs.spec[job].min_available;
}

}  // namespace muster
