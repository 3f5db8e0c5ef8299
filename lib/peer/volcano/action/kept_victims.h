// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The victim sets of the whole cluster in the order in which they go, kept from one gang to the
// next.
//
//   KeptVictims kept(context, rules);
//   std::vector<VictimSet> sets = kept.First(job, need, 2);
//   if (sets.size() == 2) sets = kept.First(job, need, 8);   // begins with the same two
//
// Most gangs find room with the first few sets, and take from one or two jobs. So a job is split
// into its sets once, and again after one of its tasks has moved. Where a failed trial evicted all
// and took it back, no task has. The jobs of a queue stay sorted; those that changed are taken out
// and put in again. A list of sets is made only as far as it is asked for.
// The order of the jobs of a queue is that of their sets, of one kind: the last in job order first,
// or by uid for takers of other queues. Whole gangs of other queues go by worth, which depends on
// the taker; they are sorted when it comes to them.
// Cost. O(tasks + jobs log jobs) at the first call. Later a look at the tasks of each job in the
// journal, O(log jobs) comparisons for each one that changed, a copy of its queue's list, and a look
// at each job before the last one that is returned.
#ifndef MUSTER_PEER_VOLCANO_ACTION_KEPT_VICTIMS_H_
#define MUSTER_PEER_VOLCANO_ACTION_KEPT_VICTIMS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/volcano/action/gang_victims.h"

namespace muster {

class KeptVictims {
 public:
  // `rules` must outlive this.
  KeptVictims(const ActionContext& context, const VictimRules& rules)
      : context_(context), rules_(rules) {}

  // Returns the first `limit` sets for the job as the books are, in order; fewer if there are no
  // more.
  // REQUIRES: rules.ComparesKeys(), and NoteTurn was called for jobs that took a turn.
  std::vector<VictimSet> First(JobIndex job, std::span<const int64_t> need, size_t limit);

  // Notes that the job's place among equal ones may have changed.
  void NoteTurn(JobIndex job) { turns_.push_back(job); }

 private:
  // Where a task is.
  struct Place {
    TaskStatus status;
    NodeIndex node;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct OfJob {
    std::vector<TaskIndex> spared, rest;
    // When it was split: where its tasks were, and how many that leave were promised another node.
    std::vector<Place> places;
    int32_t promised = 0;
    bool changed = false;
  };
  void Follow();
  bool Moved(JobIndex job) const;
  void Split(JobIndex job);
  void PutIn(std::vector<JobIndex> changed, std::vector<JobIndex>* list);
  std::vector<QueueIndex> QueuesFor(JobIndex job) const;
  void AddSets(JobIndex job, QueueIndex queue, bool whole, std::span<const int64_t> need,
               size_t limit, std::vector<VictimSet>* sets) const;

  const ActionContext& context_;
  const VictimRules& rules_;
  size_t position_ = 0;                          // in the journal of jobs
  std::vector<JobIndex> turns_;                  // since then
  std::vector<OfJob> of_job_;                    // empty: nothing was asked yet
  std::vector<std::vector<JobIndex>> in_queue_;  // those with tasks that may go, in order
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_KEPT_VICTIMS_H_
