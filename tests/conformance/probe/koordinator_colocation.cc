// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Co-location: room for batch and mid work, ratios of CPUs, and what of it a node shows.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/colocation/bands.h"
#include "lib/peer/koordinator/colocation/batch_room.h"
#include "lib/peer/koordinator/colocation/cpu_ratio.h"
#include "lib/peer/koordinator/colocation/mid_room.h"
#include "lib/peer/koordinator/colocation/publication.h"
#include "tests/conformance/probe/koordinator_bands.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using koordinator::BatchRules;
using koordinator::CpuMemory;
using nlohmann::json;

template <class T>
std::optional<T> Given(const json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) return std::nullopt;
  return object[key].get<T>();
}

CpuMemory CpuMemoryOf(const json& pair) { return {pair[0], pair[1]}; }
std::optional<CpuMemory> GivenPair(const json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) return std::nullopt;
  return CpuMemoryOf(object[key]);
}
json PairText(const CpuMemory& pair) { return {pair.cpu, pair.memory}; }
json PairTexts(const std::vector<CpuMemory>& pairs) {
  json out = json::array();
  for (const CpuMemory& pair : pairs) out.push_back(PairText(pair));
  return out;
}

koordinator::NodeView ColocatedNode(const json& row) {
  koordinator::NodeView node{.capacity = CpuMemoryOf(row["capacity"]),
                             .allocatable = CpuMemoryOf(row["allocatable"]),
                             .reserved = CpuMemoryOf(row["reserved"])};
  for (const json& zone : row["zones"]) node.zones.push_back(CpuMemoryOf(zone));
  for (const json& task : row["tasks"]) {
    const koordinator::Service service = ServiceOfMarks(task["marks"]);
    node.tasks.push_back({.name = task["name"],
                          .request = CpuMemoryOf(task["request"]),
                          .band = BandOfMarks(task["marks"]),
                          .is_exclusive = service == koordinator::Service::kLse,
                          .is_active = task["active"],
                          .zones = task["zones"]});
  }
  return node;
}

koordinator::Measurement MeasurementOf(const json& row) {
  koordinator::Measurement measured{.time = Given<int64_t>(row, "time"),
                                    .system = CpuMemoryOf(row["system"]),
                                    .node = GivenPair(row, "node"),
                                    .reclaimable = GivenPair(row, "reclaimable")};
  for (const json& task : row["tasks"]) {
    measured.tasks.push_back({task["name"], CpuMemoryOf(task["usage"]),
                              koordinator::BandByName(task["band"].get<std::string>())});
  }
  for (const json& process : row["processes"]) {
    measured.processes.push_back({CpuMemoryOf(process["usage"]),
                                  koordinator::BandByName(process["band"].get<std::string>())});
  }
  return measured;
}

koordinator::RoomPolicy RoomPolicyOf(const json& word) {
  if (word == "request") return koordinator::RoomPolicy::kRequest;
  return word == "maxUsageRequest" ? koordinator::RoomPolicy::kLarger
                                   : koordinator::RoomPolicy::kUsage;
}

BatchRules BatchRulesOf(const json& row) {
  BatchRules rules{.cpu = RoomPolicyOf(row["cpu_policy"]),
                   .memory = RoomPolicyOf(row["memory_policy"])};
  if (const auto percent = Given<int64_t>(row, "cpu_reclaim")) rules.cpu_reclaim_percent = *percent;
  if (const auto percent = Given<int64_t>(row, "memory_reclaim")) {
    rules.memory_reclaim_percent = *percent;
  }
  rules.most_cpu_percent = Given<int64_t>(row, "most_cpu");
  rules.most_memory_percent = Given<int64_t>(row, "most_memory");
  return rules;
}

koordinator::MidRules MidRulesOf(const json& row) {
  koordinator::MidRules rules{.is_static = row["static"]};
  const auto set = [&row](const char* key, int64_t* percent) {
    if (const auto given = Given<int64_t>(row, key)) *percent = *given;
  };
  set("static_cpu", &rules.static_cpu_percent);
  set("static_memory", &rules.static_memory_percent);
  set("most_cpu", &rules.most_cpu_percent);
  set("most_memory", &rules.most_memory_percent);
  set("unallocated", &rules.unallocated_percent);
  return rules;
}

std::optional<koordinator::CpuModel> CpuModelOf(const json& row) {
  if (row.is_null()) return std::nullopt;
  return koordinator::CpuModel{row["name"], row["hyper_threads"], row["turbo"]};
}

