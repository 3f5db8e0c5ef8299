// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From nodes that are dear to nodes that are cheap: levels of nodes give up tasks to later levels.
//
//   std::vector<std::vector<size_t>> levels = NodesOfLevels(selectors, nodes);
//   std::vector<DrainMove> moves = DrainLevels(levels, nodes, rules);
//
// Idea. Selectors name levels in the order in which their nodes should become empty. Tasks of a
// level's node leave if nodes of later levels can hold them, small tasks first: each task for
// itself, or only if all of the node's tasks find places that none of the others takes.
//
// Peer. Koordinator's CustomPriority. Where it surprises:
// - A node belongs to the first level that selects it.
// - Each for itself, tasks may all count on the same room. After five tasks in a row that fit
//   nowhere the rest of the node's tasks is not tried.
// - Of whole nodes, room is taken of CPU, memory and places of tasks as requests by containers; a
//   request of a place is not taken off. Room taken for a node stays taken for the next one.
// - Size is that of CPU, then of memory, then namespace and name.
//
// Cost. O(tasks * targets * resources).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_LEVEL_DRAIN_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_LEVEL_DRAIN_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "lib/share/resource_names.h"
#include "muster/shape.h"

namespace muster::koordinator {

struct DrainNode {
  struct Task {
    std::string name_space = {}, name = {};
    NamedAmounts requests = {};  // of its containers, in thousandths
    bool may_leave = true;
  };
  std::string name = {};
  Labels labels = {};
  NamedAmounts left = {};  // what tasks have not requested: cpu, memory, pods
  std::vector<Task> tasks = {};
};

struct DrainLevel {
  std::string name;
  std::optional<Selector> selector = {};  // absent: no node
};

// Fails with InvalidArgument unless there are two levels or more, with different names and with
// selectors.
absl::Status CheckLevels(std::span<const DrainLevel> levels);

// Returns the nodes of each level by index, in the given order.
std::vector<std::vector<size_t>> NodesOfLevels(std::span<const DrainLevel> levels,
                                               std::span<const DrainNode> nodes);

struct DrainRules {
  bool whole_nodes = false;
  bool checks_targets = false;  // by `fits`
};

struct DrainMove {
  size_t node, task;  // indices
};

using FitsDrainTarget = absl::FunctionRef<bool(const DrainNode::Task&, const DrainNode&)>;

std::vector<DrainMove> DrainLevels(const std::vector<std::vector<size_t>>& levels,
                                   std::span<const DrainNode> nodes, const DrainRules& rules,
                                   FitsDrainTarget fits);

// Returns the node's tasks that may leave, by index, small ones first.
std::vector<size_t> SmallFirst(const DrainNode& node);

// Returns those of `tasks` that some target can hold, each for itself.
std::vector<size_t> TasksThatFit(const DrainNode& node, const std::vector<size_t>& tasks,
                                 std::span<const DrainNode> nodes,
                                 const std::vector<size_t>& targets, FitsDrainTarget fits);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_LEVEL_DRAIN_H_
