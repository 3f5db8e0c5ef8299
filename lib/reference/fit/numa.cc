// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// As the kubelet's managers are told: one combination of hints after the other, one accumulator
// step after the other.
#include "lib/reference/fit/numa.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "lib/base/go_sort.h"

namespace muster::reference {
namespace {

using Set = std::set<int>;

Set And(const Set& a, const Set& b) {
  Set both;
  for (int x : a) {
    if (b.count(x) > 0) both.insert(x);
  }
  return both;
}

Set Minus(Set a, const Set& b) {
  for (int x : b) a.erase(x);
  return a;
}

// Of sets of one size the one that lacks the highest zone in which they differ.
bool Narrower(const Set& a, const Set& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

Set Where(const ManagedCpus& m, const Set& cpus,
          const std::function<bool(const ManagedCpus::Cpu&)>& holds) {
  Set found;
  for (int cpu : cpus) {
    if (m.machine.count(cpu) > 0 && holds(m.machine.at(cpu))) found.insert(cpu);
  }
  return found;
}

Set All(const ManagedCpus& m) {
  Set all;
  for (const auto& [cpu, where] : m.machine) all.insert(cpu);
  return all;
}

Set Numbers(const ManagedCpus& m, const Set& cpus, int ManagedCpus::Cpu::*part) {
  Set numbers;
  for (int cpu : cpus) numbers.insert(m.machine.at(cpu).*part);
  return numbers;
}

}  // namespace

ZoneMerge MergeZones(const std::string& policy, const Set& zones,
                     const std::vector<std::optional<std::vector<ZoneHint>>>& resources) {
  if (policy == "none") return {{.any = true}, true};
  std::vector<std::vector<ZoneHint>> lists;
  for (const auto& resource : resources) {
    std::vector<ZoneHint> list = {{.any = true, .preferred = true}};
    if (resource.has_value()) list = *resource;
    if (list.empty()) list = {{.any = true}};
    if (policy == "single-numa-node") {
      std::erase_if(list, [](const ZoneHint& hint) {
        return !hint.preferred || (!hint.any && hint.zones.size() != 1);
      });
    }
    lists.push_back(list);
  }
  ZoneHint best{.zones = zones};
  const std::function<void(size_t, ZoneHint)> visit = [&](size_t i, const ZoneHint& so_far) {
    if (i < lists.size()) {
      for (const ZoneHint& hint : lists[i]) {
        visit(i + 1, {.zones = hint.any ? so_far.zones : And(so_far.zones, hint.zones),
                      .preferred = so_far.preferred && hint.preferred});
      }
      return;
    }
    if (so_far.zones.empty()) return;
    const bool better =
        so_far.preferred == best.preferred ? Narrower(so_far.zones, best.zones) : so_far.preferred;
    if (better) best = so_far;
  };
  visit(0, {.zones = zones, .preferred = true});
  return {best, policy == "best-effort" || best.preferred};
}

namespace {

using Cpu = ManagedCpus::Cpu;

// CPUs that are chosen one step after another.
struct CpuChoice {
  const ManagedCpus& cpus;
  int count;
  Set free, taken;

