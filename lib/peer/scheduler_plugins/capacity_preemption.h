// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption under elastic quotas of namespaces: admission, candidates and victims.
// scheduler_plugins.h has the loop, the surprises and the ties.
//
//   CapacityCluster cluster;
//   cluster.quotas().Add("vision", {...});
//   cluster.AddNode({.name = "n0", .capacity = {{"cpu", 32000}}});
//   cluster.Run(task, "n0");
//   absl::StatusOr<CapacityCluster::Demand> demand = cluster.DemandOf(task);
//   cluster.Admit(*demand);                     // does the quota have room?
//   cluster.DryRun(*demand, node);              // victims on one node, or why there are none
//
// Idea. A namespace that stays within its minimum with the new task reclaims from any namespace
// above its minimum, whatever the priorities. One that is above its minimum only preempts its own
// less important tasks. Tasks outside of quotas preempt only one another. Choice of a node: fewest
// broken budgets, least important first victim, smallest sum of priorities, fewest victims, latest
// start of the most important, first node.
//
// Peer. scheduler-plugins' capacity scheduling. Its dry run does not give back what leaving victims
// used of the quotas. With Options::quotas_follow it does, and then each candidate, the least
// important first, is judged by its namespace's use after those before it have left.
//
// Cost. O(tasks of the node * resources) and a sort for each node.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_PREEMPTION_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_PREEMPTION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/scheduler_plugins/capacity_dry_run.h"
#include "lib/peer/scheduler_plugins/capacity_quotas.h"

namespace muster {

struct CapacityTask {
  std::string name = {};  // unique in the cluster
  std::string name_space = {};
  NamedAmounts request = {};                // of a node
  std::optional<NamedAmounts> charge = {};  // of the quota, where that differs
  int32_t priority = 0;
  int64_t started = 0;
  bool preempts = true;
  bool is_leaving = false;
  std::string nominated = {};          // the node it waits for
  std::vector<uint32_t> budgets = {};  // disruption budgets that cover it
};

struct CapacityNode {
  std::string name = {};
  NamedAmounts capacity = {};
  int64_t tasks = 110;  // the most
};

class CapacityCluster {
 public:
  struct Options {
    bool quotas_follow = false;  // what victims used is given back to their quotas in a dry run
  };
  CapacityCluster() : CapacityCluster(Options()) {}
  explicit CapacityCluster(const Options& options) : options_(options) {}

  CapacityQuotas& quotas() { return quotas_; }
  const CapacityQuotas& quotas() const { return quotas_; }

  absl::Status AddNode(const CapacityNode& node);
  uint32_t AddBudget(int64_t disruptions);
  // Adds a task that has a place there. The caller charges its quota separately
  // (CapacityQuotas::Use).
  absl::Status Run(const CapacityTask& task, std::string_view node);
  // Adds a task that waits for a place that others are leaving.
  absl::Status Nominate(const CapacityTask& task);

  // What a task requests, with the tasks that come before it.
  struct Demand : QuotaDemand {
    std::string name, name_space;
    Sparse request;
    bool preempts = true;
    std::string nominated;
  };
  absl::StatusOr<Demand> DemandOf(const CapacityTask& task);

  using Verdict = QuotaVerdict;
  Verdict Admit(const Demand& demand) const;

  // Returns whether a task fits a node as it is, with the tasks nominated to it. kTooLarge: the
  // task is larger than the whole node.
  enum class Fit : uint8_t { kFits, kNoRoom, kTooLarge };
  Fit FitOn(const Demand& demand, size_t node) const;

  // Returns whether the task may preempt (again). kNever: its own policy forbids it.
  // kVictimsLeaving: a victim of it is still leaving the node that it is nominated to.
  // `nominated_fit` is the fit of that node.
  enum class Right : uint8_t { kMay, kNever, kVictimsLeaving };
  Right RightOf(const Demand& demand, std::optional<Fit> nominated_fit) const;

  struct DryRunResult {
    enum class Outcome : uint8_t {
      kVictims,
      kNoCandidate,  // no candidate on the node
      kNoRoom,
      kTooLarge,
      kOverQuota,  // even with all candidates gone
      kRemovedTwice,
      kNeedless,  // all candidates may stay
    };
    Outcome outcome = Outcome::kNoCandidate;
    size_t node = 0;
    std::vector<uint32_t> victims;  // most important first
    int broken_budgets = 0;
  };
  DryRunResult DryRun(const Demand& demand, size_t node) const;
  // Returns the best of the results with victims; nothing if there are none.
  std::optional<size_t> Choose(std::span<const DryRunResult> results) const;

  size_t nodes() const { return nodes_.size(); }
  const std::string& node(size_t at) const { return nodes_[at].name; }
  const std::string& task(uint32_t at) const { return tasks_[at].name; }

 private:
  struct Task {
    std::string name, name_space;
    Sparse request, charge;
    int32_t priority;
    int64_t started;
    bool is_leaving;
    std::vector<uint32_t> budgets;
  };
  struct Node {
    std::string name;
    Sparse capacity;
    SparseSum used;
    int64_t most_tasks = 0;
    std::vector<uint32_t> tasks, nominated;
  };
  class Trial;

  absl::StatusOr<uint32_t> Keep(const CapacityTask& task, std::string_view node);
  Fit FitIn(const Demand& demand, const Node& node, const SparseSum& used, size_t tasks) const;

  Options options_;
  CapacityQuotas quotas_;
  std::vector<Node> nodes_;
  std::vector<Task> tasks_;
  std::vector<int64_t> budgets_;
  HashMap<std::string, size_t> node_index_;
};

}  // namespace muster

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_PREEMPTION_H_
