// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What can be taken from a gang: tasks that it can spare, and the rest of it, which goes whole or
// stays.
//
//   std::vector<VictimSet> sets;
//   AddVictimSets(context, job, running, need, &sets);   // spared tasks of `job`, then its rest
#ifndef MUSTER_PEER_VOLCANO_ACTION_GANG_VICTIMS_H_
#define MUSTER_PEER_VOLCANO_ACTION_GANG_VICTIMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/part/context.h"

namespace muster {

struct VictimSet {
  bool whole;  // its job falls apart without it
  JobIndex job;
  std::vector<TaskIndex> tasks;  // least priority first
  // The part of the need that the set serves, for what the job loses: each dimension as a part of
  // the need, summed. Infinite for tasks that are spared.
  double worth;
};

// Splits `tasks`, all of `job`, into at most one set of each kind. A job that is not ready any more
// can spare all. Otherwise a task is spared under two conditions:
// - The job keeps as many tasks as it needs, and so does the task's role where role minimums count.
// - Its sub-group has lost a task already, or the sub-group's policy keeps as many whole sub-groups
//   as it needs without it.
void AddVictimSets(const ActionContext& context, JobIndex job, std::vector<TaskIndex> tasks,
                   std::span<const int64_t> need, std::vector<VictimSet>* sets);

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_GANG_VICTIMS_H_
