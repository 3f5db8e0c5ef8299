// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeResourceTopology's zones: for every question the node is read and its tasks are counted anew,
// by the names of resources.
#include <algorithm>

#include "lib/reference/cycle.h"
#include "lib/reference/fit/zones.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

using Amounts = ZoneWorld::Amounts;

// Without pods. Of amounts named twice, in two lists, the larger.
void Add(const Resources& resources, Amounts* amounts) {
  for (const auto& [name, quantity] : resources) {
    if (name == "pods") continue;
    const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
    int64_t& amount = (*amounts)[name];
    amount = std::max(amount, ParseQuantity(quantity.text, unit).value_or(0));
  }
}

Amounts WholeOf(const TaskShape& shape) {
  Amounts amounts;
  Add(shape.request, &amounts);
  if (shape.initial_request) Add(*shape.initial_request, &amounts);
  return amounts;
}

bool HasReport(const NodeSpec& node) {
  return std::any_of(node.zones.begin(), node.zones.end(),
                     [](const ZoneSpec& zone) { return zone.available.has_value(); });
}

bool TakesFromZones(const Cycle& cycle, TaskIndex t, NodeIndex node) {
  const TaskTable& tasks = cycle.tables().tasks;
  const NodeSpec& spec = cycle.tables().nodes.spec[node];
  if (!tasks.alive[t]) return false;
  switch (tasks.status[t]) {
    case TaskStatus::kPending:
    case TaskStatus::kNominated:
      return cycle.world.present[node].contains(t);
    case TaskStatus::kBinding:
    case TaskStatus::kBound:
      return tasks.node[t] == node;
    case TaskStatus::kRunning:
    case TaskStatus::kReleasing:
    case TaskStatus::kUnknown: {
      const bool late = spec.zones_measured &&
                        (tasks.started[t] == kAbsent || tasks.started[t] >= *spec.zones_measured);
      return tasks.node[t] == node && (late || !HasReport(spec));
    }
    default:
      return false;
  }
}

// The node's zones as they are, and the task.
ZoneWorld Look(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task, NodeIndex node) {
  const NodeSpec& spec = cycle.tables().nodes.spec[node];
  const TaskShape& shape = cycle.world.shape(task);
  ZoneWorld world;
  world.guaranteed = shape.guaranteed_qos;
  world.by_pod = spec.alignment_scope == AlignmentScope::kPod;
  world.most_zones = static_cast<int64_t>(NumberOption(policy, "most_zones", 8));
  for (const ZoneSpec& given : spec.zones) {
    ZoneWorld::Zone& zone = world.zones.emplace_back();
    zone.id = static_cast<int>(world.zones.size()) - 1;
    Add(given.available ? *given.available : given.capacity, &zone.available);
    for (const auto& [to, distance] : given.distances) {
      for (size_t i = 0; i < spec.zones.size(); ++i) {
        if (spec.zones[i].name == to) zone.distances[static_cast<int>(i)] = distance;
      }
    }
  }
  for (TaskIndex t = 0; t < cycle.tables().tasks.alive.size(); ++t) {
    if (!TakesFromZones(cycle, t, node)) continue;
    for (const auto& [name, amount] : WholeOf(cycle.world.shape(t))) {
      for (ZoneWorld::Zone& zone : world.zones) {
        const auto it = zone.available.find(name);
        if (it != zone.available.end()) it->second = std::max<int64_t>(0, it->second - amount);
      }
    }
  }

  world.on_machine = {"cpu", "memory", "ephemeral-storage"};
  for (const auto& [name, quantity] : spec.allocatable.value_or(spec.capacity)) {
    world.on_machine.insert(name);
  }
  world.whole = WholeOf(shape);
  for (const bool main : {false, true}) {
    for (const ContainerSpec& container : shape.containers) {
      if (main == (container.init || container.sidecar)) continue;
      world.parts.push_back({main, {}});
      Add(container.request, &world.parts.back().request);
    }
  }
  if (shape.containers.empty()) {
    world.parts.push_back({true, {}});
    Add(shape.request, &world.parts.back().request);
  }
  std::vector<Amounts> all = {world.whole};
  for (const ZoneWorld::Part& part : world.parts) all.push_back(part.request);
  for (const ZoneWorld::Zone& zone : world.zones) all.push_back(zone.available);
  for (const Amounts& amounts : all) {
    for (const auto& [name, amount] : amounts) {
      if (IsMilliDimension(name)) world.milli.insert(name);
    }
  }
  for (const auto& [key, value] : policy.options) {
    const bool plain = key == "cpu" || key == "memory";
    const std::string name = key.starts_with("resource.") ? key.substr(9) : key;
    if (plain || name != key) {
      world.weights[name] = static_cast<int64_t>(NumberOption(policy, key, 1));
    }
  }
  return world;
}

// A task of best effort that asks for nothing but Kubernetes' own resources is let through.
bool IsJudged(const ZoneWorld& world) {
  std::vector<Amounts> all = {world.whole};
  for (const ZoneWorld::Part& part : world.parts) all.push_back(part.request);
  bool judged = world.guaranteed;
  for (const Amounts& amounts : all) {
    for (const auto& [name, amount] : amounts) {
      const bool foreign =
          name.find('/') != std::string::npos && name.find("kubernetes.io/") == std::string::npos;
      judged = judged || (amount > 0 && (name == "cpu" || name == "memory" || foreign));
    }
  }
  return judged;
}

// Where in the shape the containers stand, in the order in which they are judged.
std::vector<size_t> Places(const TaskShape& shape) {
  std::vector<size_t> before, main;
  for (size_t i = 0; i < shape.containers.size(); ++i) {
    const ContainerSpec& container = shape.containers[i];
    (container.init || container.sidecar ? before : main).push_back(i);
  }
  before.insert(before.end(), main.begin(), main.end());
  return before;
}

}  // namespace

std::optional<Refusal> ZoneRefusal(const Cycle& cycle, const ReferencePolicy& policy,
                                   TaskIndex task, NodeIndex node) {
  const NodeSpec& spec = cycle.tables().nodes.spec[node];
  if (spec.zones.empty() || spec.alignment != Alignment::kSingleNumaNode) return std::nullopt;
  const ZoneWorld world = Look(cycle, policy, task, node);
  if (!IsJudged(world)) return std::nullopt;
  std::string name;
  const int part = world.Check(&name);
  if (part < 0) return std::nullopt;
  Refusal refusal{.code = RefusalCode::kPolicy, .detail = "no zone has enough " + name};
  const std::vector<size_t> places = Places(cycle.world.shape(task));
  if (!world.by_pod && !places.empty()) {
    refusal.detail += " for containers[" + std::to_string(places[static_cast<size_t>(part)]) + "]";
  }
  return refusal;
}

double ZoneScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                 NodeIndex node) {
  const NodeSpec& spec = cycle.tables().nodes.spec[node];
  const std::string strategy = TextOption(policy, "strategy", "least");
  if (spec.zones.empty() || !cycle.world.shape(task).guaranteed_qos) return 0;
  if (strategy != "fewest" && spec.alignment != Alignment::kSingleNumaNode) return 0;
  const int64_t score = Look(cycle, policy, task, node).Score(strategy);
  return NumberOption(policy, "weight", 1) * static_cast<double>(score);
}

}  // namespace muster::reference
