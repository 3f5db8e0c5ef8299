// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The plan of a profile on an imported scenario, in words.
#include <string>

#include "lib/scenario/scenario.h"
#include "muster/muster.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

const char* WordOf(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kBind:
      return "bind";
    case DecisionKind::kEvict:
      return "evict";
    case DecisionKind::kNominate:
      return "nominate";
    case DecisionKind::kReserve:
      return "reserve";
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<json> AskPlan(const json& request) {
  const json& ask = request.at("plan");
  const absl::StatusOr<Scenario> scenario = ParseScenario(ask.at("scenario").get<std::string>());
  if (!scenario.ok()) return scenario.status();
  Cluster cluster;
  if (absl::Status filled = Fill(*scenario, &cluster); !filled.ok()) return filled;
  const absl::StatusOr<Plan> plan =
      Schedule(cluster.Freeze(), ask.at("profile").get<std::string>(), {});
  if (!plan.ok()) return plan.status();
  json decisions = json::array(), messages = json::object();
  for (const Decision& decision : plan->decisions()) {
    const char* word = WordOf(decision.kind);
    if (word == nullptr) continue;
    decisions.push_back({word, plan->task_name(decision.task), plan->node_name(decision.node)});
  }
  for (const PendingTask& pending : plan->pending()) {
    messages[std::string(plan->task_name(pending.task))] = plan->reasons()[pending.reason].where;
  }
  return json{{"decisions", decisions}, {"messages", messages}};
}

}  // namespace muster::testing
