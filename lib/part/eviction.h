// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What preempt and reclaim share: candidates on a node, the order in which victims go, evicting one.
//
//   if (!CouldMakeRoom(context, task, node)) return false;
//   VictimOrder order(context, task, victims);
//   while (!order.empty() && !context.search.FitsFutureIdle(c, node)) Evict(context, order.Pop(), task);
#ifndef MUSTER_PART_EVICTION_H_
#define MUSTER_PART_EVICTION_H_

#include <vector>

#include "lib/part/context.h"

namespace muster {

// Whether evicting everything evictable on the node would make room: a bound that is cheap to ask before looking
// at the tasks there.
bool CouldMakeRoom(const ActionContext& context, TaskIndex task, NodeIndex node);

// Whether the request fits what will be idle once `victims` are gone.
bool VictimsSuffice(const ActionContext& context, TaskIndex task, NodeIndex node,
                    const std::vector<TaskIndex>& victims);

// Victims in the order volcano evicts them: a heap of Go's with comparators that are not strict.
class VictimOrder {
 public:
  VictimOrder(const ActionContext& context, TaskIndex evictor,
              const std::vector<TaskIndex>& victims);
  bool empty() const { return heap_.empty(); }
  TaskIndex Pop() { return heap_.Pop(); }

 private:
  struct Less {
    const Dispatcher* dispatcher;
    TaskIndex evictor;
    bool operator()(TaskIndex left, TaskIndex right) const {
      return dispatcher->VictimBefore(left, right, evictor);
    }
  };
  GoHeap<TaskIndex, Less> heap_;
};

void Evict(ActionContext& context, TaskIndex victim, TaskIndex beneficiary);

}  // namespace muster

#endif  // MUSTER_PART_EVICTION_H_
