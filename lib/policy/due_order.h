// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// order=due: short jobs go ahead of long ones, and nothing is overtaken by what comes much later.
//
//   DueOrder order({.scale = 200, .cap = 0.3});
//   const int64_t key = order.Key(kind, submit);    // when a job is submitted; smaller goes first
//   order.Started(wait);
//   order.Ended(kind, run);
//
// Idea. A job is due min(cap * W, scale * length) after it was submitted. `length` is guessed from
// the jobs that have ended (run_history.h), and W is the longest wait of any job that has started.
// Long jobs so keep the order of submission among each other. Short ones go ahead of what was
// submitted up to cap * W before them. Where nothing waits for long, the order is that of
// submission.
//
// Guarantee. The key is fixed at submission, so no job is overtaken in the order by one that is
// submitted more than cap * W after it. Guesses order jobs and promise nothing: the promise to the
// first job and the jobs that may go ahead of it go by the policy's own estimates.
//
// Tie-break. Keys are thousandths of a second; equal ones go by submission.
// Cost. O(1) a job.
#ifndef MUSTER_POLICY_DUE_ORDER_H_
#define MUSTER_POLICY_DUE_ORDER_H_

#include <algorithm>
#include <cstdint>

#include "lib/base/math.h"
#include "lib/policy/run_history.h"

namespace muster {

struct DueSettings {
  double scale = 200;  // how long a job may be overtaken, in times its own length
  double cap = 0.3;    // no longer than this part of the longest wait
  friend bool operator==(const DueSettings&, const DueSettings&) = default;
};

// Returns when a job of that length is due, in thousandths of a second; smaller goes first.
// `longest_wait` is that of any job that has started.
inline int64_t DueKey(const DueSettings& settings, int64_t submit, double length,
                      int64_t longest_wait) {
  const double delay =
      std::min(settings.cap * static_cast<double>(longest_wait), settings.scale * length);
  const int64_t thousandths = delay > 0 ? static_cast<int64_t>(std::min(delay * 1000, 9e18)) : 0;
  return SatAdd(SatMul(submit, 1000), thousandths);
}

class DueOrder {
 public:
  explicit DueOrder(const DueSettings& settings) : settings_(settings) {}

  int64_t Key(const RunHistory::Kind& kind, int64_t submit) const {
    return DueKey(settings_, submit, history_.Length(kind), longest_wait_);
  }
  void Started(int64_t wait) { longest_wait_ = std::max(longest_wait_, wait); }
  void Ended(const RunHistory::Kind& kind, int64_t run) { history_.Learn(kind, run); }

 private:
  const DueSettings settings_;
  RunHistory history_;
  int64_t longest_wait_ = 0;
};

}  // namespace muster

#endif  // MUSTER_POLICY_DUE_ORDER_H_
