// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption under elastic quotas of namespaces: who may start, and who has to go for it.
//
//   CapacityCluster cluster;
//   cluster.quotas().Add("vision", {...});
//   cluster.AddNode({.name = "n0", .capacity = {{"cpu", 32000}}});
//   cluster.Run(task, "n0");
//   absl::StatusOr<CapacityCluster::Demand> demand = cluster.DemandOf(task);
//   cluster.Admit(*demand);                     // does the quota have room?
//   cluster.DryRun(*demand, node);              // victims on one node, or why there are none
//
// Idea. A namespace that stays within its minimum with the new task takes back what is its own: from any namespace
// above its minimum, whatever the priorities. One that is above its minimum only preempts its own less important
// tasks. Tasks outside of quotas preempt only one another.
// Victims of a node. All candidates leave. If the task then fits the node and the quotas, they come back one by one,
// the most important first (those that break a disruption budget before all others), as long as task and quotas still
// have room.
// Choice of a node. Fewest broken budgets, least important first victim, smallest sum of priorities, fewest victims,
// latest start of the most important, first node.
// Peer. scheduler-plugins' capacity scheduling. Tasks nominated to nodes count as if they ran: of the same namespace
// where they are at least as important, of others while these are within their minimums. The peer's dry run does
// not see what leaving victims give back to the quotas: who is above its minimum stays so, and a task that its quotas
// refused nearly always ends with kOverQuota. Options::quotas_follow mends that, and then each candidate, the least
// important first, is judged by its namespace's use after those before it have left. A victim that does not fit back
// and is over the quota too is removed twice by the peer, which gives the node up (kRemovedTwice).
// Cost. O(tasks of the node * resources) and a sort for each node.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_PREEMPTION_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_PREEMPTION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/scheduler_plugins/capacity_quotas.h"

namespace muster {

struct CapacityTask {
  std::string name = {};  // of its own in the cluster
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
  // A task that has a place there; its quota is told apart (CapacityQuotas::Use).
  absl::Status Run(const CapacityTask& task, std::string_view node);
  // A task that waits for a place that others are leaving.
  absl::Status Nominate(const CapacityTask& task);

  // What a task asks for, with those that come before it.
  struct Demand {
    std::string name, name_space;
    Sparse request, charge;
    SparseSum in_quota, in_all;  // with nominated tasks
    CapacityQuotas::Index account = CapacityQuotas::kNone;
    int32_t priority = 0;
    bool preempts = true;
    std::string nominated;
  };
  absl::StatusOr<Demand> DemandOf(const CapacityTask& task);

  enum class Verdict : uint8_t { kFits, kAboveMax, kAboveMins };
  Verdict Admit(const Demand& demand) const;

  // On a node as it is, with the tasks nominated to it: kTooLarge for a task larger than the whole node.
  enum class Fit : uint8_t { kFits, kNoRoom, kTooLarge };
  Fit FitOn(const Demand& demand, size_t node) const;

  // Whether it may preempt (again): not by its own word, and not while a victim of it is still leaving the node it
  // is nominated to. `nominated_fit`: what that node said.
  enum class Right : uint8_t { kMay, kNever, kVictimsLeaving };
  Right RightOf(const Demand& demand, std::optional<Fit> nominated_fit) const;

  struct Offer {
    enum class Outcome : uint8_t {
      kVictims,
      kNobody,  // no candidate on the node
      kNoRoom,
      kTooLarge,
      kOverQuota,  // even with all candidates gone
      kRemovedTwice,
      kNeedless,  // all candidates may stay
    };
    Outcome outcome = Outcome::kNobody;
    size_t node = 0;
    std::vector<uint32_t> victims;  // most important first
    int broken_budgets = 0;
  };
  Offer DryRun(const Demand& demand, size_t node) const;
  // Of offers with victims; nothing if there are none.
  std::optional<size_t> Choose(std::span<const Offer> offers) const;

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
  class Books;

  absl::StatusOr<uint32_t> Keep(const CapacityTask& task, std::string_view node);
  bool MoreImportant(uint32_t a, uint32_t b) const;
  Fit FitIn(const Demand& demand, const Node& node, const SparseSum& used, size_t tasks) const;
  std::vector<uint32_t> Candidates(const Demand& demand, const Node& node, Books* books) const;
  void SpareBudgets(std::span<const uint32_t> candidates, std::vector<uint32_t>* breaking,
                    std::vector<uint32_t>* others) const;

  Options options_;
  CapacityQuotas quotas_;
  std::vector<Node> nodes_;
  std::vector<Task> tasks_;
  std::vector<int64_t> budgets_;
  absl::flat_hash_map<std::string, size_t> node_index_;
};

}  // namespace muster

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_PREEMPTION_H_
