// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which core, NUMA zone and socket each logical CPU of a machine belongs to.
//
//   absl::StatusOr<CpuTopology> machine =
//       CpuTopology::Make({{.cpu = 0, .core = 0, .zone = 0, .socket = 0}, ...});
//   machine->core_of(0);   // cores are numbered anew: by socket, then by the machine's number
//
// The number of a core counts within its socket; those of CPUs, zones and sockets count in the
// machine. Zones and sockets are numbered anew as well, ascending, so a smaller number here is a
// smaller number of the machine.
#ifndef MUSTER_FIT_CPU_TOPOLOGY_H_
#define MUSTER_FIT_CPU_TOPOLOGY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/fit/cpu_set.h"

namespace muster {

struct LogicalCpu {
  int cpu = 0, core = 0, zone = 0, socket = 0;
};

class CpuTopology {
 public:
  // Refuses numbers below 0 or too large, a CPU named twice, a core in two zones, a machine without
  // CPUs.
  static absl::StatusOr<CpuTopology> Make(std::span<const LogicalCpu> cpus);

  const CpuSet& cpus() const { return cpus_; }
  int cores() const { return static_cast<int>(cores_.size()); }
  int zones() const { return static_cast<int>(zone_socket_.size()); }
  int sockets() const { return sockets_; }

  // REQUIRES: the machine has the CPU.
  int core_of(int cpu) const { return core_of_[static_cast<size_t>(cpu)]; }
  int zone_of(int core) const { return cores_[static_cast<size_t>(core)].zone; }
  int socket_of(int core) const { return cores_[static_cast<size_t>(core)].socket; }
  // Returns the zone's socket. For a zone that spans sockets (in a virtual machine, say), it is the
  // socket of its first core.
  int socket_of_zone(int zone) const { return zone_socket_[static_cast<size_t>(zone)]; }

  // On average, rounded down.
  int cpus_per_core() const { return cpus_per_core_; }
  int cpus_per_zone() const { return cpus_per_zone_; }
  int cpus_per_socket() const { return cpus_per_socket_; }

 private:
  struct Core {
    uint16_t zone, socket;
  };

  CpuTopology() = default;

  CpuSet cpus_;
  std::vector<uint16_t> core_of_;  // of each CPU
  std::vector<Core> cores_;
  std::vector<uint16_t> zone_socket_;
  int sockets_ = 0, cpus_per_core_ = 0, cpus_per_zone_ = 0, cpus_per_socket_ = 0;
};

}  // namespace muster

#endif  // MUSTER_FIT_CPU_TOPOLOGY_H_
