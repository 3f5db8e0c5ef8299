// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Coscheduling: events of groups and pods, and what is decided for pods, operation after operation.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/scheduler_plugins/coscheduling.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace plugin_gangs {

using nlohmann::json;
using namespace scheduler_plugins;  // NOLINT: its names are what this file translates

GroupPod PodIn(const json& row) {
  return {row["namespace"], row["name"], row.value("group", ""), row.value("gated", false),
          row.value("has_node", false)};
}
WaitingPod WaitingIn(const json& row) {
  return {PodIn(row["pod"]), row["priority"], row["first_tried"]};
}

PodGroupSpec GroupIn(const json& row) {
  PodGroupSpec spec{.min_member = row["min_member"],
                    .min_resources = row.value("min_resources", Amounts()),
                    .created = row["created"]};
  if (row.contains("timeout")) spec.timeout = row["timeout"].get<double>();
  return spec;
}

std::vector<RoomNode> NodesIn(const json& op) {
  std::vector<RoomNode> nodes;
  for (const json& row : op["nodes"]) {
    RoomNode node{.allocatable = row["allocatable"].get<Amounts>()};
    for (const json& pod : row["pods"]) {
      node.pods.push_back({pod["group"], pod["request"].get<Amounts>()});
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

json Events(const std::string& name, const json& op, PodGroups* groups) {
  if (name == "group") {
    groups->SetGroup(op["key"], GroupIn(op));
  } else if (name == "pod") {
    groups->SetPod(PodIn(op["pod"]));
  } else if (name == "failed") {
    groups->MarkFailed(op["key"], op["now"]);
  } else if (name == "not_failed") {
    groups->ClearFailed(op["key"]);
  } else {
    return {};
  }
  return true;
}

json Decisions(const std::string& name, const json& op, PodGroups* groups) {
  static constexpr const char* kChecks[] = {"pass", "backed off", "too few pods", "gated",
                                            "no room"};
  static constexpr const char* kPermits[] = {"allow", "no group", "wait"};
  static constexpr const char* kFailures[] = {"no group", "enough", "tolerated", "rejected"};
  if (name == "before") return groups->IsBefore(WaitingIn(op["a"]), WaitingIn(op["b"]));
  if (name == "queue_time") return groups->QueueTime(WaitingIn(op));
  if (name == "room") {
    return MissingRoom(NodesIn(op), op["need"].get<Amounts>(), op["key"].get<std::string>());
  }
  if (name == "check") {
    return kChecks[static_cast<int>(groups->CheckGroup(PodIn(op["pod"]), NodesIn(op), op["now"]))];
  }
  if (name == "permit") {
    const PermitAnswer answer = groups->Permit(PodIn(op["pod"]));
    return {{"code", kPermits[static_cast<int>(answer.code)]},
            {"seconds", answer.seconds},
            {"pods", answer.pods}};
  }
  if (name == "nothing_fits") {
    const FailureAnswer answer = groups->NothingFits(PodIn(op["pod"]), op["now"]);
    return {{"code", kFailures[static_cast<int>(answer.code)]}, {"pods", answer.rejected}};
  }
  return {};
}

}  // namespace plugin_gangs

absl::StatusOr<nlohmann::json> AskPluginGangs(const nlohmann::json& request) {
  const nlohmann::json& options = request["plugin_gangs"];
  scheduler_plugins::PodGroups groups({options.value("timeout", 60.0),
                                       options.value("backoff", 0.0),
                                       options.value("tolerated_part", 0.1)});
  nlohmann::json answers = nlohmann::json::array();
  for (const nlohmann::json& op : request["ops"]) {
    const std::string name = op["op"];
    nlohmann::json answer = plugin_gangs::Events(name, op, &groups);
    if (answer.is_null()) answer = plugin_gangs::Decisions(name, op, &groups);
    if (answer.is_null()) return absl::InvalidArgumentError(absl::StrCat("no rule ", name));
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
