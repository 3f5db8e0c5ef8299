// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Requests, labels and taints of one node.
#include "lib/peer/koordinator/rebalance/node_room.h"

#include <algorithm>

#include "lib/kube/selectors.h"
#include "lib/peer/koordinator/colocation/cpu_memory.h"
#include "lib/peer/koordinator/rebalance/eviction_order.h"

namespace muster::koordinator {
namespace {

// What is left of a resource, in thousandths. All but CPU count in whole units, rounded up.
int64_t LeftOf(const NodeRoom& room, const std::string& resource) {
  const int64_t has = AmountOf(room.allocatable, resource);
  const int64_t used = AmountOf(room.requested, resource);
  return resource == "cpu" ? has - used : (WholeUnits(has) - WholeUnits(used)) * 1000;
}

}  // namespace

bool HasRoomFor(const MovableTask& task, const NodeRoom& room) {
  if (room.node.unschedulable || !MatchesNode(task.shape, room.node)) return false;
  if (FirstUntolerated(task.shape, room.node) != nullptr) return false;
  return std::all_of(task.requests.begin(), task.requests.end(), [&](const auto& request) {
    const bool is_listed =
        request.first == "cpu" || request.first == "memory" || request.first == "pods" ||
        std::any_of(room.allocatable.begin(), room.allocatable.end(),
                    [&](const auto& amount) { return amount.first == request.first; });
    return request.second <= (is_listed ? LeftOf(room, request.first) : 0);
  });
}

bool AnyHasRoomFor(const MovableTask& task, std::span<const NodeRoom> rooms, bool skips_own) {
  return std::any_of(rooms.begin(), rooms.end(), [&](const NodeRoom& room) {
    return !(skips_own && room.node.name == task.node) && HasRoomFor(task, room);
  });
}

}  // namespace muster::koordinator
