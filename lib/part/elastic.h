// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic jobs: gangs that run with more tasks than they need while there is room, and give them
// back one by one (ElasticSize, muster/gang.h).
//
//   preset.catalogue.push_back(ShrinkAction());
//   preset.catalogue.push_back(GrowAction());
//   // "mine:actions=allocate+shrink+preempt+grow"
//
// An elastic job has a gang: of each group and of the whole job as many tasks as must be placed
// together, the first in task order, tasks with promises before all others. All other tasks are
// beyond the gang. Where an action of the profile grows, they are left to it: PendingTasks leaves
// them out for all other actions.
//
// shrink. Jobs that wait take turns in fair order. A turn places all that the gang lacks, or one
// task of a whole gang, as a nomination: on what is free, else on the node where the fewest tasks
// of elastic jobs have to be given back; of equal nodes, the first. On a node they go in the victim
// order of the profile until the task fits. Which of them may go:
// - running tasks, preemptable, of an elastic job that keeps its gang and ElasticSize::least
//   without them;
// - of the same queue, of a job of lower priority, where the profile lets them be preempted;
// - of another queue, where the profile lets them be reclaimed, for a queue that may take more.
// Tasks that turn out to be needless stay, the last first. A turn that gives nothing back, or
// leaves the gang incomplete, is undone. So no gang goes as long as tasks beyond the gangs suffice,
// where shrink comes before the actions that evict.
//
// grow. Elastic jobs with a whole gang take turns in fair order, for one task each: the next that
// fits what is idle, up to ElasticSize::most. Together they take no more than is idle beyond what
// waits, in every dimension: the idle amounts of nodes that take tasks, less what all tasks request
// that their queues let in and that are not beyond a gang.
//
// Sizes. For each group of an elastic job that runs with more or fewer tasks than when the cycle
// opened the plan has a Resize, with the number of its tasks that hold a node. A job that is left
// without its gang has none: it is evicted, not resized.
//
// A job with sub-groups or a topology wish is not elastic, and one with a topology wish takes no
// turn of shrink.
//
// Cost. shrink: O(tasks of elastic jobs) for each task that finds no free place. grow: O(nodes +
// waiting tasks) once, and one search of a node for each task. Sizes: O(jobs + tasks of elastic
// jobs). lib/reference/peer/muster/fair_elastic.cc restates them.
#ifndef MUSTER_PART_ELASTIC_H_
#define MUSTER_PART_ELASTIC_H_

#include <functional>
#include <vector>

#include "lib/part/action.h"
#include "lib/part/context.h"

namespace muster {

bool IsElastic(const ActionContext& context, JobIndex job);
// Returns those of the pending tasks, which are in task order, that the gang lacks.
std::vector<TaskIndex> GangLacks(const ActionContext& context, JobIndex job,
                                 std::vector<TaskIndex> pending);
// Returns whether the job keeps its gang and its least size without the task, which it holds.
bool CanGive(const ActionContext& context, TaskIndex task);
// Lists a Resize for each group of which the size has changed since the cycle opened.
void ListSizes(ActionContext& context);

// What a profile with rules of its own for places puts in place of the search.
struct ElasticPlaces {
  // Returns the best node for the task, or kNone.
  std::function<NodeIndex(TaskIndex task, Want want)> best;
  // Returns whether the task may go there. Empty: it may.
  std::function<bool(TaskIndex task, NodeIndex node)> may_take = {};
};
void RunShrink(ActionContext& context, const ElasticPlaces& places);
void RunGrow(ActionContext& context, const ElasticPlaces& places);

// The actions, with the search's own places.
ActionDecl ShrinkAction();
ActionDecl GrowAction();
// Moves nothing: with it, the plan lists sizes.
ActionDecl ResizeAction();

}  // namespace muster

#endif  // MUSTER_PART_ELASTIC_H_
