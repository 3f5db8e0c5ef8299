// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which workloads are evicted to make room for another one.
//
//   VictimSearch search(world);
//   std::vector<Victim> victims = search.Find({.queue = q, .workload = w, .usage = usage,
//                                              .lacking = {cell}});
//
// A candidate uses at least one of the lacking cells. Candidates of one queue go in the order of
// World::Precedes; of several queues, evicted ones first, then those of other queues, then by the
// same order. With admission fair sharing, workloads of one queue but of different LocalQueues go
// by the usage of the latter, the highest first.
//
// Classical (classical_victims.cc): queues outside go by ancestors, the nearest first. Where the
// quota below an ancestor would hold the request, candidates beyond it may be evicted whatever
// their priority relative to borrowing; else the rules for borrowing hold.
// Fair (fair_victims.cc): the queue with the highest share gives first, share by share.
//
// Both evict until the request fits, and then give back, the last evicted first, whatever is not
// needed. The very last one is needed.
//
// The world is unchanged when Find returns. Candidates are never gathered: the lists of queues are
// kept in order, and are read and merged as far as needed (candidates.h).
#ifndef MUSTER_PEER_KUEUE_VICTIMS_H_
#define MUSTER_PEER_KUEUE_VICTIMS_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "lib/peer/kueue/fair_share.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

enum class EvictReason : uint8_t {
  kInClusterQueue,
  kInCohortReclamation,
  kInCohortFairSharing,
  kInCohortReclaimWhileBorrowing,
};
// Returns the peer's word: "InClusterQueue".
std::string_view WordOf(EvictReason reason);

struct Victim {
  WorkloadIndex workload;
  EvictReason reason;
  friend bool operator==(const Victim&, const Victim&) = default;
};

// Whether the topology has places, and what workloads use of it. Changes between Mark and Rollback
// are undone.
class TopologyTrial {
 public:
  virtual ~TopologyTrial() = default;
  virtual size_t Mark() = 0;
  virtual void Rollback(size_t mark) = 0;
  virtual void Remove(WorkloadIndex workload) = 0;
  virtual void Restore(WorkloadIndex workload) = 0;
  // Returns whether there are places for what is searched for.
  virtual bool Fits() = 0;
};

// Usages of a queue's workloads are told apart up to this number.
inline constexpr size_t kUsagesCompared = 16;

struct Need {
  Queue queue = kNothing;
  WorkloadIndex workload = kNothing;
  CellAmounts usage = {};
  std::vector<Cell> lacking = {};
  TopologyTrial* topology = nullptr;  // null: no places are needed
};

// Returns whether a workload of this priority and time may evict the candidate.
bool Satisfies(Policy policy, int64_t priority, int64_t queue_time, const WorkloadRow& candidate);

// The order of candidates of different queues, for a workload of `queue`.
bool CandidateBefore(const World& world, Queue queue, WorkloadIndex a, WorkloadIndex b);

class VictimSearch {
 public:
  explicit VictimSearch(World& world) : world_(world), shares_(world) {}

  std::vector<Victim> Find(const Need& need);
  FairShares& shares() { return shares_; }
  // Usage of LocalQueues, by number; absent or negative: not known. Read with admission fair
  // sharing alone.
  const std::vector<double>* local_usage = nullptr;

  // --- for the two searches
  World& world() { return world_; }
  const World& world() const { return world_; }
  bool Uses(WorkloadIndex candidate, const Need& need) const;
  // Returns how many different usages the workloads have that hold quota of the queue; one more
  // than kUsagesCompared stands for any number above. O(1) while the same workloads hold it.
  size_t UsagesIn(Queue queue);
  void Remove(WorkloadIndex workload, const Need& need);
  void Restore(WorkloadIndex workload, const Need& need);
  bool Fits(const Need& need, bool may_borrow) const;
  void FillBack(const Need& need, bool may_borrow, std::vector<Victim>* victims);

 private:
  std::vector<Victim> Classical(const Need& need);
  std::vector<Victim> Fair(const Need& need);

  struct Usages {
    uint64_t stamp = 0;
    size_t count = 0;
  };

  World& world_;
  FairShares shares_;
  std::vector<Usages> usages_;  // by queue
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_VICTIMS_H_
