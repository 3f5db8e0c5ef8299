// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scheduling signatures of KAI Scheduler: jobs that need not be tried, because one like them
// failed.
//
//   KaiHardJobs failed;
//   if (!failed.IsEasier(signature, pending)) continue;   // skip: it would fail, too
//   ... failed.Update(signature, pending);                // it failed
//
// Idea. Jobs of equal constraints (topology, selectors, affinity to nodes and to tasks, tolerations
// without seconds, priority, spreading, host ports, storage) share a signature. Of each signature
// the smallest job that failed is kept. A job is tried only if it is easier: it has fewer pending
// tasks, or one of its tasks, by size, requests less than its counterpart.
//
// Peer. Sizes are compared in all resources at once and sorted by that comparison, which is no
// order: requests that do not compare lie as Go's sort leaves them. A job without pending tasks is
// never easier. The kept job is replaced if each task of the new one is at most its counterpart.
//
// Cost. O(n log n) in pending tasks.
#ifndef MUSTER_PEER_KAI_SCHEDULING_SIGNATURE_H_
#define MUSTER_PEER_KAI_SCHEDULING_SIGNATURE_H_

#include <cstdint>
#include <vector>

namespace muster {

// Requests of a job's pending tasks, by resource.
using KaiRequests = std::vector<std::vector<double>>;

// Returns whether the first job might be placed where the second could not.
bool IsKaiJobEasier(const KaiRequests& job, const KaiRequests& than);
// Returns whether each task of the first job has a counterpart in the second that is as large.
bool IsKaiJobSmaller(const KaiRequests& job, const KaiRequests& than);

class KaiHardJobs {
 public:
  bool IsEasier(uint64_t signature, const KaiRequests& pending) const;
  void Update(uint64_t signature, KaiRequests pending);

 private:
  struct Row {
    uint64_t signature;
    KaiRequests pending;
  };
  std::vector<Row> rows_;  // ascending signatures
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SCHEDULING_SIGNATURE_H_
