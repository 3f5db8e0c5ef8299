// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order in which tasks leave a node.
//
//   std::vector<size_t> order = EvictionOrder(ranks);   // ranks[order[0]] leaves first
//
// Idea. The least important task goes first: by band, priority, Kubernetes' class, class of
// service, cost of deletion, cost of eviction, then by how much its going helps, then the newest.
//
// Peer. Koordinator's pod sorter. Where it surprises:
// - A task without a band counts as more important than production, as one without class does.
// - Of usage, a task that alone frees what is too much comes before one that frees more than that.
//   A task without a measurement comes last.
//
// Ties. Equal tasks lie as Go's sort leaves them: up to 12 tasks in the given order.
//
// Cost. O(n log n) comparisons.
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_ORDER_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/peer/koordinator/colocation/bands.h"
#include "lib/share/resource_names.h"

namespace muster::koordinator {

struct EvictionRank {
  Band band = Band::kNone;
  int64_t priority = 0;
  KubeService kube = KubeService::kBestEffort;
  Service service = Service::kNone;
  int64_t deletion_cost = 0, eviction_cost = 0;
  std::optional<double> relief = {};  // of ReliefScore; absent: not measured
  int64_t created = 0;                // seconds
};

// Returns -1, 0 or 1: whether the first leaves before the second.
int CompareRanks(const EvictionRank& a, const EvictionRank& b);
std::vector<size_t> EvictionOrder(std::span<const EvictionRank> ranks);

// Returns the amount of a resource, 0 if it is absent; amounts are in thousandths.
int64_t AmountOf(const NamedAmounts& amounts, std::string_view resource);
// Returns it in the unit of scores: thousandths of cores, whole units of all others, rounded up.
int64_t ScoredAmount(std::string_view resource, int64_t thousandths);

// Returns how busy a node is, 0 to 1000, weighted over the resources that `usage` names.
int64_t UsageScore(const NamedAmounts& usage, const NamedAmounts& capacity,
                   const NamedAmounts& weights);
// Returns how well a task's usage matches what a node has too much, weighted alike: x for a part x
// of it, and 1 + 1/x for at least all of it.
double ReliefScore(const NamedAmounts& usage, const NamedAmounts& excess,
                   const NamedAmounts& weights);

// Returns the score of one resource, 0 to 1000; 0 without capacity.
int64_t BusyScore(int64_t used, int64_t capacity);
double ReliefRatio(int64_t used, int64_t excess);

// A task of the older sorters, which know priority and Kubernetes' class alone.
struct SimpleRank {
  std::optional<int64_t> priority = {};
  KubeService kube = KubeService::kBestEffort;
};
// Returns the order from low priority to high. A best-effort task goes before every equal one.
std::vector<size_t> OrderByPriority(std::span<const SimpleRank> ranks);
// Returns the order from old to new.
std::vector<size_t> OrderByAge(std::span<const int64_t> created);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_ORDER_H_
