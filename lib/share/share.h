// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fractions of a total as the peers compute them: one IEEE division of two exact integers.
//
//   double share = DominantShare(held, total);   // of (4, 8) in (16, 16): 0.5
#ifndef MUSTER_SHARE_SHARE_H_
#define MUSTER_SHARE_SHARE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "muster/types.h"

namespace muster {

// amount / total; of nothing: 0 if the amount is nothing too, else 1.
inline double ShareOf(double amount, double total) {
  if (total == 0) return amount == 0 ? 0.0 : 1.0;
  return amount / total;
}

// Returns the largest share over the dimensions with a positive total.
inline double DominantShare(std::span<const int64_t> allocated, std::span<const int64_t> total) {
  double largest = 0;
  for (size_t d = 0; d < total.size(); ++d) {
    if (total[d] <= 0) continue;
    const double share = ShareOf(static_cast<double>(allocated[d]), static_cast<double>(total[d]));
    if (share > largest) largest = share;
  }
  return largest;
}

// Returns the largest share, `pods` excepted, over the queue's weight; infinity if the weight is 0.
inline double ShareForWeight(std::span<const int64_t> held, std::span<const int64_t> total,
                             int64_t weight) {
  if (weight <= 0) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (DimensionIndex d = 0; d < total.size(); ++d) {
    if (d == kPods || total[d] <= 0) continue;
    largest =
        std::max(largest, ShareOf(static_cast<double>(held[d]), static_cast<double>(total[d])));
  }
  return largest / static_cast<double>(weight);
}

}  // namespace muster

#endif  // MUSTER_SHARE_SHARE_H_
