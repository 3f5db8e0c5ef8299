// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quantiles against closed forms and integrals, bootstraps against a twin that sorts every
// resample, least squares against certified values and normal equations.
#include "muster/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Percentile, IsTheSmallestThatCoversSoManyOfAHundred) {
  Values hundred(100);
  std::iota(hundred.begin(), hundred.end(), 1.0);
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(Percentile(hundred, percent), percent);
  }
  EXPECT_EQ(Percentile(hundred, 0), 1);
  EXPECT_EQ(Percentile(hundred, 94.5), 95);
  EXPECT_EQ(Percentile(Values{7}, 50), 7);
  EXPECT_EQ(Percentile(Values{}, 50), 0);
}

TEST(NormalQuantile, TakesTheValuesOfTables) {
  EXPECT_EQ(NormalQuantile(0.5), 0);
  EXPECT_NEAR(NormalQuantile(0.75), 0.674489750196082, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.995), 2.575829303548901, 1e-14);
  EXPECT_NEAR(NormalQuantile(1e-10), -6.361340902404056, 1e-13);
  EXPECT_NEAR(NormalQuantile(1e-15), -7.941345326170997, 1e-13);
  EXPECT_EQ(NormalQuantile(0), -kInfinity);
  EXPECT_EQ(NormalQuantile(1), kInfinity);
  for (double p : {-0.1, 1.1, kNan}) EXPECT_TRUE(std::isnan(NormalQuantile(p))) << p;
  for (double p : {0.125, 0.25, 0.375}) EXPECT_EQ(NormalQuantile(p), -NormalQuantile(1 - p));
}

TEST(StudentQuantile, HasClosedFormsForOneAndTwoDegrees) {
  for (double p : {0.501, 0.6, 0.9, 0.975, 0.995, 0.99999}) {
    const double one = std::tan(3.14159265358979323846 * (p - 0.5));
    EXPECT_NEAR(StudentQuantile(p, 1), one, 1e-10 * (1 + one)) << p;
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(StudentQuantile(p, 2), two, 1e-10 * (1 + two)) << p;
  }
  EXPECT_EQ(StudentQuantile(0.5, 3), 0);
  EXPECT_EQ(StudentQuantile(0, 3), -kInfinity);
  EXPECT_EQ(StudentQuantile(1, 3000), kInfinity);
  EXPECT_TRUE(std::isnan(StudentQuantile(0.9, 0)));
  EXPECT_TRUE(std::isnan(StudentQuantile(2, 3)));
}

// The part of Student's t between 0 and x, by Simpson's rule over its density.
double Between(double x, double freedom) {
  const double front = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
                       std::sqrt(freedom * 3.14159265358979323846);
  const auto density = [&](double t) {
    return front * std::pow(1 + t * t / freedom, -(freedom + 1) / 2);
  };
  constexpr int kSteps = 20000;
  const double step = x / kSteps;
  double sum = density(0) + density(x);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 1 ? 4 : 2) * density(i * step);
  return sum * step / 3;
}

TEST(StudentQuantile, InvertsTheIntegralOfItsDensity) {
  for (int64_t freedom : {3, 4, 5, 10, 29, 100, 999, 1000, 1001, 20000}) {
    for (double p : {0.55, 0.9, 0.975, 0.999}) {
      EXPECT_NEAR(0.5 + Between(StudentQuantile(p, freedom), static_cast<double>(freedom)), p,
                  1e-11)
          << freedom << " degrees, " << p;
    }
  }
}

TEST(StudentQuantile, MeetsItsExpansionAndTheNormal) {
  for (double p : {0.9, 0.975, 0.9999}) {
    const double below = StudentQuantile(p, 1000), above = StudentQuantile(p, 1001);
    EXPECT_GT(below, above);
    EXPECT_LT(below - above, 2e-5);
    EXPECT_NEAR(StudentQuantile(p, int64_t{1} << 50), NormalQuantile(p), 1e-13);
  }
}

