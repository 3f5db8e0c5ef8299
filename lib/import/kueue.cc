// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's importer.
#include "lib/import/kueue.h"

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr std::string_view kName = "kueue";
constexpr std::string_view kGroups[] = {"kueue.x-k8s.io", "config.kueue.x-k8s.io"};
constexpr KindRule kKinds[] = {{"Node"},
                               {"Pod"},
                               {"Namespace"},
                               {"ResourceFlavor", kGroups},
                               {"Topology", kGroups},
                               {"Cohort", kGroups},
                               {"ClusterQueue", kGroups},
                               {"LocalQueue", kGroups},
                               {"AdmissionCheck", kGroups},
                               {"WorkloadPriorityClass", kGroups},
                               {"Workload", kGroups}};

// Settings that say nothing about decisions.
constexpr std::string_view kQuiet[] = {"apiVersion",
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

std::string ReadConfiguration(const Field& configuration) {
  bool fair = false;
  for (const Field& item : configuration.Children()) {
    const std::string_view key = item.key();
    if (std::ranges::find(kQuiet, key) != std::end(kQuiet)) continue;
    if (key != "fairSharing") {
      if (item.truthy()) item.Ignored("not considered");
      continue;
    }
    // Newer versions have no switch: the section itself is one.
    fair = item.given() && item.Bool("enable", true);
    if (item["preemptionStrategies"].truthy()) {
      item["preemptionStrategies"].Ignored("both strategies count, in the default order");
    }
  }
  return absl::StrCat(ToAbsl(kName), fair ? ":admit(fair_sharing=on)" : "");
}

void Read(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    cluster.nodes.push_back(ReadNode(*object, {.conditions = false}));
  }
  kueue::AddFlavors(source, &cluster);
  kueue::AddQueues(source, &cluster);
  kueue::AddWorkloads(source, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  scenario->profile =
      source.configuration ? ReadConfiguration(*source.configuration) : std::string(kName);
}

}  // namespace

extern const Importer kKueueImporter;
const Importer kKueueImporter = {kName, kGroups, kKinds, Read};

}  // namespace muster
