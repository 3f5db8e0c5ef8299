// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The numbers behind a reason: what the job's queues hold of their limits, and how much the nodes
// have free of what its tasks request.
//
//   for (const std::string& fact : FactsOf(tables, plan, job)) ...
//   // queue "nlp": 24 of 24 nvidia.com/gpu held, this job requests 64: it can never start
//   // nvidia.com/gpu: a task requests 8; "gpu3" has the most free, 4 of 8; 12 of 64 in all
//   // nvidia.com/gpu: 16 tasks that the gang needs request 16; 12 of 12 free in all
#ifndef MUSTER_ADVICE_FACTS_H_
#define MUSTER_ADVICE_FACTS_H_

#include <string>
#include <vector>

#include "lib/model/tables.h"
#include "muster/plan.h"

namespace muster {

// Numbers are those at the end of the plan. A line is there only where something lacks: a queue
// that cannot hold the waiting tasks beside what it holds, a dimension of which no node has enough
// free for one of them, or all nodes together too little for a gang. Empty for a job that does not
// wait. O(tasks + nodes * dimensions).
// REQUIRES: the plan is of a snapshot with these tables.
std::vector<std::string> FactsOf(const Tables& tables, const Plan& plan, JobIndex job);
// The same of one task, with a job or without.
std::vector<std::string> FactsOfTask(const Tables& tables, const Plan& plan, TaskIndex task);

}  // namespace muster

#endif  // MUSTER_ADVICE_FACTS_H_
