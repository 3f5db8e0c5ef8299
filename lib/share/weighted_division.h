// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Weighted max-min division of one resource, in exact integers.
//
//   // 90 among three: by weight 30 each, but the first wants only 10, and the third was promised 50.
//   std::vector<Portion> portions = {{1, 0, 10}, {1, 0, 90}, {1, 50, 90}};
//   DivideByWeight(90, portions);   // amounts: 10, 30, 50
//
// There is one level such that each gets level * weight, but at least its floor and at most its ceiling, and all of
// `total` is given out or every ceiling reached: nobody can get more without somebody getting less who has less for
// his weight. Amounts are rounded down to whole units. Floors above the total are themselves divided by weight.
// A weight of 0 gets its floor and what is left when all others have what they want.
#ifndef MUSTER_SHARE_WEIGHTED_DIVISION_H_
#define MUSTER_SHARE_WEIGHTED_DIVISION_H_

#include <cstdint>
#include <vector>

namespace muster {

struct Portion {
  int64_t weight = 1;  // 0 or more; beyond 2^31 it counts as 2^31
  int64_t floor = 0;   // 0 <= floor <= ceiling
  int64_t ceiling = 0;
  int64_t amount = 0;  // out
};

// O(n log n).
void DivideByWeight(int64_t total, std::vector<Portion>& portions);

}  // namespace muster

#endif  // MUSTER_SHARE_WEIGHTED_DIVISION_H_
