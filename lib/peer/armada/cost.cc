// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/cost.h"

#include <algorithm>
#include <limits>

namespace muster::armada {
namespace {

struct Filling {
  bool achieved = false;
  double spare = 0;
};

double WeightOfUnfilled(const std::vector<Claim>& claims, const std::vector<Filling>& fillings) {
  double weight = 0;
  for (size_t q = 0; q < claims.size(); ++q) {
    if (!fillings[q].achieved) weight += claims[q].weight;
  }
  return weight;
}

}  // namespace

bool Cost::empty() const {
  return std::ranges::all_of(total_, [](int64_t amount) { return amount == 0; });
}

std::vector<Shares> DivideShares(const std::vector<Claim>& claims, double weight_sum) {
  std::vector<Shares> shares(claims.size());
  std::vector<Filling> fillings(claims.size());
  for (size_t q = 0; q < claims.size(); ++q) shares[q].fair = claims[q].weight / weight_sum;
  double left = 1;
  for (int round = 0; round < 10 && left > 0.01; ++round) {
    const double weight = WeightOfUnfilled(claims, fillings);
    for (size_t q = 0; q < claims.size(); ++q) {
      const double own = claims[q].weight;
      const double all = fillings[q].achieved ? weight + own : weight;
      // A queue does not get back what it gave.
      shares[q].uncapped += own / all * (left - fillings[q].spare);
    }
    if (weight <= 0) break;
    for (size_t q = 0; q < claims.size(); ++q) {
      if (!fillings[q].achieved) shares[q].demand_capped += claims[q].weight / weight * left;
    }
    left = 0;
    for (size_t q = 0; q < claims.size(); ++q) {
      const double spare = shares[q].demand_capped - claims[q].demand;
      fillings[q].spare = 0;
      if (spare > 0) {
        shares[q].demand_capped = claims[q].demand;
        fillings[q] = {.achieved = true, .spare = spare};
        left += spare;
      }
    }
  }
  return shares;
}

Claim ClaimOf(const Queue& queue, const Cost& cost) {
  return {queue.weight, cost.empty() ? 1.0 : cost.Of(queue.constrained_demand)};
}

double TheoreticalShare(std::vector<Claim> claims, double weight_sum, double priority_factor) {
  claims.push_back({1 / priority_factor, std::numeric_limits<double>::infinity()});
  return DivideShares(claims, weight_sum).back().demand_capped;
}

}  // namespace muster::armada
