// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/room_later.h"

#include <algorithm>
#include <utility>

namespace muster {

bool RoomLater::LooksAtStates(ClassIndex c) const {
  return context_.search.LooksAtNodesAlone(c) &&
         std::ranges::none_of(context_.dispatcher.at(Point::kScore), [&](const PolicyEntry* entry) {
           return entry->score->ScoreScope(c) == Scope::kCluster;
         });
}

// Lists the node where it belongs now. The search passes over nodes that are in no state.
void RoomLater::List(ClassIndex c, NodeIndex n, OfClass* known) {
  StateIndex to = kNone;
  if (context_.tables.nodes.alive[n] && context_.search.FitsFutureIdle(c, n)) {
    to = known->by_state ? context_.search.StateOf(n) : StateIndex(0);
  }
  const StateIndex from = std::exchange(known->listed[n], to);
  if (from == to) return;
  if (from != kNone) {
    const auto at = known->nodes.find(from);
    at->second.erase(n);
    if (at->second.empty()) known->nodes.erase(at);
  }
  if (to != kNone) known->nodes[to].insert(n);
}

const RoomLater::OfClass& RoomLater::Follow(ClassIndex c) {
  const size_t nodes = context_.tables.nodes.alive.size();
  const auto journal = context_.ledger.journal();
  if (known_.find(c) == known_.end()) {
    const bool by_state = LooksAtStates(c);
    known_[c].by_state = by_state;
    ++numbering_;
  }
  OfClass& known = known_[c];
  if (known.listed.size() != nodes || (known.by_state && known.numbering != numbering_) ||
      context_.search.Picks(c) || journal.size() - known.position > nodes) {
    known.listed.assign(nodes, kNone);
    known.read.assign(nodes, 0);
    known.nodes.clear();
    for (NodeIndex n = 0; n < nodes; ++n) List(c, n, &known);
  } else {
    for (size_t p = known.position; p < journal.size(); ++p) {
      const NodeIndex n = journal[p];
      if (std::exchange(known.read[n], journal.size()) != journal.size()) List(c, n, &known);
    }
  }
  known.numbering = numbering_;
  known.position = journal.size();
  return known;
}

}  // namespace muster
