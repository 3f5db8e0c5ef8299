// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Submissions: those that the trace times are sorted once; those that follow other jobs wait in a
// heap.
#include "lib/replay/arrivals.h"

#include <algorithm>

namespace muster {

Arrivals::Arrivals(const Trace& trace, bool follow_preceding) : trace_(trace) {
  const bool follow = follow_preceding && !trace.preceding.empty();
  as_they_stand_ = !follow && std::is_sorted(trace.submit.begin(), trace.submit.end());
  timed_ = trace.size();
  if (!as_they_stand_) {
    for (uint32_t row = 0; row < trace.size(); ++row) {
      if (!follow || trace.preceding[row] == kNone) rows_.push_back(row);
    }
    std::stable_sort(rows_.begin(), rows_.end(), [&trace](uint32_t a, uint32_t b) {
      return trace.submit[a] < trace.submit[b];
    });
    timed_ = rows_.size();
  }
  if (follow) {
    first_.assign(trace.size(), kNone);
    next_.assign(trace.size(), kNone);
    for (uint32_t row = static_cast<uint32_t>(trace.size()); row-- > 0;) {
      const uint32_t preceding = trace.preceding[row];
      if (preceding == kNone) continue;
      next_[row] = first_[preceding];
      first_[preceding] = row;
    }
  }
  FindNext();
}

void Arrivals::FindNext() {
  next_time_ = at_ < timed_ ? trace_.submit[as_they_stand_ ? at_ : rows_[at_]] : kNever;
  if (!late_.empty()) next_time_ = std::min(next_time_, late_.top().time);
}

uint32_t Arrivals::Pop() {
  uint32_t job = kNone;
  const uint32_t row =
      at_ < timed_ ? (as_they_stand_ ? static_cast<uint32_t>(at_) : rows_[at_]) : kNone;
  if (row != kNone && trace_.submit[row] == next_time_) {
    job = row;
    ++at_;
  } else {
    job = late_.top().job;
    late_.pop();
  }
  FindNext();
  return job;
}

void Arrivals::Ended(uint32_t job, int64_t now) {
  if (first_.empty()) return;
  for (uint32_t row = first_[job]; row != kNone; row = next_[row]) {
    Add(now + (trace_.think.empty() ? 0 : trace_.think[row]), row);
  }
  FindNext();
}

void Arrivals::Refused(uint32_t job, int64_t now) {
  if (first_.empty()) return;
  for (uint32_t row = first_[job]; row != kNone; row = next_[row]) {
    Add(std::max(trace_.submit[row], now), row);
  }
  FindNext();
}

}  // namespace muster
