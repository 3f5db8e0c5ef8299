// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is recomputed from time to time, and stale in between: demands, fair shares, starvation.
//
//   UpdateDemands(cluster);       // from the applications up
//   UpdateFairShares(cluster);    // from the root down
//   UpdateStarvation(cluster);    // fills cluster.starved
//
// Surprises. Under policies fair and fifo only memory is divided; shares of vcores stay what they
// were, 0 at first. A fifo leaf gives its whole share to the application that started first, and
// the others keep the share that they had.
#ifndef MUSTER_PEER_YARN_FAIR_UPDATE_H_
#define MUSTER_PEER_YARN_FAIR_UPDATE_H_

#include "lib/peer/yarn/fair/cluster.h"

namespace muster::yarn::fair {

// Usage and all that is asked for anywhere; of queues at most their maximum.
void UpdateDemands(Cluster& cluster);

void UpdateFairShares(Cluster& cluster);

// Shares as if all queues had applications.
void UpdateSteadyShares(Cluster& cluster);

// Finds the applications that are below their fair share, or in a queue below its minimum share,
// for longer than the timeouts; nothing happens while the cluster has room.
void UpdateStarvation(Cluster& cluster);

// Which starved application is helped first: one that misses no more than the other. No order.
int CompareStarved(const Cluster& cluster, AppIndex a, AppIndex b);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_UPDATE_H_
