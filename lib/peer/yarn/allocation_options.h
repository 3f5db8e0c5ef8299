// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Options min_memory, min_vcores, max_memory and max_vcores of actions.
//
//   if (absl::Status s = CheckAllocations("heartbeat", least, most); !s.ok()) return s;
#ifndef MUSTER_PEER_YARN_ALLOCATION_OPTIONS_H_
#define MUSTER_PEER_YARN_ALLOCATION_OPTIONS_H_

#include <string_view>

#include "absl/status/status.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

// Fails with InvalidArgument if an amount of the largest allocation is not 0, no limit, and below
// that of the least one: `action heartbeat, option max_memory: is 1024; must be 0, or at least
// min_memory, 4096`.
absl::Status CheckAllocations(std::string_view action, const Resource& least, const Resource& most);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_ALLOCATION_OPTIONS_H_
