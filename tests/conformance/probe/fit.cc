// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Exact places on one machine: which CPUs.
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/peer/koordinator/device/cpu_accumulator.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

absl::StatusOr<CpuSet> Cpus(const json& object, const char* key) {
  return CpuSet::Parse(object.value(key, ""));
}

}  // namespace

absl::StatusOr<json> AskCpus(const json& request) {
  const json& asked = request["cpus"];
  std::vector<LogicalCpu> machine;
  for (const json& cpu : asked["machine"]) machine.push_back({cpu[0], cpu[1], cpu[2], cpu[3]});
  const absl::StatusOr<CpuTopology> topology = CpuTopology::Make(machine);
  if (!topology.ok()) return topology.status();
  const absl::StatusOr<CpuSet> available = Cpus(asked, "available");
  const absl::StatusOr<CpuSet> preferred = Cpus(asked, "preferred");
  const absl::StatusOr<CpuSet> core_exclusive = Cpus(asked, "core_exclusive");
  const absl::StatusOr<CpuSet> zone_exclusive = Cpus(asked, "zone_exclusive");
  for (const auto* set : {&available, &preferred, &core_exclusive, &zone_exclusive}) {
    if (!set->ok()) return set->status();
  }
  const CpuUse use{.core_exclusive = *core_exclusive,
                   .zone_exclusive = *zone_exclusive,
                   .sharers = asked.value("sharers", std::vector<int32_t>())};
  const std::string exclusive = asked.value("exclusive", "");
  const CpuRequest wanted{
      .count = asked.value("count", 0),
      .bind = asked.value("full_cores", false) ? CpuBind::kFullCores : CpuBind::kSpread,
      .exclusive = exclusive == "core"   ? CpuExclusive::kCore
                   : exclusive == "zone" ? CpuExclusive::kZone
                                         : CpuExclusive::kNone,
      .order = asked.value("fewest_free", false) ? ZoneOrder::kFewestFree : ZoneOrder::kMostFree};
  const std::optional<CpuSet> taken =
      TakePreferredCpus(*topology, use, *available, *preferred, wanted);
  return taken.has_value() ? json(taken->ToString()) : json(nullptr);
}

}  // namespace muster::testing
