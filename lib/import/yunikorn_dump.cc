// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What /ws/v1/fullstatedump of YuniKorn answers: one object with a section for each of partitions,
// queues, nodes and applications. Of several partitions one is read.
//
// Queues are read as they are in force, dynamic ones included: their limits, and their rules by the
// fields of a queue, or by its properties where a field is not given. Limits of users are in the
// section `config` alone. Labels and taints of nodes, and what pods demand of nodes, are in what
// the shim adds (rmDiagnostics.cache), where it does.
//
// Foreign allocations, and what a node has occupied beside them, are tasks without a job.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/yunikorn.h"
#include "lib/peer/yunikorn/properties.h"

namespace muster::yunikorn_import {
namespace {

using yunikorn::Index;
using yunikorn::LimitConfig;
using yunikorn::PartitionConfig;
using yunikorn::PreemptionPolicy;
using yunikorn::Queue;
using yunikorn::QueueConfig;
using yunikorn::QueueRules;
using yunikorn::Resource;
using yunikorn::Texts;

// The sections of a dump. The last ones are counters, logs and how the dump was made.
constexpr std::string_view kSections[] = {
    "partitions", "queues",        "nodes",         "applications",     "config",
    "timestamp",  "rmDiagnostics", "clusterInfo",   "containerHistory", "appHistory",
    "logLevel",   "eventStreams",  "placementRules"};

// --- partitions

// Returns the partition that is read, and names the others.
Field ChoosePartition(const Field& root) {
  const std::vector<Field> partitions = root.Items("partitions");
  if (partitions.empty()) {
    root["partitions"].Refuse("has no entry; one is needed");
    return root["partitions"];
  }
  size_t chosen = 0;
  for (size_t i = partitions.size(); i-- > 0;) {
    if (partitions[i]["name"].Is("default")) chosen = i;
  }
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (i == chosen) continue;
    root.log()->LeftOut(absl::StrCat("Partition ", partitions[i].Text("name")), "",
                        absl::StrCat("one partition is read: ", partitions[chosen].Text("name")));
  }
  return partitions[chosen];
}

std::string ProfileOf(const Field& partition) {
  std::vector<std::string> options;
  const Field sort = partition.Section("nodeSortingPolicy");
  const std::string type = sort.Text("type", "fair");
  if (type == "binpacking") {
    options.push_back("node_sort=binpacking");
  } else if (type != "fair") {
    sort["type"].Refuse(absl::StrCat(Quote(type), " is no order of nodes; fair, binpacking are"));
  }
  if (!partition.Bool("preemptionEnabled", true)) options.push_back("preemption=off");
  if (partition.Bool("quotaPreemptionEnabled", false)) options.push_back("quota_preemption=on");
  const std::vector<Field> weights = sort.Section("resourceWeights").Children();
  const bool usual =
      weights.size() == 2 && std::ranges::all_of(weights, [](const Field& weight) {
        return (weight.key() == "vcore" || weight.key() == "memory") && weight.ScalarText() == "1";
      });
  for (const Field& weight : weights) {
    double number = -1;
    if (!absl::SimpleAtod(weight.ScalarText(), &number) || !(number >= 0 && number <= 1e6)) {
      weight.Refuse(absl::StrCat(weight.Describe(), " is no weight; 0 to 1000000 is"));
    }
    if (usual) continue;
    const std::string_view name = weight.key() == "vcore" ? "cpu" : weight.key();
    options.push_back(absl::StrCat("weight.", ToAbsl(name), "=", number));
  }
  const std::string state = partition.Text("state", "Active");
  if (state != "Active") {
    partition["state"].Ignored(absl::StrCat("the partition is ", state, "; it is read as active"));
  }
  if (options.empty()) return "yunikorn";
  return absl::StrCat("yunikorn:schedule(", absl::StrJoin(options, ","), ")");
}

// --- queues

class QueueReader {
 public:
  explicit QueueReader(DumpOfPartition* dump) : dump_(*dump) {}

  // Fills the queues of the partition's table.
  void Read() {
    const std::vector<Field> roots =
        OfPartition(dump_.root, "queues", "partition", dump_.partition);
    if (roots.size() == 1) return ReadQueue(roots[0], yunikorn::kNone, 1);
    dump_.root["queues"].Refuse(absl::StrCat("has ", roots.size(), " trees of partition ",
                                             Quote(dump_.partition), "; one is needed"));
  }

  yunikorn::Partition& partition() { return partition_; }
  const HashSet<std::string>& stopped() const { return stopped_; }

