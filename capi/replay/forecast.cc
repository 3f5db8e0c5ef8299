// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Forecasts, from columns or a cluster to columns.
#include "muster/forecast.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "capi/executor.h"
#include "capi/handles.h"
#include "capi/policy.h"
#include "capi/replay/trace.h"

struct muster_forecast {
  muster::TraceForecast columns;
  std::vector<int64_t> jobs, offsets;
  std::string names, digest;
  muster_forecast_view view = MUSTER_FORECAST_VIEW_INIT;
};

namespace muster::capi {
namespace {

// The options refer to `policies`, which begins with the caller's.
absl::StatusOr<ForecastOptions> ForecastOptionsOf(const muster_forecast_options* options,
                                                  const muster_stop* stop, PolicyTurn* policies,
                                                  std::unique_ptr<CallerExecutor>* executor) {
  constexpr std::string_view kStruct = "muster_forecast_options";
  muster_forecast_options given = MUSTER_FORECAST_OPTIONS_INIT;
  if (absl::Status s = ReadStruct(kStruct.data(), options, &given); !s.ok()) return s;
  if (absl::Status s =
          CheckExecutor("muster_forecast_options: executor_", given.executor, given.executor_width);
      !s.ok()) {
    return s;
  }
  *executor =
      std::make_unique<CallerExecutor>(given.executor, given.executor_user, given.executor_width);
  if (given.no_arrivals != 0 && given.no_arrivals != 1) {
    return absl::InvalidArgumentError(absl::StrCat("muster_forecast_options: no_arrivals is ",
                                                   given.no_arrivals, "; must be 0 or 1"));
  }
  ForecastOptions said;
  said.executor = (*executor)->get();
  said.now = given.now;
  said.seed = given.seed;
  said.arrivals = given.no_arrivals == 0;
  const auto take = [](int64_t value, int64_t* out) {
    if (value != 0) *out = value;
  };
  take(given.futures, &said.futures);
  take(given.percent, &said.percent);
  take(given.work_budget, &said.work_budget);
  take(given.every, &said.every);
  take(given.start_low_scale, &said.scales.start_low);
  take(given.start_high_scale, &said.scales.start_high);
  take(given.end_low_scale, &said.scales.end_low);
  take(given.end_high_scale, &said.scales.end_high);
  if (absl::Status s = policies->Begin(kStruct, given.policies); !s.ok()) return s;
  said.extensions = policies->list();
  if (stop != nullptr || given.policies != nullptr || said.executor != nullptr) {
    said.should_stop = [stop, policies, runs = executor->get()] {
      return !runs->status().ok() || policies->failed() ||
             (stop != nullptr && stop->is_set.load(std::memory_order_relaxed) != 0);
    };
  }
  return said;
}

void FillView(muster_forecast* made) {
  const TraceForecast& c = made->columns;
  muster_forecast_view& view = made->view;
  view.complete = c.complete ? 1 : 0;
  view.count = static_cast<int64_t>(c.start.size());
  view.job_name_offsets = made->offsets.empty() ? nullptr : made->offsets.data();
  view.job_names = made->offsets.empty() ? nullptr : made->names.data();
  view.jobs = made->jobs.empty() ? nullptr : made->jobs.data();
  view.start_low = c.start_low.data();
  view.start = c.start.data();
  view.start_high = c.start_high.data();
  view.end_low = c.end_low.data();
  view.end = c.end.data();
  view.end_high = c.end_high.data();
  view.promised = c.promised.empty() ? nullptr : c.promised.data();
  view.events = c.events;
  view.digest = made->digest.c_str();
  view.start_low_scale = c.scales.start_low;
  view.start_high_scale = c.scales.start_high;
  view.end_low_scale = c.scales.end_low;
  view.end_high_scale = c.scales.end_high;
}

absl::Status OfTrace(const muster_pool_trace* trace, const char* policy,
                     const muster_forecast_options* options, const muster_stop* stop,
                     muster_forecast** out) {
  if (policy == nullptr) return NullArgument("policy");
  if (out == nullptr) return NullArgument("out");
  PolicyTurn policies;
  std::unique_ptr<CallerExecutor> executor;
  const absl::StatusOr<ForecastOptions> said =
      ForecastOptionsOf(options, stop, &policies, &executor);
  if (!said.ok()) return said.status();
  const absl::StatusOr<Trace> jobs = TraceOf(trace, nullptr, nullptr);
  if (!jobs.ok()) return jobs.status();
  absl::StatusOr<TraceForecast> forecast = ForecastTrace(*jobs, policy, *said);
  if (!executor->status().ok()) return executor->status();
  if (policies.failed()) return policies.status();
  if (!forecast.ok()) return forecast.status();
  if (!forecast->complete) return absl::CancelledError("forecast: stopped before its end");
  auto made = std::make_unique<muster_forecast>();
  made->digest = forecast->digest();
  made->columns = *std::move(forecast);
  made->jobs.assign(made->columns.job.begin(), made->columns.job.end());
  const ForecastQuality quality = MeasureForecast(made->columns);
  made->view.start_held = quality.start_held;
  made->view.end_held = quality.end_held;
  made->view.start_error = quality.start_error;
  made->view.promise_error = quality.promise_error;
  FillView(made.get());
  *out = made.release();
  return absl::OkStatus();
}

absl::Status OfCluster(const Cluster& cluster, const char* profile,
                       const muster_pool_trace* history, const muster_forecast_options* options,
                       const muster_stop* stop, muster_forecast** out) {
  if (profile == nullptr) return NullArgument("profile");
  if (out == nullptr) return NullArgument("out");
  PolicyTurn policies;
  std::unique_ptr<CallerExecutor> executor;
  const absl::StatusOr<ForecastOptions> said =
      ForecastOptionsOf(options, stop, &policies, &executor);
  if (!said.ok()) return said.status();
  absl::StatusOr<Trace> past = Trace{};
  if (history != nullptr) past = TraceOf(history, nullptr, nullptr);
  if (!past.ok()) return past.status();
  const absl::StatusOr<ClusterForecast> forecast = Forecast(cluster, profile, *past, *said);
  if (!executor->status().ok()) return executor->status();
  if (policies.failed()) return policies.status();
  if (!forecast.ok()) return forecast.status();
  if (stop != nullptr && said->should_stop()) {
    return absl::CancelledError("forecast: stopped before its end");
  }
  auto made = std::make_unique<muster_forecast>();
  TraceForecast& columns = made->columns;
  made->offsets.push_back(0);
  for (const JobForecast& job : forecast->jobs) {
    made->names += job.job;
    made->offsets.push_back(static_cast<int64_t>(made->names.size()));
    columns.start_low.push_back(job.start.low);
    columns.start.push_back(job.start.middle);
    columns.start_high.push_back(job.start.high);
    columns.end_low.push_back(job.end.low);
    columns.end.push_back(job.end.middle);
    columns.end_high.push_back(job.end.high);
  }
  columns.scales = said->scales;
  columns.events = forecast->events;
  columns.complete = forecast->complete;
  made->digest = forecast->digest();
  FillView(made.get());
  *out = made.release();
  return absl::OkStatus();
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_forecast_trace(const muster_pool_trace* trace, const char* policy,
                                    const muster_forecast_options* options, const muster_stop* stop,
                                    muster_forecast** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&] { return OfTrace(trace, policy, options, stop, out); });
}

muster_status muster_forecast_cluster(muster_cluster* cluster, const char* profile,
                                      const muster_pool_trace* history,
                                      const muster_forecast_options* options,
                                      const muster_stop* stop, muster_forecast** out,
                                      muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return OnCluster(cluster, error, [&] {
    return OfCluster(cluster->cluster, profile, history, options, stop, out);
  });
}

muster_status muster_forecast_get_view(const muster_forecast* forecast, muster_forecast_view* view,
                                       muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (forecast == nullptr) return NullArgument("forecast");
    return WriteStruct("muster_forecast_view", forecast->view, view);
  });
}

void muster_forecast_free(muster_forecast* forecast) { delete forecast; }
