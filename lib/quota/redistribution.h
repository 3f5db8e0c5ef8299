// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One level of an elastic quota tree: how much of a parent's amount each child may use at this moment.
//
//   Claims claims = {.request = ..., .weight = ..., .min = ..., .guarantee = ..., .lends = ...};   // a column each
//   Redistribution().Run(100, Rounding::kLargestRemainder, claims, runtime);
//
// Idea. Each child has its minimum at once (or its request, if that is less and it lends). What remains goes by
// weight to those that ask for more; what is beyond a request comes back and is handed out again.
// Guarantee. No child is above the larger of its request and its minimum; while anyone wants more and has weight,
// the whole amount is handed out. The minimums may exceed the amount: nobody is then cut.
// Peer. Koordinator's runtime quota. Shares are whole units: the largest remainders take what the divisions leave,
// the child that comes first where they are equal, so children come in the order of their names (releases up to 1.8
// rounded each share to the nearest unit instead). Weights of zero or less take no part.
// Cost. O(n) a round, of which each satisfies a child for good; one round where there is enough for all. A division is two multiplications by the reciprocal
// of the weights' sum; none where a child weighs what the one before it did.
#ifndef MUSTER_QUOTA_REDISTRIBUTION_H_
#define MUSTER_QUOTA_REDISTRIBUTION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace muster {

enum class Rounding : uint8_t { kLargestRemainder, kNearest };

// What the children of a group ask for of one resource, in the order of their names.
struct Claims {
  std::span<const int64_t> request, weight, min, guarantee;
  std::span<const uint8_t> lends;
};

// Keeps the space it works in.
class Redistribution {
 public:
  void Run(int64_t total, Rounding rounding, const Claims& claims, std::span<int64_t> runtime);

 private:
  // A child that wants more than it has.
  struct Wish {
    uint32_t child;
    int64_t weight;
    uint64_t room;  // up to its request
    uint64_t part;  // of this round
  };
  template <typename Remainder, typename Divide>
  void Split(uint64_t total, const Divide& divide, std::vector<Remainder>* remainders,
             std::vector<Remainder>* ranked);
  void SplitNearest(uint64_t total, double weights);

  std::vector<Wish> wishes_;
  // Of the wishes, and a copy to rank.
  std::vector<uint64_t> remainders_, ranked_;
  std::vector<unsigned __int128> wide_remainders_, wide_ranked_;
};

}  // namespace muster

#endif  // MUSTER_QUOTA_REDISTRIBUTION_H_
