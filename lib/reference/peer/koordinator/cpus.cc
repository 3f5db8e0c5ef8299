// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One attempt after the other, each as a list of groups in order of preference, each group a list
// of CPUs in the order in which they would be taken.
#include "lib/reference/peer/koordinator/cpus.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace muster::reference {
namespace {

using Core = std::pair<int, int>;  // socket, number
using Cpu = CpuQuestion::Cpu;
using List = std::vector<int>;

struct Attempt {
  const CpuQuestion& q;
  std::map<int, Cpu> where;
  std::set<int> free;
  int need;
  std::set<int> result = {};
  std::set<Core> busy_cores = {};
  std::set<int> busy_zones = {};
  int per_core = 0, per_zone = 0, per_socket = 0;

  Attempt(const CpuQuestion& question, std::set<int> from, int count)
      : q(question), free(std::move(from)), need(count) {
    std::set<Core> cores;
    std::set<std::pair<int, int>> zones;
    std::set<int> sockets;
    for (const Cpu& cpu : q.machine) {
      where[cpu.cpu] = cpu;
      cores.insert({cpu.socket, cpu.core});
      zones.insert({cpu.socket, cpu.zone});
      sockets.insert(cpu.socket);
    }
    std::erase_if(free, [&](int cpu) { return where.count(cpu) == 0; });
    per_core = static_cast<int>(q.machine.size() / cores.size());
    per_zone = static_cast<int>(q.machine.size() / zones.size());
    per_socket = static_cast<int>(q.machine.size() / sockets.size());
    for (int cpu : q.alone_in_core) busy_cores.insert(CoreOf(cpu));
    for (int cpu : q.alone_in_zone) busy_zones.insert(where.at(cpu).zone);
  }

  Core CoreOf(int cpu) const { return {where.at(cpu).socket, where.at(cpu).core}; }
  int Sharers(int cpu) const {
    const auto found = q.sharers.find(cpu);
    return q.shared && found != q.sharers.end() ? found->second : 0;
  }
  bool OthersAlone(int cpu, bool in_core, bool in_zone) const {
    return (in_core && q.core_alone && busy_cores.count(CoreOf(cpu)) > 0) ||
           (in_zone && q.zone_alone && busy_zones.count(where.at(cpu).zone) > 0);
  }
  int Wish(size_t cpus) const {
    return q.fewest_free ? static_cast<int>(cpus) : -static_cast<int>(cpus);
  }
  void Take(int cpu) {
    free.erase(cpu);
    result.insert(cpu);
    --need;
    if (q.core_alone) busy_cores.insert(CoreOf(cpu));
    if (q.zone_alone) busy_zones.insert(where.at(cpu).zone);
  }
  void TakeFirst(const List& cpus) {
    for (int taken = need, i = 0; i < taken; ++i) Take(cpus[static_cast<size_t>(i)]);
  }

  // The CPUs of each group, whole cores only.
  std::map<int, List> WholeCores(const std::set<int>& usable, bool by_zone) const {
    std::map<Core, List> cores;
    for (int cpu : usable) cores[CoreOf(cpu)].push_back(cpu);
    std::map<int, std::vector<std::pair<int, Core>>> groups;
    for (const auto& [core, cpus] : cores) {
      if (static_cast<int>(cpus.size()) != per_core) continue;
      int sharers = 0;
      for (int cpu : cpus) sharers += Sharers(cpu);
      groups[by_zone ? where.at(cpus[0]).zone : core.first].push_back({sharers, core});
    }
    std::map<int, List> out;
    for (auto& [group, members] : groups) {
      std::sort(members.begin(), members.end());
      for (const auto& [sharers, core] : members) {
        out[group].insert(out[group].end(), cores[core].begin(), cores[core].end());
      }
    }
    return out;
  }

  std::set<int> Usable(bool in_core, bool in_zone) const {
    std::set<int> usable = free;
    std::erase_if(usable, [&](int cpu) { return OthersAlone(cpu, in_core, in_zone); });
    return usable;
  }

  size_t CountIf(const std::set<int>& cpus, const std::function<bool(const Cpu&)>& is) const {
    return static_cast<size_t>(
        std::count_if(cpus.begin(), cpus.end(), [&](int cpu) { return is(where.at(cpu)); }));
  }
  size_t InSocket(const std::set<int>& cpus, int socket) const {
    return CountIf(cpus, [&](const Cpu& cpu) { return cpu.socket == socket; });
  }
  size_t InZone(const std::set<int>& cpus, int zone) const {
    return CountIf(cpus, [&](const Cpu& cpu) { return cpu.zone == zone; });
  }
  int SocketOfZone(int zone) const {
    Core first{1 << 30, 0};
    for (const Cpu& cpu : q.machine) {
      if (cpu.zone == zone) first = std::min(first, Core{cpu.socket, cpu.core});
    }
    return first.first;
  }

