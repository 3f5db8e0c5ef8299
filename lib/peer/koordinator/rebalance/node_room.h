// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a task that leaves its node could run on another one.
//
//   NodeRoom room{.node = spec, .allocatable = amounts, .requested = sum};
//   if (HasRoomFor(task, room)) ...
//
// Idea. The part of a scheduler's filters that a descheduler looks at: labels, taints, requests,
// and whether the node takes tasks. Its scheduler may still decide otherwise.
//
// Peer. Koordinator's node fit. Where it surprises:
// - A task is counted twice on the node that holds it.
// - Only resources that the task names are compared, so the number of tasks never is.
// - A task that tolerates the mark of an unschedulable node is kept off it all the same.
//
// Cost. O(resources + labels + taints).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_NODE_ROOM_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_NODE_ROOM_H_

#include <span>
#include <string>

#include "lib/share/resource_names.h"
#include "muster/shape.h"
#include "muster/spec.h"

namespace muster::koordinator {

struct MovableTask {
  std::string node = {};       // that holds it
  TaskShape shape = {};        // selectors, affinity to nodes, tolerations
  NamedAmounts requests = {};  // in thousandths
};

struct NodeRoom {
  NodeSpec node = {};             // name, labels, taints, whether it takes tasks
  NamedAmounts allocatable = {};  // in thousandths
  NamedAmounts requested = {};    // by its tasks that have not ended
};

bool HasRoomFor(const MovableTask& task, const NodeRoom& room);
// Returns whether one of the rooms has room; `skips_own` leaves out the node that holds the task.
bool AnyHasRoomFor(const MovableTask& task, std::span<const NodeRoom> rooms, bool skips_own);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_NODE_ROOM_H_
