// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The queue tree, made from its configuration and changed by a new one.
#ifndef MUSTER_PEER_YARN_FAIR_QUEUE_TREE_H_
#define MUSTER_PEER_YARN_FAIR_QUEUE_TREE_H_

#include <vector>

#include "lib/peer/yarn/fair/cluster.h"
#include "lib/peer/yarn/fair/config.h"

namespace muster::yarn::fair {

// Fills the queues and leaves of `cluster`. REQUIRES: CheckQueues() and CheckPolicies().
void BuildQueues(Cluster& cluster, const std::vector<QueueConfig>& configs);

// Gives all queues new settings. Policies are set from the leaves up. That stops at the first
// policy that is not allowed below the one of its parent; those set before it stay set.
// REQUIRES: `configs` lists the same paths, CheckQueues().
void ReloadQueues(Cluster& cluster, const std::vector<QueueConfig>& configs);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_QUEUE_TREE_H_
