// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_tree.h"

#include <algorithm>
#include <utility>

#include "lib/base/math.h"
#include "lib/kube/selectors.h"

namespace muster::kueue {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

std::string Joined(std::span<const std::string> values) {
  std::string name;
  for (const std::string& value : values) {
    if (!name.empty() || &value != values.data()) name += ',';
    name += value;
  }
  return name;
}

}  // namespace

TopologyResources::TopologyResources(std::vector<std::string> names)
    : names_(std::move(names)), rank_(names_.size()) {
  std::vector<uint32_t> order(names_.size());
  for (uint32_t r = 0; r < order.size(); ++r) order[r] = r;
  std::sort(order.begin(), order.end(),
            [this](uint32_t a, uint32_t b) { return names_[a] < names_[b]; });
  for (uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
  pods_ = static_cast<uint32_t>(std::find(names_.begin(), names_.end(), "pods") - names_.begin());
}

bool IsOfFlavor(const Labels& labels, const Labels& wanted, std::span<const std::string> levels) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& label) {
                       const std::string* value = FindLabel(labels, label.first);
                       return value != nullptr ? *value == label.second : label.second.empty();
                     }) &&
         std::all_of(levels.begin(), levels.end(),
                     [&](const std::string& key) { return FindLabel(labels, key) != nullptr; });
}

struct TopologyTree::Row {
  std::vector<std::string> values;  // of all levels
  std::string name;
  std::vector<size_t> nodes;  // the first gives labels and taints
};

TopologyTree::TopologyTree(const FlavorSpec& flavor, TopologyResources resources,
                           std::span<const TopologyNode> nodes)
    : flavor_(flavor.name),
      name_(flavor.topology->name),
      resources_(std::move(resources)),
      tolerations_(flavor.tolerations),
      keys_(flavor.topology->levels),
      hosts_(keys_.back() == kHostname),
      at_(keys_.size()),
      leaf_of_node_(nodes.size(), kNone) {
  std::vector<Row> rows;
  HashMap<std::string, size_t> row_of;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Labels& labels = nodes[n].spec->labels;
    if (!nodes[n].usable || !IsOfFlavor(labels, flavor.node_labels, keys_)) continue;
    std::vector<std::string> values;
    for (const std::string& key : keys_) values.push_back(*FindLabel(labels, key));
    std::string name = hosts_ ? values.back() : Joined(values);
    const auto [at, is_new] = row_of.try_emplace(name, rows.size());
    if (is_new) rows.push_back({std::move(values), std::move(name), {}});
    rows[at->second].nodes.push_back(n);
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.values < b.values; });
  for (uint32_t level = 0; level < levels(); ++level) Link(level, rows);
  capacity_.assign(rows.size() * resources_.size(), 0);
  for (uint32_t leaf = 0; leaf < rows.size(); ++leaf) {
    by_name_[rows[leaf].name] = leaf;
    for (const size_t n : rows[leaf].nodes) {
      leaf_of_node_[n] = leaf;
      for (size_t r = 0; r < nodes[n].allocatable.size(); ++r) {
        int64_t& cell = capacity_[leaf * resources_.size() + r];
        cell = SatAdd(cell, nodes[n].allocatable[r]);
      }
    }
    if (!hosts_) continue;
    const NodeSpec& first = *nodes[rows[leaf].nodes.front()].spec;
    NodeSpec host;
    host.name = first.name;
    host.labels = first.labels;
    host.taints = first.taints;
    host_.push_back(std::move(host));
  }
}

// Numbers the domains of a level: rows with equal values up to the level are one. The level above
// is linked already.
void TopologyTree::Link(uint32_t level, const std::vector<Row>& rows) {
  Level& here = at_[level];
  Level* above = level > 0 ? &at_[level - 1] : nullptr;
  uint32_t parent = kNone;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto differs_up_to = [&](uint32_t last) {
      return i == 0 || !std::equal(rows[i].values.begin(), rows[i].values.begin() + last + 1,
                                   rows[i - 1].values.begin());
    };
    const bool is_leaf = level == lowest();  // two hosts never have one name
    if (!is_leaf && !differs_up_to(level)) continue;
    if (above != nullptr && differs_up_to(level - 1)) {
      above->first.push_back(static_cast<uint32_t>(here.values.size()));
      parent = static_cast<uint32_t>(above->first.size() - 1);
    }
    here.values.push_back(rows[i].values[level]);
    here.parents.push_back(parent);
  }
  if (above != nullptr) above->first.push_back(static_cast<uint32_t>(here.values.size()));
}

std::optional<uint32_t> TopologyTree::level_of(std::string_view key) const {
  for (uint32_t level = 0; level < levels(); ++level) {
    if (keys_[level] == key) return level;
  }
  return std::nullopt;
}

uint32_t TopologyTree::ancestor(uint32_t level, uint32_t domain, uint32_t wider_level) const {
  for (; level > wider_level; --level) domain = parent(level, domain);
  return domain;
}

std::vector<std::string> TopologyTree::path(uint32_t level, uint32_t domain) const {
  std::vector<std::string> values(level + 1);
  for (uint32_t l = level + 1; l-- > 0; domain = parent(l, domain)) values[l] = value(l, domain);
  return values;
}

std::pair<uint32_t, uint32_t> TopologyTree::leaves_below(uint32_t level, uint32_t domain) const {
  uint32_t first = domain, last = domain + 1;
  for (; level < lowest(); ++level) {
    first = at_[level].first[first];
    last = at_[level].first[last];
  }
  return {first, last};
}

std::vector<std::string> TopologyTree::leaf_name(uint32_t leaf) const {
  if (hosts_) return {value(lowest(), leaf)};
  return path(lowest(), leaf);
}

std::optional<uint32_t> TopologyTree::FindLeaf(std::span<const std::string> name) const {
  const auto found = by_name_.find(Joined(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

}  // namespace muster::kueue
