// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is left to place of a job, sub-group by sub-group: those first without which the job cannot
// become ready.
//
//   GroupSheet sheet = MakeGroupSheet(context, job, pending);
//   const SubGroup group = sheet.groups.Pop();
//   TaskQueue& tasks = sheet.of(group);
//
// Idea. Of each policy's sub-groups that are not ready, the first
// ones by sub-group order are needed until as many are as the policy asks for.
#ifndef MUSTER_PART_GROUP_SHEET_H_
#define MUSTER_PART_GROUP_SHEET_H_

#include <memory>
#include <vector>

#include "lib/base/go_heap.h"
#include "lib/part/context.h"
#include "lib/part/task_queue.h"

namespace muster {

struct GroupSheet {
  // As the peer's heap has them.
  struct Before {
    const Dispatcher* dispatcher;
    std::shared_ptr<const std::vector<uint8_t>> needed;  // by slot
    bool operator()(const SubGroup& a, const SubGroup& b) const {
      const bool left = (*needed)[a.slot()], right = (*needed)[b.slot()];
      return left != right ? left : dispatcher->SubGroupBefore(a, b);
    }
  };
  GoHeap<SubGroup, Before> groups;  // with tasks left
  std::vector<TaskQueue> tasks;     // by SubGroup::slot
  TaskQueue& of(const SubGroup& group) { return tasks[group.slot()]; }
};

GroupSheet MakeGroupSheet(const ActionContext& context, JobIndex job,
                          const std::vector<TaskIndex>& tasks);

// Whether the job or one of its sub-groups is bound to domains, soft wishes being hard ones for the
// whole cluster.
bool HasHardWish(const ActionContext& context, JobIndex job);

}  // namespace muster

#endif  // MUSTER_PART_GROUP_SHEET_H_
