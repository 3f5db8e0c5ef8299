// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The part of a leaf's past that decisions read and that its containers and applications do not
// determine.
#ifndef MUSTER_PEER_YARN_CAPACITY_LEAF_PAST_H_
#define MUSTER_PEER_YARN_CAPACITY_LEAF_PAST_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

// The running sum of what users hold of one partition.
struct RatioSum {
  Resource total;  // of the partition, which ratios are parts of
  float sum = 0;
  std::vector<std::pair<std::string, float>> ratios;  // of users that hold any
};

struct LeafPast {
  Resource guaranteed, most;  // of the default partition, when the limits were computed
  Resource current_limit, headroom_limit;
  int64_t pending_only = 0;    // users, as of the last limit of users
  std::vector<RatioSum> sums;  // by partition
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_LEAF_PAST_H_
