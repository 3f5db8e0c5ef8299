// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Forecasts at each submission of a trace that is replayed.
//
// The replay comes first, and its columns are then walked in time: a forecast reads the state of
// its instant (log_state.h) and no more. The scales of intervals follow the forecasts before: one
// that was too early or too late counts when that is seen, one that held when the job starts.
#include <algorithm>
#include <memory>
#include <queue>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/float_env.h"
#include "lib/base/math.h"
#include "lib/base/rng.h"
#include "lib/base/strings.h"
#include "lib/profile/profile.h"
#include "lib/replay/estimate_readers.h"
#include "lib/replay/forecast_math.h"
#include "lib/replay/log_futures.h"
#include "lib/replay/plain_queues.h"
#include "lib/replay/pool.h"
#include "lib/replay/speeds.h"

namespace muster {
namespace {

class LogForecaster {
 public:
  LogForecaster(const Trace& trace, const ReplayResult& replayed, LogFutures* futures,
                const ForecastOptions& options)
      : replayed_(replayed),
        options_(options),
        state_(trace, replayed),
        futures_(*futures),
        start_{IntervalScale(options.scales.start_low, MissesOf(options.percent)),
               IntervalScale(options.scales.start_high, MissesOf(options.percent))},
        end_{IntervalScale(options.scales.end_low, MissesOf(options.percent)),
             IntervalScale(options.scales.end_high, MissesOf(options.percent))} {}

  absl::StatusOr<TraceForecast> Run() {
    result_.policy = replayed_.policy;
    const std::vector<uint32_t>& jobs = state_.submissions();
    for (size_t at = 0; at < jobs.size() && result_.complete;) {
      const int64_t now = replayed_.submit[jobs[at]];
      state_.AdvanceTo(now);
      Settle(now);
      bool begun = false;
      for (; at < jobs.size() && replayed_.submit[jobs[at]] == now; ++at) {
        if (state_.started(jobs[at]) || result_.waited++ % options_.every != 0) continue;
        if (options_.progress) options_.progress(now);
        if (options_.should_stop && options_.should_stop()) {
          result_.complete = false;
          break;
        }
        if (!begun) {
          if (absl::Status s = futures_.Begin(state_); !s.ok()) return s;
          begun = true;
        }
        if (absl::Status s = Forecast(jobs[at]); !s.ok()) return s;
      }
    }
    result_.scales = {.start_low = start_.low.value(),
                      .start_high = start_.high.value(),
                      .end_low = end_.low.value(),
                      .end_high = end_.high.value()};
    return std::move(result_);
  }

