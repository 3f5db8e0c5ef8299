// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption within a group of an elastic quota tree: who has to go, node by node, for a task of the same group.
//
//   ElasticPreemption preemption({.default_is_safe = true});
//   if (preemption.RightOf(task, nominated) == ElasticPreemption::Right::kMay) {
//     ElasticPreemption::Offer offer = preemption.DryRun(task, *tree.RoomOf(task.group), node);
//   }
//
// Idea. A group never takes from another this way (who lent more than is right revokes, elastic_revoke.h): only less
// important tasks of the task's own group go, where the node has no room or the group none.
// Victims of a node. All candidates leave. If the task then fits the node, they come back one by one, the most
// important first (those that break a disruption budget before all others), as long as the task still fits and its
// group's use with it stays within the runtime.
// Choice of a node. Fewest broken budgets, least important first victim, smallest sum of priorities, fewest victims,
// latest start of the most important victims, first node.
// Peer. Koordinator's. It asks only the node before candidates come back: where the group is above its runtime even
// without them, all of them go and the task is no better off. A victim that neither fits the node nor the runtime is
// removed twice, which gives the node up (kRemovedTwice). A broken budget is counted only where the node was too
// small. Victims keep the order in which they were tried. Options::asks_group_first and counts_all mend the first and
// the third.
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
  bool is_counted = true;              // the group's use holds it
  std::vector<uint32_t> budgets = {};  // disruption budgets that cover it
};

struct ElasticNode {
  Sparse capacity = {};
  int64_t most_tasks = 110;
  std::vector<ElasticTask> tasks = {};
};

class ElasticPreemption {
 public:
  struct Options {
    bool default_is_safe = true;    // tasks of no group are never victims
    bool asks_group_first = false;  // no victims where the group has no room even without them
    bool counts_all = false;        // every victim that breaks a budget is counted
  };
  explicit ElasticPreemption(const Options& options) : options_(options) {}

  // Disruptions that are left to a budget.
  void SetBudgets(std::vector<int64_t> disruptions) { budgets_ = std::move(disruptions); }

  bool MayTakeFrom(const ElasticTask& task, const ElasticTask& victim) const;

  enum class Fit : uint8_t { kFits, kNoRoom, kTooLarge };
  static Fit FitOn(const ElasticTask& task, const ElasticNode& node);

  // Whether it may preempt (again): not by its own word, and not while a victim of it is still leaving the node that
  // it is nominated to (absent: none, or one that is gone), unless that node can never take it.
  enum class Right : uint8_t { kMay, kNever, kVictimsLeaving };
  Right RightOf(const ElasticTask& task, const ElasticNode* nominated, bool never_fits) const;

  struct Offer {
    enum class Outcome : uint8_t {
      kVictims,  // these (none: all may stay)
      kNobody,   // no candidate on the node
      kNoRoom,
      kTooLarge,
      kAboveRuntime,  // even with all candidates gone
      kRemovedTwice,
    };
    Outcome outcome = Outcome::kNobody;
    std::vector<size_t> victims;  // of the node's tasks, in the order in which they were tried
    int broken_budgets = 0;
  };
  Offer DryRun(const ElasticTask& task, const ElasticTree::Room& room,
               const ElasticNode& node) const;
  // Of offers with victims, one for each node; nothing if there are none.
  static std::optional<size_t> Choose(std::span<const Offer> offers,
                                      std::span<const ElasticNode> nodes);

  // Splits tasks, in their order, by whether they break a budget.
  void SpareBudgets(const ElasticNode& node, std::span<const size_t> candidates,
                    std::vector<size_t>* breaking, std::vector<size_t>* others) const;

 private:
  Options options_;
  std::vector<int64_t> budgets_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_PREEMPTION_H_
