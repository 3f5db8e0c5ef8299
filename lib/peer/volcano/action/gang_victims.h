// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What can be taken from a gang: tasks that it can spare, and the rest of it, which goes whole or
// stays. And from which gangs a gang takes, in which order.
//
//   const VictimRules rules(context, /*from_other_queues=*/false);
//   std::erase_if(running, [&](TaskIndex t) { return !rules.MayGo(t); });   // all of job `other`
//   std::vector<VictimSet> sets;
//   if (rules.MayTakeFrom(job, other)) AddVictimSets(context, other, running, &sets);
//   for (VictimSet& set : sets) set.worth = WorthOf(context, set, need);
//   GoSort(sets, [&](const auto& a, const auto& b) { return rules.Before(job, a, b); });
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
  double worth;                  // see WorthOf
};

// Splits `tasks`, all of `job`, into at most one set of each kind. A job that is not ready any more
// can spare all. Otherwise a task is spared under two conditions:
// - The job keeps as many tasks as it needs, and so does the task's role where role minimums count.
// - Its sub-group has lost a task already, or the sub-group's policy keeps as many whole sub-groups
//   as it needs without it.
void AddVictimSets(const ActionContext& context, JobIndex job, std::vector<TaskIndex> tasks,
                   std::vector<VictimSet>* sets);

// Returns the part of the need that the set serves, for what the job loses: each dimension as a
// part of the need, summed. Infinite for tasks that are spared.
double WorthOf(const ActionContext& context, const VictimSet& set, std::span<const int64_t> need);

// From which gangs a gang takes: lesser ones of its queue, or those of other queues.
class VictimRules {
 public:
  VictimRules(const ActionContext& context, bool from_other_queues)
      : context_(context), from_other_queues_(from_other_queues) {}

  bool from_other_queues() const { return from_other_queues_; }
  // Returns whether some gang might take the task. Bound tasks go within a queue alone.
  bool MayGo(TaskIndex task) const;
  bool MayTakeFrom(JobIndex job, JobIndex other) const;
  // Returns whether `a` goes before `b` for `job`. Total where the policies' orders are.
  bool Before(JobIndex job, const VictimSet& a, const VictimSet& b) const;
  // Returns whether sets of `a` go before sets of `b`, a different job, of the same kind and worth.
  // REQUIRES: both are of one queue.
  bool JobBefore(JobIndex a, JobIndex b) const;
  // Returns whether every policy that takes part in the order is known to compare keys of the rows:
  // a sorted list then stays sorted, save for jobs with tasks that moved or that took a turn.
  // Policies of callers may compare in any way.
  bool ComparesKeys() const;

 private:
  const ActionContext& context_;
  const bool from_other_queues_;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_GANG_VICTIMS_H_
