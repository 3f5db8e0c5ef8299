// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// When will a job that waits start, and end? Forecasts from simulated futures.
//
//   muster::ForecastOptions options{.now = now, .seed = 1};
//   absl::StatusOr<muster::ClusterForecast> forecast =
//       muster::Forecast(cluster, "easy", history, options);      // jobs that ended, as a trace
//   for (const muster::JobForecast& job : forecast->jobs)
//     std::cout << job.job << " starts between " << job.start.low << " and " << job.start.high;
//
// Idea. In each future the profile itself decides what happens next. Run times are drawn from those
// of like jobs that have ended and ran longer than the job has run. Submissions are those of the
// same time of a day of the last two weeks, drawn anew where a future is longer. The middle of the
// futures is the forecast. The interval is that of the futures, stretched on each side by a scale.
// Scales follow the errors of earlier forecasts, so that intervals hold as often as they should.
// docs/forecast.md explains each step and states how good forecasts are.
// Promises. Nothing that happens after `now` enters a forecast, and a forecast of a trace sees only
// what had happened at its time. Results are pure functions of arguments and seed. All arithmetic
// is in integers, but for what the profile does itself: equal seeds give equal digests everywhere.
// Failures. Calls fail with InvalidArgument and name the option and the rule, and so for a profile
// that places no task; with FailedPrecondition for a cluster with tasks by count; and as Schedule
// and Replay do. A job that does not start in a future before the budget is spent
// counts there as starting at the end of time; its forecast may be kAbsent.
// Ownership. Results hold copies. The cluster is cloned and never changed.
// Threads. As for Replay: threads may use one trace at once. A cluster is used by one thread. With
// ForecastOptions::executor, Forecast uses threads of its caller.
// Cost. A future on a pool costs a replay of its jobs until the job has started. A future by cycles
// costs a clone of the cluster and as many cycles as events. Both are times
// ForecastOptions::futures, and bounded by ForecastOptions::work_budget.
#ifndef MUSTER_FORECAST_H_
#define MUSTER_FORECAST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/executor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

struct Extensions;

// One in the fixed point of scales.
inline constexpr int64_t kScaleOne = int64_t{1} << 32;

// By how much the interval of the futures is stretched, towards earlier and later times. They are
// memory: a host keeps those of its forecasts, and ForecastTrace returns those of a trace.
struct ForecastScales {
  int64_t start_low = kScaleOne, start_high = kScaleOne;
  int64_t end_low = kScaleOne, end_high = kScaleOne;
  friend bool operator==(const ForecastScales&, const ForecastScales&) = default;
};

// Options of both calls.
struct ForecastOptions {
  // Forecast only: seconds, on the clock of `created` of the jobs and of the history. ForecastTrace
  // makes each forecast at the submission of its job.
  int64_t now = 0;
  // How many futures are simulated for a forecast; 3 to 10,000.
  int64_t futures = 32;
  // Of run times and submissions.
  uint64_t seed = 0;
  // The part of the jobs that the interval should hold, in percent; 50 to 98.
  int64_t percent = 90;
  // False: nothing is submitted in a future.
  bool arrivals = true;
  // Events that the futures of a forecast may have in all; 1 or more. ForecastTrace: of each
  // forecast.
  int64_t work_budget = 10'000'000;
  // At the beginning. Forecast does not change them, ForecastTrace does.
  ForecastScales scales = {};
  // ForecastTrace only: every n-th job that waits is forecast; 1 or more.
  int64_t every = 1;
  // Policies and actions of the caller, which the profile may name (policy.h). They are asked in
  // every cycle of every future. Refused for a pool, where batch policies run no cycles. Null:
  // none.
  std::shared_ptr<const Extensions> extensions = {};
  // Called now and then. Returning true ends the call, with `complete` false. With an executor it
  // is called on several threads at once.
  std::function<bool()> should_stop = {};
  // Forecast only. Where several futures are played at once (executor.h). Forecasts do not depend
  // on it. With `extensions` it is not used. Default: null, one future after another.
  Executor* executor = nullptr;
  // ForecastTrace only. Called as often, with the time in the trace.
  std::function<void(int64_t)> progress = {};
};

