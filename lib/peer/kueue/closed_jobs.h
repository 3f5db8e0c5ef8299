// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Keeps the tasks of jobs with quota from all nodes, as long as checks of theirs are open, or while
// they are evicted.
//
//   ClosedJobs closed(context, world);
//   for (WorkloadIndex w : with_open_checks) closed.Keep(w, job);
//
// Kueue starts no pod of a workload with quota reserved before its checks have passed. What is
// written down is read by allocate behind this action, by actions of the caller
// (lib/part/task_bounds.h) and by action schedule (pod_changes.h).
//
// Cost. O(tasks of the job) a call.
#ifndef MUSTER_PEER_KUEUE_CLOSED_JOBS_H_
#define MUSTER_PEER_KUEUE_CLOSED_JOBS_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "lib/part/context.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

class ClosedJobs {
 public:
  // Both must outlive this.
  ClosedJobs(ActionContext& context, const World& world) : context_(context), world_(world) {}

  // `no_places`: why no places were found for it in this plan; empty: none were searched.
  // REQUIRES: the workload holds quota.
  void Keep(WorkloadIndex workload, JobIndex job, std::string_view no_places);

 private:
  ActionContext& context_;
  const World& world_;
  std::map<std::string, size_t> bounds_;  // by their words
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_CLOSED_JOBS_H_
