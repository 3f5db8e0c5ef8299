// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Submissions of a future, drawn from the recent past.
//
//   ArrivalDraws arrivals(past, now, &rng);
//   while ((next = arrivals.Next()).time < horizon) Use(next.time, next.job);
//
// Idea. What was submitted from this time of the day on, one to fourteen days ago, is submitted
// again. At the end of what is known another day is drawn. Bursts, habits of users and the times of
// the day so stay as they are.
//
// Cost. O(log submissions) where a day is drawn, else O(1).
#ifndef MUSTER_REPLAY_ARRIVAL_DRAWS_H_
#define MUSTER_REPLAY_ARRIVAL_DRAWS_H_

#include <cstdint>
#include <functional>

#include "lib/base/rng.h"
#include "lib/replay/arrivals.h"

namespace muster {

// Submissions that have been: `count` of them, and when, by time.
struct PastSubmissions {
  size_t count = 0;
  std::function<int64_t(size_t)> when;
};

class ArrivalDraws {
 public:
  struct Arrival {
    int64_t time = kNever;  // kNever: there is none
    size_t source = 0;      // of which it is a copy
  };
  // `past` and `rng` must outlive this. REQUIRES: no submission is after `now`.
  ArrivalDraws(const PastSubmissions& past, int64_t now, Rng* rng)
      : past_(past), from_(now), now_(now), rng_(*rng) {
    at_ = past.count;
  }
  Arrival Next();

 private:
  static constexpr int64_t kDay = 86'400, kDays = 14;

  bool DrawDay();

  const PastSubmissions& past_;
  int64_t from_;  // where the drawn days end in the future
  const int64_t now_;
  Rng& rng_;
  int64_t shift_ = 0;
  size_t at_ = 0;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_ARRIVAL_DRAWS_H_
