// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Machines for the bundles of a group, and for single tasks.
#include "lib/peer/ray/bundles.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/peer/ray/node_choice.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

std::optional<size_t> Position(const json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) return std::nullopt;
  return object[key].get<size_t>();
}

json OrNull(std::optional<size_t> node) { return node.has_value() ? json(*node) : json(); }

absl::StatusOr<json> Bundles(const json& asked, const std::vector<BundleNode>& nodes) {
  static constexpr const char* kOutcomes[] = {"placed", "infeasible", "failed"};
  std::vector<Bundle> bundles;
  for (const json& bundle : asked["bundles"]) {
    bundles.push_back({bundle["request"], bundle["nodes"].get<std::vector<bool>>()});
  }
  BundleOptions options{.wished = Position(asked, "wished"),
                        .used_already = asked["used_already"].get<std::vector<bool>>()};
  const std::string strategy = asked["strategy"];
  options.strategy = strategy == "PACK"          ? BundleStrategy::kPack
                     : strategy == "SPREAD"      ? BundleStrategy::kSpread
                     : strategy == "STRICT_PACK" ? BundleStrategy::kStrictPack
                                                 : BundleStrategy::kStrictSpread;
  const absl::StatusOr<BundlePlan> plan = PlaceBundles(nodes, bundles, options);
  if (!plan.ok()) return plan.status();
  return json{{"outcome", kOutcomes[static_cast<size_t>(plan->outcome)]}, {"nodes", plan->nodes}};
}

}  // namespace

absl::StatusOr<json> AskBundles(const json& request) {
  const json& asked = request["bundles"];
  std::vector<BundleNode> nodes;
  for (const json& node : asked["nodes"]) nodes.push_back({node["total"], node["available"]});
  if (asked.contains("bundles")) return Bundles(asked, nodes);
  MachineChoice choice(nodes, {.counted = asked["counted"].get<std::vector<size_t>>(),
                               .accelerator = Position(asked, "accelerator")});
  Rng rng(0);
  json answers = json::array();
  for (const json& op : asked["ops"]) {
    const std::string what = op["op"];
    const BundleAmounts amounts = op.value("request", BundleAmounts());
    const ChoiceWishes wishes{.preferred = Position(op, "preferred"),
                              .avoids_preferred = op.value("avoids_preferred", false),
                              .needs_room = op.value("needs_room", false),
                              .avoids_accelerators = op.value("avoids_accelerators", false),
                              .threshold = op.value("threshold", 0.5F),
                              .top = op.value("top", size_t{1})};
    if (what == "use") {
      answers.push_back(choice.CriticalUse(op["node"]));
    } else if (what == "in_turn") {
      answers.push_back(OrNull(choice.InTurn(amounts, wishes)));
    } else if (what == "hybrid") {
      answers.push_back(OrNull(choice.Hybrid(amounts, wishes, &rng)));
    } else if (what == "certain") {
      answers.push_back(OrNull(choice.Certain(amounts, Position(op, "node"), op["only_with_room"],
                                              op["or_elsewhere"], wishes, &rng)));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("no choice of a machine: \"", what, "\""));
    }
  }
  return answers;
}

}  // namespace muster::testing
