// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Measured load: what each node is estimated to carry, and whether a task still goes there.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/koordinator/measured_load.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

// Until when a task counts with its estimate.
std::optional<int64_t> UntilOf(const json& object) {
  if (!object.contains("warm_up")) return std::nullopt;
  const json& initialized = object["initialized"];
  return EstimatedUntil(
      object["assigned"],
      initialized.is_null() ? std::nullopt : std::optional<int64_t>(initialized.get<int64_t>()),
      {object["warm_up"][0], object["warm_up"][1]});
}

LoadTask LoadTaskOf(const json& object) {
  LoadTask task{.production = object["production"], .assigned = object["assigned"]};
  for (const json& use : object["estimate"]) {
    task.estimate.push_back(use.is_array() ? EstimateUse(use[0], use[1], use[2])
                                           : use.get<int64_t>());
  }
  task.estimated_until = UntilOf(object);
  return task;
}

LoadView ViewOf(const json& object) {
  return {.production = object.value("production", false),
          .with_system = object.value("with_system", false),
          .percentile = object.value("percentile", ""),
          .duration = object.value("duration", int64_t{0})};
}

LoadReport ReportOf(const json& object) {
  LoadReport report{.time = object["time"],
                    .interval = object["interval"],
                    .usage = object["usage"],
                    .system = object["system"]};
  for (const json& task : object["tasks"]) {
    report.tasks[task["name"]] = {task["usage"], task["production"]};
  }
  for (const json& entry : object["aggregated"]) {
    report.aggregated[{entry[0], entry[1]}] = entry[2].get<Loads>();
  }
  return report;
}

}  // namespace

absl::StatusOr<json> AskLoads(const json& request) {
  const json& asked = request["loads"];
  if (asked.contains("warming")) {
    const std::optional<int64_t> until = UntilOf(asked["warming"]);
    return until.has_value() ? json(*until) : json();
  }
  const std::vector<int64_t> weights = asked["weights"];
  std::map<std::string, NodeLoad> nodes;
  for (const auto& [name, node] : asked["nodes"].items()) {
    for (const json& task : node["tasks"]) nodes[name].Assign(task["name"], LoadTaskOf(task));
    if (node.contains("report")) nodes[name].Report(ReportOf(node["report"]));
  }
  json steps = json::array();
  for (const json& op : request["ops"]) {
    const LoadTask task = LoadTaskOf(op);
    json step = {{"estimate", task.estimate}};
    for (const auto& [name, node] : asked["nodes"].items()) {
      const std::vector<int64_t> capacity = node["capacity"];
      const auto with_task = [&, &name = name](const json& view) {
        std::optional<Loads> load = nodes[name].Estimate(ViewOf(view));
        for (size_t i = 0; load.has_value() && i < task.estimate.size(); ++i) {
          (*load)[i] += task.estimate[i];
        }
        return load;
      };
      const json& filter = op["filter"][name];
      const std::optional<Loads> load = with_task(filter);
      const std::vector<int64_t> thresholds = filter["thresholds"];
      step["fits"][name] =
          !load.has_value() || !FirstAbove(*load, capacity, thresholds).has_value();
      const std::optional<Loads> scored = with_task(op["score"]);
      if (scored.has_value()) step["load"][name] = *scored;
      step["score"][name] =
          scored.has_value() ? LoadScore(*scored, capacity, weights, asked["dominant"]) : 0;
    }
    if (op.contains("node")) nodes[op["node"]].Assign(op["name"], task);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace muster::testing
