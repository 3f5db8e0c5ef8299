// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/pod_affinity.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster {

KaiAffinity::KaiAffinity(const KaiFacts& facts) : facts_(facts), shapes_(facts.shapes.size()) {
  bool any_ports = false;
  for (const KaiShape& shape : facts.shapes) {
    any_ |= !shape.near.empty() || !shape.apart.empty();
    any_ports |= !shape.ports.empty();
  }
  if (!any_ && !any_ports) return;
  counts_.assign(facts.nodes.size() * shapes_, 0);
  for (uint32_t n = 0; n < facts.nodes.size(); ++n) {
    for (const uint32_t shape : facts.nodes[n].foreign_shapes) Count(n, shape, 1);
  }
  bars_.resize(shapes_);
  for (uint32_t s = 0; s < shapes_; ++s) {
    for (const KaiNearTerm& term : facts.shapes[s].apart) {
      for (const uint32_t barred : term.barred) bars_[barred].push_back({s, &term});
    }
  }
}

bool KaiAffinity::HasAny(uint32_t node, std::span<const uint32_t> shapes) const {
  return std::ranges::any_of(shapes, [&](uint32_t s) { return counts_[node * shapes_ + s] > 0; });
}

bool KaiAffinity::HasNear(const KaiNearTerm& term, uint32_t node,
                          std::span<const uint32_t> shapes) const {
  for (uint32_t n = 0; n < facts_.nodes.size(); ++n) {
    if (term.domain[n] == term.domain[node] && HasAny(n, shapes)) return true;
  }
  return false;
}

// Affinity counts pods that all terms select. The first pod of a group that selects itself needs
// none.
bool KaiAffinity::AdmitsNear(uint32_t node, const KaiShape& shape, uint32_t number) const {
  if (shape.near.empty()) return true;
  std::vector<uint32_t> selected = shape.near[0].selected;
  for (const KaiNearTerm& term : shape.near) {
    if (term.domain[node] == 0) return false;
    std::vector<uint32_t> both;
    std::set_intersection(selected.begin(), selected.end(), term.selected.begin(),
                          term.selected.end(), std::back_inserter(both));
    selected = std::move(both);
  }
  if (std::ranges::all_of(shape.near,
                          [&](const KaiNearTerm& term) { return HasNear(term, node, selected); })) {
    return true;
  }
  if (!std::ranges::binary_search(selected, number)) return false;
  for (uint32_t n = 0; n < facts_.nodes.size(); ++n) {
    if (HasAny(n, selected)) return false;
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
  return std::ranges::none_of(bars_[number], [&](const Bar& bar) {
    return bar.term->domain[node] != 0 && HasNear(*bar.term, node, {&bar.owner, 1});
  });
}

}  // namespace muster
