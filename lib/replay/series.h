// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// When a replay is sampled, and the contents of a sample.
//
//   SeriesSampler sampler(world, &result.series);
//   sampler.Begin(trace, options.series_interval);
//   sampler.Learn(&plan);                                         // after each cycle
//   sampler.SampleUntil(now, running, waiting, waits);            // before the state changes
//
// The state holds from one event to the next, so only the first sample between two events is
// computed.
#ifndef MUSTER_REPLAY_SERIES_H_
#define MUSTER_REPLAY_SERIES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/plan/plan_data.h"
#include "lib/replay/waiting_reasons.h"
#include "lib/replay/world.h"
#include "muster/replay.h"

namespace muster {

class SeriesSampler {
 public:
  // Both must outlive it.
  SeriesSampler(World& world, ReplaySeries* series) : world_(world), series_(*series) {}

  // `interval`: seconds between samples; 0: some hundreds over the trace; below 0: no series.
  // REQUIRES: the world is built.
  void Begin(const Trace& trace, int64_t interval);
  // Keeps the reasons of a plan, and takes them out of it.
  void Learn(PlanData* plan);
  // Returns whether a sample may be due before `time`, and needs the reasons of the plan in force.
  bool IsDueBefore(int64_t time) const { return interval_ > 0 && next_ < time; }
  // The state holds up to, not including, `time`: so many jobs run and wait; waits(row) returns
  // true for the waiting ones.
  void SampleUntil(int64_t time, int64_t running, int64_t waiting,
                   absl::FunctionRef<bool(uint32_t row)> waits);

 private:
  void Repeat();

  World& world_;
  ReplaySeries& series_;
  int64_t interval_ = -1, next_ = 0;
  WaitingReasons reasons_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_SERIES_H_
