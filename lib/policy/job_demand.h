// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What admission counts for a job: shared by overcommit and proportion.
//
//   if (HoldsMinimum(tables, ledger, job)) return Vote::kPermit;   // admission need not count it
//   std::vector<int64_t> missing = MissingMinimum(tables, ledger, job);
#ifndef MUSTER_POLICY_JOB_DEMAND_H_
#define MUSTER_POLICY_JOB_DEMAND_H_

#include <cstdint>
#include <vector>

#include "lib/extension/cycle.h"

namespace muster {

// The job's minimum resources less the requests of its gated pending tasks, floor 0 (dimensions
// other than cpu and memory only where both name them). Absent stays absent.
std::vector<int64_t> DeductGated(const Tables& tables, const Ledger& ledger, JobIndex job,
                                 std::vector<int64_t> amounts);

// The part of its minimum resources that the job does not hold yet, per dimension it names.
std::vector<int64_t> MissingMinimum(const Tables& tables, const Ledger& ledger, JobIndex job);

// Whether nothing of it is missing.
bool HoldsMinimum(const Tables& tables, const Ledger& ledger, JobIndex job);

// Whether the job has begun and holds its gang: running phase, and as many tasks allocated as it
// needs.
bool RunsItsGang(const Tables& tables, const Ledger& ledger, JobIndex job, JobPhase phase);

}  // namespace muster

#endif  // MUSTER_POLICY_JOB_DEMAND_H_
