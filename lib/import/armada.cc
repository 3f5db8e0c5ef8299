// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Armada's importer: nodes with their pools, and queues. armada.h has the objects.
#include "lib/import/armada.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr std::string_view kArmadaGroups[] = {"armadaproject.io"};
constexpr KindRule kArmadaKinds[] = {
    {"Node"}, {"Pod"}, {"Namespace"}, {"Queue", kArmadaGroups}, {"Job", kArmadaGroups}};
// Executors give a node its pool by this label.
constexpr std::string_view kPoolLabel = "armadaproject.io/pool";
// Parts of a queue that are about people, and not about decisions.
constexpr std::string_view kQuietOfQueue[] = {
    "name",        "priorityFactor", "permissions", "userOwners",
    "groupOwners", "labels",         "cordoned",    "resourceLimitsByPriorityClassName"};

void AddArmadaNodes(const ImportSource& source, const armada::ImportedConfig& config,
                    ClusterSpec* cluster) {
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    NodeSpec node = ReadNode(*object, {.conditions = false});
    const std::string* pool = object->Label(kPoolLabel);
    // One pool needs no name.
    if (config.pools.size() > 1) {
      if (pool != nullptr) {
        node.settings.emplace_back("armada/pool", *pool);
      } else {
        source.log->Ignored(object->place(), "metadata.labels",
                            "no label armadaproject.io/pool, so the node is in no pool");
      }
    }
    cluster->nodes.push_back(std::move(node));
  }
}

void AddArmadaQueues(const ImportSource& source, ClusterSpec* cluster) {
  for (const ApiObject* object : source.dump.OfKind("Queue")) {
    QueueSpec& queue = cluster->queues.emplace_back();
    queue.name = object->name();
    queue.created = object->created();
    const Field spec = object->spec();
    const std::string factor = spec["priorityFactor"].ScalarText();
    if (!factor.empty()) queue.settings.emplace_back("armada/priority_factor", factor);
    if (spec.Bool("cordoned", false)) queue.state = QueueState::kClosed;
    std::string limits;
    for (const Field& of_class : spec.Section("resourceLimitsByPriorityClassName").Children()) {
      for (const Field& part : of_class.Section("maximumResourceFraction").Children()) {
        absl::StrAppend(&limits, limits.empty() ? "" : "+", ToAbsl(of_class.key()), "/",
                        ToAbsl(part.key()), ":", part.ScalarText());
      }
      const Field by_pool = of_class["maximumResourceFractionByPool"];
      if (by_pool.truthy()) by_pool.Ignored("limits of single pools are not considered");
    }
    if (!limits.empty()) queue.settings.emplace_back("armada/class_limits", limits);
    for (const Field& member : spec.Children()) {
      if (std::ranges::find(kQuietOfQueue, member.key()) != std::end(kQuietOfQueue)) continue;
      if (member.truthy()) member.Ignored("not considered");
    }
  }
}

void ReadArmada(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  armada::ImportedConfig config;
  if (source.configuration) config = armada::ReadConfig(*source.configuration);
  AddArmadaNodes(source, config, &cluster);
  AddArmadaQueues(source, &cluster);
  armada::AddJobs(source, config, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  scenario->profile = config.profile;
}

}  // namespace

extern const Importer kArmadaImporter;
const Importer kArmadaImporter = {"armada", kArmadaGroups, kArmadaKinds, ReadArmada};

}  // namespace muster
