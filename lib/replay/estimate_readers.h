// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which profiles read the estimates of jobs. Where a trace has none, the run time stands in for the
// estimate, and such a profile knows the future.
//
//   const bool clairvoyant = ReadsEstimates(*config) && LacksEstimates(trace);
#ifndef MUSTER_REPLAY_ESTIMATE_READERS_H_
#define MUSTER_REPLAY_ESTIMATE_READERS_H_

#include "lib/session/config.h"
#include "muster/trace.h"

namespace muster {

// Returns true for profiles with actions of batch systems, with promises of starts, and with
// policies that order jobs by estimates.
bool ReadsEstimates(const ProfileConfig& config);

// Returns whether some job has no estimate.
bool LacksEstimates(const Trace& trace);

}  // namespace muster

#endif  // MUSTER_REPLAY_ESTIMATE_READERS_H_
