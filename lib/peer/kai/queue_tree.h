// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The queues of KAI Scheduler as plain values: a tree of rows, and three accounts a queue.
//
//   KaiQueueTree tree;
//   const uint32_t top = tree.Add({.name = "research"});
//   const uint32_t leaf = tree.Add({.name = "vision", .parent = top});
//   tree.share[leaf][kKaiGpu] = {.deserved = 4, .max_allowed = kKaiUnlimited, .request = 9};
//   tree.Charge(leaf, {1000, 1e9, 1}, /*preemptible=*/true);
//
// Idea. Only cpu (milli), memory (bytes) and GPUs (devices, with fractions) take part in fairness.
// Every other resource is a matter of nodes. So a queue has three `KaiShare`s, and an amount is an
// array of three doubles: the peer computes in doubles, and decides by their last bit.
//
// Peer. -1 means unlimited in `deserved` and `max_allowed`. Comparisons between amounts know it
// (`Compare`): unlimited equals unlimited and exceeds all else. An amount that happens to be -1
// counts as unlimited, too.
//
// Ties. Wherever the peer goes over siblings in the order of their names, the order here is that of
// `tops` and `children`. Add queues in ascending order of their UIDs, compared bytewise.
//
// Cost. Charge is O(depth). Shares lie together, apart from the names: division reads them in one
// sweep.
#ifndef MUSTER_PEER_KAI_QUEUE_TREE_H_
#define MUSTER_PEER_KAI_QUEUE_TREE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster {

inline constexpr size_t kKaiCpu = 0, kKaiMemory = 1, kKaiGpu = 2, kKaiResources = 3;
inline constexpr double kKaiUnlimited = -1;
inline constexpr uint32_t kKaiNone = ~uint32_t{0};

// Milli cpu, bytes of memory, GPUs.
using KaiAmounts = std::array<double, kKaiResources>;

struct KaiShare {
  double deserved = 0;           // the quota; kKaiUnlimited
  double fair_share = 0;         // out of the division
  double max_allowed = 0;        // the limit; kKaiUnlimited
  double over_quota_weight = 0;  // below 0 where a department without limit was given its quota
  double allocated = 0;
  double allocated_not_preemptible = 0;
  double request = 0;  // allocated and pending
  double usage = 0;    // past use as a part of the cluster
  // Returns what the division may give at most.
  double requestable() const {
    return max_allowed == kKaiUnlimited ? request : std::min(max_allowed, request);
  }
  // Returns how much the queue may hold: its limit, or the larger of quota and fair share.
  double allocatable() const;
};

using KaiShares = std::array<KaiShare, kKaiResources>;

struct KaiQueue {
  std::string name = {};
  uint32_t parent = kKaiNone;
  std::vector<uint32_t> children = {};  // ascending UID
  int64_t priority = 100;
  int64_t created = 0;  // any unit, the same for all
  std::optional<int64_t> preempt_min_runtime = {}, reclaim_min_runtime = {};  // nanoseconds
};

struct KaiQueueTree {
  // What division compares of a queue; set by Add.
  struct Rank {
    int64_t priority = 0, created = 0;
  };
  std::vector<KaiQueue> queues;
  std::vector<KaiShares> share;   // of each queue
  std::vector<Rank> rank;         // of each queue
  std::vector<uint32_t> charges;  // of each queue: how often Charge has changed its accounts
  std::vector<uint32_t> tops;     // queues without parent, ascending UID
  std::vector<uint32_t> inner;    // queues with children, parents first
  uint64_t revision = 0;          // another number once some account may have changed

  // Adds a queue below one that exists. Links it to its parent; `queue.children` must be empty.
  uint32_t Add(KaiQueue queue);

  // Adds to (or subtracts from) the accounts of a queue and of all above it.
  void Charge(uint32_t queue, const KaiAmounts& amounts, bool preemptible);
  void Discharge(uint32_t queue, const KaiAmounts& amounts, bool preemptible);
  // Takes over the accounts of another tree that was once equal, and since then has changed by
  // charges alone. Returns false if none came. O(queues), and nothing is copied that is equal.
  bool FollowCharges(const KaiQueueTree& other);
  // Adds to what a queue and all above it request.
  void Request(uint32_t queue, const KaiAmounts& amounts);

  KaiAmounts allocated(uint32_t queue) const { return Of(queue, &KaiShare::allocated); }
  KaiAmounts not_preemptible(uint32_t queue) const {
    return Of(queue, &KaiShare::allocated_not_preemptible);
  }
  KaiAmounts deserved(uint32_t queue) const { return Of(queue, &KaiShare::deserved); }
  KaiAmounts fair_share(uint32_t queue) const { return Of(queue, &KaiShare::fair_share); }
  KaiAmounts Of(uint32_t queue, double KaiShare::*part) const {
    const KaiShares& s = share[queue];
    return {s[0].*part, s[1].*part, s[2].*part};
  }
  // Returns the queues from the top down to `queue`.
  std::vector<uint32_t> PathTo(uint32_t queue) const;
  // Returns the ancestors (or the queues themselves) at which the paths of two queues part. Where
  // one lies above the other, both results are the upper one.
  std::pair<uint32_t, uint32_t> Leveled(uint32_t left, uint32_t right) const;
};

// -1, 0 or 1; kKaiUnlimited exceeds every other amount.
int CompareKaiAmount(double left, double right);
// Returns whether left <= right in each resource.
bool WithinKaiAmounts(const KaiAmounts& left, const KaiAmounts& right);
KaiAmounts AddedKaiAmounts(const KaiAmounts& left, const KaiAmounts& right);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_QUEUE_TREE_H_
