// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shares that are compared without rounding: fractions of integers, by products of three factors.
//
//   ExactShare a = ExactDominantShare(held, total);
//   int order = CompareShares(a, 3, b, 1);   // below 0: a / 3 is less than b
#ifndef MUSTER_SHARE_EXACT_SHARE_H_
#define MUSTER_SHARE_EXACT_SHARE_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "absl/numeric/int128.h"
#include "muster/types.h"

namespace muster {

struct ExactShare {
  int64_t amount = 0;  // 0 or more
  int64_t total = 1;   // above 0
};

// Returns the sign of a / a_weight - b / b_weight. A share over a weight of 0 is infinite.
inline int CompareShares(const ExactShare& a, int64_t a_weight, const ExactShare& b,
                         int64_t b_weight) {
  if (a_weight == 0 || b_weight == 0) return (a_weight == 0) - (b_weight == 0);
  struct Product {  // of factors from 0 to 2^63 - 1
    absl::uint128 high;
    uint64_t low;
    Product(int64_t x, int64_t y, int64_t z) {
      const absl::uint128 two = absl::uint128(static_cast<uint64_t>(x)) * static_cast<uint64_t>(y);
      const absl::uint128 lower = absl::uint128(absl::Uint128Low64(two)) * static_cast<uint64_t>(z);
      high = absl::uint128(absl::Uint128High64(two)) * static_cast<uint64_t>(z) +
             absl::Uint128High64(lower);
      low = absl::Uint128Low64(lower);
    }
  };
  const Product left(a.amount, b.total, b_weight), right(b.amount, a.total, a_weight);
  if (left.high != right.high) return left.high < right.high ? -1 : 1;
  return left.low == right.low ? 0 : left.low < right.low ? -1 : 1;
}

// Returns the largest share of `total` over the dimensions with a positive total, `pods` excepted.
inline ExactShare ExactDominantShare(std::span<const int64_t> held,
                                     std::span<const int64_t> total) {
  ExactShare largest;
  for (DimensionIndex d = 0; d < total.size(); ++d) {
    if (d == kPods || total[d] <= 0) continue;
    const ExactShare share{std::max<int64_t>(held[d], 0), total[d]};
    if (CompareShares(largest, 1, share, 1) < 0) largest = share;
  }
  return largest;
}

}  // namespace muster

#endif  // MUSTER_SHARE_EXACT_SHARE_H_
