// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which containers die for a starved application.
//
//   while (!cluster.starved.empty()) {
//     const PreemptedFor preempted = PreemptForNext(cluster);
//   }
//   KillDue(cluster);  // after the clock moved
//
// Guarantee. No application is brought below its fair share, counting all that is marked already.
// On a node containers of masters come last, and the node with the fewest masters is chosen.
//
// Surprises. How many containers an application needs is computed from memory alone. What does not
// make room for a whole container is not marked. An ask that is cut to what the starvation covers
// is no longer strict about its place.
#ifndef MUSTER_PEER_YARN_FAIR_PREEMPT_H_
#define MUSTER_PEER_YARN_FAIR_PREEMPT_H_

#include <vector>

#include "lib/peer/yarn/fair/cluster.h"

namespace muster::yarn::fair {

struct PreemptedFor {
  AppIndex app = kNone;
  Resource starvation;
  std::vector<ContainerName> containers;
};

// Marks containers for the next starved application. REQUIRES: there is one.
PreemptedFor PreemptForNext(Cluster& cluster);

// Ends the marked containers that are due, and returns those that still lived.
std::vector<ContainerName> KillDue(Cluster& cluster);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_PREEMPT_H_
