// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The sources of estimates.
#include "lib/replay/estimates.h"

#include <algorithm>
#include <iterator>

namespace muster {
namespace {

constexpr int64_t kMinute = 60, kHourOfRun = 3600;
constexpr int64_t kSteps[] = {0,
                              kMinute,
                              5 * kMinute,
                              15 * kMinute,
                              30 * kMinute,
                              kHourOfRun,
                              2 * kHourOfRun,
                              5 * kHourOfRun,
                              10 * kHourOfRun,
                              20 * kHourOfRun,
                              50 * kHourOfRun,
                              100 * kHourOfRun};

}  // namespace

Estimates::Estimates(const Trace& trace, const RunGuesses& guesses)
    : trace_(trace),
      kind_(guesses.source),
      quantile_(static_cast<int64_t>(guesses.quantile * double{RunBounds::kWhole} + 0.5)),
      users_(kind_ == BatchEstimate::kLastTwo ? trace.users.size() : 0),
      sizes_(trace) {}

RunKind Estimates::KindOf(uint32_t job) const {
  const int64_t estimate = trace_.estimate[job];
  return {.user = trace_.user[job],
          .estimate = estimate == kAbsent ? RunBounds::kNoEstimate : estimate,
          .processors = sizes_.of(job)};
}

int64_t Estimates::Cap(uint32_t job) const {
  return trace_.estimate[job] == kAbsent ? kEndless : User(job);
}

// Never below the run time: a job that outlives the user's estimate is killed, and the trace has
// its end.
int64_t Estimates::User(uint32_t job) const {
  return std::max(trace_.estimate[job], trace_.run[job]);
}

int64_t Estimates::First(uint32_t job) {
  if (kind_ == BatchEstimate::kActual) return trace_.run[job];
  if (kind_ == BatchEstimate::kLearnt) {
    const RunKind kind = KindOf(job);
    return std::min(Cap(job), runs_.Bound(kind, quantile_, 0).value_or(kind.estimate));
  }
  if (kind_ == BatchEstimate::kUser || trace_.user[job] == kNone) return User(job);
  const LastRuns& runs = users_[trace_.user[job]];
  if (runs.before == kAbsent) return User(job);
  return std::min(User(job), std::max<int64_t>((runs.last + runs.before) / 2, 1));
}

int64_t Estimates::Corrected(uint32_t job, int64_t estimate, int times) const {
  if (kind_ == BatchEstimate::kLearnt) {
    const int64_t cap = Cap(job), least = estimate + std::max(kMinute, estimate / 4);
    const int64_t bound = runs_.Bound(KindOf(job), quantile_, estimate).value_or(cap);
    return std::min(cap, bound == kEndless ? least : std::max(least, bound));
  }
  if (times + 1 >= static_cast<int>(std::size(kSteps))) return User(job);
  return std::min(User(job), estimate - kSteps[times] + kSteps[times + 1]);
}

void Estimates::Ended(uint32_t job) {
  if (kind_ == BatchEstimate::kLearnt) runs_.Learn(KindOf(job), trace_.run[job]);
  if (kind_ != BatchEstimate::kLastTwo || trace_.user[job] == kNone) return;
  LastRuns& runs = users_[trace_.user[job]];
  runs.before = runs.last;
  runs.last = trace_.run[job];
}

}  // namespace muster
