// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes, and how busy they are measured to be.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

void ReadConditions(const Field& status, NodeSpec* node) {
  for (const Field& condition : status.Items("conditions")) {
    const Field type = condition["type"];
    const bool holds = condition["status"].Is("True");
    if (type.Is("Ready") && !holds) node->ready = false;
    if (type.Is("NetworkUnavailable") && holds) node->network_unavailable = true;
    if (type.Is("MemoryPressure") && holds) node->memory_pressure = true;
    if (type.Is("DiskPressure") && holds) node->disk_pressure = true;
    if (type.Is("PIDPressure") && holds) node->pid_pressure = true;
  }
}

Resources NodeResources(const AmountMap& amounts, const ApiObject& node, std::string_view path,
                        bool ephemeral_storage) {
  AmountMap kept = {{"pods", 0}};
  for (const auto& [name, amount] : Dimensions(amounts, node, path, ephemeral_storage)) {
    SetAmount(name, amount, &kept);
  }
  return ToResources(kept);
}

// What a value of the metrics API measures.
enum class Metric : uint8_t { kCpu, kMemory, kOther };

Metric MetricOf(const Field& value, std::string* name) {
  *name = value.Section("metric").Text("name");
  if (name->empty()) *name = value.Text("metricName");  // as an older version of the API has it
  if (*name == "node_cpu_usage_avg") return Metric::kCpu;
  return *name == "node_memory_usage_avg" ? Metric::kMemory : Metric::kOther;
}

}  // namespace

NodeSpec ReadNode(const ApiObject& object, const NodeRules& rules) {
  const Field status = object.status();
  AmountMap allocatable = ReadAmounts(status["allocatable"]);
  const AmountMap capacity = ReadAmounts(status["capacity"]);
  if (!status["allocatable"].given()) allocatable = capacity;
  NodeSpec node;
  node.name = object.name();
  node.capacity = NodeResources(capacity.empty() ? allocatable : capacity, object,
                                "status.capacity", rules.ephemeral_storage);
  Resources left =
      NodeResources(allocatable, object, "status.allocatable", rules.ephemeral_storage);
  if (!SameResources(left, node.capacity)) node.allocatable = std::move(left);
  node.labels = object.labels();
  for (const Field& taint : object.spec().Items("taints")) {
    node.taints.push_back(
        {taint.Text("key"), taint.Text("value"), taint["effect"].AsWord<TaintEffect>()});
  }
  node.unschedulable = object.spec().Bool("unschedulable", false);
  if (rules.conditions) ReadConditions(status, &node);
  for (const Field& image : status.Items("images")) {
    node.images.push_back({image.Texts("names"), image.Int64("sizeBytes", 0)});
  }
  return node;
}

void ReadUsage(const Dump::Objects& values, std::vector<NodeSpec>* nodes) {
  HashMap<std::string, size_t> by_name;
  for (size_t i = 0; i < nodes->size(); ++i) by_name[(*nodes)[i].name] = i;
  // Memory comes second, so that its time is the one that stays.
  std::vector<std::pair<const ApiObject*, size_t>> found[2];
  for (const ApiObject* value : values) {
    std::string name;
    const Metric metric = MetricOf(value->root(), &name);
    const auto node = by_name.find(value->name());
    if (metric == Metric::kOther) {
      value->log()->Ignored(value->place(), "metric",
                            absl::StrCat(Quote(name), " is not considered"));
    } else if (!value->root().Section("describedObject")["kind"].Is("Node") ||
               node == by_name.end()) {
      value->log()->LeftOut(value->place(), "describedObject", "is no node that is there");
    } else {
      found[static_cast<size_t>(metric)].emplace_back(value, node->second);
    }
  }
  for (const Metric metric : {Metric::kCpu, Metric::kMemory}) {
    for (const auto& [value, node] : found[static_cast<size_t>(metric)]) {
      const ExactAmount part = ReadAmount(value->root()["value"]);
      std::optional<NodeUsage>& usage = (*nodes)[node].usage;
      if (!usage.has_value()) usage.emplace();
      (metric == Metric::kCpu ? usage->cpu : usage->memory) = ToQuantity("percent", part * 100);
      usage->measured = value->root().Seconds("timestamp");
    }
  }
}

}  // namespace muster
