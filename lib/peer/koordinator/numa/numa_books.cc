// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/numa/numa_books.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/peer/koordinator/cpu/cpu_binding.h"

namespace muster {
namespace {

constexpr int64_t kMilliOfCpu = 1000;

std::set<int> ZonesOfCpus(const NumaNode& machine, const CpuSet& cpus) {
  std::set<int> zones;
  cpus.ForEach([&](int cpu) { zones.insert(machine.zone_of(cpu)); });
  return zones;
}

}  // namespace

CpuSet NumaNode::cpus_of_zone(int zone) const {
  CpuSet set;
  for (size_t number = 0; number < cpu_zones.size(); ++number) {
    if (cpu_zones[number] == zone) set.Add(static_cast<int>(number));
  }
  return set;
}

NumaNode NodeOfCpus(const CpuTopology& topology, std::span<const LogicalCpu> cpus) {
  NumaNode machine{.cpus = topology, .cpu_zones = {}, .zones = {}, .reserved = {}};
  for (const LogicalCpu& cpu : cpus) {
    const size_t place = static_cast<size_t>(cpu.cpu);
    if (place >= machine.cpu_zones.size()) machine.cpu_zones.resize(place + 1, -1);
    machine.cpu_zones[place] = cpu.zone;
  }
  return machine;
}

void AddByZone(const ZoneAmounts& more, ZoneAmounts* amounts) {
  for (const auto& [zone, of_zone] : more) (*amounts)[zone].Add(of_zone);
}

void SubtractByZone(const ZoneAmounts& less, ZoneAmounts* amounts) {
  for (const auto& [zone, of_zone] : less) (*amounts)[zone].Subtract(of_zone);
}

void NumaBooks::Hold(const NumaNode& machine, NumaHolding holding) {
  if (!machine.cpus.has_value()) return;
  Release(holding.task);
  Add(machine, std::move(holding));
}

void NumaBooks::Add(const NumaNode& machine, NumaHolding holding) {
  const auto [it, added] = holdings_.emplace(holding.task, NumaHolding());
  if (!added) return;
  holding.cpus.ForEach([&](int cpu) {
    HeldCpu& held = cpus_[cpu];
    held.zone = machine.zone_of(cpu);
    held.exclusive = holding.exclusive;
    ++held.holders;
  });
  const std::set<int> zones = ZonesOfCpus(machine, holding.cpus);
  for (int zone : zones) ++(zones.size() > 1 ? shared_ : single_)[zone];
  AddByZone(holding.amounts, &amounts_);
  it->second = std::move(holding);
}

void NumaBooks::Release(std::string_view task) {
  const auto it = holdings_.find(task);
  if (it == holdings_.end()) return;
  const NumaHolding& holding = it->second;
  std::set<int> zones;
  holding.cpus.ForEach([&](int cpu) {
    const auto held = cpus_.find(cpu);
    zones.insert(held->second.zone);
    if (--held->second.holders == 0) cpus_.erase(held);
  });
  for (int zone : zones) --(zones.size() > 1 ? shared_ : single_)[zone];
  for (const auto& [zone, of_zone] : holding.amounts) {
    amounts_[zone].Subtract(of_zone);
    amounts_[zone].NotBelowZero();
  }
  holdings_.erase(it);
}

const NumaHolding* NumaBooks::Find(std::string_view task) const {
  const auto it = holdings_.find(task);
  return it == holdings_.end() ? nullptr : &it->second;
}

ZoneState NumaBooks::StateOf(int zone) const {
  const auto count = [zone](const std::map<int, int>& tasks) {
    const auto it = tasks.find(zone);
    return it == tasks.end() ? 0 : it->second;
  };
  if (count(shared_) > 0) return ZoneState::kShared;
  return count(single_) > 0 ? ZoneState::kSingle : ZoneState::kIdle;
}

std::vector<ZoneState> NumaBooks::States(size_t zones) const {
  std::vector<ZoneState> states;
  for (size_t zone = 0; zone < zones; ++zone) states.push_back(StateOf(static_cast<int>(zone)));
  return states;
}

HeldCpus NumaBooks::Held(const NumaNode& machine, std::span<const CpuSet> returned) const {
  HeldCpus held;
  for (const auto& [cpu, info] : cpus_) {
    int holders = info.holders;
    for (const CpuSet& set : returned) {
      if (set.Contains(cpu) && holders > 0) --holders;
    }
    if (holders == 0) continue;
    held.all.Add(cpu);
    if (holders >= machine.most_holders) held.full.Add(cpu);
    if (info.exclusive == CpuExclusive::kCore) held.use.core_exclusive.Add(cpu);
    if (info.exclusive == CpuExclusive::kZone) held.use.zone_exclusive.Add(cpu);
    if (machine.most_holders <= 1) continue;
    const size_t place = static_cast<size_t>(cpu);
    if (place >= held.use.sharers.size()) held.use.sharers.resize(place + 1, 0);
    held.use.sharers[place] = holders;
  }
  // A machine on which CPUs may be shared is told apart by a list, however short.
  if (machine.most_holders > 1 && held.use.sharers.empty()) held.use.sharers.resize(1, 0);
  return held;
}

CpuSet NumaBooks::FreeCpus(const NumaNode& machine, std::span<const CpuSet> returned) const {
  if (!machine.cpus.has_value()) return {};
  CpuSet free = machine.cpus->cpus();
  free.AndNot(Held(machine, returned).full);
  free.AndNot(machine.reserved);
  return free;
}

ZoneAmounts NumaBooks::HeldAmounts(const NumaNode& machine, const ZoneAmounts& reusable) const {
  ZoneAmounts amounts;
  for (const NumaNode::Zone& zone : machine.zones) {
    const auto held = amounts_.find(zone.number);
    if (held == amounts_.end()) continue;
    int64_t bound = 0;
    for (const auto& [cpu, info] : cpus_) {
      if (info.zone == zone.number) bound += kMilliOfCpu;
    }
    ZoneRoom room{.total = {}, .allocated = held->second, .reusable = {}, .bound = bound};
    const auto reused = reusable.find(zone.number);
    if (reused != reusable.end()) room.reusable = reused->second;
    amounts[zone.number] = *FreeOfZone(room, machine.cpu, machine.ratio).allocated;
  }
  return amounts;
}

ZoneAmounts NumaBooks::Free(const NumaNode& machine, const ZoneAmounts& reusable) const {
  const ZoneAmounts held = HeldAmounts(machine, reusable);
  ZoneAmounts free;
  for (const NumaNode::Zone& zone : machine.zones) {
    const auto it = held.find(zone.number);
    ZoneRoom room{.total = zone.amounts, .allocated = {}, .reusable = {}};
    // These amounts are amplified already.
    if (it != held.end()) room.allocated = it->second;
    free[zone.number] = FreeOfZone(room, machine.cpu, 1).available;
  }
  return free;
}

}  // namespace muster
