// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From the futures of a job to its interval.
#ifndef MUSTER_REPLAY_FORECAST_MATH_H_
#define MUSTER_REPLAY_FORECAST_MATH_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/replay/interval_scale.h"
#include "muster/forecast.h"

namespace muster {

// A time that no future has reached.
inline constexpr int64_t kNoTime = INT64_MAX;

// The scales of starts or ends.
struct SideScales {
  IntervalScale low, high;
};

// Returns the middle of `times`, one of each future, and the interval around it. Its sides are as
// far as the quantiles of the futures that `percent` leaves out on each side, half of the
// distance from `now` or a minute, whichever is most, times the scales. Nothing is before
// `earliest`. Sorts `times`.
ForecastTimes IntervalOf(std::vector<int64_t>* times, int64_t percent, int64_t now,
                         int64_t earliest, const SideScales& scales);

absl::Status CheckForecastOptions(const ForecastOptions& options);

// The millionths of the forecasts that may miss on each side.
inline int64_t MissesOf(int64_t percent) { return (100 - percent) * 5'000; }

}  // namespace muster

#endif  // MUSTER_REPLAY_FORECAST_MATH_H_
