// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The caller's living tables of nodes, queues, jobs and tasks.
//
//   muster::Cluster cluster;
//   cluster.AddNodes(100, {.name = "n", .capacity = {{"cpu", "64"}, {"memory", "256Gi"}}});
//   cluster.AddQueue({.name = "vision", .weight = 2});
//   cluster.AddJob({.name = "train", .queue = "vision", .min_available = 16,
//                   .groups = {{.name = "w", .count = 16, .shape = {.request = {{"cpu", "8"}}}}}});
//   absl::StatusOr<muster::Plan> plan = cluster.Schedule("volcano");
//   absl::StatusOr<muster::ApplyReport> report = cluster.Apply(*plan);  // follow the plan
//   cluster.SetTaskStatus("train-w-0", muster::TaskStatus::kRunning);   // as reported
//
// Promise. Every call takes effect as a whole, or returns an error and leaves the cluster as it
// was. Rows keep the order of their insertion, and ties in plans are broken by it.
// Failure. Errors name the row and the rule: `node "n1", capacity "cpu": unknown unit "x" in "5x"`.
// Refused are: dangling, duplicate and empty names; names that are not UTF-8; cycles in the queue
// or topology tree; quantities that are negative, unreadable or beyond int64; counts below zero;
// a status that needs a node, without one. Accepted, with a defined outcome, are:
// - a node that holds more than it has: its idle amounts are negative, and nothing more fits;
// - a gang that needs more tasks than it has: it is never placed, with the reason kInvalidGang;
// - no nodes, no tasks, no queues: the plan is empty.
// Memory. A call that runs out of memory throws std::bad_alloc, and the cluster is as it was. If
// the exception comes after the first row has changed, the cluster is lost: calls with a status
// return DataLoss, Freeze and Describe return an empty cluster, and it can only be destroyed or
// assigned to. Schedule never loses a cluster. docs/faults.md states what is tested.
// Ownership. A cluster copies what it is given, and owns its rows. Plans and snapshots do not refer
// to it. A moved-from cluster can only be assigned to and destroyed.
// Threads. A cluster is used by one thread at a time. Freeze() returns a Snapshot for others.
// Cost. A call costs O(what it changes), amortized. A cycle costs what changed since the last one
// of the same profile: a cluster keeps the books of four profiles.
#ifndef MUSTER_CLUSTER_H_
#define MUSTER_CLUSTER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/memory.h"
#include "muster/plan.h"
#include "muster/schedule.h"
#include "muster/snapshot.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

// --- events -------------------------------------------------------------------------------------

// A row that is gone at its source.
struct Removal {
  // The table that the row was in.
  enum class Kind : uint8_t {
    // Rows that others name, and tasks.
    kNode,
    kQueue,
    kJob,
    kTask,
    // Rows that name others, and wait for none.
    kFlavor,
    kPartition,
    kReservation,
    // A domain is named by nodes and domains. Budgets and namespaces wait for nothing.
    kDomain,
    kBudget,
    kNamespace
  } kind;
  // Of a disruption budget: namespace and name, as "team/web". Without a slash the namespace is
  // "default".
  std::string name;
};

// One event of a watch: a row as it is now, or that it is gone.
//
//   cluster.ApplyDelta({.generation = 17, .object = muster::NodeSpec{.name = "n1"}});
//   cluster.ApplyDelta({.generation = 18,
//                       .object = muster::Removal{muster::Removal::Kind::kNode, "n1"}});
//
// `generation` grows with every change of that object at its source. Events may arrive twice, late
// or out of order: for each object the newest generation wins, also over a removal. An object that
// names another one which has not arrived yet waits for it, invisible to plans. However the events
// of a stream are shuffled, the cluster ends in the state of the ordered stream.
struct Delta {
  // Grows with every change of the object at its source. Default: 0.
  uint64_t generation = 0;
  // The row as it is now, or its removal.
  std::variant<NodeSpec, QueueSpec, JobSpec, TaskSpec, FlavorSpec, PartitionSpec, ReservationSpec,
               DomainSpec, DisruptionBudgetSpec, NamespaceSpec, Removal>
      object;
};
// What became of an event.
enum class DeltaOutcome : uint8_t {
  // The cluster has the row as the event has it.
  kApplied,
  // A newer event of that object came first: nothing changed.
  kStale,
  // The object names one that has not arrived; it joins when that one does.
  kWaiting,
  // The object breaks a rule of its own: nothing changed. ApplyDelta returns the error instead.
  kRefused,
};

