// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/forecast_math.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

// Returns the entry of `sorted` below which so many thousandths of the others lie, or the next one
// towards the nearer end.
int64_t Quantile(const std::vector<int64_t>& sorted, int64_t thousandths) {
  const auto last = static_cast<int64_t>(sorted.size()) - 1;
  const int64_t up = thousandths > 500 ? 999 : thousandths == 500 ? 500 : 0;
  return sorted[static_cast<size_t>((last * thousandths + up) / 1000)];
}

absl::Status OutOfRange(std::string_view option, int64_t value, int64_t least, int64_t most) {
  return absl::InvalidArgumentError(
      absl::StrCat("forecast: ", ToAbsl(option), ": ", value, " is not in ", least, "..", most));
}

int64_t MedianOf(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  return values[middle];
}

double MeanOf(const std::vector<int64_t>& values) {
  double sum = 0;
  for (const int64_t value : values) sum += static_cast<double>(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

int64_t Distance(int64_t a, int64_t b) { return a < b ? b - a : a - b; }

void AddColumn(const std::vector<int64_t>& column, Digest* digest) {
  for (const int64_t value : column) digest->Add(value);
}

}  // namespace

ForecastTimes IntervalOf(std::vector<int64_t>* times, int64_t percent, int64_t now,
                         int64_t earliest, const SideScales& scales) {
  ForecastTimes result;
  if (times->empty()) return result;
  std::sort(times->begin(), times->end());
  const int64_t middle = Quantile(*times, 500);
  if (middle == kNoTime) {
    result.low = times->front() == kNoTime ? kAbsent : times->front();
    return result;
  }
  const int64_t low = Quantile(*times, (100 - percent) * 5);
  const int64_t high = Quantile(*times, 1000 - (100 - percent) * 5);
  const int64_t least = std::max<int64_t>(60, (middle - now) / 2);
  result.middle = std::max(middle, earliest);
  result.low = std::max(earliest, middle - scales.low.Stretch(std::max(middle - low, least)));
  if (high != kNoTime) {
    result.high = std::max(result.middle,
                           SatAdd(middle, scales.high.Stretch(std::max(high - middle, least))));
  }
  return result;
}

absl::Status CheckForecastOptions(const ForecastOptions& options) {
  constexpr int64_t kMost = int64_t{1} << 53;
  if (options.futures < 3 || options.futures > 10'000) {
    return OutOfRange("futures", options.futures, 3, 10'000);
  }
  if (options.percent < 50 || options.percent > 98) {
    return OutOfRange("percent", options.percent, 50, 98);
  }
  if (options.work_budget < 1 || options.work_budget > kMost) {
    return OutOfRange("work_budget", options.work_budget, 1, kMost);
  }
  if (options.every < 1 || options.every > kMost) {
    return OutOfRange("every", options.every, 1, kMost);
  }
  if (options.now < 0 || options.now > kMost) return OutOfRange("now", options.now, 0, kMost);
  for (const int64_t scale : {options.scales.start_low, options.scales.start_high,
                              options.scales.end_low, options.scales.end_high}) {
    if (scale < IntervalScale::kLeast || scale > IntervalScale::kMost) {
      return OutOfRange("scales", scale, IntervalScale::kLeast, IntervalScale::kMost);
    }
  }
  return absl::OkStatus();
}

std::string ClusterForecast::digest() const {
  Digest digest;
  digest.Add(jobs.size());
  for (const JobForecast& job : jobs) {
    digest.Add(job.job);
    for (const ForecastTimes& times : {job.start, job.end}) {
      for (const int64_t value : {times.low, times.middle, times.high}) digest.Add(value);
    }
    digest.Add(job.started);
  }
  return digest.Hex();
}

std::string TraceForecast::digest() const {
  Digest digest;
  digest.Add(job.size());
  for (const uint32_t row : job) digest.Add(row);
  for (const auto* column : {&made, &start_low, &start, &start_high, &end_low, &end, &end_high,
                             &promised, &started, &ended}) {
    AddColumn(*column, &digest);
  }
  return digest.Hex();
}

ForecastQuality MeasureForecast(const TraceForecast& forecast) {
  ForecastQuality quality;
  std::vector<int64_t> start, end, promise, start_length, end_length;
  int64_t start_held = 0, end_held = 0, early = 0, late = 0;
  for (size_t i = 0; i < forecast.job.size(); ++i) {
    const int64_t started = forecast.started[i], ended = forecast.ended[i];
    if (started == kAbsent || ended == kAbsent || forecast.start[i] == kAbsent) continue;
    ++quality.forecasts;
    const int64_t high = forecast.start_high[i] == kAbsent ? kNoTime : forecast.start_high[i];
    const int64_t end_high = forecast.end_high[i] == kAbsent ? kNoTime : forecast.end_high[i];
    early += started < forecast.start_low[i];
    late += started > high;
    start_held += started >= forecast.start_low[i] && started <= high;
    end_held += ended >= forecast.end_low[i] && ended <= end_high;
    start.push_back(Distance(forecast.start[i], started));
    end.push_back(Distance(forecast.end[i], ended));
    promise.push_back(Distance(forecast.promised[i], started));
    start_length.push_back(high - forecast.start_low[i]);
    end_length.push_back(end_high - forecast.end_low[i]);
  }
  if (quality.forecasts == 0) return quality;
  const auto n = static_cast<double>(quality.forecasts);
  quality.start_held = static_cast<double>(start_held) / n;
  quality.end_held = static_cast<double>(end_held) / n;
  quality.start_early = static_cast<double>(early) / n;
  quality.start_late = static_cast<double>(late) / n;
  quality.start_mean_error = MeanOf(start);
  quality.promise_mean_error = MeanOf(promise);
  quality.start_error = MedianOf(std::move(start));
  quality.end_error = MedianOf(std::move(end));
  quality.promise_error = MedianOf(std::move(promise));
  quality.start_length = MedianOf(std::move(start_length));
  quality.end_length = MedianOf(std::move(end_length));
  return quality;
}

}  // namespace muster
