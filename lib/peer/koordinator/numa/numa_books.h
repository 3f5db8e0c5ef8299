// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the NUMA zones of a machine have, and what tasks hold of them.
//
//   NumaNode machine{.cpus = topology, .zones = {{0, amounts}, {1, amounts}}, .cpu = kCpu};
//   NumaBooks books;
//   books.Hold(machine, {.task = "a", .cpus = cpus, .amounts = {{0, held}}});
//   books.Free(machine, {}).at(0);               // what zone 0 has left
//   books.FreeCpus(machine, {});                 // CPUs that one more task may have
//   books.StateOf(0);                            // ZoneState::kSingle
//
// Idea. A task holds CPUs of its own, amounts of zones, or both. The books add them up: CPUs with
// the number of their holders, amounts by zone. A task with CPUs of one zone makes that zone
// single; a task with CPUs of several zones makes each of them shared.
//
// Amounts are in thousandths of cpu and in whole units of other resources. Those of the machine are
// amplified; those of holdings are not.
//
// Peer. Koordinator's NodeAllocation. Surprises: a second Add of a task is ignored, whatever it
// holds. A CPU that is returned (`returned`) loses one holder for each set that names it. A CPU
// that the machine does not have counts as one of zone 0.
//
// Cost. O(CPUs + zones x resources) a call.
#ifndef MUSTER_PEER_KOORDINATOR_NUMA_NUMA_BOOKS_H_
#define MUSTER_PEER_KOORDINATOR_NUMA_NUMA_BOOKS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/fit/cpu_set.h"
#include "lib/fit/cpu_topology.h"
#include "lib/peer/koordinator/device/cpu_accumulator.h"
#include "lib/peer/koordinator/device/scored_hints.h"
#include "lib/share/sparse.h"

namespace muster {

// By the machine's number of the zone. A zone that is absent has nothing.
using ZoneAmounts = std::map<int, Sparse>;

struct NumaNode {
  struct Zone {
    int number = 0;
    Sparse amounts;  // amplified
  };

  std::optional<CpuTopology> cpus;  // nothing: not known
  std::vector<int> cpu_zones;       // the number of the zone of each CPU; -1: no such CPU
  std::vector<Zone> zones;          // ascending; empty: not known
  CpuSet reserved;                  // CPUs that no task may have
  int most_holders = 1;             // of a CPU
  double ratio = 1;                 // amplification of cpu
  size_t cpu = 0;                   // the number of resource cpu

  int zone_of(int number) const {
    const bool known = number >= 0 && static_cast<size_t>(number) < cpu_zones.size();
    return known && cpu_zones[static_cast<size_t>(number)] >= 0
               ? cpu_zones[static_cast<size_t>(number)]
               : 0;
  }
  CpuSet cpus_of_zone(int zone) const;
};

// Returns the machine's CPUs with their zones; zones, reserved CPUs and ratio are the caller's to
// add.
NumaNode NodeOfCpus(const CpuTopology& topology, std::span<const LogicalCpu> cpus);

struct NumaHolding {
  std::string task;
  CpuSet cpus = {};
  CpuExclusive exclusive = CpuExclusive::kNone;
  ZoneAmounts amounts = {};
};

// CPUs that are held, after some were returned.
struct HeldCpus {
  CpuSet all, full;  // full: as many holders as a CPU may have
  CpuUse use;        // for TakeCpus()
};

class NumaBooks {
 public:
  // Replaces what the task held; does nothing on a node of unknown CPUs.
  void Hold(const NumaNode& machine, NumaHolding holding);
  // Adds a task; a task that holds something already keeps that.
  void Add(const NumaNode& machine, NumaHolding holding);
  void Release(std::string_view task);

  // Returns what the task holds; null: nothing.
  const NumaHolding* Find(std::string_view task) const;
  ZoneState StateOf(int zone) const;
  // Returns the states of zones 0, 1, ... as MergeScoredHints() takes them.
  std::vector<ZoneState> States(size_t zones) const;

  HeldCpus Held(const NumaNode& machine, std::span<const CpuSet> returned) const;
  // Returns the CPUs that one more task may have.
  CpuSet FreeCpus(const NumaNode& machine, std::span<const CpuSet> returned) const;
  // Returns what each zone has left, and what is held of it, amplified. `reusable` counts as not
  // held. A zone of which nothing was ever held is absent from the second.
  ZoneAmounts Free(const NumaNode& machine, const ZoneAmounts& reusable) const;
  ZoneAmounts HeldAmounts(const NumaNode& machine, const ZoneAmounts& reusable) const;

 private:
  struct HeldCpu {
    int zone = 0;
    int holders = 0;
    CpuExclusive exclusive = CpuExclusive::kNone;  // of the latest
  };

  std::map<std::string, NumaHolding, std::less<>> holdings_;
  std::map<int, HeldCpu> cpus_;
  ZoneAmounts amounts_;
  std::map<int, int> single_, shared_;  // tasks, by zone
};

// Add and subtract amounts zone by zone; both take the resources of both sides.
void AddByZone(const ZoneAmounts& more, ZoneAmounts* amounts);
void SubtractByZone(const ZoneAmounts& less, ZoneAmounts* amounts);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_NUMA_NUMA_BOOKS_H_
