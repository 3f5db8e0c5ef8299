// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeOrder: nodes by score, lowest first, and of equal scores by id.
//
//   order.Put(node, rank, score);
//   order.Visit([&](const NodeOrder::Block& block) { return !FitsIn(block.most_free, ask); },
//               [&](Index node) { return !TryNode(node); });
//
// Nodes lie in blocks of at most kBlock, each with bounds over its nodes: no node of the block has
// more of any type free, or in total. So a walk that looks for room passes over blocks that have
// none. Bounds only ever grow when nodes change; Tighten computes one anew after a walk through a
// block in vain. The last entry of each block is also in a list of its own, so that the search for
// a block reads no block.
//
// A rank stands for the id: ranks are in the order of ids.
//
// Cost: a change is O(blocks in log2 + kBlock), and moves no entry where a node leaves at an end of
// a block.
#ifndef MUSTER_PEER_YUNIKORN_NODE_ORDER_H_
#define MUSTER_PEER_YUNIKORN_NODE_ORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/peer/yunikorn/objects.h"
#include "lib/peer/yunikorn/resource.h"

namespace muster::yunikorn {

class NodeOrder {
 public:
  static constexpr size_t kBlock = 64;
  struct Entry {
    double score;
    uint64_t rank;
    Index node;
  };
  // Nodes leave a block at its front most of the time, so the entries begin anywhere.
  struct Block {
    size_t first = 0, count = 0;
    std::array<Entry, kBlock> entries;
    Resource most_free;
    Resource most_total;

    Entry* begin() { return entries.data() + first; }
    Entry* end() { return begin() + count; }
    const Entry& at(size_t k) const { return entries[first + k]; }
  };

  void Clear();
  // Puts a node where `score` and `rank` say. The node must not be there.
  void Put(const Entry& entry, const Node& node);
  // Takes a node out; false if it is not there with this score and rank.
  bool Take(double score, uint64_t rank);
  // The node got room, or lost some, and keeps its place.
  void Widen(double score, uint64_t rank, const Node& node);

  size_t blocks() const { return blocks_.size(); }
  const Block& block(size_t i) const { return *blocks_[i]; }
  void Tighten(size_t i, const std::vector<Node>& nodes);

  // All nodes, in order.
  std::vector<Index> Nodes() const;

 private:
  struct Place {
    double score;
    uint64_t rank;
  };
  size_t BlockOf(double score, uint64_t rank) const;
  void Split(size_t i);
  void NoteLast(size_t i);

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Place> lasts_;  // by block
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_NODE_ORDER_H_
