// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which nodes the provisioning requests of admitted workloads would start.
//
//   const std::vector<int64_t> counts = KueueWantedNodes(demands);   // by type
//
// The peer makes one request for each workload that has quota and a check that asks for nodes; a
// cluster autoscaler then starts nodes for all of its pods, or for none. Workloads go in the order
// of the demands:
// 1. Its tasks go to nodes that are there or were started before, each to the first with room.
// 2. Tasks that are left go to new nodes of one type, the larger first: the type of which the new
//    nodes have the least unused. Unused is the part of cpu and the part of memory together.
// 3. A workload for which no single type has enough nodes gets none, and uses none.
//
// Checks are not looked at: what waits with quota wants nodes, and what waits for quota does not.
// Labels, taints, affinity and the number of tasks of a node are not looked at either, so nodes may
// hold less than was planned.
//
// Ties. Of types with equally little unused that of fewer nodes, then the first.
// Cost. O(tasks * nodes * dimensions), and the same over new nodes for each type.
#ifndef MUSTER_PEER_KUEUE_PROVISIONING_H_
#define MUSTER_PEER_KUEUE_PROVISIONING_H_

#include <cstdint>
#include <vector>

#include "lib/part/wanted_nodes.h"

namespace muster {

std::vector<int64_t> KueueWantedNodes(const NodeDemands& demands);

}  // namespace muster

#endif  // MUSTER_PEER_KUEUE_PROVISIONING_H_
