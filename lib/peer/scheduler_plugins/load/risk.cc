// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/load/risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/math.h"

namespace muster::scheduler_plugins {
namespace {

constexpr double kLargestPart = 0.99;  // of the variance that a mean allows

// The logarithm of the gamma function, by Lanczos' series. REQUIRES: x is above 0.
double LogGamma(double x) {
  constexpr double kSeries[] = {0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
                                771.32342877765313,   -176.61502916214059,   12.507343278686905,
                                -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  x -= 1;
  double sum = kSeries[0];
  for (int i = 1; i < 9; ++i) sum += kSeries[i] / (x + i);
  const double t = x + 7.5;
  return kHalfLogTwoPi + (x + 0.5) * Log(t) - t + Log(sum);
}

// The continued fraction of the incomplete beta function, by Lentz' method.
double Fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300, kEpsilon = 1e-16;
  constexpr int kMostTerms = 10000;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < kMostTerms; ++m) {
    for (const double term : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                              -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      result *= d * c;
    }
    if (std::abs(d * c - 1) < kEpsilon) break;
  }
  return result;
}

// The probability that the load stays below what others requested.
double ProbabilityOfRoom(const Moments& moments, double variance, const RiskBooks& books) {
  const auto capacity = static_cast<double>(books.capacity);
  const double requested =
      std::clamp(static_cast<double>(books.request_without) / capacity, 0.0, 1.0);
  double room = 0;
  std::optional<Beta> beta;
  if (moments.mean == 0 || (variance == 0 && moments.mean <= requested)) {
    room = 1;
  } else if (variance > 0) {
    beta = FitBeta(moments.mean, variance + moments.mean * moments.mean);
    if (beta) room = ProbabilityUpTo(requested, *beta);
  }
  const bool limited =
      books.limit_without < books.capacity && books.request_without <= books.limit_without;
  if (!limited) return room;
  const double limit = static_cast<double>(books.limit_without) / capacity;
  if (limit == 0) return 1;
  const double below_limit = beta ? ProbabilityUpTo(limit, *beta) : 0;
  return below_limit > 0 ? std::clamp(room / below_limit, 0.0, 1.0) : room;
}

double RiskOfLoad(const RiskBooks& books, ResourceLoad load, const RiskSettings& settings) {
  load.request = 0;
  const Moments moments = MomentsOf(load);
  const double spread = moments.deviation * std::sqrt(static_cast<double>(settings.window));
  const double bounded = std::min(spread, std::sqrt(MaxVariance(moments.mean) * kLargestPart));
  return 1 - ProbabilityOfRoom(moments, bounded * bounded, books);
}

}  // namespace

double MaxVariance(double mean) { return mean > 0 && mean < 1 ? mean * (1 - mean) : 0; }

std::optional<Beta> FitBeta(double mean, double square) {
  const double variance = square - mean * mean;
  if (mean < 0 || mean > 1 || variance < 0 || variance >= mean * (1 - mean)) return std::nullopt;
  const double scale =
      std::max(mean * (1 - mean) / variance - 1, std::numeric_limits<double>::denorm_min());
  return Beta{mean * scale, (1 - mean) * scale};
}

double ProbabilityUpTo(double x, const Beta& beta) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double a = beta.alpha, b = beta.beta;
  const double front =
      Exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * Log(x) + b * Log(1 - x));
  const double result = x < (a + 1) / (a + b + 2) ? front * Fraction(x, a, b) / a
                                                  : 1 - front * Fraction(1 - x, b, a) / b;
  return std::isnan(result) ? 0 : std::clamp(result, 0.0, 1.0);
}

double RiskOf(const RiskBooks& books, const std::optional<ResourceLoad>& load,
              const RiskSettings& settings) {
  double by_limits = 0;
  if (books.limit > books.capacity) {
    by_limits = static_cast<double>(books.limit - books.capacity) /
                static_cast<double>(books.limit - books.request);
  }
  const double by_load = load ? RiskOfLoad(books, *load, settings) : 0;
  return std::clamp(settings.limit_weight * by_limits + (1 - settings.limit_weight) * by_load, 0.0,
                    1.0);
}

int64_t LowRiskScore(double cpu_risk, double memory_risk) {
  return static_cast<int64_t>(std::round((1 - std::max(cpu_risk, memory_risk)) * 100));
}

}  // namespace muster::scheduler_plugins
