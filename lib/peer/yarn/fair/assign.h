// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One heartbeat of a node: which applications get containers on it.
//
//   HeartbeatWork work;
//   Heartbeat(cluster, node, &work);
//   for (const Allocation& allocation : work.allocations) ...
//
// Order. First the applications for which containers were preempted on the node, then the node's
// reservation, and only if there is no valid one the queue tree: each queue's children in the order
// of its policy, until one places or reserves a container.
#ifndef MUSTER_PEER_YARN_FAIR_ASSIGN_H_
#define MUSTER_PEER_YARN_FAIR_ASSIGN_H_

#include <cstdint>
#include <vector>

#include "lib/peer/yarn/fair/cluster.h"

namespace muster::yarn::fair {

struct Allocation {
  AppIndex app = kNone;
  uint32_t number = 0;
  ContainerIndex container = kNone;
};

// Results, and memory that the next heartbeat uses again.
struct HeartbeatWork {
  std::vector<Allocation> allocations;  // in the order in which they were made

  struct Visit {
    QueueIndex queue = kNone;
    Candidates candidates;
  };
  std::vector<Visit> visits;  // of the queue tree, from the root down
};

void Heartbeat(Cluster& cluster, NodeIndex node, HeartbeatWork* work);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_ASSIGN_H_
