// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How long a job will run, as a policy is told: the user's word, the truth, or a guess.
//
// last_two is the predictor of EASY++ (Tsafrir, Etzion and Feitelson, TPDS 2007): the mean, rounded down, of the two
// jobs of the same user that ended last, never above the user's own estimate, and that estimate while the user has
// not two yet. It is made when the job is submitted. A running job that outlives its estimate gets another: the first
// one plus 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours, in turn, never above the user's, which is also what
// follows the last step. (The study whose golden tables these rules are from reads the steps that way: in sum, not one
// on top of the other.)
#ifndef MUSTER_REPLAY_ESTIMATES_H_
#define MUSTER_REPLAY_ESTIMATES_H_

#include <cstdint>
#include <vector>

#include "lib/replay/batch_spec.h"
#include "muster/trace.h"

namespace muster {

class Estimates {
 public:
  Estimates(const Trace& trace, BatchEstimate kind);

  bool corrects() const { return kind_ == BatchEstimate::kLastTwo; }
  // At submission. A job nobody has estimated is taken at its run time.
  int64_t First(uint32_t job);
  // A running job has outlived `estimate`, which was corrected `times` times before.
  int64_t Corrected(uint32_t job, int64_t estimate, int times) const;
  void Ended(uint32_t job);
  int64_t User(uint32_t job) const;

 private:
  const Trace& trace_;
  const BatchEstimate kind_;
  struct LastRuns {
    int64_t last = kAbsent, before = kAbsent;
  };
  std::vector<LastRuns> users_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_ESTIMATES_H_
