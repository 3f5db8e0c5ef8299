// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables as a Kueue world: flavors, queues with their rules, and jobs as workloads.
//
//   World world;
//   const std::vector<JobIndex> job_of = ReadWorld(context.tables, &world);   // by workload
//
// A job that has tasks which have not ended, as rows or by count, is a workload:
// - with an admission it holds that quota (HoldsQuota), and is evicted if tasks leave their nodes
//   and none stays;
// - with phase pending it else waits, whatever admission it had before, and so does one that is
//   completed and has tasks again, none of them on a node;
// - with another job that has quota and replaces it, it takes no part;
// - with another phase and no admission others have admitted it: it neither waits nor holds.
// Tasks that failed hold their quota, as they may be made anew. Those that succeeded do not, but
// without gate ReclaimablePods.
// Each group is a pod set for each class of its tasks, and one for its tasks by count; those of one
// group get one flavor. Tasks by count may be admitted in part, down to ByCount::min_count. What
// they request of topologies is in settings (job_settings.h), and each pod set is placed alone,
// unless a setting joins its group with another. Places of an admission are held as long as a task
// of the group has not ended.
//
// Order. Jobs of one uid_rank go by index, as Kueue's uids differ.
// Cost. O(rows) for each call: the world is made anew in each plan.
#ifndef MUSTER_PEER_KUEUE_READ_WORLD_H_
#define MUSTER_PEER_KUEUE_READ_WORLD_H_

#include <vector>

#include "lib/model/tables.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

// Returns whether the job's admission counts: until a plan sets phase pending or completed, and
// then as long as a task is on a node.
bool HoldsQuota(const Tables& tables, JobIndex job);

// Returns the tasks of each pod set that ReadWorld makes of the job, ascending; none of those by
// count. `holds`: as HoldsQuota returned when the world was read. `reclaims`: gate ReclaimablePods.
std::vector<std::vector<TaskIndex>> TasksByPodSet(const Tables& tables, JobIndex job, bool holds,
                                                  bool reclaims);

// REQUIRES: the world is empty, and its config is set.
std::vector<JobIndex> ReadWorld(const Tables& tables, World* world);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_READ_WORLD_H_
