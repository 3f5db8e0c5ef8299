// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/bundles.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/pulsar/load.h"

namespace muster::pulsar {
namespace {

BundleStats Stats(std::string name, double bytes, int64_t topics) {
  return {.name = std::move(name), .traffic = {bytes, 0, 0, 0}, .topics = topics};
}

// The partition finds what a sort finds, up to bundles that count as equal.
TEST(TopBundles, TheBusiestAreFound) {
  Rng rng(3);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<BundleStats> bundles;
    const uint64_t size = 1 + rng.Below(30);
    for (uint64_t i = 0; i < size; ++i) {
      bundles.push_back(Stats(std::to_string(i), static_cast<double>(rng.Below(20)) * 1e5, 1));
    }
    std::vector<double> sorted;
    for (const BundleStats& bundle : bundles) sorted.push_back(bundle.traffic.bytes_in);
    std::ranges::sort(sorted, std::ranges::greater());
    const size_t count = 1 + rng.Below(size);
    const std::vector<BundleStats> top = TopBundles(bundles, count);
    ASSERT_EQ(top.size(), count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(top[i].traffic.bytes_in, sorted[count - 1 - i]);
    }
  }
}

TEST(ChooseSplits, ANamespaceHasOnlySoManyBundles) {
  const std::vector<BundleStats> stats = {
      Stats("t/n/0x0_0x1", 0, 2'000), Stats("t/n/0x1_0x2", 0, 2'000), Stats("t/n/0x2_0x3", 0, 1)};
  EXPECT_EQ(ChooseSplits(stats, {}, {{"t/n", 3}}, {.bundles = 4}), (std::vector<size_t>{0}));
  EXPECT_EQ(ChooseSplits(stats, {}, {}, {}).size(), 2u);
}

TEST(RangeOf, ReadsHexadecimalBounds) {
  EXPECT_EQ(RangeOf("t/n/0x00000010_0xffffffff")->upper, 0xffffffff);
  for (const char* name :
       {"t/n/10_20", "t/n/0x10", "t/n/0x_0x1", "t/n/0x1_0xg", "", "t/n/", "t/n/0xff_0x0",
        "t/n/0x1_0x1", "t/n/0x-5_0xff", "t/n/0x0_0x100000000", "0x0_0xff"}) {
    EXPECT_FALSE(RangeOf(name)) << name;
  }
}

TEST(SplitStrategy, ALimitMustBeExceededSeveralTimes) {
  SplitStrategy strategy({.hits = 1});
  const std::vector<BundleStats> stats = {Stats("t/n/0x00000000_0x00000010", 0, 2'000)};
  EXPECT_TRUE(strategy.Choose(stats, {}).empty());
  EXPECT_EQ(strategy.hits().find(stats[0].name)->second, 1);
  const auto splits = strategy.Choose(stats, {});
  ASSERT_EQ(splits.size(), 1u);
  EXPECT_EQ(splits[0].boundary, 8);
  EXPECT_EQ(splits[0].reason, SplitStrategy::Reason::kTopics);
  EXPECT_TRUE(strategy.hits().empty());
}

TEST(SplitStrategy, WaitsForANeighbourThatIsBeingSplit) {
  SplitStrategy strategy({.hits = 0});
  const std::vector<BundleStats> stats = {Stats("t/n/0x00000000_0x00000010", 0, 2'000)};
  EXPECT_TRUE(strategy.Choose(stats, {.splitting = {"t/n/0x00000000_0x00000008"}}).empty());
  EXPECT_EQ(strategy.Choose(stats, {.splitting = {"t/m/0x00000000_0x00000008"}}).size(), 1u);
}

TEST(Cuts, FollowTheirAlgorithm) {
  EXPECT_EQ(CutRange({10, 20}), (Cuts{15}));
  EXPECT_FALSE(CutByTopics({{5}}));
  EXPECT_EQ(CutByTopics({{9}, {1}, {5}, {3}}), (Cuts{4}));
  const std::vector<Topic> two = {{1}, {2}};
  EXPECT_EQ(CutAtPositions({0, 10}, two, {12, 7, 3, 0}), (Cuts{3, 7}));
  EXPECT_FALSE(CutAtPositions({0, 10}, two, {10}));
  const Traffic busy{0, 0, 6, 0};
  EXPECT_EQ(CutByTraffic({{10, busy}, {20, busy}, {40, busy}}, 10, 1e9, 10), (Cuts{16, 31}));
  EXPECT_FALSE(CutByTraffic({{10, busy}, {20, busy}}, 100, 1e9, 10));
}

TEST(TimeAverage, ForgetsSlowlyOnceItIsFull) {
  TimeAverage average({100, 0, 0, 0}, 2);
  average.Add({10, 0, 0, 0});
  EXPECT_EQ(average.average().bytes_in, 10);
  average.Add({20, 0, 0, 0});
  average.Add({35, 0, 0, 0});
  EXPECT_EQ(average.average().bytes_in, 25);
}

}  // namespace
}  // namespace muster::pulsar
