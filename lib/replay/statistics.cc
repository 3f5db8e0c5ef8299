// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bootstrap intervals and least squares. Sums run in the order of the rows; Eigen is kept from
// vector instructions, which would add up in another order on another machine.
#define EIGEN_DONT_VECTORIZE
#include "muster/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "Eigen/Core"
#include "Eigen/QR"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr size_t kLeastRows = 2;
constexpr int64_t kMostResamples = 1000000;
// A column that is this part of its length away from the span of others counts as their
// combination.
constexpr double kRounding = 1e-12;

absl::Status CheckValues(std::string_view name, std::span<const double> values) {
  if (values.size() < kLeastRows) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(name), ": has ", values.size(),
                                                   " entries; must have at least ", kLeastRows));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(name), "[", i, "]: ", values[i],
                                                   " is not finite; must be a finite number"));
  }
  return absl::OkStatus();
}

absl::Status CheckLength(std::string_view name, size_t length, std::string_view of, size_t wanted) {
  if (length == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      ToAbsl(name), ": has ", length, " entries; must have ", wanted, ", as ", ToAbsl(of)));
}

absl::Status CheckLevel(double level) {
  if (level > 0 && level < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("level: ", level, " is out of range; must be between 0 and 1"));
}

absl::Status CheckOptions(const BootstrapOptions& options) {
  if (absl::Status s = CheckLevel(options.level); !s.ok()) return s;
  if (options.resamples >= 1 && options.resamples <= kMostResamples) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "resamples: ", options.resamples, " is out of range; must be 1 to ", kMostResamples));
}

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// `statistic` receives the numbers of the rows that were drawn.
template <class F>
Interval Bootstrap(size_t rows, const BootstrapOptions& options, const F& statistic) {
  std::vector<size_t> drawn(rows);
  std::iota(drawn.begin(), drawn.end(), size_t{0});
  Interval interval;
  interval.estimate = statistic(drawn);
  Rng rng(options.seed);
  std::vector<double> results(static_cast<size_t>(options.resamples));
  for (double& result : results) {
    for (size_t& row : drawn) row = static_cast<size_t>(rng.Below(rows));
    result = statistic(drawn);
  }
  std::sort(results.begin(), results.end());
  // 0.95 is a little less than 95 of a hundred, so a number this close to a whole one counts as
  // whole.
  constexpr double kSlack = 1e-6;
  const double tail = (1 - options.level) / 2 * static_cast<double>(results.size());
  const size_t left_out = std::min(static_cast<size_t>(tail + kSlack), (results.size() - 1) / 2);
  interval.low = results[left_out];
  interval.high = results[results.size() - 1 - left_out];
  return interval;
}

// The columns scaled to length 1, the intercept first.
struct Design {
  Eigen::MatrixXd columns;
  Eigen::VectorXd length;
};

Design MakeDesign(size_t rows, const std::vector<std::vector<double>>& x, bool intercept) {
  const auto n = static_cast<Eigen::Index>(rows);
  Design design{Eigen::MatrixXd(n, static_cast<Eigen::Index>(x.size()) + intercept), {}};
  if (intercept) design.columns.col(0).setOnes();
  for (size_t c = 0; c < x.size(); ++c) {
    design.columns.col(static_cast<Eigen::Index>(c) + intercept) =
        Eigen::Map<const Eigen::VectorXd>(x[c].data(), n);
  }
  design.length = design.columns.colwise().norm().transpose();
  for (Eigen::Index c = 0; c < design.columns.cols(); ++c) {
    if (design.length[c] > 0) design.columns.col(c) /= design.length[c];
  }
  return design;
}

absl::Status CheckDesign(std::span<const double> y, const std::vector<std::vector<double>>& x,
                         bool intercept) {
  if (absl::Status s = CheckValues("y", y); !s.ok()) return s;
  const size_t coefficients = x.size() + (intercept ? 1 : 0);
  if (coefficients == 0) {
    return absl::InvalidArgumentError("x: has no columns; must have one, or an intercept");
  }
  for (size_t c = 0; c < x.size(); ++c) {
    const std::string name = absl::StrCat("x[", c, "]");
    if (absl::Status s = CheckLength(name, x[c].size(), "y", y.size()); !s.ok()) return s;
    if (absl::Status s = CheckValues(name, x[c]); !s.ok()) return s;
  }
  if (y.size() > coefficients) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "y: has ", y.size(), " entries; must have more than coefficients, ", coefficients));
}

absl::Status Dependent(Eigen::Index column, bool intercept) {
  return absl::InvalidArgumentError(
      absl::StrCat(column < intercept ? "intercept" : absl::StrCat("x[", column - intercept, "]"),
                   ": is a linear combination of other columns; must be left out"));
}

}  // namespace

