// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where a task that leaves its node goes, and what the nodes' loads are once it has gone.
//
//   MoveTargets targets(context, rules, world);
//   const NodeIndex node = targets.Choose({.task = t, .from = n});     // kNone: nowhere
//   targets.Moved(t, n, node);
//
// Idea. A node receives a task if it is ready and takes tasks, has room for the request, agrees by
// labels, taints, host ports, affinity and spread, and stays within the high thresholds of every
// pool that it is in, production's included for a production task. Policies of the profile are
// asked about the node, too. Of these nodes the one with the most free load is taken, cpu and
// memory weighted alike; a node that is not measured counts as full.
//
// Deviation. The peer makes a reservation and lets its scheduler place it; a node over its
// thresholds may then receive the task. Here it never does.
//
// Ties. The first node in the order of rows.
// Cost. O(nodes * resources) to construct; O(log nodes) to move a task's load; a task that goes
// looks at nodes in the order of their free load, up to the first that receives it.
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_TARGETS_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_TARGETS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/kube/inter_task.h"
#include "lib/part/context.h"
#include "lib/peer/koordinator/rebalance/load_view.h"
#include "lib/peer/koordinator/rebalance/node_room.h"
#include "lib/peer/koordinator/rebalance/rebalance_options.h"
#include "lib/peer/koordinator/rebalance/rebalance_world.h"

namespace muster::koordinator {

class MoveTargets {
 public:
  MoveTargets(ActionContext& context, const RebalanceRules& rules, const RebalanceWorld& world);

  // Returns whether the node has room, labels and taints for tasks of the class, by the peer's node
  // fit; loads and other tasks are not looked at. `node` is by the world's order.
  bool FitsRoom(ClassIndex c, size_t node);
  // Returns whether labels and taints of the node suit the class.
  bool Suits(ClassIndex c, size_t node) const;

  // Returns the node that the task goes to; nodes that `allows` rejects are left out. The task must
  // be leaving in the books.
  NodeIndex Choose(TaskIndex task, NodeIndex from, absl::FunctionRef<bool(size_t)> allows);
  // Notes that the task's load goes from one node to another, or ends.
  void Moved(TaskIndex task, NodeIndex from, NodeIndex to);
  // Returns which nodes are over a high threshold of a pool, production's included.
  std::vector<bool> OverNodes() const;
  // Returns whether a task on the node is near one that its own required anti-affinity selects. The
  // task must be leaving in the books.
  bool BreaksAntiAffinity(TaskIndex task, NodeIndex node);

 private:
  // A pool's view, and where each node of the world is in it.
  struct PoolView {
    LoadView view;
    std::vector<std::optional<size_t>> at;  // by node of the world
  };
  // What a task adds to the load of a node: by pool and resource.
  struct AddedLoad {
    std::vector<std::vector<int64_t>> by_pool;
    bool is_of_production = false;
    int64_t cpu = 0, memory = 0;
  };
  AddedLoad LoadOf(TaskIndex task) const;
  bool StaysBelow(const AddedLoad& added, size_t node);
  bool Agrees(ClassIndex c, NodeIndex node);
  // Returns whether the request fits what is idle now and not promised.
  bool HasIdle(ClassIndex c, NodeIndex node) const;
  int64_t FreeLoad(size_t node) const;
  void AddLoad(TaskIndex task, NodeIndex row, int sign);

  ActionContext& context_;
  const RebalanceWorld& world_;
  InterTask inter_task_;
  std::vector<PoolView> pools_;
  std::vector<NodeRoom> rooms_;  // by node of the world
  // By node: cpu in thousandths of cores, memory in bytes.
  std::vector<std::array<int64_t, 2>> load_, capacity_;
  // Nodes that take tasks, by FreeLoad, negated: those with the most of it come first.
  std::set<std::pair<int64_t, size_t>> by_free_;
  // By class, as far as they were asked about: its task, and whether each node has room.
  struct ClassRoom {
    MovableTask task;
    std::vector<int8_t> fits;  // -1: not asked
  };
  std::vector<std::optional<ClassRoom>> classes_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_TARGETS_H_
