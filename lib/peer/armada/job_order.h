// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order of jobs inside a queue.
//
// Fair order: running jobs first, then by class priority (higher first), the job's own priority
// (lower first), age of the run, time of submission, id. Market order: class priority, bid (higher
// first), running before queued, age of the run, time of submission, id.
#ifndef MUSTER_PEER_ARMADA_JOB_ORDER_H_
#define MUSTER_PEER_ARMADA_JOB_ORDER_H_

#include <compare>
#include <cstdint>

#include "lib/peer/armada/cluster.h"

namespace muster::armada {

struct RankedJob {
  const Job* job;
  int32_t class_priority;
  double bid;    // read by the market order alone
  int rank = 0;  // of the id; jobs of one rank are compared by their ids
};

// Negative if `a` goes first, 0 only for the same job.
int CompareFair(const RankedJob& a, const RankedJob& b);
int CompareMarket(const RankedJob& a, const RankedJob& b);

// The order of CompareFair as numbers, which sort faster than jobs do. `rank` is that of the ids.
struct FairKey {
  bool waits = false;
  int64_t class_priority = 0;  // negated
  int64_t priority = 0, created = 0, submitted = 0;
  int rank = 0, job = 0;

  auto operator<=>(const FairKey&) const = default;
};
FairKey FairKeyOf(const Job& job, int32_t class_priority, int rank);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_JOB_ORDER_H_
