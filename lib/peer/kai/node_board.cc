// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/node_board.h"

#include <algorithm>
#include <bit>

#include "lib/peer/kai/node_order.h"
#include "lib/peer/kai/world.h"

namespace muster {

KaiNodeBoard::KaiNodeBoard(const KaiWorld& world, uint32_t shape)
    : world_(world),
      shape_(shape),
      leaves_(std::bit_ceil(std::max<size_t>(1, world.nodes.size()))) {
  keys_.resize(world.nodes.size());
  winner_.assign(2 * leaves_, kKaiNone);
  followed_ = world.nodes.changes();
  for (uint32_t n = 0; n < keys_.size(); ++n) {
    known_.push_back(world.nodes.changes_of(n));
    keys_[n] = KeyOf(n);
    if (keys_[n].bands >= 0) winner_[leaves_ + n] = n;
  }
  for (size_t at = leaves_; at-- > 1;) Play(static_cast<uint32_t>(at));
}

KaiNodeBoard::Key KaiNodeBoard::KeyOf(uint32_t node) const {
  const KaiShape& shape = world_.facts().shapes[shape_];
  if (!world_.nodes.FitsLater(node, shape) || !KaiAdmits(world_, shape_, node)) return {};
  const size_t d = shape.cpu_only ? kKaiCpuAt : kKaiGpuAt;
  const double left = world_.nodes.NotAllocated(node, d);
  Key key{KaiBandsOf(world_, shape, node), 0};
  switch (shape.cpu_only ? world_.options().cpu : world_.options().gpu) {
    case KaiPlacement::kBinpack:
      key.place = -left;
      break;
    case KaiPlacement::kSpread:
      key.place = KaiSpreadOf(world_, shape, node);
      break;
    case KaiPlacement::kNone:
      break;
  }
  return key;
}

// Returns whether node `a` goes before node `b`, which has the larger name.
bool KaiNodeBoard::Beats(uint32_t a, uint32_t b) const {
  if (a == kKaiNone || b == kKaiNone) return b == kKaiNone;
  const Key &left = keys_[a], &right = keys_[b];
  return left.bands != right.bands ? left.bands > right.bands : left.place >= right.place;
}

void KaiNodeBoard::Play(uint32_t at) {
  const uint32_t a = winner_[2 * at], b = winner_[2 * at + 1];
  winner_[at] = Beats(a, b) ? a : b;
}

void KaiNodeBoard::Set(uint32_t node, const Key& key) {
  if (keys_[node] == key) return;
  keys_[node] = key;
  size_t at = leaves_ + node;
  winner_[at] = key.bands >= 0 ? node : kKaiNone;
  while ((at /= 2) > 0) {
    const uint32_t before = winner_[at];
    Play(static_cast<uint32_t>(at));
    // Above, the node was not looked at, and is not now.
    if (winner_[at] == before && before != node) return;
  }
}

void KaiNodeBoard::Refresh(uint32_t node) {
  const size_t changes = world_.nodes.changes_of(node);
  if (known_[node] == changes) return;
  known_[node] = changes;
  Set(node, KeyOf(node));
}

void KaiNodeBoard::Follow() {
  if (const auto changed = world_.nodes.ChangedSince(followed_)) {
    for (const uint32_t node : *changed) Refresh(node);
  } else {
    for (uint32_t node = 0; node < keys_.size(); ++node) Refresh(node);
  }
  followed_ = world_.nodes.changes();
}

void KaiNodeBoard::Exclude(uint32_t node) { Set(node, {}); }

void KaiNodeBoard::Restore(uint32_t node) { Set(node, KeyOf(node)); }

}  // namespace muster
