// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dimensions, nodes, topologies and queues; read_jobs.cc has the rest.
#include "lib/peer/kai/read_facts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "lib/kube/selectors.h"
#include "lib/peer/kai/fact_reader.h"
#include "lib/peer/kai/node_scores.h"

namespace muster {
namespace {

bool IsGpuName(std::string_view name) { return name == "nvidia.com/gpu" || name == "amd.com/gpu"; }

std::optional<std::string_view> LabelOf(const NodeSpec& node, std::string_view key) {
  const std::string* value = FindLabel(node.labels, key);
  if (value == nullptr) return std::nullopt;
  return *value;
}

// Returns whether the text is one of those that Go reads as true.
bool IsTrue(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  return false;
}

}  // namespace

void KaiFactReader::ReadDimensions() {
  const size_t count = tables_.dimension_count();
  KaiFacts& facts = out_.facts;
  place_of_.assign(count, kKaiNone);
  facts.slice_gpus.assign(4, 0.0);
  for (DimensionIndex d = 0; d < count; ++d) {
    const std::string_view name = tables_.dimensions.name(d);
    whole_.push_back(!IsMilliDimension(name));
    if (d == kCpu) {
      place_of_[d] = kKaiCpuAt;
    } else if (d == kMemory) {
      place_of_[d] = kKaiMemoryAt;
    } else if (d == kPods) {
      place_of_[d] = kKaiPodsAt;
    } else if (IsGpuName(name)) {
      place_of_[d] = kKaiGpuAt;
    } else {
      bool offered = false;
      for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
        offered |= tables_.nodes.alive[n] != 0 && tables_.nodes.allocatable.at(n, d) != kAbsent;
      }
      // A slice that no node has is refused; another such resource is forgotten.
      if (!offered && !IsKaiMigResource(name)) continue;
      place_of_[d] = static_cast<uint32_t>(facts.dimensions++);
      facts.resources.emplace_back(name);
      const std::optional<KaiMigProfile> profile = ParseKaiMigProfile(name);
      facts.slice_gpus.push_back(profile ? static_cast<double>(profile->gpus) : 0);
    }
  }
}

std::vector<double> KaiFactReader::VectorOf(std::span<const int64_t> row) const {
  std::vector<double> vector(out_.facts.dimensions, 0.0);
  for (size_t d = 0; d < row.size(); ++d) {
    if (place_of_[d] == kKaiNone || row[d] == kAbsent) continue;
    const double amount = static_cast<double>(row[d]);
    const bool milli = d == kCpu || whole_[d] != 0;
    vector[place_of_[d]] += milli ? amount : amount / 1000;
  }
  return vector;
}

KaiNodeFacts KaiFactReader::NodeOf(NodeIndex n) const {
  const NodeSpec& spec = tables_.nodes.spec[n];
  const auto label = [&](std::string_view key) { return LabelOf(spec, key); };
  KaiNodeFacts node;
  node.name = spec.name;
  node.allocatable = VectorOf(tables_.nodes.allocatable.row(n));
  node.allocatable[kKaiGpuAt] = std::floor(node.allocatable[kKaiGpuAt]);
  if (tables_.nodes.allocatable.at(n, kPods) == kAbsent) node.allocatable[kKaiPodsAt] = 1e9;
  const auto devices = std::ranges::count(spec.devices, "gpu", &DeviceSpec::kind);
  if (out_.facts.options.counts_claims && node.allocatable[kKaiGpuAt] == 0 && devices > 0) {
    node.claimed_gpus = true;
    node.allocatable[kKaiGpuAt] = static_cast<double>(devices);
  }
  node.gpu_memory = KaiDeviceMemory(label("nvidia.com/gpu.memory"));
  node.gpu_memory_known = label("nvidia.com/gpu.memory").has_value();
  node.gpus =
      static_cast<int64_t>(KaiGpuCount(label("nvidia.com/gpu.count"), node.allocatable[kKaiGpuAt]));
  const bool sound = spec.ready && !spec.network_unavailable && !spec.memory_pressure &&
                     !spec.disk_pressure && !spec.pid_pressure;
  node.ready = sound && !spec.unschedulable;
  node.cordoned = sound && spec.unschedulable;
  if (const auto enabled = label("node-role.kubernetes.io/mig-enabled")) {
    node.slices = IsTrue(*enabled);
  } else {
    for (size_t d = kKaiPodsAt + 1; d < out_.facts.dimensions; ++d) {
      node.slices |= out_.facts.slice_gpus[d] > 0 && node.allocatable[d] > 0;
    }
  }
  const std::string_view strategy = label("nvidia.com/mig.strategy").value_or("");
  if (node.slices && strategy == "single") node.strategy = KaiNodeFacts::Strategy::kSingle;
  if (node.slices && strategy == "mixed") node.strategy = KaiNodeFacts::Strategy::kMixed;
  node.gpu_worker = label("node-role.kubernetes.io/gpu-worker").has_value();
  node.cpu_worker = label("node-role.kubernetes.io/cpu-worker").has_value();
  node.takes_part = node.gpu_worker || !out_.facts.options.restrict_nodes;
  return node;
}

