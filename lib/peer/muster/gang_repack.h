// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places for a gang of unlike tasks that found none in task order: another order, other nodes.
//
//   for (const FoundPlace& place : FindPlaces(context, gang, tasks, kNone, /*most_tries=*/200)) {
//     context.ledger.Move(place.task, place.waits ? TaskStatus::kNominated : TaskStatus::kPlaced,
//                         place.node);
//   }
//
// Each task of a gang takes the best node for itself, so a small one may sit where a large one
// alone would fit. This searches places for all that the gang still needs (lib/fit/gang_packing.h),
// first on what is idle, then on what will be. It does not search where too few tasks fit anywhere.
// Tasks come in task order, nodes in index order.
//
// Tasks that request devices go only where the node's devices suffice for all of them in some order
// of arrival (gang_devices.h). Places come in that order, so tasks that are placed in turn get the
// devices that were reckoned with. The caller checks the limits of queues, affinity between the
// tasks, and what zones have left, once there are places.
#ifndef MUSTER_PEER_MUSTER_GANG_REPACK_H_
#define MUSTER_PEER_MUSTER_GANG_REPACK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/muster/fair_gang.h"

namespace muster {

struct FoundPlace {
  TaskIndex task;
  NodeIndex node;
  bool waits = false;  // its devices are some that will be free: it must be nominated
};

// Returns places in the order in which they are to be taken; empty if none were found. `within`: a
// domain, or kNone for the whole cluster.
std::vector<FoundPlace> FindPlaces(ActionContext& context, const FairGang& gang,
                                   std::span<const TaskIndex> tasks, uint32_t within,
                                   int64_t most_tries);

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_GANG_REPACK_H_
