// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sums over the tasks above batch, and the policies that subtract them.
#include "lib/peer/koordinator/colocation/batch_room.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "lib/base/hash_map.h"

namespace muster::koordinator {
namespace {

// What tasks above batch need of a node or a zone.
struct Needs {
  CpuMemory requested, used, larger;
};

struct Area {
  CpuMemory capacity, reserved, system;
  Needs needs;
};

// The measurements by name; those that no listed task takes are left over.
class Measured {
 public:
  explicit Measured(const Measurement& measurement) : measurement_(measurement) {
    for (size_t i = 0; i < measurement.tasks.size(); ++i) by_name_[measurement.tasks[i].name] = i;
    is_taken_.resize(measurement.tasks.size());
  }
  const MeasuredTask* Take(std::string_view name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    is_taken_[found->second] = true;
    return &measurement_.tasks[found->second];
  }
  // Returns the usages of tasks above batch that no listed task has taken.
  std::vector<CpuMemory> LeftOver() const {
    std::vector<CpuMemory> usages;
    for (const auto& [name, i] : by_name_) {
      const MeasuredTask& task = measurement_.tasks[i];
      if (!is_taken_[i] && !IsLow(task.band)) usages.push_back(task.usage);
    }
    return usages;
  }

 private:
  const Measurement& measurement_;
  HashMap<std::string_view, size_t> by_name_;
  std::vector<bool> is_taken_;
};

Needs NeedsOfNode(const NodeView& node, const Measurement& measurement) {
  Needs needs;
  Measured measured(measurement);
  for (const HostedTask& task : node.tasks) {
    if (!task.is_active) continue;
    const MeasuredTask* found = measured.Take(task.name);
    if (IsLow(task.band)) continue;
    needs.requested += task.request;
    if (found == nullptr) {
      needs.used += task.request;
      continue;
    }
    needs.used +=
        task.is_exclusive ? CpuMemory{task.request.cpu, found->usage.memory} : found->usage;
    needs.larger += Larger(task.request, found->usage);
  }
  for (const CpuMemory& usage : measured.LeftOver()) {
    needs.used += usage;
    needs.larger += usage;
  }
  return needs;
}

CpuMemory RoomOf(const Area& area, const BatchRules& rules) {
  const CpuMemory left = area.capacity - MarginOf(area.capacity, rules);
  const CpuMemory system = Larger(area.system, area.reserved);
  const CpuMemory by_usage = AtLeastZero(left - system - area.needs.used);
  const CpuMemory by_request = AtLeastZero(left - area.reserved - area.needs.requested);
  const CpuMemory by_larger = AtLeastZero(left - system - area.needs.larger);
  CpuMemory room = by_usage;
  if (rules.cpu == RoomPolicy::kLarger) room.cpu = by_larger.cpu;
  if (rules.memory == RoomPolicy::kLarger) room.memory = by_larger.memory;
  if (rules.memory == RoomPolicy::kRequest) room.memory = by_request.memory;
  const auto ratio = [](int64_t percent) { return static_cast<double>(percent) / 100; };
  if (rules.most_cpu_percent.has_value()) {
    room.cpu =
        std::min(room.cpu, PartOfThousandths(area.capacity.cpu, ratio(*rules.most_cpu_percent)));
  }
  if (rules.most_memory_percent.has_value()) {
    room.memory =
        std::min(room.memory, PartOfUnits(area.capacity.memory, ratio(*rules.most_memory_percent)));
  }
  return room;
}

// Adds what a listed task above batch needs to the needs of each zone.
void AddToZones(const HostedTask& task, const MeasuredTask* found, std::vector<Area>* areas) {
  const auto count = static_cast<int64_t>(areas->size());
  const std::vector<CpuMemory> requests = PartsOfZones(task.request, task.zones, count);
  const std::vector<CpuMemory> usages =
      found == nullptr ? requests : PartsOfZones(found->usage, task.zones, count);
  for (size_t i = 0; i < areas->size(); ++i) {
    Needs& needs = (*areas)[i].needs;
    const bool keeps_cpus = found != nullptr && task.is_exclusive;
    needs.requested += requests[i];
    needs.used += keeps_cpus ? CpuMemory{requests[i].cpu, usages[i].memory} : usages[i];
    needs.larger += Larger(requests[i], usages[i]);
  }
}

}  // namespace

CpuMemory MarginOf(const CpuMemory& capacity, const BatchRules& rules) {
  const auto ratio = [](int64_t percent) { return static_cast<double>(100 - percent) / 100.0; };
  return PartOf(capacity, ratio(rules.cpu_reclaim_percent), ratio(rules.memory_reclaim_percent));
}

CpuMemory BatchRoom(const NodeView& node, const Measurement& measured, const BatchRules& rules) {
  return RoomOf({.capacity = node.capacity,
                 .reserved = ReservedOf(node),
                 .system = measured.system + ProcessesAbove(measured, Band::kBatch),
                 .needs = NeedsOfNode(node, measured)},
                rules);
}

std::vector<CpuMemory> PartsOfZones(const CpuMemory& amount, const std::vector<int64_t>& bound,
                                    int64_t count) {
  const auto is_there = [count](int64_t zone) { return zone >= 0 && zone < count; };
  const int64_t sharing = std::count_if(bound.begin(), bound.end(), is_there);
  std::vector<CpuMemory> parts(static_cast<size_t>(count));
  for (int64_t zone = 0; zone < count; ++zone) {
    CpuMemory& part = parts[static_cast<size_t>(zone)];
    if (sharing == 0) {
      part = DividedBy(amount, count);
    } else if (std::find(bound.begin(), bound.end(), zone) != bound.end()) {
      part = DividedBy(amount, sharing);
    }
  }
  return parts;
}

std::vector<CpuMemory> BatchRoomOfZones(const NodeView& node, const Measurement& measurement,
                                        const BatchRules& rules) {
  const auto count = static_cast<int64_t>(node.zones.size());
  const CpuMemory system = measurement.system + ProcessesAbove(measurement, Band::kBatch);
  std::vector<Area> areas;
  for (const CpuMemory& zone : node.zones) {
    areas.push_back({.capacity = zone,
                     .reserved = DividedBy(ReservedOf(node), count),
                     .system = DividedBy(system, count),
                     .needs = {}});
  }
  Measured measured(measurement);
  for (const HostedTask& task : node.tasks) {
    if (!task.is_active) continue;
    const MeasuredTask* found = measured.Take(task.name);
    if (!IsLow(task.band)) AddToZones(task, found, &areas);
  }
  for (const CpuMemory& usage : measured.LeftOver()) {
    for (Area& area : areas) {
      area.needs.used += DividedBy(usage, count);
      area.needs.larger += DividedBy(usage, count);
    }
  }
  std::vector<CpuMemory> rooms;
  for (const Area& area : areas) rooms.push_back(RoomOf(area, rules));
  return rooms;
}

}  // namespace muster::koordinator
