// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption within a group of an elastic quota tree: the victims, node by node, for a task of the
// same group.
//
//   ElasticPreemption preemption({.default_is_safe = true});
//   if (preemption.RightOf(task, nominated) == ElasticPreemption::Right::kMay) {
//     auto result = preemption.DryRun(task, *tree.RoomOf(task.group), node);
//   }
//
// Idea. Preemption stays within a group; a group that lent too much revokes instead
// (elastic_revoke.h). Only less important tasks of the task's own group go, where the node or the
// group has no room.
//
// Victims of a node. All candidates leave. If the task then fits the node, they come back one by
// one. Those that break a disruption budget come before all others, then the most important first.
// One stays as long as the task still fits and its group's use with it stays within the runtime.
//
// Choice of a node. Fewest broken budgets, least important first victim, smallest sum of
// priorities, fewest victims, latest start of the most important victims, first node.
//
// Peer. Koordinator's, with its oddities:
// 1. It checks only the node before candidates come back. Where the group is above its runtime even
//    without them, all of them go and the task is no better off. Options::asks_group_first mends
//    this.
// 2. A victim that fits neither the node nor the runtime is removed twice, which gives the node up
//    (kRemovedTwice).
// 3. A broken budget is counted only where the node was too small. Options::counts_all mends this.
// 4. Victims keep the order in which they were tried.
//
// Cost. O(tasks of the node * resources) and a sort for each node.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_PREEMPTION_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_PREEMPTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/share/sparse.h"

namespace muster {

struct ElasticTask {
  std::string name = {}, group = {};
  Sparse request = {};
  int32_t priority = 0;
  int64_t started = 0;
  bool preemptible = true;
  bool preempts = true;
  bool is_leaving = false;
  bool is_counted = true;              // the group's use includes it
  std::vector<uint32_t> budgets = {};  // disruption budgets that cover it
};

struct ElasticNode {
  Sparse capacity = {};
  int64_t most_tasks = 110;
  std::vector<ElasticTask> tasks = {};
};

// A node of a dry run, as the caller judges it.
class ElasticDryRunNode {
 public:
  virtual ~ElasticDryRunNode() = default;
  // Task number `i` of the node leaves, or comes back.
  virtual void Leave(size_t i) = 0;
  virtual void Return(size_t i) = 0;
  // Returns whether the node takes the preempting task now.
  virtual bool Fits() = 0;
  // Returns which of some tasks of the node, evicted one after another, break a disruption budget.
  virtual std::vector<bool> BreakBudgets(std::span<const size_t> tasks) const = 0;
};

class ElasticPreemption {
 public:
  struct Options {
    bool default_is_safe = true;    // tasks of no group are never victims
    bool asks_group_first = false;  // no victims where the group has no room even without them
    bool counts_all = false;        // every victim that breaks a budget is counted
  };
  explicit ElasticPreemption(const Options& options) : options_(options) {}

  // Sets the disruptions that each budget has left.
  void SetBudgets(std::vector<int64_t> disruptions) { budgets_ = std::move(disruptions); }

  bool MayTakeFrom(const ElasticTask& task, const ElasticTask& victim) const;

  enum class Fit : uint8_t { kFits, kNoRoom, kTooLarge };
  static Fit FitOn(const ElasticTask& task, const ElasticNode& node);

  // Whether the task may preempt (again):
  // - kNever: the task's own policy forbids it.
  // - kVictimsLeaving: a victim of it is still leaving the node that it is nominated to (absent:
  //   none, or one that is gone), unless that node can never take it.
  enum class Right : uint8_t { kMay, kNever, kVictimsLeaving };
  Right RightOf(const ElasticTask& task, const ElasticNode* nominated, bool never_fits) const;
  // Returns whether the task, on a node that it is nominated to, is such a victim.
  static bool IsLeavingFor(const ElasticTask& task, const ElasticTask& other) {
    return other.is_leaving && other.group == task.group && other.priority < task.priority;
  }

  struct DryRunResult {
    enum class Outcome : uint8_t {
      kVictims,      // these (none: all may stay)
      kNoCandidate,  // no candidate on the node
      kNoRoom,
      kTooLarge,
      kAboveRuntime,  // even with all candidates gone
      kRemovedTwice,
    };
    Outcome outcome = Outcome::kNoCandidate;
    std::vector<size_t> victims;  // of the node's tasks, in the order in which they were tried
    int broken_budgets = 0;
  };
  DryRunResult DryRun(const ElasticTask& task, const ElasticTree::Room& room,
                      const ElasticNode& node) const;
  // Does the same on a node that is judged elsewhere. `tasks` are those of the node. kNoRoom stands
  // for whatever the node lacks. The node is left as the dry run ended.
  DryRunResult DryRunOn(const ElasticTask& task, const ElasticTree::Room& room,
                        std::span<const ElasticTask> tasks, ElasticDryRunNode& node) const;
  // Returns the best of the results with victims, one for each node; nothing if there are none.
  static std::optional<size_t> Choose(std::span<const DryRunResult> results,
                                      std::span<const ElasticNode> nodes);

  // Returns which of the candidates, evicted one after another, break a budget that covers them.
  std::vector<bool> BreakBudgets(std::span<const ElasticTask> tasks,
                                 std::span<const size_t> candidates) const;
  // Splits tasks, in their order, into those that break a budget and those that do not.
  void SpareBudgets(std::span<const ElasticTask> tasks, std::span<const size_t> candidates,
                    std::vector<size_t>* breaking, std::vector<size_t>* others) const;

 private:
  Options options_;
  std::vector<int64_t> budgets_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_PREEMPTION_H_
