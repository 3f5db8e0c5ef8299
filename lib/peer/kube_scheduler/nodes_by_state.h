// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Of the nodes with equal amounts, the one that wins a tie in a search over all nodes that finds
// every node feasible. So a class with a score for each state finds its node without a look at the
// nodes.
//
//   NodesByState nodes(&world);
//   nodes.Follow(start);                                  // the world changed, or the start
//   for (const uint32_t state : nodes.states()) Compare(ScoreOf(nodes.First(state)),
//                                                       nodes.VisitOf(state));
//
// The winner of a tie is the node that is visited first in the heap of ClassBoard. If all nodes are
// feasible, the visit of a node follows from its place in the order alone.
//
// Cost. Follow: O(log nodes) for each change of a node, or O(nodes) if the start or the order
// changed. VisitOf: O(1) but for nodes that have left the state, which are dropped once each.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_NODES_BY_STATE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_NODES_BY_STATE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/types.h"

namespace muster::kube {

class World;

class NodesByState {
 public:
  // `world` must outlive this.
  explicit NodesByState(World* world) : world_(*world) {}

  // Follows the world; searches begin at place `start` of its order.
  void Follow(size_t start);
  // The states that a node of the order has.
  const std::vector<uint32_t>& states() const { return live_; }
  // Returns when the first of the nodes is visited. REQUIRES: a node has the state.
  uint32_t VisitOf(uint32_t state);
  // Returns the node that is visited then. REQUIRES: a node has the state.
  NodeIndex First(uint32_t state);

 private:
  // The visits of the nodes of a state, the earliest first, as a heap; those of nodes that left are
  // dropped when they come first.
  struct Nodes {
    std::vector<uint32_t> visits;
    size_t count = 0;  // of nodes that have not left
    size_t place = 0;  // in live_, if there are some
  };
  void Rebuild(size_t start);
  void Enter(uint32_t place, uint32_t state);
  void Leave(uint32_t state);

  World& world_;
  bool built_ = false;
  size_t start_ = 0;
  uint64_t foundation_ = 0;   // of the world, when this was built
  size_t position_ = 0;       // in the world's journal
  std::vector<Nodes> nodes_;  // by state
  std::vector<uint32_t> live_;
  std::vector<uint32_t> state_of_;  // by place in the order
  std::vector<uint32_t> visit_of_;  // by place
  std::vector<uint32_t> visited_;   // places, by visit
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_NODES_BY_STATE_H_
