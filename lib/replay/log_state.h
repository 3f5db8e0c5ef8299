// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is known of a trace at an instant of its replay: jobs that run, wait, and have ended.
//
//   LogState state(trace, replayed);
//   for (int64_t now : instants) {
//     state.AdvanceTo(now);            // all that happened by then, `now` included
//     Use(state.running(), state.waiting(), state.runs());
//   }
//
// Guarantee. Nothing later than `now` can be read from it, but for columns() of jobs that were
// submitted.
// Cost. O(events), and O(waiting jobs) for each start.
#ifndef MUSTER_REPLAY_LOG_STATE_H_
#define MUSTER_REPLAY_LOG_STATE_H_

#include <cstdint>
#include <vector>

#include "lib/policy/run_bounds.h"
#include "lib/replay/job_sizes.h"
#include "muster/replay.h"

namespace muster {

class LogState {
 public:
  // Both must outlive this.
  LogState(const Trace& trace, const ReplayResult& result);

  void AdvanceTo(int64_t now);

  int64_t now() const { return now_; }
  const std::vector<uint32_t>& running() const { return running_; }  // by start
  const std::vector<uint32_t>& waiting() const { return waiting_; }  // by submission
  const RunBounds& runs() const { return runs_; }
  // All jobs that the replay submits, by submission.
  const std::vector<uint32_t>& submissions() const { return by_submit_; }
  // How many of them have been.
  size_t submitted() const { return submitted_; }
  int64_t submit(uint32_t job) const { return result_.submit[job]; }
  // REQUIRES: it runs, or has ended.
  int64_t start(uint32_t job) const { return result_.start[job]; }
  bool started(uint32_t job) const { return Is(result_.start[job]); }
  bool ended(uint32_t job) const { return Is(result_.end[job]); }

  RunKind KindOf(uint32_t job) const;
  // No run time is above it.
  int64_t CapOf(uint32_t job) const;
  // The user's estimate, or that of a job without one.
  int64_t EstimateOf(uint32_t job) const;
  // Run times of a job from now on; in whole, from its start.
  RunBounds::Draws DrawsOf(uint32_t job) const;

 private:
  bool Is(int64_t time) const { return time != kAbsent && time <= now_; }

  const Trace& trace_;
  const ReplayResult& result_;
  const JobSizes sizes_;
  int64_t now_ = -1;
  std::vector<uint32_t> by_submit_, by_start_, by_end_;
  size_t submitted_ = 0, started_ = 0, ended_ = 0;
  std::vector<uint32_t> running_, waiting_;
  RunBounds runs_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_LOG_STATE_H_
