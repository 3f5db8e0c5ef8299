// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A trace, played again under a policy: when does each job start?
//
//   absl::StatusOr<muster::ReplayResult> result = muster::Replay(trace, "easy:order=sjf");
//   for (size_t row = 0; row < trace.size(); ++row)
//     Use(result->start[row] - result->submit[row]);              // its wait
//
// Promises. A discrete-event simulation and a pure function of (trace, spec, options): events go by time, then by
// kind, then by the order in which they came about; docs/replay.md has the whole order. Results are columns beside
// the trace's, one entry a job.
// Failures. InvalidArgument: what CheckTrace refuses, an unknown policy or option, with the nearest valid word. A job
// that could not run on the empty machine is refused on its own, with the reason, and the others go on. A replay that
// is stopped ends with what it has, and says that it is not complete.
// Ownership. The result holds no reference to the trace.
// Cost. On a pool, O(log running) an event and O(waiting) a pass that may start something. See bench/README.md.
#ifndef MUSTER_REPLAY_H_
#define MUSTER_REPLAY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

// What became of a job.
enum class JobOutcome : uint8_t {
  kDone,
  kRunning,       // the replay ended first
  kWaiting,       // submitted and not started, or stopped and not started again
  kNotSubmitted,  // the replay, or the job it waits for, ended first
  kRefused,       // the empty machine is too small for it
};

struct ReplayOptions {
  // Submit a job that has a preceding one when that has ended and its think time has passed, instead of at the time
  // of the trace. A job whose preceding one is refused is submitted when the trace says.
  bool follow_preceding = false;
  std::function<bool()> should_stop = {};  // asked now and then; true ends the replay, not complete
};

struct ReplayResult {
  std::string policy;    // as it was understood
  bool complete = true;  // false: it was stopped
  int64_t processors = 0;

  // One entry a job. Times are kAbsent where what they tell did not happen.
  std::vector<int64_t> submit, start, end;
  std::vector<JobOutcome> outcome;
  std::vector<uint8_t>
      backfilled;  // 1: started before an older job that waited. Empty: the policy does not tell

  int64_t events = 0;  // handled
  int64_t passes = 0;  // times the policy looked for something to start
};

// Batch policies, exact on pools of processors:
//   fcfs           in order, the first that does not fit holds up the rest
//   easy           in order, and later jobs go ahead where that does not delay the first
//   conservative   in order, and later jobs go ahead where that delays no promise
// with options order=fifo|sjf|ljf|smallest|largest|area and estimate=user|actual|last_two, conservative also with
// reservations=kept|afresh: docs/replay.md says what they mean.
MUSTER_EXPORT absl::StatusOr<ReplayResult> Replay(const Trace& trace, std::string_view policy,
                                                  const ReplayOptions& options = {});

// Makes the users of the trace wait for themselves: each job of a user follows the user's job before it by as many
// seconds as lay between that one's submission plus run time and this one's submission (none where that is negative).
MUSTER_EXPORT void LinkUsers(Trace* trace);

}  // namespace muster

#endif  // MUSTER_REPLAY_H_
