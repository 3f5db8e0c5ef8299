// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Finds the node of one task: the nominated one if it serves, else the best
// where the task fits what is idle, else the best where it fits what will be. A
// task that is kept to some nodes (task_bounds.h) gets one of these.
//
//   TaskPlacer placer(context);
//   if (placer.Place(task, kNone, /*refused=*/nullptr)) ... the books have it placed or nominated
//
// Cost. Within a domain: a look at each of its nodes, or at one of each state in a leaf domain.
// Anywhere: a look-up in the scoreboard of the class.
#ifndef MUSTER_PART_TASK_PLACER_H_
#define MUSTER_PART_TASK_PLACER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/part/context.h"
#include "lib/part/task_bounds.h"
#include "lib/search/node_pool.h"

namespace muster {

class TaskPlacer {
 public:
  explicit TaskPlacer(ActionContext& context)
      : context_(context), bounds_(context.memory<TaskBounds>()) {}

  // Call it if other moves than those of this object, or a rollback, came since the last call.
  void StartAfresh() { pooled_ = kNone; }
  // Places the first of these tasks of one job, as many as it can, as Place would one after the
  // other, anywhere and without memory, and returns how many it has placed: those that fit what is
  // idle. None where each is to be placed by itself.
  size_t PlaceRun(std::span<const TaskIndex> tasks);
  // `within`: kNone is anywhere. `refused`: the memory of the task's role, or null.
  bool Place(TaskIndex task, DomainIndex within, std::vector<uint8_t>* refused);
  // Returns whether the task is kept to some nodes, so that other tasks may find a node where it
  // found none.
  bool IsKept(TaskIndex task) const { return bounds_.Of(task) != nullptr; }
  // Returns why Place found no node for the task, on the books as they are.
  ReasonPtr WhyNot(TaskIndex task);

 private:
  bool PlaceInSample(TaskIndex task, ClassIndex c, DomainIndex within,
                     std::vector<uint8_t>* refused);
  void Move(TaskIndex task, bool now, NodeIndex node);
  NodeIndex Best(TaskIndex task, Want want, DomainIndex within, std::vector<uint8_t>* refused);
  bool MayPool(ClassIndex c, DomainIndex within, const std::vector<uint8_t>* refused);

  ActionContext& context_;
  const TaskBounds& bounds_;
  NodePool pool_;
  DomainIndex pooled_ = kNone;  // the leaf domain of the nodes in the pool
};

}  // namespace muster

#endif  // MUSTER_PART_TASK_PLACER_H_