TEST(MeanInterval, ByHand) {
  // The mean is 3, the variance 10 / 4; t of 4 degrees of freedom at 0.975 is 2.776445105...
  const absl::StatusOr<Interval> interval = MeanInterval(Values{1, 2, 3, 4, 5});
  ASSERT_TRUE(interval.ok()) << interval.status();
  EXPECT_EQ(interval->estimate, 3);
  EXPECT_NEAR(interval->high - 3, 2.7764451051978 * std::sqrt(2.5 / 5), 1e-11);
  EXPECT_NEAR(interval->low, 6 - interval->high, 1e-14);
}

double Median(Values values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}
double MeanOf(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

template <class F>
Interval Twin(size_t rows, const BootstrapOptions& options, const F& statistic) {
  Rng rng(options.seed);
  Values results;
  for (int64_t i = 0; i < options.resamples; ++i) {
    std::vector<size_t> drawn;
    for (size_t k = 0; k < rows; ++k) drawn.push_back(rng.Below(rows));
    results.push_back(statistic(drawn));
  }
  std::sort(results.begin(), results.end());
  const auto out = static_cast<size_t>(
      std::floor(static_cast<double>(options.resamples) * (1 - options.level) / 2 + 1e-6));
  return {0, results[out], results[results.size() - 1 - out]};
}

TEST(Bootstrap, IsThatOfATwinThatSortsEveryResample) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    Values a, b;
    for (size_t i = 0; i < 2 + seed; ++i) {
      a.push_back(static_cast<double>(rng.Below(100)));
      b.push_back(1 + rng.Exponential(10));
    }
    const BootstrapOptions options = {.level = 0.8, .resamples = 300, .seed = seed};
    const auto same = [](const absl::StatusOr<Interval>& interval, const Interval& twin) {
      ASSERT_TRUE(interval.ok()) << interval.status();
      EXPECT_DOUBLE_EQ(interval->low, twin.low);
      EXPECT_DOUBLE_EQ(interval->high, twin.high);
    };
    const auto picked = [](const Values& values, const std::vector<size_t>& rows) {
      Values out;
      for (size_t row : rows) out.push_back(values[row]);
      return out;
    };
    same(BootstrapMean(a, options),
         Twin(a.size(), options, [&](const auto& rows) { return MeanOf(picked(a, rows)); }));
    same(BootstrapMedian(a, options),
         Twin(a.size(), options, [&](const auto& rows) { return Median(picked(a, rows)); }));
    same(BootstrapRatio(a, b, options), Twin(a.size(), options, [&](const auto& rows) {
           return MeanOf(picked(a, rows)) / MeanOf(picked(b, rows));
         }));
    EXPECT_DOUBLE_EQ(BootstrapMean(a)->estimate, MeanOf(a));
    EXPECT_EQ(BootstrapMedian(a)->estimate, Median(a));
    EXPECT_DOUBLE_EQ(BootstrapRatio(a, b)->estimate, MeanOf(a) / MeanOf(b));
  }
}

TEST(Bootstrap, HasTheSameBitsEverywhere) {
  const Values values = {3.1, 4.1, 5.9, 2.6, 5.3, 5.8, 9.7, 9.3};
  const BootstrapOptions options = {.seed = 42};
  const absl::StatusOr<Interval> mean = BootstrapMean(values, options);
  EXPECT_EQ(mean->low, 0x1.08ccccccccccep+2);
  EXPECT_EQ(mean->high, 0x1.dcp+2);
  const absl::StatusOr<Interval> ratio =
      BootstrapRatio(values, Values{2, 7, 1, 8, 2, 8, 1, 8}, options);
  EXPECT_EQ(ratio->low, 0x1.6cf6cf6cf6cf9p-1);
  EXPECT_EQ(ratio->high, 0x1.43c3c3c3c3c3cp+1);
}

TEST(Bootstrap, OfTwoValuesHasThreeMeans) {
  // A quarter of the means are 0 and a quarter are 1, about 500 of 2,000 each.
  const Values values = {0, 1};
  EXPECT_EQ(BootstrapMean(values, {.level = 0.95})->low, 0);
  EXPECT_EQ(BootstrapMean(values, {.level = 0.95})->high, 1);
  EXPECT_EQ(BootstrapMean(values, {.level = 0.4})->low, 0.5);
  EXPECT_EQ(BootstrapMean(values, {.level = 0.4})->high, 0.5);
}