// What became of one event of several.
struct DeltaResult {
  DeltaOutcome outcome = DeltaOutcome::kApplied;
  // The error of kRefused, which names the object and the rule. Empty for other outcomes.
  std::string refusal = {};
};

// An event that was refused, with the words of the error.
struct RefusedEvent {
  // `task "a/b"`.
  std::string object;
  std::string why;
  friend bool operator==(const RefusedEvent&, const RefusedEvent&) = default;
};

// An object of an event that waits for another one, as `task "a/b"` for `node "n1"`.
struct WaitingEvent {
  // The object that plans do not see yet.
  std::string object;
  // What it names and is not there. It may name more that is missing.
  std::string missing;
  friend bool operator==(const WaitingEvent&, const WaitingEvent&) = default;
};

// What the cluster assumes of a task since a plan was applied, and nothing has confirmed yet.
struct Assumption {
  // The name of the task.
  std::string task;
  // kBinding, kReleasing or kWaiting.
  TaskStatus status = TaskStatus::kBinding;
  // The node that the task is on by the plan, or leaves.
  std::string node;
  // The time of the plan that was applied: ScheduleOptions::now of its cycle. An event that does
  // not show the decision yet leaves it as it is.
  int64_t since = 0;
  friend bool operator==(const Assumption&, const Assumption&) = default;
};

// How long assumptions hold, in seconds, 0 or more. Absent: they never expire.
//
//   cluster.ExpireAssumptions(now, {.bind = 300});   // pods that the kubelet never saw
//
struct AssumptionLimits {
  // Of binds and of evictions. The places of waiting tasks have deadlines of their own
  // (TaskSpec::waits_until).
  std::optional<int64_t> bind = {}, evict = {};
};

// A full listing of a cluster, for Reconcile and Describe.
struct ClusterSpec {
  std::vector<NodeSpec> nodes;
  std::vector<QueueSpec> queues;
  std::vector<JobSpec> jobs;
  // All tasks, also those of the groups of jobs.
  std::vector<TaskSpec> tasks;
  std::vector<DomainSpec> domains;
  std::vector<DisruptionBudgetSpec> budgets;
  std::vector<NamespaceSpec> namespaces;
  std::vector<FlavorSpec> flavors;
  std::vector<PartitionSpec> partitions;
  std::vector<ReservationSpec> reservations;
};

// One difference that Reconcile found: a row that only one of cluster and listing had, or that
// differed between them.
struct Drift {
  // kMissing: the cluster lacked the row. kExtra: the listing lacks it.
  enum class Kind : uint8_t { kMissing, kExtra, kDifferent } kind;
  // `node "n1"`, `task "a/b"`.
  std::string object;
};

// What Apply did with a plan that may have been computed from an older version of the cluster.
struct ApplyReport {
  // How many decisions were applied.
  int64_t applied = 0;
  // The others, with the reason: `bind "t1" to "n1": node is gone`.
  std::vector<std::string> refused;
};

namespace internal {
struct Access;
struct ClusterImpl;
}  // namespace internal

// --- the cluster --------------------------------------------------------------------------------

