// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// CPUs and NUMA hints as a kubelet's static CPU manager would give them.
//
//   absl::StatusOr<StaticCpus> machine =
//       StaticCpus::Make({{.cpu = 0, .core = 0, .zone = 0, .socket = 0}, ...});
//   const CpuSet usable = machine->WithoutReserved(free, /*milli=*/1500);
//   std::vector<NumaHint> hints = machine->Hints(usable, 4);
//   CpuSet cpus = machine->Allocate(usable, best_hint, 4);
//
// Idea. Hints: every set of zones with enough free CPUs, preferred if no smaller set of zones would
// have enough CPUs even when empty. Allocation: of the hint's zones first, then of the others, each
// time whole sockets, then whole cores, then single CPUs.
//
// Rules. The kubelet's accumulator, kept with its surprises:
// - "Whole" sockets and cores are what is free of them. A socket (core) is only looked at if some
//   free CPU has its number, which is an accident.
// - Numbers of cores count in the machine when cores are taken, although exporters report them by
//   socket. So cores of one number in two sockets are one core.
// - Single CPUs come from cores sorted by five conditions joined with "or", which is no order. They
//   are sorted as Go's sort would (lib/base/go_sort.h), so that the ids agree.
// - Sockets are sorted likewise, but from a random start. Here the start is ascending, which gives
//   what the kubelet's comment promises: fewer free cores first, then the smaller number.
//
// Guarantee. Take returns at least as many CPUs as requested, all of them free, or none. It returns
// more only where sockets or cores are of different sizes.
//
// Cost. Take reads the free CPUs once; 64 of 256 take about a microsecond. Hints: 2^zones.
// FirstZone reads the free CPUs once.
#ifndef MUSTER_FIT_STATIC_CPUS_H_
#define MUSTER_FIT_STATIC_CPUS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/fit/cpu_set.h"
#include "lib/fit/cpu_topology.h"
#include "lib/fit/numa_hints.h"

namespace muster {

class StaticCpus {
 public:
  // Refuses numbers below 0 or above 8191, zones above 63, more than kMostNumaZones of them, a CPU
  // named twice. A machine without CPUs is valid.
  static absl::StatusOr<StaticCpus> Make(std::span<const LogicalCpu> cpus);

  const CpuSet& cpus() const { return cpus_; }
  uint64_t zones() const { return zones_; }
  uint64_t ZonesOf(const CpuSet& cpus) const;  // of those that the machine has

  // Returns at least `count` of the free CPUs (more only where sockets or cores differ in size), or
  // nothing if fewer are free.
  std::optional<CpuSet> Take(const CpuSet& free, int count) const;

  // Returns `free` without the CPUs reserved for the system: `milli` thousandths, rounded up, and
  // always the same CPUs, whether they are free or held.
  CpuSet WithoutReserved(const CpuSet& free, int64_t milli) const;

  // Returns hints by number of zones, then from the lowest zones on.
  std::vector<NumaHint> Hints(const CpuSet& free, int count) const;

  // The short way to the best hint. Returns whether an empty zone has so many CPUs: then the
  // preferred hints are the single zones with enough free CPUs. FirstZone returns the lowest of
  // them.
  bool FitInOneZone(int count) const { return count >= 1 && count <= largest_zone_; }
  std::optional<int> FirstZone(const CpuSet& free, int count) const;

  // Returns CPUs of the hint's zones first, then of others. Empty if there are not enough in all.
  CpuSet Allocate(const CpuSet& free, const NumaHint& hint, int count) const;

 private:
  // A core, as far as it lies in a socket.
  struct Place {
    int socket = 0, core = 0;
    uint32_t begin = 0, end = 0;  // of `cpus_of_places_`
  };

  StaticCpus() = default;
  // REQUIRES: ascending, not empty.
  void Index(std::vector<LogicalCpu> cpus);

  class Taker;

  CpuSet cpus_;
  uint64_t zones_ = 0;
  int per_socket_ = 0, per_core_ = 0;             // on average, rounded down
  std::vector<int> core_of_, socket_of_;          // of each CPU: index into the next three
  std::vector<uint8_t> zone_of_;                  // of each CPU
  std::vector<int> core_number_, socket_number_;  // ascending
  std::vector<int> core_socket_;                  // of the core's first CPU
  std::vector<Place> places_;                     // by socket, then core
  std::vector<int> cpus_of_places_;
  std::vector<int> cpus_of_cores_, core_begin_;  // ascending within a core
  int largest_zone_ = 0;                         // CPUs of the zone that has most
};

}  // namespace muster

#endif  // MUSTER_FIT_STATIC_CPUS_H_
