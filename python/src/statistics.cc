// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Statistics for Python: arrays in, numbers out. Intervals are tuples (estimate, low, high).
#include "muster/statistics.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "python/src/bindings.h"
#include "python/src/status.h"

namespace py = pybind11;

namespace muster::python {
namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> View(const Doubles& numbers) {
  return {numbers.data(), static_cast<size_t>(numbers.size())};
}

py::tuple Told(const absl::StatusOr<Interval>& interval) {
  const Interval value = Value(interval);
  return py::make_tuple(value.estimate, value.low, value.high);
}

BootstrapOptions Options(double level, int64_t resamples, uint64_t seed) {
  return {.level = level, .resamples = resamples, .seed = seed};
}

py::dict Fit(const Doubles& y, const std::vector<Doubles>& x, bool intercept, double level) {
  std::vector<std::vector<double>> columns;
  for (const Doubles& column : x) {
    const std::span<const double> view = View(column);
    columns.emplace_back(view.begin(), view.end());
  }
  const Regression fit = Value(LeastSquares(View(y), columns, {intercept, level}));
  py::list coefficients;
  for (const Coefficient& c : fit.coefficients) {
    coefficients.append(py::make_tuple(c.value, c.standard_error, c.low, c.high));
  }
  py::dict out;
  out["coefficients"] = coefficients;
  out["r_squared"] = fit.r_squared;
  out["deviation"] = fit.deviation;
  out["freedom"] = fit.freedom;
  return out;
}

}  // namespace

void BindStatistics(py::module_& module) {
  module.def(
      "percentile",
      [](const Doubles& ordered, double percent) {
        if (!(percent >= 0 && percent <= 100)) {
          Check(absl::InvalidArgumentError(
              absl::StrCat("percentile: percent is ", percent, "; must be 0 to 100")));
        }
        return Percentile(View(ordered), percent);
      },
      py::arg("ordered"), py::arg("percent"));
  module.def(
      "mean_interval",
      [](const Doubles& values, double level) { return Told(MeanInterval(View(values), level)); },
      py::arg("values"), py::arg("level"));
  module.def(
      "bootstrap_mean",
      [](const Doubles& values, double level, int64_t resamples, uint64_t seed) {
        return Told(BootstrapMean(View(values), Options(level, resamples, seed)));
      },
      py::arg("values"), py::arg("level"), py::arg("resamples"), py::arg("seed"));
  module.def(
      "bootstrap_median",
      [](const Doubles& values, double level, int64_t resamples, uint64_t seed) {
        return Told(BootstrapMedian(View(values), Options(level, resamples, seed)));
      },
      py::arg("values"), py::arg("level"), py::arg("resamples"), py::arg("seed"));
  module.def(
      "bootstrap_ratio",
      [](const Doubles& over, const Doubles& under, double level, int64_t resamples,
         uint64_t seed) {
        return Told(BootstrapRatio(View(over), View(under), Options(level, resamples, seed)));
      },
      py::arg("over"), py::arg("under"), py::arg("level"), py::arg("resamples"), py::arg("seed"));
  module.def("least_squares", &Fit, py::arg("y"), py::arg("x"), py::arg("intercept"),
             py::arg("level"));
}

}  // namespace muster::python