void KaiFactReader::ReadNodes() {
  KaiFacts& facts = out_.facts;
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    if (tables_.nodes.alive[n] != 0) facts.node_origin.push_back(n);
  }
  const auto by_name = [&](uint32_t n) -> const std::string& { return tables_.nodes.spec[n].name; };
  if (!std::ranges::is_sorted(facts.node_origin, {}, by_name)) {
    std::ranges::sort(facts.node_origin, {}, by_name);
  }
  facts.nodes.reserve(facts.node_origin.size());
  node_of_.assign(tables_.nodes.alive.size(), kKaiNone);
  most_.assign(facts.dimensions, 0.0);
  std::optional<int64_t> least, most;
  for (const uint32_t n : facts.node_origin) {
    node_of_[n] = static_cast<uint32_t>(facts.nodes.size());
    const KaiNodeFacts& node = facts.nodes.emplace_back(NodeOf(NodeIndex(n)));
    for (size_t d = 0; d < most_.size(); ++d) most_[d] = std::max(most_[d], node.allocatable[d]);
    if (node.gpu_memory <= 100) continue;
    least = std::min(least.value_or(node.gpu_memory), node.gpu_memory);
    most = std::max(most.value_or(node.gpu_memory), node.gpu_memory);
  }
  facts.least_gpu_memory = least.value_or(100);
  facts.most_gpu_memory = most.value_or(100);
}

void KaiFactReader::ReadTopologies() {
  for (uint32_t f = 0; f < tables_.flavors.spec.size(); ++f) {
    if (tables_.flavors.alive[f] == 0 || !tables_.flavors.spec[f].topology) continue;
    const FlavorTopology& topology = *tables_.flavors.spec[f].topology;
    if (topology_of_.contains(topology.name)) continue;
    topology_of_[topology.name] = static_cast<uint32_t>(out_.topologies.size());
    KaiTopology& tree = out_.topologies.emplace_back(topology.name, topology.levels);
    for (uint32_t n = 0; n < out_.facts.nodes.size(); ++n) {
      const NodeSpec& spec = tables_.nodes.spec[NodeIndex(out_.facts.node_origin[n])];
      std::vector<std::string_view> values;
      for (const std::string& level : topology.levels) {
        if (const auto value = LabelOf(spec, level)) values.push_back(*value);
      }
      if (values.size() == topology.levels.size()) tree.AddNode(n, values);
    }
  }
}

