// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Topology of KAI Scheduler: the sets of nodes in which a sub-group may be placed, best first.
//
//   KaiTopology tree("dc", {"zone", "rack"});
//   tree.AddNode(node, {"z1", "r7"});                 // in ascending order of names
//   KaiSubset subset = tree.Subset(query, nodes);     // subset.sets, subset.scores
//
// Idea. Levels are node labels from coarse to fine; a domain is the nodes of equal values. For a
// sub-group with a constraint:
//   1. The lowest domain common to the candidate nodes is found, not below the preferred level.
//   2. Below it, each domain learns how many tasks fit (tasks of one kind: by the largest of
//      them) or what is free (mixed tasks: by the ratio of the sums).
//   3. Children are sorted by requested / free, tightest first, then by id.
//   4. Domains from the preferred level up to the required one (or the root) that have room become
//      sets, finest level first, in tree order.
//   5. Where tasks run already and a level is required, only domains that hold some of them count.
// Within a set, nodes score by the place of their domain of the preferred level among its peers.
//
// Peer. Scores grow along the order, so the *last* domain, the freest, scores 10: a gang that
// spills over goes there first. Domains outside the common one keep no numbers of this call: they
// fit only a task that requests nothing but a pod's place. Children keep the order of the last call
// that sorted them. A GPU part of a device may use what shared devices have left, in the count of
// step 2 alone.
//
// Cost. O(domains * resources + nodes * resources) a call.
#ifndef MUSTER_PEER_KAI_TOPOLOGY_TREE_H_
#define MUSTER_PEER_KAI_TOPOLOGY_TREE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/base/names.h"

namespace muster {

struct KaiDomain {
  static constexpr int64_t kNotCounted = -1;
  std::string id;
  uint32_t level = 0;  // 0: the root; from 1: of the tree's levels
  uint32_t parent = 0;
  std::vector<uint32_t> children = {};
  std::vector<uint32_t> nodes = {};        // in the order in which they were added
  int64_t allocatable_pods = kNotCounted;  // of the last question
  std::vector<double> free = {};           // of the last question
};

// What a node has left. Vectors have the places of node_fit.h.
struct KaiNodeLeft {
  std::span<const double> idle, releasing;
  double shared_fractions = 0;  // of devices that several tasks share
};
using KaiNodesLeft = absl::FunctionRef<KaiNodeLeft(uint32_t node)>;

struct KaiTopologyTask {
  std::span<const double> request;
  bool has_gpus = false;  // whole devices or parts by portion; not by memory, claims or MIG
};

struct KaiConstraint {
  std::string topology, required, preferred;  // levels may be empty
};

struct KaiTopologyQuery {
  std::span<const KaiTopologyTask> tasks = {};
  const KaiConstraint* constraint = nullptr;
  std::span<const uint32_t> nodes = {};   // candidates
  std::span<const uint32_t> active = {};  // nodes of the sub-group's active tasks
  // For messages.
  std::string_view name_space = {}, job = {}, sub_group = {};
  // Places of resources that devices' claims stand for; nodes do not count these.
  std::span<const uint8_t> is_claimed = {};
  std::span<const std::string> resources = {};  // names by place, for messages
};

struct KaiFitError {
  std::string reason, message;
};

struct KaiSubset {
  std::vector<std::vector<uint32_t>> sets;
  // Of nodes below the common domain, if a level is preferred.
  std::vector<std::pair<uint32_t, double>> scores;
  bool has_scores = false;
  std::vector<KaiFitError> errors;  // why no set was found
  std::string failure;              // not empty: the question has no answer
};

class KaiTopology {
 public:
  KaiTopology(std::string name, std::vector<std::string> levels);

  // Adds a node with its value of each level, coarse to fine. A node without one of the labels
  // takes no part: do not add it. Add nodes in ascending order of names.
  void AddNode(uint32_t node, std::span<const std::string_view> values);
  // Adds a domain as it is, and values of a node without its domains; for trees that do not come
  // from labels.
  uint32_t AddDomain(std::string id, uint32_t level, uint32_t parent, std::vector<uint32_t> nodes);
  void SetValues(uint32_t node, std::span<const std::string_view> values);

  KaiSubset Subset(const KaiTopologyQuery& query, KaiNodesLeft left);

  const std::string& name() const { return name_; }
  std::span<const std::string> levels() const { return levels_; }
  std::span<const KaiDomain> domains() const { return domains_; }
  KaiDomain& domain(uint32_t domain) { return domains_[domain]; }
  // The level of this name: 0 for "root"; kNone for one that the tree does not have.
  uint32_t LevelOf(std::string_view name) const;
  static constexpr uint32_t kNone = ~uint32_t{0};

  // The steps of Subset, for themselves.
  struct Common {
    std::string id = "root";
    uint32_t level = 0;
    std::vector<uint32_t> valid = {};  // nodes that take part
  };
  // The lowest domain with label values that all of `nodes` share, not below the preferred level.
  Common CommonDomain(std::span<const uint32_t> nodes, std::string_view preferred) const;
  uint32_t Find(uint32_t level, std::string_view id) const;  // kNone: there is none
  // Sum what is free below a domain, and how many of the tasks fit, counted in the largest of them.
  void CountFree(uint32_t domain, KaiNodesLeft left);
  int64_t CountPods(uint32_t domain, std::span<const KaiTopologyTask> tasks, KaiNodesLeft left,
                    std::span<const uint8_t> is_claimed = {});
  // Sorts the children down to those of level `deepest`; kNone: all.
  void Sort(uint32_t domain, uint32_t deepest, std::span<const double> requested,
            std::span<const uint8_t> is_claimed = {});
  std::vector<std::pair<uint32_t, double>> Scores(uint32_t domain, uint32_t preferred) const;

 private:
  struct Demand;
  bool Fits(const Demand& demand, uint32_t domain, KaiFitError* error) const;
  std::string RelevantLevels(const KaiTopologyQuery& query, std::vector<uint32_t>* levels) const;
  std::vector<uint8_t> WithActive(const KaiTopologyQuery& query) const;
  std::vector<uint32_t> Allocatable(const Demand& demand, std::span<const uint32_t> levels,
                                    KaiSubset* subset) const;
  std::vector<uint32_t> BottomUp() const;
  std::string NoMatch(const KaiTopologyQuery& query, std::string_view suffix) const;

  std::string name_;
  std::vector<std::string> levels_;
  std::vector<KaiDomain> domains_;
  std::vector<std::vector<uint32_t>> at_level_;  // domains of each level, ascending ids
  NameTable values_;
  std::vector<std::vector<uint32_t>> node_values_;  // of each node; empty: it takes no part
};

// The same among several topologies: the candidates as they are, if the sub-group has no constraint
// or no tasks; an error, if its topology is not there.
KaiSubset SubsetOfKaiNodes(std::span<KaiTopology> topologies, const KaiTopologyQuery& query,
                           KaiNodesLeft left);

// Requested / free of the resource where that is largest; 1000 where nothing is free.
double KaiDominantRatio(std::span<const double> requested, std::span<const double> free,
                        std::span<const uint8_t> is_claimed = {});

}  // namespace muster

#endif  // MUSTER_PEER_KAI_TOPOLOGY_TREE_H_
