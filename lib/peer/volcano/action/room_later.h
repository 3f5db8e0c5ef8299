// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The nodes that have room for a task of a class once all leaving tasks have left.
//
//   RoomLater room(context);
//   room.ForEach(task_class, [](NodeIndex n) { return true; }, [&](NodeIndex n) { ... });
//
// In a full cluster these are the nodes from which tasks were evicted. Each class that was asked
// about keeps a bit for every node, and asks again only about nodes in the ledger's journal. Where
// neither fit nor score of the class looks beyond a node, nodes in one state are alike to it, and
// the first of them is the best of them: the others are not visited.
// Cost. O(nodes) at the first call for a class, then O(nodes that changed), a word for 64 nodes, a
// look at each node with room, and the visits. A class that picks parts of nodes is asked about all
// nodes each time.
#ifndef MUSTER_PEER_VOLCANO_ACTION_ROOM_LATER_H_
#define MUSTER_PEER_VOLCANO_ACTION_ROOM_LATER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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
    ++visit_;
    for (size_t word = 0; word < known.bits.size(); ++word) {
      for (uint64_t left = known.bits[word]; left != 0; left &= left - 1) {
        const NodeIndex n(static_cast<uint32_t>(64 * word + std::countr_zero(left)));
        if (keep(n) && !(known.by_state && WasIn(context_.search.StateOf(n)))) visit(n);
      }
    }
  }

 private:
  struct OfClass {
    std::vector<uint64_t> bits;  // empty: not asked yet
    size_t position = 0;         // in the ledger's journal
    bool by_state = false;       // nodes in one state are alike
  };
  const OfClass& Follow(ClassIndex c);
  bool LooksAtStates(ClassIndex c) const;
  // Returns whether a node in the state was visited, and notes that one is.
  bool WasIn(StateIndex state) {
    if (state == kNone) return true;  // the search passes over the node
    if (state >= visits_.size()) visits_.resize(state + 1, 0);
    return std::exchange(visits_[state], visit_) == visit_;
  }

  ActionContext& context_;
  HashMap<ClassIndex, OfClass> known_;
  uint64_t visit_ = 0;            // counts calls of ForEach
  std::vector<uint64_t> visits_;  // by state: the last call that came to it
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_ROOM_LATER_H_
