// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeOrder: nodes by score, lowest first, and of equal scores by id.
//
//   order.Put(node, rank, score);
//   for (size_t i = 0; i < order.blocks(); ++i) {
//     if (!order.MayHaveFree(i, ask)) continue;
//     for (const NodeOrder::Entry& entry : order.entries(i)) ...
//   }
//
// Nodes lie in blocks of at most kBlock, each with bounds over its nodes: no node of the block has
// more of any type free, or in total. So a walk that looks for room passes over blocks that have
// none. Bounds only ever grow when nodes change; Tighten computes one anew after a walk through a
// block in vain. The last entry of each block, and its bounds of the first types, lie in a list of
// their own, so that neither the search for a block nor most walks read blocks that they pass over.
// A block that has become small is joined with a neighbor that is small: of two neighbors, one or
// both together hold kSmall, and blocks stay few however often nodes move.
//
// A rank stands for the id: ranks are in the order of ids.
//
// Cost: a change is O(blocks in log2 + kBlock), and O(blocks) where one is split, joined or empty.
// It moves no entry where a node leaves at an end of a block that stays, and, on average, one block
// where the first one becomes empty.
#ifndef MUSTER_PEER_YUNIKORN_NODE_ORDER_H_
#define MUSTER_PEER_YUNIKORN_NODE_ORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/peer/yunikorn/objects.h"
#include "lib/peer/yunikorn/resource.h"

namespace muster::yunikorn {

class NodeOrder {
 public:
  static constexpr size_t kBlock = 32;
  static constexpr size_t kSmall = kBlock / 4;
  struct Entry {
    double score;
    uint64_t rank;
    Index node;
  };

  void Clear();
  // Puts a node where `score` and `rank` say. The node must not be there.
  void Put(const Entry& entry, const Node& node);
  // Takes a node out; false if it is not there with this score and rank.
  bool Take(double score, uint64_t rank);
  // The node got room, or lost some, and keeps its place.
  void Widen(double score, uint64_t rank, const Node& node);

  size_t blocks() const { return blocks_.size() - first_; }
  // Return false if no node of the block, or no schedulable one, has so much in total, or free.
  bool MayHaveTotal(size_t i, const Resource& ask) const { return FitsIn(block(i).total, ask); }
  bool MayHaveFree(size_t i, const Resource& ask) const {
    for (size_t type = 0; type < kQuickTypes; ++type) {
      if (ask.Get(static_cast<int>(type)) > place(i).free[type]) return false;
    }
    return FitsIn(block(i).free, ask);
  }
  // Valid until the next change.
  std::span<const Entry> entries(size_t i) const { return block(i).all(); }
  void Tighten(size_t i, const std::vector<Node>& nodes);

  // All nodes, in order.
  std::vector<Index> Nodes() const;

 private:
  // Nodes leave a block at its front most of the time, so the entries begin anywhere.
  struct Block {
    size_t first = 0, count = 0;
    std::array<Entry, kBlock> entries;
    Resource free, total;  // the bounds

    Entry* begin() { return entries.data() + first; }
    Entry* end() { return begin() + count; }
    std::span<const Entry> all() const { return {entries.data() + first, count}; }
  };
  static constexpr size_t kQuickTypes = 2;
  // Of a block: its last entry, and bounds of what is free, 0 at least.
  struct Place {
    double score = 0;
    uint64_t rank = 0;
    std::array<Quantity, kQuickTypes> free = {};
  };
  Block& block(size_t i) { return *blocks_[first_ + i]; }
  const Block& block(size_t i) const { return *blocks_[first_ + i]; }
  Place& place(size_t i) { return places_[first_ + i]; }
  const Place& place(size_t i) const { return places_[first_ + i]; }
  size_t BlockOf(double score, uint64_t rank) const;
  void Split(size_t i);
  void JoinIfSmall(size_t i);
  bool Join(size_t i);
  void Erase(size_t i);
  void NoteLast(size_t i);
  void Include(size_t i, const Node& node);
  static size_t PlaceIn(const Block& block, double score, uint64_t rank);

  // Both begin at first_: blocks become empty at the front most of the time.
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Place> places_;  // by block
  size_t first_ = 0;
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_NODE_ORDER_H_
