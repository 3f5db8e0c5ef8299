// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/base/decimal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

constexpr DecimalForm kForms[] = {DecimalForm::kShorter, DecimalForm::kFixed,
                                  DecimalForm::kGeneral};

std::string Written(double number, DecimalForm form) {
  char text[kMostDecimal];
  return {text, WriteShortest(text, number, form)};
}

std::string ByTrial(double number, DecimalForm form) {
  char text[kMostDecimal];
  return {text, WriteShortestByTrial(text, number, form)};
}

void ExpectEqualForms(double number) {
  for (const DecimalForm form : kForms) {
    EXPECT_EQ(ByTrial(number, form), Written(number, form)) << number;
  }
}

TEST(Decimal, WritesTheFewestDigits) {
  EXPECT_EQ(Written(0.1, DecimalForm::kShorter), "0.1");
  EXPECT_EQ(Written(-2.5, DecimalForm::kShorter), "-2.5");
  EXPECT_EQ(Written(1e22, DecimalForm::kShorter), "1e+22");
  EXPECT_EQ(Written(1e22, DecimalForm::kFixed), "10000000000000000000000");
  EXPECT_EQ(Written(1000000, DecimalForm::kGeneral), "1e+06");
  EXPECT_EQ(Written(0.00001, DecimalForm::kGeneral), "1e-05");
}

TEST(Decimal, TrialsWriteWhatTheStandardLibraryWrites) {
  for (const double number : {0.0,
                              -0.0,
                              1.0,
                              0.1,
                              0.3,
                              1.0 / 3,
                              5e-324,
                              1.7976931348623157e308,
                              9007199254740993.0,
                              123456.0,
                              999999.5,
                              1e6,
                              1e-4,
                              1e-5,
                              1e15,
                              1e16,
                              1e17,
                              1e21,
                              1e23,
                              2e-308,
                              std::numeric_limits<double>::infinity()}) {
    ExpectEqualForms(number);
  }
  Rng rng(7);
  for (int i = 0; i < 3000; ++i) {
    ExpectEqualForms(static_cast<double>(rng.Below(1'000'000'000)) /
                     static_cast<double>(1 + rng.Below(1000)));
    const double any = std::bit_cast<double>(rng.Next());
    if (std::isfinite(any)) ExpectEqualForms(any);
  }
}

TEST(Decimal, SixDecimalsAreThoseOfPrintf) {
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) {
    const double number = static_cast<double>(rng.Below(1'000'000'000)) / 65537;
    char text[kMostDecimal], printed[kMostDecimal];
    const std::string_view written(text, WriteSixDecimals(text, number));
    std::snprintf(printed, sizeof(printed), "%.6f", number);
    EXPECT_EQ(written, printed);
  }
}

TEST(Decimal, ReadsDoublesAndIntegers) {
  const std::string_view text = "12.5x";
  double number = 0;
  EXPECT_EQ(*ReadDecimal(text.data(), text.data() + text.size(), number).ptr, 'x');
  EXPECT_EQ(number, 12.5);
  int64_t whole = 0;
  EXPECT_EQ(*ReadDecimal(text.data(), text.data() + text.size(), whole).ptr, '.');
  EXPECT_EQ(whole, 12);
  const std::string_view huge = "1e999";
  number = 3;
  EXPECT_EQ(ReadDecimal(huge.data(), huge.data() + huge.size(), number).ec,
            std::errc::result_out_of_range);
  EXPECT_EQ(number, 3);
}

}  // namespace
}  // namespace muster
