// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Armada's importer: nodes with their pools and executors, and queues. armada.h has the objects.
#include "lib/import/armada.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr std::string_view kArmadaGroups[] = {"armadaproject.io"};
constexpr KindRule kArmadaKinds[] = {{"Node"},
                                     {"Pod"},
                                     {"Namespace"},
                                     {"Queue", kArmadaGroups},
                                     {"Job", kArmadaGroups},
                                     {"Executor", kArmadaGroups}};
// Executors give a node its pool by this label.
constexpr std::string_view kPoolLabel = "armadaproject.io/pool";
// Parts of a queue that are about people, and not about decisions.
constexpr std::string_view kQuietOfQueue[] = {"name",        "priorityFactor",
                                              "permissions", "userOwners",
                                              "groupOwners", "labels",
                                              "cordoned",    "resourceLimitsByPriorityClassName",
                                              "apiVersion",  "kind"};

// Parts of an executor that decide nothing.
constexpr std::string_view kQuietOfExecutor[] = {"cordoned",     "nodes",     "pool",     "id",
                                                 "cordonReason", "setByUser", "setAtTime"};

// Reports the members that are not listed.
void ReportOthers(const Field& spec, std::span<const std::string_view> known) {
  for (const Field& member : spec.Children()) {
    if (std::ranges::find(known, member.key()) != known.end()) continue;
    if (member.truthy()) member.Ignored("not considered");
  }
}

struct DumpedExecutors {
  HashMap<std::string, std::string> of_node;
  std::string all;       // that has all nodes: the only one, if it lists none
  std::string cordoned;  // NAME+...
};

DumpedExecutors ReadExecutors(const ImportSource& source) {
  DumpedExecutors executors;
  const Dump::Objects& objects = source.dump.OfKind("Executor");
  for (const ApiObject* object : objects) {
    const Field spec = object->spec();
    const std::vector<Field> nodes =
        spec["nodes"].exists() ? spec["nodes"].Children() : std::vector<Field>();
    for (const Field& node : nodes) {
      const bool is_object = node.kind() == JsonKind::kObject;
      executors.of_node[is_object ? node.Text("name") : node.AsText()] = object->name();
    }
    if (nodes.empty() && objects.size() == 1) executors.all = object->name();
    ReportOthers(spec, kQuietOfExecutor);
    if (!spec.Bool("cordoned", false)) continue;
    if (nodes.empty() && objects.size() > 1) {
      spec["nodes"].Ignored("not given, so the dump does not tell which nodes are cordoned");
    }
    if (object->name().find_first_of(",()+") != std::string::npos) {
      object->metadata()["name"].Refuse("must not have commas, parentheses or \"+\"");
    }
    absl::StrAppend(&executors.cordoned, executors.cordoned.empty() ? "" : "+", object->name());
  }
  return executors;
}

// One pool needs no name.
void ReadPool(const ApiObject& object, const armada::ImportedConfig& config, NodeSpec* node) {
  const std::string* pool = object.Label(kPoolLabel);
  const bool is_known =
      pool != nullptr && std::ranges::find(config.pools, *pool) != config.pools.end();
  if (config.pools.empty() || (config.pools.size() == 1 && (pool == nullptr || is_known))) return;
  if (pool != nullptr) node->settings.emplace_back("armada/pool", *pool);
  if (is_known) return;
  object.log()->Ignored(
      object.place(), "metadata.labels",
      pool == nullptr ? std::string("no label armadaproject.io/pool, so the node is in no pool")
                      : absl::StrCat("the configuration has no pool ", Quote(*pool),
                                     ", so no round has the node"));
}

// Without a configuration all nodes are one pool.
void NotePools(const ImportSource& source) {
  std::string first;
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    const std::string* pool = object->Label(kPoolLabel);
    if (pool == nullptr || *pool == first) continue;
    if (!first.empty()) {
      return object->log()->Note(object->place(), "metadata.labels",
                                 absl::StrCat("pools ", Quote(first), " and ", Quote(*pool),
                                              " are one, as no configuration has pools"));
    }
    first = *pool;
  }
}

void AddArmadaNodes(const ImportSource& source, const armada::ImportedConfig& config,
                    const DumpedExecutors& executors, ClusterSpec* cluster) {
  if (config.pools.empty()) NotePools(source);
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    NodeSpec node = ReadNode(*object, {.conditions = false});
    ReadPool(*object, config, &node);
    const auto listed = executors.of_node.find(node.name);
    const std::string& executor =
        listed == executors.of_node.end() ? executors.all : listed->second;
    if (!executor.empty()) node.settings.emplace_back("armada/executor", executor);
    cluster->nodes.push_back(std::move(node));
  }
}

// The limits of one queue: those of all pools, and of single ones.
class QueueLimits {
 public:
  explicit QueueLimits(const armada::ImportedConfig& config) : config_(config) {}

  void Read(const Field& of_class) {
    const std::string name(of_class.key());
    Add(of_class.Section("maximumResourceFraction"), name, &limits_);
    for (const Field& of_pool : of_class.Section("maximumResourceFractionByPool").Children()) {
      const Field inner = of_pool.Section("maximumResourceFraction");
      const Field& parts = inner.given() ? inner : of_pool;
      if (std::ranges::find(config_.pools, of_pool.key()) == config_.pools.end()) {
        of_pool.Ignored("the configuration has no such pool");
      } else if (config_.pools.size() == 1) {
        Add(parts, name, &limits_);  // the last one counts
      } else {
        Add(parts, absl::StrCat(ToAbsl(of_pool.key()), ":", name), &of_pools_);
      }
    }
  }

  void Write(Labels* settings) const {
    if (!limits_.empty()) settings->emplace_back("armada/class_limits", limits_);
    if (!of_pools_.empty()) settings->emplace_back("armada/pool_class_limits", of_pools_);
  }

 private:
  static void Add(const Field& parts, const std::string& name, std::string* list) {
    for (const Field& part : parts.Children()) {
      absl::StrAppend(list, list->empty() ? "" : "+", name, "/", ToAbsl(part.key()), ":",
                      part.ScalarText());
    }
  }

  const armada::ImportedConfig& config_;
  std::string limits_, of_pools_;
};

void AddArmadaQueues(const ImportSource& source, const armada::ImportedConfig& config,
                     ClusterSpec* cluster) {
  for (const ApiObject* object : source.dump.OfKind("Queue")) {
    QueueSpec& queue = cluster->queues.emplace_back();
    queue.name = object->name();
    queue.created = object->created();
    const Field spec = object->own();
    const std::string factor = spec["priorityFactor"].ScalarText();
    if (!factor.empty()) queue.settings.emplace_back("armada/priority_factor", factor);
    if (spec.Bool("cordoned", false)) queue.state = QueueState::kClosed;
    QueueLimits limits(config);
    for (const Field& of_class : spec.Section("resourceLimitsByPriorityClassName").Children()) {
      limits.Read(of_class);
    }
    limits.Write(&queue.settings);
    ReportOthers(spec, kQuietOfQueue);
  }
}

void ReadArmada(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  const DumpedExecutors executors = ReadExecutors(source);
  const armada::ImportedConfig config = armada::ReadConfig(
      source.configuration ? &*source.configuration : nullptr, executors.cordoned);
  AddArmadaNodes(source, config, executors, &cluster);
  AddArmadaQueues(source, config, &cluster);
  armada::AddJobs(source, config, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  scenario->profile = config.profile;
}

}  // namespace

extern const Importer kArmadaImporter;
const Importer kArmadaImporter = {"armada", kArmadaGroups, kArmadaKinds, ReadArmada};

}  // namespace muster
