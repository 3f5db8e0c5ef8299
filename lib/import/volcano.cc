// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's importer.
#include "lib/import/volcano.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pod_groups.h"
#include "lib/import/tiers.h"

namespace muster {
namespace {

constexpr std::string_view kVolcanoName = "volcano";
constexpr std::string_view kVolcanoGroups[] = {
    "scheduling.volcano.sh", "topology.volcano.sh", "nodeinfo.volcano.sh", "shard.volcano.sh",
    "batch.volcano.sh",      "bus.volcano.sh",      "flow.volcano.sh"};
constexpr std::string_view kVolcanoQueueGroups[] = {"scheduling.volcano.sh",
                                                    "scheduling.incubator.k8s.io"};
constexpr KindRule kVolcanoKinds[] = {{"Node"},
                                      {"Pod"},
                                      {"Namespace"},
                                      {"PriorityClass"},
                                      {"PodDisruptionBudget"},
                                      {"ResourceQuota"},
                                      {"MetricValue"},
                                      {"HyperNode"},
                                      {"NodeShard"},
                                      {"Numatopology"},
                                      {"PodGroup", kVolcanoQueueGroups},
                                      {"Queue", kVolcanoQueueGroups}};

constexpr TierRules kVolcanoTiers = {kVolcanoName, kPluginSwitches, {}, "predicates"};

void ReadNodes(const ImportSource& source, ClusterSpec* cluster) {
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    for (const auto& [name, value] : object->annotations()) {
      if (name.find("oversubscription") == name.npos) continue;
      source.log->Ignored(object->place(), absl::StrCat("metadata.annotations", JsonPathStep(name)),
                          "not considered");
    }
    // In Volcano a node is ready as soon as it exists; conditions act through taints.
    cluster->nodes.push_back(ReadNode(*object, {.conditions = false}));
  }
  ReadUsage(source.dump.OfKind("MetricValue"), &cluster->nodes);
  volcano::AddCpus(source.dump, &cluster->nodes);
}

// As in Volcano: where the tree is broken in one place, no queue takes or is given anything.
void CloseAll(const ApiObject& orphan, ImportLog* log, std::vector<QueueSpec>* queues) {
  for (QueueSpec& queue : *queues) queue.state = QueueState::kClosed;
  log->Note(
      "scheduler configuration", "capacity",
      absl::StrCat("queue ", Quote(orphan.name()), " is not in the tree; all queues are closed"));
}

void ReadVolcanoObjects(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  const ApiObject* orphan = volcano::AddToQueues(ReadQueues(source, &cluster), &cluster);
  const Dump::Objects groups = ReadPodGroups(source, &cluster);
  volcano::AddToJobs(groups, &cluster);
  ReadNodes(source, &cluster);
  TaskRules rules{.scheduler = kVolcanoName};
  for (const NodeSpec& node : cluster.nodes) rules.pods.images |= !node.images.empty();
  const Dump::Objects pods = ReadTasks(source, rules, &cluster);
  if (!source.log->ok()) return;
  volcano::AddToTasks(pods, !source.dump.OfKind("Numatopology").empty(), &cluster);
  volcano::AddSubGroups(groups, pods, &cluster);
  volcano::AddDomains(source.dump, source.log, &cluster);
  volcano::AddShards(source.dump, &cluster.nodes);
  cluster.namespaces = ReadNamespaces(source.dump);
  cluster.budgets = ReadBudgets(source.dump);
  scenario->profile = kVolcanoName;
  if (!source.configuration.has_value()) return;
  scenario->profile =
      ReadProfile(*source.configuration, kVolcanoTiers, source.options.unset_switches_on);
  if (orphan != nullptr && HasPluginWith(*source.configuration, "capacity", "enableHierarchy")) {
    CloseAll(*orphan, source.log, &cluster.queues);
  }
}

constexpr std::string_view kVolcanoSchedulers[] = {"volcano"};

}  // namespace

extern const Importer kVolcanoImporter;
const Importer kVolcanoImporter = {kVolcanoName, kVolcanoGroups, kVolcanoKinds, ReadVolcanoObjects,
                                   kVolcanoSchedulers};

}  // namespace muster
