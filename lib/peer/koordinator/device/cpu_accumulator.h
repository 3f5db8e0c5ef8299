// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which logical CPUs a task gets for itself.
//
//   CpuRequest request{.count = 8, .bind = CpuBind::kFullCores};
//   std::optional<CpuSet> cpus = TakeCpus(machine, use, available, request);   // "0-3,64-67"
//
// Idea. The nearest is best: one zone that has room, else one socket, else as few sockets as will do. Within them
// whole cores (kFullCores), or one CPU of each core in turn (kSpread). Where machines have one CPU a core, whole
// cores are looked for in both cases. CPUs that no rule could find room for are taken one by one, nearest to those
// already taken.
// Exclusion. A task may ask not to share a core, or a zone, with others that ask the same; only if nothing else is
// left it does.
// Order. Of several zones or sockets with room: the one with the most free CPUs (kMostFree) or the fewest
// (kFewestFree), for zones then the socket by the same rule, then the smaller number. Within: fewest sharers where
// CPUs may be shared, then the smaller core, then the smaller CPU.
// Guarantee. If there are as many available CPUs as asked for, the answer is that many; and nothing depends on any
// order but the above.
// Peer. Koordinator's CPU accumulator, ids and all. Its one oddity is kept: when whole cores are gathered from
// several sockets, each of the last sockets gives at least a core, so with three sockets or more the answer may be
// some CPUs larger than the request.
// Cost. Counting the available CPUs once or a few times: with 256 CPUs, about a microsecond. Only the last resort
// sorts cores.
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

// What the tasks of a machine have.
struct CpuUse {
  CpuSet core_exclusive, zone_exclusive;  // held by tasks that asked for it
  // How many tasks have each CPU, where several may; empty where only one may. A CPU beyond the end has none.
  std::vector<int32_t> sharers;
};

// The CPUs to take, all of them in `available`; nothing when fewer are available than asked for.
std::optional<CpuSet> TakeCpus(const CpuTopology& topology, const CpuUse& use,
                               const CpuSet& available, const CpuRequest& request);

// The same, but from `preferred` as far as that reaches (CPUs that were set aside for this task).
std::optional<CpuSet> TakePreferredCpus(const CpuTopology& topology, const CpuUse& use,
                                        const CpuSet& available, const CpuSet& preferred,
                                        const CpuRequest& request);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_CPU_ACCUMULATOR_H_
