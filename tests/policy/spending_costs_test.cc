// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/spending_costs.h"

#include <limits>

#include "gtest/gtest.h"

namespace muster {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Money, IsReadToTheMillionth) {
  EXPECT_EQ(MoneyOf("2.50"), 2'500'000);
  EXPECT_EQ(MoneyOf("0.0425"), 42'500);
  EXPECT_EQ(MoneyOf("0.000001"), 1);
  EXPECT_EQ(MoneyOf("0.0000001"), 1);  // rounded up
  EXPECT_EQ(MoneyOf("3."), 3'000'000);
  EXPECT_EQ(MoneyOf("2500m"), 2'500'000);
  EXPECT_EQ(MoneyOf("1k"), 1'000'000'000);
  EXPECT_EQ(MoneyOf("1e3"), 1'000'000'000);
  EXPECT_EQ(MoneyOf("9000000000000000000"), kMost);
  EXPECT_EQ(MoneyOf("0"), 0);
}

TEST(Money, IsWrittenWithTwoDecimalsOrMore) {
  EXPECT_EQ(MoneyText(2'500'000), "2.50");
  EXPECT_EQ(MoneyText(42'500), "0.0425");
  EXPECT_EQ(MoneyText(1), "0.000001");
  EXPECT_EQ(MoneyText(0), "0.00");
  EXPECT_EQ(MoneyText(100'000'000), "100.00");
}

TEST(HourlyCost, CountsCoresGibibytesAndUnits) {
  const std::string_view names[] = {"cpu", "memory", "pods", "nvidia.com/gpu"};
  const SpendingPrices prices = ReadPrices(
      {{"cpu", "0.04"}, {"memory", "0.01"}, {"nvidia.com/gpu", "2.50"}, {"tpu", 9}}, names);
  ASSERT_EQ(prices.size(), 3u);
  const int64_t amounts[] = {1500, int64_t{3} << 30, 7, 2000};
  EXPECT_EQ(HourlyCost(prices, amounts), 60'000 + 30'000 + 5'000'000);
  const int64_t absent[] = {-1, 1, 0, -5};
  EXPECT_EQ(HourlyCost(prices, absent), 1);  // a byte rounds up
  const int64_t huge[] = {kMost, kMost, kMost, kMost};
  EXPECT_EQ(HourlyCost(prices, huge), kMost);
}

TEST(CostOf, RoundsUp) {
  EXPECT_EQ(CostOf(3600, 1), 1);
  EXPECT_EQ(CostOf(3601, 1), 2);
  EXPECT_EQ(CostOf(2'500'000, 3600), 2'500'000);
  EXPECT_EQ(CostOf(kMost, kMost), kMost);
}

}  // namespace
}  // namespace muster
