// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about the job's size: a gang of fewer tasks, tasks that request less.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/advice/amounts.h"
#include "lib/advice/proposals.h"

namespace muster {
namespace {

constexpr int64_t kSteps = 16;  // of a request: it is made smaller by sixteenths

// The gang that needs the most tasks and starts more of them than the whole one.
void ProposeGang(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const int64_t minimum = job.tables.jobs.spec[job.job].min_available;
  const auto changes = [&](int64_t fewer) {
    return std::vector<WhatIfChange>{
        {.job = JobEdit{.name = job.name(), .min_available = minimum - fewer}}};
  };
  if (minimum < 2) return;
  // More than none under profiles that know no gangs.
  const int64_t now = job.today.starts;
  const std::optional<int64_t> fewer =
      Smallest(minimum - 1, [&](int64_t f) { return trials->Try(changes(f)).starts > now; });
  if (!fewer) return;
  out->push_back({.kind = RemedyKind::kSmallerGang,
                  .words = absl::StrCat("let the gang start with ", minimum - *fewer, " of its ",
                                        minimum, " tasks"),
                  .changes = changes(*fewer)});
}

// Every task that waits is to request the same, so this is for jobs of equal tasks.
void ProposeRequest(const WaitingCase& job, DimensionIndex d, int64_t request, Trials* trials,
                    std::vector<Remedy>* out) {
  const std::string name(job.tables.dimensions.name(d));
  const int64_t step = IsMilliDimension(name) ? std::max<int64_t>(1000, request / kSteps)
                                              : std::max<int64_t>(1, request / kSteps);
  const int64_t steps = (request - 1) / step;
  const auto text = [&](int64_t s) { return AmountText(name, request - s * step); };
  const auto changes = [&](int64_t s) {
    return std::vector<WhatIfChange>{
        {.job = JobEdit{.name = job.name(), .request = {{name, Quantity(text(s))}}}}};
  };
  if (steps < 1) return;
  const std::optional<int64_t> fewer =
      Smallest(steps, [&](int64_t s) { return trials->Helps(changes(s)); });
  if (!fewer) return;
  out->push_back({.kind = RemedyKind::kSmallerRequest,
                  .words = absl::StrCat("request less ", name, " for each task: ",
                                        AmountText(name, request), " -> ", text(*fewer)),
                  .changes = changes(*fewer)});
}

}  // namespace

void ProposeSizes(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  if (!job.is_lone()) ProposeGang(job, trials, out);
  const std::vector<WaitingTasks> waiting = job.Waiting();
  for (DimensionIndex d = 0; d < job.tables.dimension_count(); ++d) {
    const int64_t request = waiting[0].request[d];
    const bool equal = std::ranges::all_of(
        waiting, [&](const WaitingTasks& tasks) { return tasks.request[d] == request; });
    if (d != kPods && request > 0 && equal) ProposeRequest(job, d, request, trials, out);
  }
}

}  // namespace muster