// Living tables of rows. A name stands for one row of its table at a time; a row that was removed
// may be added anew, and is then the last one in the order.
class MUSTER_EXPORT Cluster {
 public:
  // Constructs a cluster with one queue, "default", and nothing else. That queue may be updated,
  // and removed while it is empty.
  Cluster();
  // Frees the rows. Plans and snapshots of the cluster stay valid.
  ~Cluster();
  // Takes the rows of the other cluster. O(1).
  Cluster(Cluster&&) noexcept;
  // Frees the cluster's own rows, and takes those of the other one.
  Cluster& operator=(Cluster&&) noexcept;

  // Nodes.
  //
  // AddNodes adds `count` nodes that are alike, named node.name with 0, 1, ... appended: all of
  // them or none. UpdateNode replaces the node of that name; it keeps its tasks and its place in
  // the order. RemoveNode is refused while tasks are on the node.
  absl::Status AddNode(const NodeSpec& node);
  absl::Status AddNodes(int64_t count, const NodeSpec& node);
  absl::Status UpdateNode(const NodeSpec& node);
  absl::Status RemoveNode(std::string_view name);

  // Queues. UpdateQueue replaces the queue of that name. RemoveQueue is refused while the queue has
  // jobs or queues below it.
  absl::Status AddQueue(const QueueSpec& queue);
  absl::Status UpdateQueue(const QueueSpec& queue);
  absl::Status RemoveQueue(std::string_view name);

  // Jobs. AddJob also creates the tasks of its groups. UpdateJob replaces all but the tasks.
  // RemoveJob removes its tasks, too.
  absl::Status AddJob(const JobSpec& job);
  absl::Status UpdateJob(const JobSpec& job);
  absl::Status RemoveJob(std::string_view name);

  // Makes `count` of a group's tasks, which are numbers (job_counts.h), rows that are pending.
  // Fails if the group has fewer. O(count).
  absl::Status MakeTasks(std::string_view job, std::string_view group, int64_t count);

  // Tasks, one by one.
  absl::Status AddTask(const TaskSpec& task);
  absl::Status UpdateTask(const TaskSpec& task);
  absl::Status RemoveTask(std::string_view name);
  // Sets the status of a task, as it was reported. `node` is required if the status holds a node
  // and the task has none yet; if it has one, an empty `node` keeps it.
  absl::Status SetTaskStatus(std::string_view name, TaskStatus status, std::string_view node = {});

  // The topology tree above the nodes. RemoveDomain is refused while nodes or domains are below it.
  // A domain is updated by events only (ApplyDelta).
  absl::Status AddDomain(const DomainSpec& domain);
  absl::Status RemoveDomain(std::string_view name);
  // Set adds a row, or replaces the one of its name (of its namespace and name). The others keep
  // their order when a row is removed.
  absl::Status SetDisruptionBudget(const DisruptionBudgetSpec& budget);
  absl::Status RemoveDisruptionBudget(std::string_view name_space, std::string_view name);
  absl::Status SetNamespace(const NamespaceSpec& name_space);
  absl::Status RemoveNamespace(std::string_view name);

  // Each is added, or replaces the one of its name. It names nodes, queues and tasks that need not
  // exist.
  absl::Status SetFlavor(const FlavorSpec& flavor);
  absl::Status RemoveFlavor(std::string_view name);
  absl::Status SetPartition(const PartitionSpec& partition);
  absl::Status RemovePartition(std::string_view name);
  absl::Status SetReservation(const ReservationSpec& reservation);
  absl::Status RemoveReservation(std::string_view name);

