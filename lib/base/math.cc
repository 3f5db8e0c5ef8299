// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Log, Exp and Pow in 128-bit fixed point.
//
// log: write x = 2^k m with m in (1/sqrt 2, sqrt 2]. With s = (m - 1) / (m + 1),
//        log m = 2 s (1 + s^2/3 + s^4/5 + ...),  |s| <= 0.1716,  25 terms reach 2^-127.
//      s keeps 128 significant bits, so log m has a small relative error even near m = 1.
// exp: write x = k log 2 + r with 0 <= r < log 2 and sum r^n / n!, 29 terms reach 2^-112.
//      Every product and constant is truncated, so the sum stays below 2 and its error below
//      2^-100.
// pow: exp(y log|x|). Its argument is known to 2^-107: |y log|x|| < 1024 or the result is 0 or
//      infinite.
//
// A result is wrongly rounded only if the true value lies within about 2^-45 of a unit in the last
// place of a midpoint between two doubles.
#include "lib/base/math.h"

#include <array>
#include <bit>
#include <cstddef>

#include "absl/numeric/int128.h"

namespace muster {
namespace {

static_assert(std::numeric_limits<double>::is_iec559);

using absl::uint128;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr uint128 kLn2 = absl::MakeUint128(0xB17217F7D1CF79AB, 0xC9E3B39803F2F6AF);  // * 2^128
constexpr uint128 kOne127 = absl::MakeUint128(uint64_t{1} << 63, 0);                 // 1.0 * 2^127
constexpr int kArgumentBits = 118;  // fraction bits of an argument of exp, 10 bits before the point

// value / divisor, bit by bit, because uint128 does not divide at compile time.
constexpr uint128 DivideConstant(uint128 value, uint64_t divisor) {
  const uint64_t words[2] = {absl::Uint128High64(value), absl::Uint128Low64(value)};
  uint64_t quotient[2] = {0, 0};
  uint64_t remainder = 0;
  for (int i = 0; i < 128; ++i) {
    remainder = remainder << 1 | (words[i / 64] >> (63 - i % 64) & 1);
    quotient[i / 64] <<= 1;
    if (remainder >= divisor) {
      remainder -= divisor;
      quotient[i / 64] |= 1;
    }
  }
  return absl::MakeUint128(quotient[0], quotient[1]);
}

constexpr std::array<uint128, 25> MakeOddReciprocals() {
  std::array<uint128, 25> table = {};
  for (size_t n = 0; n < table.size(); ++n) table[n] = DivideConstant(kOne127, 2 * n + 1);
  return table;
}

constexpr std::array<uint128, 29> MakeInverseFactorials() {
  std::array<uint128, 29> table = {};
  table[0] = kOne127;
  for (size_t n = 1; n < table.size(); ++n) table[n] = DivideConstant(table[n - 1], n);
  return table;
}

constexpr std::array<uint128, 25> kOddReciprocals = MakeOddReciprocals();
constexpr std::array<uint128, 29> kInverseFactorials = MakeInverseFactorials();

// floor(a * b / 2^128).
uint128 MulHigh(uint128 a, uint128 b) {
  const uint128 a_low = absl::Uint128Low64(a), a_high = absl::Uint128High64(a);
  const uint128 b_low = absl::Uint128Low64(b), b_high = absl::Uint128High64(b);
  const uint128 low_high = a_low * b_high, high_low = a_high * b_low;
  const uint128 carry = absl::Uint128High64(a_low * b_low) + uint128(absl::Uint128Low64(low_high)) +
                        absl::Uint128Low64(high_low);
  return a_high * b_high + absl::Uint128High64(low_high) + absl::Uint128High64(high_low) +
         absl::Uint128High64(carry);
}

// The sum of coefficients[n] z^n, where z is scaled by 2^128, coefficients and result by 2^127.
template <size_t kTerms>
uint128 Polynomial(const std::array<uint128, kTerms>& coefficients, uint128 z) {
  uint128 sum = coefficients[kTerms - 1];
  for (size_t n = kTerms - 1; n-- > 0;) sum = coefficients[n] + MulHigh(sum, z);
  return sum;
}

int LeadingZeros(uint128 value) {
  const uint64_t high = absl::Uint128High64(value);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(absl::Uint128Low64(value));
}

// (-1)^negative * mantissa * 2^exponent, where the mantissa's top bit is set unless the value is
// zero.
struct Wide {
  bool negative;
  uint128 mantissa;
  int exponent;
};

Wide Normalized(bool negative, uint128 mantissa, int exponent) {
  if (mantissa == 0) return {negative, 0, 0};
  const int shift = LeadingZeros(mantissa);
  return {negative, mantissa << shift, exponent - shift};
}

// The nearest double, ties to even. REQUIRES: value is not zero.
double Rounded(const Wide& value) {
  const uint64_t sign = value.negative ? uint64_t{1} << 63 : 0;
  const int power = value.exponent + 127;  // of the leading bit
  if (power > 1023) return std::bit_cast<double>(sign | uint64_t{0x7FF} << 52);
  const int kept = power >= -1022 ? 53 : 53 + (power + 1022);  // fewer bits if subnormal
  if (kept < 0) return std::bit_cast<double>(sign);
  const uint128 rest = kept == 0 ? value.mantissa : value.mantissa << kept;
  uint64_t bits = kept == 0 ? 0 : absl::Uint128Low64(value.mantissa >> (128 - kept));
  if (rest > kOne127 || (rest == kOne127 && (bits & 1) != 0)) ++bits;
  // A normal number's leading bit adds one to the exponent field, and so does a carry out of the
  // mantissa.
  if (power >= -1022) bits += static_cast<uint64_t>(power + 1022) << 52;
  return std::bit_cast<double>(sign | bits);
}

// A finite positive double as mantissa * 2^exponent with 2^52 <= mantissa < 2^53.
struct Parts {
  uint64_t mantissa;
  int exponent;
};

Parts Split(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x) & ~(uint64_t{1} << 63);
  const int field = static_cast<int>(bits >> 52);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (field != 0) return {fraction | uint64_t{1} << 52, field - 1075};
  const int shift = std::countl_zero(fraction) - 11;
  return {fraction << shift, -1074 - shift};
}

// k log 2 scaled by 2^kArgumentBits, for k <= 1100.
uint128 TimesLn2(uint64_t k) {
  const uint128 high = uint128(absl::Uint128High64(kLn2)) * k;
  const uint128 low = uint128(absl::Uint128Low64(kLn2)) * k;
  return (high << (kArgumentBits - 64)) + (low >> (128 - kArgumentBits));
}

// log x for a finite x > 0.
Wide WideLog(double x) {
  constexpr uint64_t kMantissaOfSqrt2 = 0x16A09E667F3BCC;  // floor(sqrt 2 * 2^52)
  const Parts parts = Split(x);
  int k = parts.exponent + 52;
  uint64_t one = uint64_t{1} << 52;  // m = mantissa / one
  if (parts.mantissa > kMantissaOfSqrt2) {
    ++k;
    one <<= 1;
  }
  const bool below_one = parts.mantissa < one;
  const uint64_t numerator = below_one ? one - parts.mantissa : parts.mantissa - one;
  const uint64_t denominator = parts.mantissa + one;
  uint128 log_m = 0;  // |log m| scaled by 2^(126 + shift)
  int shift = 0;
  if (numerator != 0) {
    shift = std::countl_zero(numerator) - std::countl_zero(denominator);
    if (numerator << shift >= denominator) --shift;
    const uint128 dividend = absl::MakeUint128(numerator << shift, 0);
    const uint64_t quotient_high = absl::Uint128Low64(dividend / denominator);
    const uint128 remainder = absl::MakeUint128(absl::Uint128Low64(dividend % denominator), 0);
    const uint128 s = absl::MakeUint128(quotient_high, absl::Uint128Low64(remainder / denominator));
    const uint128 square = 2 * shift < 128 ? MulHigh(s, s) >> (2 * shift) : uint128(0);
    log_m = MulHigh(s, Polynomial(kOddReciprocals, square));
  }
  if (k == 0) return Normalized(below_one, log_m, -126 - shift);
  const uint128 whole = TimesLn2(static_cast<uint64_t>(k < 0 ? -k : k));
  const uint128 part = log_m >> (126 - kArgumentBits + shift);
  return Normalized(k < 0, (k < 0) == below_one ? whole + part : whole - part, -kArgumentBits);
}

// e^x, already rounded.
double ExpOf(const Wide& x) {
  const int power = x.exponent + 127;  // 2^power <= |x| < 2^(power + 1)
  if (x.mantissa == 0 || power < -54) return 1.0;
  if (power > 9) return x.negative ? 0.0 : kInfinity;
  const uint128 argument = x.mantissa >> (127 - kArgumentBits - power);
  const uint128 ln2 = kLn2 >> (128 - kArgumentBits);
  int k = static_cast<int>(absl::Uint128Low64(argument / ln2));
  uint128 rest = argument - uint128(static_cast<uint64_t>(k)) * ln2;
  if (x.negative) {
    k = -k;
    if (rest != 0) {
      --k;
      rest = ln2 - rest;
    }
  }
  const uint128 sum = Polynomial(kInverseFactorials, rest << (128 - kArgumentBits));
  return Rounded({false, sum, k - 127});
}

Wide Widened(double x) {
  const Parts parts = Split(x);
  return Normalized(x < 0, parts.mantissa, parts.exponent);
}

int64_t Clamped(absl::int128 value) {
  if (value > kMaxQuantity) return kMaxQuantity;
  if (value < kMinQuantity) return kMinQuantity;
  return static_cast<int64_t>(value);
}

bool IsNan(double x) { return x != x; }
bool IsInfinite(double x) { return x == kInfinity || x == -kInfinity; }
bool IsInteger(double y) {
  if (y >= 0x1p53 || y <= -0x1p53) return true;
  return static_cast<double>(static_cast<int64_t>(y)) == y;
}
bool IsOddInteger(double y) {
  if (y >= 0x1p53 || y <= -0x1p53) return false;
  return IsInteger(y) && (static_cast<int64_t>(y) & 1) != 0;
}
bool SignBit(double x) { return std::bit_cast<uint64_t>(x) >> 63 != 0; }

}  // namespace

