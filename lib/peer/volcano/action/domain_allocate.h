// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate for jobs that wish to be together in the tree of domains, and for gangs of sub-groups.
//
//   DomainAllocate by_domain(context, error_cache);
//   by_domain.Add(job, pending);
//   if (by_domain.Place(job) && dispatcher.Ready(job)) {
//     attempt.Commit();
//     by_domain.Committed(job);
//   }
//
// Idea. A job's turn is tried in every domain that its wish allows, list by list, the narrowest
// first.
// 1. In a domain its sub-groups take turns, those first that the job needs to become ready.
// 2. Each sub-group is tried in every domain within this one that its own wish allows.
// 3. What was placed is taken back, and the domain of the highest score is gone through again for
//    good.
// A job that becomes ready or waiting in no domain of any list is left as it was.
//
// Peer. Volcano's allocateForJob and allocateForSubJob.
// - The score of a domain for a job is the sum of those of the domains that its sub-groups chose.
// - Refusals of roles are forgotten from domain to domain.
// - A turn ends as soon as the job is ready, so beyond its minimum one task, or one sub-group, is
//   placed a turn.
// - What a try noted about the domains of sub-groups is kept by domain. It counts once that domain
//   is chosen, even by a later turn.
//
// Ties. The domain first by name.
//
// Cost. A try is a look at each node of the domain for each task. Domains with sums that cannot
// hold the tasks of one class are passed over, and of leaf domains with equal nodes only one is
// tried (DomainTwins); neither changes a decision.
#ifndef MUSTER_PEER_VOLCANO_ACTION_DOMAIN_ALLOCATE_H_
#define MUSTER_PEER_VOLCANO_ACTION_DOMAIN_ALLOCATE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "lib/part/domain_search.h"
#include "lib/part/domain_twins.h"
#include "lib/part/group_sheet.h"
#include "lib/part/task_placer.h"
#include "lib/peer/volcano/action/fit_errors.h"
#include "lib/peer/volcano/action/role_memory.h"

namespace muster {

class DomainAllocate {
 public:
  DomainAllocate(ActionContext& context, bool error_cache);

  // `tasks`: the job's pending ones, without those that request nothing, in task order.
  void Add(JobIndex job, const std::vector<TaskIndex>& tasks);
  bool Has(JobIndex job) const { return sheets_.contains(job); }
  bool HasWork(JobIndex job) const { return !sheets_.at(job).groups.empty(); }
  // Takes a turn of the job. Returns whether it is in the books, ready or waiting for the rest.
  bool Place(JobIndex job);
  // Notes that what the turn placed has become a decision.
  void Committed(JobIndex job);

 private:
  // One go through the sheet of a job in a domain.
  struct JobTry {
    bool placed = false;  // the job is ready or waits for the rest, and it is in the books
    double score = 0;     // of the domains that sub-groups chose, added
    int groups = 0;       // the number of times a sub-group was placed
  };
  // What tries noted about the domains of sub-groups: (job's domain, sub-group) -> its domain.
  struct Turns {
    uint32_t domain = kNone;  // the one chosen
    HashMap<std::pair<uint32_t, uint32_t>, uint32_t> groups;
  };

  bool PlaceFlat(JobIndex job);
  void SpendSince(size_t begin);
  // Sets `failed_` and the like for a turn of the job.
  void BeginTurn(JobIndex job);
  bool PlaceInList(JobIndex job, const std::vector<uint32_t>& list);
  // For a job that is one gang, where all domains of a list are leaves: their scores are known
  // before they are tried, so the first one, in the order of scores, that holds the gang is the
  // best. Returns nullopt if several passes were needed; their scores add up.
  std::optional<bool> PlaceInBestLeaf(const SubGroup& gang, const std::vector<uint32_t>& list,
                                      DomainMemory* memory);
  // Returns false for a leaf domain that the policies do not offer to a gang without a place yet.
  bool IsOffered(const SubGroup& gang, uint32_t domain);
  // Tries the job in the domain, unless `memory`, of its only gang, has the outcome.
  void TryDomain(JobIndex job, uint32_t domain, const SubGroup* gang, DomainMemory* memory,
                 DomainTries<GroupSheet>* tries);
  JobTry TryJob(JobIndex job, uint32_t domain, GroupSheet* sheet);
  // Places the sub-group in the best domain within `within` that holds it, and takes its tasks from
  // `tasks`. Returns the score of that domain. Returns nullopt if there is none; nothing has then
  // changed.
  std::optional<double> PlaceGroup(const SubGroup& group, uint32_t within, TaskQueue* tasks);
  std::optional<double> PlaceInBest(const SubGroup& group, uint32_t within,
                                    const std::vector<uint32_t>& list, TaskQueue* tasks);
  void Settle(const SubGroup& group, uint32_t within, uint32_t domain);
  bool PlaceTasks(const SubGroup& group, uint32_t domain, TaskQueue* tasks);
  bool MayContinue(const SubGroup& group) const;
  void Explain(JobIndex job, bool waits);
  void StartAfresh(const SubGroup& group);
  void StartAfresh(JobIndex job);  // all its sub-groups

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  Domains& domains_;
  const bool error_cache_;
  FitErrors& errors_;
  RoleMemory memory_;
  TaskPlacer placer_;
  DomainTwins twins_;
  HashMap<JobIndex, GroupSheet> sheets_;
  HashMap<JobIndex, Turns> turns_;
  // Of the job in turn: roles of which a task found no node, by sub-group; the most that was placed
  // in one try, and in the last one that failed (0 where some of it was only promised); a task that
  // found no node.
  std::vector<std::vector<GroupIndex>> failed_;
  int64_t most_ = 0, last_placed_ = 0;
  TaskIndex failed_task_ = kNone;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_DOMAIN_ALLOCATE_H_
