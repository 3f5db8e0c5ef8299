// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption for all pending pods of a group of gangs at once (gangs/gang_preemption.h), on the
// books of the scheduler.
//
//   const std::string why = WhyNoGangRoom(*world, cycle, *nominations, pods, never);
//   if (why.empty()) kube::JointPreemption joint = GangRoomFor(world, &cycle, pods, waiting);
//
// Filters are those of the cycle, of the pod that found no node: all pods of the group pass them as
// if they requested what it does, and count with their own requests once they are placed. The
// peer's filters see the state of that pod, too. Victims are the preemptable tasks of lower
// priority than it has, but for pods of its own group that wait with a node.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_GANG_ROOM_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_GANG_ROOM_H_

#include <string>
#include <vector>

#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::koordinator {

// Returns why the pods make no room now; empty: they may.
std::string WhyNoGangRoom(const kube::World& world, const kube::PodCycle& cycle,
                          const kube::Nominations& nominations, const std::vector<TaskIndex>& pods,
                          bool never);
// Returns places for the pods, or none and a message. `waiting`: pods of the group with a node.
// REQUIRES: none of `pods` is nominated.
kube::JointPreemption GangRoomFor(kube::World* world, kube::PodCycle* cycle,
                                  const std::vector<TaskIndex>& pods,
                                  const std::vector<TaskIndex>& waiting);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_GANG_ROOM_H_
