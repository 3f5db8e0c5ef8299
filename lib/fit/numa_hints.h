// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// On which NUMA zones all resources of a task go, from what each resource can do.
//
//   NumaHints cpus = {{{.zones = 0b01, .preferred = true}, {.zones = 0b11}}};
//   NumaHints gpus = {{{.zones = 0b10, .preferred = true}, {.zones = 0b11}}};
//   MergeHints(NumaPolicy::kRestricted, 0b11, {{cpus, gpus}});   // zone 0, not preferred: refused
//
// Idea. A hint is a set of zones from which one resource could come. It is preferred if no smaller
// set could ever do. One hint of each resource makes a candidate: their common zones, preferred if
// all of them are. The best candidate is a preferred one, then the one of fewest zones, then the
// one of the lowest zones.
//
// Policies:
// - kNone merges nothing and admits all.
// - kBestEffort admits all.
// - kRestricted admits a preferred result.
// - kSingleZone reads only preferred hints of a single zone (and "any, preferred"), and admits a
//   preferred result.
//
// If no candidate has a zone, the result is the whole machine, not preferred. A resource without a
// constraint takes no part. A resource without any hint cannot be had, and makes the result "any,
// not preferred".
//
// Rules. Those of the kubelet's topology manager.
//
// Cost. Of k resources with h hints each there are h^k candidates, and they are not enumerated.
// Only the sets that can come out matter, and sets of z zones are 2^z. Per resource, sums over
// supersets turn "which intersections occur" into a product: k * z * 2^z steps. With eight zones
// that is less than a hundredth of two full lists' candidates. One resource alone costs h.
#ifndef MUSTER_FIT_NUMA_HINTS_H_
#define MUSTER_FIT_NUMA_HINTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace muster {

enum class NumaPolicy : uint8_t { kNone, kBestEffort, kRestricted, kSingleZone };

struct NumaHint {
  std::optional<uint64_t> zones = {};  // bit i: the zone numbered i. Nothing: any
  bool preferred = false;

  friend bool operator==(const NumaHint&, const NumaHint&) = default;
};

// The hints of one resource. nullopt: it has no constraint. An empty list: it cannot be had.
using NumaHints = std::optional<std::vector<NumaHint>>;

struct NumaChoice {
  NumaHint hint;
  bool admitted = false;
};

inline constexpr int kMostNumaZones = 16;  // of one machine; kubelets refuse more than 8

// `zones`: those of the machine. Refuses more than kMostNumaZones.
absl::StatusOr<NumaChoice> MergeHints(NumaPolicy policy, uint64_t zones,
                                      std::span<const NumaHints> resources);

}  // namespace muster

#endif  // MUSTER_FIT_NUMA_HINTS_H_
