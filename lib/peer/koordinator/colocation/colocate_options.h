// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Options of action `colocate`: the strategy of co-location and the thresholds of the agents of
// nodes, with the peer's defaults.
//
//   absl::StatusOr<ColocateRules> rules = ReadColocateRules(options);
//
// Peer. ColocationStrategy and ResourceThresholdStrategy of a NodeSLO. A threshold that the peer
// leaves unset has a default that switches its rule off. Messages are the peer's where it has one.
//
// Cost. O(1).
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_COLOCATE_OPTIONS_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_COLOCATE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "lib/peer/koordinator/colocation/batch_room.h"
#include "lib/peer/koordinator/colocation/mid_room.h"
#include "lib/peer/koordinator/colocation/suppress.h"
#include "muster/policy.h"

namespace muster::koordinator {

struct ColocateRules {
  // Rooms.
  BatchRules batch = {};
  MidRules mid = {};
  int64_t degrade_minutes = 15;
  double change = 0.1;   // part of the old amount that is worth an update
  int64_t update = 300;  // seconds after which there is one
  // Evictions.
  int64_t suppress_percent = 65;
  std::optional<int64_t> suppress_least = {};
  std::optional<Satisfaction> satisfaction = {};  // absent: no evictions by it
  int64_t busy_percent = 90;
  bool by_allocatable = false;  // satisfaction looks at the node's batch room
  struct Threshold {
    int64_t percent = 0, lower = 0;
  };
  std::optional<Threshold> cpu = {}, memory = {};
  int64_t cpu_priority = 5999;               // tasks of this priority and below go by usage of cpu
  int64_t cooling = 20, memory_cooling = 4;  // seconds
};

std::span<const OptionDecl> ColocateOptions();

// Fails with InvalidArgument: `action colocate: option "satisfaction_low": ...`.
absl::StatusOr<ColocateRules> ReadColocateRules(const Options& options);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_COLOCATE_OPTIONS_H_
