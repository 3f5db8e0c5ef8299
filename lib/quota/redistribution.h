// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One level of an elastic quota tree: how much of a parent's amount each child may use at this moment.
//
//   std::vector<Claimant> children = {{.name = "a", .request = 5, .min = 10, .weight = 40}, ...};
//   Redistribute(100, Rounding::kLargestRemainder, pointers);   // sets `runtime` of each
//
// Idea. Each child has its minimum at once (or its request, if that is less and it lends). What remains goes by
// weight to those that ask for more; what is beyond a request comes back and is handed out again.
// Guarantee. No child is above the larger of its request and its minimum; while anyone wants more and has weight,
// the whole amount is handed out. The minimums may exceed the amount: nobody is then cut.
// Peer. Koordinator's runtime quota. Shares are whole units: the largest remainders take what the divisions leave,
// the smaller name first where they are equal (releases up to 1.8 rounded each share to the nearest unit instead).
// Cost. O(n log n) a round; each round satisfies a child for good.
#ifndef MUSTER_QUOTA_REDISTRIBUTION_H_
#define MUSTER_QUOTA_REDISTRIBUTION_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace muster {

enum class Rounding : uint8_t { kLargestRemainder, kNearest };

struct Claimant {
  std::string_view name = {};
  int64_t request = 0, weight = 0, min = 0, guarantee = 0;
  bool lends = true;
  int64_t runtime = 0;  // out
};

void Redistribute(int64_t total, Rounding rounding, std::span<Claimant*> children);

}  // namespace muster

#endif  // MUSTER_QUOTA_REDISTRIBUTION_H_