// Seconds. kAbsent: not within the budget, in half of the futures or, for `high`, in too many.
struct ForecastTimes {
  int64_t low = kAbsent, middle = kAbsent, high = kAbsent;
};

// A job that waits.
struct JobForecast {
  std::string job;
  ForecastTimes start, end;
  // The number of futures in which the job started.
  int64_t started = 0;
};

// The jobs of a cluster that wait.
struct MUSTER_EXPORT ClusterForecast {
  int64_t now = 0;
  // In the order of the cluster's rows.
  std::vector<JobForecast> jobs;
  // Of all futures together: submissions, starts and ends.
  int64_t events = 0;
  // False: should_stop ended the call, or the budget was spent. Futures that were not begun do not
  // count then.
  bool complete = true;

  // Returns a fingerprint of the forecasts: 32 hexadecimal digits.
  std::string digest() const;
};

// Forecasts each job of the cluster with a pending task, under a profile of schedule.h.
//
// Jobs run as many at a time as the profile binds; a job runs once as many tasks as it needs hold a
// node, and ends after its run time. Its run time is learnt from `history`: the jobs of a trace, by
// user (TraceUser: the name in JobSpec::owner), estimate and size; those that end after `now` are
// not read. A job without an estimate counts as one of five days. Evictions start a job anew.
// Submissions to come are those of the history that were made before `now`. A trace without jobs is
// a history without anything: run times are then anything up to the estimates.
MUSTER_EXPORT absl::StatusOr<ClusterForecast> Forecast(const Cluster& cluster,
                                                       std::string_view profile,
                                                       const Trace& history,
                                                       const ForecastOptions& options = {});

// Forecasts of the jobs of a trace, beside what became of them. Every column has one entry a
// forecast, in the order of submissions.
struct MUSTER_EXPORT TraceForecast {
  // The policy with all that was left out filled in.
  std::string policy;
  // The row of the trace.
  std::vector<uint32_t> job;
  // When the forecast was made: after all that happened at the time of the submission.
  std::vector<int64_t> made;
  std::vector<int64_t> start_low, start, start_high;
  std::vector<int64_t> end_low, end, end_high;
  // The start that easy has in the future in which every job runs as long as its user estimated and
  // nothing is submitted. A job without an estimate counts as one of five days.
  std::vector<int64_t> promised;
  // What became of the job; kAbsent: it did not start, or end.
  std::vector<int64_t> started, ended;
  // After the last forecast.
  ForecastScales scales;
  int64_t events = 0;
  // Jobs that waited, those that `every` leaves out among them.
  int64_t waited = 0;
  bool complete = true;

  std::string digest() const;
};

// How good forecasts were, over those jobs that started. Parts are in [0, 1], times seconds.
struct ForecastQuality {
  int64_t forecasts = 0;
  // Starts and ends within the intervals, and starts before and after them.
  double start_held = 0, end_held = 0;
  double start_early = 0, start_late = 0;
  // The median of the distance between the middle and what happened, and the same for `promised`.
  int64_t start_error = 0, end_error = 0, promise_error = 0;
  // The mean of these distances.
  double start_mean_error = 0, promise_mean_error = 0;
  // The median length of an interval.
  int64_t start_length = 0, end_length = 0;
};
MUSTER_EXPORT ForecastQuality MeasureForecast(const TraceForecast& forecast);

// Replays the trace under the policy, as Replay does without options, and forecasts each job that
// is not started at the instant of its submission, from what is known then. On a pool, the policy
// is fcfs, easy or conservative, and futures are played on the pool. On nodes, futures are played
// by cycles, from the nodes on which tasks run and without the memory of earlier cycles.
MUSTER_EXPORT absl::StatusOr<TraceForecast> ForecastTrace(const Trace& trace,
                                                          std::string_view policy,
                                                          const ForecastOptions& options = {});

}  // namespace muster

#endif  // MUSTER_FORECAST_H_
