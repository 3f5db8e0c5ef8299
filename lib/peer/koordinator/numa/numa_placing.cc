// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/numa/numa_placing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>
#include <vector>

namespace muster {
namespace {

constexpr int64_t kMilliInCpu = 1000;

std::vector<int> ZonesOf(uint64_t set) {
  std::vector<int> zones;
  for (; set != 0; set &= set - 1) zones.push_back(std::countr_zero(set));
  return zones;
}

int64_t AmountIn(const ZoneAmounts& amounts, int zone, size_t r) {
  const auto it = amounts.find(zone);
  return it == amounts.end() ? 0 : it->second.at(r);
}

// The zones in the order in which they give: by insertion, each place compared by the amount of the
// zone that has the place's number.
std::vector<int> GivingOrder(const ZoneAmounts& free, const std::vector<int>& zones, size_t r) {
  std::vector<int> order = zones;
  for (size_t i = 1; i < order.size(); ++i) {
    for (size_t j = i; j > 0; --j) {
      const int place = static_cast<int>(j);
      if (AmountIn(free, place, r) >= AmountIn(free, place - 1, r)) break;
      std::swap(order[j], order[j - 1]);
    }
  }
  return order;
}

// What a zone gives, of `left` among `zones` zones.
int64_t PartOfZone(const NumaNode& node, const NumaRequest& request, size_t r, int64_t left,
                   int64_t zones) {
  if (r != node.cpu || !request.binds) return left / zones;
  const int64_t whole = (left + kMilliInCpu - 1) / kMilliInCpu;
  if (!request.required || request.policy != BindPolicy::kFullCores) {
    return whole / zones * kMilliInCpu;
  }
  const int64_t threads = node.cpus.has_value() ? node.cpus->cpus_per_core() : 1;
  return whole / threads / zones * threads * kMilliInCpu;
}

ZoneAnswer TakeAmounts(const NumaNode& node, const NumaRequest& request, const ZoneAmounts& free) {
  ZoneAnswer answer;
  uint64_t known = 0;
  for (const auto& [zone, of_zone] : free) known |= of_zone.keys();
  const std::vector<int> zones = ZonesOf(*request.zones);
  ForEachResource(request.amounts.keys() & known, [&](size_t r) {
    int64_t left = request.amounts.at(r);
    int64_t givers = static_cast<int64_t>(zones.size());
    for (int zone : GivingOrder(free, zones, r)) {
      const int64_t part = PartOfZone(node, request, r, left, givers--);
      const int64_t given = std::min(part, AmountIn(free, zone, r));
      if (given == 0) continue;
      answer.grant.amounts[zone].Set(r, given);
      left -= given;
    }
    if (left == 0) return;
    answer.reason = NumaReason::kFewInZones;
    answer.lacking |= uint64_t{1} << r;
  });
  if (!answer.ok()) answer.grant = {};
  return answer;
}

// The CPUs that a required policy may use.
CpuSet UsableByPolicy(const NumaNode& node, const NumaRequest& request, const CpuSet& free) {
  const bool full = request.policy == BindPolicy::kFullCores;
  if (!full && request.policy != BindPolicy::kSpread) return free;
  const CpuTopology& topology = *node.cpus;
  std::map<int, std::vector<int>> of_core;
  free.ForEach([&](int cpu) {
    if (topology.cpus().Contains(cpu)) of_core[topology.core_of(cpu)].push_back(cpu);
  });
  CpuSet usable;
  for (const auto& [core, cpus] : of_core) {
    if (!full) {
      usable.Add(cpus.front());
    } else if (static_cast<int>(cpus.size()) == topology.cpus_per_core()) {
      for (int cpu : cpus) usable.Add(cpu);
    }
  }
  return usable;
}

bool KeepsPolicy(const NumaNode& node, const NumaRequest& request, const CpuSet& cpus) {
  const bool full = request.policy == BindPolicy::kFullCores;
  if (!request.required || (!full && request.policy != BindPolicy::kSpread)) return true;
  CpuSet cores;
  cpus.ForEach([&](int cpu) { cores.Add(node.cpus->core_of(cpu)); });
  return cores.size() * (full ? node.cpus->cpus_per_core() : 1) == cpus.size();
}

// The choice of CPUs for one request.
class CpuTaker {
 public:
  CpuTaker(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
           const NumaReuse& reuse)
      : node_(node), request_(request), preferred_(reuse.preferred) {
    const std::array<CpuSet, 2> returned = {reuse.preferred, reuse.preemptible};
    use_ = books.Held(node, returned).use;
    free_ = books.FreeCpus(node, returned);
    if (request.required) free_ = UsableByPolicy(node, request, free_);
  }

