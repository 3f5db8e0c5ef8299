// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/eviction.h"

namespace muster {

bool CouldMakeRoom(const ActionContext& context, TaskIndex task, NodeIndex node) {
  const auto request = context.tables.classes.initial_request.row(context.ClassOf(task));
  const auto evictable = context.ledger.evictable(node);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d > kPods && request[d] == 0) continue;
    if (request[d] > context.ledger.future_idle(node, d) + evictable[d]) return false;
  }
  return true;
}

bool VictimsSuffice(const ActionContext& context, TaskIndex task, NodeIndex node,
                    const std::vector<TaskIndex>& victims) {
  const auto request = context.tables.classes.initial_request.row(context.ClassOf(task));
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d > kPods && request[d] == 0) continue;
    int64_t room = context.ledger.future_idle(node, d);
    for (TaskIndex victim : victims) room += context.ledger.request(victim)[d];
    if (request[d] > room) return false;
  }
  return true;
}

VictimOrder::VictimOrder(const ActionContext& context, TaskIndex evictor,
                         const std::vector<TaskIndex>& victims)
    : heap_(Less{&context.dispatcher, evictor}) {
  for (TaskIndex victim : victims) heap_.Push(victim);
}

void Evict(ActionContext& context, TaskIndex victim, TaskIndex beneficiary) {
  context.ledger.Move(victim, TaskStatus::kReleasing, context.ledger.node_of(victim));
  context.NoteEviction(victim, beneficiary);
}

}  // namespace muster
