// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which devices of a node a task of KAI Scheduler gets parts of.
//
//   if (auto choice = ChooseKaiDevices(&world, shape, node, /*pipeline_only=*/false)) {
//     pod->devices = choice->groups;   // as many as the task asks for, all different
//   }
//
// Idea. Candidates are the groups with room, and as many whole devices as are idle or releasing.
// They are ordered by a score, and the first ones are taken. A whole device becomes a new group.
//
// Peer. A device that has room only because something leaves makes all of the task wait, and so
// does a node with other resources that are not free yet. Whole devices are counted by cutting off
// fractions of idle and of releasing ones, each for itself.
//
// Ties. The group with the smaller number, then whole devices.
//
// Cost. O(groups + devices).
#ifndef MUSTER_PEER_KAI_DEVICE_CHOICE_H_
#define MUSTER_PEER_KAI_DEVICE_CHOICE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/peer/kai/world.h"

namespace muster {

struct KaiDeviceChoice {
  std::vector<uint32_t> groups;
  bool releasing = false;  // the task waits for something that leaves
};

std::optional<KaiDeviceChoice> ChooseKaiDevices(KaiWorld* world, const KaiShape& shape,
                                                uint32_t node, bool pipeline_only);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_DEVICE_CHOICE_H_
