// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The run time of a job as a policy reads it: the user's estimate, the true run time, or a guess.
//
// last_two is the predictor of EASY++ (Tsafrir, Etzion and Feitelson, TPDS 2007), made when the job
// is submitted. It is the mean, rounded down, of the two jobs of the same user that ended last,
// never above the user's own estimate. While the user has not two yet, it is that estimate. A
// running job that outlives its estimate gets another: the first one plus 1, 5, 15, 30 minutes, 1,
// 2, 5, 10, 20, 50, 100 hours, in turn, never above the user's, which is also what follows the last
// step. (The study with the golden tables of these rules reads the steps that way: in sum, not one
// on top of the other.)
//
// learnt is an upper bound on the run time that holds for a chosen part of the jobs
// (lib/policy/run_bounds.h), never above the user's own estimate. While too few jobs have ended, it
// is that estimate, or five days where there is none. A running job that outlives its bound gets
// that of the jobs that ran as long, but at least a minute and a quarter of the bound more.
#ifndef MUSTER_REPLAY_ESTIMATES_H_
#define MUSTER_REPLAY_ESTIMATES_H_

#include <cstdint>
#include <vector>

#include "lib/policy/run_bounds.h"
#include "lib/replay/batch_spec.h"
#include "lib/replay/job_sizes.h"
#include "muster/trace.h"

namespace muster {

class Estimates {
 public:
  Estimates(const Trace& trace, const RunGuesses& guesses);

  bool corrects() const {
    return kind_ == BatchEstimate::kLastTwo || kind_ == BatchEstimate::kLearnt;
  }
  // Returns whether a job without an estimate is not told its run time.
  bool guesses_all() const { return kind_ == BatchEstimate::kLearnt; }
  // Returns the estimate at submission. A job without an estimate has its run time, unless that is
  // guessed.
  int64_t First(uint32_t job);
  // Returns a new estimate for a running job that has outlived `estimate`, which was corrected
  // `times` times before.
  int64_t Corrected(uint32_t job, int64_t estimate, int times) const;
  void Ended(uint32_t job);
  int64_t User(uint32_t job) const;

 private:
  RunKind KindOf(uint32_t job) const;
  // No guess is above it.
  int64_t Cap(uint32_t job) const;

  const Trace& trace_;
  const BatchEstimate kind_;
  const int64_t quantile_;  // in millionths
  struct LastRuns {
    int64_t last = kAbsent, before = kAbsent;
  };
  std::vector<LastRuns> users_;
  JobSizes sizes_;
  RunBounds runs_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_ESTIMATES_H_
