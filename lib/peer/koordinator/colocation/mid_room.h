// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Room for the mid band: what production has requested and will not use.
//
//   CpuMemory room = MidRoom(node, measured, {.unallocated_percent = 10});
//
// Idea. A predictor reports what production will not need. As much of it as is idle now, plus a
// part of what production has not requested, is room; a percentage of the capacity bounds it. In
// the static mode the room is a percentage of the capacity, with the same bound.
//
// Peer. Koordinator's mid resources. Where it surprises:
// - Without a prediction the first part is zero, and the second part remains.
// - An incomplete measurement of the node counts as a node without idle room.
// - Batch work counts against the idle room and not against what is unallocated.
// - Memory counts in whole bytes, CPU in thousandths of a core. Both are cut after each product.
//
// Cost. O(tasks).
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_MID_ROOM_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_MID_ROOM_H_

#include <cstdint>

#include "lib/peer/koordinator/colocation/node_view.h"

namespace muster::koordinator {

// All in percent.
struct MidRules {
  bool is_static = false;
  int64_t static_cpu_percent = 0, static_memory_percent = 0;
  int64_t most_cpu_percent = 100, most_memory_percent = 100;
  int64_t unallocated_percent = 0;  // of what production has not requested
};

CpuMemory MidRoom(const NodeView& node, const Measurement& measured, const MidRules& rules);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_MID_ROOM_H_