int64_t SatMul(int64_t a, int64_t b) { return Clamped(absl::int128(a) * b); }

int64_t MulDiv(int64_t a, int64_t b, int64_t c) {
  const absl::int128 product = absl::int128(a) * b;
  absl::int128 quotient = product / c;
  if (product % c != 0 && (product < 0) != (c < 0)) --quotient;
  return Clamped(quotient);
}

double Log(double x) {
  if (IsNan(x) || x == kInfinity) return x;
  if (x == 0) return -kInfinity;
  if (x < 0) return kNan;
  if (x == 1) return 0.0;
  return Rounded(WideLog(x));
}

double Exp(double x) {
  if (IsNan(x)) return x;
  if (IsInfinite(x)) return x > 0 ? x : 0.0;
  if (x == 0) return 1.0;
  return ExpOf(Widened(x));
}

double Pow(double x, double y) {
  if (x == 1 || y == 0) return 1.0;
  if (IsNan(x) || IsNan(y)) return kNan;
  const bool negative = SignBit(x) && IsOddInteger(y);
  const double magnitude = SignBit(x) ? -x : x;
  if (IsInfinite(y)) {
    if (magnitude == 1) return 1.0;
    return (magnitude > 1) == (y > 0) ? kInfinity : 0.0;
  }
  if (magnitude == 0 || magnitude == kInfinity) {
    const double result = (magnitude == 0) == (y > 0) ? 0.0 : kInfinity;
    return negative ? -result : result;
  }
  if (SignBit(x) && !IsInteger(y)) return kNan;
  if (magnitude == 1) return negative ? -1.0 : 1.0;
  const Wide log_x = WideLog(magnitude), factor = Widened(y);
  const double result =
      ExpOf(Normalized(log_x.negative != factor.negative, MulHigh(log_x.mantissa, factor.mantissa),
                       log_x.exponent + factor.exponent + 128));
  return negative ? -result : result;
}

}  // namespace muster
