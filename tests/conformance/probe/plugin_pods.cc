// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What scheduler-plugins read from pods and from topology managers: a list of operations, each
// answered by itself.
#include "tests/conformance/probe/plugin_pods.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace plugin_pods {

using nlohmann::json;
using namespace scheduler_plugins;  // NOLINT: its names are what this file translates
using Attributes = std::vector<std::pair<std::string, std::string>>;

Attributes AttributesIn(const json& row) { return row.value("attributes", Attributes()); }
std::vector<std::string> PoliciesIn(const json& row) {
  return row.value("policies", std::vector<std::string>());
}

json Written(const ZoneConfig& config) {
  json row = {{"policy", nullptr}, {"scope", nullptr}, {"zones", config.most_zones}};
  for (const char* word : {"none", "best-effort", "restricted", "single-numa-node"}) {
    if (config.policy.has_value() && ZonePolicyOf(word) == config.policy) row["policy"] = word;
  }
  for (const char* word : {"container", "pod"}) {
    if (config.scope.has_value() && ZoneScopeOf(word) == config.scope) row["scope"] = word;
  }
  return row;
}

// What a source alone sets.
ZoneConfig Part(const json& row) {
  ZoneConfig config;
  ApplyPolicies(PoliciesIn(row), &config);
  ApplyAttributes(AttributesIn(row), &config);
  return config;
}

json Config(const std::string& name, const json& op) {
  if (name == "config") return Written(ZoneConfigOf(op));
  if (name == "config_part") return Written(Part(op));
  if (name == "same_config") return Part(op["a"]) == Part(op["b"]);
  if (name == "is_policy") return ZonePolicyOf(op["word"].get<std::string>()).has_value();
  if (name == "is_scope") return ZoneScopeOf(op["word"].get<std::string>()).has_value();
  return {};
}

json Pod(const std::string& name, const json& op) {
  if (name == "is_sidecar") {
    return InitPartOf(op["restart"].get<std::string>()) == ZonedTask::Part::kSidecar;
  }
  if (!op.contains("pod")) return {};
  const PodView pod = PluginPodOf(op["pod"]);
  if (name == "effective") return EffectiveRequest(pod);
  if (name == "service") return static_cast<int>(ServiceOf(pod));
  if (name == "extended") return RequestsExtended(pod);
  if (name == "exclusive") return RequestsExclusive(pod, op["of_zones"].get<ResourceNames>());
  return {};
}

}  // namespace plugin_pods

scheduler_plugins::PodView PluginPodOf(const nlohmann::json& row) {
  using scheduler_plugins::Amounts;
  scheduler_plugins::PodView pod{.overhead = row.value("overhead", Amounts())};
  for (const nlohmann::json& container : row["containers"]) {
    const auto part = container.value("init", false)
                          ? scheduler_plugins::InitPartOf(container.value("restart", ""))
                          : ZonedTask::Part::kMain;
    pod.containers.push_back({part, container.value("requests", Amounts()),
                              container.value("limits", Amounts()), container.value("name", "")});
  }
  const std::string service = row.value("service", "");
  if (service == "Guaranteed") pod.stated_service = scheduler_plugins::ServiceClass::kGuaranteed;
  if (service == "Burstable") pod.stated_service = scheduler_plugins::ServiceClass::kBurstable;
  if (service == "BestEffort") pod.stated_service = scheduler_plugins::ServiceClass::kBestEffort;
  return pod;
}

scheduler_plugins::ZoneConfig ZoneConfigOf(const nlohmann::json& row) {
  return scheduler_plugins::ReadZoneConfig(plugin_pods::PoliciesIn(row),
                                           plugin_pods::AttributesIn(row));
}

absl::StatusOr<nlohmann::json> AskPluginPods(const nlohmann::json& request) {
  nlohmann::json answers = nlohmann::json::array();
  for (const nlohmann::json& op : request["plugin_pods"]) {
    const std::string name = op["op"];
    nlohmann::json answer = plugin_pods::Config(name, op);
    if (answer.is_null()) answer = plugin_pods::Pod(name, op);
    if (answer.is_null()) return absl::InvalidArgumentError(absl::StrCat("no rule ", name));
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
