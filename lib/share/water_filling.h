// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Water filling: what each queue deserves of the cluster, by weight, up to its need.
//
//   std::vector<Claim> claims = ...;               // in queue order; sums run in that order
//   FillByWeight(total, &claims);                  // sets deserved of each
//
// Idea. The remainder is divided by weight among the queues with an unmet need. What exceeds a
// queue's need or capability is taken back. This repeats with what came back.
//
// Guarantee. With whole fractions the result is weighted max-min fair per dimension. It stops
// when less than a tenth of a unit remains.
//
// Amounts are doubles, as in the schedulers that fill this way: the same roundings lead to the same
// fixed point. A cell has three forms: cpu and memory are always present; another dimension may be
// absent, which differs from 0.
#ifndef MUSTER_SHARE_WATER_FILLING_H_
#define MUSTER_SHARE_WATER_FILLING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace muster {

struct MaybeAmounts {
  explicit MaybeAmounts(size_t dimensions = 0) : value(dimensions, 0.0), has(dimensions, 0) {
    for (size_t d = 0; d < dimensions && d < 2; ++d) has[d] = 1;
  }
  void Set(size_t d, double amount) {
    value[d] = amount;
    has[d] = 1;
  }
  friend bool operator==(const MaybeAmounts&, const MaybeAmounts&) = default;
  // Most clusters have few dimensions, and a cycle makes several of these for each queue.
  absl::InlinedVector<double, 8> value;
  absl::InlinedVector<uint8_t, 8> has;
};

// The cells of amounts, where loops run over them.
struct AmountCells {
  explicit AmountCells(MaybeAmounts& amounts)
      : value(amounts.value.data()), has(amounts.has.data()) {}
  void Add(size_t d, double amount) const {
    value[d] += amount;
    has[d] = 1;
  }
  // Sets the cell, or removes it. Returns whether that changed it.
  bool Put(size_t d, bool present, double amount) const {
    const bool changed = has[d] != present || value[d] != amount;
    value[d] = amount;
    has[d] = present;
    return changed;
  }
  double* const value;
  uint8_t* const has;
};

// The smallest amount: differences below it count as equal.
inline constexpr double kSmallestAmount = 0.1;

struct Claim {
  double weight = 1;
  MaybeAmounts request, guarantee,
      capability;         // capability: what it may hold at most; absent does not limit
  MaybeAmounts deserved;  // out
};

void FillByWeight(const MaybeAmounts& total, std::vector<Claim>* claims);

// As FillByWeight, within a slack: without guarantee or capability, a claim is met once its request
// is strictly less in every dimension, and any excess goes back. Amounts below `slack` count as 0.
void FillByWeightWithin(const std::vector<double>& slack, const MaybeAmounts& total,
                        std::vector<Claim>* claims);

// Returns whether left <= right in every dimension of left, within the smallest amount. An absent
// cell of right is 0.
bool WithinAmounts(const MaybeAmounts& left, const MaybeAmounts& right);
// Returns left less right, never below 0. The result has the dimensions of both.
MaybeAmounts Exceeding(const MaybeAmounts& left, const MaybeAmounts& right);

}  // namespace muster

#endif  // MUSTER_SHARE_WATER_FILLING_H_
