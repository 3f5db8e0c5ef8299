// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's importer.
#include "lib/import/kueue.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/peer/kueue/gates.h"

namespace muster {
namespace {

constexpr std::string_view kKueueName = "kueue";
constexpr std::string_view kKueueGroups[] = {"kueue.x-k8s.io", "config.kueue.x-k8s.io"};
constexpr KindRule kKueueKinds[] = {{"Node"},
                                    {"Pod"},
                                    {"Namespace"},
                                    {"ResourceFlavor", kKueueGroups},
                                    {"Topology", kKueueGroups},
                                    {"Cohort", kKueueGroups},
                                    {"ClusterQueue", kKueueGroups},
                                    {"LocalQueue", kKueueGroups},
                                    {"AdmissionCheck", kKueueGroups},
                                    {"WorkloadPriorityClass", kKueueGroups},
                                    {"Workload", kKueueGroups}};

// Settings that say nothing about decisions.
constexpr std::string_view kKueueQuiet[] = {"apiVersion",
                                            "kind",
                                            "metadata",
                                            "namespace",
                                            "health",
                                            "metrics",
                                            "webhook",
                                            "controller",
                                            "leaderElection",
                                            "internalCertManagement",
                                            "integrations",
                                            "clientConnection",
                                            "manageJobsWithoutQueueName",
                                            "queueVisibility",
                                            "tls",
                                            "managedJobsNamespaceSelector",
                                            "objectRetentionPolicies",
                                            "multiKueue"};

constexpr std::string_view kKueueStrategies[] = {"LessThanOrEqualToFinalShare",
                                                 "LessThanInitialShare"};

// Returns whether the section switches fair sharing on. Newer versions have no switch: the section
// itself is one.
bool ReadFairSharing(const Field& configuration) {
  const Field section = configuration.Section("fairSharing");
  for (const std::string& word : section.Texts("preemptionStrategies")) {
    if (std::ranges::find(kKueueStrategies, word) != std::end(kKueueStrategies)) continue;
    section["preemptionStrategies"].Refuse(
        absl::StrCat(Quote(word), " is no strategy; expected LessThanOrEqualToFinalShare or ",
                     "LessThanInitialShare"));
  }
  if (section["preemptionStrategies"].truthy()) {
    section["preemptionStrategies"].Ignored("both strategies count, in the default order");
  }
  return section.given() && section.Bool("enable", true);
}

// Adds what the feature gates set: "flavor_fungibility=off".
void ReadGates(const Field& configuration, std::vector<std::string>* options) {
  const Field section = configuration.Section("featureGates");
  for (const Field& value : section.Children()) {
    const std::string name(value.key());
    const bool on = section.Bool(name, false);
    const auto rule = std::ranges::find(kueue::kGateRules, name, &kueue::GateRule::name);
    if (name == "PriorityBoost") {
      continue;  // workloads are read by it
    } else if (rule == std::end(kueue::kGateRules) || rule->option.empty()) {
      value.Ignored("the gate changes no decision of profile kueue");
    } else {
      options->push_back(absl::StrCat(ToAbsl(rule->option), on ? "=on" : "=off"));
    }
  }
}

std::string ReadConfiguration(const Field& configuration) {
  configuration.RequireKind("Configuration");
  configuration.Quiet(kKueueQuiet);
  std::vector<std::string> options;
  if (ReadFairSharing(configuration)) options.push_back("fair_sharing=on");
  ReadGates(configuration, &options);
  if (options.empty()) return std::string(kKueueName);
  return absl::StrCat(ToAbsl(kKueueName), ":admit(", absl::StrJoin(options, ","), ")");
}

// Pressure of memory, disk and processes counts by taints alone.
bool IsReady(const ApiObject& node) {
  for (const Field& condition : node.status().Items("conditions")) {
    if (condition["type"].Is("Ready")) return condition["status"].Is("True");
  }
  return true;
}

void ReadKueueObjects(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    NodeSpec& node = cluster.nodes.emplace_back(ReadNode(*object, {.conditions = false}));
    node.ready = IsReady(*object);
  }
  kueue::AddFlavors(source, &cluster);
  kueue::AddQueues(source, &cluster);
  kueue::AddWorkloads(source, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  scenario->profile =
      source.configuration ? ReadConfiguration(*source.configuration) : std::string(kKueueName);
}

}  // namespace

extern const Importer kKueueImporter;
const Importer kKueueImporter = {kKueueName, kKueueGroups, kKueueKinds, ReadKueueObjects};

}  // namespace muster
