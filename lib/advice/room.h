// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What nodes have free at the end of a plan, and which of them a task may use.
//
//   const FreeRoom room(tables, EndsOf(tables, plan));
//   for (NodeIndex n : room.NodesFor(shape, refused)) most = std::max(most, room.Free(n, d));
#ifndef MUSTER_ADVICE_ROOM_H_
#define MUSTER_ADVICE_ROOM_H_

#include <cstdint>
#include <set>
#include <vector>

#include "lib/advice/ends.h"
#include "lib/model/tables.h"
#include "muster/plan.h"

namespace muster {

class FreeRoom {
 public:
  // O(tasks * dimensions). `tables` must outlive this.
  // REQUIRES: the ends are of a plan of a snapshot with these tables.
  FreeRoom(const Tables& tables, const Ends& ends);

  // 0 or more: a node may be overfull.
  int64_t Free(NodeIndex node, DimensionIndex d) const;

  // Returns the living nodes that are open to a task of that shape; if none is, all of them. A node
  // is left out only for a reason in `refused`, which nodes gave in the plan: not every profile
  // looks at labels, taints and marks.
  std::vector<NodeIndex> NodesFor(const TaskShape& shape,
                                  const std::set<RefusalCode>& refused) const;

 private:
  const Tables& tables_;
  std::vector<std::vector<int64_t>> used_;  // by node and dimension
};

}  // namespace muster

#endif  // MUSTER_ADVICE_ROOM_H_
