// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Balanced placement: the domains of a preferred level get nearly equal numbers of slices.
//
//   LevelCounts work = board.at;
//   std::optional<Balance> balance = FindBalance(tree, plan, false, &work);
//   if (balance && PlaceBalanced(tree, plan, *balance, false, &work, &level, &domains)) ...
//
// Idea. Siblings of the preferred level, below one parent, are a candidate set. Filling greedily
// shows how few domains one level lower are needed, and so the largest number of slices that each
// of them can be promised: the threshold. Domains that cannot take the threshold are left out. The
// set with the highest threshold is taken, then the one that needs the fewest domains. Of its
// domains those with the least room to spare are chosen; each gets the threshold, and the first in
// order get what is left over.
//
// Peer. An alpha feature. Where the peer would divide by zero, for a request of no slice, there is
// no balance here.
//
// Cost. O(domains) for each candidate set, and a table of (domains chosen * leaders * pods left)
// for the choice.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_BALANCED_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_BALANCED_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/peer/kueue/topology_counts.h"
#include "lib/peer/kueue/topology_levels.h"
#include "lib/peer/kueue/topology_tree.h"

namespace muster::kueue {

struct Balance {
  int32_t threshold = 0;          // 1 or more slices
  std::vector<uint32_t> domains;  // of the plan's level
};

// The best candidate set. `work` holds counts of all domains; afterwards those of the set are
// without the domains that are left out.
std::optional<Balance> FindBalance(const TopologyTree& tree, const LevelPlan& plan,
                                   bool by_affinity, LevelCounts* work);

// Chooses domains of the set and their portions, written to `work`. Returns false if that is not
// possible after all.
bool PlaceBalanced(const TopologyTree& tree, const LevelPlan& plan, const Balance& balance,
                   bool by_affinity, LevelCounts* work, uint32_t* level,
                   std::vector<uint32_t>* domains);

// --- the steps

// How far filling greedily gets: how many domains are used, and the last ones.
struct GreedyFill {
  int32_t domains = 0;
  uint32_t last_with_leader = kNone, last = kNone;
};
std::optional<GreedyFill> FillGreedily(std::span<const DomainCounts> counts,
                                       std::span<const uint32_t> domains, int32_t slices,
                                       int32_t leaders, bool by_affinity);

// What a set of domains shall hold.
struct SetRequest {
  int32_t slices = 0, leaders = 0;
  int32_t slice_size = 1;
  bool by_affinity = false;  // orders compare scores of affinity
};

// The fewest domains that hold the request, with the least room to spare. `children` are the counts
// of the next level; null: equal choices go by values, else by how evenly children divide the room.
std::optional<std::vector<uint32_t>> SmallestSet(const TopologyTree& tree, uint32_t level,
                                                 std::span<const DomainCounts> counts,
                                                 std::span<const DomainCounts>* children,
                                                 std::span<const uint32_t> domains,
                                                 const SetRequest& request);

// The smallest set with its portions, written to `counts`.
std::optional<std::vector<uint32_t>> PlaceEvenly(const TopologyTree& tree, uint32_t level,
                                                 std::span<DomainCounts> counts,
                                                 std::span<const uint32_t> domains,
                                                 const SetRequest& request, int32_t threshold);

// Leaves out what has room for fewer slices than the threshold, among the domains and their
// children, and sums up again.
void Prune(const TopologyTree& tree, const LevelPlan& plan, std::span<const uint32_t> domains,
           int32_t threshold, LevelCounts* work);

// Shannon's entropy of the pods of domains, in bits.
double EntropyOf(std::span<const DomainCounts> domains);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_BALANCED_H_
