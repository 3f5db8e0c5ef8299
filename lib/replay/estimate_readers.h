// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which profiles read the estimates of jobs, and when their work was saved. Where a trace has no
// estimates, the run time stands in for the estimate, and a profile that reads it knows the future.
//
//   const bool clairvoyant =
//       LacksEstimates(trace) && UseOfEstimates(*config) == EstimateUse::kNeeded;
//   if (ReadsCheckpoints(*config)) status = lives.TellCheckpoints();
#ifndef MUSTER_REPLAY_ESTIMATE_READERS_H_
#define MUSTER_REPLAY_ESTIMATE_READERS_H_

#include <cstdint>

#include "lib/session/config.h"
#include "muster/trace.h"

namespace muster {

// kOptional: the profile makes promises of starts or guesses run times, and does so without
// estimates, too. kNeeded: it has an action of a batch system, or orders jobs by their estimates.
enum class EstimateUse : uint8_t { kNone, kOptional, kNeeded };

EstimateUse UseOfEstimates(const ProfileConfig& config);

// Returns whether some action weighs what evicted tasks lose. Only these read
// Lifetime::checkpointed; policies and actions of callers cannot.
bool ReadsCheckpoints(const ProfileConfig& config);

// Returns whether some job has no estimate.
bool LacksEstimates(const Trace& trace);

}  // namespace muster

#endif  // MUSTER_REPLAY_ESTIMATE_READERS_H_
