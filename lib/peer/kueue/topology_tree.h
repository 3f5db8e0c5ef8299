// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree that a flavor's topology makes of its nodes: blocks, racks, hosts, as numbers.
//
//   auto tree = std::make_shared<const TopologyTree>(flavor, TopologyResources(names), nodes);
//   uint32_t rack = tree->level_of("rack").value();
//   for (uint32_t d = 0; d < tree->size(rack); ++d) Visit(tree->value(rack, d));
//   std::optional<uint32_t> leaf = tree->FindLeaf({"block-1", "rack-3"});
//
// Domains of a level are numbered in the order of their values, the widest level compared first. So
// the children of a domain are a range of numbers of the next level, and of two domains the one
// with the smaller number comes first in every order that ends with values.
//
// A node belongs to the flavor if it is usable, has the flavor's labels with their values, and has
// a label for every level. A leaf is a domain of the lowest level. Where that level is
// kubernetes.io/hostname, a leaf is a host: nodes with one hostname are one leaf, which has the
// labels and taints of the first of them, and a leaf is named by its hostname alone. Elsewhere a
// leaf sums its nodes and is named by its values for all levels.
//
// Threads. Const after construction.
// Cost. O(n log n) in the nodes of the flavor.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_TREE_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_TREE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "muster/flavor.h"
#include "muster/index.h"
#include "muster/spec.h"

namespace muster::kueue {

// The resources of rows of amounts, by the caller's numbers. One of them is "pods".
class TopologyResources {
 public:
  explicit TopologyResources(std::vector<std::string> names);
  size_t size() const { return names_.size(); }
  const std::string& name(uint32_t resource) const { return names_[resource]; }
  uint32_t pods() const { return pods_; }
  // The position of the resource in the order of names.
  uint32_t rank(uint32_t resource) const { return rank_[resource]; }

 private:
  std::vector<std::string> names_;
  std::vector<uint32_t> rank_;
  uint32_t pods_ = 0;
};

// A node as the tree reads it.
struct TopologyNode {
  const NodeSpec* spec = nullptr;        // its name, labels and taints; read by the constructor
  std::span<const int64_t> allocatable;  // by resource
  bool usable = true;                    // ready, and not marked unschedulable
};

// Returns whether a node with these labels is of a flavor: it has the wanted labels, of which an
// empty one may also be absent, and a label for every level.
bool IsOfFlavor(const Labels& labels, const Labels& wanted, std::span<const std::string> levels);

class TopologyTree {
 public:
  // REQUIRES: the flavor has a topology.
  TopologyTree(const FlavorSpec& flavor, TopologyResources resources,
               std::span<const TopologyNode> nodes);

  const std::string& flavor() const { return flavor_; }
  const std::string& name() const { return name_; }  // of the topology
  const TopologyResources& resources() const { return resources_; }
  const std::vector<Toleration>& tolerations() const { return tolerations_; }

  // --- levels, the widest is 0
  uint32_t levels() const { return static_cast<uint32_t>(keys_.size()); }
  uint32_t lowest() const { return levels() - 1; }
  const std::string& key(uint32_t level) const { return keys_[level]; }
  std::optional<uint32_t> level_of(std::string_view key) const;
  bool leaves_are_hosts() const { return hosts_; }

  // --- domains of a level
  uint32_t size(uint32_t level) const { return static_cast<uint32_t>(at_[level].values.size()); }
  uint32_t leaves() const { return size(lowest()); }
  // The value of the domain's own level.
  const std::string& value(uint32_t level, uint32_t domain) const {
    return at_[level].values[domain];
  }
  // kNone at level 0.
  uint32_t parent(uint32_t level, uint32_t domain) const { return at_[level].parents[domain]; }
  // The domains of the next level below it: first .. last - 1. REQUIRES: not the lowest level.
  uint32_t first_child(uint32_t level, uint32_t domain) const { return at_[level].first[domain]; }
  uint32_t last_child(uint32_t level, uint32_t domain) const {
    return at_[level].first[domain + 1];
  }
  uint32_t ancestor(uint32_t level, uint32_t domain, uint32_t wider_level) const;
  // The values of levels 0 .. level.
  std::vector<std::string> path(uint32_t level, uint32_t domain) const;

  // --- leaves
  // The domains that lie below the domain: first .. second - 1.
  std::pair<uint32_t, uint32_t> leaves_below(uint32_t level, uint32_t domain) const;
  // As assignments name the leaf: its hostname, or its values.
  std::vector<std::string> leaf_name(uint32_t leaf) const;
  std::optional<uint32_t> FindLeaf(std::span<const std::string> name) const;
  // The host of a leaf: its name, labels and taints. REQUIRES: leaves_are_hosts().
  const NodeSpec& host(uint32_t leaf) const { return host_[leaf]; }
  // Allocatable amounts of all its nodes, by resource.
  std::span<const int64_t> capacity(uint32_t leaf) const {
    return {capacity_.data() + leaf * resources_.size(), resources_.size()};
  }
  // By position in the constructor's list; kNone: the node is not of the flavor.
  uint32_t leaf_of_node(size_t node) const { return leaf_of_node_[node]; }

 private:
  struct Level {
    std::vector<std::string> values;  // by domain
    std::vector<uint32_t> parents;    // by domain
    std::vector<uint32_t> first;      // by domain, and one more: the first child
  };
  struct Row;  // a leaf while the tree is made
  void Link(uint32_t level, const std::vector<Row>& rows);

  std::string flavor_, name_;
  TopologyResources resources_;
  std::vector<Toleration> tolerations_;
  std::vector<std::string> keys_;
  bool hosts_ = false;
  std::vector<Level> at_;
  std::vector<NodeSpec> host_;
  std::vector<int64_t> capacity_;
  std::vector<uint32_t> leaf_of_node_;
  HashMap<std::string, uint32_t> by_name_;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_TREE_H_
