// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places for a gang of unlike tasks that found none in task order: another order, other nodes.
//
// Each task of a gang takes the best node for itself, so a small one may sit where a large one alone would fit. This
// looks for places for all that the gang still needs (lib/fit/gang_packing.h), first on what is idle, then on what
// will be. Nothing is searched for where too few tasks fit anywhere at all. Tasks come in task order, nodes in index order.
// Tasks that ask for devices go only where those of the node would do for all of them in some order of arrival
// (gang_devices.h), and places come in that order: whoever takes them in turn gets the devices that were reckoned with.
// What queues allow, whether tasks bear each other, and what zones have left is for the caller to ask once there are places.
//
//   for (const FoundPlace& place : FindPlaces(context, gang, tasks, kNone, /*most_tries=*/200)) {
//     context.ledger.Move(place.task, place.waits ? TaskStatus::kNominated : TaskStatus::kPlaced, place.node);
//   }
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
  bool waits =
      false;  // its devices are some that will be free: it gets them only by being nominated
};

// In the order in which they are to be taken; empty: none found. `within`: a domain, kNone: anywhere.
std::vector<FoundPlace> FindPlaces(ActionContext& context, const FairGang& gang,
                                   std::span<const TaskIndex> tasks, DomainIndex within,
                                   int64_t most_tries);

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_GANG_REPACK_H_
