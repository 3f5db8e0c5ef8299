// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The arithmetic of shares: what counts as less, what an absent scalar means, the dominant shares
// of the DRF paper.
#include "lib/reference/amount.h"

#include "gtest/gtest.h"

namespace muster::reference {
namespace {

constexpr int64_t kNo = kAbsent;

Amount Of(std::vector<int64_t> row) { return AmountOf(row); }

TEST(Amount, AbsentScalarsAreNoEntries) {
  const Amount amount = Of({kNo, 5, kNo, 0});
  EXPECT_EQ(amount.get(0), 0);
  EXPECT_EQ(amount.get(1), 5);
  EXPECT_FALSE(amount.present[2]);
  EXPECT_TRUE(amount.present[3]);
  EXPECT_TRUE(amount.map);
  EXPECT_FALSE(Of({1, 1, kNo, kNo}).map);
}

TEST(Amount, SubtractionWithoutAMapDropsScalars) {
  EXPECT_EQ(Minus(Of({4, 4, kNo, kNo}), Of({1, 1, 1, 7})), Of({3, 3, kNo, kNo}));
  EXPECT_EQ(Minus(Of({4, 4, 2, kNo}), Of({1, 1, 1, 7})), Of({3, 3, 1, -7}));
}

TEST(Amount, MinimumLooksAtTheLeftsScalars) {
  const Amount left = Of({10, 10, 5, kNo}), right = Of({3, 20, kNo, 1});
  EXPECT_EQ(MinDimension(left, right, Missing::kZero), Of({3, 10, 0, kNo}));
  EXPECT_EQ(MinDimension(left, right, Missing::kInfinite), Of({3, 10, 5, kNo}));
}

TEST(Amount, DifferenceNamesEveryScalarOnce) {
  const auto [more, less] = Difference(Of({5, 1, 2, 4}), Of({3, 4, 2, kNo}));
  EXPECT_EQ(more, Of({2, 0, kNo, 4}));
  EXPECT_EQ(less, Of({0, 3, 0, kNo}));
}

TEST(Amount, LessEqualForgivesLessThanATenth) {
  Amount left = Of({100, 0, kNo, kNo}), right = left;
  left.value[0] = 100.09;
  EXPECT_TRUE(LessEqual(left, right));
  left.value[0] = 100.11;
  EXPECT_FALSE(LessEqual(left, right));
}

TEST(Amount, LessEqualReadsMissingAsZeroAndIgnoresTheRightsScalars) {
  EXPECT_FALSE(LessEqual(Of({1, 1, 1, kNo}), Of({1, 1, kNo, kNo})));
  EXPECT_TRUE(LessEqual(Of({1, 1, kNo, kNo}), Of({1, 1, kNo, -5})));
}

TEST(Amount, QuotaComparisonIsExactAndOnlyOverWhatIsRequested) {
  Amount left = Of({100, 7, 9, 3}), right = Of({100, 5, 1, 3});
  EXPECT_TRUE(
      WithinRequested(left, right, Of({1, 0, 1, 1})));  // memory not requested, pods never count
  EXPECT_FALSE(WithinRequested(left, right, Of({1, 1, 1, 1})));
  left.value[0] = 100.01;
  EXPECT_FALSE(WithinRequested(left, right, Of({1, 0, 1, 1})));
}

TEST(Amount, EmptinessIgnoresPods) {
  EXPECT_TRUE(IsEmpty(Of({0, 0, 3, kNo})));
  EXPECT_FALSE(IsEmpty(Of({0, 0, 3, 1})));
}

TEST(Amount, KubeBatchForgivesTenMilliCoresAndTenMebibytes) {
  const std::vector<double> tolerance = {10, 10.0 * 1024 * 1024, 0.01, 10};
  EXPECT_TRUE(TolerantLessEqual(Of({109, 5'000'000, kNo, 10}), Of({100, 0, kNo, kNo}), tolerance));
  EXPECT_FALSE(TolerantLessEqual(Of({110, 0, kNo, kNo}), Of({100, 0, kNo, kNo}), tolerance));
  EXPECT_FALSE(TolerantLessEqual(Of({0, 0, kNo, 11}), Of({100, 0, kNo, kNo}), tolerance));
}

TEST(Amount, KubeBatchLessWithoutALeftMapAsksForLargeScalarsOnTheRight) {
  const std::vector<double> tolerance = {10, 10.0 * 1024 * 1024, 0.01, 10};
  EXPECT_TRUE(TolerantLess(Of({1, 1, kNo, kNo}), Of({2, 2, kNo, 11}), tolerance));
  EXPECT_FALSE(TolerantLess(Of({1, 1, kNo, kNo}), Of({2, 2, kNo, 10}), tolerance));
  EXPECT_FALSE(TolerantLess(Of({1, 1, kNo, 1}), Of({2, 2, kNo, kNo}), tolerance));
}

// Two users of a cluster of 9 cores and 18 GB hold three tasks of <1, 4> and two of <3, 1>.
TEST(Share, DominantSharesOfTheDrfPaper) {
  EXPECT_EQ(ShareOf(3 * 4, 18), 2.0 / 3);
  EXPECT_GT(ShareOf(3 * 4, 18), ShareOf(3 * 1, 9));
  EXPECT_EQ(ShareOf(2 * 3, 9), 2.0 / 3);
  EXPECT_GT(ShareOf(2 * 3, 9), ShareOf(2 * 1, 18));
}

TEST(Share, OfNothing) {
  EXPECT_EQ(ShareOf(0, 0), 0);
  EXPECT_EQ(ShareOf(1, 0), 1);
}

}  // namespace
}  // namespace muster::reference