koordinator::NormalizationRules NormalizationRulesOf(const json& row) {
  koordinator::NormalizationRules rules{.fallback = Given<double>(row, "fallback")};
  for (const auto& [name, ratios] : row["models"].items()) {
    rules.models.push_back({.name = name,
                            .base = Given<double>(ratios, "baseRatio"),
                            .turbo = Given<double>(ratios, "turboEnabledRatio"),
                            .hyper_threads = Given<double>(ratios, "hyperThreadEnabledRatio"),
                            .both = Given<double>(ratios, "hyperThreadTurboEnabledRatio")});
  }
  return rules;
}

template <class T>
json OrRefused(const absl::StatusOr<T>& result) {
  if (!result.ok()) return {{"refused", result.status().ToString()}};
  return *result;
}

json AskRoom(const std::string& ask, const json& in) {
  if (ask == "margin") return PairText(MarginOf(CpuMemoryOf(in["amount"]), BatchRulesOf(in)));
  if (ask == "parts") {
    return PairTexts(
        koordinator::PartsOfZones(CpuMemoryOf(in["amount"]), in["bound"], in["count"]));
  }
  if (ask == "divide") {
    return PairText(koordinator::DividedBy(CpuMemoryOf(in["amount"]), in["count"]));
  }
  const koordinator::Measurement measured = MeasurementOf(in["measured"]);
  if (ask == "stale") return koordinator::IsStale(measured, in["now"], in["minutes"]);
  const koordinator::NodeView node = ColocatedNode(in["node"]);
  if (ask == "mid") return PairText(MidRoom(node, measured, MidRulesOf(in["rules"])));
  const BatchRules rules = BatchRulesOf(in["rules"]);
  return {{"node", PairText(BatchRoom(node, measured, rules))},
          {"zones", PairTexts(BatchRoomOfZones(node, measured, rules))}};
}

json AskRatio(const std::string& ask, const json& in) {
  if (ask == "ratio_changed") {
    return koordinator::IsRatioChangeShown(Given<double>(in, "old"), Given<double>(in, "new"));
  }
  if (ask == "amplification") {
    koordinator::Ratios factors;
    for (const auto& [name, factor] : in["factors"].items()) factors.emplace_back(name, factor);
    const auto amplified =
        koordinator::AmplificationOf(factors, Given<double>(in, "normalization"));
    if (!amplified.ok()) return {{"refused", amplified.status().ToString()}};
    json out = json::object();
    for (const auto& [name, factor] : *amplified) out[name] = factor;
    return out;
  }
  const auto rules = NormalizationRulesOf(in["rules"]);
  const auto machine = CpuModelOf(in["machine"]);
  if (ask == "table_ratio") {
    if (!machine.has_value()) return {{"refused", "no model"}};
    return OrRefused(TableRatio(*machine, rules));
  }
  const bool is_on = koordinator::IsNormalized(Given<bool>(in, "label"), Given<bool>(in, "on"));
  return OrRefused(NormalizationOf(machine, rules, is_on));
}

json AskShown(const std::string& ask, const json& in) {
  if (ask == "shown") {
    return {{"amplified", koordinator::AmplifiedBatchCpu(in["amount"], in["ratio"])},
            {"whole", koordinator::ShownBatchCpu(in["amount"], in["ratio"])}};
  }
  if (ask == "changed") {
    return koordinator::IsChangeShown(Given<int64_t>(in, "old"), Given<int64_t>(in, "new"),
                                      in["threshold"]);
  }
  if (ask == "due") return koordinator::IsDue(Given<int64_t>(in, "age"), in["limit"]);
  return koordinator::WithoutOthers(in["room"], in["held"]);
}

struct ColocationQuestion {
  std::string_view ask;
  json (*answer)(const std::string& ask, const json& in);
};

constexpr ColocationQuestion kColocationQuestions[] = {
    {"batch", AskRoom},          {"mid", AskRoom},
    {"stale", AskRoom},          {"margin", AskRoom},
    {"parts", AskRoom},          {"divide", AskRoom},
    {"normalization", AskRatio}, {"table_ratio", AskRatio},
    {"ratio_changed", AskRatio}, {"amplification", AskRatio},
    {"shown", AskShown},         {"changed", AskShown},
    {"due", AskShown},           {"without_others", AskShown},
};

}  // namespace

absl::StatusOr<json> AskKoordinatorColocation(const json& request) {
  const json& in = request["koordinator_colocation"];
  const std::string ask = in["ask"];
  for (const ColocationQuestion& question : kColocationQuestions) {
    if (question.ask == ask) return question.answer(ask, in);
  }
  return absl::InvalidArgumentError(absl::StrCat("koordinator_colocation: no question ", ask));
}

}  // namespace muster::testing
