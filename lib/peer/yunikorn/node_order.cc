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

void Raise(Resource& bound, const Resource& amounts) {
  for (int type : amounts.types()) {
    const Quantity amount = amounts.Get(type);
    if (!bound.Has(type) || bound.Get(type) < amount) bound.Set(type, amount);
  }
}

size_t PlaceIn(const NodeOrder::Block& block, double score, uint64_t rank) {
  const NodeOrder::Entry* const begin = block.entries.data() + block.first;
  return static_cast<size_t>(
      std::partition_point(begin, begin + block.count,
                           [&](const NodeOrder::Entry& e) { return Before(e, score, rank); }) -
      begin);
}

void Include(NodeOrder::Block& block, const Node& node) {
  Raise(block.most_total, node.total);
  if (node.schedulable) Raise(block.most_free, node.available);
}

}  // namespace

void NodeOrder::Clear() {
  blocks_.clear();
  lasts_.clear();
}

void NodeOrder::NoteLast(size_t i) {
  const Entry& last = blocks_[i]->at(blocks_[i]->count - 1);
  lasts_[i] = {last.score, last.rank};
}

size_t NodeOrder::BlockOf(double score, uint64_t rank) const {
  // Nodes often come in the order of their names.
  if (!lasts_.empty() && Before(lasts_.back(), score, rank)) return lasts_.size();
  const auto found = std::partition_point(
      lasts_.begin(), lasts_.end(), [&](const Place& last) { return Before(last, score, rank); });
  return static_cast<size_t>(found - lasts_.begin());
}

void NodeOrder::Split(size_t i) {
  auto upper = std::make_unique<Block>();
  Block& lower = *blocks_[i];
  const size_t half = lower.count / 2;
  upper->count = lower.count - half;
  std::copy_n(lower.begin() + half, upper->count, upper->begin());
  lower.count = half;
  upper->most_free = lower.most_free;
  upper->most_total = lower.most_total;
  const auto at = static_cast<std::ptrdiff_t>(i);
  blocks_.insert(blocks_.begin() + at + 1, std::move(upper));
  lasts_.insert(lasts_.begin() + at, lasts_[i]);
  NoteLast(i);
}

void NodeOrder::Put(const Entry& entry, const Node& node) {
  size_t i = BlockOf(entry.score, entry.rank);
  if (blocks_.empty()) {
    blocks_.push_back(std::make_unique<Block>());
    lasts_.push_back({entry.score, entry.rank});
  }
  i = std::min(i, blocks_.size() - 1);
  if (blocks_[i]->count == kBlock) {
    Split(i);
    if (Before(lasts_[i], entry.score, entry.rank)) ++i;
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
  Include(block, node);
}

bool NodeOrder::Take(double score, uint64_t rank) {
  const size_t i = BlockOf(score, rank);
  if (i == blocks_.size()) return false;
  Block& block = *blocks_[i];
  const size_t at = PlaceIn(block, score, rank);
  if (at == block.count || block.at(at).rank != rank) return false;
  if (at < block.count / 2) {
    std::copy_backward(block.begin(), block.begin() + at, block.begin() + at + 1);
    ++block.first;
  } else {
    std::copy(block.begin() + at + 1, block.end(), block.begin() + at);
  }
  if (--block.count == 0) {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
    lasts_.erase(lasts_.begin() + static_cast<std::ptrdiff_t>(i));
  } else if (at == block.count) {
    NoteLast(i);
  }
  return true;
}

void NodeOrder::Widen(double score, uint64_t rank, const Node& node) {
  const size_t i = BlockOf(score, rank);
  if (i < blocks_.size()) Include(*blocks_[i], node);
}

void NodeOrder::Tighten(size_t i, const std::vector<Node>& nodes) {
  Block& block = *blocks_[i];
  block.most_free = {};
  block.most_total = {};
  for (size_t k = 0; k < block.count; ++k) Include(block, nodes[block.at(k).node]);
}

std::vector<Index> NodeOrder::Nodes() const {
  std::vector<Index> nodes;
  for (const auto& block : blocks_) {
    for (size_t k = 0; k < block->count; ++k) nodes.push_back(block->at(k).node);
  }
  return nodes;
}

}  // namespace muster::yunikorn
