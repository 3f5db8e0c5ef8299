// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/log_state.h"

#include <algorithm>

namespace muster {
namespace {

// Returns the rows with a time, by time.
std::vector<uint32_t> RowsBy(const std::vector<int64_t>& times) {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < times.size(); ++row) {
    if (times[row] != kAbsent) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](uint32_t a, uint32_t b) { return times[a] < times[b]; });
  return rows;
}

}  // namespace

LogState::LogState(const Trace& trace, const ReplayResult& result)
    : trace_(trace),
      result_(result),
      sizes_(trace),
      by_submit_(RowsBy(result.submit)),
      by_start_(RowsBy(result.start)),
      by_end_(RowsBy(result.end)) {
  std::erase_if(by_submit_,
                [&](uint32_t row) { return result.outcome[row] == JobOutcome::kRefused; });
}

void LogState::AdvanceTo(int64_t now) {
  now_ = now;
  for (; submitted_ < by_submit_.size() && Is(submit(by_submit_[submitted_])); ++submitted_) {
    waiting_.push_back(by_submit_[submitted_]);
  }
  for (; started_ < by_start_.size() && Is(result_.start[by_start_[started_]]); ++started_) {
    const uint32_t job = by_start_[started_];
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), job));
    if (!ended(job)) running_.push_back(job);
  }
  bool some = false;
  for (; ended_ < by_end_.size() && Is(result_.end[by_end_[ended_]]); ++ended_) {
    some = true;
    const uint32_t job = by_end_[ended_];
    runs_.Learn(KindOf(job), trace_.run[job]);
  }
  if (some) std::erase_if(running_, [this](uint32_t job) { return ended(job); });
}

RunKind LogState::KindOf(uint32_t job) const {
  return {.user = trace_.user[job], .estimate = EstimateOf(job), .processors = sizes_.of(job)};
}

int64_t LogState::EstimateOf(uint32_t job) const {
  const int64_t estimate = trace_.estimate[job];
  return estimate == kAbsent ? RunBounds::kNoEstimate : estimate;
}

int64_t LogState::CapOf(uint32_t job) const {
  return trace_.estimate[job] == kAbsent ? kEndless : trace_.estimate[job];
}

RunBounds::Draws LogState::DrawsOf(uint32_t job) const {
  const int64_t beyond = started(job) ? now_ - start(job) : 0;
  return RunBounds::Draws(runs_, KindOf(job), beyond, CapOf(job));
}

}  // namespace muster
