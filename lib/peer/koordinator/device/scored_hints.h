// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NUMA hints with scores, and exclusive zones: how Koordinator's topology manager merges.
//
//   ScoredHints cpus = {{{.zones = 0b01, .preferred = true, .score = 70},
//                        {.zones = 0b10, .preferred = true}}};
//   MergeScoredHints(NumaPolicy::kRestricted, 0b11, {{cpus}}, {});   // zone 0, preferred: admitted
//
// Idea. As lib/fit/numa_hints.h, with more conditions for a candidate, which is one hint of each
// resource:
// - It is preferred only if all named sets of zones are the same.
// - It is unsatisfied if their common part is smaller than the largest of them, or if a part of it
//   is.
// - Its score is that of the hints that name just the common zones.
// The best candidate is a preferred one, then one of fewest zones. Of as many zones, a lower one
// beats the earlier ones, and so does one of a higher score, wherever it lies. The last rule makes
// the order count: resources come as given, hints in their lists' order.
//
// Exclusive zones. A task may request that no other task lies across its zone. With ZoneState per
// zone, two kinds of candidates are not preferred: one of a single zone that wider tasks share, and
// one of several zones of which a single task has one.
//
// Policies. kBestEffort admits all, and names all zones where the best is unsatisfied. kRestricted
// admits a preferred result. kSingleZone does, too, from preferred hints of one zone alone; a
// result of all zones there is "any". Both refuse a resource that is not available at all.
//
// Peer. Koordinator's frameworkext/topologymanager; maps of resources are random there.
//
// Cost. The number of combinations, less those of which an early part has no zone in common
// already.
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_SCORED_HINTS_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_SCORED_HINTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/fit/numa_hints.h"

namespace muster {

struct ScoredHint {
  std::optional<uint64_t> zones = {};  // bit i: the zone numbered i. Nothing: any
  bool preferred = false;
  bool unsatisfied = false;  // the zones do not have enough
  int64_t score = 0;

  friend bool operator==(const ScoredHint&, const ScoredHint&) = default;
};

// The hints of one resource. Nothing: any zone will do. An empty list: the resource is not
// available.
using ScoredHints = std::optional<std::vector<ScoredHint>>;

enum class ZoneState : uint8_t { kIdle, kSingle, kShared };

struct ScoredChoice {
  ScoredHint hint = {};
  bool admitted = false;
};

// `alone`: the state of each zone from 0 on, for a task that requests its zone exclusively; empty
// for others. Refuses more than 2^24 combinations.
absl::StatusOr<ScoredChoice> MergeScoredHints(NumaPolicy policy, uint64_t zones,
                                              std::span<const ScoredHints> resources,
                                              std::span<const ZoneState> alone);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_SCORED_HINTS_H_
