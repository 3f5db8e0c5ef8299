// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The queues of a pool: what they hold and demand, their limits and their shares.
//
//   ReadQueues(tables, config, &world);   // writes State::queues and the limits of the round
//   queues = MakeQueues(tables, config, world, state);   // once the sums have changed
//
// A queue takes part if it has a job of the pool. Jobs of other pools are in "<queue>-away", which
// has the same weight and demands nothing.
#ifndef MUSTER_PEER_ARMADA_READ_QUEUES_H_
#define MUSTER_PEER_ARMADA_READ_QUEUES_H_

#include <vector>

#include "lib/model/tables.h"
#include "lib/peer/armada/config.h"
#include "lib/peer/armada/read_world.h"

namespace muster::armada {

// Returns the queues of which the world has the sums, by name.
// REQUIRES: the state is the world's: its classes, resources and total are read.
std::vector<Queue> MakeQueues(const muster::Tables& tables, const Config& config,
                              const World& world, const State& state);

// REQUIRES: jobs, nodes and the total of the state are read, and jobs are counted.
void ReadQueues(const muster::Tables& tables, const Config& config, World* world);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_READ_QUEUES_H_
