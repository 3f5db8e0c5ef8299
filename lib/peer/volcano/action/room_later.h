// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The nodes that have room for a task of a class once all leaving tasks have left.
//
//   RoomLater room(context);
//   room.ForEach(task_class, [](NodeIndex n) { return true; }, [&](NodeIndex n) { ... });
//
// In a full cluster these are the nodes from which tasks were evicted. Each class that was asked
// about keeps them, and asks again only about nodes in the ledger's journal. Where neither fit nor
// score of the class looks beyond a node, nodes in one state are alike to it, and the first of them
// is the best of them: so they are kept by state, and the others are not visited.
// Cost. O(nodes log nodes) at the first call for a class, and where nodes are kept by state again
// at its next call after the first call for another class: that may have given states other
// numbers. Else O(log nodes) for each node that changed since. Then a look at the first nodes of
// each state, up to one that may be visited; or at all nodes with room, where nodes are not alike.
// A class that picks parts of nodes is asked about all nodes each time.
#ifndef MUSTER_PEER_VOLCANO_ACTION_ROOM_LATER_H_
#define MUSTER_PEER_VOLCANO_ACTION_ROOM_LATER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/btree_set.h"
#include "lib/base/hash_map.h"
#include "lib/part/context.h"

namespace muster {

class RoomLater {
 public:
  explicit RoomLater(ActionContext& context) : context_(context) {}

  // Calls visit(n) for nodes with room where keep(n) returns true, in index order; of nodes that
  // are alike to the class, for the first one alone.
  template <class Keep, class Visit>
  void ForEach(ClassIndex c, const Keep& keep, const Visit& visit) {
    const OfClass& known = Follow(c);
    visits_.clear();
    for (const auto& [state, nodes] : known.nodes) {
      for (const NodeIndex n : nodes) {
        if (!keep(n)) continue;
        visits_.push_back(n);
        if (known.by_state) break;
      }
    }
    std::sort(visits_.begin(), visits_.end());
    for (const NodeIndex n : visits_) visit(n);
  }

 private:
  struct OfClass {
    bool by_state = false;           // nodes in one state are alike
    size_t position = 0;             // in the ledger's journal
    size_t numbering = 0;            // of states, where `by_state`
    std::vector<size_t> read;        // by node: the end of the journal when it was last listed
    std::vector<StateIndex> listed;  // by node: where it is in `nodes`; kNone: it has no room
    HashMap<StateIndex, absl::btree_set<NodeIndex>> nodes;  // under one key unless `by_state`
  };
  const OfClass& Follow(ClassIndex c);
  bool LooksAtStates(ClassIndex c) const;
  void List(ClassIndex c, NodeIndex n, OfClass* known);

  ActionContext& context_;
  HashMap<ClassIndex, OfClass> known_;
  // Grows when states may get other numbers: the search tells more nodes apart for a new class.
  size_t numbering_ = 0;
  std::vector<NodeIndex> visits_;  // of one call
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_ROOM_LATER_H_
