// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the nodes of the whole cluster have free, and will have once all leaving tasks have left: a
// sum that follows the ledger.
//
//   ClusterRoom room(context);
//   std::vector<int64_t> sum = room.Sum();   // by dimension
//
// A node counts with what is idle and what is releasing. A node without a limit on tasks has room
// for any number, so sums stop at kEnoughRoom, node after node. Where no node owes anything that is
// the end of the sum, whatever the order; else the dimension is added up anew.
// Cost. O(nodes * dimensions) at the first call, then O(dimensions) for each node that changed.
#ifndef MUSTER_PEER_VOLCANO_ACTION_CLUSTER_ROOM_H_
#define MUSTER_PEER_VOLCANO_ACTION_CLUSTER_ROOM_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/part/context.h"

namespace muster {

inline constexpr int64_t kEnoughRoom = int64_t{1} << 60;

// Returns the sum over these nodes.
std::vector<int64_t> RoomOf(const Ledger& ledger, std::span<const NodeIndex> nodes);

class ClusterRoom {
 public:
  explicit ClusterRoom(const ActionContext& context) : context_(context) {}

  std::vector<int64_t> Sum();

 private:
  struct OfDimension {
    absl::int128 sum = 0;          // of what nodes have, each up to kEnoughRoom
    size_t enough = 0, owing = 0;  // nodes that have so much, and less than nothing
  };
  void Count(std::span<const int64_t> row, int times);
  void Read(NodeIndex n);

  const ActionContext& context_;
  size_t position_ = 0;        // in the ledger's journal
  std::vector<size_t> read_;   // by node: the end of the journal when it was last counted
  std::vector<int64_t> rows_;  // by node and dimension, as they were counted; empty: none was
  std::vector<OfDimension> of_;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_CLUSTER_ROOM_H_
