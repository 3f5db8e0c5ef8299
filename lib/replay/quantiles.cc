// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quantiles by bisection of tails. Each tail is a sum of positive terms or a continued fraction of
// positive terms, so that nothing cancels; exp and pow are those of lib/base/math.h, and the square
// root is exact in IEEE arithmetic.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "lib/base/math.h"
#include "muster/statistics.h"

namespace muster {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;
constexpr double kDensityAtZero = 0.39894228040143267794;  // of the standard normal: 1 / sqrt(2 pi)

// 1 + ratio(0) (1 + ratio(1) (1 + ...)), as far as it changes. The ratios are positive and fall
// below 1.
template <class F>
double SumOfRatios(const F& ratio) {
  double sum = 1, term = 1;
  for (int n = 0; sum + term != sum; ++n) {
    term *= ratio(n);
    sum += term;
  }
  return sum;
}

// Returns the part of the standard normal above x. REQUIRES: x >= 0.
double NormalTail(double x) {
  constexpr double kFar = 3;
  constexpr int kDepth = 64;  // leaves out less than a 10^-16th from kFar on
  const double density = kDensityAtZero * Exp(-x * x / 2);
  if (x < kFar) {
    return 0.5 - density * x * SumOfRatios([x](int n) { return x * x / (2 * n + 3); });
  }
  double fraction = x;
  for (int k = kDepth; k > 0; --k) fraction = x + k / fraction;
  return density / fraction;
}

// Returns B(freedom / 2, 1/2), by B(a + 1, 1/2) = B(a, 1/2) a / (a + 1/2).
double HalfBeta(int64_t freedom) {
  double beta = freedom % 2 == 1 ? kPi : 2;
  for (int64_t twice = 2 - freedom % 2; twice < freedom; twice += 2) {
    beta *= static_cast<double>(twice) / static_cast<double>(twice + 1);
  }
  return beta;
}

// Returns the part of Student's t above x. With z = freedom / (freedom + x^2) it is half the
// incomplete beta function I_z(freedom / 2, 1/2). Its power series in z or in 1 - z is summed,
// whichever is below 1/2. REQUIRES: x >= 0.
double StudentTail(double x, double freedom, double beta) {
  const double z = freedom / (freedom + x * x), rest = x * x / (freedom + x * x);
  const double front = Pow(z, freedom / 2) * std::sqrt(rest) / beta;
  if (z < 0.5) {
    return front / freedom *
           SumOfRatios([&](int n) { return z * (freedom + 1 + 2 * n) / (freedom + 2 + 2 * n); });
  }
  return 0.5 -
         front * SumOfRatios([&](int n) { return rest * (freedom + 1 + 2 * n) / (3 + 2 * n); });
}

// Returns the x at which a symmetric distribution reaches p, from its tail above x >= 0.
template <class F>
double Invert(double p, const F& tail) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
  if (p == 0.5) return 0;
  constexpr int kMostHalvings = 200;
  const double part = std::min(p, 1 - p);
  double low = 0, high = 1;
  while (tail(high) > part) high *= 2;
  for (int i = 0; i < kMostHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (tail(middle) > part ? low : high) = middle;
  }
  return p < 0.5 ? -high : high;
}

}  // namespace

double Percentile(std::span<const double> sorted, double percent) {
  if (sorted.empty()) return 0;
  const auto count = static_cast<double>(sorted.size());
  const double rank = std::ceil(count * percent / 100);
  // A percentage that is out of bounds, or no number, reads nothing outside the span.
  if (!(rank >= 1)) return sorted.front();
  return rank >= count ? sorted.back() : sorted[static_cast<size_t>(rank) - 1];
}

double NormalQuantile(double p) { return Invert(p, NormalTail); }

double StudentQuantile(double p, int64_t freedom) {
  constexpr int64_t kMany = 1000;
  if (freedom < 1) return kNan;
  const auto f = static_cast<double>(freedom);
  if (freedom <= kMany) {
    const double beta = HalfBeta(freedom);
    return Invert(p, [&](double x) { return StudentTail(x, f, beta); });
  }
  const double x = NormalQuantile(p);
  if (!std::isfinite(x)) return x;
  // The expansion's polynomials are odd: x times one in x^2.
  const double s = x * x;
  const double terms[] = {(s + 1) / 4, ((5 * s + 16) * s + 3) / 96,
                          (((3 * s + 19) * s + 17) * s - 15) / 384,
                          ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160};
  double sum = 0;
  for (size_t i = std::size(terms); i-- > 0;) sum = (sum + terms[i]) / f;
  return x * (1 + sum);
}

}  // namespace muster
