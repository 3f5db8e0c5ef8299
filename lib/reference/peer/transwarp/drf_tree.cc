// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Fractions of 128-bit integers, and the recursion over the tree.
#include "lib/reference/peer/transwarp/drf_tree.h"

#include <algorithm>

#include "absl/numeric/int128.h"

namespace muster::reference {
namespace {

using absl::int128;

struct Fraction {
  int128 top = 0, bottom = 1;
};

Fraction Make(int128 top, int128 bottom) {
  int128 a = top, b = bottom;
  while (b != 0) {
    const int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a == 0 ? Fraction{0, 1} : Fraction{top / a, bottom / a};
}

Fraction operator*(const Fraction& a, const Fraction& b) {
  const Fraction left = Make(a.top, b.bottom), right = Make(b.top, a.bottom);
  return {left.top * right.top, left.bottom * right.bottom};
}
Fraction operator/(const Fraction& a, const Fraction& b) { return a * Fraction{b.bottom, b.top}; }
Fraction operator+(const Fraction& a, const Fraction& b) {
  const Fraction ratio = Make(a.bottom, b.bottom);  // over the least common multiple
  return Make(a.top * ratio.bottom + b.top * ratio.top, a.bottom * ratio.bottom);
}
bool operator<(const Fraction& a, const Fraction& b) {
  const Fraction ratio = Make(a.bottom, b.bottom);
  return a.top * ratio.bottom < b.top * ratio.top;
}

struct NodeState {
  Fraction share;
  bool is_blocked = false;
  std::vector<Fraction> vector;
};

std::vector<int64_t> UsedIn(const DrfWorld& world) {
  std::vector<int64_t> used(world.capacity.size(), 0);
  for (const DrfWorld::Node& node : world.nodes) {
    for (size_t r = 0; r < node.task.size(); ++r) used[r] += node.tasks * node.task[r];
  }
  return used;
}

NodeState StateOf(const DrfWorld& world, size_t at) {
  const DrfWorld::Node& node = world.nodes[at];
  const std::vector<int64_t> used = UsedIn(world);
  const Fraction weight = Make(node.weight, node.weight_divisor);
  NodeState state;
  if (!node.task.empty()) {
    state.is_blocked = node.cap >= 0 && node.tasks >= node.cap;
    for (size_t r = 0; r < used.size(); ++r) {
      state.vector.push_back(Make(int128(node.tasks) * node.task[r], world.capacity[r]));
      if (state.share < state.vector[r]) state.share = state.vector[r];
      if (node.task[r] > 0 && node.task[r] > world.capacity[r] - used[r]) state.is_blocked = true;
    }
    state.share = state.share / weight;
    return state;
  }
  std::vector<NodeState> children;
  for (size_t child : node.children) children.push_back(StateOf(world, child));
  state.is_blocked = true;
  std::optional<Fraction> least;
  for (const NodeState& child : children) {
    if (!child.is_blocked) state.is_blocked = false;
    if (world.form == DrfWorld::Form::kDynamic && child.is_blocked) continue;
    if (!least.has_value() || child.share < *least) least = child.share;
  }
  state.vector.resize(used.size());
  for (const NodeState& child : children) {
    const bool is_scaled = world.form == DrfWorld::Form::kStatic ||
                           (world.form == DrfWorld::Form::kDynamic && !child.is_blocked);
    if (child.share.top == 0) continue;
    for (size_t r = 0; r < used.size(); ++r) {
      const Fraction scale = is_scaled ? *least / child.share : Fraction{1, 1};
      state.vector[r] = state.vector[r] + child.vector[r] * scale;
    }
  }
  for (size_t r = 0; r < used.size(); ++r) {
    if (world.form == DrfWorld::Form::kDynamic && used[r] >= world.capacity[r]) continue;
    if (state.share < state.vector[r]) state.share = state.vector[r];
  }
  state.share = state.share / weight;
  return state;
}

}  // namespace

std::optional<size_t> DrfWorld::Next() const {
  size_t at = 0;
  while (nodes[at].task.empty()) {
    std::optional<size_t> best;
    Fraction best_share;
    for (size_t child : nodes[at].children) {
      const NodeState state = StateOf(*this, child);
      if (state.is_blocked || (best.has_value() && !(state.share < best_share))) continue;
      best = child;
      best_share = state.share;
    }
    if (!best.has_value()) return std::nullopt;
    at = *best;
  }
  return at;
}

double DrfWorld::Share(size_t node) const {
  const Fraction share = StateOf(*this, node).share;
  return static_cast<double>(share.top) / static_cast<double>(share.bottom);
}

}  // namespace muster::reference
