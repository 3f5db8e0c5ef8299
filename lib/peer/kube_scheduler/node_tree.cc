// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/node_tree.h"

#include <algorithm>
#include <utility>

#include "lib/base/math.h"
#include "lib/kube/selectors.h"

namespace muster::kube {
namespace {

const std::string* FirstLabel(const Labels& labels, std::string_view key, std::string_view old) {
  const std::string* value = FindLabel(labels, key);
  return value != nullptr ? value : FindLabel(labels, old);
}

// Empty: neither region nor zone.
std::string ZoneOf(const Labels& labels) {
  const std::string* region = FirstLabel(labels, "topology.kubernetes.io/region",
                                         "failure-domain.beta.kubernetes.io/region");
  const std::string* zone =
      FirstLabel(labels, "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
  const std::string a = region == nullptr ? "" : *region, b = zone == nullptr ? "" : *zone;
  return a.empty() && b.empty() ? std::string() : a + "\n" + b;
}

}  // namespace

void NodeTree::Load(const MemorySlot& slot) {
  for (const auto& [name, row] : slot.rows()) {
    Node& node = nodes_[name];
    node.zone = std::string(slot.Text(name, 0));
    node.zone_number = AsCount(slot.Integer(name, 1));
    node.number = AsCount(slot.Integer(name, 2));
    node.memo = std::string(slot.Text(name, 3));
    next_ = std::max(next_, node.number + 1);
  }
}

void NodeTree::Store(MemorySlot* slot) const {
  *slot = MemorySlot();
  for (const auto& [name, node] : nodes_) {
    MemoryRow row;
    row.reserve(4);
    row.emplace_back(node.zone);
    row.emplace_back(node.zone_number);
    row.emplace_back(node.number);
    row.emplace_back(node.memo);
    slot->Set(name, std::move(row));
  }
}

void NodeTree::Place(const std::string& zone, Node* node) {
  node->zone = zone;
  node->number = next_++;
  node->zone_number = node->number;
  for (const auto& [name, other] : nodes_) {
    if (&other != node && other.zone == zone && !other.memo.empty()) {
      node->zone_number = other.zone_number;
      return;
    }
  }
}

bool NodeTree::IsBehindAll(std::string_view name) const {
  return nodes_.empty() || std::string_view(nodes_.rbegin()->first) < name;
}

NodeTree::Node& NodeTree::NodeNamed(std::string_view name) {
  // Nodes often come in the order of their names.
  if (IsBehindAll(name)) return nodes_.emplace_hint(nodes_.end(), name, Node())->second;
  return nodes_[std::string(name)];
}

void NodeTree::Add(const Tables& tables, NodeIndex n) {
  Node& node = NodeNamed(tables.nodes.names.name(n));
  Place(ZoneOf(tables.nodes.spec[n].labels), &node);
  node.memo = MemoOf(tables, n);
  changed_ = true;
}

NodeBefore NodeTree::Change(const Tables& tables, NodeIndex n) {
  Node& node = nodes_[std::string(tables.nodes.names.name(n))];
  NodeBefore before = NodeFromMemo(node.memo);
  std::string zone = ZoneOf(tables.nodes.spec[n].labels);
  if (zone != node.zone || node.memo.empty()) Place(zone, &node);
  node.memo = MemoOf(tables, n);
  changed_ = true;
  return before;
}

NodeBefore NodeTree::Remove(std::string_view name) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end()) return {};
  NodeBefore before = NodeFromMemo(it->second.memo);
  nodes_.erase(it);
  changed_ = true;
  return before;
}

void NodeTree::Reconcile(const Tables& tables) {
  std::vector<std::string> gone;
  for (const auto& [name, node] : nodes_) {
    if (!tables.nodes.names.Find(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) Remove(name);
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    const std::string_view name = tables.nodes.names.name(n);
    if (IsBehindAll(name) || !has(name)) Add(tables, n);
  }
}

std::vector<NodeIndex> NodeTree::Order(const Tables& tables) const {
  std::vector<std::pair<std::pair<int64_t, int64_t>, NodeIndex>> rows;
  for (const auto& [name, node] : nodes_) {
    const auto n = tables.nodes.names.Find(name);
    if (n && tables.nodes.alive[*n]) rows.push_back({{node.zone_number, node.number}, *n});
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::vector<NodeIndex>> zones;
  int64_t zone = -1;
  for (const auto& [numbers, n] : rows) {
    if (zones.empty() || numbers.first != zone) zones.emplace_back();
    zone = numbers.first;
    zones.back().push_back(n);
  }
  std::vector<NodeIndex> order;
  order.reserve(rows.size());
  for (size_t turn = 0; order.size() < rows.size(); ++turn) {
    for (const std::vector<NodeIndex>& nodes : zones) {
      if (turn < nodes.size()) order.push_back(nodes[turn]);
    }
  }
  return order;
}

}  // namespace muster::kube
