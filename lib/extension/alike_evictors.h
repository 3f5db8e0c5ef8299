// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which victim policies judge tasks of different jobs alike, so that what one task did not find
// need not be looked for by the next.
//
//   const bool alike = JudgeEvictorsAlike(dispatcher, Point::kPreemptable);
//
// JudgeByRows is the same for answers that do not depend on the books. What one task did not find
// on a node need not be looked for there while the node stays as it is.
//
// A policy that answers at kPreemptable or kReclaimable may implement AlikeEvictors beside
// VictimPolicy. One that does not is taken to tell evictors apart.
#ifndef MUSTER_EXTENSION_ALIKE_EVICTORS_H_
#define MUSTER_EXTENSION_ALIKE_EVICTORS_H_

#include "lib/extension/dispatcher.h"
#include "lib/model/tables.h"

namespace muster {

class AlikeEvictors {
 public:
  virtual ~AlikeEvictors() = default;
  // Returns whether the policy gives two evictors equal answers at the point, on the same books and
  // about any candidates of other jobs, if these are equal (AreAlike) and their jobs hold nothing.
  virtual bool JudgesEvictorsAlike(Point) const { return true; }
  // Returns whether these answers follow from the rows of tasks, jobs and queues: they stay while
  // tasks are moved.
  virtual bool JudgesByRows(Point) const { return false; }
};

// Returns whether two evictors are equal to policies that judge such alike: in class, priority and
// flags, and in queue and priority of their jobs.
// REQUIRES: both have a job.
inline bool AreAlike(const Tables& tables, TaskIndex a, TaskIndex b) {
  const TaskTable& tasks = tables.tasks;
  const JobTable& jobs = tables.jobs;
  const JobIndex of_a = tasks.job[a], of_b = tasks.job[b];
  return tasks.task_class[a] == tasks.task_class[b] && tasks.priority[a] == tasks.priority[b] &&
         tasks.flags[a] == tasks.flags[b] && jobs.queue[of_a] == jobs.queue[of_b] &&
         jobs.spec[of_a].priority == jobs.spec[of_b].priority;
}

// Returns whether every policy that answers at the point judges evictors alike.
inline bool JudgeEvictorsAlike(const Dispatcher& dispatcher, Point point) {
  for (const PolicyEntry* entry : dispatcher.at(point)) {
    const auto* alike = dynamic_cast<const AlikeEvictors*>(entry->policy);
    if (alike == nullptr || !alike->JudgesEvictorsAlike(point)) return false;
  }
  return true;
}

// Returns whether every policy that answers at the point judges evictors alike, and by rows.
inline bool JudgeByRows(const Dispatcher& dispatcher, Point point) {
  if (!JudgeEvictorsAlike(dispatcher, point)) return false;
  for (const PolicyEntry* entry : dispatcher.at(point)) {
    if (!dynamic_cast<const AlikeEvictors*>(entry->policy)->JudgesByRows(point)) return false;
  }
  return true;
}

}  // namespace muster

#endif  // MUSTER_EXTENSION_ALIKE_EVICTORS_H_
