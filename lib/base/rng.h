// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random numbers from a seed: the same numbers on every machine.
//
//   Rng rng(42);
//   uint64_t node = rng.Below(nodes);        // each of 0 .. nodes - 1 equally likely
//   double gap = rng.Exponential(30.0);      // seconds to the next arrival, 30 on average
//   double length = rng.LogNormal(6.0, 1.5);
//   ZipfSampler users(1000, 1.1);            // user 0 is the busiest
//   size_t user = users.Sample(rng);
//
// The generator is xoshiro256++ by Blackman and Vigna, its state filled by SplitMix64. The samplers
// use Log and Exp of lib/base/math.h and the square root, which IEEE 754 fixes to the bit. How many
// values a sampler draws depends on their values. Give each independent stream an Rng of its own,
// seeded by SplitMix64(seed ^ stream), so that one more job does not shift all that follow.
#ifndef MUSTER_BASE_RNG_H_
#define MUSTER_BASE_RNG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace muster {

// A bijection of 64 bits that scatters well: the hash of choice where a seed breaks ties.
constexpr uint64_t SplitMix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

class Rng {
 public:
  explicit Rng(uint64_t seed);

  uint64_t Next();  // 64 uniform bits

  // Uniform in [0, n), without bias. REQUIRES: n > 0.
  uint64_t Below(uint64_t n);

  // Uniform in [0, 1), a multiple of 2^-53.
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // True with probability p; never if p <= 0, always if p >= 1. Draws one value in any case.
  bool Chance(double p) { return Unit() < p; }

  // Every order equally likely. For containers with size() and operator[].
  template <class Container>
  void Shuffle(Container& items) {
    for (size_t i = items.size(); i > 1; --i) {
      const size_t j = static_cast<size_t>(Below(i));
      if (j != i - 1) std::swap(items[i - 1], items[j]);
    }
  }

  double Exponential(double mean);
  double Normal();                            // mean 0, variance 1
  double LogNormal(double mu, double sigma);  // Exp(mu + sigma * Normal()); its median is Exp(mu)

 private:
  std::array<uint64_t, 4> state_;
};

// Ranks 0 .. n - 1, rank k with probability proportional to 1 / (k + 1)^exponent. Holds n doubles;
// making it costs n calls of Pow, a sample one draw and a binary search.
class ZipfSampler {
 public:
  // REQUIRES: n > 0.
  ZipfSampler(size_t n, double exponent);

  size_t Sample(Rng& rng) const;

 private:
  std::vector<double> cumulative_;
};

}  // namespace muster

#endif  // MUSTER_BASE_RNG_H_
