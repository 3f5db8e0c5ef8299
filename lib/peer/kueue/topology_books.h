// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is free of the leaves of a topology, and what admitted workloads use of them.
//
//   TopologyBooks books(tree);
//   books.TakeOther(leaf, {{cpu, 250}, {pods, 1}});      // a pod that no workload has
//   books.Use(leaf, {{cpu, 1000}}, 3);                   // three pods of a workload
//   const size_t mark = books.mark();
//   books.Release(leaf, {{cpu, 1000}}, 3);               // as if they were evicted
//   books.Rollback(mark);
//
// A pod takes its request and one of `pods`. Amounts are int64 and saturate.
//
// Use and Release are undone by Rollback; TakeOther is not. Every change is in a journal, so that
// what was counted before is brought up to date in time of the changes.
//
// Cost. O(resources of the request) for a change and for its undo.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_BOOKS_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_BOOKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lib/peer/kueue/topology_tree.h"

namespace muster::kueue {

// An amount of one resource. A list has each resource once; one that it has with 0 is requested.
struct PodAmount {
  uint32_t resource = 0;
  int64_t amount = 0;
  friend bool operator==(const PodAmount&, const PodAmount&) = default;
};
// What one pod requests, without the pod itself.
using PodRequest = std::vector<PodAmount>;

// Pods in a leaf.
struct TopologyPlace {
  uint32_t leaf = 0;
  int32_t count = 0;
  friend bool operator==(const TopologyPlace&, const TopologyPlace&) = default;
};
using TopologyPlaces = std::vector<TopologyPlace>;

class TopologyBooks {
 public:
  explicit TopologyBooks(std::shared_ptr<const TopologyTree> tree);
  const TopologyTree& tree() const { return *tree_; }

  // Takes from what is free for workloads, for good. Negative amounts give back.
  void TakeOther(uint32_t leaf, std::span<const PodAmount> amounts);

  // Adds, or subtracts, `count` pods.
  void Use(uint32_t leaf, std::span<const PodAmount> pod, int64_t count);
  void Release(uint32_t leaf, std::span<const PodAmount> pod, int64_t count);

  size_t mark() const { return log_.size(); }
  // REQUIRES: `mark` was returned by mark(), and nothing before it was undone since.
  void Rollback(size_t mark);
  // Makes all changes permanent: marks start at 0 again.
  void Settle() { log_.clear(); }

  // Returns whether the leaf has room for `count` pods beside those there. The number of pods that
  // a node may run is not compared. A request that names no resource has no room anywhere.
  bool HasRoom(uint32_t leaf, std::span<const PodAmount> pod, int32_t count) const;

  // Free for workloads: capacity without what others take.
  int64_t free(uint32_t leaf, uint32_t resource) const { return free_[cell(leaf, resource)]; }
  int64_t used(uint32_t leaf, uint32_t resource) const { return used_[cell(leaf, resource)]; }

  // Leaves that changed, the oldest first. An entry's number never changes.
  size_t journal_end() const { return journal_base_ + journal_.size(); }
  size_t journal_base() const { return journal_base_; }
  uint32_t changed(size_t entry) const { return journal_[entry - journal_base_]; }

 private:
  struct LogRow {
    size_t cell;
    int64_t used;  // before the change
  };
  size_t cell(uint32_t leaf, uint32_t resource) const { return leaf * width_ + resource; }
  void Add(uint32_t leaf, uint32_t resource, int64_t amount);
  void Note(uint32_t leaf);

  std::shared_ptr<const TopologyTree> tree_;
  size_t width_;
  std::vector<int64_t> free_, used_;  // by leaf and resource
  std::vector<LogRow> log_;
  std::vector<uint32_t> journal_;
  size_t journal_base_ = 0;
};

// a - b, clamped to int64.
inline int64_t SatDifference(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? INT64_MAX : INT64_MIN;
}

// How many pods of the request fit into amounts that `amount_of(resource)` returns: the least
// quotient, at most INT32_MAX and at least 0; 0 for a request that names nothing.
template <class AmountOf>
int32_t CountPods(std::span<const PodAmount> pod, AmountOf amount_of) {
  int64_t least = pod.empty() ? 0 : INT32_MAX;
  for (const auto& [resource, amount] : pod) {
    if (amount == 0) continue;
    const int64_t fits = amount_of(resource) / amount;
    if (fits < least) least = fits < 0 ? 0 : fits;
  }
  return static_cast<int32_t>(least);
}

// The resource that allows the fewest pods: of several the first by name. kNone: none is requested.
template <class AmountOf>
uint32_t LimitOfPods(std::span<const PodAmount> pod, AmountOf amount_of,
                     const TopologyResources& resources) {
  uint32_t limit = kNone;
  int32_t least = 0;
  for (const PodAmount& row : pod) {
    const int32_t fits = CountPods(std::span(&row, 1), amount_of);
    const bool first = limit == kNone || fits < least ||
                       (fits == least && resources.rank(row.resource) < resources.rank(limit));
    if (!first) continue;
    limit = row.resource;
    least = fits;
  }
  return limit;
}

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_BOOKS_H_
