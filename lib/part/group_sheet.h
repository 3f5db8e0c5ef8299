// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tasks of a job that are left to place, sub-group by sub-group. Sub-groups that the job needs
// to become ready come first.
//
//   GroupSheet sheet = MakeGroupSheet(context, job, pending);
//   const SubGroup group = sheet.groups.Pop();
//   TaskQueue& tasks = sheet.of(group);
//
// Of the sub-groups of one SubGroupPolicy that are not ready, the first ones by sub-group order are
// needed: as many as the policy still lacks.
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

// Returns whether the job or one of its sub-groups has a hard topology wish. A soft wish counts as
// a hard one for the whole cluster.
bool HasHardWish(const ActionContext& context, JobIndex job);

}  // namespace muster

#endif  // MUSTER_PART_GROUP_SHEET_H_
