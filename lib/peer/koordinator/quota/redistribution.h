// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One level of an elastic quota tree: how much of a parent's amount each child may use at this
// moment.
//
//   Claims claims = {.request = ..., .weight = ..., .min = ..., .guarantee = ..., .lends = ...};
//   Redistribution().Run(100, Rounding::kLargestRemainder, claims, runtime);
//   Redistribution().Run(totals, 0b11, Rounding::kLargestRemainder, rows);    // several resources
//
// Idea. Each child has its minimum at once (or its request, if that is less and it lends). What
// remains goes by weight to those that request more. What is beyond a request comes back and is
// handed out again.
//
// Guarantee. No child is above the larger of its request and its minimum. While a child with a
// weight requests more, the whole amount is handed out. The minimums may exceed the amount: no
// child is then cut.
//
// Peer. Koordinator's runtime quota. Shares are whole units. The largest remainders take what the
// divisions leave; of equal ones the child that comes first, so children come in the order of their
// names. (Releases up to 1.8 rounded each share to the nearest unit instead.) Weights of zero or
// less take no part.
//
// Cost. O(n) a round, of which each satisfies a child for good; one round where there is enough for
// all. By rows, four or eight resources cost little more than one (redistribution_rows.cc). By
// columns, a division is two multiplications by the reciprocal of the weights' sum; none where a
// child has the weight of the one before it.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_REDISTRIBUTION_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_REDISTRIBUTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

enum class Rounding : uint8_t { kLargestRemainder, kNearest };

// What the children of a group request of one resource, in the order of their names.
struct Claims {
  std::span<const int64_t> request, weight, min, guarantee;
  std::span<const uint8_t> lends;
};

// The same for four or eight resources at once. Each child has its requests, its weights, its
// floors (the larger of minimum and guarantee) and its runtimes, which are written.
struct ClaimRows {
  int64_t* rows = nullptr;  // 4 * lanes numbers a child
  size_t lanes = 4;
  std::span<const uint8_t> lends = {};
};

// Keeps its working space between runs.
class Redistribution {
 public:
  void Run(int64_t total, Rounding rounding, const Claims& claims, std::span<int64_t> runtime);
  // Runs the resources in `which` (bits) on their totals, one a lane.
  void Run(std::span<const int64_t> totals, uint32_t which, Rounding rounding,
           const ClaimRows& claims);

 private:
  // A child that requests more than it has.
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
  // Of rows: room, weight, part and remainder of each child; a resource taken out of them.
  std::vector<double> row_wishes_;
  std::array<std::vector<int64_t>, 4> columns_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_REDISTRIBUTION_H_
