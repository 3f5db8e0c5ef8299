// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch's importer. It reads the same objects as Volcano's, without roles, order numbers,
// marks of pods, sub-groups, limits and states of queues.
#include <algorithm>
#include <utility>

#include "lib/import/importer.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pod_groups.h"
#include "lib/import/tiers.h"

namespace muster {
namespace {

constexpr std::string_view kKubeBatchName = "kube-batch";
constexpr std::string_view kKubeBatchGroups[] = {"scheduling.incubator.k8s.io"};
constexpr std::string_view kKubeBatchQueueGroups[] = {"scheduling.incubator.k8s.io",
                                                      "scheduling.volcano.sh"};
constexpr KindRule kKubeBatchKinds[] = {{"Node"},
                                        {"Pod"},
                                        {"Namespace"},
                                        {"PriorityClass"},
                                        {"PodDisruptionBudget"},
                                        {"ResourceQuota"},
                                        {"PodGroup", kKubeBatchQueueGroups},
                                        {"Queue", kKubeBatchQueueGroups}};
constexpr TaskRules kKubeBatchTasks = {
    kKubeBatchName, {.modern = false, .ephemeral_storage = false, .separate_init = true}};

constexpr auto kKubeBatchSwitches = [] {
  auto switches = kPluginSwitches;
  for (size_t i = kOldSwitches; i < switches.size(); ++i) switches[i].point = {};
  return switches;
}();
// Options of policies where the rule differs from Volcano's. The scheduler checks `valid` before
// any plugin can answer.
constexpr OptionRule kKubeBatchOptions[] = {
    {"gang", "best_effort_counts", "off"}, {"gang", "count_down_victims", "off"},
    {"gang", "without", "valid"},          {"proportion", "limits", "off"},
    {"proportion", "least_amounts", "on"}, {"proportion", "overfull_nodes", "off"},
    {"predicates", "kubernetes", "1.16"},  {"nodeorder", "kubernetes", "1.16"},
    {"nodeorder", "node_affinity", "1"},   {"nodeorder", "pod_affinity", "1"}};
constexpr TierRules kKubeBatchTiers = {kKubeBatchName, kKubeBatchSwitches, kKubeBatchOptions, ""};

void ReadKubeBatchObjects(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  ReadQueues(source, &cluster);
  ReadPodGroups(source, &cluster);
  // Its nodes come by name.
  for (const ApiObject* object : SortedByName(source.dump.OfKind("Node"))) {
    cluster.nodes.push_back(ReadNode(*object, {.ephemeral_storage = false}));
  }
  ReadTasks(source, kKubeBatchTasks, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  cluster.budgets = ReadBudgets(source.dump);
  scenario->profile = kKubeBatchName;
  if (source.configuration.has_value()) {
    scenario->profile =
        ReadProfile(*source.configuration, kKubeBatchTiers, source.options.unset_switches_on);
  }
}

constexpr std::string_view kKubeBatchSchedulers[] = {"kube-batch"};

}  // namespace

extern const Importer kKubeBatchImporter;
const Importer kKubeBatchImporter = {kKubeBatchName, kKubeBatchGroups, kKubeBatchKinds,
                                     ReadKubeBatchObjects, kKubeBatchSchedulers};

}  // namespace muster
