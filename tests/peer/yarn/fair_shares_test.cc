// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/fair_shares.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/math.h"
#include "lib/base/rng.h"

namespace muster::yarn::fair {
namespace {

using Shares = std::vector<int64_t>;

TEST(ComputeShares, DividesByWeight) {
  EXPECT_EQ(ComputeShares({{.weight = 2}, {.weight = 1}}, 30), (Shares{20, 10}));
  EXPECT_EQ(ComputeShares({}, 30), Shares{});
}

TEST(ComputeShares, TheUpperBoundMayExceedTheTotal) {
  EXPECT_EQ(ComputeShares({{}, {}, {}}, 10), (Shares{4, 4, 4}));
}

TEST(ComputeShares, MinimaAreGrantedBeyondTheTotal) {
  EXPECT_EQ(ComputeShares({{.min = 20}, {.min = 30}, {}}, 10), (Shares{20, 30, 0}));
}

TEST(ComputeShares, WhatOneMayNotHaveGoesToTheOthers) {
  EXPECT_EQ(ComputeShares({{.max = 3}, {}, {}}, 23), (Shares{3, 10, 10}));
}

TEST(ComputeShares, FixedSharesAreTakenOutFirst) {
  const std::vector<ShareClaim> claims = {
      {.max = 0}, {.active = false}, {.weight = 0, .min = 7}, {}, {}};
  EXPECT_EQ(ComputeShares(claims, 27), (Shares{0, 0, 7, 10, 10}));
}

TEST(ComputeShares, NoShareLeavesItsBounds) {
  Rng rng(5);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<ShareClaim> claims(1 + rng.Below(6));
    for (ShareClaim& claim : claims) {
      claim.weight = static_cast<float>(1 + rng.Below(8)) / 2;
      claim.min = static_cast<int64_t>(rng.Below(50));
      claim.max = claim.min + 1 + static_cast<int64_t>(rng.Below(100));
    }
    const Shares shares = ComputeShares(claims, static_cast<int64_t>(rng.Below(300)));
    for (size_t i = 0; i < claims.size(); ++i) {
      EXPECT_GE(shares[i], claims[i].min);
      EXPECT_LE(shares[i], claims[i].max);
    }
  }
}

TEST(ComputeShares, EndsAtTheLargestAmounts) {
  const ShareClaim most{.weight = 1e-30f, .max = kMaxQuantity - 1};
  EXPECT_EQ(ComputeShares({most}, kMaxQuantity), (Shares{kMaxQuantity}));
}

}  // namespace
}  // namespace muster::yarn::fair
