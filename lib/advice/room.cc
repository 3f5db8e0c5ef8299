// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/room.h"

#include <algorithm>

#include "lib/advice/held.h"
#include "lib/kube/selectors.h"

namespace muster {

FreeRoom::FreeRoom(const Tables& tables, const Ends& ends)
    : tables_(tables),
      used_(tables.nodes.alive.size(), std::vector<int64_t>(tables.dimension_count(), 0)) {
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    // What is still leaving holds its node.
    const NodeIndex n = ends.node[t] != kNone ? ends.node[t] : tables.tasks.node[t];
    if (n != kNone) AddUpTo(tables.classes.request.row(tables.tasks.task_class[t]), used_[n]);
  }
}

int64_t FreeRoom::Free(NodeIndex node, DimensionIndex d) const {
  const int64_t has = OrZero(tables_.nodes.allocatable.at(node, d));
  return has - std::min(used_[node][d], has);
}

std::vector<NodeIndex> FreeRoom::NodesFor(const TaskShape& shape,
                                          const std::set<RefusalCode>& refused) const {
  const auto is_open = [&](const NodeSpec& node) {
    const auto refuses = [&refused](RefusalCode code, bool does) {
      return does && refused.contains(code);
    };
    return !refuses(RefusalCode::kNotReady, !node.ready) &&
           !refuses(RefusalCode::kUnschedulable,
                    node.unschedulable && !ToleratesUnschedulable(shape)) &&
           !refuses(RefusalCode::kNodeAffinity, !MatchesNode(shape, node)) &&
           !refuses(RefusalCode::kTaint, FirstUntolerated(shape, node) != nullptr);
  };
  std::vector<NodeIndex> nodes, open;
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    if (!tables_.nodes.alive[n]) continue;
    nodes.push_back(n);
    if (is_open(tables_.nodes.spec[n])) open.push_back(n);
  }
  return open.empty() ? nodes : open;
}

}  // namespace muster
