// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes, resources and shapes of the cluster's tables, as a round reads them.
//
//   const std::vector<DimensionIndex> dimensions = ReadResources(tables, config, &state);
//   const std::vector<int> place_of = ReadNodes(tables, config, dimensions, &world);   // by node
//   FillBooks(tables, ledger, place_of, &world);   // once the jobs are read
//
// A node of the pool has a place, and so has one of a pool of which it may use the nodes; -1 stands
// for the others.
// What is held by tasks that the round does not know is taken from a node's allocatable amounts.
//
// Surprises. A node that holds more than it has is marked, and its evicted jobs come back whatever
// they request. An unschedulable node without jobs has nothing, so it adds nothing to the pool.
#ifndef MUSTER_PEER_ARMADA_READ_NODES_H_
#define MUSTER_PEER_ARMADA_READ_NODES_H_

#include <string>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/armada/config.h"
#include "lib/peer/armada/read_world.h"

namespace muster::armada {

// Writes resources, indexed ones, multipliers and floating limits. Returns the dimension of each.
std::vector<DimensionIndex> ReadResources(const muster::Tables& tables, const Config& config,
                                          State* state);

Shape ReadShape(const muster::Tables& tables, ClassIndex task_class, int priority_class,
                const std::vector<DimensionIndex>& dimensions);

// Returns the pool of each node.
std::vector<std::string> ReadPools(const muster::Tables& tables);

// Returns whether a task may ask for nodes by their names, which are labels then.
bool NamesNodes(const muster::Tables& tables);

std::vector<int> ReadNodes(const muster::Tables& tables, const Config& config,
                           const std::vector<std::string>& pools, World* world);

// Writes what is free on each node, what the pool has in total, and World::others.
// REQUIRES: the state has its buckets, and its nodes the jobs that they hold.
void FillBooks(const muster::Tables& tables, const Ledger& ledger, const std::vector<int>& place_of,
               World* world);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_READ_NODES_H_
