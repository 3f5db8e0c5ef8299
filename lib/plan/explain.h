// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words of a plan, from which Explain, ToText and ReasonText are put together.
//
//   ReasonHead    12 of 16 placed, undone
//   RefusalsText  88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only
//   ReasonText    12 of 16 placed, undone: 88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only
#ifndef MUSTER_PLAN_EXPLAIN_H_
#define MUSTER_PLAN_EXPLAIN_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/plan_data.h"
#include "muster/plan.h"

namespace muster {

std::string RefusalText(const Refusal& refusal, const PlanNames& names);
std::string RefusalsText(const Reason& reason,
                         const PlanNames& names);  // empty when there are none
std::string ReasonHead(const Reason& reason, const PlanNames& names);

// Returns one decision in words: "bind train-0 to n3".
std::string DecisionText(const Decision& decision, const PlanData& data);

// Return the words of JSON: "no_node", "insufficient", "bind".
std::string_view ReasonKindName(ReasonKind kind);
std::string_view RefusalCodeName(RefusalCode code);
std::string_view DecisionKindName(DecisionKind kind);

// The pending tasks of one job (or one task without a job) that share a reason; with those that are
// no rows (WaitingJob).
struct PendingGroup {
  JobIndex job;     // kNone: of no job
  TaskIndex first;  // its first task; kNone: none is a row
  uint32_t reason;
  int64_t tasks;
};

// Returns the pending tasks of `only_job`, or all for kNone, in groups; groups are listed by their
// first task, those without a row last. `reason` is the first one of these words. O(pending).
std::vector<PendingGroup> GroupPending(const PlanData& data, JobIndex only_job);

}  // namespace muster

#endif  // MUSTER_PLAN_EXPLAIN_H_
