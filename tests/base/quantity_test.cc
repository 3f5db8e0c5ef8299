// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The grammar, rounding and limits of amounts, with values recorded from Kubernetes' own
// resource.Quantity.
#include "muster/quantity.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string MessageOf(std::string_view text, Unit unit = Unit::kWhole) {
  return std::string(ParseQuantity(text, unit).status().message());
}

TEST(QuantityTest, AgreesWithKubernetes) {
  struct Row {
    const char* text;
    int64_t whole, milli;  // Quantity.Value() and Quantity.MilliValue()
  };
  const Row rows[] = {
      {"0", 0, 0},
      {"-0", 0, 0},
      {"1", 1, 1000},
      {"5.", 5, 5000},
      {".5", 1, 500},
      {"+5", 5, 5000},
      {"+.5", 1, 500},
      {"00012", 12, 12000},
      {"100m", 1, 100},
      {"1500m", 2, 1500},
      {"1u", 1, 1},
      {"1n", 1, 1},
      {"1000001n", 1, 2},
      {"2k", 2000, 2000000},
      {"2M", 2000000, 2000000000},
      {"2G", 2000000000, 2000000000000},
      {"2T", 2000000000000, 2000000000000000},
      {"2P", 2000000000000000, 2000000000000000000},
      {"1e3", 1000, 1000000},
      {"1E+3", 1000, 1000000},
      {"1e-3", 1, 1},
      {"1E-99", 1, 1},
      {"0e99", 0, 0},
      {"1Ki", 1024, 1024000},
      {"1.5Gi", 1610612736, 1610612736000},
      {"0.0001Ki", 1, 103},
      {"3Ti", 3298534883328, 3298534883328000},
      {"3Pi", 3377699720527872, 3377699720527872000},
      {"1.0000000000000000000000000000001", 2, 1001},
      {"0.00000000000000000000000000000Ei", 0, 0},
  };
  for (const Row& row : rows) {
    const auto whole = ParseQuantity(row.text, Unit::kWhole);
    const auto milli = ParseQuantity(row.text, Unit::kMilli);
    ASSERT_TRUE(whole.ok()) << whole.status();
    ASSERT_TRUE(milli.ok()) << milli.status();
    EXPECT_EQ(*whole, row.whole) << row.text;
    EXPECT_EQ(*milli, row.milli) << row.text;
  }
}

TEST(QuantityTest, LimitsOfInt64) {
  EXPECT_EQ(*ParseQuantity("9223372036854775807", Unit::kWhole), kMax);
  EXPECT_EQ(*ParseQuantity("9223372036854775807m", Unit::kMilli), kMax);
  EXPECT_EQ(*ParseQuantity("9223372036854775806.5", Unit::kWhole), kMax);
  EXPECT_EQ(*ParseQuantity("9223372036854775807000000000n", Unit::kWhole), kMax);
  EXPECT_EQ(*ParseQuantity("7Ei", Unit::kWhole), int64_t{7} << 60);
  EXPECT_EQ(*ParseQuantity("7.999999999999999999Ei", Unit::kWhole), kMax);
  EXPECT_EQ(*ParseQuantity("1E", Unit::kWhole), 1000000000000000000);
  EXPECT_EQ(*ParseQuantity("1e18", Unit::kWhole), 1000000000000000000);
  EXPECT_EQ(*ParseQuantity("0e99999999999999999999", Unit::kWhole), 0);
  EXPECT_EQ(*ParseQuantity("1e-99999999999999999999", Unit::kMilli), 1);
  for (const char* text : {"9223372036854775808", "9223372036854775807.1", "8Ei", "10E", "1e19",
                           "99999999999999999999", "1e5000000000", "1e99999999999999999999"}) {
    EXPECT_EQ(ParseQuantity(text, Unit::kWhole).status().code(), absl::StatusCode::kOutOfRange)
        << text;
  }
  EXPECT_EQ(MessageOf("9223372036854775807", Unit::kMilli),
            "quantity \"9223372036854775807\": an amount must not exceed 9223372036854775807m");
}

// Zeros in front change no amount; with ten of them a text is read digit by digit.
TEST(QuantityTest, FewDigitsAreReadAsManyAre) {
  for (const char* number : {"0", "1", "9", "42", "999", "1000", "1001", "123456789", "999999999",
                             "1.5", "0.0001", "1e3", ""}) {
    for (const char* suffix : {"",   "n",  "u",  "m",  "k",  "M",  "G",  "T", "P",  "E", "Ki",
                               "Mi", "Gi", "Ti", "Pi", "Ei", "e2", "E2", "K", "mi", "-"}) {
      const std::string text = std::string(number) + suffix;
      for (const Unit unit : {Unit::kWhole, Unit::kMilli}) {
        const absl::StatusOr<int64_t> few = ParseQuantity(text, unit);
        const absl::StatusOr<int64_t> many = ParseQuantity("0000000000" + text, unit);
        if (*number == '\0') {
          EXPECT_FALSE(few.ok()) << text;
          continue;
        }
        ASSERT_EQ(few.ok(), many.ok()) << text;
        if (few.ok()) EXPECT_EQ(*few, *many) << text;
        if (!few.ok()) EXPECT_EQ(few.status().code(), many.status().code()) << text;
      }
    }
  }
}

