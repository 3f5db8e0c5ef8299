// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// System calls of pods and nodes, operation after operation.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/scheduler_plugins/system_calls.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace plugin_calls {

using nlohmann::json;
using namespace scheduler_plugins;  // NOLINT: its names are what this file translates

ProfiledPod ProfiledPodIn(const json& op) { return {op["pod"], op["paths"]}; }

json Events(const std::string& name, const json& op, SystemCalls* calls) {
  if (name == "profile") {
    std::vector<ProfileRule> rules;
    for (const json& row : op["rules"]) rules.push_back({row[0], row[1]});
    calls->SetProfile({op["namespace"], op["name"]}, rules);
  } else if (name == "add") {
    calls->Add(op["node"], ProfiledPodIn(op));
  } else if (name == "seen") {
    if (CountsWhenSeen(op["phase"].get<std::string>())) calls->Add(op["node"], ProfiledPodIn(op));
  } else if (name == "updated") {
    if (CountsWhenUpdated(op["phase"].get<std::string>(), op["address"].get<std::string>())) {
      calls->Add(op["node"], ProfiledPodIn(op));
    }
  } else if (name == "add_calls") {
    calls->AddCalls(op["node"], ProfiledPodIn(op));
  } else if (name == "remove") {
    calls->Remove(op["node"], op["pod"]);
  } else {
    return {};
  }
  return true;
}

json Questions(const std::string& name, const json& op, const SystemCalls& calls) {
  if (name == "of_pod") return calls.CallsOfPod(ProfiledPodIn(op));
  if (name == "of_profile") return calls.CallsOfProfile({op["namespace"], op["name"]});
  if (name == "of_node") {
    return {{"calls", calls.CallsOfNode(op["node"])}, {"pods", calls.PodsOfNode(op["node"])}};
  }
  if (name == "score") return calls.Score(op["node"], ProfiledPodIn(op));
  if (name == "profile_name") {
    const ProfileName profile = ProfileNameOf(op["path"].get<std::string>());
    return {profile.name_space, profile.name};
  }
  if (name == "reverse") return ReverseScores(op["scores"].get<std::vector<int64_t>>());
  return {};
}

}  // namespace plugin_calls

absl::StatusOr<nlohmann::json> AskPluginCalls(const nlohmann::json& request) {
  const nlohmann::json& standard = request["plugin_calls"];
  scheduler_plugins::SystemCalls calls({standard[0], standard[1]});
  nlohmann::json answers = nlohmann::json::array();
  for (const nlohmann::json& op : request["ops"]) {
    const std::string name = op["op"];
    nlohmann::json answer = plugin_calls::Events(name, op, &calls);
    if (answer.is_null()) answer = plugin_calls::Questions(name, op, calls);
    if (answer.is_null()) return absl::InvalidArgumentError(absl::StrCat("no rule ", name));
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
