// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/resource.h"

#include "gtest/gtest.h"

namespace muster::yarn {
namespace {

constexpr Calculator kMemory = Calculator::kMemory, kDominant = Calculator::kDominant;
const Resource kCluster{8192, 8};

TEST(Resources, DominantComparesLargerThenSmallerShares) {
  EXPECT_EQ(Compare(kDominant, kCluster, {4096, 2}, {2048, 4}), 0);
  EXPECT_EQ(Compare(kDominant, kCluster, {4096, 3}, {2048, 4}), 1);
  EXPECT_EQ(Compare(kDominant, kCluster, {4096, 3}, {2048, 4}, true), 0);
  EXPECT_EQ(Compare(kMemory, kCluster, {2048, 9}, {4096, 1}), -1);
}

TEST(Resources, WithoutTotalMixedComponentsAreEqual) {
  EXPECT_EQ(Compare(kDominant, {}, {1, 2}, {2, 1}), 0);
  EXPECT_EQ(Compare(kDominant, {}, {1, 1}, {2, 1}), -1);
}

TEST(Resources, MemoryRoundsHalfUpAndMakesOneVcore) {
  EXPECT_EQ(MultiplyUp(kMemory, {100, 7}, 0.105, {1, 1}), (Resource{11, 1}));
  EXPECT_EQ(MultiplyUp(kMemory, {100, 7}, 0.104, {1, 1}), (Resource{10, 1}));
  EXPECT_EQ(MultiplyUp(kMemory, {100, 7}, 0, {1, 1}), Resource{});
}

TEST(Resources, DominantRoundsEachComponentUp) {
  EXPECT_EQ(MultiplyUp(kDominant, {100, 7}, 0.101, {10, 1}), (Resource{20, 1}));
}

TEST(Resources, DivisionByNoWeightIsNothing) {
  EXPECT_EQ(DivideUp(kDominant, {5, 5}, 0.0F), Resource{});
  EXPECT_EQ(DivideUp(kDominant, {5, 4}, 2.0F), (Resource{3, 2}));
}

TEST(Resources, ContainersIgnoreWhatIsNotAsked) {
  EXPECT_EQ(ContainersIn(kDominant, {4096, 1}, {1024, 0}), 4);
  EXPECT_EQ(ContainersIn(kDominant, {4096, 1}, {1024, 1}), 1);
}

TEST(Resources, WhatIsAllocatedStopsAtTheLargestAllocation) {
  const Resource least{1024, 2}, most{3584, 5};
  const auto normalized = [&](Calculator by, const Resource& request) {
    return Normalize(by, request, least, most);
  };
  EXPECT_EQ(normalized(Calculator::kDominant, {}), least);
  EXPECT_EQ(normalized(Calculator::kDominant, {1025, 3}), (Resource{2048, 4}));
  EXPECT_EQ(normalized(Calculator::kDominant, {3200, 5}), most);
  // Vcores are 1 wherever the calculator of memory rounds.
  EXPECT_EQ(normalized(Calculator::kMemory, {3200, 5}), (Resource{3584, 1}));
  EXPECT_EQ(normalized(Calculator::kMemory, {1025, 3}), (Resource{2048, 1}));
}

// What is larger in one component and no smaller in the other is larger: without a quotient.
TEST(Resources, ComparisonsWithoutQuotientsAreThoseWith) {
  const auto shares = [](const Resource& total, const Resource& a) {
    const double m = static_cast<double>(a.memory) / static_cast<double>(total.memory);
    const double v = static_cast<double>(a.vcores) / static_cast<double>(total.vcores);
    return std::pair(std::max(m, v), std::min(m, v));
  };
  const Resource total{int64_t{1} << 41, 3};
  for (const int64_t base : {int64_t{0}, int64_t{7}, (int64_t{1} << 50) - 3}) {
    for (int64_t pair = 0; pair < 256; ++pair) {
      const Resource a{base + pair % 4, base / 3 + pair / 4 % 4};
      const Resource b{base + pair / 16 % 4, base / 3 + pair / 64};
      const auto left = shares(total, a), right = shares(total, b);
      EXPECT_EQ(Compare(Calculator::kDominant, total, a, b), left < right   ? -1
                                                             : left > right ? 1
                                                                            : 0)
          << a.memory << " " << a.vcores << " " << b.memory << " " << b.vcores;
    }
  }
}

}  // namespace
}  // namespace muster::yarn
