// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Returns the number of a card as an index. Cards are numbered by int, as the peer numbers them.
//
//   const VgpuCard& card = machine.cards[At(grant.card)];
//
// REQUIRES: `card` is at least 0.
#ifndef MUSTER_PEER_VOLCANO_CARDS_AT_H_
#define MUSTER_PEER_VOLCANO_CARDS_AT_H_

#include <cstddef>

namespace muster {

inline size_t At(int card) { return static_cast<size_t>(card); }

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_AT_H_
