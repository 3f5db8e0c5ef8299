// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The nodes of KAI Scheduler for a task, best first, and which of them admit it at all.
//
//   KaiNodeOrder order(&world, task, nodes, /*topology=*/nullptr);
//   while (const std::optional<uint32_t> node = order.Next()) ...
//
// Idea. Next returns the node with the highest score among those with room now or later. Where all
// nodes of the cluster are candidates, the answer comes from a board (node_board.h). Otherwise
// scores are computed once, and a further call costs O(nodes left).
//
// Peer. Packing compares with the least and the most that any node of the set has left, also those
// without room.
#ifndef MUSTER_PEER_KAI_NODE_ORDER_H_
#define MUSTER_PEER_KAI_NODE_ORDER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/peer/kai/node_board.h"
#include "lib/peer/kai/world.h"

namespace muster {

// Returns whether the node admits tasks of the shape: its kind of GPUs, its condition, its labels
// and taints, its places for pods, its host ports and the tasks near it.
bool KaiAdmits(const KaiWorld& world, uint32_t shape, uint32_t node);
// Return the score of the node, without packing and spreading; and that of spreading.
double KaiBandsOf(const KaiWorld& world, const KaiShape& shape, uint32_t node);
double KaiSpreadOf(const KaiWorld& world, const KaiShape& shape, uint32_t node);

class KaiNodeOrder {
 public:
  // `topology`: scores by node, negative where the node is passed over; null: there are none.
  KaiNodeOrder(KaiWorld* world, const KaiTask& task, std::span<const uint32_t> nodes,
               const std::vector<double>* topology);
  ~KaiNodeOrder();
  KaiNodeOrder(const KaiNodeOrder&) = delete;
  KaiNodeOrder& operator=(const KaiNodeOrder&) = delete;
  std::optional<uint32_t> Next();

 private:
  struct Row {
    double score;
    uint32_t node;
  };
  void Scan(const KaiWorld& world, const KaiTask& task, std::span<const uint32_t> nodes,
            const std::vector<double>* topology);

  KaiNodeBoard* board_ = nullptr;
  std::vector<uint32_t> tried_;       // of the board
  absl::InlinedVector<Row, 4> rows_;  // of a scan
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_NODE_ORDER_H_
