// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tasks of a job, which are popped one by one in task order.
//
//   TaskQueue tasks(context.dispatcher, context.PendingTasks(job, /*with_best_effort=*/false));
//   while (!tasks.empty()) Place(tasks.Pop());
//
// Where placements move the order of tasks (a policy's TaskOrderMoves) it is a heap as the peers
// have it, which compares when it is touched. Otherwise it is a list, and a copy costs as much as
// the list is long.
#ifndef MUSTER_PART_TASK_QUEUE_H_
#define MUSTER_PART_TASK_QUEUE_H_

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/go_heap.h"
#include "lib/extension/dispatcher.h"

namespace muster {

class TaskQueue {
 public:
  TaskQueue() = default;
  // REQUIRES: the tasks are in task order. The dispatcher must outlive this and its copies.
  TaskQueue(const Dispatcher& dispatcher, std::vector<TaskIndex> tasks) : tasks_(std::move(tasks)) {
    if (!dispatcher.TaskOrderMoves()) return;
    std::sort(tasks_.begin(), tasks_.end());
    heap_.emplace(Before{&dispatcher});
    for (TaskIndex t : tasks_) heap_->Push(t);
  }

  bool empty() const { return heap_ ? heap_->empty() : next_ == tasks_.size(); }
  // REQUIRES: !empty().
  TaskIndex Pop() { return heap_ ? heap_->Pop() : tasks_[next_++]; }
  // Return whether placements may move the order; else the tasks that are left, and pop some.
  bool moves() const { return heap_.has_value(); }
  std::span<const TaskIndex> rest() const { return std::span(tasks_).subspan(next_); }
  void Skip(size_t count) { next_ += count; }

 private:
  struct Before {
    const Dispatcher* dispatcher;
    bool operator()(TaskIndex a, TaskIndex b) const { return dispatcher->TaskBefore(a, b); }
  };
  std::vector<TaskIndex> tasks_;
  size_t next_ = 0;
  std::optional<GoHeap<TaskIndex, Before>> heap_;
};

}  // namespace muster

#endif  // MUSTER_PART_TASK_QUEUE_H_
