// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/pod_affinity.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster {

KaiAffinity::KaiAffinity(const KaiFacts& facts) : facts_(facts) {
  for (const KaiShape& shape : facts.shapes) {
    any_ |= !shape.near.empty() || !shape.apart.empty();
  }
  NumberShapes();
  bars_.resize(facts.shapes.size());
  if (columns_ == 0) return;  // terms that select no shape
  counts_.assign(facts.nodes.size() * columns_, 0);
  for (uint32_t n = 0; n < facts.nodes.size(); ++n) {
    for (const uint32_t shape : facts.nodes[n].foreign_shapes) Count(n, shape, 1);
  }
  for (uint32_t s = 0; s < facts.shapes.size(); ++s) {
    for (const KaiNearTerm& term : facts.shapes[s].apart) {
      for (const uint32_t barred : term.barred) bars_[barred].push_back({s, &term});
    }
  }
}

// Gives a column to each shape that a term or a host port asks for.
void KaiAffinity::NumberShapes() {
  column_of_.assign(facts_.shapes.size(), kKaiNone);
  const auto add = [&](uint32_t shape) {
    if (column_of_[shape] == kKaiNone) column_of_[shape] = static_cast<uint32_t>(columns_++);
  };
  for (uint32_t s = 0; s < facts_.shapes.size(); ++s) {
    const KaiShape& shape = facts_.shapes[s];
    for (const KaiNearTerm& term : shape.near) std::ranges::for_each(term.selected, add);
    for (const KaiNearTerm& term : shape.apart) std::ranges::for_each(term.selected, add);
    if (!shape.apart.empty()) add(s);  // it bars others
    std::ranges::for_each(shape.port_rivals, add);
  }
}

bool KaiAffinity::HasAny(uint32_t node, std::span<const uint32_t> shapes) const {
  return std::ranges::any_of(
      shapes, [&](uint32_t s) { return counts_[node * columns_ + column_of_[s]] > 0; });
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
