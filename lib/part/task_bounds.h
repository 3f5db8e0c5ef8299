// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes that single tasks are kept to in a cycle: those of the places that an admission names.
//
//   TaskBounds& bounds = context.memory<TaskBounds>();
//   bounds.Keep(task, bounds.Add({{n3, n4}, "no room in place r1"}));   // an action that admits
//   const TaskBounds::Bound* bound = bounds.Of(task);                   // TaskPlacer
//
// A class of tasks has one answer for all of its tasks, so that policies cannot tell them apart.
// What an action writes here holds for the actions behind it, until the cycle ends.
//
// Cost. O(1) a call.
#ifndef MUSTER_PART_TASK_BOUNDS_H_
#define MUSTER_PART_TASK_BOUNDS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"

namespace muster {

class TaskBounds : public CycleMemory {
 public:
  struct Bound {
    std::vector<NodeIndex> nodes;  // ascending; empty: the task gets no node
    std::string refusal;           // why a task with this bound found no node
    bool Has(NodeIndex node) const { return std::ranges::binary_search(nodes, node); }
  };

  explicit TaskBounds(const ActionContext&) {}

  // Returns the number of the bound, for Keep.
  size_t Add(Bound bound) {
    bounds_.push_back(std::move(bound));
    return bounds_.size() - 1;
  }
  void Keep(TaskIndex task, size_t bound) { of_task_[task] = bound; }

  // Returns null if the task may go anywhere. Valid until the next call of Add.
  const Bound* Of(TaskIndex task) const {
    if (of_task_.empty()) return nullptr;
    const auto found = of_task_.find(task);
    return found == of_task_.end() ? nullptr : &bounds_[found->second];
  }

 private:
  std::vector<Bound> bounds_;
  HashMap<TaskIndex, size_t> of_task_;
};

}  // namespace muster

#endif  // MUSTER_PART_TASK_BOUNDS_H_
