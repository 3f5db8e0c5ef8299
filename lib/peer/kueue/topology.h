// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Finds places for the pod sets of a workload in the topology of a flavor.
//
//   auto tree = std::make_shared<const TopologyTree>(flavor, TopologyResources(names), nodes);
//   TopologyBooks books(tree);
//   TopologyFinder finder(&books, TopologyGates{});
//   TopologyRequest rack{.required = "rack"};
//   TopologyPodSet workers{.request = &rack, .shape = &shape, .pod = {{cpu, 1000}}, .count = 8};
//   TopologyAnswer answer = finder.Find({.pod_sets = {&workers, 1}});
//   if (answer.failed == kNone) Use(answer.pod_sets[0]->places);     // {leaf 3: 5, leaf 4: 3}
//
// Idea. Pods that fit are counted per leaf and summed up to the roots. A level and its domains are
// chosen by these counts; then the pods are dealt out level by level down to the leaves.
//
// - required: one domain of the level holds all pods.
// - preferred: one domain of the level, else of the next wider level, and so on; at the widest
//   level several domains.
// - unconstrained, implied, or only slices: several domains of the lowest level (of the widest, for
//   slices), those with the least room first (gate mixed_profile).
// - Slices. Pods go in slices of equal size; each slice is in one domain of the slice's level.
//   Further slices divide these again in lower levels.
// - Two pod sets of one group: the smaller is the leader, one pod, which is placed with them.
//
// Order. All orders end with the domains' values, so that the answer is determined.
//
// Peer. Kueue's topology-aware scheduling. Kept of it:
// - A count that the slice size does not divide is rounded down: fewer pods get a place.
// - Above the slice level, domains are filled without regard to what their parents were meant to
//   take.
// - Below the slice level, domains are filled in the order of ascending room, best fit or not.
// - Where leaves are no hosts, taints, selectors and affinity are not looked at.
// - Only the first unhealthy node is replaced.
// - Dealing out may fail after the choice; the answer is then an assignment with fewer places, and
//   no failure.
//
// Cost. Counts are kept between calls, one column for each request (TopologyCounts), and follow the
// books' journal. So a call costs the leaves that changed since the last one with an equal request,
// plus the domains looked at. The first call with a request is O(leaves). Reasons cost O(leaves).
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/peer/kueue/topology_books.h"
#include "lib/peer/kueue/topology_tree.h"
#include "muster/index.h"
#include "muster/shape.h"

