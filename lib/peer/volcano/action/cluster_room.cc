// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/cluster_room.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

int64_t RoomOn(const Ledger& ledger, NodeIndex n, DimensionIndex d) {
  return std::min(kEnoughRoom, ledger.node(n, kIdle)[d]) + ledger.node(n, kReleasing)[d];
}

int64_t RoomOf(const Ledger& ledger, std::span<const NodeIndex> nodes, DimensionIndex d) {
  int64_t room = 0;
  for (const NodeIndex n : nodes) room = std::min(kEnoughRoom, room + RoomOn(ledger, n, d));
  return room;
}

}  // namespace

std::vector<int64_t> RoomOf(const Ledger& ledger, std::span<const NodeIndex> nodes) {
  std::vector<int64_t> room;
  for (DimensionIndex d = 0; d < ledger.dimensions(); ++d) {
    room.push_back(RoomOf(ledger, nodes, d));
  }
  return room;
}

void ClusterRoom::Count(std::span<const int64_t> row, int times) {
  for (size_t d = 0; d < row.size(); ++d) {
    OfDimension& of = of_[d];
    of.sum += absl::int128(row[d]) * times;
    of.enough += static_cast<size_t>((row[d] >= kEnoughRoom) * times);
    of.owing += static_cast<size_t>((row[d] < 0) * times);
  }
}

// Counts the node as it is now.
void ClusterRoom::Read(NodeIndex n) {
  const Ledger& ledger = context_.ledger;
  const std::span<int64_t> row(&rows_[n * of_.size()], of_.size());
  Count(row, -1);
  const bool counts = context_.domains.Holds(context_.domains.root(), n);
  for (DimensionIndex d = 0; d < row.size(); ++d) {
    row[d] = counts ? std::min(kEnoughRoom, RoomOn(ledger, n, d)) : 0;
  }
  Count(row, 1);
}

std::vector<int64_t> ClusterRoom::Sum() {
  const Ledger& ledger = context_.ledger;
  const auto journal = ledger.journal();
  const auto nodes = context_.domains.nodes(context_.domains.root());
  if (rows_.empty()) {
    of_.resize(ledger.dimensions());
    rows_.resize(context_.tables.nodes.alive.size() * of_.size(), 0);
    read_.resize(context_.tables.nodes.alive.size(), 0);
    for (const NodeIndex n : nodes) Read(n);
  } else {
    for (size_t p = position_; p < journal.size(); ++p) {
      if (std::exchange(read_[journal[p]], journal.size()) != journal.size()) Read(journal[p]);
    }
  }
  position_ = journal.size();
  std::vector<int64_t> room(of_.size());
  for (DimensionIndex d = 0; d < room.size(); ++d) {
    const OfDimension& of = of_[d];
    if (of.owing > 0) {
      room[d] = RoomOf(ledger, nodes, d);
    } else if (of.enough > 0 || of.sum > kEnoughRoom) {
      room[d] = kEnoughRoom;
    } else {
      room[d] = static_cast<int64_t>(of.sum);
    }
  }
  return room;
}

}  // namespace muster