 private:
  // What becomes of one side of an interval, and when it is seen.
  struct Outcome {
    int64_t time;
    uint32_t number;
    IntervalScale* scale;
    bool held;
    bool operator>(const Outcome& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  absl::Status Forecast(uint32_t job) {
    std::vector<int64_t> starts, ends;
    int64_t events = 0;
    for (int64_t i = 0; i < options_.futures; ++i) {
      Rng rng(
          SplitMix64(options_.seed ^ SplitMix64(uint64_t{job} << 16 ^ static_cast<uint64_t>(i))));
      const absl::StatusOr<FutureTimes> times =
          futures_.Play(job, &rng, options_.work_budget, &events);
      if (!times.ok()) return times.status();
      starts.push_back(times->start == kAbsent ? kNoTime : times->start);
      ends.push_back(times->end == kAbsent ? kNoTime : times->end);
    }
    const absl::StatusOr<int64_t> promised =
        futures_.Promise(job, events + options_.work_budget, &events);
    if (!promised.ok()) return promised.status();
    result_.events += events;
    const int64_t now = state_.now();
    const ForecastTimes start = IntervalOf(&starts, options_.percent, now, now + 1, start_);
    const ForecastTimes end = IntervalOf(&ends, options_.percent, now, now + 2, end_);
    result_.job.push_back(job);
    result_.made.push_back(now);
    result_.start_low.push_back(start.low);
    result_.start.push_back(start.middle);
    result_.start_high.push_back(start.high);
    result_.end_low.push_back(end.low);
    result_.end.push_back(end.middle);
    result_.end_high.push_back(end.high);
    result_.promised.push_back(*promised);
    result_.started.push_back(replayed_.start[job]);
    result_.ended.push_back(replayed_.end[job]);
    Watch(start, replayed_.start[job], &start_);
    Watch(end, replayed_.end[job], &end_);
    return absl::OkStatus();
  }

  void Watch(const ForecastTimes& forecast, int64_t happened, SideScales* scales) {
    if (forecast.middle == kAbsent) return;
    const int64_t time = happened == kAbsent ? kNoTime : happened;
    const int64_t high = forecast.high == kAbsent ? kNoTime : forecast.high;
    outcomes_.push({std::min(time, forecast.low), watched_++, &scales->low, time >= forecast.low});
    outcomes_.push({std::min(time, SatAdd(high, 1)), watched_++, &scales->high, time <= high});
  }

  void Settle(int64_t now) {
    for (; !outcomes_.empty() && outcomes_.top().time <= now; outcomes_.pop()) {
      outcomes_.top().scale->Note(outcomes_.top().held);
    }
  }

  const ReplayResult& replayed_;
  const ForecastOptions& options_;
  LogState state_;
  LogFutures& futures_;
  SideScales start_, end_;
  TraceForecast result_;
  std::priority_queue<Outcome, std::vector<Outcome>, std::greater<Outcome>> outcomes_;
  uint32_t watched_ = 0;
};

// Returns the profile that a policy is on nodes.
absl::StatusOr<NodeProfile> ProfileOfPolicy(std::string_view policy,
                                            std::shared_ptr<const Extensions> extensions) {
  NodeProfile profile = {
      .text = std::string(policy), .guesses = {}, .extensions = std::move(extensions)};
  if (IsBatchPolicy(policy)) {
    absl::StatusOr<BatchSpec> spec = ParseBatchSpec(policy);
    if (!spec.ok()) return spec.status();
    spec->keep_reservations = spec->keep_reservations && spec->policy != BatchPolicy::kConservative;
    profile.guesses = spec->promises_by();
    if (profile.guesses.source == BatchEstimate::kLastTwo) {
      return absl::InvalidArgumentError(
          "forecast: policy: estimate=last_two needs a pool of processors");
    }
    absl::StatusOr<std::string> text = ProfileText(*spec);
    if (!text.ok()) return text.status();
    profile.text = *std::move(text);
  }
  profile.text = WithPlainQueues(profile.text, profile.extensions.get());
  const absl::StatusOr<ProfileConfig> config =
      ResolveProfile(profile.text, profile.extensions.get());
  if (!config.ok()) return config.status();
  profile.needs_estimates = UseOfEstimates(*config) == EstimateUse::kNeeded;
  return profile;
}

absl::StatusOr<TraceForecast> ForecastPool(const Trace& trace, std::string_view policy,
                                           const ReplayOptions& plain,
                                           const ForecastOptions& options) {
  if (!IsBatchPolicy(policy)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "forecast: policy: ", Quote(policy), " is not fcfs, easy or conservative, of which one ",
        "forecasts a pool of processors"));
  }
  if (options.extensions != nullptr) return PoolTakesNone(policy);
  const absl::StatusOr<BatchSpec> spec = ParseBatchSpec(policy);
  if (!spec.ok()) return spec.status();
  PoolColumns columns;
  ReplayResult replayed = ReplayPool(trace, *spec, plain, &columns);
  const std::unique_ptr<LogFutures> futures =
      MakePoolFutures(trace, *spec, columns, options.arrivals);
  absl::StatusOr<TraceForecast> result =
      LogForecaster(trace, replayed, futures.get(), options).Run();
  if (result.ok()) result->complete &= replayed.complete;
  return result;
}

}  // namespace

absl::StatusOr<TraceForecast> ForecastTrace(const Trace& trace, std::string_view policy,
                                            const ForecastOptions& options) {
  const DefaultFloats floats;
  if (absl::Status s = CheckForecastOptions(options); !s.ok()) return s;
  if (absl::Status s = CheckTrace(trace); !s.ok()) return s;
  if (absl::Status s = RefuseSpeeds(trace, "a forecast"); !s.ok()) return s;
  ReplayOptions plain;
  plain.series_interval = -1;
  plain.record_placements = true;
  plain.should_stop = options.should_stop;
  plain.extensions = options.extensions;
  if (trace.processors > 0) return ForecastPool(trace, policy, plain, options);
  if (!trace.node_events.empty()) {
    return absl::InvalidArgumentError(
        "forecast: trace: it has node events, and the nodes of a future are those of today");
  }
  const absl::StatusOr<NodeProfile> profile = ProfileOfPolicy(policy, options.extensions);
  if (!profile.ok()) return profile.status();
  const absl::StatusOr<ReplayResult> replayed = Replay(trace, policy, plain);
  if (!replayed.ok()) return replayed.status();
  const std::unique_ptr<LogFutures> futures =
      MakeNodeFutures(trace, *profile, replayed->placements, options.arrivals);
  absl::StatusOr<TraceForecast> result =
      LogForecaster(trace, *replayed, futures.get(), options).Run();
  if (result.ok()) result->complete &= replayed->complete;
  return result;
}

}  // namespace muster
