// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A trace under an engine profile: a living cluster that follows its own plans.
#ifndef MUSTER_REPLAY_ENGINE_H_
#define MUSTER_REPLAY_ENGINE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "lib/replay/batch_spec.h"
#include "muster/replay.h"

namespace muster {

// Replays the trace. The profile reads jobs with estimates by the given guesses. REQUIRES:
// CheckTrace(trace) is OK and it has nodes.
absl::StatusOr<ReplayResult> ReplayCycles(const Trace& trace, std::string_view profile,
                                          const RunGuesses& guesses, const ReplayOptions& options);

// Returns a pool as one node "pool", each job as one task of as many cpus as it has processors.
// REQUIRES: it is a pool.
Trace AsOneNode(const Trace& trace);

}  // namespace muster

#endif  // MUSTER_REPLAY_ENGINE_H_
