// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the policies of batch systems share: who waits in which order, and when those that run
// should end.
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

// The job's estimate; kNever where there is none.
int64_t BatchEstimateOf(const Tables& tables, JobIndex job);

// Jobs with pending tasks that may start, by job order. Admits them.
std::vector<JobIndex> BatchQueue(ActionContext& context);

// By the key that `order` names, equal ones as they were. Sizes are the sum of what the tasks
// request over what the cluster has, in the dimension where that is largest.
void SortByBatchOrder(const ActionContext& context, std::string_view order,
                      std::vector<JobIndex>* jobs);

// Notes that the job was placed in part, and that it is to be taken back; `failure` (may be null)
// is why a task of it found no node.
void BatchExplainUndone(ActionContext& context, JobIndex job, const ReasonPtr& failure);

// Tasks that hold a node and when they should be gone, soonest first, then by task: their start
// plus the job's estimate, and after now for one that has outlived it. Tasks of jobs without an
// estimate are not in it.
std::vector<std::pair<int64_t, TaskIndex>> BatchEnds(const ActionContext& context);

}  // namespace muster

#endif  // MUSTER_PEER_BATCH_BATCH_QUEUE_H_
