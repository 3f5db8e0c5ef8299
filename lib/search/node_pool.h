// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The nodes of a part of the cluster, by state, so that tasks placed there one after the other look
// at one node a state.
//
//   NodePool pool;
//   pool.Fill(search, nodes);
//   NodeIndex node = pool.Best(search, task, Want::kNow);
//   ... ledger.Move(task, TaskStatus::kPlaced, node) ...
//   pool.Moved(search);
//
// For classes that look at nodes alone (NodeSearch::LooksAtNodesAlone), on the nodes of one leaf
// domain: nodes in one state are equal to such classes, and the oldest is taken.
//
// Cost. O(nodes log nodes) to fill, then O(states) a task.
#ifndef MUSTER_SEARCH_NODE_POOL_H_
#define MUSTER_SEARCH_NODE_POOL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/search/node_search.h"

namespace muster {

class NodePool {
 public:
  void Fill(NodeSearch& search, std::span<const NodeIndex> nodes);
  NodeIndex Best(NodeSearch& search, TaskIndex task, Want want);
  // Call this when the node that Best returned last is in another state now, and no other node is.
  void Moved(NodeSearch& search);

 private:
  struct Entry {
    uint32_t state;
    std::vector<NodeIndex> nodes;  // a heap, the oldest on top
  };
  void Add(uint32_t state, NodeIndex node);

  std::vector<Entry> entries_;
  std::vector<NodeIndex> oldest_;  // of each entry
  size_t last_ = 0;                // the entry that Best chose
};

}  // namespace muster

#endif  // MUSTER_SEARCH_NODE_POOL_H_
