// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The loop of muster_probe; probe.h has its language.
#include <iostream>
#include <string>
#include <string_view>

#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

struct Topic {
  std::string_view key;
  absl::StatusOr<nlohmann::json> (*ask)(const nlohmann::json& request);
};

// A request without one of these keys is a question to a session.
constexpr Topic kTopics[] = {
    {"amount", AskAmounts},
    {"armada", AskArmada},
    {"bundles", AskBundles},
    {"capacity", AskCapacity},
    {"cards", AskCards},
    {"condor", AskCondor},
    {"cpus", AskCpus},
    {"devices", AskDevices},
    {"drf", AskDrf},
    {"import", AskImport},
    {"kai", AskKai},
    {"kube_cycles", AskKubeCycles},
    {"koordinator_colocation", AskKoordinatorColocation},
    {"koordinator_gangs", AskKoordinatorGangs},
    {"koordinator_rebalance", AskKoordinatorRebalance},
    {"kueue", AskKueue},
    {"kueue_rule", AskKueueRule},
    {"kueue_topology", AskKueueTopology},
    {"kueue_topology_steps", AskKueueTopologySteps},
    {"kueue_view", AskKueueView},
    {"loads", AskLoads},
    {"mesos", AskMesos},
    {"numa", AskNuma},
    {"plan", AskPlan},
    {"plugin_calls", AskPluginCalls},
    {"plugin_gangs", AskPluginGangs},
    {"plugin_network", AskPluginNetwork},
    {"plugin_pods", AskPluginPods},
    {"plugin_scores", AskPluginScores},
    {"plugin_zones", AskPluginZones},
    {"pulsar", AskPulsar},
    {"quota_forest", AskQuotaForest},
    {"quota_level", AskQuotaLevel},
    {"quota_profile", AskQuotaProfile},
    {"quota_rules", AskQuotaRules},
    {"quota_tree", AskQuotaTree},
    {"quota_victims", AskQuotaVictims},
    {"reservations", AskReservations},
    {"cpu_binding", AskCpuBinding},
    {"yarn", AskYarn},
    {"yunikorn", AskYuniKorn},
    {"zones", AskZones},
};

nlohmann::json Answer(const std::string& line) {
  const nlohmann::json request = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!request.is_object()) return {{"error", "a request is a JSON object"}};
  auto ask = AskSession;
  for (const Topic& topic : kTopics) {
    if (request.contains(topic.key)) ask = topic.ask;
  }
  const absl::StatusOr<nlohmann::json> answer = ask(request);
  if (!answer.ok()) return {{"error", std::string(answer.status().message())}};
  return {{request.contains("amount") ? "answer" : "answers", *answer}};
}

}  // namespace
}  // namespace muster::testing

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << muster::testing::Answer(line).dump() << std::endl;
  }
  return 0;
}
