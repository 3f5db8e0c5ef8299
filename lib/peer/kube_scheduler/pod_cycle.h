// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One pod against all nodes: which are feasible, why the others are not, and which is the best.
//
//   PodCycle cycle(world, states, settings, nominations, task);
//   cycle.Search(start);
//   if (cycle.feasible().empty()) ...cycle.statuses()...
//   NodeIndex node = cycle.Best();
//
// Filters run in the order of the default profile; the first that refuses a node names its reasons.
// A pod that is nominated to a node counts there for pods of its priority and below: filters must
// pass with and without it.
//
// Ties. The best node is the root of a binary heap that is built bottom-up over the feasible nodes
// in the order of evaluation, comparing totals alone.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_POD_CYCLE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_POD_CYCLE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/kube_scheduler/class_state.h"
#include "lib/peer/kube_scheduler/settings.h"
#include "lib/peer/kube_scheduler/status.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

std::string CauseText(Cause cause, const World& world);

// A reason in words of a plug-in beyond the default ones.
Cause WordsCause(World* world, std::string_view text);

// A plug-in's scores of the feasible nodes. `weighted` is what joins the sums.
struct ExtraScore {
  Plugin plugin = Plugin::kNone;
  std::vector<int64_t> raw, weighted;
};

// Pods by the node to which they are nominated.
class Nominations {
 public:
  // The nodes of all changes, in their order.
  const std::vector<NodeIndex>& journal() const { return journal_; }
  void Set(TaskIndex t, NodeIndex n);
  void Clear(TaskIndex t);
  NodeIndex of(TaskIndex t) const {
    const auto it = node_of_.find(t);
    return it == node_of_.end() ? NodeIndex(kNone) : it->second;
  }
  bool empty() const { return node_of_.empty(); }
  std::span<const TaskIndex> on(NodeIndex n) const {
    if (node_of_.empty()) return {};
    const auto it = on_.find(n);
    return it == on_.end() ? std::span<const TaskIndex>() : std::span<const TaskIndex>(it->second);
  }

 private:
  HashMap<TaskIndex, NodeIndex> node_of_;
  HashMap<NodeIndex, std::vector<TaskIndex>> on_;
  std::vector<NodeIndex> journal_;
};

// A node with its scores, as a list of the best keeps it.
struct ScoredNode {
  NodeIndex node = kNone;
  int64_t total = 0;
  std::array<int64_t, kPluginCount> raw = {};
};
// Builds the heap bottom-up; takes the best out.
void MakeHeap(std::vector<ScoredNode>* heap);
ScoredNode PopHeap(std::vector<ScoredNode>* heap);

class PodCycle {
 public:
  // All must outlive this.
  // `group`: the pod is tried as a member of it. Nominations of its members then count as pods that
  // request nothing and have priority 0: while a group is tried, the peer knows their names alone.
  PodCycle(World& world, ClassStates& states, const Settings& settings,
           const Nominations& nominations, TaskIndex task, JobIndex group = kNone);

  ~PodCycle();

  TaskIndex task() const { return task_; }
  // Examines nodes from number `start` of the snapshot's order on. `hint` is examined first, if
  // the pod is nominated to no node. Returns the number from which the next cycle starts.
  uint64_t Search(uint64_t start, NodeIndex hint = kNone);
  // Returns whether all feasible nodes were chosen without a search: the nominated node.
  const std::vector<NodeIndex>& feasible() const { return feasible_; }
  // Nodes that were refused, in the order in which they were examined.
  const std::vector<std::pair<NodeIndex, Status>>& refused() const { return search_.refused; }
  // The same, with the causes counted.
  const VainSearch& counted() const {
    if (!search_.counted) CountRefused();
    return search_;
  }
  // Drops the lists of nodes and their scores, of which each cycle of a group would keep its own.
  // counted(), rejectors() and dry runs go on working.
  void ForgetNodes();
  // Returns the nodes on which an eviction may help, by name.
  const std::vector<NodeIndex>& curable();
  // Returns the status of a refused node; absent() for others.
  const Status& status(NodeIndex n) const;
  // Of all nodes that are neither feasible nor refused.
  const Status& absent() const { return absent_; }
  // Returns how many nodes of the whole cluster refuse the pod so, by words (class_state.h).
  const RefusalWords& words(NodeAnswer answer) const {
    return WordsOf(world_, shape_, *state_->nodes, answer);
  }
  bool rejected_by_pre_filter() const { return pre_filter_failed_; }
  // Returns whether a plug-in beyond the default ones did that.
  bool rejected_by_extra() const { return extra_failed_; }
  PluginSet rejectors() const { return rejectors_; }

