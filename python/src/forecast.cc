// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Forecasts for Python: a cluster or a trace in, columns out.
#include "muster/forecast.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/columns.h"
#include "python/src/convert.h"
#include "python/src/forecast.h"
#include "python/src/run.h"
#include "python/src/shared_trace.h"
#include "python/src/status.h"

namespace py = pybind11;

namespace muster::python {
namespace {

template <class T>
void TakeOption(const Place& place, const py::dict& from, const char* name, T* out) {
  if (from.contains(name)) ReadInto(Place{&place, name}, from[name], out);
}

ForecastOptions ReadForecastOptions(const py::dict& given) {
  ForecastOptions options;
  const Place root{nullptr, "forecast"};
  const std::vector<std::string_view> known = {"now",      "futures",     "seed",   "percent",
                                               "arrivals", "work_budget", "scales", "every"};
  for (auto [key, value] : given) {
    const std::string name = ReadText(root, key);
    if (std::find(known.begin(), known.end(), name) == known.end()) UnknownKey(root, name, known);
  }
  TakeOption(root, given, "now", &options.now);
  TakeOption(root, given, "futures", &options.futures);
  TakeOption(root, given, "seed", &options.seed);
  TakeOption(root, given, "percent", &options.percent);
  TakeOption(root, given, "arrivals", &options.arrivals);
  TakeOption(root, given, "work_budget", &options.work_budget);
  TakeOption(root, given, "every", &options.every);
  if (given.contains("scales")) {
    const auto four = given["scales"].cast<std::vector<int64_t>>();
    if (four.size() != 4) {
      Refuse("forecast: scales: expected four numbers, got " + std::to_string(four.size()));
    }
    options.scales = {four[0], four[1], four[2], four[3]};
  }
  return options;
}

py::tuple FourScales(const ForecastScales& scales) {
  return py::make_tuple(scales.start_low, scales.start_high, scales.end_low, scales.end_high);
}

// Makes forecasts with the options, the caller's policies and the threads: `make` takes all as one.
template <class Make>
auto MakeForecast(ForecastOptions options, const std::shared_ptr<PythonExtensions>& policies,
                  int64_t threads, const Make& make) {
  const auto with = [&](const ScheduleOptions& asked, Executor* executor) {
    options.executor = executor;
    options.extensions = asked.extensions;
    options.should_stop = asked.should_stop;
    return make(options);
  };
  return AskOnThreads(options.now, policies, threads, with, /*every=*/1);
}

py::dict OfTrace(const SharedTrace& trace, const TextArg& policy, const py::dict& given,
                 const std::shared_ptr<PythonExtensions>& policies) {
  const TraceForecast forecast = MakeForecast(
      ReadForecastOptions(given), policies, /*threads=*/1,
      [&](const ForecastOptions& options) { return ForecastTrace(*trace.trace, policy, options); });
  py::dict columns, quality, out;
  columns["job"] = NumberArray(forecast.job);
  columns["made"] = NumberArray(forecast.made);
  columns["start_low"] = NumberArray(forecast.start_low);
  columns["start"] = NumberArray(forecast.start);
  columns["start_high"] = NumberArray(forecast.start_high);
  columns["end_low"] = NumberArray(forecast.end_low);
  columns["end"] = NumberArray(forecast.end);
  columns["end_high"] = NumberArray(forecast.end_high);
  columns["promised"] = NumberArray(forecast.promised);
  columns["started"] = NumberArray(forecast.started);
  columns["ended"] = NumberArray(forecast.ended);
  const ForecastQuality q = MeasureForecast(forecast);
  quality["forecasts"] = q.forecasts;
  quality["start_held"] = q.start_held;
  quality["start_early"] = q.start_early;
  quality["start_late"] = q.start_late;
  quality["end_held"] = q.end_held;
  quality["start_error"] = q.start_error;
  quality["end_error"] = q.end_error;
  quality["promise_error"] = q.promise_error;
  quality["start_mean_error"] = q.start_mean_error;
  quality["promise_mean_error"] = q.promise_mean_error;
  quality["start_length"] = q.start_length;
  quality["end_length"] = q.end_length;
  out["jobs"] = columns;
  out["quality"] = quality;
  out["policy"] = forecast.policy;
  out["scales"] = FourScales(forecast.scales);
  out["events"] = forecast.events;
  out["waited"] = forecast.waited;
  out["digest"] = forecast.digest();
  return out;
}

}  // namespace

py::dict ForecastTables(const Cluster& cluster, const std::string& profile, py::handle history,
                        const py::dict& given, const std::shared_ptr<PythonExtensions>& policies,
                        int64_t threads) {
  const Trace none;
  const Trace& past = history.is_none() ? none : *history.cast<const SharedTrace&>().trace;
  const ClusterForecast forecast = MakeForecast(
      ReadForecastOptions(given), policies, threads,
      [&](const ForecastOptions& options) { return Forecast(cluster, profile, past, options); });
  std::vector<std::string_view> names;
  std::vector<int64_t> columns[7];
  for (const JobForecast& job : forecast.jobs) {
    names.push_back(job.job);
    const int64_t values[] = {job.start.low,  job.start.middle, job.start.high, job.end.low,
                              job.end.middle, job.end.high,     job.started};
    for (size_t i = 0; i < std::size(values); ++i) columns[i].push_back(values[i]);
  }
  constexpr const char* kNames[] = {"start_low", "start",    "start_high", "end_low",
                                    "end",       "end_high", "futures"};
  py::dict jobs, out;
  jobs["job"] = TextArray(names);
  for (size_t i = 0; i < std::size(kNames); ++i) jobs[kNames[i]] = NumberArray(columns[i]);
  out["jobs"] = jobs;
  out["events"] = forecast.events;
  out["complete"] = forecast.complete;
  out["digest"] = forecast.digest();
  return out;
}

void BindForecast(py::module_& module) {
  module.def("forecast_trace", &OfTrace, py::arg("trace"), py::arg("policy"), py::arg("options"),
             py::arg("policies"));
}

}  // namespace muster::python
