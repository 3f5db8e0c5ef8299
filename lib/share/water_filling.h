// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's and kube-batch's water filling: what each queue deserves of the cluster, by weight, up to its need.
//
//   std::vector<Claim> claims = ...;               // in queue order; sums run in that order
//   FillByWeight(total, &claims);                  // sets deserved of each
//
// Idea. Hand out what remains by weight among the queues whose need is not met; take back what is above a
// queue's need or capability; repeat with what came back. Guarantee: with whole fractions it is weighted max-min
// fair per dimension; the peer stops when less than a tenth of a unit remains, and so does this.
// Amounts are doubles because the peer's are: the fixed point is reached by the same roundings.
// A cell has three faces: cpu and memory are always there; another dimension may be absent, which differs from 0.
#ifndef MUSTER_SHARE_WATER_FILLING_H_
#define MUSTER_SHARE_WATER_FILLING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace muster {

struct Amounts {
  explicit Amounts(size_t dimensions = 0) : value(dimensions, 0.0), has(dimensions, 0) {
    for (size_t d = 0; d < dimensions && d < 2; ++d) has[d] = 1;
  }
  void Set(size_t d, double amount) {
    value[d] = amount;
    has[d] = 1;
  }
  friend bool operator==(const Amounts&, const Amounts&) = default;
  // Few dimensions are the rule, and a cycle makes some of these for each queue.
  absl::InlinedVector<double, 8> value;
  absl::InlinedVector<uint8_t, 8> has;
};

// Within the peer's smallest amount of nothing: 0.1.
inline constexpr double kSmallestAmount = 0.1;

struct Claim {
  double weight = 1;
  Amounts request, guarantee,
      capability;    // capability: what it may hold at most; absent does not limit
  Amounts deserved;  // out
};

// Whether it is the same claim, whatever came out.
inline bool SameClaim(const Claim& a, const Claim& b) {
  return a.weight == b.weight && a.request == b.request && a.guarantee == b.guarantee &&
         a.capability == b.capability;
}

void FillByWeight(const Amounts& total, std::vector<Claim>* claims);

// The same by kube-batch's rules: no guarantee or capability, a claim is met once its request is strictly less
// in every dimension, and what it was given beyond it goes back. `slack`: amounts below it are nothing.
void FillByWeightKubeBatch(const Amounts& total, const std::vector<double>& slack,
                           std::vector<Claim>* claims);

// left <= right in every dimension that left has, an absent right cell being 0, within the smallest amount.
bool WithinAmounts(const Amounts& left, const Amounts& right);
// What left has beyond right, never below 0; a dimension of either is present in the result.
Amounts Exceeding(const Amounts& left, const Amounts& right);

}  // namespace muster

#endif  // MUSTER_SHARE_WATER_FILLING_H_
