// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Machines of NUMA zones: which hold a task, how good they are, and the single steps of the way
// there.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/fit/zoned_node.h"
#include "tests/conformance/probe/plugin_pods.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;
using Resources = std::map<std::string, size_t>;

ZonedRequest ZonedRequestOf(const json& amounts, const Resources& resources) {
  ZonedRequest request;
  for (const auto& [name, amount] : amounts.items()) {
    request.push_back({resources.at(name), amount, ZonedResourceOf(name)});
  }
  std::sort(request.begin(), request.end(),
            [](const ZonedAmount& a, const ZonedAmount& b) { return a.resource < b.resource; });
  return request;
}

absl::StatusOr<ZonedNode> NodeOf(const json& object, const Resources& resources) {
  std::vector<Zone> zones;
  for (const json& given : object["zones"]) {
    Zone zone{.id = given["id"],
              .available = std::vector<int64_t>(resources.size(), Zone::kAbsent)};
    for (const auto& [name, amount] : given["available"].items()) {
      zone.available[resources.at(name)] = amount;
    }
    for (const json& pair : given["distances"]) zone.distances.emplace_back(pair[0], pair[1]);
    zones.push_back(std::move(zone));
  }
  std::vector<bool> on_machine(resources.size());
  for (const std::string name : object["has"]) {
    if (const auto it = resources.find(name); it != resources.end()) on_machine[it->second] = true;
  }
  const scheduler_plugins::ZoneConfig config = ZoneConfigOf(object);
  return ZonedNode::Make(
      {.policy = *config.policy, .scope = *config.scope, .most_zones = config.most_zones}, zones,
      on_machine);
}

json AvailableOf(const ZonedNode& node, const Resources& resources) {
  json zones = json::array();
  for (size_t i = 0; i < node.zones(); ++i) {
    json amounts = json::object();
    for (const auto& [name, resource] : resources) {
      const int64_t amount = node.available(i, resource);
      if (amount != Zone::kAbsent) amounts[name] = amount;
    }
    zones.push_back(amounts);
  }
  return zones;
}

absl::StatusOr<json> Step(const json& op, const Resources& resources, ZonedNode* node) {
  const std::string what = op["op"];
  const bool guaranteed = op.value("guaranteed", true);
  const ZonedRequest request = ZonedRequestOf(op.value("request", json::object()), resources);
  if (what == "fewest_zones") {
    const std::optional<ZonedNode::ZoneSet> set = node->FewestZones(request, guaranteed);
    if (!set.has_value()) return json();
    json ids = json::array();
    for (size_t position : set->positions) ids.push_back(node->id(position));
    return json{{"zones", ids}, {"closest", set->is_closest}};
  }
  if (what == "closest") return json(node->ClosestDistance(op["count"]));
  if (what == "distance") {
    return json(node->Distance(op["positions"].get<std::vector<size_t>>()));
  }
  if (what == "concerns_none") return json(node->ConcernsNoZone(request));
  if (what == "take") {
    const absl::Status status = node->TakeFrom(op["zone"], request, guaranteed);
    return json{{"refused", !status.ok()}, {"zones", AvailableOf(*node, resources)}};
  }
  if (what == "take_across") {
    node->TakeAcross(op["positions"].get<std::vector<int>>(), request);
    return json{{"zones", AvailableOf(*node, resources)}};
  }
  if (what == "kind") {
    const ZonedResource kind = ZonedResourceOf(op["name"].get<std::string>());
    return json{{"bound", kind.is_bound}, {"may_float", kind.may_float}};
  }
  if (what == "count_score") {
    return json(ZonedNode::CountScore(op["count"], op["closest"], op["most_zones"]));
  }
  return absl::InvalidArgumentError(absl::StrCat("no question about zones: \"", what, "\""));
}

}  // namespace

absl::StatusOr<json> AskZones(const json& request) {
  static const std::map<std::string, ZoneStrategy> kStrategies = {
      {"LeastAllocated", ZoneStrategy::kLeastAllocated},
      {"MostAllocated", ZoneStrategy::kMostAllocated},
      {"BalancedAllocation", ZoneStrategy::kBalanced},
      {"LeastNUMANodes", ZoneStrategy::kFewestZones}};
  const json& asked = request["zones"];
  Resources resources;
  for (const std::string name : asked["resources"]) resources.emplace(name, resources.size());
  std::map<std::string, ZonedNode> nodes;
  for (const auto& [name, object] : asked["nodes"].items()) {
    absl::StatusOr<ZonedNode> node = NodeOf(object, resources);
    if (!node.ok()) return node.status();
    nodes.emplace(name, *std::move(node));
  }
  json answers = json::array();
  for (const json& op : request["ops"]) {
    if (op.contains("op")) {
      const absl::StatusOr<json> answer = Step(op, resources, &nodes.begin()->second);
      if (!answer.ok()) return answer.status();
      answers.push_back(*answer);
      continue;
    }
    const ZonedTask task = scheduler_plugins::ZonedTaskOf(PluginPodOf(op["task"]), resources);
    ZoneScoring scoring{kStrategies.at(op["strategy"]), std::vector<int64_t>(resources.size(), 0)};
    for (const auto& [name, weight] : op["weights"].items()) {
      if (const auto it = resources.find(name); it != resources.end()) {
        scoring.weights[it->second] = weight;
      }
    }
    json answer;
    for (const auto& [name, node] : nodes) {
      answer["score"][name] = node.Score(task, scoring);
      answer["refusal"][name] = json();
      if (const std::optional<ZonedNode::Refusal> refusal = node.Check(task)) {
        answer["refusal"][name] = refusal->part;
      }
    }
    answer["guaranteed"] = task.guaranteed;
    answers.push_back(answer);
  }
  return answers;
}

}  // namespace muster::testing