  // Sets `*reason` where it returns nothing.
  std::optional<CpuSet> Take(const ZoneAmounts& amounts, NumaReason* reason) {
    *reason = NumaReason::kFewCpus;
    if (free_.size() < request_.cpus) return std::nullopt;
    CpuSet taken;
    for (const auto& [zone, of_zone] : amounts) {
      CpuSet here = free_;
      here &= node_.cpus_of_zone(zone);
      const int64_t wanted = of_zone.at(node_.cpu) / kMilliInCpu;
      const int count = static_cast<int>(std::min<int64_t>(wanted, here.size()));
      const std::optional<CpuSet> cpus = TakeOf(here, count);
      if (!cpus.has_value()) return std::nullopt;
      taken |= *cpus;
    }
    const int left = request_.cpus - taken.size();
    if (!amounts.empty() && left != 0) return std::nullopt;
    if (left > 0) {
      CpuSet others = free_;
      others.AndNot(taken);
      const std::optional<CpuSet> cpus = TakeOf(others, left);
      if (!cpus.has_value()) return std::nullopt;
      taken |= *cpus;
    }
    *reason = NumaReason::kFewForPolicy;
    if (!KeepsPolicy(node_, request_, taken)) return std::nullopt;
    return taken;
  }

 private:
  std::optional<CpuSet> TakeOf(const CpuSet& available, int count) const {
    const bool full = request_.policy == BindPolicy::kFullCores;
    return TakePreferredCpus(*node_.cpus, use_, available, preferred_,
                             {.count = count,
                              .bind = full ? CpuBind::kFullCores : CpuBind::kSpread,
                              .exclusive = request_.exclusive,
                              .order = request_.order});
  }

  const NumaNode& node_;
  const NumaRequest& request_;
  const CpuSet& preferred_;
  CpuUse use_;
  CpuSet free_;
};

}  // namespace

void TrimToPolicy(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
                  const NumaReuse& reuse, ZoneAmounts* amounts) {
  if (!request.required || !node.cpus.has_value()) return;
  const std::array<CpuSet, 2> returned = {reuse.preferred, reuse.preemptible};
  const CpuSet free = books.FreeCpus(node, returned);
  for (auto& [zone, of_zone] : *amounts) {
    if (of_zone.at(node.cpu) == 0) continue;
    CpuSet here = free;
    here &= node.cpus_of_zone(zone);
    const int64_t usable = UsableByPolicy(node, request, here).size() * kMilliInCpu;
    if (usable < of_zone.at(node.cpu)) of_zone.Set(node.cpu, usable);
  }
}

ZoneAnswer PlaceInZones(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
                        const NumaReuse& reuse) {
  ZoneAnswer answer;
  if (request.zones.has_value()) {
    if (node.zones.empty()) return {.reason = NumaReason::kNoZones};
    ZoneAmounts free = reuse.required.empty() ? books.Free(node, reuse.reusable) : reuse.required;
    TrimToPolicy(node, books, request, reuse, &free);
    answer = TakeAmounts(node, request, free);
    if (!answer.ok()) return answer;
  }
  if (!request.binds) return answer;
  if (!node.cpus.has_value()) return {.reason = NumaReason::kFewCpus};
  NumaReason reason;
  std::optional<CpuSet> cpus =
      CpuTaker(node, books, request, reuse).Take(answer.grant.amounts, &reason);
  if (!cpus.has_value()) return {.reason = reason};
  answer.grant.cpus = *std::move(cpus);
  return answer;
}

Sparse SumOfZones(const ZoneAmounts& amounts, uint64_t zones) {
  Sparse sum;
  for (int zone : ZonesOf(zones)) {
    const auto it = amounts.find(zone);
    if (it != amounts.end()) sum.Add(it->second);
  }
  return sum;
}

}  // namespace muster