TEST(Bootstrap, LeavesNothingOutOfASingleResample) {
  const absl::StatusOr<Interval> one =
      BootstrapMean(Values{1, 2, 3}, {.level = 1e-9, .resamples = 1});
  EXPECT_EQ(one->low, one->high);
  EXPECT_LE(BootstrapMean(Values{1, 2, 3}, {.level = 1e-9, .resamples = 2})->low,
            BootstrapMean(Values{1, 2, 3}, {.level = 1e-9, .resamples = 2})->high);
}

TEST(Bootstrap, PairsCancelWhatTheyHaveInCommon) {
  const Values under = {3, 900, 41, 7, 250};
  Values over;
  for (double value : under) over.push_back(2 * value);
  const absl::StatusOr<Interval> ratio = BootstrapRatio(over, under);
  EXPECT_EQ(ratio->estimate, 2);
  EXPECT_EQ(ratio->low, 2);
  EXPECT_EQ(ratio->high, 2);
}

TEST(Bootstrap, CoversTheMeanAboutAsOftenAsItsLevelSays) {
  Rng rng(5);
  constexpr int kSamples = 400;
  int covered = 0, covered_by_t = 0;
  for (int i = 0; i < kSamples; ++i) {
    Values values;
    for (int k = 0; k < 30; ++k) values.push_back(10 + 3 * rng.Normal());
    const absl::StatusOr<Interval> interval =
        BootstrapMean(values, {.resamples = 500, .seed = static_cast<uint64_t>(i)});
    covered += interval->low <= 10 && 10 <= interval->high;
    const absl::StatusOr<Interval> t = MeanInterval(values);
    covered_by_t += t->low <= 10 && 10 <= t->high;
  }
  // Of 400 at 95 %, 380 with a deviation of 4.4. Percentile intervals of 30 values are a little
  // narrow.
  EXPECT_GT(covered, 355);
  EXPECT_LT(covered, 392);
  EXPECT_GT(covered_by_t, 366);
  EXPECT_LT(covered_by_t, 394);
}

TEST(LeastSquares, FindsALine) {
  const absl::StatusOr<Regression> fit = LeastSquares(Values{5, 8, 11, 14}, {{1, 2, 3, 4}});
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_NEAR(fit->coefficients[0].value, 2, 1e-13);
  EXPECT_NEAR(fit->coefficients[1].value, 3, 1e-13);
  EXPECT_NEAR(fit->coefficients[1].standard_error, 0, 1e-13);
  EXPECT_NEAR(fit->r_squared, 1, 1e-14);
  EXPECT_EQ(fit->freedom, 2);
}

TEST(LeastSquares, ByHand) {
  // Means 2 and 4; slope 4 / 2, intercept 0; residuals 1, -2, 1; 6 / 1 of them a degree; variation
  // 14.
  const absl::StatusOr<Regression> fit = LeastSquares(Values{3, 2, 7}, {{1, 2, 3}}, {.level = 0.9});
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_NEAR(fit->coefficients[0].value, 0, 1e-13);
  EXPECT_NEAR(fit->coefficients[1].value, 2, 1e-13);
  EXPECT_NEAR(fit->deviation, std::sqrt(6.0), 1e-13);
  EXPECT_NEAR(fit->coefficients[1].standard_error, std::sqrt(6.0 / 2), 1e-13);
  EXPECT_NEAR(fit->coefficients[0].standard_error, std::sqrt(6.0 * (1.0 / 3 + 4.0 / 2)), 1e-13);
  EXPECT_NEAR(fit->r_squared, 1 - 6.0 / 14, 1e-14);
  const double t = 6.313751514675;  // one degree of freedom, 0.95
  EXPECT_NEAR(fit->coefficients[1].high, 2 + t * std::sqrt(3.0), 1e-10);
  EXPECT_NEAR(fit->coefficients[1].low, 2 - t * std::sqrt(3.0), 1e-10);
}

