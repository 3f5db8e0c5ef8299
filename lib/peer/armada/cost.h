// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The share of a pool that amounts cost, and how a pool is divided between its queues.
//
//   Cost cost(total, multipliers);
//   cost.Of(amounts);  // the largest share of a dimension, times its multiplier
//
// Water filling. Each round of it gives what is left in proportion to the weights. A queue that
// has more than its demand gives the rest back for the next one. Ten rounds at most; they stop once
// a hundredth is left.
//
// Surprises. A queue with exactly its demand still takes part. The sums are doubles, and the order
// of the queues is that of their names.
#ifndef MUSTER_PEER_ARMADA_COST_H_
#define MUSTER_PEER_ARMADA_COST_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/peer/armada/cluster.h"

namespace muster::armada {

class Cost {
 public:
  Cost(Amounts total, std::vector<double> multipliers)
      : total_(std::move(total)), multipliers_(std::move(multipliers)) {}

  double Of(absl::Span<const int64_t> amounts) const {
    return Of(amounts, [&](size_t r) { return amounts[r]; });
  }
  double OfSum(absl::Span<const int64_t> a, absl::Span<const int64_t> b) const {
    return Of(a, [&](size_t r) { return a[r] + b[r]; });
  }
  double OfSum(absl::Span<const int64_t> a, absl::Span<const int64_t> b,
               absl::Span<const int64_t> c) const {
    return Of(a, [&](size_t r) { return a[r] + b[r] + c[r]; });
  }

  // Whether the pool has nothing at all.
  bool empty() const;

 private:
  template <class Amount>
  double Of(absl::Span<const int64_t> amounts, const Amount& amount) const {
    double most = 0;
    for (size_t r = 0; r < amounts.size(); ++r) {
      if (total_[r] == 0) continue;
      const double share = static_cast<double>(amount(r)) / static_cast<double>(total_[r]);
      const double cost = share * multipliers_[r];
      if (cost > most) most = cost;
    }
    return most;
  }

  Amounts total_;
  std::vector<double> multipliers_;
};

struct Claim {
  double weight = 1;
  double demand = 0;  // as a share of the pool
};

// Returns the shares of claims, which are in the order of their queues' names. Cost: at most ten
// passes over them.
std::vector<Shares> DivideShares(const std::vector<Claim>& claims, double weight_sum);

// Returns the claim of a queue: its demand costs 1 in a pool that has nothing.
Claim ClaimOf(const Queue& queue, const Cost& cost);

// Returns the share of a new queue of unlimited demand. `priority_factor` is the inverse of its
// weight.
double TheoreticalShare(std::vector<Claim> claims, double weight_sum, double priority_factor);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_COST_H_
