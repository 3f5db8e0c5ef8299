// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbering a machine's cores, zones and sockets.
#include "lib/fit/cpu_topology.h"

#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {

absl::StatusOr<CpuTopology> CpuTopology::Make(std::span<const LogicalCpu> cpus) {
  if (cpus.empty()) return absl::InvalidArgumentError("CPU topology: there is no CPU");
  CpuTopology made;
  std::map<std::pair<int, int>, int> cores;        // (socket, core) -> zone
  std::map<int, int> zones, sockets;               // machine's number -> ours
  std::set<std::pair<int, int>> zones_of_sockets;  // a zone that spans sockets counts in each
  for (const LogicalCpu& cpu : cpus) {
    for (int number : {cpu.cpu, cpu.core, cpu.zone, cpu.socket}) {
      if (number < 0 || number >= CpuSet::kMostCpus) {
        return absl::InvalidArgumentError(absl::StrCat("CPU topology: CPU ", cpu.cpu, ": ", number,
                                                       " is not in 0 .. ", CpuSet::kMostCpus - 1));
      }
    }
    if (made.cpus_.Contains(cpu.cpu)) {
      return absl::InvalidArgumentError(
          absl::StrCat("CPU topology: CPU ", cpu.cpu, " is named twice"));
    }
    made.cpus_.Add(cpu.cpu);
    const auto [core, added] = cores.try_emplace({cpu.socket, cpu.core}, cpu.zone);
    if (!added && core->second != cpu.zone) {
      return absl::InvalidArgumentError(absl::StrCat("CPU topology: core ", cpu.core, " of socket ",
                                                     cpu.socket, " is in zones ", core->second,
                                                     " and ", cpu.zone));
    }
    zones.try_emplace(cpu.zone, 0);
    sockets.try_emplace(cpu.socket, 0);
    zones_of_sockets.insert({cpu.socket, cpu.zone});
  }
  const auto number = [](auto& ids) {
    int next = 0;
    for (auto& [id, ours] : ids) ours = next++;
  };
  number(zones);
  number(sockets);
  made.zone_socket_.assign(zones.size(), UINT16_MAX);
  for (auto& [name, zone] : cores) {
    const uint16_t socket = static_cast<uint16_t>(sockets[name.first]);
    const uint16_t ours = static_cast<uint16_t>(zones[zone]);
    uint16_t& socket_of_zone = made.zone_socket_[ours];
    if (socket_of_zone == UINT16_MAX) socket_of_zone = socket;
    made.cores_.push_back({ours, socket});
  }
  number(cores);
  for (const LogicalCpu& cpu : cpus) {
    const size_t id = static_cast<size_t>(cpu.cpu);
    if (id >= made.core_of_.size()) made.core_of_.resize(id + 1, 0);
    made.core_of_[id] = static_cast<uint16_t>(cores[{cpu.socket, cpu.core}]);
  }
  const int count = static_cast<int>(cpus.size());
  made.sockets_ = static_cast<int>(sockets.size());
  made.cpus_per_core_ = count / made.cores();
  made.cpus_per_zone_ = count / static_cast<int>(zones_of_sockets.size());
  made.cpus_per_socket_ = count / made.sockets_;
  return made;
}

}  // namespace muster
