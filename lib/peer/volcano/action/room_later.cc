// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/room_later.h"

#include <algorithm>

namespace muster {

bool RoomLater::LooksAtStates(ClassIndex c) const {
  return context_.search.LooksAtNodesAlone(c) &&
         std::ranges::none_of(context_.dispatcher.at(Point::kScore), [&](const PolicyEntry* entry) {
           return entry->score->ScoreScope(c) == Scope::kCluster;
         });
}

const RoomLater::OfClass& RoomLater::Follow(ClassIndex c) {
  OfClass& known = known_[c];
  NodeSearch& search = context_.search;
  const auto& alive = context_.tables.nodes.alive;
  const auto journal = context_.ledger.journal();
  const auto ask = [&](NodeIndex n) {
    const uint64_t bit = uint64_t{1} << (n % 64);
    if (alive[n] && search.FitsFutureIdle(c, n)) {
      known.bits[n / 64] |= bit;
    } else {
      known.bits[n / 64] &= ~bit;
    }
  };
  if (known.bits.empty()) known.by_state = LooksAtStates(c);
  if (known.bits.empty() || search.Picks(c) || journal.size() - known.position > alive.size()) {
    known.bits.assign((alive.size() + 63) / 64, 0);
    for (NodeIndex n = 0; n < alive.size(); ++n) ask(n);
  } else {
    for (size_t p = known.position; p < journal.size(); ++p) ask(journal[p]);
  }
  known.position = journal.size();
  return known;
}

}  // namespace muster
