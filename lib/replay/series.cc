// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Samples of a replay.
#include "lib/replay/series.h"

#include <algorithm>

namespace muster {
namespace {

constexpr int64_t kUsualSamples = 512;
constexpr int64_t kMostSamples = int64_t{1} << 16;

}  // namespace

void SeriesSampler::Begin(const Trace& trace, int64_t interval) {
  if (interval < 0 || trace.size() == 0) return;
  const auto [least, most] = std::minmax_element(trace.submit.begin(), trace.submit.end());
  interval_ = interval;
  if (interval_ == 0) interval_ = std::max<int64_t>((*most - *least) / kUsualSamples, 1);
  next_ = *least;
  world_.BeginSeries(&series_);
}

void SeriesSampler::Learn(PlanData* plan) {
  if (interval_ > 0) reasons_.Learn(world_, plan);
}

// Appends to every column but `time` what it has last.
void SeriesSampler::Repeat() {
  const auto repeat = [](auto& column) { column.resize(column.size() + 1, column.back()); };
  repeat(series_.running);
  repeat(series_.waiting);
  for (auto* columns : {&series_.used, &series_.capacity, &series_.waiting_by_reason}) {
    for (auto& column : *columns) repeat(column);
  }
  for (auto* columns : {&series_.fragmentation, &series_.queue_share, &series_.queue_deserved}) {
    for (auto& column : *columns) repeat(column);
  }
}

void SeriesSampler::SampleUntil(int64_t time, int64_t running, int64_t waiting,
                                absl::FunctionRef<bool(uint32_t row)> waits) {
  if (interval_ <= 0) return;
  bool same = false;
  while (next_ < time && static_cast<int64_t>(series_.time.size()) < kMostSamples) {
    series_.time.push_back(next_);
    next_ += interval_;
    if (same) {
      Repeat();
      continue;
    }
    same = true;
    series_.running.push_back(running);
    series_.waiting.push_back(waiting);
    world_.Sample(&series_);
    reasons_.Sample(waiting, waits, &series_);
  }
}

}  // namespace muster
