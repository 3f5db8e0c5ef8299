// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a cycle cost, by action, policy and way of searching, and why tasks got their nodes.
//
//   muster::CycleMetrics metrics;
//   metrics.clock = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
//   cluster.Schedule("volcano", {.now = now, .metrics = &metrics});
//   for (const muster::ActionCost& action : metrics.actions) Export(action.action, action.time);
//
// Promise. Measuring changes no plan. Counts are equal in equal cycles; times are the clock's.
// Profiles that search without the engine's node search (`kai`, `kube-scheduler`, `ray` and the
// admission of `kueue`) count actions alone.
// Failure. There is none. A cycle that fails leaves numbers of its parts that ended.
// Ownership. The metrics are the caller's, and must outlive the call. Each cycle replaces them,
// except what the caller sets.
// Threads. One cycle at a time fills them. The clock is called on the thread of the cycle.
// Cost. Two calls of the clock for each action, and for each question to a policy about many nodes.
// `explain_nodes` adds a look at every node for each task that is placed.
#ifndef MUSTER_CYCLE_METRICS_H_
#define MUSTER_CYCLE_METRICS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "muster/types.h"

namespace muster {

// What one action of the profile cost.
struct ActionCost {
  // Its name in the spec string. An action that the profile lists twice has two entries.
  std::string action;
  // Of the clock, from its beginning to its end.
  int64_t time = 0;
  // Units of Plan::work, and decisions that it made.
  int64_t work = 0, decisions = 0;
};

// What one policy cost when it was asked which nodes fit and which are best. Other questions
// (orders, gates, victims) are part of the time of actions alone.
struct PolicyCost {
  // Its name in the spec string.
  std::string policy;
  // Of the clock, over all questions.
  int64_t time = 0;
  // How often it was asked, and about how many nodes in all. Nodes of equal kind and books are
  // asked about once.
  int64_t questions = 0, nodes = 0;
};

// How often the best node for a task was found in each way.
struct SearchCosts {
  // The class had found no node before, and nothing has been freed since: no node was looked at.
  int64_t remembered = 0;
  // From the table of scores of the class, of which only what changed is scored anew.
  int64_t by_table = 0;
  // By a look at every node.
  int64_t by_scan = 0;
};

// What one policy adds to the score of a node.
struct ScorePart {
  std::string policy;
  // Of the node that the task got, and of the next best.
  double chosen = 0, next = 0;
};

// Why a task got its node.
struct NodeChoice {
  // The task, its node, and the next best node; kNone: no other node fits.
  TaskIndex task = kNone;
  NodeIndex chosen = kNone, next = kNone;
  // The name of `next`, which the plan need not know. Empty: there is none.
  std::string next_name;
  // One entry for each policy that scores nodes. Their sums are the scores of the nodes; of equal
  // sums the rule of the profile for ties decides.
  std::vector<ScorePart> parts;
};

// What a cycle cost.
struct CycleMetrics {
  // Set by the caller. Returns the time, in any unit. Empty: times are 0.
  std::function<int64_t()> clock = {};
  // Set by the caller. True: `choices` is filled.
  bool explain_nodes = false;

  // Of the clock: before the first action, and after the last. What follows the rows that changed
  // since the last cycle is part of neither.
  int64_t open = 0, close = 0;
  // One entry for each action that ran, in order.
  std::vector<ActionCost> actions;
  // One entry for each policy that was asked about nodes, in the order of the tiers.
  std::vector<PolicyCost> policies;
  SearchCosts searches;
  // The last choice of a node for each task that the plan binds, nominates or holds a place for, by
  // task. Tasks that were placed on a node that the action had chosen by itself have none.
  std::vector<NodeChoice> choices;
};

}  // namespace muster

#endif  // MUSTER_CYCLE_METRICS_H_
