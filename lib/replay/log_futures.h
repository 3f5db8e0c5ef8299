// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Futures of a trace: from what is known at an instant, when would a job start?
#ifndef MUSTER_REPLAY_LOG_FUTURES_H_
#define MUSTER_REPLAY_LOG_FUTURES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/base/rng.h"
#include "lib/replay/batch_spec.h"
#include "lib/replay/log_state.h"
#include "lib/replay/pool.h"

namespace muster {

// What a future decides about a job.
struct FutureTimes {
  int64_t start = kAbsent, end = kAbsent;  // kAbsent: the budget was spent
};

// The futures that begin at one instant.
class LogFutures {
 public:
  virtual ~LogFutures() = default;
  // Looks at the state, which must stay until the next call. It is asked about jobs that wait.
  virtual absl::Status Begin(const LogState& state) = 0;
  // Plays a future until `job` has started. Adds to `*events`, which stay below `most`.
  virtual absl::StatusOr<FutureTimes> Play(uint32_t job, Rng* rng, int64_t most,
                                           int64_t* events) = 0;
  // The future in which every job runs as long as its user estimated, nothing is submitted, and
  // easy decides.
  virtual absl::StatusOr<int64_t> Promise(uint32_t job, int64_t most, int64_t* events) = 0;
};

// On a pool, under a batch policy. All arguments but the spec must outlive the result.
std::unique_ptr<LogFutures> MakePoolFutures(const Trace& trace, const BatchSpec& spec,
                                            const PoolColumns& columns, bool arrivals);

// A profile, and which estimates it is given.
struct NodeProfile {
  std::string text;
  RunGuesses guesses;
  bool needs_estimates = false;  // it is told the run time where a trace has none
  std::shared_ptr<const Extensions> extensions = {};  // that the text may name
};

// By cycles of a profile, from the places where tasks run. The trace must outlive the result.
std::unique_ptr<LogFutures> MakeNodeFutures(const Trace& trace, const NodeProfile& profile,
                                            const ReplayPlacements& placements, bool arrivals);

}  // namespace muster

#endif  // MUSTER_REPLAY_LOG_FUTURES_H_
