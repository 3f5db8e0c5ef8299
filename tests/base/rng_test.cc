// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Golden numbers, computed by an independent program that also reproduces the generator's published
// vector, and the statistics that a wrong sampler would miss.
#include "lib/base/rng.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(RngTest, SplitMix64Golden) {
  EXPECT_EQ(SplitMix64(0), 0xe220a8397b1dcdaf);
  EXPECT_EQ(SplitMix64(1), 0x910a2dec89025cc1);
  EXPECT_EQ(SplitMix64(42), 0xbdd732262feb6e95);
  EXPECT_EQ(SplitMix64(std::numeric_limits<uint64_t>::max()), 0xe4d971771b652c20);
}

TEST(RngTest, NextGolden) {
  Rng rng(42);
  for (uint64_t expected :
       std::initializer_list<uint64_t>{0xd0764d4f4476689f, 0x519e4174576f3791, 0xfbe07cfb0c24ed8c,
                                       0xb37d9f600cd835b8, 0xcb231c3874846a73}) {
    EXPECT_EQ(rng.Next(), expected);
  }
}

TEST(RngTest, BelowGolden) {
  Rng small(7);
  for (uint64_t expected : std::initializer_list<uint64_t>{0, 1, 7, 4, 9, 4, 7, 3, 9, 0,
                                                           1, 1, 7, 1, 4, 0, 1, 1, 1, 7}) {
    EXPECT_EQ(small.Below(10), expected);
  }
  Rng big(7);  // about every second draw is rejected
  for (uint64_t expected :
       {510609901762332830u, 6618471596617772089u, 8888190287168176571u, 4295358383878398532u}) {
    EXPECT_EQ(big.Below((uint64_t{1} << 63) + 1), expected);
  }
}

TEST(RngTest, BelowIsUniform) {
  Rng rng(1);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[rng.Below(7)];
  for (int count : counts) EXPECT_NEAR(count, 10000, 400);
  EXPECT_EQ(rng.Below(1), 0u);
}

TEST(RngTest, UnitGolden) {
  Rng rng(5);
  for (double expected : {0.29202287154046747, 0.6114394140810253, 0.09796325663560501}) {
    EXPECT_EQ(rng.Unit(), expected);
  }
}

TEST(RngTest, ChanceAtItsEnds) {
  Rng rng(2);
  int hits = 0;
  for (int i = 0; i < 10000; ++i) {
    EXPECT_FALSE(rng.Chance(0));
    EXPECT_TRUE(rng.Chance(1));
    hits += rng.Chance(0.25);
  }
  EXPECT_NEAR(hits, 2500, 200);
}

TEST(RngTest, ShuffleGolden) {
  std::vector<int> items = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  Rng rng(9);
  rng.Shuffle(items);
  EXPECT_EQ(items, (std::vector<int>{2, 8, 4, 7, 9, 0, 6, 1, 3, 5}));
  std::vector<int> none;
  rng.Shuffle(none);
  EXPECT_TRUE(none.empty());
}

TEST(RngTest, ShuffleReachesEveryOrderEqually) {
  Rng rng(3);
  std::vector<int> counts(27);
  for (int i = 0; i < 60000; ++i) {
    std::vector<int> items = {0, 1, 2};
    rng.Shuffle(items);
    ++counts[items[0] * 9 + items[1] * 3 + items[2]];
  }
  std::sort(counts.begin(), counts.end());
  EXPECT_EQ(counts[20], 0);
  EXPECT_NEAR(counts[21], 10000, 400);
  EXPECT_NEAR(counts[26], 10000, 400);
}

TEST(RngTest, SamplersGolden) {
  Rng exponential(11);
  for (double expected : {58.93690504125118, 49.26924044674859, 99.89748166344893}) {
    EXPECT_EQ(exponential.Exponential(30.0), expected);
  }
  Rng normal(13);
  for (double expected : {0.09905061995913218, -0.8847523046029413, 0.3110273223334877}) {
    EXPECT_EQ(normal.Normal(), expected);
  }
  Rng log_normal(13);
  for (double expected : {468.05037543285886, 107.0045699213908, 643.2548451949095}) {
    EXPECT_EQ(log_normal.LogNormal(6.0, 1.5), expected);
  }
  Rng zipf(17);
  const ZipfSampler users(1000, 1.1);
  for (size_t expected :
       std::initializer_list<size_t>{250, 274, 0, 27, 9, 111, 7, 1, 5, 127, 12, 1}) {
    EXPECT_EQ(users.Sample(zipf), expected);
  }
}

TEST(RngTest, SamplersHaveTheirMoments) {
  constexpr int kDraws = 200000;
  Rng rng(4);
  double mean = 0, normal_mean = 0, normal_square = 0;
  int below_median = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double gap = rng.Exponential(2.0);
    ASSERT_GE(gap, 0);
    mean += gap / kDraws;
    const double normal = rng.Normal();
    normal_mean += normal / kDraws;
    normal_square += normal * normal / kDraws;
    below_median += rng.LogNormal(3.0, 2.0) < std::exp(3.0);
  }
  EXPECT_NEAR(mean, 2.0, 0.02);
  EXPECT_NEAR(normal_mean, 0.0, 0.01);
  EXPECT_NEAR(normal_square, 1.0, 0.015);
  EXPECT_NEAR(below_median, kDraws / 2, kDraws / 200);
}

TEST(RngTest, ZipfFollowsItsLaw) {
  constexpr int kDraws = 110000;
  Rng rng(6);
  const ZipfSampler ranks(3, 1.0);  // 6 : 3 : 2
  std::vector<int> counts(3);
  for (int i = 0; i < kDraws; ++i) ++counts[ranks.Sample(rng)];
  EXPECT_NEAR(counts[0], 60000, 700);
  EXPECT_NEAR(counts[1], 30000, 700);
  EXPECT_NEAR(counts[2], 20000, 700);
  EXPECT_EQ(ZipfSampler(1, 1.0).Sample(rng), 0u);
}

}  // namespace
}  // namespace muster
