// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Weighted max-min division of one resource, in exact integers.
//
//   // 90 among three: by weight 30 each, but one needs only 10, and one has a floor of 50.
//   std::vector<Portion> portions = {{1, 0, 10}, {1, 0, 90}, {1, 50, 90}};
//   DivideByWeight(90, portions);   // amounts: 10, 30, 50
//
// There is one level such that each portion gets level * weight, but at least its floor and at most
// its ceiling. Either all of `total` is divided, or every portion is at its ceiling. So no portion
// can grow unless one with less for its weight shrinks.
//
// Amounts are rounded down to whole units. Floors that exceed the total are themselves divided by
// weight. A portion of weight 0 gets its floor, and what is left once all others are at their
// ceilings.
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
