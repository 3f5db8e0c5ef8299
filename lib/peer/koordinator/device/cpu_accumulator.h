// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses the logical CPUs that a task gets exclusively.
//
//   CpuRequest request{.count = 8, .bind = CpuBind::kFullCores};
//   std::optional<CpuSet> cpus = TakeCpus(machine, use, available, request);   // "0-3,64-67"
//
// Idea. The nearest is best: one zone that has room, else one socket, else the fewest sockets.
// Within them whole cores are taken (kFullCores), or one CPU of each core in turn (kSpread). Where
// machines have one CPU a core, whole cores are looked for in both cases. CPUs that no rule found
// room for are taken one by one, nearest to those already taken.
//
// Exclusion. A task may request not to share a core, or a zone, with other tasks that request the
// same. It shares only if nothing else is left.
//
// Order. Of several zones or sockets with room: the one with the most free CPUs (kMostFree) or the
// fewest (kFewestFree); for zones then the socket by the same rule; then the smaller number.
// Within: fewest sharers where CPUs may be shared, then the smaller core, then the smaller CPU.
//
// Guarantee. If at least `count` CPUs are available, the answer has at least as many. It depends on
// no order but the above.
//
// Peer. Koordinator's CPU accumulator, ids included. One oddity is kept: when whole cores are
// gathered from several sockets, each of the last sockets gives at least a core. With three sockets
// or more the answer may therefore be some CPUs larger than the request.
//
// Cost. It counts the available CPUs once or a few times: with 256 CPUs, about a microsecond. Only
// the last resort sorts cores.
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_CPU_ACCUMULATOR_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_CPU_ACCUMULATOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/fit/cpu_set.h"
#include "lib/fit/cpu_topology.h"

namespace muster {

enum class CpuBind : uint8_t { kFullCores, kSpread };
enum class CpuExclusive : uint8_t { kNone, kCore, kZone };
enum class ZoneOrder : uint8_t { kMostFree, kFewestFree };

struct CpuRequest {
  int count = 0;
  CpuBind bind = CpuBind::kFullCores;
  CpuExclusive exclusive = CpuExclusive::kNone;
  ZoneOrder order = ZoneOrder::kMostFree;
};

// The CPUs that the tasks of a machine have.
struct CpuUse {
  CpuSet core_exclusive, zone_exclusive;  // held by tasks that requested exclusion
  // The number of tasks on each CPU, where several may share one; empty where none may. A CPU
  // beyond the end has none.
  std::vector<int32_t> sharers;
};

// Returns the CPUs to take, all of them in `available`; nothing when fewer are available than
// requested.
std::optional<CpuSet> TakeCpus(const CpuTopology& topology, const CpuUse& use,
                               const CpuSet& available, const CpuRequest& request);

// As TakeCpus, but takes CPUs of `preferred` first (those that were set aside for this task).
std::optional<CpuSet> TakePreferredCpus(const CpuTopology& topology, const CpuUse& use,
                                        const CpuSet& available, const CpuSet& preferred,
                                        const CpuRequest& request);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_CPU_ACCUMULATOR_H_
