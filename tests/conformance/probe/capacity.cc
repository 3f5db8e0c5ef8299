// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic quotas of namespaces: events one after the other, and what a task may do.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/scheduler_plugins/capacity_preemption.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;
using DryRunResult = CapacityCluster::DryRunResult;

NamedAmounts Amounts(const json& object) {
  NamedAmounts amounts;
  for (const auto& [name, amount] : object.items())
    amounts.emplace_back(name, amount.get<int64_t>());
  return amounts;
}

CapacityLimits LimitsOf(const json& object) {
  CapacityLimits limits;
  if (object.contains("min")) limits.min = Amounts(object["min"]);
  if (object.contains("max")) limits.max = Amounts(object["max"]);
  if (object.contains("used")) limits.used = Amounts(object["used"]);
  return limits;
}

CapacityTask TaskOf(const json& object) {
  CapacityTask task{.name = object["name"],
                    .name_space = object["namespace"],
                    .request = Amounts(object["request"]),
                    .priority = object.value("priority", 0),
                    .started = object.value("started", int64_t{0}),
                    .preempts = object.value("preempts", true),
                    .is_leaving = object.value("leaving", false),
                    .nominated = object.value("nominated", "")};
  if (object.contains("charge")) task.charge = Amounts(object["charge"]);
  return task;
}

json Written(const ResourceNames& names, const Sparse& amounts) {
  json written = json::object();
  for (const auto& [name, amount] : names.Named(amounts)) written[name] = amount;
  return written;
}

json AccountsOf(const CapacityQuotas& quotas) {
  json accounts = json::object();
  for (const std::string& name : quotas.NameSpaces()) {
    const CapacityQuotas::Account& account = quotas.at(quotas.Find(name));
    std::vector<std::string> tasks(account.tasks.begin(), account.tasks.end());
    std::sort(tasks.begin(), tasks.end());
    accounts[name] = {{"min", Written(quotas.names(), account.min)},
                      {"used", Written(quotas.names(), account.used)},
                      {"tasks", tasks}};
    if (!account.unlimited) accounts[name]["max"] = Written(quotas.names(), account.max);
  }
  return accounts;
}

json Decision(const CapacityCluster& cluster, const CapacityCluster::Demand& demand) {
  static constexpr const char* kVerdicts[] = {"fits", "above max", "above mins"};
  static constexpr const char* kRights[] = {"may", "never", "victims leaving"};
  static constexpr const char* kOutcomes[] = {"victims",    "no candidate",  "no room", "too large",
                                              "over quota", "removed twice", "needless"};
  using Fit = CapacityCluster::Fit;
  json answer;
  const CapacityCluster::Verdict verdict = cluster.Admit(demand);
  answer["verdict"] = kVerdicts[static_cast<size_t>(verdict)];
  std::vector<Fit> fits;
  json feasible = json::array();
  for (size_t i = 0; i < cluster.nodes(); ++i) {
    fits.push_back(cluster.FitOn(demand, i));
    if (fits[i] == Fit::kFits) feasible.push_back(cluster.node(i));
    if (verdict != CapacityCluster::Verdict::kFits) fits[i] = Fit::kNoRoom;  // no node was asked
  }
  answer["feasible"] = feasible;
  if (verdict == CapacityCluster::Verdict::kFits && !feasible.empty()) return answer;
  std::optional<Fit> nominated_fit;
  std::vector<DryRunResult> results;
  for (size_t i = 0; i < cluster.nodes(); ++i) {
    if (cluster.node(i) == demand.nominated) nominated_fit = fits[i];
    if (fits[i] == Fit::kNoRoom) results.push_back(cluster.DryRun(demand, i));
  }
  answer["right"] = kRights[static_cast<size_t>(cluster.RightOf(demand, nominated_fit))];
  answer["offers"] = json::object();
  for (const DryRunResult& result : results) {
    json victims = json::array();
    for (uint32_t victim : result.victims) victims.push_back(cluster.task(victim));
    answer["offers"][cluster.node(result.node)] = {
        {"outcome", kOutcomes[static_cast<size_t>(result.outcome)]},
        {"victims", victims},
        {"broken_budgets", result.broken_budgets}};
  }
  if (const std::optional<size_t> chosen = cluster.Choose(results)) {
    answer["chosen"] = cluster.node(results[*chosen].node);
  }
  return answer;
}

absl::Status Do(const json& op, CapacityCluster* cluster, json* step) {
  const std::string what = op["op"], name_space = op.value("namespace", "");
  CapacityQuotas& quotas = cluster->quotas();
  if (what == "add") return quotas.Add(name_space, LimitsOf(op));
  if (what == "update") return quotas.Update(name_space, LimitsOf(op));
  if (what == "use") return quotas.Use(name_space, std::string(op["name"]), Amounts(op["request"]));
  if (what == "release") {
    return quotas.Release(name_space, std::string(op["name"]), Amounts(op["request"]));
  }
  if (what == "node") {
    return cluster->AddNode({op["name"], Amounts(op["capacity"]), op["tasks"]});
  }
  if (what == "run") return cluster->Run(TaskOf(op["task"]), std::string(op["node"]));
  if (what == "nominate") return cluster->Nominate(TaskOf(op["task"]));
  if (what == "remove") {
    quotas.Remove(name_space);
    return absl::OkStatus();
  }
  if (what == "over") {
    const absl::StatusOr<Sparse> more = quotas.Request("more", Amounts(op["more"]));
    if (!more.ok()) return more.status();
    const CapacityQuotas::Account& account = quotas.at(quotas.Find(name_space));
    (*step)["over"] = {{"min", CapacityQuotas::OverMin(account, account.used)},
                       {"min_with", CapacityQuotas::OverMin(account, account.used, *more)},
                       {"max_with", CapacityQuotas::OverMax(account, account.used, *more)}};
    return absl::OkStatus();
  }
  if (what == "right") {
    const absl::StatusOr<CapacityCluster::Demand> demand = cluster->DemandOf(TaskOf(op["task"]));
    if (!demand.ok()) return demand.status();
    const auto fit =
        op["too_large"] ? CapacityCluster::Fit::kTooLarge : CapacityCluster::Fit::kNoRoom;
    (*step)["right"] = cluster->RightOf(*demand, fit) == CapacityCluster::Right::kMay;
    return absl::OkStatus();
  }
  if (what == "decide") {
    const absl::StatusOr<CapacityCluster::Demand> demand = cluster->DemandOf(TaskOf(op["task"]));
    if (!demand.ok()) return demand.status();
    (*step)["decision"] = Decision(*cluster, *demand);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("no event of quotas: \"", what, "\""));
}

}  // namespace

absl::StatusOr<json> AskCapacity(const json& request) {
  CapacityCluster cluster;
  json steps = json::array();
  for (const json& op : request["capacity"]) {
    json step = json::object();
    if (const absl::Status status = Do(op, &cluster, &step); !status.ok()) {
      step["refused"] = std::string(status.message());
    }
    if (op["op"] != "run" && op["op"] != "node") step["accounts"] = AccountsOf(cluster.quotas());
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace muster::testing
