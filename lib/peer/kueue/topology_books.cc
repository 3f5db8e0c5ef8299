// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_books.h"

#include "lib/base/math.h"

namespace muster::kueue {

TopologyBooks::TopologyBooks(std::shared_ptr<const TopologyTree> tree)
    : tree_(std::move(tree)), width_(tree_->resources().size()) {
  for (uint32_t leaf = 0; leaf < tree_->leaves(); ++leaf) {
    const std::span<const int64_t> capacity = tree_->capacity(leaf);
    free_.insert(free_.end(), capacity.begin(), capacity.end());
  }
  used_.assign(free_.size(), 0);
}

void TopologyBooks::TakeOther(uint32_t leaf, std::span<const PodAmount> amounts) {
  for (const auto& [resource, amount] : amounts) {
    int64_t& free = free_[cell(leaf, resource)];
    free = SatDifference(free, amount);
  }
  Note(leaf);
}

void TopologyBooks::Use(uint32_t leaf, std::span<const PodAmount> pod, int64_t count) {
  for (const auto& [resource, amount] : pod) Add(leaf, resource, SatMul(amount, count));
  Add(leaf, tree_->resources().pods(), count);
  Note(leaf);
}

void TopologyBooks::Release(uint32_t leaf, std::span<const PodAmount> pod, int64_t count) {
  Use(leaf, pod, -count);
}

void TopologyBooks::Add(uint32_t leaf, uint32_t resource, int64_t amount) {
  const size_t at = cell(leaf, resource);
  log_.push_back({at, used_[at]});
  used_[at] = SatAdd(used_[at], amount);
}

void TopologyBooks::Rollback(size_t mark) {
  uint32_t last = kNone;
  while (log_.size() > mark) {
    const LogRow& row = log_.back();
    used_[row.cell] = row.used;
    const auto leaf = static_cast<uint32_t>(row.cell / width_);
    if (leaf != last) Note(leaf);
    last = leaf;
    log_.pop_back();
  }
}

// A journal longer than some leaves is no help: counting them all again costs no more.
void TopologyBooks::Note(uint32_t leaf) {
  journal_.push_back(leaf);
  const size_t most = 4 * size_t{tree_->leaves()} + 64;
  if (journal_.size() <= most) return;
  const size_t gone = journal_.size() / 2;
  journal_.erase(journal_.begin(), journal_.begin() + static_cast<ptrdiff_t>(gone));
  journal_base_ += gone;
}

bool TopologyBooks::HasRoom(uint32_t leaf, std::span<const PodAmount> pod, int32_t count) const {
  return CountPods(pod, [&](uint32_t r) { return SatDifference(free(leaf, r), used(leaf, r)); }) >=
         count;
}

}  // namespace muster::kueue
