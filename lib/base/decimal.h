// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers in decimal: what std::from_chars and std::to_chars do, of doubles too where the standard
// library has them for integers alone (libc++).
//
//   double load = 0;
//   const auto [stop, error] = ReadDecimal(text.data(), text.data() + text.size(), load);
//
//   char digits[kMostDecimal];
//   out.append(digits, WriteShortest(digits, load));      // 0.3, 1e+22
//
// Both are blind to the locale. WriteShortest writes the fewest digits that read back as the
// number, and of these the nearest to it.
//
// Cost. A call of the standard library where it has one. Elsewhere up to 17 numbers are formatted.
#ifndef MUSTER_BASE_DECIMAL_H_
#define MUSTER_BASE_DECIMAL_H_

#include <charconv>
#include <cstddef>

#include "absl/strings/charconv.h"

namespace muster {

// Enough for the fixed form of any double.
inline constexpr size_t kMostDecimal = 1100;

enum class DecimalForm {
  kShorter,  // std::to_chars without a format: fixed, or with an exponent where that is shorter
  kFixed,    // std::chars_format::fixed
  kGeneral,  // std::chars_format::general: with an exponent below 1e-4 and from 1e6
};

template <class Number>
std::from_chars_result ReadDecimal(const char* begin, const char* end, Number& number) {
  return std::from_chars(begin, end, number);
}
inline std::from_chars_result ReadDecimal(const char* begin, const char* end, double& number) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, number);
#else
  double read = 0;
  const absl::from_chars_result result = absl::from_chars(begin, end, read);
  if (result.ec == std::errc()) number = read;
  return {result.ptr, result.ec};
#endif
}

// Writes to `text`, which holds kMostDecimal bytes. Returns the end of what it wrote. What is not
// finite is written as inf or nan.
char* WriteShortest(char* text, double number, DecimalForm form = DecimalForm::kShorter);
// Writes as printf's %.6f does.
char* WriteSixDecimals(char* text, double number);

// WriteShortest without the standard library's help. Only tests call it where that helps.
char* WriteShortestByTrial(char* text, double number, DecimalForm form);

}  // namespace muster

#endif  // MUSTER_BASE_DECIMAL_H_