TEST(QuantityTest, LengthAndExponentMayCancelOut) {
  EXPECT_EQ(*ParseQuantity("1" + std::string(5000, '0') + "e-5000", Unit::kWhole), 1);
  EXPECT_EQ(*ParseQuantity("0." + std::string(4999, '0') + "7e5000", Unit::kWhole), 7);
  EXPECT_EQ(*ParseQuantity(std::string(100000, '0') + "3Mi", Unit::kWhole), 3 << 20);
}

TEST(QuantityTest, RefusesWhatIsNoAmountAndNamesTheRule) {
  struct Row {
    const char* text;
    const char* rule;
  };
  const Row rows[] = {
      {"", "must not be empty"},
      {" 1", "must not contain spaces"},
      {"1 ", "must not contain spaces"},
      {"1 Gi", "must not contain spaces"},
      {"1\n", "must not contain spaces"},
      {"-1", "must not be negative"},
      {"-0.1m", "must not be negative"},
      {"nan", "must begin with a number"},
      {"NaN", "must begin with a number"},
      {"inf", "must begin with a number"},
      {"-inf", "must begin with a number"},
      {"+", "must begin with a number"},
      {".", "must begin with a number"},
      {"Ki", "must begin with a number"},
      {"e3", "must begin with a number"},
      {"++1", "must begin with a number"},
      {"+-1", "must begin with a number"},
      {"1K", "unknown unit \"K\""},
      {"1ki", "unknown unit \"ki\""},
      {"1i", "unknown unit \"i\""},
      {"1mi", "unknown unit \"mi\""},
      {"1GB", "unknown unit \"GB\""},
      {"1e3k", "unknown unit \"e3k\""},
      {"1e", "unknown unit \"e\""},
      {"1e+", "unknown unit \"e+\""},
      {"1e+-3", "unknown unit \"e+-3\""},
      {"1Ee", "unknown unit \"Ee\""},
      {"1e1.5", "unknown unit \"e1.5\""},
      {"1.2.3", "unknown unit \".3\""},
      {"0x10", "unknown unit \"x10\""},
      {"1,5", "unknown unit \",5\""},
      {"1_000", "unknown unit \"_000\""},
      {"1\xff", "unknown unit \"\\xff\""},
  };
  for (const Row& row : rows) {
    const auto result = ParseQuantity(row.text, Unit::kWhole);
    ASSERT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_NE(MessageOf(row.text).find(row.rule), std::string::npos) << MessageOf(row.text);
  }
  EXPECT_EQ(MessageOf("-1"), "quantity \"-1\": an amount must not be negative");
  EXPECT_FALSE(ParseQuantity(std::string_view("1\0", 2), Unit::kWhole).ok());
}

TEST(QuantityTest, FormatsTheShortestText) {
  EXPECT_EQ(FormatQuantity(0, Unit::kMilli), "0");
  EXPECT_EQ(FormatQuantity(500, Unit::kMilli), "500m");
  EXPECT_EQ(FormatQuantity(2000, Unit::kMilli), "2");
  EXPECT_EQ(FormatQuantity(1500, Unit::kMilli), "1500m");
  EXPECT_EQ(FormatQuantity(1024000, Unit::kMilli), "1024");
  EXPECT_EQ(FormatQuantity(1000000, Unit::kMilli), "1k");
  EXPECT_EQ(FormatQuantity(0, Unit::kWhole), "0");
  EXPECT_EQ(FormatQuantity(8, Unit::kWhole), "8");
  EXPECT_EQ(FormatQuantity(10, Unit::kWhole), "10");
  EXPECT_EQ(FormatQuantity(8589934592, Unit::kWhole), "8Gi");
  EXPECT_EQ(FormatQuantity(1500000, Unit::kWhole), "1500k");
  EXPECT_EQ(FormatQuantity(1024000, Unit::kWhole), "1024k") << "not 1000Ki, which is as long";
  EXPECT_EQ(FormatQuantity(int64_t{1} << 62, Unit::kWhole), "4Ei");
  EXPECT_EQ(FormatQuantity(kMax, Unit::kWhole), "9223372036854775807");
  EXPECT_EQ(FormatQuantity(-2048, Unit::kWhole), "-2Ki");
  EXPECT_EQ(FormatQuantity(-kMax - 1, Unit::kWhole), "-8Ei");
  EXPECT_EQ(FormatQuantity(-1, Unit::kMilli), "-1m");
}

TEST(QuantityTest, ParsesWhatItFormats) {
  uint64_t state = 7;
  for (int i = 0; i < 100000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    int64_t value = static_cast<int64_t>(state >> 1 >> (state >> 20) % 63);
    if (i % 3 == 1) value = value >> 12 << 10;
    if (i % 3 == 2) value = value / 1000000 * 1000000;
    for (Unit unit : {Unit::kMilli, Unit::kWhole}) {
      const auto parsed = ParseQuantity(FormatQuantity(value, unit), unit);
      ASSERT_TRUE(parsed.ok()) << parsed.status();
      ASSERT_EQ(*parsed, value);
    }
  }
}

}  // namespace
}  // namespace muster
