// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules of scheduler-plugins that read metrics of nodes and the pods on them.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/scheduler_plugins/load/metrics.h"
#include "lib/peer/scheduler_plugins/load/recent_pods.h"
#include "tests/conformance/probe/plugin_pods.h"

namespace muster::testing {
namespace plugin_loads {

using nlohmann::json;
using namespace scheduler_plugins;  // NOLINT: its names are what this file translates

MetricKind KindOf(const std::string& word) {
  if (word == "CPU") return MetricKind::kCpu;
  return word == "Memory" ? MetricKind::kMemory : MetricKind::kOther;
}

// [KIND, OPERATOR, PERCENT]
std::vector<Metric> MetricsIn(const json& op) {
  static const std::map<std::string, MetricValue> kValues = {{"AVG", MetricValue::kAverage},
                                                             {"Latest", MetricValue::kLatest},
                                                             {"STD", MetricValue::kDeviation},
                                                             {"", MetricValue::kUnstated}};
  std::vector<Metric> metrics;
  for (const json& row : op["metrics"]) {
    const auto found = kValues.find(row[1]);
    metrics.push_back(
        {KindOf(row[0]), found == kValues.end() ? MetricValue::kOther : found->second, row[2]});
  }
  return metrics;
}

// [THOUSANDTHS OF A CORE, BYTES]
CpuMemory BothIn(const json& row) { return {row[0], row[1]}; }
json Written(const CpuMemory& both) { return {both.cpu, both.memory}; }
json Written(const RiskBooks& books) {
  return {{"capacity", books.capacity},
          {"request", books.request},
          {"limit", books.limit},
          {"request_without", books.request_without},
          {"limit_without", books.limit_without}};
}

std::vector<PodView> PodsIn(const json& rows) {
  std::vector<PodView> pods;
  for (const json& row : rows) pods.push_back(PluginPodOf(row));
  return pods;
}

json NodeScore(const std::string& name, const json& op) {
  if (name == "node_variation") {
    return LoadVariationNodeScore(MetricsIn(op), BothIn(op["allocatable"]),
                                  LoadRequest(PluginPodOf(op["pod"])),
                                  {op["margin"], op["sensitivity"]});
  }
  if (name == "node_target") {
    return TargetLoadNodeScore(MetricsIn(op), {op["capacity"], 0, op["expected"], op["missing"]},
                               op["target"]);
  }
  if (name == "node_power") {
    const PowerModel model{op["model"]["K0"], op["model"]["K1"], op["model"]["K2"]};
    return PowerNodeScore(MetricsIn(op), model, op["capacity"], op["request"]);
  }
  if (name == "node_low_risk") {
    return LowRiskNodeScore(MetricsIn(op), BothIn(op["allocatable"]), PluginPodOf(op["pod"]),
                            PodsIn(op["on_node"]),
                            {op["weights"][0], op["weights"][1], op["window"]});
  }
  return {};
}

json Books(const std::string& name, const json& op) {
  if (name == "measured") {
    const std::optional<ResourceLoad> load =
        MeasuredLoad(MetricsIn(op), KindOf(op["kind"]), op["capacity"], op["request"]);
    if (!load.has_value()) return false;
    return {load->capacity, load->request, load->mean, load->deviation};
  }
  if (name == "load_request") return Written(LoadRequest(PluginPodOf(op["pod"])));
  if (name == "load_limit") return Written(LoadLimit(PluginPodOf(op["pod"])));
  if (name == "node_books") {
    const NodeBooks books =
        BooksOf(PluginPodOf(op["pod"]), PodsIn(op["on_node"]), BothIn(op["allocatable"]));
    return {Written(books.cpu), Written(books.memory)};
  }
  if (name == "recent") {
    RecentPods pods;
    for (const json& row : op["placed"]) pods.Place(row[0], 0, row[1]);
    pods.Forget(op["now"]);
    json names = json::array();
    for (const RecentPods::Placed& placed : pods.placed()) names.push_back(placed.pod);
    return names;
  }
  return {};
}

}  // namespace plugin_loads

nlohmann::json AnswerPluginLoad(const nlohmann::json& op) {
  const std::string name = op["op"];
  const nlohmann::json score = plugin_loads::NodeScore(name, op);
  return score.is_null() ? plugin_loads::Books(name, op) : score;
}

}  // namespace muster::testing