 private:
  // The depth of the recursion is at most kMostDepth.
  void ReadQueue(const Field& field, Index parent, int depth) {
    if (depth > yunikorn::kMostDepth) {
      return field.Refuse(absl::StrCat("lies deeper than ", yunikorn::kMostDepth, " levels"));
    }
    const std::string path = field.Text("queuename");
    if (path.empty()) return field["queuename"].Refuse("missing; each queue has a name");
    const std::vector<Field> below = field.Items("children");
    const bool leaf = field.Bool("isLeaf", below.empty());
    if (leaf && !below.empty())
      return field["isLeaf"].Refuse("is true, but the queue has children");
    if (!dump_.leaf.emplace(path, leaf).second) {
      return field["queuename"].Refuse(absl::StrCat("queue ", Quote(path), " is listed twice"));
    }
    const Index index = static_cast<Index>(partition_.queues.size());
    Queue& queue = partition_.queues.emplace_back();
    queue.path = path;
    queue.parent = parent;
    queue.leaf = leaf;
    queue.rules = ReadRulesOf(field, leaf);
    queue.most = ReadLimit(field, "maxResource");
    queue.guaranteed = ReadLimit(field, "guaranteedResource");
    const int64_t applications = field.Int64("maxRunningApps", 0);
    if (applications < 0) field["maxRunningApps"].Refuse("is below 0; 0 or more is a number");
    queue.most_applications = static_cast<uint64_t>(std::max<int64_t>(applications, 0));
    if (parent != yunikorn::kNone) partition_.queues[parent].children.push_back(index);
    ReadStatus(field, path);
    for (const Field& child : below) ReadQueue(child, index, depth + 1);
  }

  void ReadStatus(const Field& field, const std::string& path) {
    const std::string status = field.Text("status", "Active");
    if (status == "Stopped") {
      stopped_.insert(path);
    } else if (status == "Draining") {
      field.log()->Note(absl::StrCat("Queue ", path), "status",
                        "it takes no new applications; those that it has are scheduled");
    } else if (status != "Active") {
      field["status"].Refuse(absl::StrCat(Quote(status), " is no status of a queue"));
    }
  }

  static QueueRules ReadRulesOf(const Field& field, bool leaf) {
    QueueRules rules = yunikorn::ReadRules(ReadTexts(field.Section("properties")), leaf);
    const std::string sort = field.Text("sortingPolicy");
    if (!sort.empty()) {
      rules.sort = sort == "fair" ? yunikorn::SortPolicy::kFair : yunikorn::SortPolicy::kFifo;
    }
    if (sort != "fair" && sort != "fifo" && sort != "" && leaf) {
      field["sortingPolicy"].Ignored(absl::StrCat(Quote(sort), " is read as \"fifo\""));
    }
    rules.sort_by_priority = field.Bool("prioritySorting", rules.sort_by_priority);
    rules.priority_fence = field.Bool("isPriorityFence", rules.priority_fence);
    rules.priority_offset = field.Int32("priorityOffset", rules.priority_offset);
    if (field["preemptionEnabled"].given()) {
      rules.preemption = !field.Bool("preemptionEnabled", true)   ? PreemptionPolicy::kDisabled
                         : field.Bool("isPreemptionFence", false) ? PreemptionPolicy::kFence
                                                                  : PreemptionPolicy::kDefault;
    }
    rules.preemption_delay = ReadDelay(field, "preemptionDelay", rules.preemption_delay);
    rules.quota_preemption_delay =
        ReadDelay(field, "quotaPreemptionDelay", rules.quota_preemption_delay);
    return rules;
  }

  static yunikorn::Nanos ReadDelay(const Field& field, std::string_view key,
                                   yunikorn::Nanos usual) {
    const std::string text = field.Text(key);
    if (text.empty()) return usual;
    const std::optional<yunikorn::Nanos> delay = yunikorn::ReadDuration(text);
    if (!delay || *delay < 0) {
      field[key].Refuse(absl::StrCat(Quote(text), " is no duration such as 30s"));
    }
    return delay.value_or(usual);
  }

  // The core writes no amount of a limit that is not set, nor of one that is empty.
  Resource ReadLimit(const Field& field, std::string_view key) {
    const Field amounts = field.Section(key);
    if (amounts.Children().empty()) return Resource::Nil();
    Resource limit;
    for (const Field& amount : amounts.Children()) {
      const std::string type(amount.key());
      const int64_t number = amounts.Int64(type, 0);
      if (number < 0) amount.Refuse(absl::StrCat(number, " is below 0; 0 or more is an amount"));
      const absl::StatusOr<int> index = partition_.names.Intern(type);
      if (index.ok()) {
        limit.Set(*index, number);
      } else {
        amount.Refuse(std::string(index.status().message()));
      }
    }
    return limit;
  }

