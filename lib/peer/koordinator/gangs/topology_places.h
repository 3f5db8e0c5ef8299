// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places for a gang in a topology: the lowest domain that holds all of it, filled child by child.
//
//   PlaceTree tree = ...;                               // nodes[0] is the root
//   SumUp(leaves, &tree);                               // slots, tasks and scores of each leaf
//   std::optional<std::vector<std::string>> nodes = PlaceGang(rules, &tree);
//
// Idea. Every node offers slots for tasks of the gang, and every domain the sum below it. Of the
// lowest domains with slots enough, the one is taken that holds most tasks of the gang already,
// then the one with the fewest slots, then the best score, then the first name. From there on each
// domain's children are filled in the same order, but those with the most slots first.
//
// A layer may demand multiples: a domain of it then takes a multiple of that number of tasks.
//
// Peer. Koordinator's solver for network topologies. Where it surprises:
// - Tasks and slots are compared layer by layer upwards, and only the last difference is by score.
// - Multiples round each child down before they are summed, and again when slots are given out, so
//   that a domain with slots enough may still fail.
// - Slots given to an earlier child are not given again if a later one cannot take the rest.
// - Tasks go to the nodes by name, whatever order they were tried in.
//
// Ties. None: names of siblings differ.
//
// Cost. O(domains * (depth + log)).
#ifndef MUSTER_PEER_KOORDINATOR_GANGS_TOPOLOGY_PLACES_H_
#define MUSTER_PEER_KOORDINATOR_GANGS_TOPOLOGY_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::koordinator {

inline constexpr size_t kNoPlace = static_cast<size_t>(-1);

struct PlaceDomain {
  std::string layer = {}, name = {};
  bool is_node = false;  // of the lowest layer
  int64_t slots = 0, existing = 0, score = 0;
  size_t parent = kNoPlace;
  std::vector<size_t> children = {};
};

using PlaceTree = std::vector<PlaceDomain>;
using Multiples = std::map<std::string, int64_t>;  // by layer, above 1

struct PlaceLeaf {
  std::string node;
  int64_t slots = 0, existing = 0, score = 0;
};

// Adds what leaves have to their nodes and all domains above.
void SumUp(const std::vector<PlaceLeaf>& leaves, PlaceTree* tree);

// Rounds the slots of all domains down, from the nodes up. Nothing changes without multiples.
void RoundSlots(const Multiples& multiples, PlaceTree* tree);

// Returns whether domain a is taken before domain b.
bool IsBefore(const PlaceTree& tree, size_t a, size_t b, bool fewer_slots_first);

// Returns the domains of the layer, or the root if it is empty.
std::vector<size_t> DomainsOf(const PlaceTree& tree, const std::string& layer);
// Returns the lowest domains at or below `from` that have the slots.
std::vector<size_t> LowestWithSlots(const PlaceTree& tree, const std::vector<size_t>& from,
                                    int64_t slots);

struct Distribution {
  std::vector<std::pair<std::string, int64_t>> nodes = {};  // in the order of filling
  int64_t slots = 0;
};
Distribution Distribute(const PlaceTree& tree, size_t domain, int64_t slots,
                        const Multiples& multiples);

struct GatherRules {
  std::string layer = {};  // which all tasks must share; empty: none
  int64_t slots = 0;       // as many as tasks
  Multiples multiples = {};
};
// Returns the node of each task, tasks by name; nothing if no domain holds the gang. Rounds the
// tree's slots.
std::optional<std::vector<std::string>> PlaceGang(const GatherRules& rules, PlaceTree* tree);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_GANGS_TOPOLOGY_PLACES_H_
