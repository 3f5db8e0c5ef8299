// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Partition::FirstNode: the walk through nodes in their order.
#ifndef MUSTER_PEER_YUNIKORN_NODE_WALK_H_
#define MUSTER_PEER_YUNIKORN_NODE_WALK_H_

#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {

// Returns the first schedulable node that holds `ask` (with `need_free`, that has as much free) and
// that `accept(node)` takes. `accept` may change the order only if it takes the node.
template <class Accept>
Index Partition::FirstNode(const Resource& ask, bool need_free, Accept accept) {
  for (size_t i = 0; i < order_.blocks(); ++i) {
    if (!(need_free ? order_.MayHaveFree(i, ask) : order_.MayHaveTotal(i, ask))) continue;
    for (const NodeOrder::Entry& entry : order_.entries(i)) {
      const Index index = entry.node;
      const Node& node = nodes[index];
      if (need_free && !FitsIn(node.available, ask)) continue;
      if (!node.schedulable || !FitsIn(node.total, ask)) continue;
      if (accept(index)) return index;
    }
    order_.Tighten(i, nodes);
  }
  return kNone;
}

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_NODE_WALK_H_