absl::StatusOr<Interval> MeanInterval(std::span<const double> values, double level) {
  if (absl::Status s = CheckValues("values", values); !s.ok()) return s;
  if (absl::Status s = CheckLevel(level); !s.ok()) return s;
  const auto n = static_cast<double>(values.size());
  const double mean = Mean(values);
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  const double reach = StudentQuantile((1 + level) / 2, static_cast<int64_t>(values.size()) - 1) *
                       std::sqrt(squares / (n - 1) / n);
  return Interval{mean, mean - reach, mean + reach};
}

absl::StatusOr<Interval> BootstrapMean(std::span<const double> values,
                                       const BootstrapOptions& options) {
  if (absl::Status s = CheckValues("values", values); !s.ok()) return s;
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  return Bootstrap(values.size(), options, [&](const std::vector<size_t>& rows) {
    double sum = 0;
    for (size_t row : rows) sum += values[row];
    return sum / static_cast<double>(rows.size());
  });
}

absl::StatusOr<Interval> BootstrapMedian(std::span<const double> values,
                                         const BootstrapOptions& options) {
  if (absl::Status s = CheckValues("values", values); !s.ok()) return s;
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  std::vector<double> drawn;
  return Bootstrap(values.size(), options, [&](const std::vector<size_t>& rows) {
    drawn.clear();
    for (size_t row : rows) drawn.push_back(values[row]);
    const auto upper = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
    std::nth_element(drawn.begin(), upper, drawn.end());
    if (drawn.size() % 2 == 1) return *upper;
    return (*std::max_element(drawn.begin(), upper) + *upper) / 2;
  });
}

absl::StatusOr<Interval> BootstrapRatio(std::span<const double> over, std::span<const double> under,
                                        const BootstrapOptions& options) {
  if (absl::Status s = CheckValues("over", over); !s.ok()) return s;
  if (absl::Status s = CheckLength("under", under.size(), "over", over.size()); !s.ok()) return s;
  if (absl::Status s = CheckValues("under", under); !s.ok()) return s;
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  for (size_t i = 0; i < under.size(); ++i) {
    if (under[i] > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("under[", i, "]: ", under[i], " is out of range; must be above 0"));
  }
  return Bootstrap(over.size(), options, [&](const std::vector<size_t>& rows) {
    double above = 0, below = 0;
    for (size_t row : rows) {
      above += over[row];
      below += under[row];
    }
    return above / below;
  });
}

absl::StatusOr<Regression> LeastSquares(std::span<const double> y,
                                        const std::vector<std::vector<double>>& x,
                                        const RegressionOptions& options) {
  if (absl::Status s = CheckDesign(y, x, options.intercept); !s.ok()) return s;
  if (absl::Status s = CheckLevel(options.level); !s.ok()) return s;
  const Design design = MakeDesign(y.size(), x, options.intercept);
  const Eigen::Map<const Eigen::VectorXd> wanted(y.data(), static_cast<Eigen::Index>(y.size()));
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(kRounding);
  qr.compute(design.columns);
  const Eigen::Index count = design.columns.cols();
  const auto& place = qr.colsPermutation().indices();  // in the design, by pivot
  if (qr.rank() < count) return Dependent(place[qr.rank()], options.intercept);
  const Eigen::VectorXd solution = qr.solve(wanted);
  const double left = (wanted - design.columns * solution).squaredNorm();

  Regression fit;
  fit.freedom = static_cast<int64_t>(y.size()) - count;
  fit.deviation = std::sqrt(left / static_cast<double>(fit.freedom));
  const double variation =
      options.intercept ? (wanted.array() - Mean(y)).square().sum() : wanted.squaredNorm();
  if (variation > 0) fit.r_squared = std::max(0.0, 1 - left / variation);
  fit.coefficients.resize(static_cast<size_t>(count));
  const double reach = StudentQuantile((1 + options.level) / 2, fit.freedom);
  // The variances are those of the residuals times the diagonal of (R'R)^-1, the squares in the
  // rows of R^-1.
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(count);
  for (Eigen::Index c = 0; c < count; ++c) {
    Eigen::VectorXd column = Eigen::VectorXd::Unit(count, c);
    qr.matrixR().topLeftCorner(count, count).triangularView<Eigen::Upper>().solveInPlace(column);
    squares += column.cwiseAbs2();
  }
  for (Eigen::Index pivot = 0; pivot < count; ++pivot) {
    const Eigen::Index at = place[pivot];
    Coefficient& coefficient = fit.coefficients[static_cast<size_t>(at)];
    coefficient.value = solution[at] / design.length[at];
    coefficient.standard_error = fit.deviation * std::sqrt(squares[pivot]) / design.length[at];
    coefficient.low = coefficient.value - reach * coefficient.standard_error;
    coefficient.high = coefficient.value + reach * coefficient.standard_error;
  }
  return fit;
}

}  // namespace muster
