// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables as the descheduler sees them: measured nodes, tasks with their owners, and
// workloads.
//
//   RebalanceWorld world(context, /*expiration=*/180);
//   LowNodeLoad(rules).Balance(world.nodes, fits, now);
//
// What the rows stand for:
// - A node that is ready is a node; one that is not is left out. Its capacity is what tasks may
//   hold of it. Its load is what its system and its tasks use: `usage.detail.system` of the node
//   and `usage.amounts` of tasks. A node without `system` has what its own usage, as amounts or in
//   percent, is above that of its tasks.
// - A task of a job is of the workload that the job names, or of the job itself. A task without a
//   job stays. So does one that is not preemptable, is protected, or neither runs nor is bound.
// - Bands and classes of service are the labels koordinator.sh/priority-class and
//   koordinator.sh/qosClass of a task, or follow from its priority and its requests.
//
// Settings:
//   job   koordinator/owner         the name of its workload; default: the job's own name
//         koordinator/owner_kind    ReplicaSet, StatefulSet, Job, DaemonSet, ...; none: no owner
//         koordinator/replicas      tasks that the workload should have; default: that there are
//         koordinator/deletion_cost, eviction_cost    of its tasks; kNeverCost: they stay
//         koordinator/evict         true: they may leave whatever else holds
//         koordinator/local_data, claims    true: they have data on the node, volumes
//
// Order. Nodes and tasks are in the order of their rows. Amounts are in thousandths, at most 40
// trillion units.
// Cost. O(rows * resources).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_REBALANCE_WORLD_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_REBALANCE_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/part/context.h"
#include "lib/peer/koordinator/rebalance/arbitration.h"
#include "lib/peer/koordinator/rebalance/evictable.h"
#include "lib/peer/koordinator/rebalance/load_view.h"

namespace muster::koordinator {

// What a job sets about the tasks that it stands for.
struct WorkloadTraits {
  std::string owner = {}, owner_kind = {};  // empty: none
  std::optional<int64_t> replicas = {};
  int64_t deletion_cost = 0, eviction_cost = 0;
  bool has_evict_mark = false, has_local_data = false, has_claim = false;
};

// Times in nanoseconds; those of the cluster are in seconds. Beyond 2096 they stand still.
int64_t NanosecondsOf(int64_t seconds);
// Amounts of a row, or of a measurement, in thousandths.
NamedAmounts AmountsOfRow(const Tables& tables, std::span<const int64_t> row);
// Returns one of AmountsOfRow, 0 if it is absent.
int64_t AmountInRow(const Tables& tables, std::span<const int64_t> row, DimensionIndex d);
NamedAmounts AmountsOf(const Resources& resources);
// What a measurement has of the node as a whole: amounts, or percentages of its capacity.
NamedAmounts MeasuredAmounts(const Tables& tables, NodeIndex node);
const TaskUsage* MeasuredUsage(const Tables& tables, TaskIndex task);

Service ServiceOfTask(const Tables& tables, TaskIndex task);
Band BandOfTask(const Tables& tables, TaskIndex task);
KubeService KubeServiceOf(const Tables& tables, TaskIndex task);

// Returns whether the task is on the node that it holds, and has not ended.
bool IsOnNode(TaskStatus status);
// Returns whether a task may leave its node at all.
bool MayLeave(const ActionContext& context, TaskIndex task);

struct RebalanceWorld : CycleMemory {
  explicit RebalanceWorld(ActionContext& context);

  const Tables& tables;
  std::vector<LoadedNode> nodes;   // all measured ones count as measured: see MarkExpired
  std::vector<NodeIndex> node_of;  // by node
  std::vector<size_t> at;          // by row; kNoNode: it is no node
  std::vector<std::vector<TaskIndex>> tasks_on;  // by node, as in its `tasks`
  std::map<std::string, Workload> workloads;     // by owner
  std::vector<WorkloadTraits> traits;            // by job

  static constexpr size_t kNoNode = ~size_t{0};

  // Nodes measured so many seconds ago, or more, are not measured; 0: none expires.
  void MarkExpired(int64_t now, int64_t seconds);
  TaskTraits TraitsOf(TaskIndex task, TaskStatus status) const;
  MigratedTask MigratedOf(TaskIndex task, NodeIndex node) const;
  const WorkloadTraits& WorkloadOf(TaskIndex task) const;

 private:
  void ReadNode(ActionContext& context, NodeIndex n);
  void ReadWorkloads(const ActionContext& context);
  EvictionRank RankOf(TaskIndex task) const;
};

// Fails with InvalidArgument for a setting that cannot be read.
absl::Status CheckWorkloads(const Tables& tables);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_REBALANCE_WORLD_H_
