// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Arithmetic that a decision may depend on: the same bits on every compiler, instruction set and
// libm.
//
//   used = SatAdd(used, request);                           // sticks at the ends, never wraps
//   int64_t part = MulDiv(capacity, weight, total_weight);  // floor(capacity * weight / total)
//   double w = Log(static_cast<double>(domains + 2));       // instead of std::log
//
// The C library's log, exp and pow differ in the last bit between platforms, and one bit is enough
// to turn a tie into an order. Those below use integer arithmetic alone (128-bit fixed point, in
// math.cc), so neither contraction nor an optimization of floating point can change them. They are
// exact to about 2^-40 of a unit in the last place before the one final rounding to nearest. In
// practice every result is the correctly rounded one, and exact results (Pow(2, 10), Exp(0)) are
// exact. Each call costs a few hundred nanoseconds or less. Special values are those of C's Annex
// F; results round to subnormals correctly.
#ifndef MUSTER_BASE_MATH_H_
#define MUSTER_BASE_MATH_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace muster {

inline constexpr int64_t kMaxQuantity = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kMinQuantity = std::numeric_limits<int64_t>::min();

// Sum, difference and product, clamped to [kMinQuantity, kMaxQuantity].
constexpr int64_t SatAdd(int64_t a, int64_t b) {
  if (b > 0) return a > kMaxQuantity - b ? kMaxQuantity : a + b;
  return a < kMinQuantity - b ? kMinQuantity : a + b;
}
constexpr int64_t SatSub(int64_t a, int64_t b) {
  if (b < 0) return a > kMaxQuantity + b ? kMaxQuantity : a - b;
  return a < kMinQuantity + b ? kMinQuantity : a - b;
}
int64_t SatMul(int64_t a, int64_t b);

// Returns `count`, held within 0 to 2^53: for a number that comes back from a memory, which may be
// any, and grows by one.
constexpr int64_t AsCount(int64_t count) { return std::clamp<int64_t>(count, 0, int64_t{1} << 53); }

// floor(a * b / c) (towards minus infinity) with a 128-bit product, clamped like the above.
// REQUIRES: c != 0.
int64_t MulDiv(int64_t a, int64_t b, int64_t c);

double Log(double x);            // natural; Log(0) is -inf, of a negative number NaN
double Exp(double x);            // e^x
double Pow(double x, double y);  // x^y

}  // namespace muster

#endif  // MUSTER_BASE_MATH_H_