  DumpOfPartition& dump_;
  yunikorn::Partition partition_;
  HashSet<std::string> stopped_;
};

// --- limits of users, which are in the configuration alone

std::vector<LimitConfig> ReadDumpLimits(const Field& holder) {
  std::vector<LimitConfig> limits;
  for (const Field& item : holder.Items("Limits")) {
    limits.push_back({.limit = item.Text("Limit"),
                      .users = item.Texts("Users"),
                      .groups = item.Texts("Groups"),
                      .most_resources = ReadTexts(item.Section("MaxResources")),
                      .most_applications = static_cast<uint64_t>(
                          std::max<int64_t>(item.Int64("MaxApplications", 0), 0))});
  }
  return limits;
}

QueueConfig ReadQueueLimits(const Field& field, int depth) {
  QueueConfig queue{.name = field.Text("Name"), .limits = ReadDumpLimits(field)};
  if (depth > yunikorn::kMostDepth) {
    field.Refuse(absl::StrCat("lies deeper than ", yunikorn::kMostDepth, " levels"));
    return queue;
  }
  for (const Field& below : field.Items("Queues")) {
    queue.queues.push_back(ReadQueueLimits(below, depth + 1));
  }
  queue.parent = !queue.queues.empty();
  return queue;
}

LimitsByPath ReadUserLimits(const DumpOfPartition& dump) {
  LimitsByPath limits;
  const Field section = dump.root.Section("config");
  for (const Field& field : section.Items("Partitions")) {
    if (!field["Name"].Is(dump.partition)) continue;
    PartitionConfig config{.limits = ReadDumpLimits(field)};
    for (const Field& queue : field.Items("Queues")) {
      config.queues.push_back(ReadQueueLimits(queue, 1));
    }
    if (!dump.source.log->ok()) return limits;
    const absl::Status status = yunikorn::CheckConfig(config, yunikorn::ConfigChecks::kStructure);
    if (!status.ok()) {
      field.Refuse(std::string(status.message()));
    } else {
      ListLimits(config.queues[0], "root", &limits);
    }
    return limits;
  }
  dump.source.log->Note("state dump", "config",
                        "missing, so limits of users and groups are not known");
  return limits;
}

// --- nodes

class NodeReader {
 public:
  NodeReader(const DumpOfPartition& dump, ClusterSpec* cluster)
      : dump_(dump), cluster_(*cluster), shim_(CacheOf(dump.root).Section("nodes")) {}

  static Field CacheOf(const Field& root) { return root.Section("rmDiagnostics").Section("cache"); }

  void Read() {
    std::map<std::string, Field> known;
    for (const Field& item : shim_.Children()) known.emplace(item.Text("name"), item);
    for (const Field& field : dump_.nodes) {
      NodeSpec& node = cluster_.nodes.emplace_back();
      node.name = field.Text("nodeID");
      if (node.name.empty()) field["nodeID"].Refuse("missing; each node has an id");
      node.capacity = ReadDumpAmounts(field["capacity"], AmountsOf::kNode);
      node.unschedulable = !field.Bool("schedulable", true);
      const auto found = known.find(node.name);
      if (found != known.end()) {
        ReadShimNode(found->second, &node);
      } else {
        ReadAttributes(field, &node);
      }
    }
    for (const Field& field : dump_.nodes) ReadForeign(field);
  }

 private:
  static void ReadShimNode(const Field& field, NodeSpec* node) {
    node->labels = field.TextMap("labels");
    for (const Field& taint : field.Items("taints")) {
      node->taints.push_back(
          {taint.Text("key"), taint.Text("value"), taint["effect"].AsWord<TaintEffect>()});
    }
  }

  // Those of the shim's own begin with "si".
  static void ReadAttributes(const Field& field, NodeSpec* node) {
    for (auto& [key, value] : field.TextMap("attributes")) {
      if (!key.starts_with("si/") && !key.starts_with("si.io/"))
        node->labels.emplace_back(key, value);
    }
  }

