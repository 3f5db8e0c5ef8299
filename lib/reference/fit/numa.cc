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

std::optional<Set> ManagedCpus::Take(const Set& available, int count) const {
  Set free = Where(*this, available, [](const Cpu&) { return true; }), result;
  if (count < 1) return result;
  if (static_cast<size_t>(count) > free.size()) return std::nullopt;
  const auto needed = [&] { return count - static_cast<int>(result.size()); };
  const auto take = [&](const Set& cpus) {
    result.insert(cpus.begin(), cpus.end());
    free = Minus(free, cpus);
  };
  const Set all = All(*this);
  std::set<std::pair<int, int>> physical;
  for (const auto& [cpu, where] : machine) physical.insert({where.socket, where.core});
  const int per_socket = static_cast<int>(all.size() / Numbers(*this, all, &Cpu::socket).size());
  const int per_core = static_cast<int>(all.size() / physical.size());

  if (needed() >= per_socket) {
    for (int socket : And(Numbers(*this, free, &Cpu::socket), free)) {
      take(Where(*this, free, [&](const Cpu& cpu) { return cpu.socket == socket; }));
      if (needed() < 1) return result;
      if (needed() < per_socket) break;
    }
  }
  if (needed() >= per_core) {
    std::vector<std::pair<size_t, int>> sockets;
    std::map<int, Set> cores_of;
    for (int socket : Numbers(*this, free, &Cpu::socket)) {
      const Set in = Where(*this, free, [&](const Cpu& cpu) { return cpu.socket == socket; });
      cores_of[socket] = And(Numbers(*this, in, &Cpu::core), free);
      sockets.emplace_back(cores_of[socket].size(), socket);
    }
    std::sort(sockets.begin(), sockets.end());
    bool enough = false;
    for (const auto& [cores, socket] : sockets) {
      for (int core : cores_of[socket]) {
        if (enough) break;
        take(Where(*this, free, [&](const Cpu& cpu) { return cpu.core == core; }));
        if (needed() < 1) return result;
        enough = needed() < per_core;
      }
    }
  }
  struct Core {
    int number, socket;
    size_t taken, free_in_socket, free;
  };
  std::vector<Core> cores;
  for (int number : Numbers(*this, free, &Cpu::core)) {
    const auto in_core = [&](const Cpu& cpu) { return cpu.core == number; };
    const int socket = machine.at(*Where(*this, all, in_core).begin()).socket;
    const auto in_socket = [&](const Cpu& cpu) { return cpu.socket == socket; };
    cores.push_back({number, socket, Where(*this, result, in_socket).size(),
                     Where(*this, free, in_socket).size(), Where(*this, free, in_core).size()});
  }
  GoSort(cores, [](const Core& a, const Core& b) {
    return a.taken > b.taken || a.free_in_socket < b.free_in_socket || a.free < b.free ||
           a.socket < b.socket || a.number < b.number;
  });
  for (const Core& core : cores) {
    for (int cpu : Where(*this, free, [&](const Cpu& c) { return c.core == core.number; })) {
      if (needed() >= 1) take({cpu});
    }
  }
  return result;
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
