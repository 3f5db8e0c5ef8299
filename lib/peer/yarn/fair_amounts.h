// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts in the fair scheduler's settings: "4096 mb, 4 vcores", or one of the two; where the peer
// takes parts of the cluster, "40%" of both, or "50% mb, 4 vcores".
//
//   Resource most = kUnbounded;
//   AmountInPercent part;
//   if (!ReadFairAmount(text, &most, &part)) return Refuse(...);
//   most = InWhole(part, total, most);
#ifndef MUSTER_PEER_YARN_FAIR_AMOUNTS_H_
#define MUSTER_PEER_YARN_FAIR_AMOUNTS_H_

#include <optional>
#include <string_view>

#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

struct AmountInPercent {
  std::optional<double> memory, vcores;  // 0 to 1e6
};

// Amounts that the text does not have stay as they are. Items in percent go to `in_percent`; null:
// they are refused. Returns false if the text is none, or
// has a resource twice.
bool ReadFairAmount(std::string_view text, Resource* amount, AmountInPercent* in_percent);

// Returns the part of `total`, and of what is not in percent `otherwise`.
Resource InWhole(const AmountInPercent& part, const Resource& total, const Resource& otherwise);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_FAIR_AMOUNTS_H_
