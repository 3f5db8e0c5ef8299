// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/node_types.h"

#include <algorithm>
#include <string>

#include "lib/base/hash_map.h"
#include "lib/model/spec_key.h"

namespace muster {
namespace {

// The labels of nodes that tasks select nodes by, or are spread over.
HashSet<std::string_view> KeysOfTasks(const ClassTable& classes) {
  HashSet<std::string_view> keys;
  const auto add_term = [&keys](const NodeTerm& term) {
    for (const Requirement& requirement : term.match_expressions) keys.insert(requirement.key);
  };
  for (const TaskShape& shape : classes.shape) {
    for (const auto& label : shape.node_selector) keys.insert(label.first);
    if (shape.required_node_affinity)
      std::ranges::for_each(*shape.required_node_affinity, add_term);
    for (const PreferredNodeTerm& preferred : shape.preferred_node_affinity) {
      add_term(preferred.term);
    }
    for (const auto* terms : {&shape.required_affinity, &shape.required_anti_affinity}) {
      for (const AffinityTerm& term : *terms) keys.insert(term.topology_key);
    }
    for (const auto* terms : {&shape.preferred_affinity, &shape.preferred_anti_affinity}) {
      for (const PreferredAffinityTerm& term : *terms) keys.insert(term.term.topology_key);
    }
    for (const SpreadConstraint& spread : shape.spread) keys.insert(spread.topology_key);
  }
  return keys;
}

// The labels of which no two living nodes have the same value.
HashSet<std::string_view> KeysThatNameNodes(const NodeTable& nodes) {
  HashMap<std::string_view, HashSet<std::string_view>> values;
  HashSet<std::string_view> shared;
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    for (const auto& [key, value] : nodes.spec[n].labels) {
      if (!values[key].insert(value).second) shared.insert(key);
    }
  }
  HashSet<std::string_view> naming;
  for (const auto& [key, held] : values) {
    if (held.size() > 1 && !shared.contains(key)) naming.insert(key);
  }
  return naming;
}

}  // namespace

bool IsOfState(const Taint& taint) {
  return taint.key.starts_with("node.kubernetes.io/") ||
         taint.key.starts_with("node.cloudprovider.kubernetes.io/");
}

NodeSpec NewNodeLike(const NodeSpec& node) {
  NodeSpec spec = node;
  spec.unschedulable = spec.network_unavailable = false;
  spec.memory_pressure = spec.disk_pressure = spec.pid_pressure = false;
  spec.ready = true;
  std::erase_if(spec.taints, IsOfState);
  spec.images.clear();
  spec.usage.reset();
  for (ZoneSpec& zone : spec.zones) zone.available.reset();
  spec.zones_measured.reset();
  return spec;
}

std::vector<NodeIndex> NodeTypes(const Tables& tables) {
  const NodeTable& nodes = tables.nodes;
  const HashSet<std::string_view> selected = KeysOfTasks(tables.classes);
  const HashSet<std::string_view> naming = KeysThatNameNodes(nodes);
  HashSet<std::string> known;
  std::vector<NodeIndex> types;
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    NodeSpec like = NewNodeLike(nodes.spec[n]);
    std::erase_if(like.labels, [&](const auto& label) {
      const auto& [key, value] = label;
      return key == kHostLabel || value == like.name ||
             (naming.contains(key) && !selected.contains(key));
    });
    like.name.clear();
    for (size_t i = 0; i < like.devices.size(); ++i) like.devices[i].name = std::to_string(i);
    if (known.insert(MeaningKey(like)).second) types.push_back(n);
  }
  return types;
}

}  // namespace muster
