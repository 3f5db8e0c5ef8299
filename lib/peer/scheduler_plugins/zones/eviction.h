// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption that knows zones: what zones would have if victims left, and whether a pod then fits.
//
//   const Placements placements = ReadPlacements(report, pods);
//   FilterByZones(cached, placements, victims, pod, on_machine);   // reason, mark
//
// Placements. A node with policy single-numa-node tells in which zone each container with exclusive
// resources is. Containers are known by hashes. The report lists them for all zones but the busiest
// one, as positions in the ascending list of hashes: each position less the one before, written in
// an alphabet of 89 characters. So the placements can be read only if the same containers are known
// here. If their number differs, or anything else in the report does not fit, there are none.
//
// Eviction. What main containers of the victims request and hold exclusively returns to their
// zones. Nothing to return, or more than a zone may have, makes the trial fail, and the pod does
// not fit. Without placements the report counts as it is.
//
// A pod that does not fit marks its node as maybe over-reserved, but not while victims are tried.
//
// Hashes may collide, as the peer's may. Cost: O(containers log containers).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_EVICTION_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_EVICTION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/scheduler_plugins/zones/zone_cache.h"

namespace muster::scheduler_plugins {

// Zones by hash of a container.
using Placements = std::map<uint64_t, int>;

uint64_t ContainerHash(std::string_view name_space, std::string_view pod, std::string_view name);
// Returns an empty map if there are none, or if they cannot be read.
Placements ReadPlacements(const NodeReport& report, std::span<const NodePod> pods);

struct Victim {
  PodName name;
  PodView view;
};
// `placements`: null if there never were any. Fails with FailedPrecondition, in the peer's words,
// if the eviction cannot be tried.
absl::StatusOr<NodeReport> AfterEviction(const NodeReport& report, std::span<const Victim> victims,
                                         const Placements* placements);

// Pods that are tried as victims of one node.
class EvictionTrial {
 public:
  // Without a start, Remove and Return fail with NotFound.
  void Start() { pods_.emplace(); }
  absl::Status Remove(const Victim& victim);
  absl::Status Return(const PodName& pod);
  bool is_started() const { return pods_.has_value(); }
  std::vector<Victim> victims() const;

 private:
  std::optional<std::map<std::string, Victim>> pods_;  // by "namespace/name"
};

struct ZoneVerdict {
  std::string reason;  // in the peer's words; empty: the pod fits
  bool marks_over_reserved = false;
};
// `on_machine`: the resources that the node has at all.
absl::StatusOr<ZoneVerdict> FilterByZones(const CachedReport& cached, const Placements& placements,
                                          std::span<const Victim> victims, const PodView& pod,
                                          const ResourceNames& on_machine);

// Reads a setting; absent: disabled. Returns nothing for any other word.
std::optional<bool> PreemptsByZones(std::optional<std::string_view> word);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_EVICTION_H_
