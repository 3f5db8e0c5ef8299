// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The caller's living tables of nodes, queues, jobs and tasks.
//
//   muster::Cluster cluster;
//   cluster.AddNodes(100, {.name = "n", .capacity = {{"cpu", "64"}, {"memory", "256Gi"}}});
//   cluster.AddQueue({.name = "vision", .weight = 2});
//   cluster.AddJob({.name = "train", .queue = "vision", .min_available = 16,
//                   .groups = {{.name = "worker", .count = 16, .shape = {.request = {{"cpu", "8"}}}}}});
//   absl::StatusOr<muster::Plan> plan = cluster.Schedule("volcano");
//   absl::StatusOr<muster::ApplyReport> report = cluster.Apply(*plan);   // the world follows the plan
//
// Promises. Every call either does all it says or returns an error that names the row and the rule and leaves
// the cluster as it was. A call costs O(what it changes), amortised; a cycle costs what changed since the last
// one of the same profile. Rows keep the order of their insertion; ties are broken by it.
// A Cluster is not thread-safe; Freeze() gives a Snapshot that is.
//
// What is refused: dangling or duplicate or empty names, names that are not UTF-8, cycles in the queue or
// topology tree, quantities that are negative, unreadable or beyond int64, counts below zero, states that need
// a node without one. What is accepted although it looks wrong, with a defined outcome:
// - a node that holds more than it has: its idle amounts are negative and nothing more fits;
// - a gang that needs more tasks than it has: it is never placed, with the reason kInvalidGang;
// - no nodes, no tasks, no queues: the plan is empty.
// A queue named "default" exists from the start; it may be updated, and removed while it is empty.
#ifndef MUSTER_CLUSTER_H_
#define MUSTER_CLUSTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/plan.h"
#include "muster/schedule.h"
#include "muster/snapshot.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

// One event of a watch. `generation` grows with every change of that object at its source. Events may arrive
// twice, late or out of order: for each object the newest generation wins, also over a removal, and an object
// that names another which has not arrived yet waits for it, invisible, until it does. However the events of a
// stream are shuffled, the cluster ends in the state of the ordered stream.
struct Removal {
  enum class Kind : uint8_t { kNode, kQueue, kJob, kTask } kind;
  std::string name;
};
struct Delta {
  uint64_t generation = 0;
  std::variant<NodeSpec, QueueSpec, JobSpec, TaskSpec, Removal> object;
};
enum class DeltaOutcome : uint8_t { kApplied, kStale, kWaiting };

// A full listing, for Reconcile.
struct ClusterSpec {
  std::vector<NodeSpec> nodes;
  std::vector<QueueSpec> queues;
  std::vector<JobSpec> jobs;
  std::vector<TaskSpec> tasks;  // all tasks, also those of jobs' groups
  std::vector<DomainSpec> domains;
  std::vector<DisruptionBudgetSpec> budgets;
  std::vector<NamespaceSpec> namespaces;
};

struct Drift {
  enum class Kind : uint8_t { kMissing, kExtra, kDifferent } kind;
  std::string object;  // `node "n1"`, `task "a/b"`
};

// What Apply did with a plan that was computed from an older version.
struct ApplyReport {
  int64_t applied = 0;
  std::vector<std::string> refused;  // `bind "t1" to "n1": node is gone`
};

namespace internal {
struct Access;
struct ClusterImpl;
}  // namespace internal

class MUSTER_EXPORT Cluster {
 public:
  Cluster();
  ~Cluster();
  Cluster(Cluster&&) noexcept;
  Cluster& operator=(Cluster&&) noexcept;

  absl::Status AddNode(const NodeSpec& node);
  absl::Status AddNodes(int64_t count, const NodeSpec& node);  // names: node.name + "0", "1", ...
  absl::Status UpdateNode(const NodeSpec& node);   // by name; keeps its tasks and its place
  absl::Status RemoveNode(std::string_view name);  // refused while tasks are on it

  absl::Status AddQueue(const QueueSpec& queue);
  absl::Status UpdateQueue(const QueueSpec& queue);
  absl::Status RemoveQueue(std::string_view name);  // refused while it has jobs or children

  absl::Status AddJob(const JobSpec& job);        // with the tasks of its groups
  absl::Status UpdateJob(const JobSpec& job);     // all but its tasks
  absl::Status RemoveJob(std::string_view name);  // with its tasks

  absl::Status AddTask(const TaskSpec& task);
  absl::Status UpdateTask(const TaskSpec& task);
  absl::Status RemoveTask(std::string_view name);
  // What the world reports about a task; `node` only where the state needs one and it is not known yet.
  absl::Status SetTaskStatus(std::string_view name, TaskStatus status, std::string_view node = {});

  absl::Status AddDomain(const DomainSpec& domain);
  absl::Status RemoveDomain(std::string_view name);
  absl::Status SetDisruptionBudget(const DisruptionBudgetSpec& budget);  // by namespace and name
  absl::Status SetNamespace(const NamespaceSpec& name_space);            // by name

  absl::StatusOr<DeltaOutcome> ApplyDelta(const Delta& delta);
  // Makes the cluster equal to `full` and says what differed. Generations are forgotten.
  absl::StatusOr<std::vector<Drift>> Reconcile(const ClusterSpec& full);

  Snapshot Freeze() const;   // O(1); the next change of each table copies it once
  uint64_t version() const;  // grows with every change
  ClusterSpec Describe() const;

  // A cycle on this cluster; the same plan as Schedule(Freeze(), ...), at the cost of what changed.
  absl::StatusOr<Plan> Schedule(std::string_view profile, const ScheduleOptions& options = {});

  // The caller follows the plan: bound tasks become kBinding on their nodes, evicted ones kReleasing (their
  // resources stay charged until SetTaskStatus or RemoveTask says they ended), admitted jobs kAdmitted,
  // nominated tasks remember their node. O(plan). Decisions that a later change made impossible are refused
  // one by one, whole gangs together, and the rest is applied.
  absl::StatusOr<ApplyReport> Apply(const Plan& plan);
  absl::Status ReportBindFailed(std::string_view task);  // kBinding back to kPending

 private:
  friend struct internal::Access;
  std::unique_ptr<internal::ClusterImpl> impl_;
};

}  // namespace muster

#endif  // MUSTER_CLUSTER_H_
