// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a scheduling cycle decided, and why it did not decide more.
//
//   absl::StatusOr<muster::Plan> plan = cluster.Schedule("volcano");
//   for (const muster::Eviction& eviction : plan->evictions()) Stop(eviction.task);
//   for (const muster::Bind& bind : plan->binds()) Start(bind.task, bind.node);
//   std::cout << *plan->Explain("train");
//   // train: 12 of 16 placed, undone
//   //   88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only
//
// Promise. A plan is an immutable value. It keeps the names that it needs, so it may outlive the
// cluster or snapshot that it came from. Its indices are those of that snapshot.
// Failure. Explain fails with NotFound for a name that is neither a job nor a task of the plan's
// snapshot. REQUIRES of functions that take an index: the plan mentions it, or it is kNone.
// Ownership. Copies share one content. Spans and views are valid as long as one copy lives.
// Threads. Any number of threads may read one plan at once.
// Cost. A copy is a pointer. Lists cost O(1), or what their comment says; texts O(length).
#ifndef MUSTER_PLAN_H_
#define MUSTER_PLAN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/memory.h"
#include "muster/types.h"

namespace muster {

// What a decision is about. The lists of Plan have the fields of each kind.
enum class DecisionKind : uint8_t {
  // Admission: the job may be placed from now on.
  kAdmit,
  // Bind: the task starts on its node now.
  kBind,
  // Nomination: the task starts on its node once what is released there has ended.
  kNominate,
  // Eviction: the task must leave its node.
  kEvict,
  // PhaseChange: the job's phase after the cycle.
  kPhase,
  // Move: the task leaves one node for another that is kept for it.
  kMove,
  // Reservation: the node keeps room for the task, which is not bound yet.
  kReserve,
  // Offer: amounts of a node are offered to a queue or a job.
  kOffer,
  // Resize: a group of a job gets another number of tasks.
  kResize,
  // Split: the task becomes several smaller ones.
  kSplit,
};
// The number of kinds: valid kinds are below it.
inline constexpr int kDecisionKindCount = 10;

// One entry of the ordered list. It has what most kinds share; the struct of its kind has every
// field: a decision with kind kMove is plan.moves()[decision.index].
struct Decision {
  DecisionKind kind;
  TaskIndex task = kNone;
  // kMove: the node that the task moves to.
  NodeIndex node = kNone;
  // The job of `task`, or the job decided about.
  JobIndex job = kNone;
  // kEvict, kMove: the task that gets the room.
  TaskIndex beneficiary = kNone;
  // kPhase: the phase after the cycle.
  JobPhase phase = JobPhase::kPending;
  // kNominate: the plan evicts a task on that node for it.
  bool after_eviction = false;
  // The place of its struct in the list of its kind.
  uint32_t index = 0;
  friend bool operator==(const Decision&, const Decision&) = default;
};

// --- decisions by kind

// The task starts on the node now.
struct Bind {
  TaskIndex task;
  NodeIndex node;
  friend bool operator==(const Bind&, const Bind&) = default;
};

// The task is promised room on the node, and starts there once what is released there has ended.
struct Nomination {
  TaskIndex task;
  NodeIndex node;
  // The plan evicts a task on that node for it.
  bool after_eviction = false;
  friend bool operator==(const Nomination&, const Nomination&) = default;
};

// The task must leave its node. Its room is free only when the caller reports its end.
struct Eviction {
  TaskIndex task;
  // The node that it leaves.
  NodeIndex node;
  // The task that gets the room; kNone: the peer names none.
  TaskIndex beneficiary = kNone;
  friend bool operator==(const Eviction&, const Eviction&) = default;
};

// The job gets another phase.
struct PhaseChange {
  JobIndex job;
  // The phase after the cycle.
  JobPhase phase;
  friend bool operator==(const PhaseChange&, const PhaseChange&) = default;
};

// A running or bound task leaves `from`, and `to` is kept for it.
struct Move {
  TaskIndex task;
  NodeIndex from, to;
  // Room on `to` is still being released; false: the room is there.
  bool nominated = false;
  // The task that gets the room on `from`.
  TaskIndex beneficiary = kNone;
  friend bool operator==(const Move&, const Move&) = default;
};

// The node keeps room for the task, which holds it with status `waiting` until it is bound.
struct Reservation {
  TaskIndex task;
  NodeIndex node;
  // The time up to which the room is kept, in seconds on the caller's clock; kAbsent: no deadline.
  int64_t until = kAbsent;
  // Tasks of one group are bound together; empty: none.
  std::string waiting_group = {};
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

// Amounts of a node that a queue (a role) or a job (a framework) may accept or decline.
struct Offer {
  // kNone: offered to the queue.
  JobIndex job = kNone;
  // kNone: offered to the job, whatever its queue.
  QueueIndex queue = kNone;
  NodeIndex node = kNone;
  // One cell for each dimension, in the units of types.h; kAbsent: none of it.
  std::vector<int64_t> amounts = {};
  friend bool operator==(const Offer&, const Offer&) = default;
};

// A group of a job gets another number of tasks.
struct Resize {
  JobIndex job;
  // Empty: the job's unnamed group.
  std::string group = {};
  // Its number of tasks from now on.
  int64_t count = 0;
  friend bool operator==(const Resize&, const Resize&) = default;
};

// The task becomes several smaller ones.
struct Split {
  TaskIndex task;
  // How many tasks it becomes. Default: 2.
  int64_t parts = 2;
  friend bool operator==(const Split&, const Split&) = default;
};

// The flavor that a quota is taken from in one dimension.
struct AssignedFlavor {
  // The dimension: a resource of the cluster, by index.
  DimensionIndex dimension;
  // The name of the flavor (flavor.h).
  std::string flavor = {};
  friend bool operator==(const AssignedFlavor&, const AssignedFlavor&) = default;
};

// What one group of a job was admitted with.
struct GroupAssignment {
  // Empty: the job's unnamed group.
  std::string group = {};
  // The number of admitted tasks of the group.
  int64_t count = 0;
  // Each dimension once. Empty: no flavor is assigned.
  std::vector<AssignedFlavor> flavors = {};
  friend bool operator==(const GroupAssignment&, const GroupAssignment&) = default;
};

// The job may be placed from now on.
struct Admission {
  JobIndex job;
  // Empty: the profile assigns no quota.
  std::vector<GroupAssignment> assignment = {};
  friend bool operator==(const Admission&, const Admission&) = default;
};

// A placement that was tried in the cycle and did not become a decision, although the profile left
// it in its books: volcano keeps a gang's placements while the gang waits for leaving tasks.
struct Tentative {
  TaskIndex task;
  NodeIndex node;
  // On resources still being released.
  bool nominated;
  friend bool operator==(const Tentative&, const Tentative&) = default;
};

// Why one node refused a task. The first rule that fails on a node counts, in the order of this
// list.
enum class RefusalCode : uint8_t {
  // The node does not report that it is ready.
  kNotReady,
  // The node is marked unschedulable.
  kUnschedulable,
  // Node selector or required node affinity.
  kNodeAffinity,
  // The task does not tolerate a taint: `detail`.
  kTaint,
  // The node has too little free of `dimension`.
  kInsufficient,
  // The node has as many tasks as it may have.
  kPodLimit,
  // A host port of the task is taken on the node.
  kHostPort,
  // Required inter-task affinity.
  kAffinity,
  // The task's own required anti-affinity.
  kAntiAffinity,
  // The required anti-affinity of a task that is there.
  kExistingAntiAffinity,
  // Node lacks a key of a required spread constraint.
  kSpreadLabel,
  // A required spread constraint would be broken.
  kSpread,
  // A policy's own rule; `detail` has its words.
  kPolicy,
  // The node lacks devices. Asked right after kInsufficient; `detail` has the kind, and what no
  // device of it has.
  kDevice,
};

// A rule that refused a task, and on how many nodes.
struct Refusal {
  // The rule.
  RefusalCode code;
  // Of kInsufficient: what the nodes have too little of.
  DimensionIndex dimension = kNone;
  // Words: the taint, the kind of device, what a policy gives as its reason.
  std::string detail = {};
  // How many nodes refused the task by this rule, with equal dimension and detail.
  int64_t nodes = 0;
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// Why a task is pending. docs/explain.md goes through them one by one, with what to check.
enum class ReasonKind : uint8_t {
  // It has scheduling gates.
  kGated,
  // The job has fewer tasks than it needs.
  kInvalidGang,
  // The job was not admitted; `policy` voted against it.
  kNotAdmitted,
  // The queue, or one above it, takes no new tasks.
  kQueueClosed,
  // The queue has all it deserves and gets no turn.
  kQueueOverused,
  // With the task the queue, or one above it, would exceed its limit in `dimension`.
  kQueueLimit,
  // With the task the queue would hold more in `dimension` than it deserves of the cluster.
  kQueueDeserved,
  // No node fits; `refusals` list why.
  kNoNode,
  // `placed` of `needed` tasks found a place; the placements were undone.
  kGangUndone,
  // `placed` of `needed` tasks found a place and keep it undecided: they wait for leaving tasks
  // (volcano, muster), or for the rest of the gang (kube-batch, which takes no placement back).
  kGangWaits,
  // No domain that it may be in has room for it; `placed` of `needed` were placed in one.
  kNoDomain,
  // The cycle ended, or the job's turn ended, before it was tried.
  kNotReached,
  // The queues are no tree that `policy` can divide: no root, or jobs above the leaves.
  kQueueTree,
  // The job's bundles would not fit even on empty nodes.
  kInfeasible,
};

// Why a task is pending: describes its most recent placement attempt in the cycle. Many tasks may
// share one.
struct Reason {
  // What kept the task from a place. It determines which other fields are set.
  ReasonKind kind;
  // The policy that refused. Empty: the engine itself.
  std::string policy = {};
  // Of queues: the queue that refuses, and in which dimension; kNone: in no particular one.
  QueueIndex queue = kNone;
  DimensionIndex dimension = kNone;
  // Of gangs: how many tasks found a place, of how many that it needs.
  int64_t placed = 0, needed = 0;
  // kNoDomain: the widest tier. Of queues: the namespace binding that refuses.
  std::string where = {};
  // Most nodes first, then by code.
  std::vector<Refusal> refusals = {};
  friend bool operator==(const Reason&, const Reason&) = default;
};

// The domain that a job, or one of its sub-groups, is in once the plan's binds have been carried
// out.
struct ChosenDomain {
  // The job that was placed.
  JobIndex job;
  // Empty: the job itself, or its tasks that are in no sub-group.
  std::string sub_group = {};
  // Empty: only the whole cluster holds all of it.
  std::string domain = {};
  // The tier of the domain.
  int32_t tier = 0;
  friend bool operator==(const ChosenDomain&, const ChosenDomain&) = default;
};

// A part of a device of its node that a bound task gets.
struct ChosenDevice {
  // The task, which the plan binds.
  TaskIndex task;
  // The name of the device on that node.
  std::string device = {};
  // How much of the device, in thousandths: 1000 is all of it.
  int64_t milli = 0;
  // How much of its memory, in bytes.
  int64_t memory = 0;
  friend bool operator==(const ChosenDevice&, const ChosenDevice&) = default;
};

// A task that the plan leaves pending.
struct PendingTask {
  // The task that gets no place.
  TaskIndex task;
  // An index into reasons().
  uint32_t reason;
};

// What one queue held and deserved in the cycle. Lists have one cell for each dimension.
//
// Amounts are those of the queue's own jobs, without queues below it, in the units of types.h.
struct QueueShare {
  // The queue that the numbers are of.
  QueueIndex queue;
  // What its tasks hold at the opening and at the end of the cycle.
  std::vector<int64_t> allocated_before, allocated_after;
  // What the queue deserves of the cluster. Empty where the profile has no such amounts.
  std::vector<double> deserved;
  // Its share as the profile's policy computes it, at the opening and at the end of the cycle.
  double share_before = 0, share_after = 0;
};

struct PlanData;
namespace internal {
struct Access;
}  // namespace internal

// All that one cycle decided. Lists keep the order in which the decisions were made, unless their
// comment names another one.
class MUSTER_EXPORT Plan {
 public:
  // Constructs an empty plan: without decisions, names or memory.
  Plan();

