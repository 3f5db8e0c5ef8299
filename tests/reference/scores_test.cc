// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Check vectors of the scores, computed by hand from their definitions.
#include "lib/reference/kube/scores.h"

#include "gtest/gtest.h"

namespace muster::reference {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;
constexpr int64_t kMi = int64_t{1} << 20;

// A node of 4000m / 8Gi with 1000m / 4Gi used, and a task of 1000m / 1Gi.
const std::vector<Load> kBefore = {{1000, 4000}, {4 * kGi, 8 * kGi}};
const std::vector<Load> kAfter = {{2000, 4000}, {5 * kGi, 8 * kGi}};

TEST(Scores, LeastAllocatedTruncatesTwice) { EXPECT_EQ(LeastAllocated(kAfter), (50 + 37) / 2); }

TEST(Scores, MostAllocatedTruncatesTwice) { EXPECT_EQ(MostAllocated(kAfter), (50 + 62) / 2); }

TEST(Scores, BalanceAndItsImprovement) {
  EXPECT_EQ(Balance(kAfter), 93);
  EXPECT_EQ(Balance(kBefore), 87);
  EXPECT_EQ(BalancedAllocation(kBefore, kAfter), 78);
  EXPECT_EQ(BalancedAllocation(kBefore, kBefore), 75);
}

TEST(Scores, TasksThatDoNotSayTakeSomething) {
  EXPECT_EQ(LeastAllocated({{1000 + 100, 4000}, {4 * kGi + 200 * kMi, 8 * kGi}}), (72 + 47) / 2);
}

TEST(Scores, OverfullAndMissingDimensions) {
  EXPECT_EQ(LeastAllocated({{5000, 4000}, {0, 0}}), 0);
  EXPECT_EQ(MostAllocated({{5000, 4000}, {0, 0}}), 100);
  EXPECT_EQ(LeastAllocated({{0, 0}}), 0);
}

TEST(Scores, NormalizeLiftsTheLargestToTheTop) {
  EXPECT_EQ(Normalize({30, 10, 0, 20}, 100, false), (std::vector<int64_t>{100, 33, 0, 66}));
  EXPECT_EQ(Normalize({0, 1, 2, 3}, 100, true), (std::vector<int64_t>{100, 67, 34, 0}));
  EXPECT_EQ(Normalize({0, 0}, 100, true), (std::vector<int64_t>{100, 100}));
  EXPECT_EQ(Normalize({0, 0}, 100, false), (std::vector<int64_t>{0, 0}));
}

TEST(OldScores, CountMissingCapacityAsZero) {
  EXPECT_EQ(OldLeastRequested({{2000, 4000}, {5 * kGi, 8 * kGi}}), (5 + 3) / 2);
  EXPECT_EQ(OldMostRequested({{2000, 4000}, {5 * kGi, 8 * kGi}}), (5 + 6) / 2);
  EXPECT_EQ(OldLeastRequested({{1000, 4000}, {0, 0}}), 7 / 2);
  EXPECT_EQ(OldMostRequested({{5000, 4000}, {4, 8}}),
            5 / 2);  // too much scores nothing, not the top
}

TEST(OldScores, BalanceIsTheFullDifference) {
  EXPECT_EQ(OldBalanced({2000, 4000}, {5, 8}), 8);
  EXPECT_EQ(OldBalanced({4000, 4000}, {5, 8}), 0);
}

}  // namespace
}  // namespace muster::reference
