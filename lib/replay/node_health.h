// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which nodes of a replay are up, and which take tasks, as events come in.
//
//   NodeHealth health(trace.machine.nodes);
//   health.Take(row, NodeEvent::Kind::kFail, /*by_chance=*/true);
//   world->SetUp(node, health.up(row), health.takes_tasks(row));
//
// Nodes are rows of the trace's machine. Events of a node that has not joined yet count, too: it
// joins in that state. The list and chance take a node down separately, and so do events of the
// node and of its domain. The node is up when all of that has ended. A return that ends no failure
// of its own kind ends a drain, if it is of the list; chance drains no node.
#ifndef MUSTER_REPLAY_NODE_HEALTH_H_
#define MUSTER_REPLAY_NODE_HEALTH_H_

#include <cstdint>
#include <vector>

#include "muster/trace.h"

namespace muster {

class NodeHealth {
 public:
  explicit NodeHealth(const std::vector<NodeSpec>& nodes) : states_(nodes.size()) {
    for (size_t row = 0; row < nodes.size(); ++row) {
      states_[row].by_list = nodes[row].ready ? 0 : 1;
      states_[row].drained = nodes[row].unschedulable;
    }
  }

  void Take(uint32_t row, NodeEvent::Kind kind, bool by_chance) {
    State& state = states_[row];
    uint32_t& failures = by_chance ? state.by_chance : state.by_list;
    switch (kind) {
      case NodeEvent::Kind::kJoin:
        state.is_there = true;
        break;
      case NodeEvent::Kind::kFail:
        ++failures;
        break;
      case NodeEvent::Kind::kDrain:
        state.drained = true;
        break;
      case NodeEvent::Kind::kReturn:
        if (failures > 0) {
          --failures;
        } else {
          state.drained = false;
        }
        break;
    }
    Count(&state);
  }

  bool up(uint32_t row) const { return states_[row].by_list + states_[row].by_chance == 0; }
  bool takes_tasks(uint32_t row) const { return up(row) && !states_[row].drained; }

  // Returns the number of nodes present that chance keeps down.
  int64_t held_by_chance() const { return held_by_chance_; }

 private:
  struct State {
    uint32_t by_list = 0, by_chance = 0;  // failures that last: of the node, and of its domain
    bool drained = false;
    bool is_there = false;
    bool is_held = false;  // is one of held_by_chance_
  };

  void Count(State* state) {
    const bool held = state->is_there && state->by_chance > 0;
    held_by_chance_ += held - state->is_held;
    state->is_held = held;
  }

  std::vector<State> states_;
  int64_t held_by_chance_ = 0;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_NODE_HEALTH_H_
