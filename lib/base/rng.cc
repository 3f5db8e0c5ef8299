// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Below is Lemire's method: the upper half of a 128-bit product, drawn again in the rare case that
// the lower half falls where some results would be one draw more likely than others. Normal is
// Marsaglia's polar method, which needs no sine; its second value is thrown away, so that an Rng is
// its four words and no more.
#include "lib/base/rng.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/numeric/int128.h"
#include "lib/base/math.h"

namespace muster {

Rng::Rng(uint64_t seed) {
  for (uint64_t& word : state_) {
    word = SplitMix64(seed);
    seed += 0x9E3779B97F4A7C15;
  }
}

uint64_t Rng::Next() {
  const uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t Rng::Below(uint64_t n) {
  absl::uint128 product = absl::uint128(Next()) * n;
  if (absl::Uint128Low64(product) < n) {
    const uint64_t threshold = (0 - n) % n;  // 2^64 mod n
    while (absl::Uint128Low64(product) < threshold) product = absl::uint128(Next()) * n;
  }
  return absl::Uint128High64(product);
}

double Rng::Exponential(double mean) { return -mean * Log(1.0 - Unit()); }

double Rng::Normal() {
  for (;;) {
    const double x = 2.0 * Unit() - 1.0;
    const double y = 2.0 * Unit() - 1.0;
    const double square = x * x + y * y;
    if (square < 1.0 && square > 0.0) return x * std::sqrt(-2.0 * Log(square) / square);
  }
}

double Rng::LogNormal(double mu, double sigma) { return Exp(mu + sigma * Normal()); }

ZipfSampler::ZipfSampler(size_t n, double exponent) {
  cumulative_.reserve(n);
  double sum = 0.0;
  for (size_t k = 0; k < n; ++k) {
    sum += Pow(static_cast<double>(k + 1), -exponent);
    cumulative_.push_back(sum);
  }
}

size_t ZipfSampler::Sample(Rng& rng) const {
  const double point = rng.Unit() * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), point);
  // The product may round up to the whole sum.
  return std::min<size_t>(found - cumulative_.begin(), cumulative_.size() - 1);
}

}  // namespace muster
