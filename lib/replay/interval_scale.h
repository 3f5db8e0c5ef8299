// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One side of an interval that holds as often as it should.
//
//   IntervalScale scale(kScaleOne, /*misses=*/50'000);    // 5 of 100 forecasts
//   const int64_t high = middle + scale.Stretch(spread);
//   scale.Note(start <= high);
//
// Idea. A forecast that held shrinks the scale a little, one that did not grows it nineteen times
// as much where one of twenty may miss. The scale rests where so many miss, whatever the errors are
// like, and follows them where they change (adaptive conformal inference; Gibbs and Candes 2021).
// The first steps are the largest.
//
// Cost. O(1), in integers.
#ifndef MUSTER_REPLAY_INTERVAL_SCALE_H_
#define MUSTER_REPLAY_INTERVAL_SCALE_H_

#include <algorithm>
#include <cstdint>

#include "muster/forecast.h"

namespace muster {

class IntervalScale {
 public:
  static constexpr int64_t kMillion = 1'000'000;
  static constexpr int64_t kLeast = kScaleOne / 256, kMost = kScaleOne * 4096;

  // `misses`: in millionths.
  IntervalScale(int64_t scale, int64_t misses)
      : scale_(std::clamp(scale, kLeast, kMost)), misses_(misses) {}

  int64_t value() const { return scale_; }
  int64_t Stretch(int64_t spread) const {
    return static_cast<int64_t>(static_cast<__int128>(spread) * scale_ / kScaleOne);
  }
  void Note(bool held) {
    constexpr int64_t kSlowness = 32;
    const __int128 step = scale_ / std::min(kSlowness, 4 + noted_ / 16);
    ++noted_;
    const __int128 change =
        held ? -step * misses_ / kMillion : step * (kMillion - misses_) / kMillion;
    scale_ = std::clamp(scale_ + static_cast<int64_t>(change), kLeast, kMost);
  }

 private:
  int64_t scale_;
  int64_t noted_ = 0;
  const int64_t misses_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_INTERVAL_SCALE_H_
