// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of the CPU accumulator: sets of numbers, everything sorted, nothing counted twice
// in a clever way.
#ifndef MUSTER_REFERENCE_PEER_KOORDINATOR_CPUS_H_
#define MUSTER_REFERENCE_PEER_KOORDINATOR_CPUS_H_

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace muster::reference {

struct CpuQuestion {
  struct Cpu {
    int cpu, core, zone, socket;  // cores by their number in the socket
  };
  std::vector<Cpu> machine;
  std::set<int> available, preferred;
  std::set<int> alone_in_core, alone_in_zone;  // CPUs held by tasks that asked for it
  bool shared = false;                         // several tasks may have a CPU
  std::map<int, int> sharers;
  int count = 0;
  bool full_cores = false, fewest_free = false;
  bool core_alone = false, zone_alone = false;  // what this task asks for
};

std::optional<std::set<int>> TakeCpus(const CpuQuestion& question);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KOORDINATOR_CPUS_H_
