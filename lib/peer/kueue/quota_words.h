// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The numbers behind a lack of unused quota, in words of ours, behind Kueue's message:
//
//   cpu from spot: queue a uses 4 of 4, cohort root uses 9 of 10; it may evict 0 of 2 workloads of
//   its queue (withinClusterQueue Never) and 1 of 5 of its cohort (reclaimWithinCohort Any)
//
//   QuotaWords words(world);
//   std::string text = words.Of(workload, cells);   // that lack unused quota
//   text = words.BoundsOf(queue, cell);             // of a request beyond all quota
//
// A queue uses quota of its own, and of the levels above what is beyond it. A quota is that of the
// level and of all below it. The borrowing limit of a level is named where it leaves less than the
// level above has ("queue a uses 6 of 4 and may borrow 2"). Workloads that may be evicted satisfy
// the policy; whether there are enough of them is another question.
//
// Cost. O(levels^2 + log workloads) for each cell that is lacking: at each level with a borrowing
// limit, what the levels above have is asked of all of them. The workloads of a tree are counted
// once for each cell.
#ifndef MUSTER_PEER_KUEUE_QUOTA_WORDS_H_
#define MUSTER_PEER_KUEUE_QUOTA_WORDS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/world.h"

namespace muster::kueue {

class QuotaWords {
 public:
  // The world must outlive this. What holds quota must not change.
  explicit QuotaWords(const World& world) : world_(world) {}
  std::string Of(WorkloadIndex workload, std::span<const Cell> cells);
  // Returns which borrowing limits bound what the queue could ever use; empty: none.
  //   cpu from spot: queue a has 4 and may borrow 2, cohort root has 20
  std::string BoundsOf(Queue queue, Cell cell) const;

 private:
  // Workloads that use a cell, by what policies compare.
  using Users = std::vector<std::pair<int64_t, int64_t>>;  // priority, and minus the time
  const Users& UsersIn(Queue node, Cell cell);
  std::string CellText(Cell cell) const;
  std::string LevelsOf(Queue queue, Cell cell) const;
  std::string CandidatesOf(const WorkloadRow& row, Cell cell);

  const World& world_;
  std::map<std::pair<Queue, Cell>, Users> users_;  // sorted
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_QUOTA_WORDS_H_
