// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The four ways to choose.
#include "lib/peer/ray/node_choice.h"

#include <algorithm>
#include <utility>

namespace muster {
float MachineChoice::CriticalUse(size_t node) const {
  float most = 0;
  for (size_t r : options_.counted) {
    const int64_t total = AmountOf(nodes_[node].total, r);
    if (total == 0) continue;
    const double free = static_cast<double>(AmountOf(nodes_[node].available, r));
    most = std::max(most, static_cast<float>(1 - free / static_cast<double>(total)));
  }
  return most;
}

std::optional<size_t> MachineChoice::Best(const BundleAmounts& request, const ChoiceWishes& wishes,
                                          bool without_accelerators, Rng* rng) const {
  using Entry = std::pair<float, size_t>;  // score, node
  std::vector<Entry> with_room, others;
  const auto score = [&](size_t node) {
    const float use = CriticalUse(node);
    return use < wishes.threshold ? 0.0F : use;
  };
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (IsOut(wishes, i)) continue;
    if (without_accelerators && AmountOf(nodes_[i].total, *options_.accelerator) > 0) continue;
    if (!HoldsEmpty(nodes_[i], request)) continue;
    (HasRoom(nodes_[i], request) ? with_room : others).emplace_back(score(i), i);
  }
  std::vector<Entry>& entries = with_room.empty() ? others : with_room;
  if (entries.empty() || (with_room.empty() && wishes.needs_room)) return std::nullopt;
  const size_t share =
      static_cast<size_t>(static_cast<float>(nodes_.size()) * std::max(0.0F, wishes.top_fraction));
  const size_t top = std::min(entries.size(), std::max({wishes.top, share, size_t{1}}));
  std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(top),
                    entries.end());
  const bool is_there = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return wishes.preferred == entry.second;
  });
  if (is_there && score(*wishes.preferred) <= entries[0].first) return wishes.preferred;
  return entries[top == 1 ? 0 : rng->Below(top)].second;
}

std::optional<size_t> MachineChoice::Hybrid(const BundleAmounts& request,
                                            const ChoiceWishes& wishes, Rng* rng) const {
  const bool needs_accelerator =
      options_.accelerator.has_value() && AmountOf(request, *options_.accelerator) > 0;
  if (wishes.avoids_accelerators && options_.accelerator.has_value() && !needs_accelerator) {
    ChoiceWishes now = wishes;
    now.needs_room = true;
    if (const auto node = Best(request, now, /*without_accelerators=*/true, rng)) return node;
  }
  return Best(request, wishes, /*without_accelerators=*/false, rng);
}

std::optional<size_t> MachineChoice::InTurn(const BundleAmounts& request,
                                            const ChoiceWishes& wishes) {
  for (const bool with_room : {true, false}) {
    if (!with_room && wishes.needs_room) break;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const size_t node = (next_ + i) % nodes_.size();
      if (IsOut(wishes, node)) continue;
      if (!HoldsEmpty(nodes_[node], request)) continue;
      if (with_room && !HasRoom(nodes_[node], request)) continue;
      next_ = (node + 1) % nodes_.size();
      return node;
    }
  }
  return std::nullopt;
}

std::optional<size_t> MachineChoice::Any(const BundleAmounts& request, const ChoiceWishes& wishes,
                                         Rng* rng) const {
  if (nodes_.empty()) return std::nullopt;
  const size_t first = rng->Below(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const size_t node = (first + i) % nodes_.size();
    if (IsOut(wishes, node)) continue;
    if (HasRoom(nodes_[node], request)) return node;
  }
  return std::nullopt;
}

std::optional<size_t> MachineChoice::Certain(const BundleAmounts& request,
                                             std::optional<size_t> node, bool only_with_room,
                                             bool or_elsewhere, const ChoiceWishes& wishes,
                                             Rng* rng) const {
  const bool may = node.has_value() && *node < nodes_.size() &&
                   (wishes.allowed == nullptr || (*wishes.allowed)[*node]);
  if (may && HoldsEmpty(nodes_[*node], request)) {
    if (!only_with_room || HasRoom(nodes_[*node], request)) return node;
  }
  return or_elsewhere ? Hybrid(request, wishes, rng) : std::nullopt;
}

}  // namespace muster
