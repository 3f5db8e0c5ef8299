// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reports of NUMA zones: their caches, fingerprints, placements and evictions, operation after
// operation.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/scheduler_plugins/zones/eviction.h"
#include "tests/conformance/probe/plugin_pods.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace plugin_zones {

using nlohmann::json;
using namespace scheduler_plugins;  // NOLINT: its names are what this file translates

std::optional<std::string> WordIn(const json& op) {
  return op["word"].is_null() ? std::nullopt : std::optional<std::string>(op["word"]);
}

NodeReport ReportIn(const json& row) {
  NodeReport report{.node = row["node"],
                    .policies = row["policies"],
                    .attributes = row["attributes"],
                    .fingerprint_annotation = row["annotation"]};
  for (const json& zone : row["zones"]) {
    ReportedZone read{.name = zone["name"], .attributes = zone["attributes"]};
    for (const json& amount : zone["amounts"]) {
      read.amounts.push_back({amount[0], amount[1], amount[2]});
    }
    report.zones.push_back(std::move(read));
  }
  return report;
}
json Written(const NodeReport& report) {
  json zones = json::array();
  for (const ReportedZone& zone : report.zones) {
    json amounts = json::array();
    for (const ReportedAmount& amount : zone.amounts) {
      amounts.push_back({amount.resource, amount.allocatable, amount.available});
    }
    zones.push_back({{"name", zone.name}, {"amounts", amounts}, {"attributes", zone.attributes}});
  }
  return {{"node", report.node},
          {"policies", report.policies},
          {"attributes", report.attributes},
          {"annotation", report.fingerprint_annotation},
          {"zones", zones}};
}
std::map<std::string, NodeReport> ReportsIn(const json& rows) {
  std::map<std::string, NodeReport> reports;
  for (const json& row : rows) reports[row["node"]] = ReportIn(row);
  return reports;
}

PodName NameIn(const json& row) { return {row[0], row[1]}; }
std::vector<NodePod> NodePodsIn(const json& rows) {
  std::vector<NodePod> pods;
  for (const json& row : rows) {
    pods.push_back({NameIn(row["name"]), row["exclusive"], row["pinned"]});
  }
  return pods;
}
PodsOfNodes PodsIn(const json& nodes) {
  PodsOfNodes pods;
  for (const auto& [node, rows] : nodes.items()) pods[node] = NodePodsIn(rows);
  return pods;
}
Victim VictimIn(const json& row) { return {NameIn(row["name"]), PluginPodOf(row["pod"])}; }
std::vector<Victim> VictimsIn(const json& rows) {
  std::vector<Victim> victims;
  for (const json& row : rows) victims.push_back(VictimIn(row));
  return victims;
}
// {HASH: ZONE}
Placements PlacementsIn(const json& row) {
  Placements placements;
  for (const auto& [hash, zone] : row.items()) placements[std::stoull(hash)] = zone;
  return placements;
}
json Written(const Placements& placements) {
  json row = json::object();
  for (const auto& [hash, zone] : placements) row[absl::StrCat(hash)] = zone;
  return row;
}

struct State {
  OverReserveCache cache;
  DiscardReservedCache discard;
  EvictionTrial trial;
};

json Events(const std::string& name, const json& op, State* state) {
  OverReserveCache& cache = state->cache;
  if (name == "reserve") {
    return cache.Reserve(op["node"], op["key"], EffectiveRequest(PluginPodOf(op["pod"])));
  }
  if (name == "unreserve") return cache.Unreserve(op["node"], op["key"]);
  if (name == "note_change") return cache.NoteChange(ReportIn(op["report"]));
  if (name == "put") {
    cache.Put(ReportIn(op["report"]));
  } else if (name == "over_reserved") {
    cache.MarkOverReserved(op["node"]);
  } else if (name == "foreign") {
    cache.MarkForeign(op["node"]);
  } else if (name == "discard_reserve") {
    state->discard.Reserve(op["node"], op["uid"]);
  } else if (name == "discard_release") {
    state->discard.Release(op["node"], op["uid"]);
  } else if (name == "trial_start") {
    state->trial.Start();
  } else {
    return {};
  }
  return true;
}

json Cache(const std::string& name, const json& op, State* state) {
  OverReserveCache& cache = state->cache;
  if (name == "get") {
    const CachedReport answer = cache.Get(op["node"]);
    json report = answer.report.has_value() ? Written(*answer.report) : json();
    return {{"fresh", answer.is_fresh}, {"generation", answer.generation}, {"report", report}};
  }
  if (name == "desynced") {
    const OverReserveCache::Desynced nodes = cache.desynced();
    return {{"generation", nodes.generation},
            {"dirty", nodes.dirty},
            {"config_changed", nodes.config_changed}};
  }
  if (name == "updates") {
    return cache.Updates(cache.desynced(), ReportsIn(op["latest"]), PodsIn(op["pods"])).size();
  }
  if (name == "flush") {
    std::vector<NodeReport> reports;
    for (const json& row : op["reports"]) reports.push_back(ReportIn(row));
    return cache.Flush(reports);
  }
  if (name == "resync") return cache.Resync(ReportsIn(op["latest"]), PodsIn(op["pods"]));
  if (name == "discard_fresh") return state->discard.IsFresh(op["node"]);
  return {};
}