  int needed() const { return count - static_cast<int>(taken.size()); }
  void Take(const Set& more) {
    taken.insert(more.begin(), more.end());
    free = Minus(free, more);
  }
};

// While whole cores are needed: those of the socket with the fewest free ones first.
void TakeCores(int per_core, CpuChoice* choice) {
  const ManagedCpus& cpus = choice->cpus;
  std::vector<std::pair<size_t, int>> sockets;
  std::map<int, Set> cores_of;
  for (int socket : Numbers(cpus, choice->free, &Cpu::socket)) {
    const Set in = Where(cpus, choice->free, [&](const Cpu& cpu) { return cpu.socket == socket; });
    cores_of[socket] = And(Numbers(cpus, in, &Cpu::core), choice->free);
    sockets.emplace_back(cores_of[socket].size(), socket);
  }
  std::sort(sockets.begin(), sockets.end());
  for (const auto& [cores, socket] : sockets) {
    for (int core : cores_of[socket]) {
      choice->Take(Where(cpus, choice->free, [&](const Cpu& cpu) { return cpu.core == core; }));
      if (choice->needed() < per_core) return;
    }
  }
}

// The last CPUs one by one, from the sockets and cores that are used most.
void TakeCpus(const Set& all, CpuChoice* choice) {
  struct Core {
    int number, socket;
    size_t taken, free_in_socket, free;
  };
  const ManagedCpus& cpus = choice->cpus;
  std::vector<Core> cores;
  for (int number : Numbers(cpus, choice->free, &Cpu::core)) {
    const auto in_core = [&](const Cpu& cpu) { return cpu.core == number; };
    const int socket = cpus.machine.at(*Where(cpus, all, in_core).begin()).socket;
    const auto in_socket = [&](const Cpu& cpu) { return cpu.socket == socket; };
    cores.push_back({number, socket, Where(cpus, choice->taken, in_socket).size(),
                     Where(cpus, choice->free, in_socket).size(),
                     Where(cpus, choice->free, in_core).size()});
  }
  GoSort(cores, [](const Core& a, const Core& b) {
    return a.taken > b.taken || a.free_in_socket < b.free_in_socket || a.free < b.free ||
           a.socket < b.socket || a.number < b.number;
  });
  for (const Core& core : cores) {
    const auto in_core = [&](const Cpu& cpu) { return cpu.core == core.number; };
    for (int cpu : Where(cpus, choice->free, in_core)) {
      if (choice->needed() >= 1) choice->Take({cpu});
    }
  }
}

}  // namespace

std::optional<Set> ManagedCpus::Take(const Set& available, int count) const {
  CpuChoice choice{*this, count, Where(*this, available, [](const Cpu&) { return true; }), {}};
  if (count < 1) return choice.taken;
  if (static_cast<size_t>(count) > choice.free.size()) return std::nullopt;
  const Set all = All(*this);
  std::set<std::pair<int, int>> physical;
  for (const auto& [cpu, where] : machine) physical.insert({where.socket, where.core});
  const int per_socket = static_cast<int>(all.size() / Numbers(*this, all, &Cpu::socket).size());
  const int per_core = static_cast<int>(all.size() / physical.size());

  if (choice.needed() >= per_socket) {
    for (int socket : And(Numbers(*this, choice.free, &Cpu::socket), choice.free)) {
      const auto in_socket = [&](const Cpu& cpu) { return cpu.socket == socket; };
      choice.Take(Where(*this, choice.free, in_socket));
      if (choice.needed() < per_socket) break;
    }
  }
  if (choice.needed() >= per_core) TakeCores(per_core, &choice);
  if (choice.needed() >= 1) TakeCpus(all, &choice);
  return choice.taken;
}

Set ManagedCpus::WithoutReserved(const Set& free, int milli) const {
  const Set here = And(free, All(*this));
  return Minus(here, Take(All(*this), (milli + 999) / 1000).value_or(Set()));
}

std::vector<ZoneHint> ManagedCpus::Hints(const Set& free, int count) const {
  const Set numbers = Numbers(*this, All(*this), &Cpu::zone);
  std::vector<int> zones(numbers.begin(), numbers.end());
  std::vector<Set> subsets;
  for (size_t bits = 1; bits < size_t{1} << zones.size(); ++bits) {
    Set subset;
    for (size_t i = 0; i < zones.size(); ++i) {
      if (bits >> i & 1) subset.insert(zones[i]);
    }
    subsets.push_back(subset);
  }
  std::sort(subsets.begin(), subsets.end(), [](const Set& a, const Set& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  const auto enough = [&](const Set& cpus, const Set& subset) {
    const Set in = Where(*this, cpus, [&](const Cpu& c) { return subset.count(c.zone) > 0; });
    return in.size() >= static_cast<size_t>(count);
  };
  size_t fewest = zones.size();
  for (const Set& subset : subsets) {
    if (enough(All(*this), subset)) fewest = std::min(fewest, subset.size());
  }
  std::vector<ZoneHint> hints;
  for (const Set& subset : subsets) {
    if (!enough(free, subset)) continue;
    hints.push_back({.zones = subset, .preferred = subset.size() == fewest});
  }
  return hints;
}

Set ManagedCpus::Allocate(const Set& free, const ZoneHint& hint, int count) const {
  const Set here = And(free, All(*this));
  Set result;
  if (!hint.any) {
    const Set near =
        Where(*this, here, [&](const Cpu& cpu) { return hint.zones.count(cpu.zone) > 0; });
    result = *Take(near, std::min(count, static_cast<int>(near.size())));
  }
  const auto rest = Take(Minus(here, result), count - static_cast<int>(result.size()));
  if (!rest.has_value()) return {};
  result.insert(rest->begin(), rest->end());
  return result;
}

std::optional<Set> PlaceContainers(const ManagedCpus& machine, const std::string& policy, Set free,
                                   int reserved_milli, const std::vector<int>& container_milli) {
  Set result;
  for (int milli : container_milli) {
    const Set usable = machine.WithoutReserved(free, reserved_milli);
    const int count = milli > 0 && milli % 1000 == 0 ? milli / 1000 : 0;
    std::vector<std::optional<std::vector<ZoneHint>>> resources(1);
    if (count > 0) resources[0] = machine.Hints(usable, count);
    const Set zones = Numbers(machine, All(machine), &ManagedCpus::Cpu::zone);
    const ZoneMerge merge = MergeZones(policy, zones, resources);
    if (!merge.admitted) return std::nullopt;
    const Set taken = machine.Allocate(usable, merge.best, count);
    result.insert(taken.begin(), taken.end());
    free = Minus(free, taken);
  }
  return result;
}

}  // namespace muster::reference