  bool TakeWholeCores() {
    for (bool respect : {true, false}) {
      if (need > per_zone) break;
      const std::set<int> usable = Usable(false, respect);
      std::vector<std::pair<std::vector<int>, List>> zones;
      for (const auto& [zone, cpus] : WholeCores(usable, true)) {
        zones.push_back(
            {{Wish(cpus.size()), Wish(InSocket(usable, SocketOfZone(zone))), zone}, cpus});
      }
      std::sort(zones.begin(), zones.end());
      for (const auto& [rank, cpus] : zones) {
        if (static_cast<int>(cpus.size()) < need) continue;
        TakeFirst(cpus);
        return true;
      }
    }
    std::vector<std::pair<std::vector<int>, List>> sockets;
    for (const auto& [socket, cpus] : WholeCores(free, false)) {
      sockets.push_back({{Wish(cpus.size()), socket}, cpus});
    }
    std::sort(sockets.begin(), sockets.end());
    for (const auto& [rank, cpus] : sockets) {
      if (need > per_socket || static_cast<int>(cpus.size()) < need) continue;
      TakeFirst(cpus);
      return true;
    }
    std::vector<List> lists, large;
    for (const auto& [socket, cpus] : WholeCores(free, false)) lists.push_back(cpus);
    std::stable_sort(lists.begin(), lists.end(),
                     [](const List& a, const List& b) { return a.size() > b.size(); });
    for (const List& cpus : lists) {
      if (need < static_cast<int>(cpus.size())) {
        large.push_back(cpus);
        continue;
      }
      for (int cpu : cpus) Take(cpu);
      if (need <= 0) return true;
    }
    if (need < per_core) return false;
    std::stable_sort(large.begin(), large.end(),
                     [](const List& a, const List& b) { return a.size() < b.size(); });
    for (const List& cpus : large) {
      // At least one core of each, even if by now less than a core is missing.
      size_t next = 0;
      do {
        for (int i = 0; i < per_core; ++i) Take(cpus[next++]);
        if (need <= 0) return true;
      } while (need >= per_core && next < cpus.size());
    }
    return false;
  }

  // One of each core, then the second of each, ...
  List InTurn(const List& cpus) const {
    if (static_cast<int>(cpus.size()) <= per_core) return cpus;
    List out;
    List rest = cpus;
    while (!rest.empty()) {
      std::set<Core> seen;
      List later;
      for (int cpu : rest) (seen.insert(CoreOf(cpu)).second ? out : later).push_back(cpu);
      rest = later;
    }
    return out;
  }

  List Sorted(std::set<int> cpus, bool one_of_a_core) const {
    List list(cpus.begin(), cpus.end());
    std::stable_sort(list.begin(), list.end(),
                     [&](int a, int b) { return Sharers(a) < Sharers(b); });
    if (!one_of_a_core) return list;
    std::set<Core> seen;
    std::erase_if(list, [&](int cpu) { return !seen.insert(CoreOf(cpu)).second; });
    return list;
  }

  bool TakeTogether(bool zones) {
    if (need > (zones ? per_zone : per_socket)) return false;
    for (bool alone : {true, false}) {
      const std::set<int> usable = Usable(alone, alone && zones);
      std::map<int, std::set<int>> groups;
      for (int cpu : usable) groups[zones ? where.at(cpu).zone : where.at(cpu).socket].insert(cpu);
      std::vector<std::pair<std::vector<int>, List>> ranked;
      for (const auto& [group, cpus] : groups) {
        const List list = Sorted(cpus, alone);
        if (zones) {
          const int socket = SocketOfZone(group);
          ranked.push_back({{Wish(cpus.size()), Wish(InSocket(usable, socket)), group}, list});
        } else {
          ranked.push_back({{Wish(list.size()), group}, list});
        }
      }
      std::sort(ranked.begin(), ranked.end());
      for (const auto& [rank, cpus] : ranked) {
        if (static_cast<int>(cpus.size()) < need) continue;
        TakeFirst(InTurn(cpus));
        return true;
      }
    }
    return false;
  }

  void TakeOneByOne(bool alone) {
    const std::set<int> usable = Usable(alone, alone);
    std::map<Core, List> cores;
    for (int cpu : usable) cores[CoreOf(cpu)].push_back(cpu);
    std::vector<std::pair<std::vector<int>, List>> ranked;
    for (auto& [core, cpus] : cores) {
      int sharers = 0;
      for (int cpu : free) sharers += CoreOf(cpu) == core ? Sharers(cpu) : 0;
      ranked.push_back(
          {{-static_cast<int>(InSocket(result, core.first)), Wish(InSocket(usable, core.first)),
            Wish(InZone(usable, where.at(cpus[0]).zone)), static_cast<int>(cpus.size()), core.first,
            sharers, core.second},
           Sorted(std::set<int>(cpus.begin(), cpus.end()), false)});
    }
    std::sort(ranked.begin(), ranked.end());
    List all;
    for (const auto& [rank, cpus] : ranked) all.insert(all.end(), cpus.begin(), cpus.end());
    for (int cpu : InTurn(all)) {
      if (need > 0) Take(cpu);
    }
  }

  std::optional<std::set<int>> Run() {
    if (need <= 0) return result;
    if (need > static_cast<int>(free.size())) return std::nullopt;
    if ((q.full_cores || per_core == 1) && TakeWholeCores()) return result;
    if (!q.full_cores && (TakeTogether(true) || TakeTogether(false))) return result;
    TakeOneByOne(true);
    TakeOneByOne(false);
    return result;
  }
};

}  // namespace

std::optional<std::set<int>> TakeCpus(const CpuQuestion& question) {
  std::set<int> first, others;
  for (int cpu : question.available) {
    (question.preferred.count(cpu) > 0 ? first : others).insert(cpu);
  }
  std::set<int> taken;
  if (!first.empty()) {
    const int most = std::min(question.count, static_cast<int>(first.size()));
    taken = *Attempt(question, first, most).Run();
  }
  const int rest = question.count - static_cast<int>(taken.size());
  const std::optional<std::set<int>> more = Attempt(question, others, rest).Run();
  if (!more.has_value()) return std::nullopt;
  taken.insert(more->begin(), more->end());
  return taken;
}

}  // namespace muster::reference
