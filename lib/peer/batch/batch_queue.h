// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the policies of batch systems share: the order of waiting jobs, and the expected ends of
// running tasks.
//
//   std::vector<JobIndex> jobs = BatchQueue(context);
//   SortByBatchOrder(context, options.text("order"), &jobs);
//   for (const auto& [end, task] : BatchEnds(context)) ...   // soonest first
#ifndef MUSTER_PEER_BATCH_BATCH_QUEUE_H_
#define MUSTER_PEER_BATCH_BATCH_QUEUE_H_

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/part/context.h"
#include "muster/policy.h"

namespace muster {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

inline constexpr OptionDecl kBatchOptions[] = {
    {"order", OptionKind::kChoice, "fifo", 0, 0,
     "fifo|sjf|ljf|smallest|largest|area: the order of jobs; easy: of those that may go ahead"},
};

// Returns the job's estimate, or kNever where it has none.
int64_t BatchEstimateOf(const Tables& tables, JobIndex job);

// Admits the jobs with pending tasks that may start, and returns them in job order.
std::vector<JobIndex> BatchQueue(ActionContext& context);

// Sorts the jobs by the key that `order` names; equal ones keep their order. A job's size is the
// sum of what its tasks request over what the cluster has, in the dimension where that is largest.
void SortByBatchOrder(const ActionContext& context, std::string_view order,
                      std::vector<JobIndex>* jobs);

// Notes that the job was placed in part, and that the placement is to be taken back. `failure` (may
// be null) is the reason why one of its tasks found no node.
void BatchExplainUndone(ActionContext& context, JobIndex job, const ReasonPtr& failure);

// Returns the tasks that hold a node with their expected ends, soonest first, then by task. An end
// is the task's start plus the job's estimate, and just after now for a task that outlived it.
// Tasks of jobs without an estimate are left out.
std::vector<std::pair<int64_t, TaskIndex>> BatchEnds(const ActionContext& context);

}  // namespace muster

#endif  // MUSTER_PEER_BATCH_BATCH_QUEUE_H_