TEST(LeastSquares, ThroughTheOrigin) {
  // (1 * 2 + 2 * 3) / (1 + 4) = 1.6; residuals 0.4, -0.2; variation about 0: 13.
  const absl::StatusOr<Regression> fit = LeastSquares(Values{2, 3}, {{1, 2}}, {.intercept = false});
  ASSERT_TRUE(fit.ok()) << fit.status();
  ASSERT_EQ(fit->coefficients.size(), 1);
  EXPECT_NEAR(fit->coefficients[0].value, 1.6, 1e-14);
  EXPECT_NEAR(fit->deviation, std::sqrt(0.2), 1e-14);
  EXPECT_NEAR(fit->r_squared, 1 - 0.2 / 13, 1e-14);
}

TEST(LeastSquares, OfConstantsExplainsThem) {
  const absl::StatusOr<Regression> fit = LeastSquares(Values{4, 4, 4}, {});
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_NEAR(fit->coefficients[0].value, 4, 1e-14);
  EXPECT_EQ(fit->r_squared, 1);
}

// Longley's table of employment, 1947 to 1962: six columns that nearly depend on each other. The
// values of the fit are those that the National Institute of Standards and Technology certifies.
TEST(LeastSquares, OfLongleyIsAsCertified) {
  const Values employed = {60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761,
                           66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551};
  const std::vector<Values> x = {{83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6,
                                  108.4, 110.8, 112.6, 114.2, 115.7, 116.9},
                                 {234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112,
                                  397469, 419180, 442769, 444546, 482704, 502601, 518173, 554894},
                                 {2356, 2325, 3682, 3351, 2099, 1932, 1870, 3578, 2904, 2822, 2936,
                                  4681, 3813, 3931, 4806, 4007},
                                 {1590, 1456, 1616, 1650, 3099, 3594, 3547, 3350, 3048, 2857, 2798,
                                  2637, 2552, 2514, 2572, 2827},
                                 {107608, 108632, 109773, 110929, 112075, 113270, 115094, 116219,
                                  117388, 118734, 120445, 121950, 123366, 125368, 127852, 130081},
                                 {1947, 1948, 1949, 1950, 1951, 1952, 1953, 1954, 1955, 1956, 1957,
                                  1958, 1959, 1960, 1961, 1962}};
  const absl::StatusOr<Regression> fit = LeastSquares(employed, x);
  ASSERT_TRUE(fit.ok()) << fit.status();
  const Values value = {-3482258.63459582, 15.0618722713733,  -0.0358191792925910,
                        -2.02022980381683, -1.03322686717359, -0.0511041056535807,
                        1829.15146461355};
  const Values error = {890420.383607373,  84.9149257747669,  0.0334910077722432, 0.488399681651699,
                        0.214274163161675, 0.226073200069370, 455.478499142212};
  for (size_t i = 0; i < value.size(); ++i) {
    EXPECT_NEAR(fit->coefficients[i].value, value[i], 1e-9 * std::abs(value[i])) << i;
    EXPECT_NEAR(fit->coefficients[i].standard_error, error[i], 1e-9 * error[i]) << i;
  }
  EXPECT_NEAR(fit->r_squared, 0.995479004577296, 1e-13);
  EXPECT_NEAR(fit->deviation, 304.854073561965, 1e-8);
  EXPECT_EQ(fit->freedom, 9);
}

// Solves the normal equations of two columns and an intercept by Cramer's rule.
std::vector<long double> ByNormalEquations(const Values& y, const Values& a, const Values& b) {
  const auto dot = [](const Values& p, const Values& q) {
    return std::inner_product(p.begin(), p.end(), q.begin(), 0.0L, std::plus<>(),
                              [](double s, double t) { return static_cast<long double>(s) * t; });
  };
  const Values one(y.size(), 1);
  const Values* columns[] = {&one, &a, &b};
  long double m[3][4];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m[i][j] = dot(*columns[i], *columns[j]);
    m[i][3] = dot(*columns[i], y);
  }
  const auto determinant = [&](int p, int q, int r) {
    return m[0][p] * (m[1][q] * m[2][r] - m[1][r] * m[2][q]) -
           m[0][q] * (m[1][p] * m[2][r] - m[1][r] * m[2][p]) +
           m[0][r] * (m[1][p] * m[2][q] - m[1][q] * m[2][p]);
  };
  const long double whole = determinant(0, 1, 2);
  return {determinant(3, 1, 2) / whole, determinant(0, 3, 2) / whole, determinant(0, 1, 3) / whole};
}

