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
//
// The tree is rows of the slot (packed_rows.h): those without a change are shared with the memory
// before.
//
// Cost. Load, Store: O(buckets): one for about 32 names; and what changed. Order: O(nodes log
// nodes), or O(nodes) of nodes that Reconcile was the first to see. The first Add or Change:
// O(nodes).
#ifndef MUSTER_PEER_KUBE_SCHEDULER_NODE_TREE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_NODE_TREE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/kube_scheduler/memos.h"
#include "lib/peer/kube_scheduler/packed_rows.h"

namespace muster::kube {

class NodeTree {
 public:
  void Load(const MemorySlot& slot);
  void Store(MemorySlot* slot) { rows_.Store(slot); }
  // Returns whether a change has to be stored.
  bool changed() const { return rows_.changed(); }

  bool has(std::string_view name) const { return rows_.Find(name).has_value(); }
  void Add(const Tables& tables, NodeIndex n);
  // Takes the node as it is now, and returns how it was.
  NodeBefore Change(const Tables& tables, NodeIndex n);
  NodeBefore Remove(std::string_view name);
  // Adds nodes that are missing, and removes those that are gone.
  void Reconcile(const Tables& tables);

  std::vector<NodeIndex> Order(const Tables& tables) const;

 private:
  struct Zone {
    int64_t number = 0;  // by first arrival
    size_t nodes = 0;
  };
  struct Seat {
    int64_t zone_number = 0;
    int64_t number = 0;  // of the node, by arrival
  };
  struct Row {
    std::string_view zone;
    Seat seat;
    std::string_view memo;
  };
  static Row ReadRow(std::string_view text);
  void ReconcileFirst(const Tables& tables);
  std::vector<std::pair<Seat, NodeIndex>> SeatsOf(const Tables& tables) const;
  void CountZones();
  Seat SeatIn(const std::string& zone);
  // Takes the node, which may be unknown, out of its zone.
  void LeaveZone(std::string_view name);
  // Sets the row of a node that has a seat.
  void Set(const Tables& tables, NodeIndex n, std::string_view zone, Seat seat);

  PackedRows rows_;
  bool counted_ = false;  // the next two are known
  HashMap<std::string, Zone> zones_;
  int64_t next_ = 0;
  std::vector<std::pair<Seat, NodeIndex>> first_;  // all seats, until one changes; empty: not known
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_NODE_TREE_H_
