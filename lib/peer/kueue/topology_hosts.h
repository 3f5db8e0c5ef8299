// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's nodes as hosts of topologies, with what tasks take of them.
//
//   std::vector<TopologyHost> hosts = ReadHosts(context.tables);   // empty: there is no topology
//   TopologyWorld topology(world, hosts);
//
// Nodes that belong to no flavor with a topology are left out. A task on a node counts there, but
// for tasks of groups that hold places: these count in their places, wherever they run.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_HOSTS_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_HOSTS_H_

#include <vector>

#include "lib/model/tables.h"
#include "lib/peer/kueue/topology_world.h"

namespace muster::kueue {

// O(nodes + tasks), and O(flavors) without topologies.
std::vector<TopologyHost> ReadHosts(const Tables& tables);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_HOSTS_H_
