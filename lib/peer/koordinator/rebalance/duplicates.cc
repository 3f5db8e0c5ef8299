// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/rebalance/duplicates.h"

#include "lib/base/hash_map.h"

namespace muster::koordinator {

std::vector<size_t> ExcessCopies(std::span<const WorkloadCopy> copies, size_t targets) {
  std::vector<size_t> excess;
  if (targets < 2) return excess;
  size_t total = 0;
  for (const WorkloadCopy& copy : copies) total += copy.may_leave;
  const size_t part = (total + targets - 1) / targets;
  HashMap<size_t, size_t> stays;  // by node
  for (size_t i = 0; i < copies.size(); ++i) {
    if (!copies[i].may_leave) continue;
    if (stays[copies[i].node] < part) {
      ++stays[copies[i].node];
    } else {
      excess.push_back(i);
    }
  }
  return excess;
}

}  // namespace muster::koordinator