  // Returns the best feasible node, and keeps the scores. REQUIRES: a node is feasible.
  NodeIndex Best();
  const std::vector<int64_t>& totals() const { return totals_; }
  // By plug-in; empty: the plug-in did not score.
  const std::vector<int64_t>& raw(Plugin plugin) const { return raw_[static_cast<int>(plugin)]; }
  const std::vector<int64_t>& weighted(Plugin plugin) const {
    return weighted_[static_cast<int>(plugin)];
  }
  // Of plug-ins beyond the default ones.
  const std::vector<ExtraScore>& extra_scores() const { return extra_scores_; }
  // Returns the feasible nodes but the best, as the heap has them. Empty before Best.
  const std::vector<ScoredNode>& Others() const { return heap_; }

  // --- for batching
  // Returns a text that is equal for pods that are alike to every rule; empty: other pods matter.
  std::string Signature() const;
  bool is_nominated() const { return nominations_.of(task_) != kNone; }
  // Returns whether the pod passes on the node as it is, nominated pods aside.
  bool FilterAlone(NodeIndex n) const { return FilterOnce(n, world_.books(n)).code == Code::kFits; }
  // Scores the last of the nodes anew, and sums up all of them again.
  void Rescore(std::vector<ScoredNode>* nodes);

  ClassIndex pod_class() const { return class_; }
  // Returns whether no count of other pods decides about the pod.
  bool is_alone() const { return skips_affinity_ && spread_.skips(); }

  // --- for dry runs: the pod's counts and one node's books with pods added or removed
  // Runs the filters with and without nominated pods.
  Status Filter(NodeIndex n, const NodeBooks& books);
  // Counts a pod of another task in (+1) or out (-1) of the pod's own counts.
  void Count(TaskIndex other, NodeIndex n, int sign);

 private:
  void PreFilter();
  Status FilterOnce(NodeIndex n, const NodeBooks& books) const;
  Status FilterWith(NodeIndex n, const NodeBooks& books) const;
  bool SeesOtherBooks(NodeIndex n) const;
  // Returns the score of the node's books as the pod sees them.
  template <typename ScoreOf>
  int64_t ScoreBooks(NodeIndex n, const ScoreOf& score_of) const;
  void CheckResources(NodeIndex n, const NodeBooks& books, Status* status) const;
  // Returns the status with the pods that are nominated to the node.
  Status FilterNominated(NodeIndex n, const NodeBooks& books);
  // Returns whether a search in vain tells about the next pod of the class. A plan with a trace
  // never asks for less, so it is the slow twin.
  bool MayRemember(NodeIndex hint) const;
  // Returns whether the last search of the class in vain, with what has changed, is this one.
  bool SearchAgain(uint64_t start);
  void CountRefused() const;
  void Examine(const std::vector<NodeIndex>& nodes, uint64_t start, size_t wanted);
  void Score(Plugin plugin, std::vector<int64_t> raw, bool reverse, bool normalize);
  void AddUp(Plugin plugin, std::vector<int64_t> raw, std::vector<int64_t> scores);
  void ScoreSpread();
  void ScoreAffinity();
  void AddAffinity(std::vector<int64_t> raw);
  void ScoreNodesAlone();
  void ScoreAll();
  void ScoreImages();

  World& world_;
  const Settings& settings_;
  const Nominations& nominations_;
  const TaskIndex task_;
  const JobIndex group_;
  const ClassIndex class_;
  const PodClass& pod_;
  const TaskShape& shape_;
  const std::shared_ptr<ClassState> state_;
  // The cycles of a group live on while the world changes: these have counts of their own.
  std::unique_ptr<std::pair<AffinityState, SpreadState>> own_counts_;
  AffinityState& affinity_;
  SpreadState& spread_;
  const bool skips_affinity_;
  std::optional<std::vector<NodeIndex>> only_;
  bool pre_filter_failed_ = false, extra_failed_ = false;
  NodeIndex tried_first_ = kNone;  // alone, in vain

  std::vector<NodeIndex> feasible_;
  mutable VainSearch search_;
  bool keeps_ = false;  // the search is one for the class to remember
  Status absent_;
  PluginSet rejectors_;

  std::vector<int64_t> totals_;
  std::vector<ScoredNode> heap_;
  std::array<std::vector<int64_t>, kPluginCount> raw_, weighted_;
  std::vector<ExtraScore> extra_scores_;
};

// Returns after how many feasible nodes a search over `nodes` ends.
int64_t NodesToFind(const Settings& settings, int64_t nodes);

// Resource scores of one node, 0 to 100.
int64_t FitScore(const World& world, const Settings& settings, const ClassState& state, NodeIndex n,
                 const NodeBooks& books);
int64_t BalancedScore(const World& world, const ClassState& state, NodeIndex n,
                      const NodeBooks& books);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_POD_CYCLE_H_
