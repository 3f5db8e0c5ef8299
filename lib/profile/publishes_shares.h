// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether the shares of a plan are those of a policy, or zeros that no policy wrote.
//
//   if (PublishesShares(snapshot, profile, options.extensions.get())) ... plan.shares() ...
#ifndef MUSTER_PROFILE_PUBLISHES_SHARES_H_
#define MUSTER_PROFILE_PUBLISHES_SHARES_H_

#include <string_view>

#include "muster/policy.h"
#include "muster/snapshot.h"

namespace muster {

// Returns whether a policy of the profile publishes shares of the snapshot's queues. True also
// where only a cycle has the shares. `extensions` may be null.
// REQUIRES: the profile makes plans of the snapshot.
// Cost. As a question of what_if.h.
bool PublishesShares(const Snapshot& snapshot, std::string_view profile,
                     const Extensions* extensions);

}  // namespace muster

#endif  // MUSTER_PROFILE_PUBLISHES_SHARES_H_
