// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's importer.
#include "lib/import/kueue.h"

#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr std::string_view kKueueName = "kueue";
constexpr std::string_view kKueueGroups[] = {"kueue.x-k8s.io", "config.kueue.x-k8s.io"};
constexpr KindRule kKueueKinds[] = {{"Node"},
                                    {"Pod"},
                                    {"Namespace"},
                                    {"LimitRange"},
                                    {"RuntimeClass"},
                                    {"ResourceFlavor", kKueueGroups},
                                    {"Topology", kKueueGroups},
                                    {"Cohort", kKueueGroups},
                                    {"ClusterQueue", kKueueGroups},
                                    {"LocalQueue", kKueueGroups},
                                    {"AdmissionCheck", kKueueGroups},
                                    {"WorkloadPriorityClass", kKueueGroups},
                                    {"Workload", kKueueGroups}};

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
  kueue::ReportUnknownKeys(source);
  cluster.namespaces = ReadNamespaces(source.dump);
  scenario->profile =
      source.configuration ? kueue::ReadConfiguration(*source.configuration) : "kueue";
}

}  // namespace

extern const Importer kKueueImporter;
const Importer kKueueImporter = {kKueueName, kKueueGroups, kKueueKinds, ReadKueueObjects};

}  // namespace muster
