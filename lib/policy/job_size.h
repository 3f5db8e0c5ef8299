// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How large a job is, for orders of jobs.
//
//   const JobSize size = SizeOfJob(tables, ledger, job);
//   const double area = size.share * estimate;
#ifndef MUSTER_POLICY_JOB_SIZE_H_
#define MUSTER_POLICY_JOB_SIZE_H_

#include <cstdint>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"

namespace muster {

struct JobSize {
  // The part of the cluster that its tasks request, in the dimension where that is largest. Pods
  // are no such dimension.
  double share = 0;
  // The amount of that dimension, rounded up: cpus, GPUs, Gi of memory. 1 or more.
  int64_t units = 1;
};

// Cost: O(tasks x dimensions).
JobSize SizeOfJob(const Tables& tables, const Ledger& ledger, JobIndex job);

}  // namespace muster

#endif  // MUSTER_POLICY_JOB_SIZE_H_
