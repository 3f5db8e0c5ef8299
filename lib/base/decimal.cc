// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/base/decimal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace muster {
namespace {

constexpr int kMostDigits = 17;  // that tell any two doubles apart

// A positive number as 0.DIGITS * 10^(exponent + 1).
struct Digits {
  std::string digits;
  int exponent = 0;
};

// StrFormat rounds correctly, so of all texts with so many digits its own is the nearest. Its point
// depends on the locale and is taken by its place, behind the first digit.
Digits ShortestDigits(double number) {
  Digits shortest;
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const std::string written = absl::StrFormat("%.*e", digits - 1, number);
    const size_t e = written.find('e');
    const auto behind = static_cast<size_t>(digits - 1);
    shortest.digits = written.substr(0, 1) + written.substr(e - behind, behind);
    shortest.exponent = std::atoi(written.c_str() + e + 1);
    const std::string whole = absl::StrCat(shortest.digits, "e", shortest.exponent - (digits - 1));
    double read = 0;
    const auto [stop, error] = absl::from_chars(whole.data(), whole.data() + whole.size(), read);
    if (error == std::errc() && read == number) break;
  }
  return shortest;
}

std::string Scientific(const Digits& number) {
  const absl::string_view digits = number.digits;
  const int size = std::abs(number.exponent);
  return absl::StrCat(digits.substr(0, 1), digits.size() > 1 ? "." : "", digits.substr(1),
                      number.exponent < 0 ? "e-" : "e+", size < 10 ? "0" : "", size);
}

// Whole numbers are written to the last digit, although fewer would read back as them.
std::string Fixed(const Digits& number, double value) {
  const absl::string_view digits = number.digits;
  const int point = number.exponent + 1;
  if (point >= static_cast<int>(digits.size())) {
    return absl::StrFormat("%.0f", value);
  }
  if (point <= 0) return absl::StrCat("0.", std::string(static_cast<size_t>(-point), '0'), digits);
  const auto before = static_cast<size_t>(point);
  return absl::StrCat(digits.substr(0, before), ".", digits.substr(before));
}

}  // namespace

char* WriteShortestByTrial(char* text, double number, DecimalForm form) {
  if (std::signbit(number)) {
    *text++ = '-';
    number = -number;
  }
  if (!(number > 0 && std::isfinite(number))) {
    const std::string_view word = number == 0 ? "0" : std::isinf(number) ? "inf" : "nan";
    return std::copy(word.begin(), word.end(), text);
  }
  const Digits digits = ShortestDigits(number);
  const std::string scientific = Scientific(digits);
  const std::string fixed = Fixed(digits, number);
  const bool with_exponent = form == DecimalForm::kShorter ? scientific.size() < fixed.size()
                             : form == DecimalForm::kGeneral
                                 ? digits.exponent < -4 || digits.exponent >= 6
                                 : false;
  const std::string& chosen = with_exponent ? scientific : fixed;
  return std::copy(chosen.begin(), chosen.end(), text);
}

char* WriteShortest(char* text, double number, DecimalForm form) {
#ifdef __cpp_lib_to_chars
  char* const end = text + kMostDecimal;
  if (form == DecimalForm::kShorter) return std::to_chars(text, end, number).ptr;
  const auto format =
      form == DecimalForm::kFixed ? std::chars_format::fixed : std::chars_format::general;
  return std::to_chars(text, end, number, format).ptr;
#else
  return WriteShortestByTrial(text, number, form);
#endif
}

char* WriteSixDecimals(char* text, double number) {
#ifdef __cpp_lib_to_chars
  return std::to_chars(text, text + kMostDecimal, number, std::chars_format::fixed, 6).ptr;
#else
  const std::string written = absl::StrFormat("%.6f", number);
  return std::copy(written.begin(), written.end(), text);
#endif
}

}  // namespace muster
