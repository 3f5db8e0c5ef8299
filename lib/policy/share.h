// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fractions of a total, as the peers compute them: one IEEE division of two exact integers.
#ifndef MUSTER_POLICY_SHARE_H_
#define MUSTER_POLICY_SHARE_H_

#include <cstdint>
#include <span>

namespace muster {

// amount / total; of nothing: 0 if the amount is nothing too, else 1.
inline double ShareOf(double amount, double total) {
  if (total == 0) return amount == 0 ? 0.0 : 1.0;
  return amount / total;
}

// The largest share over the dimensions of which there is any.
inline double DominantShare(std::span<const int64_t> allocated, std::span<const int64_t> total) {
  double largest = 0;
  for (size_t d = 0; d < total.size(); ++d) {
    if (total[d] <= 0) continue;
    const double share = ShareOf(static_cast<double>(allocated[d]), static_cast<double>(total[d]));
    if (share > largest) largest = share;
  }
  return largest;
}

}  // namespace muster

#endif  // MUSTER_POLICY_SHARE_H_
