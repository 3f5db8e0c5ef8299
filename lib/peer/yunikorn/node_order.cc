// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/node_order.h"

#include <algorithm>
#include <utility>

namespace muster::yunikorn {
namespace {

template <class Entry>
bool Before(const Entry& entry, double score, uint64_t rank) {
  return entry.score < score || (!(score < entry.score) && entry.rank < rank);
}

}  // namespace

size_t NodeOrder::PlaceIn(const Block& block, double score, uint64_t rank) {
  const std::span<const Entry> entries = block.all();
  const auto at = std::partition_point(entries.begin(), entries.end(),
                                       [&](const Entry& e) { return Before(e, score, rank); });
  return static_cast<size_t>(at - entries.begin());
}

void NodeOrder::Clear() {
  blocks_.clear();
  places_.clear();
}

void NodeOrder::NoteLast(size_t i) {
  const Entry& last = blocks_[i]->all().back();
  places_[i].score = last.score;
  places_[i].rank = last.rank;
}

void NodeOrder::Include(size_t i, const Node& node) {
  Block& block = *blocks_[i];
  block.total.RaiseTo(node.total);
  if (!node.schedulable) return;
  block.free.RaiseTo(node.available);
  for (size_t type = 0; type < kQuickTypes; ++type) {
    Quantity& bound = places_[i].free[type];
    bound = std::max(bound, node.available.Get(static_cast<int>(type)));
  }
}

size_t NodeOrder::BlockOf(double score, uint64_t rank) const {
  // Nodes often come in the order of their names.
  if (!places_.empty() && Before(places_.back(), score, rank)) return places_.size();
  const auto found = std::partition_point(
      places_.begin(), places_.end(), [&](const Place& last) { return Before(last, score, rank); });
  return static_cast<size_t>(found - places_.begin());
}

void NodeOrder::Split(size_t i) {
  auto upper = std::make_unique<Block>();
  Block& lower = *blocks_[i];
  const size_t half = lower.count / 2;
  upper->count = lower.count - half;
  std::copy_n(lower.begin() + half, upper->count, upper->begin());
  lower.count = half;
  upper->free = lower.free;
  upper->total = lower.total;
  const auto at = static_cast<std::ptrdiff_t>(i);
  blocks_.insert(blocks_.begin() + at + 1, std::move(upper));
  places_.insert(places_.begin() + at, places_[i]);
  NoteLast(i);
}

void NodeOrder::Erase(size_t i) {
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
  places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(i));
}

// Joins a block that has become small with one of its neighbors, if both together stay well below
// what makes a block split.
void NodeOrder::JoinIfSmall(size_t i) {
  if (blocks_[i]->count >= kSmall) return;
  if (i + 1 < blocks_.size() && Join(i)) return;
  if (i > 0) Join(i - 1);
}

// Joins the block with the next one. Returns false if they are too large.
bool NodeOrder::Join(size_t i) {
  Block& lower = *blocks_[i];
  Block& upper = *blocks_[i + 1];
  if (lower.count + upper.count > 2 * kSmall) return false;
  std::copy(lower.begin(), lower.end(), lower.entries.data());
  lower.first = 0;
  std::copy(upper.begin(), upper.end(), lower.end());
  lower.count += upper.count;
  lower.free.RaiseTo(upper.free);
  lower.total.RaiseTo(upper.total);
  for (size_t type = 0; type < kQuickTypes; ++type) {
    places_[i].free[type] = std::max(places_[i].free[type], places_[i + 1].free[type]);
  }
  NoteLast(i);
  Erase(i + 1);
  return true;
}

void NodeOrder::Put(const Entry& entry, const Node& node) {
  size_t i = BlockOf(entry.score, entry.rank);
  if (blocks_.empty()) {
    blocks_.push_back(std::make_unique<Block>());
    places_.emplace_back();
  }
  i = std::min(i, blocks_.size() - 1);
  if (blocks_[i]->count == kBlock) {
    Split(i);
    if (Before(places_[i], entry.score, entry.rank)) ++i;
  }
  Block& block = *blocks_[i];
  const size_t at = PlaceIn(block, entry.score, entry.rank);
  // The entries on the shorter side move, if there is room beside them.
  const bool room_behind = block.first + block.count < kBlock;
  if (block.first > 0 && (!room_behind || at < block.count / 2)) {
    std::copy(block.begin(), block.begin() + at, block.begin() - 1);
    --block.first;
  } else {
    std::copy_backward(block.begin() + at, block.end(), block.end() + 1);
  }
  ++block.count;
  block.begin()[at] = entry;
  if (at + 1 == block.count) NoteLast(i);
  Include(i, node);
}

bool NodeOrder::Take(double score, uint64_t rank) {
  const size_t i = BlockOf(score, rank);
  if (i == blocks_.size()) return false;
  Block& block = *blocks_[i];
  const size_t at = PlaceIn(block, score, rank);
  if (at == block.count || block.all()[at].rank != rank) return false;
  if (at < block.count / 2) {
    std::copy_backward(block.begin(), block.begin() + at, block.begin() + at + 1);
    ++block.first;
  } else {
    std::copy(block.begin() + at + 1, block.end(), block.begin() + at);
  }
  if (--block.count == 0) {
    Erase(i);
  } else {
    if (at == block.count) NoteLast(i);
    JoinIfSmall(i);
  }
  return true;
}

void NodeOrder::Widen(double score, uint64_t rank, const Node& node) {
  const size_t i = BlockOf(score, rank);
  if (i < blocks_.size()) Include(i, node);
}

void NodeOrder::Tighten(size_t i, const std::vector<Node>& nodes) {
  blocks_[i]->free = {};
  blocks_[i]->total = {};
  places_[i].free = {};
  for (const Entry& entry : entries(i)) Include(i, nodes[entry.node]);
}

std::vector<Index> NodeOrder::Nodes() const {
  std::vector<Index> nodes;
  for (const auto& block : blocks_) {
    for (const Entry& entry : block->all()) nodes.push_back(entry.node);
  }
  return nodes;
}

}  // namespace muster::yunikorn
