// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The best node of KAI Scheduler for one shape, kept up while nodes change.
//
//   KaiNodeBoard board(world, shape);
//   board.Follow();                      // nodes that have changed since
//   const uint32_t node = board.Best();  // kKaiNone: no node has room
//   board.Exclude(node);                 // until the next Follow of that node
//
// Idea. Scores are sums of bands and a part for packing or spreading. Packing scales between the
// least and the most that any node has left, but nodes of equal bands keep their order whatever the
// scale is. So each node has a key of two numbers, its bands and how well it packs, and a
// tournament over all nodes keeps the winner.
//
// Peer. Equal to a scan over all nodes (node_order.h), as long as no task is nominated, no topology
// gives scores and no task has to be near another. The scan serves those.
//
// Ties. The node with the smaller name.
//
// Cost. O(log nodes) for a node that has changed, however often; O(1) for the best one.
#ifndef MUSTER_PEER_KAI_NODE_BOARD_H_
#define MUSTER_PEER_KAI_NODE_BOARD_H_

#include <cstdint>
#include <vector>

#include "lib/peer/kai/facts.h"

namespace muster {

class KaiWorld;

class KaiNodeBoard {
 public:
  KaiNodeBoard(const KaiWorld& world, uint32_t shape);
  void Follow();
  uint32_t Best() const { return winner_[1]; }
  void Exclude(uint32_t node);
  void Restore(uint32_t node);

 private:
  struct Key {
    double bands = -1;  // below 0: the node has no room
    double place = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key KeyOf(uint32_t node) const;
  void Set(uint32_t node, const Key& key);
  void Refresh(uint32_t node);
  bool Beats(uint32_t a, uint32_t b) const;
  void Play(uint32_t at);

  const KaiWorld& world_;
  const uint32_t shape_;
  size_t leaves_ = 1;
  size_t followed_ = 0;        // changes of the nodes
  std::vector<size_t> known_;  // by node: how often it had changed
  std::vector<Key> keys_;
  std::vector<uint32_t> winner_;  // a heap of winners; kKaiNone: none
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_NODE_BOARD_H_
