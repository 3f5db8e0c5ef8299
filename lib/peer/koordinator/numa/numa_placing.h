// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Takes amounts and CPUs of NUMA zones for one task.
//
//   NumaRequest request{.amounts = amounts, .cpus = 4, .binds = true, .zones = 0b01};
//   ZoneAnswer answer = PlaceInZones(node, books, request, {});
//   if (answer.ok()) answer.grant.cpus ...
//
// Idea. Amounts are spread evenly over the zones asked for: the zone with the least left gives its
// part first, and the last one gives the rest. Where the task gets CPUs of its own, they come zone
// by zone, as many as the zone's amount of cpu. A required policy counts and takes only the CPUs
// that it may use: all CPUs of idle cores, or the first idle CPU of each core.
//
// Reuse. What others would give back (owners of a reservation, victims) is in NumaReuse: amounts
// that count as not held, CPUs that are preferred, CPUs that are free once their tasks leave, and,
// where a reservation must provide all, the only amounts that may be taken.
//
// Peer. Koordinator's resourceManager.Allocate. Surprises: zones are ordered by the amounts of the
// zones with the numbers of the places being sorted, which is right for zones 0 and 1 only. CPUs
// are split with the request before amplification, although zones are amplified. A resource that no
// zone names is never missing.
//
// Cost. O(zones x resources), and a choice of CPUs in each zone.
#ifndef MUSTER_PEER_KOORDINATOR_NUMA_NUMA_PLACING_H_
#define MUSTER_PEER_KOORDINATOR_NUMA_NUMA_PLACING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/peer/koordinator/cpu/cpu_binding.h"
#include "lib/peer/koordinator/numa/numa_books.h"

namespace muster {

struct NumaRequest {
  Sparse amounts;  // as requested, not amplified
  int cpus = 0;    // whole ones
  bool binds = false;
  BindPolicy policy = BindPolicy::kUnset;
  bool required = false;  // the policy
  CpuExclusive exclusive = CpuExclusive::kNone;
  ZoneOrder order = ZoneOrder::kMostFree;
  std::optional<uint64_t> zones = {};  // bit i: the zone numbered i. Nothing: no zone is asked for
};

struct NumaReuse {
  ZoneAmounts reusable = {};
  ZoneAmounts required = {};  // empty: what zones have left
  CpuSet preferred = {};
  CpuSet preemptible = {};
};

enum class NumaReason : uint8_t {
  kNone,
  kNoZones,     // the node has none; as all reasons up to kNoTopology, no eviction helps
  kFraction,    // CPUs of their own are whole ones
  kConflict,    // node and task require different policies of CPUs
  kHalfCores,   // full cores, but no multiple of a core's threads
  kZonePolicy,  // node and task have different policies of zones
  kNoTopology,  // the node's CPUs are not known
  kFewAmplified,
  kFewInZones,
  kFewCpus,
  kFewForPolicy,  // the CPUs that were chosen do not keep a required policy
  kUnaligned,     // no set of zones satisfies the policy
  kNotNominated,
  kNotReserved,  // the task must come from a reservation
};
inline bool EvictionMayHelp(NumaReason reason) { return reason > NumaReason::kNoTopology; }

struct NumaGrant {
  ZoneAmounts amounts = {};  // none is zero
  CpuSet cpus = {};
};

struct ZoneAnswer {
  NumaGrant grant = {};
  NumaReason reason = NumaReason::kNone;
  uint64_t lacking = 0;  // kFewInZones: the resources

  bool ok() const { return reason == NumaReason::kNone; }
};

ZoneAnswer PlaceInZones(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
                        const NumaReuse& reuse);

// Lowers the cpu of zones to the CPUs that a required policy may use; leaves other policies alone.
void TrimToPolicy(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
                  const NumaReuse& reuse, ZoneAmounts* amounts);

// Returns the sum of amounts over the zones of a set.
Sparse SumOfZones(const ZoneAmounts& amounts, uint64_t zones);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_NUMA_NUMA_PLACING_H_
