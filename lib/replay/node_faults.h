// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Events of nodes and their times: a list, and chance.
//
//   NodeFaults faults(trace, options);
//   while (faults.next_time() <= now) Follow(faults.Pop());
//
// Each node and each domain has a random stream of its own, so one more node does not shift the
// others' failures.
#ifndef MUSTER_REPLAY_NODE_FAULTS_H_
#define MUSTER_REPLAY_NODE_FAULTS_H_

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "lib/base/rng.h"
#include "muster/replay.h"

namespace muster {

struct NodeFault {
  NodeEvent event;
  bool by_chance;
};

class NodeFaults {
 public:
  NodeFaults(const Trace& trace, const ReplayOptions& options);

  int64_t next_time() const;  // INT64_MAX: nothing more
  // Of those at one time: the list in its order, then chance by node and domain.
  NodeFault Pop();
  bool list_is_over() const { return at_ == list_.size(); }
  // Returns the nodes that join later: their first event of the list is a join.
  std::vector<std::string> Absent() const;

 private:
  struct Unit {  // a node or domain that fails by chance
    std::string name;
    Rng rng;
    double between, repair;
    bool up = true;
  };
  struct Next {
    int64_t time;
    uint32_t unit;
    bool operator>(const Next& other) const {
      return time != other.time ? time > other.time : unit > other.unit;
    }
  };
  void Schedule(uint32_t unit, int64_t now);

  std::vector<NodeEvent> list_;  // by time
  size_t at_ = 0;
  std::vector<Unit> units_;
  std::priority_queue<Next, std::vector<Next>, std::greater<Next>> chance_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_NODE_FAULTS_H_
