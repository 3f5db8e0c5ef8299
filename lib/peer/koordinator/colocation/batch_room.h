// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Room for batch work: what tasks above it leave of a node, or of each of its zones.
//
//   BatchRules rules{.reclaim_percent = {60, 65}};
//   CpuMemory room = BatchRoom(node, measured, rules);
//   std::vector<CpuMemory> of_zones = BatchRoomOfZones(node, measured, rules);
//
// Idea. From the capacity go a margin, what the system needs, and what tasks above batch need. By
// policy the latter is their usage, their requests, or the larger of both task by task.
//
// - by usage: capacity - margin - max(system usage, reserved) - usage
// - by request: capacity - margin - reserved - requests
// - by the larger: capacity - margin - max(system usage, reserved) - sum of max(usage, request)
//
// A task that is not measured counts with its request. One with exclusive CPUs counts its requested
// CPUs and its used memory. One that is measured and not listed counts by its measured band.
//
// Peer. Koordinator's batch resources. Where it surprises:
// - In the sum of the larger, the node as a whole leaves tasks without a measurement out, and its
//   zones count them.
// - CPU knows no policy by request: it is then computed by usage.
// - System use and reservations are divided evenly over zones, each part rounded up.
//
// Cost. O(tasks * zones + measured).
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_BATCH_ROOM_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_BATCH_ROOM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/peer/koordinator/colocation/node_view.h"

namespace muster::koordinator {

enum class RoomPolicy : uint8_t { kUsage, kRequest, kLarger };

struct BatchRules {
  RoomPolicy cpu = RoomPolicy::kUsage, memory = RoomPolicy::kUsage;
  // How much of the capacity may be used at all, in percent; the rest is the margin.
  int64_t cpu_reclaim_percent = 60, memory_reclaim_percent = 65;
  // The most that batch work gets of the capacity, in percent; absent: unlimited.
  std::optional<int64_t> most_cpu_percent = {}, most_memory_percent = {};
};

CpuMemory BatchRoom(const NodeView& node, const Measurement& measured, const BatchRules& rules);

// Returns the room of each zone, in the order of `node.zones`.
std::vector<CpuMemory> BatchRoomOfZones(const NodeView& node, const Measurement& measured,
                                        const BatchRules& rules);

// Returns an amount's parts: equal ones for the zones in `bound` that exist, nothing for others.
// Without such a zone all of the `count` zones share it.
std::vector<CpuMemory> PartsOfZones(const CpuMemory& amount, const std::vector<int64_t>& bound,
                                    int64_t count);

// Returns the capacity that stays unused, by the two percentages of `rules`.
CpuMemory MarginOf(const CpuMemory& capacity, const BatchRules& rules);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_BATCH_ROOM_H_
