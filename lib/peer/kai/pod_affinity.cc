// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/pod_affinity.h"

#include <algorithm>

namespace muster {

KaiAffinity::KaiAffinity(const KaiFacts& facts) : facts_(facts), shapes_(facts.shapes.size()) {
  for (const KaiShape& shape : facts.shapes) any_ |= !shape.near.empty() || !shape.apart.empty();
  if (any_) counts_.assign(facts.nodes.size() * shapes_, 0);
}

bool KaiAffinity::HasNear(const KaiNearTerm& term, uint32_t node,
                          const std::vector<uint8_t>& selected) const {
  for (uint32_t n = 0; n < facts_.nodes.size(); ++n) {
    if (term.domain[n] != term.domain[node]) continue;
    for (size_t s = 0; s < shapes_; ++s) {
      if (selected[s] != 0 && counts_[n * shapes_ + s] > 0) return true;
    }
  }
  return false;
}

// Affinity counts pods that all terms select. The first pod of a group that selects itself needs
// none.
bool KaiAffinity::AdmitsNear(uint32_t node, const KaiShape& shape, uint32_t number) const {
  if (shape.near.empty()) return true;
  std::vector<uint8_t> selected(shapes_, 1);
  for (const KaiNearTerm& term : shape.near) {
    if (term.domain[node] == 0) return false;
    for (size_t s = 0; s < shapes_; ++s) selected[s] &= term.selected[s];
  }
  if (std::ranges::all_of(shape.near,
                          [&](const KaiNearTerm& term) { return HasNear(term, node, selected); })) {
    return true;
  }
  if (selected[number] == 0) return false;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0 && selected[i % shapes_] != 0) return false;
  }
  return true;
}

bool KaiAffinity::Admits(uint32_t node, uint32_t number) const {
  if (!any_) return true;
  const KaiShape& shape = facts_.shapes[number];
  if (!AdmitsNear(node, shape, number)) return false;
  for (const KaiNearTerm& term : shape.apart) {
    if (term.domain[node] != 0 && HasNear(term, node, term.selected)) return false;
  }
  for (size_t s = 0; s < shapes_; ++s) {
    for (const KaiNearTerm& term : facts_.shapes[s].apart) {
      if (term.domain[node] == 0 || term.bars[number] == 0) continue;
      std::vector<uint8_t> own(shapes_, 0);
      own[s] = 1;
      if (HasNear(term, node, own)) return false;
    }
  }
  return true;
}

}  // namespace muster
