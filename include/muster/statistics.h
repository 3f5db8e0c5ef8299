// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Statistics of replays: which differences are more than chance, and what a figure depends on.
//
//   // The mean waits under two policies; replicate r played the same jobs under both.
//   std::vector<double> easy = {50, 71, 64}, fcfs = {80, 99, 121};
//   absl::StatusOr<muster::Interval> ratio = muster::BootstrapRatio(easy, fcfs, {.seed = 7});
//   if (ratio.ok() && ratio->high < 1) Use(ratio->estimate);  // easy waits less, by this factor
//
//   // By how many seconds does the wait grow with each task?
//   std::vector<double> wait = {5, 9, 11, 18}, tasks = {1, 2, 3, 4};
//   absl::StatusOr<muster::Regression> line = muster::LeastSquares(wait, {tasks});
//   if (line.ok()) Use(line->coefficients[1].value, line->coefficients[1].low);
//
// Promises. Each function is a pure function of its arguments. Quantiles and bootstrap intervals
// have the same bits from every compiler on every machine. Regressions are computed by Eigen
// without vector instructions; another version of Eigen may change their last digits. Nothing here
// is on the path of a decision.
// Failures. A function that returns a StatusOr fails with InvalidArgument, naming the place and the
// rule: `values[3]: nan is not finite; must be a finite number`.
// Ownership. Arguments are read during the call only. Results hold copies.
// Threads. There is no state: any number of threads may call at once.
// Cost. A bootstrap costs O(resamples * rows); 2,000 resamples of 30 values take a few
// milliseconds. A regression costs O(rows * columns^2).
#ifndef MUSTER_STATISTICS_H_
#define MUSTER_STATISTICS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"

namespace muster {

// An estimate and the ends of the interval around it. low <= high.
struct Interval {
  double estimate = 0;
  double low = 0, high = 0;
};

// --- quantiles ----------------------------------------------------------------------------------

// Returns the smallest of `sorted` that at least `percent` of a hundred of them do not exceed: a
// value that occurs, by nearest rank and without interpolation. Returns 0 where there are none.
// REQUIRES: `sorted` ascends; 0 <= percent <= 100. Cost: O(1).
MUSTER_EXPORT double Percentile(std::span<const double> sorted, double percent);

// Returns the x below which a standard normal variable lies with probability p. Returns -infinity
// for p = 0, infinity for p = 1, and NaN outside 0 .. 1.
// Formula: the tail Q(x) is 1/2 - phi(x) (x + x^3/3 + x^5/15 + ...) below x = 3, and phi(x) over
// Laplace's continued fraction x + 1/(x + 2/(x + 3/...)) from there on. Bisection inverts it.
// Accuracy: the error is below 1e-12 (1 + |x|) for p in 1e-15 .. 1 - 1e-12. Cost: tens of us.
MUSTER_EXPORT double NormalQuantile(double p);

// Returns the same of Student's t with `freedom` degrees of freedom, 1 or more. Returns NaN for
// fewer.
// Formula: up to 1,000 degrees the tail is half the regularized incomplete beta function
// I_z(freedom / 2, 1/2) at z = freedom / (freedom + x^2), by its power series in z or in 1 - z.
// Bisection inverts it. Above, x is the normal quantile plus the terms in 1/freedom to 1/freedom^4
// of the Cornish-Fisher expansion.
// Accuracy: the error is below 1e-9 (1 + |x|) for p in 1e-6 .. 1 - 1e-6. Cost: at most 100 us.
MUSTER_EXPORT double StudentQuantile(double p, int64_t freedom);

// --- intervals ----------------------------------------------------------------------------------

// Returns the interval of the mean of independent values that are about normal: mean -+ t * s /
// sqrt(n), with the standard deviation s (n - 1 in its denominator) and the quantile t of n - 1
// degrees of freedom at (1 + level) / 2. Fails for fewer than two values, and for a `level` that is
// not between 0 and 1.
MUSTER_EXPORT absl::StatusOr<Interval> MeanInterval(std::span<const double> values,
                                                    double level = 0.95);

// How the functions below draw.
struct BootstrapOptions {
  double level = 0.95;       // the part of the resamples inside the interval; between 0 and 1
  int64_t resamples = 2000;  // 1 .. 1,000,000
  uint64_t seed = 0;         // equal seeds draw equal rows, whatever the values
};

// Percentile-bootstrap intervals. Each resample draws n of the n rows with replacement, by
// xoshiro256++ from the seed, and computes the statistic anew. Of the sorted results, as many are
// left out at each end as fit into (1 - level) / 2 of them; `low` and `high` are the outermost that
// remain. `estimate` is the statistic of the values themselves. No distribution is assumed. Each
// function needs two rows, and finite values.

// Of the mean.
MUSTER_EXPORT absl::StatusOr<Interval> BootstrapMean(std::span<const double> values,
                                                     const BootstrapOptions& options = {});
// Of the median. Of an even number of values it is the mean of the two in the middle.
MUSTER_EXPORT absl::StatusOr<Interval> BootstrapMedian(std::span<const double> values,
                                                       const BootstrapOptions& options = {});
// Of mean(over) / mean(under), for two samples of equal length that are paired: row i of both is
// drawn together, so what the pairs have in common cancels out. Every value of `under` must be
// above 0.
MUSTER_EXPORT absl::StatusOr<Interval> BootstrapRatio(std::span<const double> over,
                                                      std::span<const double> under,
                                                      const BootstrapOptions& options = {});

// --- regression ---------------------------------------------------------------------------------

// One estimated coefficient, with the interval value -+ t * standard_error.
struct Coefficient {
  double value = 0, standard_error = 0;
  double low = 0, high = 0;
};

// An ordinary least-squares fit.
struct Regression {
  std::vector<Coefficient> coefficients;  // the intercept, if any, and then one a column
  // The part of the variation of y that the fit explains, 0 to 1: about the mean of y with an
  // intercept, about 0 without. 1 where y does not vary.
  double r_squared = 1;
  double deviation = 0;  // standard deviation of the residuals: sqrt(sum of squares / freedom)
  int64_t freedom = 0;   // rows minus coefficients
};

struct RegressionOptions {
  bool intercept = true;  // false: the fit goes through the origin
  double level = 0.95;    // of the coefficients' intervals, by Student's t; between 0 and 1
};

// Fits y = b0 + b1 * x[0] + b2 * x[1] + ... by Householder QR with column pivoting, over columns
// scaled to length 1. Each x[i] has as many entries as y. Needs more rows than coefficients, and at
// least one coefficient. Fails where a column is a linear combination of others, up to rounding:
// the error names one.
MUSTER_EXPORT absl::StatusOr<Regression> LeastSquares(std::span<const double> y,
                                                      const std::vector<std::vector<double>>& x,
                                                      const RegressionOptions& options = {});

}  // namespace muster

#endif  // MUSTER_STATISTICS_H_
