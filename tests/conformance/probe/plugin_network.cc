// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Network-aware placement: a list of operations, each answered by itself.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/scheduler_plugins/network.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace plugin_network {

using nlohmann::json;
using namespace scheduler_plugins;  // NOLINT: its names are what this file translates

// [NAME, REGION, ZONE]
NetworkNode NetworkNodeIn(const json& row) { return {row[0], row[1], row[2]}; }

json Cost(const json& op) {
  std::vector<Dependency> dependencies;
  for (const json& row : op["dependencies"]) dependencies.push_back({row[0], row[1]});
  std::vector<PlacedPod> pods;
  for (const json& row : op["pods"]) pods.push_back({row[0], NetworkNodeIn(row[1])});
  NetworkCosts costs;
  for (const json& row : op["zones"]) costs.SetZones(row[0], row[1], row[2]);
  for (const json& row : op["regions"]) costs.SetRegions(row[0], row[1], row[2]);
  const NetworkNode node = NetworkNodeIn(op["node"]);
  const NetworkAnswer answer = NetworkCostOf(node, dependencies, pods, costs);
  return {{"reason", answer.fits() ? "" : NetworkReason(node, answer)}, {"cost", answer.cost}};
}

AppPod AppPodIn(const json& row) {
  return {row["application"], row["workload"], row["priority"], row["queued"]};
}

json Before(const json& op) {
  std::vector<WorkloadPlace> order;
  for (const json& row : op["order"]) order.push_back({row[0], row[1]});
  return IsBeforeByTopology(AppPodIn(op["a"]), AppPodIn(op["b"]), order);
}

}  // namespace plugin_network

absl::StatusOr<nlohmann::json> AskPluginNetwork(const nlohmann::json& request) {
  nlohmann::json answers = nlohmann::json::array();
  for (const nlohmann::json& op : request["plugin_network"]) {
    const std::string name = op["op"];
    if (name != "cost" && name != "before") {
      return absl::InvalidArgumentError(absl::StrCat("no rule ", name));
    }
    answers.push_back(name == "cost" ? plugin_network::Cost(op) : plugin_network::Before(op));
  }
  return answers;
}

}  // namespace muster::testing
