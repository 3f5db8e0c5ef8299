// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order in which nodes are examined: one node of each zone in turn, zones in the order of their
// first node.
//
//   NodeTree tree;
//   tree.Load(slot);
//   NodeBefore before = tree.Change(tables, node);   // as the memory had it
//   std::vector<NodeIndex> order = tree.Order(tables);
//
// A node without region and zone is in a zone of its own kind. A node that gets another zone goes
// behind all nodes of that zone, and a zone that lost its last node comes back behind all others.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_NODE_TREE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_NODE_TREE_H_

#include <map>
#include <string>
#include <vector>

#include "lib/peer/kube_scheduler/memos.h"
#include "muster/memory.h"

namespace muster::kube {

class NodeTree {
 public:
  void Load(const MemorySlot& slot);
  void Store(MemorySlot* slot) const;
  // Returns whether a change has to be stored.
  bool changed() const { return changed_; }

  bool has(std::string_view name) const { return nodes_.find(name) != nodes_.end(); }
  void Add(const Tables& tables, NodeIndex n);
  // Takes the node as it is now, and returns how it was.
  NodeBefore Change(const Tables& tables, NodeIndex n);
  NodeBefore Remove(std::string_view name);
  // Adds nodes that are missing, and removes those that are gone.
  void Reconcile(const Tables& tables);

  std::vector<NodeIndex> Order(const Tables& tables) const;

 private:
  struct Node {
    std::string zone;
    int64_t zone_number = 0;  // of the zone, by first arrival
    int64_t number = 0;       // of the node
    std::string memo;
  };
  bool IsBehindAll(std::string_view name) const;
  Node& NodeNamed(std::string_view name);
  void Place(const std::string& zone, Node* node);

  std::map<std::string, Node, std::less<>> nodes_;
  int64_t next_ = 0;
  bool changed_ = false;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_NODE_TREE_H_
