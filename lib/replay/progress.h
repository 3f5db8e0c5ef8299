// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The progress of jobs: work in task-seconds, what a stop leaves of it, and when it will be done.
//
// A job of n tasks and a run time of r seconds has r * n task-seconds of work, and each running
// task does one a second. With all its tasks it ends r seconds after its start; with fewer, later.
// Where speeds of hardware matter, a task-second is `unit` units of work, and rates count in these
// (speeds.h).
#ifndef MUSTER_REPLAY_PROGRESS_H_
#define MUSTER_REPLAY_PROGRESS_H_

#include <algorithm>
#include <cstdint>

#include "lib/base/math.h"
#include "muster/replay.h"

namespace muster {

class Progress {
 public:
  void Submit(int64_t run, uint32_t tasks, int64_t unit) {
    endless_ = run == kEndless;
    left_ = endless_ ? 0 : run * static_cast<int64_t>(tasks) * unit;
  }
  bool active() const { return rate_ > 0; }

  // The job does `rate` units of work a second from `now` on, after `pause` seconds. Returns when
  // it will be done; kNever if never.
  int64_t Begin(int64_t now, int64_t rate, int64_t pause) {
    rate_ = rate;
    since_ = now + pause;
    return Due();
  }
  int64_t ChangeRate(int64_t now, int64_t rate) {
    Advance(now);
    rate_ = rate;
    return Due();
  }
  // Returns the units of work that are lost when the job stops and keeps only multiples of
  // `interval` units (0: nothing, below 0: all).
  int64_t Stop(int64_t now, int64_t interval) {
    Advance(now);
    rate_ = 0;
    if (interval < 0) return 0;
    const int64_t kept = interval == 0 ? 0 : done_ / interval * interval;
    const int64_t lost = done_ - kept;
    left_ += endless_ ? 0 : lost;
    done_ = kept;
    return lost;
  }
  // Returns since when, at its rate, it does the work that Stop would lose now. While the job
  // pauses, that is the end of the pause. REQUIRES: active(), interval > 0.
  int64_t SavedAt(int64_t now, int64_t interval) const {
    const int64_t at = std::max(now, since_);
    const int64_t lost = SatAdd(done_, SatMul(at - since_, rate_)) % interval;
    return at - (lost / rate_ + (lost % rate_ > 0 ? 1 : 0));
  }
  void Finish() { rate_ = 0; }
  // The units of work that it has done; after a stop, those that it keeps.
  int64_t done() const { return done_; }

 private:
  void Advance(int64_t now) {
    if (now <= since_) return;
    const int64_t did = SatMul(now - since_, rate_);  // of an endless job alone it can be too much
    done_ = SatAdd(done_, did);
    left_ -= endless_ ? 0 : did;
    since_ = now;
  }
  int64_t Due() const {
    return endless_ ? INT64_MAX : since_ + (std::max<int64_t>(left_, 0) + rate_ - 1) / rate_;
  }

  int64_t left_ = 0, done_ = 0, rate_ = 0, since_ = 0;
  bool endless_ = false;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_PROGRESS_H_
