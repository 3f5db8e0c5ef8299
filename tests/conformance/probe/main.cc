// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The loop of muster_probe; probe.h has its language.
#include <iostream>
#include <string>

#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

nlohmann::json Answer(const std::string& line) {
  const nlohmann::json request = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!request.is_object()) return {{"error", "a request is a JSON object"}};
  const bool amounts = request.contains("amount");
  const auto ask = amounts                             ? AskAmounts
                   : request.contains("quota_tree")    ? AskQuotaTree
                   : request.contains("quota_forest")  ? AskQuotaForest
                   : request.contains("quota_profile") ? AskQuotaProfile
                   : request.contains("quota_rules")   ? AskQuotaRules
                   : request.contains("quota_level")   ? AskQuotaLevel
                   : request.contains("quota_victims") ? AskQuotaVictims
                   : request.contains("capacity")      ? AskCapacity
                   : request.contains("cpus")          ? AskCpus
                   : request.contains("devices")       ? AskDevices
                   : request.contains("loads")         ? AskLoads
                   : request.contains("zones")         ? AskZones
                   : request.contains("bundles")       ? AskBundles
                   : request.contains("drf")           ? AskDrf
                   : request.contains("numa")          ? AskNuma
                   : request.contains("cards")         ? AskCards
                   : request.contains("import")        ? AskImport
                                                       : AskSession;
  const absl::StatusOr<nlohmann::json> answer = ask(request);
  if (!answer.ok()) return {{"error", std::string(answer.status().message())}};
  return {{amounts ? "answer" : "answers", *answer}};
}

}  // namespace
}  // namespace muster::testing

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << muster::testing::Answer(line).dump() << std::endl;
  }
  return 0;
}
