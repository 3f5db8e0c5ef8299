// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fair shares of one resource type: how much of a total each sibling deserves.
//
//   const std::vector<ShareClaim> claims = {{.weight = 2}, {.weight = 1, .max = 10}};
//   ComputeShares(claims, 45);  // {35, 10}
//
// One ratio of resource to weight is searched such that the siblings' shares add up to the total.
// A share is the sibling's weight times the ratio, but no less than its minimum and no more than
// its maximum.
//
// Surprises. The search ends after 25 halvings and takes the upper bound. Therefore the shares may
// add up to more than the total: three equal siblings get 4 of 10 each. Minimum shares are granted
// even where they exceed the total.
#ifndef MUSTER_PEER_YARN_FAIR_FAIR_SHARES_H_
#define MUSTER_PEER_YARN_FAIR_FAIR_SHARES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/math.h"

namespace muster::yarn::fair {

struct ShareClaim {
  float weight = 1;
  int64_t min = 0;
  int64_t max = kMaxQuantity;
  bool active = true;  // false: the share is 0
};

// Returns the share of each claim, in the order of `claims`. Each of some sixty steps of the search
// visits all claims once.
std::vector<int64_t> ComputeShares(absl::Span<const ShareClaim> claims, int64_t total);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_FAIR_SHARES_H_
