// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// PodTopologySpread of one incoming pod: the counts that its filter compares, and its scores.
//
//   SpreadState state(world, c);
//   if (!state.skips()) answer = state.Refusal(node);
//   SpreadScores scores(world, c, feasible);
//
// Only pods of the pod's namespace count, and none that are terminating when the cycle begins. A
// selector without conditions matches every pod and yet counts none of them in the beginning; pods
// that a dry run adds and removes do count.
//
// Cost. O(nodes + pods) to build, O(domains) a question.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_SPREAD_STATE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_SPREAD_STATE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

// The required, or the preferred, constraints of a class against pods and nodes.
class SpreadRules {
 public:
  SpreadRules(World& world, ClassIndex c, bool required);

  struct Constraint {
    const SpreadConstraint* spec;
    const Topology* domains;
    bool counts_all = false;      // the selector has no conditions
    std::vector<int8_t> selects;  // by class: -1 unknown
  };
  bool empty() const { return constraints_.empty(); }
  size_t size() const { return constraints_.size(); }
  const Constraint& at(size_t i) const { return constraints_[i]; }
  bool HasAllKeys(NodeIndex n) const;
  // Returns whether the constraint looks at the node.
  bool Includes(size_t i, NodeIndex n) const;
  // Returns whether the selector matches pods of the class, in the pod's namespace.
  bool Selects(size_t i, ClassIndex other);
  // Pods on the node that count.
  int64_t CountOn(size_t i, NodeIndex n);

 private:
  World& world_;
  const TaskShape& shape_;
  std::vector<Constraint> constraints_;
};

class SpreadState {
 public:
  enum class Answer : uint8_t { kFits, kLacksLabel, kSkewed };

  SpreadState(World& world, ClassIndex c);

  bool skips() const { return rules_.empty(); }
  Answer Refusal(NodeIndex n) const;
  void Count(ClassIndex other, NodeIndex n, int sign);

 private:
  struct Counts {
    std::vector<int64_t> pods;    // by domain
    std::vector<uint8_t> exists;  // by domain
    int64_t domains = 0;
    bool self = false;
  };
  int64_t Least(size_t i) const;

  SpreadRules rules_;
  std::vector<Counts> counts_;
};

class SpreadScores {
 public:
  SpreadScores(World& world, ClassIndex c, std::span<const NodeIndex> feasible);
  bool skips() const { return rules_.empty(); }
  // Raw scores of the feasible nodes, in their order; those of ignored nodes are 0.
  const std::vector<int64_t>& raw() const { return raw_; }
  bool ignored(size_t i) const { return ignored_[i]; }

 private:
  SpreadRules rules_;
  std::vector<int64_t> raw_;
  std::vector<uint8_t> ignored_;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_SPREAD_STATE_H_
