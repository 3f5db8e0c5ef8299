// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// LowNodeLoad: tasks leave nodes above a threshold while nodes below another have room.
//
//   LowNodeLoad balancer(rules);
//   for (const TaskMove& move : balancer.Balance(nodes, fits, now)) ...   // once a round
//
// Idea. A pool's nodes over their high thresholds for long enough give up tasks, the busiest node
// first, each in the order of eviction_order.h. A node stops when it is no longer over, or when
// what the nodes under their low thresholds can take is used up. Nodes that are over of production
// alone follow, with production tasks and the room that is left of both.
//
// Peer. Koordinator's LowNodeLoad. Where it surprises:
// - A check whether a task fits a target adds its usage to the target for good, whether or not the
//   task leaves later. Later checks then see a busier target.
// - That check counts production's usage and not all of it where production leaves.
// - A task without a measurement leaves, if nothing checks targets, and changes no sum.
// - Nodes over of production may be taken by several pools; only nodes over of all tasks count as
//   handled.
// - A pool without a selector takes handled nodes, too.
// - Nothing moves if all nodes of a pool are under, or if at most a given number is.
//
// Ties. Nodes of equal score and equal tasks lie as Go's sort leaves them; the peer gathers nodes
// in the order of a map, and this function in the order given.
//
// Cost. O(tasks of over nodes * (log + targets) * resources).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_LOW_NODE_LOAD_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_LOW_NODE_LOAD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/peer/koordinator/rebalance/anomaly.h"
#include "lib/peer/koordinator/rebalance/eviction_limits.h"
#include "lib/peer/koordinator/rebalance/load_view.h"

namespace muster::koordinator {

struct LoadPool {
  std::optional<Selector> selector = {};  // absent: all nodes
  LoadThresholds thresholds = {};
  NamedAmounts weights = {};
  std::optional<AnomalyRules> anomaly = {};  // absent, or of one round: act at once
};

struct LowNodeLoadRules {
  std::vector<LoadPool> pools = {};
  bool is_paused = false;
  bool checks_targets = true;  // only tasks that fit a node under its thresholds leave
  int64_t idle_nodes = 0;      // act only if more nodes than this are under
  EvictionLimits limits = {};  // of a round
  // How long a node is remembered after a round over its thresholds, in nanoseconds.
  int64_t remembered = 300'000'000'000;
};

// A task that leaves its node.
struct TaskMove {
  std::string node, task;
  bool is_of_production = false;  // because of production's thresholds
};

// Returns whether a task could run on a node, apart from loads (node_room.h).
using FitsTarget = absl::FunctionRef<bool(const LoadedTask&, const LoadedNode&)>;

class LowNodeLoad {
 public:
  explicit LowNodeLoad(const LowNodeLoadRules& rules)
      : rules_(rules), all_(rules.remembered), production_(rules.remembered) {}

  // Nodes that a pool's rules cannot see must be marked as not measured. `now` is in nanoseconds
  // and does not decrease from round to round.
  std::vector<TaskMove> Balance(std::span<const LoadedNode> nodes, FitsTarget fits, int64_t now);

  // What is remembered from round to round, by load of all tasks or of production.
  AnomalyBook& book(LoadSide side) { return side == LoadSide::kAll ? all_ : production_; }

 private:
  friend class PoolRound;

  const LowNodeLoadRules rules_;
  AnomalyBook all_, production_;  // by node, for all pools
};

// Returns the nodes of a pool by index; handled ones are left out if the pool has a selector.
std::vector<size_t> PoolNodes(const std::optional<Selector>& selector,
                              std::span<const LoadedNode> nodes,
                              const std::vector<bool>& is_handled);

// Returns those of `nodes` that were over for long enough, and marks them; without rules, or with
// one round as the condition, all of them.
std::vector<std::string> LongAbnormal(const std::vector<std::string>& nodes,
                                      const std::optional<AnomalyRules>& rules, int64_t now,
                                      AnomalyBook* book);

// Returns whether the level stays within its high thresholds with the usage.
bool StaysWithin(const std::vector<int64_t>& usage, const LoadLevel& level);

// Adds the usage to the first target that stays within its high thresholds, and returns whether
// there is one. `levels` are the targets' in order; amounts are by the levels' resources.
bool TakeTarget(const std::vector<int64_t>& usage, const std::vector<LoadLevel*>& levels);

// Returns the order of the tasks of a node that is over, by index into `tasks`.
std::vector<size_t> OrderOnNode(const std::vector<const LoadedTask*>& tasks,
                                const NamedAmounts& excess, const NamedAmounts& weights);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_LOW_NODE_LOAD_H_
