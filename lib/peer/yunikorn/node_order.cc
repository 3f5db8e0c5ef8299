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
  first_ = 0;
}

void NodeOrder::NoteLast(size_t i) {
  const Entry& last = block(i).all().back();
  place(i).score = last.score;
  place(i).rank = last.rank;
}

void NodeOrder::Include(size_t i, const Node& node) {
  Block& bounded = block(i);
  bounded.total.RaiseTo(node.total);
  if (!node.schedulable) return;
  bounded.free.RaiseTo(node.available);
  for (size_t type = 0; type < kQuickTypes; ++type) {
    Quantity& bound = place(i).free[type];
    bound = std::max(bound, node.available.Get(static_cast<int>(type)));
  }
}

size_t NodeOrder::BlockOf(double score, uint64_t rank) const {
  // Nodes often come in the order of their names.
  if (blocks() > 0 && Before(places_.back(), score, rank)) return blocks();
  const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto found = std::partition_point(
      begin, places_.end(), [&](const Place& last) { return Before(last, score, rank); });
  return static_cast<size_t>(found - begin);
}

void NodeOrder::Split(size_t i) {
  auto upper = std::make_unique<Block>();
  Block& lower = block(i);
  const size_t half = lower.count / 2;
  upper->count = lower.count - half;
  std::copy_n(lower.begin() + half, upper->count, upper->begin());
  lower.count = half;
  upper->free = lower.free;
  upper->total = lower.total;
  const auto at = static_cast<std::ptrdiff_t>(first_ + i);
  blocks_.insert(blocks_.begin() + at + 1, std::move(upper));
  places_.insert(places_.begin() + at, place(i));
  NoteLast(i);
}

void NodeOrder::Erase(size_t i) {
  auto from = static_cast<std::ptrdiff_t>(first_ + i), to = from + 1;
  if (i == 0) {
    blocks_[first_++].reset();
    if (2 * first_ < blocks_.size()) return;
    from = 0;
    first_ = 0;
  }
  blocks_.erase(blocks_.begin() + from, blocks_.begin() + to);
  places_.erase(places_.begin() + from, places_.begin() + to);
}

// Joins a block that has become small with one of its neighbors, if both together stay well below
// what makes a block split.
void NodeOrder::JoinIfSmall(size_t i) {
  if (block(i).count >= kSmall) return;
  if (i + 1 < blocks() && Join(i)) return;
  if (i > 0) Join(i - 1);
}

// Joins the block with the next one. Returns false if they are too large.
bool NodeOrder::Join(size_t i) {
  Block& lower = block(i);
  Block& upper = block(i + 1);
  if (lower.count + upper.count > 2 * kSmall) return false;
  std::copy(lower.begin(), lower.end(), lower.entries.data());
  lower.first = 0;
  std::copy(upper.begin(), upper.end(), lower.end());
  lower.count += upper.count;
  lower.free.RaiseTo(upper.free);
  lower.total.RaiseTo(upper.total);
  for (size_t type = 0; type < kQuickTypes; ++type) {
    place(i).free[type] = std::max(place(i).free[type], place(i + 1).free[type]);
  }
  NoteLast(i);
  Erase(i + 1);
  return true;
}

void NodeOrder::Put(const Entry& entry, const Node& node) {
  size_t i = BlockOf(entry.score, entry.rank);
  if (blocks() == 0) {
    blocks_.push_back(std::make_unique<Block>());
    places_.emplace_back();
  }
  i = std::min(i, blocks() - 1);
  if (block(i).count == kBlock) {
    Split(i);
    if (Before(place(i), entry.score, entry.rank)) ++i;
  }
  Block& to = block(i);
  const size_t at = PlaceIn(to, entry.score, entry.rank);
  // The entries on the shorter side move, if there is room beside them.
  const bool room_behind = to.first + to.count < kBlock;
  if (to.first > 0 && (!room_behind || at < to.count / 2)) {
    std::copy(to.begin(), to.begin() + at, to.begin() - 1);
    --to.first;
  } else {
    std::copy_backward(to.begin() + at, to.end(), to.end() + 1);
  }
  ++to.count;
  to.begin()[at] = entry;
  if (at + 1 == to.count) NoteLast(i);
  Include(i, node);
}

bool NodeOrder::Take(double score, uint64_t rank) {
  const size_t i = BlockOf(score, rank);
  if (i == blocks()) return false;
  Block& from = block(i);
  const size_t at = PlaceIn(from, score, rank);
  if (at == from.count || from.all()[at].rank != rank) return false;
  if (at < from.count / 2) {
    std::copy_backward(from.begin(), from.begin() + at, from.begin() + at + 1);
    ++from.first;
  } else {
    std::copy(from.begin() + at + 1, from.end(), from.begin() + at);
  }
  if (--from.count == 0) {
    Erase(i);
  } else {
    if (at == from.count) NoteLast(i);
    JoinIfSmall(i);
  }
  return true;
}

void NodeOrder::Widen(double score, uint64_t rank, const Node& node) {
  const size_t i = BlockOf(score, rank);
  if (i < blocks()) Include(i, node);
}

void NodeOrder::Tighten(size_t i, const std::vector<Node>& nodes) {
  block(i).free = {};
  block(i).total = {};
  place(i).free = {};
  for (const Entry& entry : entries(i)) Include(i, nodes[entry.node]);
}

std::vector<Index> NodeOrder::Nodes() const {
  std::vector<Index> nodes;
  for (size_t i = 0; i < blocks(); ++i) {
    for (const Entry& entry : entries(i)) nodes.push_back(entry.node);
  }
  return nodes;
}

}  // namespace muster::yunikorn