  void ReadForeign(const Field& field) {
    const std::string name = field.Text("nodeID");
    std::map<std::string, int64_t> occupied;
    for (const Field& amount : field.Section("occupied").Children()) {
      const std::string type(amount.key());
      occupied[type] = field["occupied"].Int64(type, 0);
    }
    for (const Field& item : field.Items("foreignAllocations")) {
      for (const Field& amount : item.Section("resource").Children()) {
        const std::string type(amount.key());
        occupied[type] = SatSub(occupied[type], item["resource"].Int64(type, 0));
      }
    }
    TaskSpec task{
        .name = absl::StrCat(name, "/occupied"), .status = TaskStatus::kRunning, .node = name};
    for (const auto& [type, amount] : occupied) {
      if (amount <= 0 || type == "pods") continue;
      task.shape.request.emplace_back(type == "vcore" ? "cpu" : type,
                                      Quantity(absl::StrCat(amount, type == "vcore" ? "m" : "")));
    }
    if (task.shape.request.empty()) return;
    field.log()->Note(absl::StrCat("Node ", name), "occupied",
                      absl::StrCat("task ", Quote(task.name),
                                   " holds what no foreign allocation that is listed holds"));
    cluster_.tasks.push_back(std::move(task));
  }

  const DumpOfPartition& dump_;
  ClusterSpec& cluster_;
  const Field shim_;
};

// What the shim knows of pods, and which priority classes keep their pods from being preempted.
void ReadShim(DumpOfPartition* dump) {
  const Field cache = NodeReader::CacheOf(dump->root);
  for (const Field& pod : cache.Section("pods").Children()) {
    dump->pods.emplace(pod.Text("uid"), pod);
  }
  for (const Field& item : cache.Section("priorityClasses").Children()) {
    const Field mark = item.Section("annotations")["yunikorn.apache.org/allow-preemption"];
    if (mark.Is("false")) dump->kept_pods.insert(item.Text("name"));
  }
  if (!dump->pods.empty()) return;
  dump->source.log->Note("state dump", "rmDiagnostics",
                         "has no pods, so what pods demand of nodes beside amounts, and whether "
                         "they may be preempted, is not known");
}

void ReportSections(const Field& root) {
  for (const Field& section : root.Children()) {
    const bool known = std::ranges::find(kSections, section.key()) != std::end(kSections);
    if (known) continue;
    section.Ignored(absl::StrCat("no section of a state dump that is read",
                                 SuggestName(section.key(), kSections)));
  }
  if (root["placementRules"].given()) {
    root.log()->Note("state dump", "placementRules",
                     "applications are in their queues already; a scenario has no rules");
  }
}

}  // namespace

std::vector<Field> OfPartition(const Field& root, std::string_view section, std::string_view key,
                               std::string_view partition) {
  std::vector<Field> found;
  for (const Field& item : root.Items(section)) {
    if (item.Text(key) == partition) found.push_back(item);
  }
  return found;
}

Resources ReadDumpAmounts(const Field& amounts, AmountsOf what) {
  Resources resources;
  if (!amounts.given()) return resources;
  if (amounts.kind() != JsonKind::kObject) amounts.RefuseKind("an object");
  for (const Field& amount : amounts.Children()) {
    const std::string type(amount.key());
    const int64_t number = amounts.Int64(type, 0);
    if (number < 0) amount.Refuse(absl::StrCat(number, " is below 0; 0 or more is an amount"));
    if (type == "pods" && what == AmountsOf::kRequest) continue;
    const bool cpu = type == "vcore";
    resources.emplace_back(cpu ? "cpu" : type, Quantity(absl::StrCat(number, cpu ? "m" : "")));
  }
  return resources;
}

void ReadStateDump(const ImportSource& source, const ApiObject& object, Scenario* scenario) {
  if (source.configuration) {
    return source.log->Refuse("scheduler configuration",
                              "a state dump has its own; give one of the two");
  }
  const Field root = object.spec().given() ? object.spec() : object.root();
  ReportSections(root);
  const Field partition = ChoosePartition(root);
  if (!source.log->ok()) return;
  DumpOfPartition dump{.source = source, .root = root, .partition = partition.Text("name")};
  for (const Field& section : OfPartition(root, "nodes", "partitionName", dump.partition)) {
    for (const Field& node : section.Items("nodesInfo")) dump.nodes.push_back(node);
  }
  if (scenario->options.now == 0) {
    scenario->options.now = root.Int64("timestamp", 0) / yunikorn::kSecond;
  }
  scenario->profile = ProfileOf(partition);
  ReadShim(&dump);
  QueueReader queues(&dump);
  queues.Read();
  const LimitsByPath limits = ReadUserLimits(dump);
  if (!source.log->ok()) return;
  AddQueues(queues.partition(), limits, &scenario->cluster);
  for (QueueSpec& row : scenario->cluster.queues) {
    if (queues.stopped().contains(row.name)) row.state = QueueState::kClosed;
  }
  NodeReader(dump, &scenario->cluster).Read();
  AddApplications(dump, scenario);
}

}  // namespace muster::yunikorn_import
