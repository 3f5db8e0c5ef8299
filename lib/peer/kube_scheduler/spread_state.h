// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// PodTopologySpread of one incoming pod: the counts that its filter compares, and its scores.
//
//   SpreadState state(world, c);
//   state.Follow(changes);               // of the world, since it was taken
//   if (!state.skips()) answer = state.Refusal(node);
//   SpreadScores scores(world, c);
//   scores.Score(feasible);
//
// Only pods of the pod's namespace count, and none that are terminating when the cycle begins. A
// selector without conditions matches every pod and yet counts none of them in the beginning; pods
// that a dry run adds and removes do count.
//
// Cost. O(nodes + pods) to build, O(constraints) a change or question; the smallest count of a
// constraint is found again, O(domains), when one of its counts has changed.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_SPREAD_STATE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_SPREAD_STATE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

// The required, or the preferred, constraints of a class against pods and nodes.
class SpreadRules {
 public:
  SpreadRules(World& world, ClassIndex c, bool required, bool off = false);

  struct Constraint {
    const SpreadConstraint* spec;
    const Topology* domains;
    bool counts_all = false;        // the selector has no conditions
    std::vector<uint8_t> includes;  // by node: the constraint looks at it
    std::vector<int8_t> selects;    // by class: -1 unknown
  };
  bool empty() const { return constraints_.empty(); }
  size_t size() const { return constraints_.size(); }
  const Constraint& at(size_t i) const { return constraints_[i]; }
  bool HasAllKeys(NodeIndex n) const { return has_all_keys_[n]; }
  bool Includes(size_t i, NodeIndex n) const { return constraints_[i].includes[n]; }
  // Returns whether the selector matches pods of the class, in the pod's namespace.
  bool Selects(size_t i, ClassIndex other);
  // Pods on the node that count.
  int64_t CountOn(size_t i, NodeIndex n);

 private:
  World& world_;
  const TaskShape& shape_;
  std::vector<Constraint> constraints_;
  std::vector<uint8_t> has_all_keys_;  // by node
};

class SpreadState {
 public:
  enum class Answer : uint8_t { kFits, kLacksLabel, kSkewed };

  // `world` must outlive this. `off`: it refuses no node.
  SpreadState(World& world, ClassIndex c, bool off = false);

  bool skips() const { return rules_.empty(); }
  Answer Refusal(NodeIndex n) const;
  // The limits of all constraints as they are now, to ask many nodes; valid until a count changes.
  class Limits {
   public:
    // Returns whether Refusal is kFits.
    bool Fits(NodeIndex n) const {
      for (const Limit& limit : limits_) {
        const LabelDomainIndex domain = limit.domains[n.value()];
        if (domain == kNone || limit.pods[domain.value()] > limit.most) return false;
      }
      return true;
    }

   private:
    friend class SpreadState;
    struct Limit {
      const LabelDomainIndex* domains;  // by node
      const int64_t* pods;              // by domain
      int64_t most;
    };
    absl::InlinedVector<Limit, 2> limits_;
  };
  Limits LimitsNow() const;
  void Count(ClassIndex other, NodeIndex n, int sign);
  void Follow(std::span<const WorldChange> changes);

 private:
  struct Counts {
    std::vector<int64_t> pods;    // by domain
    std::vector<uint8_t> exists;  // by domain
    int64_t domains = 0;
    bool self = false;
    // How many pods a domain may have for one more; absent: to be found again.
    mutable std::optional<int64_t> most;
  };
  int64_t Least(size_t i) const;
  int64_t MostOf(size_t i) const;

  SpreadRules rules_;
  std::vector<Counts> counts_;
};

class SpreadScores {
 public:
  // `world` must outlive this.
  SpreadScores(World& world, ClassIndex c);
  bool skips() const { return rules_.empty(); }
  void Follow(std::span<const WorldChange> changes);
  // Scores the feasible nodes; what follows is valid until the next call.
  void Score(std::span<const NodeIndex> feasible);
  // Raw scores of the feasible nodes, in their order; those of ignored nodes are 0.
  const std::vector<int64_t>& raw() const { return raw_; }
  // The same, scaled to 0..100, the smallest being 100; those of ignored nodes are 0.
  std::vector<int64_t> Scaled() const;

 private:
  // Returns the number of domains that feasible nodes are in, nodes without the key being one.
  size_t CountDomains(size_t i, std::span<const NodeIndex> feasible);
  bool Counts(size_t i, NodeIndex n) const;

  SpreadRules rules_;
  bool needs_keys_ = false;
  std::vector<uint8_t> by_host_;            // by constraint: pods count by node
  std::vector<std::vector<int64_t>> pods_;  // by constraint, and by node or domain
  std::vector<uint32_t> seen_;              // by domain: the last round that found it
  uint32_t round_ = 0;
  std::vector<double> sums_;
  std::vector<int64_t> raw_;
  std::vector<uint8_t> ignored_;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_SPREAD_STATE_H_
