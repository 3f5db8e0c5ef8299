// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic quotas within the cycles of the profile: queues are groups of trees.
//
//   QuotaPlugin quotas(settings);
//   quotas.Open(&world, &nominations, &memory, now);
//   kube::Status status = quotas.PreFilter(task);
//   quotas.Reserve(task);
//   kube::Status status = quotas.SelectVictims(cycle, node, &candidate);
//
// The rules are those of quota/elastic_tree.h and quota/elastic_preemption.h; quota/queue_groups.h
// tells what a queue means. A task belongs to the queue of its job; one without a job to the queue
// that has its namespace's name, else to the default group. What that uses is taken from the total.
// Queue koordinator-default-quota is the default group: of it the limit alone counts. So is queue
// default as long as it has neither bounds nor queues above or below it. Setting koordinator/lends
// of a queue: false keeps its minimum for itself. A task is charged what it holds or what it needs
// to start, whichever is more.
//
// A queue is in the default tree, which has what nodes have, or in the tree that setting
// koordinator/tree names, as are those above and below it. One queue of such a tree sets what the
// tree has (koordinator/tree-total); the default tree has so much less, unless the queue sets
// koordinator/tree-apart. Amounts never go from one tree to another.
//
// When a plan begins all groups are refreshed, as the peer does every few seconds. Within it, a
// check refreshes the path to the task's group alone.
//
// Revocation (quota/elastic_revoke.h) is off by default, as the peer's. When a plan begins, each
// group that has been above its runtime for long gives up tasks of its own: the least important
// ones. Tasks that are not preemptable, or that a budget covers which allows no more disruption,
// stay; those that leave already count as used, as they do for the peer, and may be among the ones
// that go.
//
// Memory. Slot koordinator-overuse: for each group above its runtime the tick at which it was last
// known to fit. A group without a row fits until now.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_QUOTA_PLUGIN_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_QUOTA_PLUGIN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/kube/budget_index.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"
#include "lib/peer/koordinator/quota/elastic_forest.h"
#include "lib/peer/koordinator/quota/elastic_preemption.h"
#include "lib/peer/koordinator/quota/elastic_revoke.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::koordinator {

// Fails if the queues cannot be groups of trees: one has the name of their root, or is below a
// group that is built in or of another tree; a tree has two totals; a setting is unknown or wrong;
// there are too many resources.
absl::Status CheckQuotaQueues(const Tables& tables);

inline constexpr MemoryDecl kQuotaSlots[] = {{"koordinator-overuse", 1}};

class QuotaPlugin {
 public:
  explicit QuotaPlugin(const QuotaSettings& settings)
      : settings_(settings), preemption_({.default_is_safe = settings.spares_default}) {}

  void Open(kube::World* world, const kube::Nominations* nominations, MemorySlots* memory,
            int64_t now);
  void Store(MemorySlots* memory) const;
  // Returns the tasks of groups that have been above their runtime for too long. Called once.
  std::vector<TaskIndex> Revoked();

  static bool Wakes(const kube::Happening& happening);
  kube::Status PreFilter(TaskIndex t);
  void Reserve(TaskIndex t) { Use(t, 1); }
  void Unreserve(TaskIndex t) { Use(t, -1); }
  std::string WhyIneligible(const kube::PodCycle& cycle);
  kube::Status SelectVictims(kube::PodCycle& cycle, NodeIndex n, kube::Candidate* candidate);

 private:
  using Place = ElasticForest::Place;

  void Plant();
  void CountTasks();
  void RevokeOf(ElasticTree* tree, const std::vector<std::string>& due,
                std::vector<TaskIndex>* revoked);
  void Revoke(const ElasticTree::Room& room, std::vector<TaskIndex> tasks,
              std::vector<TaskIndex>* revoked);
  void Use(TaskIndex t, int sign);
  Place PlaceOf(TaskIndex t) const;
  const std::string& GroupOf(TaskIndex t) const;
  const Sparse& ChargeOf(TaskIndex t);
  bool IsFixed(TaskIndex t) const;
  ElasticTask TaskOf(TaskIndex t);
  ElasticTree::Room RoomFor(TaskIndex t) const;
  kube::Status Refuse(kube::Code code, const std::string& words) const;
  std::string RefusalText(TaskIndex t, const ElasticTree::Admission& admission);

  const QuotaSettings settings_;
  ElasticPreemption preemption_;
  kube::World* world_ = nullptr;
  const Tables* tables_ = nullptr;
  const kube::Nominations* nominations_ = nullptr;
  int64_t now_ = 0;
  std::unique_ptr<ElasticForest> forest_;
  std::vector<ElasticTree*> trees_;
  std::vector<OveruseWatch> watches_;  // of trees_
  std::vector<Place> place_of_;        // by queue
  Place default_;
  // Of classes, by group: each tree numbers resources in its own way, and a group counts those that
  // its maximum names.
  HashMap<ElasticTree*, std::vector<HashMap<ClassIndex, Sparse>>> charges_;
  std::unique_ptr<BudgetTurns> budgets_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_QUOTA_PLUGIN_H_