json Rules(const std::string& name, const json& op) {
  static constexpr const char* kMethods[] = {"Autodetect", "All", "OnlyExclusiveResources"};
  static constexpr const char* kForeign[] = {"All", "None", "OnlyExclusiveResources"};
  static constexpr const char* kChecks[] = {"match", "malformed fingerprint",
                                            "incompatible version", "fingerprint mismatch"};
  if (name == "resync_method") return kMethods[static_cast<int>(*ResyncMethodOf(WordIn(op)))];
  if (name == "foreign_pods") return kForeign[static_cast<int>(*ForeignPodsOf(WordIn(op)))];
  if (name == "preempts") return *PreemptsByZones(WordIn(op)) ? "Enabled" : "Disabled";
  if (name == "counts") {
    return CountsOnNode(op["phase"].get<std::string>(), op["node"].get<std::string>(), op["own"]);
  }
  if (name == "node_pod") {
    const NodePod pod = NodePodOf(NameIn(op["name"]), PluginPodOf(op["pod"]), op["of_zones"]);
    return {{"exclusive", pod.is_exclusive}, {"pinned", pod.pinned}};
  }
  if (name == "is_foreign") {
    return IsForeign({op["node"], op["scheduler"], PluginPodOf(op["pod"])},
                     {op["schedulers"], *ForeignPodsOf(WordIn(op))}, op["of_zones"]);
  }
  if (name == "resource_names") return ResourceNamesOf(ReportIn(op["report"]));
  if (name == "fingerprint_of") {
    const ExpectedFingerprint expected =
        FingerprintOf(ReportIn(op["report"]), *ResyncMethodOf(WordIn(op)));
    return {{"text", expected.text}, {"only_exclusive", expected.only_exclusive}};
  }
  if (name == "check_fingerprint") {
    std::vector<PodName> pods;
    for (const json& row : op["pods"]) pods.push_back(NameIn(row));
    return kChecks[static_cast<int>(CheckFingerprint(op["expected"].get<std::string>(), pods))];
  }
  return {};
}

json Evictions(const std::string& name, const json& op, State* state) {
  if (name == "placements") {
    return Written(ReadPlacements(ReportIn(op["report"]), NodePodsIn(op["pods"])));
  }
  if (name == "after_eviction") {
    const bool known = !op["placements"].is_null();
    const Placements placements = known ? PlacementsIn(op["placements"]) : Placements();
    const absl::StatusOr<NodeReport> after = AfterEviction(
        ReportIn(op["report"]), VictimsIn(op["victims"]), known ? &placements : nullptr);
    if (!after.ok()) return {{"error", std::string(after.status().message())}};
    return {{"error", ""}, {"report", Written(*after)}};
  }
  if (name == "trial_remove") {
    return std::string(state->trial.Remove(VictimIn(op["victim"])).message());
  }
  if (name == "trial_return") {
    return std::string(state->trial.Return(NameIn(op["name"])).message());
  }
  if (name == "trial") {
    json names = json::array();
    for (const Victim& victim : state->trial.victims()) {
      names.push_back(absl::StrCat(victim.name.name_space, "/", victim.name.name));
    }
    return {{"started", state->trial.is_started()}, {"pods", names}};
  }
  if (name == "filter") {
    const absl::StatusOr<ZoneVerdict> verdict =
        FilterByZones(state->cache.Get(op["node"]), PlacementsIn(op["placements"]),
                      state->trial.victims(), PluginPodOf(op["pod"]), op["on_machine"]);
    if (!verdict.ok()) return {{"reason", std::string(verdict.status().message())}};
    return {{"reason", verdict->reason}, {"marks", verdict->marks_over_reserved}};
  }
  return {};
}

}  // namespace plugin_zones

absl::StatusOr<nlohmann::json> AskPluginZones(const nlohmann::json& request) {
  const std::string method = request["plugin_zones"].value("method", "Autodetect");
  plugin_zones::State state{
      scheduler_plugins::OverReserveCache(*scheduler_plugins::ResyncMethodOf(method)), {}, {}};
  nlohmann::json answers = nlohmann::json::array();
  for (const nlohmann::json& op : request["ops"]) {
    const std::string name = op["op"];
    nlohmann::json answer = plugin_zones::Events(name, op, &state);
    if (answer.is_null()) answer = plugin_zones::Cache(name, op, &state);
    if (answer.is_null()) answer = plugin_zones::Rules(name, op);
    if (answer.is_null()) answer = plugin_zones::Evictions(name, op, &state);
    if (answer.is_null()) return absl::InvalidArgumentError(absl::StrCat("no rule ", name));
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
