// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A node with unevenly used resources gives up the one task that evens them out most.
//
//   std::optional<size_t> task = MostUneven(node, rules);
//
// Idea. The imbalance of a node is the standard deviation of the fractions that tasks request of
// its resources. Above a threshold, the task leaves that lowers it most, if by more than a least
// gain.
//
// Peer. Koordinator's FragmentationAware. Where it surprises:
// - Resources that the node does not have are left out of the fractions.
// - Tasks with the same id leave the sum together.
// - Of equal gains the first task in the given order is taken.
//
// Doubles as the peer's, resource by resource in the order of the rules. O(tasks^2 * resources).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_FRAGMENTATION_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_FRAGMENTATION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/share/resource_names.h"

namespace muster::koordinator {

struct FragmentedNode {
  struct Task {
    std::string id = {};
    NamedAmounts requests = {};  // in thousandths
    bool may_leave = true;       // evictable, and fits another node if that is checked
  };
  NamedAmounts allocatable = {};
  std::vector<Task> tasks = {};  // that have not ended
};

struct FragmentationRules {
  std::vector<std::string> resources = {"cpu", "memory"};
  double imbalance = 0.15;  // nodes up to it stay as they are
  double gain = 0.02;       // a task that gains up to it stays
};

// Returns the imbalance without the tasks of id `without`.
double Imbalance(const FragmentedNode& node, const std::vector<std::string>& resources,
                 const std::optional<std::string>& without);

// Returns the index of the task that should leave, if any.
std::optional<size_t> MostUneven(const FragmentedNode& node, const FragmentationRules& rules);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_FRAGMENTATION_H_