TEST(LeastSquares, SolvesTheNormalEquationsWhateverTheUnits) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    Values y, a, b, a_in_billionths;
    for (size_t i = 0; i < 4 + seed; ++i) {
      a.push_back(rng.Normal());
      b.push_back(rng.Exponential(3));
      y.push_back(7 + 2 * a.back() - b.back() + rng.Normal());
      a_in_billionths.push_back(1e9 * a.back());
    }
    const absl::StatusOr<Regression> fit = LeastSquares(y, {a, b});
    const absl::StatusOr<Regression> scaled = LeastSquares(y, {a_in_billionths, b});
    ASSERT_TRUE(fit.ok() && scaled.ok());
    const std::vector<long double> expected = ByNormalEquations(y, a, b);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(fit->coefficients[i].value, static_cast<double>(expected[i]), 1e-9);
    }
    EXPECT_NEAR(scaled->coefficients[1].value * 1e9, fit->coefficients[1].value, 1e-10);
    EXPECT_NEAR(scaled->coefficients[1].standard_error * 1e9, fit->coefficients[1].standard_error,
                1e-10);
    EXPECT_NEAR(scaled->r_squared, fit->r_squared, 1e-12);
  }
}

TEST(Statistics, RefusalsNameThePlaceAndTheRule) {
  const auto refused = [](const auto& result, const std::string& words) {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << words;
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(words));
  };
  refused(MeanInterval(Values{1}), "values: has 1 entries; must have at least 2");
  refused(MeanInterval(Values{1, kNan}), "values[1]: nan is not finite; must be a finite number");
  refused(MeanInterval(Values{1, 2}, 1), "level: 1 is out of range; must be between 0 and 1");
  refused(BootstrapMean(Values{}), "values: has 0 entries");
  refused(BootstrapMean(Values{1, 2}, {.level = kNan}), "level: nan is out of range");
  refused(BootstrapMedian(Values{1, 2}, {.resamples = 0}),
          "resamples: 0 is out of range; must be 1 to 1000000");
  refused(BootstrapRatio(Values{1, 2}, Values{1, 2, 3}),
          "under: has 3 entries; must have 2, as over");
  refused(BootstrapRatio(Values{1, 2}, Values{1, 0}),
          "under[1]: 0 is out of range; must be above 0");
  refused(LeastSquares(Values{1, 2}, {}, {.intercept = false}),
          "x: has no columns; must have one, or an intercept");
  refused(LeastSquares(Values{1, 2, 3}, {{1, 2}}), "x[0]: has 2 entries; must have 3, as y");
  refused(LeastSquares(Values{1, 2, 3}, {{1, 2, -kInfinity}}), "x[0][2]: -inf is not finite");
  refused(LeastSquares(Values{1, 2}, {{1, 2}}),
          "y: has 2 entries; must have more than coefficients, 2");
  refused(LeastSquares(Values{1, 2, 3, 4}, {{1, 2, 3, 5}}, {.level = 0}), "level: 0");
  const Values a = {1, 2, 4, 3, 6}, b = {2, 7, 1, 8, 2};
  Values sum;
  for (size_t i = 0; i < a.size(); ++i) sum.push_back(a[i] + b[i] / 3);
  refused(LeastSquares(Values{1, 2, 3, 4, 5}, {a, sum, b}),
          "is a linear combination of other columns; must be left out");
  refused(LeastSquares(Values{1, 2, 3, 4}, {{0, 0, 0, 0}}), "x[0]: is a linear combination");
}

}  // namespace
}  // namespace muster
