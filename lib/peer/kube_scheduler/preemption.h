// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption for one pod: on which node the least important pods make room for it.
//
//   Preemption preemption(world, settings, nominations, now);
//   preemption.Try(cycle, never);
//   if (preemption.chosen() != nullptr) Evict(preemption.chosen()->victims);
//
// Rules, in this order:
// 1. A pod that may not preempt is not eligible. Nor is one with a nominated node on which a less
//    important pod is terminating since a preemption, unless nothing could help on that node. For
//    plug-ins in the place of default preemption any such pod that is terminating counts.
// 2. Nodes are tried by name, from `offset` on, where an eviction can help. The search ends when
//    enough candidates were found, one of them without a broken budget. Of candidates with broken
//    budgets no more than enough are kept, the first ones.
// 3. On a node all less important pods are removed. If the pod then fits, they are put back one by
//    one, the most important first and those of broken budgets before the others, as long as it
//    still fits. What cannot be put back is a victim.
//    A dry run that was made for an equal pod on the node as it is now is not made again, unless
//    the plan has a trace.
// 4. The best candidate has the fewest broken budgets; the lowest priority of its first victim; the
//    smallest sum of priorities; the fewest victims; the latest start of its most important ones.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_PREEMPTION_H_
#define MUSTER_PEER_KUBE_SCHEDULER_PREEMPTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/base/hash_map.h"
#include "lib/peer/kube_scheduler/pod_cycle.h"
#include "lib/peer/kube_scheduler/status.h"
#include "lib/peer/kube_scheduler/victims.h"

namespace muster::kube {

struct Candidate {
  NodeIndex node = kNone;
  absl::InlinedVector<TaskIndex, 2> victims;  // the most important first
  int64_t violations = 0;
};

// What dry runs found, for later pods of the class and priority that look at the node while it is
// as it was; and which victims broke budgets.
class DryRuns {
 public:
  // `tables` must outlive this.
  explicit DryRuns(const Tables& tables)
      : budgets_(tables, BudgetCharges::kUntilOneRefuses, kPreemptedLabel) {}

  struct Run {
    int32_t priority = 0;
    uint32_t changes = 0;              // World::changes_of
    std::vector<TaskIndex> nominated;  // to the node
    Status status;
    Candidate candidate;
  };
  // Returns what is kept of the class on the node, to be compared or replaced.
  Run& At(ClassIndex c, NodeIndex n);
  BudgetTurns& budgets() { return budgets_; }

 private:
  static constexpr size_t kMostRuns = 100'000;
  BudgetTurns budgets_;
  HashMap<uint64_t, Run> runs_;
};

class Preemption {
 public:
  // All must outlive this. `now`: the start of pods without one.
  Preemption(World& world, const Settings& settings, const Nominations& nominations, DryRuns* runs,
             int64_t now)
      : world_(world),
        settings_(settings),
        nominations_(nominations),
        extra_(world.extra()),
        runs_(*runs),
        now_(now) {}

  // `never`: the pod may not preempt.
  void Try(PodCycle& cycle, bool never);

  // Returns whether candidates were searched for.
  bool tried() const { return tried_; }
  // Returns null if there is no candidate. Valid while this lives.
  const Candidate* chosen() const {
    return chosen_ < candidates_.size() ? &candidates_[chosen_] : nullptr;
  }
  const std::vector<Candidate>& candidates() const { return candidates_; }
  // Of nodes that were tried in vain.
  const std::vector<std::pair<NodeIndex, Status>>& failed() const { return failed_; }
  // Returns the words behind "preemption: ".
  const std::string& message() const { return message_; }

 private:
  bool IsEligible(const PodCycle& cycle, bool never);
  void TryNode(PodCycle& cycle, NodeIndex n, size_t wanted);
  // Adds what a dry run found.
  void Take(NodeIndex n, const Status& status, const Candidate& candidate, size_t wanted);
  Status Select(PodCycle& cycle, NodeIndex n, Candidate* candidate, bool* spans_nodes);
  void Choose();

  World& world_;
  const Settings& settings_;
  const Nominations& nominations_;
  ExtraPlugins* const extra_;
  DryRuns& runs_;
  const int64_t now_;
  bool tried_ = false;
  std::vector<Candidate> candidates_;  // those without broken budgets first
  size_t without_ = 0;                 // the number of those
  std::vector<std::pair<NodeIndex, Status>> failed_;
  size_t chosen_ = SIZE_MAX;
  std::string message_;
};

// The reason of plug-ins that take the place of default preemption.
Cause NoVictimsOn(World* world, NodeIndex n, TaskIndex preemptor);

// Returns "0/N nodes are available: 3 Insufficient cpu, ..." for counts by cause.
std::string HistogramText(const World& world, const std::vector<std::pair<Cause, int64_t>>& counts);
// The same of a preemption that failed on so many nodes, and could not help on the others.
std::string VainText(const World& world, FewCounts<Cause> counts, size_t tried);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_PREEMPTION_H_