  // Applies one event of a watch. Fails if the object breaks a rule of its own; it does not fail
  // for names that are not there yet. A domain waits for its parent while that is missing or not of
  // a higher tier. Budgets and namespaces wait for nothing: what they name counts once it is there.
  absl::StatusOr<DeltaOutcome> ApplyDelta(const Delta& delta);
  // Applies events one by one, and returns what became of each. One that is refused stops no other.
  std::vector<DeltaResult> ApplyDeltas(std::span<const Delta> deltas);
  // Returns the newest refused event of each object, in the order in which they were refused: of
  // 1,024 objects at most, after which the first is forgotten. One is also forgotten once a later
  // event of its object is taken, and all are with Reconcile. Plan::Explain repeats the words.
  std::vector<RefusedEvent> RefusedEvents() const;
  // Returns the objects that wait, in the order in which they began to. O(n log n) of their number,
  // besides their size.
  std::vector<WaitingEvent> WaitingEvents() const;
  // Makes the cluster equal to a full listing, and returns what differed. Fails as a whole, and
  // changes nothing, if any row is refused. Drops the generations of earlier events. Costs O(rows).
  absl::StatusOr<std::vector<Drift>> Reconcile(const ClusterSpec& full);

  // Returns the cluster as it is now. O(1); the next change of the cluster costs O(rows) once.
  Snapshot Freeze() const;
  // Returns a second cluster with the rows, the memory and the waiting events of this one. Changes
  // of one do not reach the other, and both give equal plans. A plan is applied to the cluster that
  // it was made of. O(rows).
  Cluster Clone() const;
  // Returns a number that grows with every change. The largest uint64_t: the cluster is lost.
  uint64_t version() const;
  // Returns all rows as specs, in the order of insertion. O(rows).
  ClusterSpec Describe() const;

  // Computes the plan of one cycle: the plan that Schedule(Freeze(), ...) returns, at the cost of
  // what changed since the last cycle of the profile. The rows do not change. Fails as that
  // function does (schedule.h).
  absl::StatusOr<Plan> Schedule(std::string_view profile, const ScheduleOptions& options = {});

  // Applies a plan that the caller carries out:
  // - bound tasks become kBinding on their nodes;
  // - evicted tasks become kReleasing: their resources stay charged until SetTaskStatus or
  //   RemoveTask reports their end;
  // - admitted jobs become kAdmitted, and phases are set;
  // - nominated tasks get the node as TaskSpec::nominated_node;
  // - the plan's memory becomes that of the cluster (muster/memory.h).
  // Decisions that a later change has made impossible are refused one by one, whole gangs together,
  // and the rest is applied. That is no error: the report lists the refused ones. O(plan).
  absl::StatusOr<ApplyReport> Apply(const Plan& plan);
  // Reports that a bind of an applied plan failed: the task goes from kBinding back to kPending.
  // Fails for a task with another status.
  absl::Status ReportBindFailed(std::string_view task);
  // Reports that an eviction of an applied plan failed: the task goes from kReleasing back to
  // kRunning on its node, and events that report it there hold again. Fails for a task with another
  // status.
  absl::Status ReportEvictFailed(std::string_view task);
  // Returns what is assumed and not confirmed, in the order of the rows. An event that shows as
  // much, a call that sets the status, and Reconcile end an assumption. O(n log n) of their number.
  std::vector<Assumption> Assumptions() const;
  // Takes back the assumptions that were made `limits` seconds or more before `now`, as
  // ReportBindFailed and ReportEvictFailed do, and returns them. A task of which a bind expires is
  // pending again and may be placed by the next plan: a bind that the world carries out after all
  // is then an event that moves the task. Fails with InvalidArgument for a limit below 0.
  absl::StatusOr<std::vector<Assumption>> ExpireAssumptions(int64_t now,
                                                            const AssumptionLimits& limits);

  // Returns the memory of the last plan that was applied, which the next cycle starts with. Valid
  // until the next call that changes it.
  const Memory& memory() const;
  // Replaces it with a memory from elsewhere. Its slots get `everything` as their events.
  void SetMemory(const Memory& memory);

 private:
  friend struct internal::Access;
  // Remembers that the event was refused: RefusedEvents.
  void NoteRefused(const Delta& delta, const absl::Status& why);
  std::unique_ptr<internal::ClusterImpl> impl_;
};

}  // namespace muster

#endif  // MUSTER_CLUSTER_H_
