// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The logarithm to the base ten for numbers that are shown as floats, the same bits on every
// compiler, instruction set and libm: it adds, multiplies and divides alone.
//
//   float shown = Log10Float(1 + wait);
//
// Decisions need Log (math.h), which is right to the last bit of a double and slower.
#ifndef MUSTER_BASE_LOG10_H_
#define MUSTER_BASE_LOG10_H_

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace muster {

// Returns the float nearest to log10 x; for fewer than one in 30,000 numbers, where another float
// is almost as near, that one. REQUIRES: x >= 1.
// With x = 2^k m, m in (1/sqrt 2, sqrt 2] and s = (m - 1) / (m + 1), log x = k log 2 + log m and
// log m = 2 (s + s^3/3 + s^5/5 + ...).
inline float Log10Float(int64_t x) {
  const auto bits = std::bit_cast<uint64_t>(static_cast<double>(x));
  int64_t k = static_cast<int64_t>(bits >> 52) - 1023;
  auto m = std::bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1023} << 52);
  if (m > 1.4142135623730951) {
    m /= 2;
    ++k;
  }
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (const int n : {15, 13, 11, 9, 7, 5, 3, 1}) sum = sum * z + 1.0 / n;
  const double log = static_cast<double>(k) * 0.69314718055994530942 + 2 * s * sum;
  return static_cast<float>(log * 0.43429448190325182765);
}

}  // namespace muster

#endif  // MUSTER_BASE_LOG10_H_