  // Returns all decisions, in the order in which they were made.
  std::span<const Decision> decisions() const;
  // Return the decisions of one kind, in that order. Each costs O(1).
  std::span<const Admission> admissions() const;
  std::span<const Bind> binds() const;
  std::span<const Nomination> nominations() const;
  std::span<const Eviction> evictions() const;
  std::span<const PhaseChange> phases() const;
  std::span<const Move> moves() const;
  std::span<const Reservation> reservations() const;
  std::span<const Offer> offers() const;
  std::span<const Resize> resizes() const;
  std::span<const Split> splits() const;
  // Return their rows in ascending order of tasks.
  std::span<const Tentative> tentative() const;
  std::span<const PendingTask> pending() const;
  // Why tasks are pending: PendingTask::reason is an index into this list.
  std::span<const Reason> reasons() const;
  // Returns one row for each queue, in ascending order.
  std::span<const QueueShare> shares() const;
  // Of jobs with wishes for domains or with sub-groups that were placed, in the order they were.
  std::span<const ChosenDomain> domains() const;
  // Of tasks that asked for devices, in the order of the binds; of one task in the order of its
  // node's devices.
  std::span<const ChosenDevice> devices() const;

  // Return names of the rows that decisions mention; an empty text for kNone. Each costs O(1).
  std::string_view task_name(TaskIndex task) const;
  std::string_view node_name(NodeIndex node) const;
  std::string_view job_name(JobIndex job) const;
  std::string_view queue_name(QueueIndex queue) const;
  std::string_view dimension_name(DimensionIndex dimension) const;

  // Returns the spec string of the profile that made the plan.
  std::string_view profile() const;
  // Returns the version of the cluster that it was computed from (Cluster::version).
  uint64_t version() const;
  // Returns the units of work that were counted. As a budget, that number reproduces this plan.
  int64_t work() const;
  // Returns false if a budget or a deadline cut the plan, at a gang boundary.
  bool complete() const;
  // Returns the action from which the next cycle goes on; 0 when the plan is complete.
  uint32_t cursor() const;
  // Returns what the next cycle is to remember; after a cut cycle, what went in.
  Memory memory() const;

  // Returns, in words, why a job or a task is not (wholly) placed. Fails with NotFound if there is no
  // such name.
  absl::StatusOr<std::string> Explain(std::string_view job_or_task) const;
  // Returns decisions and reasons, one a line.
  std::string ToText() const;
  // Returns the same as one JSON object. O(plan).
  std::string ToJson() const;
  // Returns a digest of everything above except names: 32 hexadecimal digits.
  std::string Digest() const;

 private:
  friend struct internal::Access;
  explicit Plan(std::shared_ptr<const PlanData> data);
  std::shared_ptr<const PlanData> data_;
};

}  // namespace muster

#endif  // MUSTER_PLAN_H_
