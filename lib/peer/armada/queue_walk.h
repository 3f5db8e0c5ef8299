// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Walks the jobs of one queue and yields gangs.
//
//   QueueWalk walk(world, context, {.lookback = 100, .skip_unfeasible = true});
//   while (const Candidate* gang = walk.Peek()) { ...; walk.Clear(); }
//
// Evicted jobs come before queued ones; in a market both are merged by bid. A gang is yielded where
// its last member comes; an incomplete gang is never. After the last job of the lookback only
// evicted jobs are yielded.
//
// Surprises. Jobs that are skipped because their shape failed before count for the lookback, and a
// skipped member leaves its gang incomplete.
#ifndef MUSTER_PEER_ARMADA_QUEUE_WALK_H_
#define MUSTER_PEER_ARMADA_QUEUE_WALK_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/armada/accounts.h"
#include "lib/peer/armada/job_context.h"
#include "lib/peer/armada/tables.h"

namespace muster::armada {

// A gang that is to be tried; most have one job.
struct Candidate {
  std::vector<int> jobs;
  Amounts requests;  // of all jobs
  bool all_evicted = true;
  bool asks_floating = false;
};

// What all walks of a round read and write.
struct WalkWorld {
  const Tables& tables;
  std::vector<JobContext>& contexts;
  Accounts& accounts;
  std::vector<Reason>& unfeasible;       // by shape; kNone: feasible as far as is known
  const std::vector<int>& market_ranks;  // of jobs in the order of the market; empty: no market
};

class QueueWalk {
 public:
  struct Limits {
    int64_t lookback = 0;  // 0: none
    bool skip_unfeasible = false;
  };

  QueueWalk(const WalkWorld& world, int context, const Limits& limits);

  // Both in their order.
  void SetJobs(std::vector<int> evicted, const std::vector<int>* queued) {
    evicted_ = std::move(evicted);
    queued_ = queued;
  }

  // Returns the next gang; null at the end. It stays the same until Clear.
  absl::StatusOr<const Candidate*> Peek();
  void Clear() { has_next_ = false; }

  void OnlyYieldEvicted();
  // New jobs go on where they stopped.
  void ResumeNew();

  int context() const { return context_; }

 private:
  int NextJob();
  bool SkipsUnfeasible(int job) const;
  // Returns whether the job completes a gang, which is then the next one.
  bool Collect(int job);
  void Yield(const std::vector<int>& jobs);

  const WalkWorld* world_;
  int context_;
  Limits limits_;
  std::vector<int> evicted_;
  const std::vector<int>* queued_ = nullptr;
  size_t next_evicted_ = 0, next_queued_ = 0;
  int64_t seen_ = 0;
  bool only_evicted_ = false, has_next_ = false, has_stash_ = false;
  Candidate next_, stash_;
  HashMap<int, std::vector<int>> incomplete_;  // by gang
  std::vector<int> single_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_QUEUE_WALK_H_
