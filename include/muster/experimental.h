// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The experimental part of Muster: traces of recorded jobs, replays of them, and what the replays
// are worth. One include for all of it; link muster::replay, which brings muster::muster along.
//
//   #include "muster/experimental.h"
//
//   muster::Trace trace{.name = "mine", .processors = 4};
//   muster::AddJob({.submit = 0, .run = 60, .tasks = 3}, &trace);
//   muster::AddJob({.submit = 0, .run = 30, .tasks = 4}, &trace);
//   absl::StatusOr<muster::ReplayResult> result = muster::Replay(trace, "easy");
//   if (result.ok()) std::cout << muster::Measure(trace, *result).all.wait.mean << "\n";
//
// Read in this order:
// trace.h       recorded jobs, and readers of public traces
// replay.h      the jobs of a trace, run again under a policy
// metrics.h     waits, slowdowns and utilization of a replay
// trace_bound.h waits and slowdowns that no schedule undercuts
// statistics.h  which differences are more than chance
// mix.h         made-up jobs that are like those of a trace
// packing.h     GPUs filled as in the fragmentation study
// episodes.h    replays that a learning agent decides, step by step
// forecast.h    when jobs that wait will start and end
//
// Promises. Everything here may change in any minor version, its decisions included; muster.h may
// not. Results are pure functions of arguments and seeds.
// Failures. Every call that can be refused returns a status that names the place and the rule.
// Ownership. All arguments and results are values. None refers to another unless its header says
// so.
// Threads. The library has no state, and uses no threads but those that a call is handed
// (executor.h). Threads may read one value at once.
// Cost. Linking muster::replay needs zlib, for compressed traces. The scheduler, muster::muster,
// needs neither zlib nor anything of this header.
#ifndef MUSTER_EXPERIMENTAL_H_
#define MUSTER_EXPERIMENTAL_H_

#include "muster/episodes.h"
#include "muster/forecast.h"
#include "muster/metrics.h"
#include "muster/mix.h"
#include "muster/packing.h"
#include "muster/replay.h"
#include "muster/statistics.h"
#include "muster/trace.h"
#include "muster/trace_bound.h"

#endif  // MUSTER_EXPERIMENTAL_H_