namespace muster::kueue {

// What may be switched. The names are the peer's feature gates without "TAS".
struct TopologyGates {
  bool mixed_profile = true;        // least room first where any domain will do
  bool balanced_placement = false;  // preferred: equal shares for the domains
  bool respect_preferred_affinity = false;
  bool cache_node_matches = true;   // matters only with the gate above: see `workload`
  bool overlapping_flavors = true;  // hosts of several flavors are counted together
  bool skip_pod_owned = true;       // a workload of one single pod keeps its places
  bool elastic_slices = false;      // a workload that replaces another keeps its places
};

// Pods of which each domain of a level takes a multiple of `size`.
struct TopologySlice {
  std::string level = {};  // a label key
  int32_t size = 0;        // 0: not given
  friend bool operator==(const TopologySlice&, const TopologySlice&) = default;
};

// What a pod set requests of the topology. Levels are label keys.
struct TopologyRequest {
  std::optional<std::string> required = {}, preferred = {};
  std::optional<bool> unconstrained = {};
  std::vector<TopologySlice> slices = {};  // the widest level first
};

// Pods where an assignment places them: the name of a leaf, which may be gone, and a count.
struct NamedPlace {
  std::vector<std::string> leaf = {};
  int32_t count = 0;
  friend bool operator==(const NamedPlace&, const NamedPlace&) = default;
};
using NamedPlaces = std::vector<NamedPlace>;

struct TopologyPodSet {
  const TopologyRequest* request = nullptr;  // null: none
  const TaskShape* shape = nullptr;          // node selector, node affinity, tolerations are read
  PodRequest pod = {};                       // of one pod, without the pod itself
  int32_t count = 0;
  bool implied = false;                   // places are counted although none are requested
  std::string group = {};                 // pod sets of one name are placed together; empty: alone
  const NamedPlaces* previous = nullptr;  // those of the workload that this one replaces
  const NamedPlaces* existing = nullptr;  // those admitted; read with an unhealthy node
  uint32_t index = 0;                     // position among the workload's pod sets
};

struct TopologyQuestion {
  std::span<const TopologyPodSet> pod_sets = {};
  bool empty = false;               // as if no workload used anything
  std::string_view unhealthy = {};  // the node to replace; empty: none
  bool owned_by_single_pod = false;
  uint64_t workload = 0;  // equal for one workload within a cycle; 0: unknown
  bool explain = true;    // reasons have texts
};

struct TopologyPlacement {
  // In the order of leaves. A placement that keeps what was there has the order that was there.
  TopologyPlaces places = {};
  // True: the places are those of `existing`, unread. `places` is empty.
  bool kept = false;
  // Not empty: no places were found. Without `explain`: one word.
  std::string failure = {};
};

struct TopologyAnswer {
  // By pod set of the question. Absent: the search ended before it.
  std::vector<std::optional<TopologyPlacement>> pod_sets = {};
  // The first pod set without places, or kNone.
  uint32_t failed = kNone;
};

class LeafFilters;
class TopologyAssumed;
class TopologyCounts;

class TopologyFinder {
 public:
  // The books stay the caller's and must outlive the finder.
  TopologyFinder(TopologyBooks* books, const TopologyGates& gates);
  ~TopologyFinder();
  TopologyFinder(TopologyFinder&&) noexcept;
  TopologyFinder& operator=(TopologyFinder&&) noexcept;

  // Pod sets are placed in order; each sees what those before it got.
  TopologyAnswer Find(const TopologyQuestion& question);
  // The same beside what `assumed` has, where those of this question are added.
  TopologyAnswer Find(const TopologyQuestion& question, TopologyAssumed* assumed);

  // Returns whether the topology has all levels that the request names.
  bool HasLevels(const TopologyRequest& request) const;

  // Forgets which workloads were looked at: a new cycle (gate cache_node_matches).
  void StartCycle() { looked_at_.clear(); }

  const TopologyBooks& books() const { return *books_; }
  const TopologyTree& tree() const { return books_->tree(); }
  const TopologyGates& gates() const { return gates_; }

 private:
  friend class TopologySearch;  // one question
  bool LooksAtFirst(const TopologyQuestion& question, const TopologyPodSet& pod_set);

  TopologyBooks* books_;
  TopologyGates gates_;
  std::unique_ptr<LeafFilters> filters_;
  std::unique_ptr<TopologyCounts> counts_;
  std::vector<std::pair<uint64_t, uint32_t>> looked_at_;  // workload and pod set, this cycle
};

// Places for all pod sets of a workload in several flavors: in the order of the flavors' names, and
// hosts that several have are counted together (gate overlapping_flavors). A failure in one flavor
// does not end the search in others. The answers are in the order of the question.
std::vector<TopologyAnswer> FindTopologies(
    std::span<const std::pair<TopologyFinder*, TopologyQuestion>> flavors);

// --- assignments

NamedPlaces NamesOf(const TopologyTree& tree, const TopologyPlaces& places);
// Absent: a leaf is gone; `*gone` is then the first value of its name.
std::optional<TopologyPlaces> LeavesOf(const TopologyTree& tree, const NamedPlaces& places,
                                       std::string* gone = nullptr);
// Sorted by leaf; counts of one leaf are added up.
TopologyPlaces MergePlaces(const TopologyPlaces& a, const TopologyPlaces& b);
// The first `count` pods.
NamedPlaces TruncatePlaces(const NamedPlaces& places, int32_t count);
int64_t PodsIn(const NamedPlaces& places);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_H_