void KaiFactReader::ReadQueue(QueueIndex q, uint32_t parent) {
  const QueueSpec& spec = tables_.queues.spec[q];
  KaiQueue queue{.name = spec.name, .parent = parent, .priority = spec.priority};
  queue.created = spec.created;
  const QueueRules* rules = spec.rules ? &*spec.rules : nullptr;
  if (rules != nullptr) {
    queue.preempt_min_runtime = rules->preemption.preempt_min_runtime;
    queue.reclaim_min_runtime = rules->preemption.reclaim_min_runtime;
  }
  const uint32_t index = out_.tree.Add(std::move(queue));
  out_.queue_of[q] = index;
  out_.queues.push_back(q);
  KaiShares& shares = out_.tree.share[index];
  for (KaiShare& share : shares) {
    share.deserved = share.max_allowed = kKaiUnlimited;
    share.over_quota_weight = static_cast<double>(spec.weight);
  }
  for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
    if (place_of_[d] >= kKaiPodsAt) continue;
    const auto amount = [&](int64_t cell) {
      const double value = static_cast<double>(cell);
      return d == kCpu || whole_[d] != 0 ? value : value / 1000;
    };
    KaiShare& share = shares[place_of_[d]];
    const int64_t deserved = tables_.queues.deserved.at(q, d);
    const int64_t limit = tables_.queues.limit.at(q, d);
    if (deserved != kAbsent) share.deserved = amount(deserved);
    if (limit != kAbsent) share.max_allowed = amount(limit);
    if (rules == nullptr) continue;
    const std::string_view name = tables_.dimensions.name(d);
    for (const auto& [resource, weight] : rules->over_quota_weight) {
      if (resource == name) share.over_quota_weight = WeightOf(weight);
    }
  }
  if (!out_.facts.options.full_hierarchy) return;
  for (const QueueIndex child : ChildrenOf(q)) ReadQueue(child, index);
}

// The queues right below one, or the roots, by name.
std::vector<QueueIndex> KaiFactReader::ChildrenOf(QueueIndex q) const {
  std::vector<QueueIndex> children;
  for (QueueIndex c = 0; c < tables_.queues.alive.size(); ++c) {
    if (tables_.queues.alive[c] != 0 && tables_.queues.parent[c] == q) children.push_back(c);
  }
  std::ranges::sort(children, {}, [&](QueueIndex c) -> const std::string& {
    return tables_.queues.spec[c].name;
  });
  return children;
}

void KaiFactReader::ReadQueues() {
  out_.queue_of.assign(tables_.queues.alive.size(), kKaiNone);
  const std::vector<QueueIndex> tops = ChildrenOf(kNone);
  if (out_.facts.options.full_hierarchy) {
    for (const QueueIndex top : tops) ReadQueue(top, kKaiNone);
    return;
  }
  // The peer puts one queue in the place of all tops. It has the name of no queue.
  const uint32_t all = out_.tree.Add({.name = ""});
  out_.queues.push_back(QueueIndex(kNone));
  for (KaiShare& share : out_.tree.share[all]) {
    share.deserved = share.max_allowed = kKaiUnlimited;
    share.over_quota_weight = 1;
  }
  for (const QueueIndex top : tops) out_.queue_of[top] = all;
  std::vector<QueueIndex> rest;
  for (QueueIndex q = 0; q < tables_.queues.alive.size(); ++q) {
    if (tables_.queues.alive[q] != 0 && tables_.queues.parent[q] != kNone) rest.push_back(q);
  }
  std::ranges::sort(
      rest, {}, [&](QueueIndex q) -> const std::string& { return tables_.queues.spec[q].name; });
  for (const QueueIndex q : rest) ReadQueue(q, all);
}

KaiReading ReadKai(const Tables& tables, const KaiOptions& options, int64_t now) {
  KaiReading reading;
  reading.facts.options = options;
  reading.facts.now = now;
  KaiFactReader reader(tables, &reading);
  reader.ReadDimensions();
  reader.ReadNodes();
  reader.ReadTopologies();
  reader.ReadQueues();
  reader.ReadShapes();
  reader.ReadJobs();
  reader.ReadForeign();
  reader.ReadOpening();
  return reading;
}

}  // namespace muster
