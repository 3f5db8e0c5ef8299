// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Static and predicted room of the mid band.
#include "lib/peer/koordinator/colocation/mid_room.h"

#include <algorithm>

namespace muster::koordinator {
namespace {

double RatioOf(int64_t percent) { return static_cast<double>(percent) / 100; }

CpuMemory InUnits(const CpuMemory& amount) {
  return {amount.cpu, WholeUnits(amount.memory) * 1000};
}

// What production has not requested.
CpuMemory Unallocated(const NodeView& node, const Measurement& measured) {
  const CpuMemory system = measured.system + ProcessesAbove(measured, Band::kMid);
  CpuMemory requested;
  for (const HostedTask& task : node.tasks) {
    const bool is_lower = task.band == Band::kMid || IsLow(task.band);
    if (task.is_active && !is_lower) requested += task.request;
  }
  return AtLeastZero(node.capacity - Larger(system, ReservedOf(node)) - requested);
}

CpuMemory Smaller(const CpuMemory& a, const CpuMemory& b) {
  return {std::min(a.cpu, b.cpu), std::min(a.memory, b.memory)};
}

}  // namespace

CpuMemory MidRoom(const NodeView& node, const Measurement& measured, const MidRules& rules) {
  CpuMemory room;
  if (rules.is_static) {
    room = PartOf(node.capacity, RatioOf(rules.static_cpu_percent),
                  RatioOf(rules.static_memory_percent));
  } else {
    const CpuMemory idle = measured.node.has_value() ? node.capacity - *measured.node : CpuMemory{};
    const CpuMemory reclaimable = measured.reclaimable.value_or(CpuMemory{});
    const double unallocated = RatioOf(rules.unallocated_percent);
    room = AtLeastZero(Smaller(InUnits(reclaimable), InUnits(idle))) +
           PartOf(Unallocated(node, measured), unallocated, unallocated);
  }
  return Smaller(room, PartOf(node.capacity, RatioOf(rules.most_cpu_percent),
                              RatioOf(rules.most_memory_percent)));
}

}  // namespace muster::koordinator
