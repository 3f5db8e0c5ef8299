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
#include "muster/assigned_place.h"
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
// field: a decision with kind kMove is plan.moves()[decision.index]. Fields that a kind does not
// use keep their defaults.
struct Decision {
  // What is decided. It determines which of the fields below are set.
  DecisionKind kind;
  // The task that the decision is about; kNone for decisions about jobs, and for offers.
  TaskIndex task = kNone;
  // The node that the decision is about; kMove: the node that the task moves to.
  NodeIndex node = kNone;
  // The job of `task`, or the job decided about.
  JobIndex job = kNone;
  // kEvict, kMove: the task that gets the room.
  TaskIndex beneficiary = kNone;
  // kPhase: the phase after the cycle. kAdmit: kPending; any other is that of a job which is
  // admitted already, and gets other places.
  JobPhase phase = JobPhase::kPending;
  // kNominate: true if the plan evicts a task on that node for it.
  bool after_eviction = false;
  // The place of its struct in the list of its kind.
  uint32_t index = 0;
  friend bool operator==(const Decision&, const Decision&) = default;
};

// --- decisions by kind

// The task starts on the node now. Cluster::Apply sets its status to kBinding.
struct Bind {
  // The task that was pending, or nominated by an earlier plan.
  TaskIndex task;
  // The node with room for it: what it requests is free there.
  NodeIndex node;
  friend bool operator==(const Bind&, const Bind&) = default;
};

// The task is promised room on the node, and starts there once what is released there has ended.
// A later cycle decides anew: it may bind the task there, elsewhere, or nominate it again.
struct Nomination {
  // The task that waits for the room.
  TaskIndex task;
  // The node on which room is promised.
  NodeIndex node;
  // True if the plan evicts a task on that node for it.
  bool after_eviction = false;
  friend bool operator==(const Nomination&, const Nomination&) = default;
};

// The task must leave its node. Its room is free only when the caller reports its end.
struct Eviction {
  // The task that must end.
  TaskIndex task;
  // The node that it leaves.
  NodeIndex node;
  // The task that gets the room; kNone: the peer names none.
  TaskIndex beneficiary = kNone;
  friend bool operator==(const Eviction&, const Eviction&) = default;
};

// The job gets another phase.
struct PhaseChange {
  // The job, which had another phase before.
  JobIndex job;
  // The phase after the cycle.
  JobPhase phase;
  friend bool operator==(const PhaseChange&, const PhaseChange&) = default;
};

// A running or bound task leaves `from`, and `to` is kept for it.
struct Move {
  // The task that is moved.
  TaskIndex task;
  // The node that it leaves, and the node that it is nominated to.
  NodeIndex from, to;
  // True if room on `to` is still being released; false: the room is there.
  bool nominated = false;
  // The task that gets the room on `from`.
  TaskIndex beneficiary = kNone;
  friend bool operator==(const Move&, const Move&) = default;
};

// The node keeps room for the task, which holds it with status `waiting` until it is bound.
struct Reservation {
  // The task that holds the room.
  TaskIndex task;
  // The node on which the room is.
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
  // kNone: offered to the job, whatever its queue; without a job, to all work on the node.
  QueueIndex queue = kNone;
  // The node with these amounts free.
  NodeIndex node = kNone;
  // One cell for each dimension, in the units of types.h; kAbsent: none of it.
  std::vector<int64_t> amounts = {};
  friend bool operator==(const Offer&, const Offer&) = default;
};

// A group of a job gets another number of tasks. A job that is elastic (ElasticSize in gang.h) has
// one for each of its groups that runs with more or fewer tasks than before; its binds and
// evictions are in the plan, too.
struct Resize {
  // The job of the group.
  JobIndex job;
  // Empty: the job's unnamed group.
  std::string group = {};
  // Its number of tasks from now on.
  int64_t count = 0;
  friend bool operator==(const Resize&, const Resize&) = default;
};

// The task becomes several smaller ones.
struct Split {
  // The task that is replaced.
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
  // The name of the group. Empty: the job's unnamed group.
  std::string group = {};
  // The number of admitted tasks of the group.
  int64_t count = 0;
  // Each dimension once. Empty: no flavor is assigned.
  std::vector<AssignedFlavor> flavors = {};
  // Where its tasks are to run, in the topology of their flavor. Empty: no places are assigned.
  std::vector<AssignedPlace> places = {};
  friend bool operator==(const GroupAssignment&, const GroupAssignment&) = default;
};

// The job may be placed from now on; or it was admitted before, and gets the other places that the
// assignment has (the phase of its Decision is not kPending).
struct Admission {
  // The job that is admitted.
  JobIndex job;
  // The quota by group. Empty: the profile assigns no quota.
  std::vector<GroupAssignment> assignment = {};
  friend bool operator==(const Admission&, const Admission&) = default;
};

// A placement that was tried in the cycle and did not become a decision, although the profile left
// it in its books: volcano keeps a gang's placements while the gang waits for leaving tasks.
struct Tentative {
  // The task, which stays pending.
  TaskIndex task;
  // The node on which it was placed.
  NodeIndex node;
  // True if it was placed on resources still being released.
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
  // The node does not match the node selector or the required node affinity.
  kNodeAffinity,
  // The task does not tolerate a taint: `detail`.
  kTaint,
  // The node has too little free of `dimension`.
  kInsufficient,
  // The node has as many tasks as it may have.
  kPodLimit,
  // A host port of the task is taken on the node.
  kHostPort,
  // No task that a required affinity selects is near the node.
  kAffinity,
  // A task that the task's own required anti-affinity selects is near the node.
  kAntiAffinity,
  // The required anti-affinity of a task near the node selects the task.
  kExistingAntiAffinity,
  // The node lacks a label that a required spread constraint needs.
  kSpreadLabel,
  // A required spread constraint would be broken.
  kSpread,
  // A policy's own rule refuses the task; `detail` has its words.
  kPolicy,
  // The node lacks devices. This rule is checked right after kInsufficient; `detail` has the kind,
  // and what no device of it has.
  kDevice,
};

// A rule that refused a task, and on how many nodes.
struct Refusal {
  // The rule.
  RefusalCode code;
  // Of kInsufficient: what the nodes have too little of.
  DimensionIndex dimension = kNone;
  // Words, in UTF-8: the taint, the kind of device, or the reason that a policy returns.
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
  // No node fits; `refusals` lists the rules that refused it.
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
  // With the task the queue, or one above it, would exceed what it may spend; `where` has the
  // numbers.
  kQueueSpending,
};

// Why a task is pending: describes its most recent placement attempt in the cycle. Many tasks may
// share one. Explain() and ToText() return the same in words.
//
//   for (const muster::PendingTask& pending : plan->pending()) {
//     const muster::Reason& reason = plan->reasons()[pending.reason];
//     if (reason.kind != muster::ReasonKind::kNoNode) continue;
//     for (const muster::Refusal& refusal : reason.refusals) Show(refusal.nodes, refusal.code);
//   }
//
struct Reason {
  // What kept the task from a place. It determines which other fields are set.
  ReasonKind kind;
  // The name of the policy that refused. Empty: the engine itself.
  std::string policy = {};
  // Of queues: the queue that refuses.
  QueueIndex queue = kNone;
  // Of queues: the dimension in which it refuses; kNone: in no particular one.
  DimensionIndex dimension = kNone;
  // Of gangs: how many tasks found a place, of how many that it needs.
  int64_t placed = 0, needed = 0;
  // kNoDomain: the widest topology tier. Of queues: the namespace binding that refuses, or what is
  // spent and what the task costs. kNoNode, kNotAdmitted: the message of the profile's peer, where
  // the profile has one.
  std::string where = {};
  // kNoNode: the rules, those of most nodes first, then by code.
  std::vector<Refusal> refusals = {};
  friend bool operator==(const Reason&, const Reason&) = default;
};

// The domain that a job, or one of its sub-groups, is in once the plan's binds have been carried
// out.
struct ChosenDomain {
  // The job that was placed.
  JobIndex job;
  // The name of the sub-group. Empty: the job itself, or its tasks that are in no sub-group.
  std::string sub_group = {};
  // The name of the domain. Empty: only the whole cluster holds all of it.
  std::string domain = {};
  // The topology tier of the domain (DomainSpec::tier).
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
  // The task that stays pending.
  TaskIndex task;
  // An index into reasons().
  uint32_t reason;
};

// What one queue held and deserved in the cycle. Lists have one cell for each dimension.
//
// Amounts are those of the queue's own jobs, without queues below it, in the units of types.h.
//
//   for (const muster::QueueShare& share : plan->shares()) {
//     Print(plan->queue_name(share.queue), share.share_before, share.share_after);
//   }
//
struct QueueShare {
  // The queue that the numbers are of.
  QueueIndex queue;
  // What its tasks hold, and what its nominated tasks are promised, at the opening of the cycle and
  // at its end.
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
//
//   for (const muster::Decision& decision : plan->decisions()) {
//     if (decision.kind == muster::DecisionKind::kBind) Start(decision.task, decision.node);
//   }
//
// Accessors do not fail, and cost O(1) unless their comment states more. An empty plan is complete,
// and returns empty lists and texts, and 0.
class MUSTER_EXPORT Plan {
 public:
  // Constructs an empty plan: without decisions, names or memory. Allocates nothing.
  Plan();

  // Returns all decisions, in the order in which they were made. Valid, as all spans and views
  // below, as long as a copy of the plan lives.
  std::span<const Decision> decisions() const;
  // Return the decisions of one kind, in that order, with all fields of the kind. Decision::index
  // is the place of a decision in the list of its kind.
  //
  // Jobs that may be placed from now on, with their quota.
  std::span<const Admission> admissions() const;
  // Tasks that start now.
  std::span<const Bind> binds() const;
  // Tasks that start once what is released on their node has ended.
  std::span<const Nomination> nominations() const;
  // Tasks that must leave their node. The caller ends them and reports the end.
  std::span<const Eviction> evictions() const;
  // Jobs that get another phase.
  std::span<const PhaseChange> phases() const;
  // Tasks that leave one node for another.
  std::span<const Move> moves() const;
  // Room that is kept for tasks which are not bound yet.
  std::span<const Reservation> reservations() const;
  // Amounts offered to queues and jobs.
  std::span<const Offer> offers() const;
  // Groups that get another number of tasks.
  std::span<const Resize> resizes() const;
  // Tasks that become several smaller ones.
  std::span<const Split> splits() const;
  // Returns the placements that did not become decisions, in ascending order of tasks.
  std::span<const Tentative> tentative() const;
  // Returns the tasks that the plan leaves pending, in ascending order.
  std::span<const PendingTask> pending() const;
  // Returns why tasks are pending: PendingTask::reason is an index into this list. Tasks may share
  // a reason, so the list may be shorter than pending().
  std::span<const Reason> reasons() const;
  // Returns one row for each queue, in ascending order.
  std::span<const QueueShare> shares() const;
  // Returns the domains that action allocate of volcano chose for jobs with a topology wish or
  // sub-groups, in the order in which they were placed. Profiles with other actions have none.
  std::span<const ChosenDomain> domains() const;
  // Returns the devices of bound tasks that request some, in the order of the binds. Those of one
  // task are in the order of its node's devices.
  std::span<const ChosenDevice> devices() const;

  // Return the names of rows that the plan mentions; an empty text for kNone. Names stay those of
  // the snapshot, also if the row is removed later. A look-up costs at most O(log rows).
  //
  //   for (const muster::Bind& bind : plan->binds()) Start(plan->task_name(bind.task));
  //
  std::string_view task_name(TaskIndex task) const;
  // Returns TaskSpec::uid of a task that a decision is about, or for; an empty text for others.
  std::string_view task_uid(TaskIndex task) const;
  std::string_view node_name(NodeIndex node) const;
  std::string_view job_name(JobIndex job) const;
  std::string_view queue_name(QueueIndex queue) const;
  std::string_view dimension_name(DimensionIndex dimension) const;

  // Returns the spec string of the profile that made the plan.
  std::string_view profile() const;
  // Returns the version of the cluster that it was computed from (Cluster::version). Cluster::Apply
  // compares it, and refuses decisions that later changes have made impossible.
  uint64_t version() const;
  // Returns the time of the cycle: ScheduleOptions::now. Cluster::Apply dates admissions by it.
  int64_t now() const;
  // Returns the units of work that were counted. As ScheduleOptions::work_budget, that number
  // reproduces this plan.
  int64_t work() const;
  // Returns false if a budget or should_stop cut the cycle, at a gang boundary. The decisions of a
  // cut plan are valid: it holds whole gangs only.
  bool complete() const;
  // Returns the value for ScheduleOptions::cursor of the next cycle, the number of actions that had
  // ended; 0 when the plan is complete.
  uint32_t cursor() const;
  // Returns the memory for the next cycle (memory.h). After a cut cycle it is the memory that went
  // in. Cluster::Apply stores it in the cluster.
  Memory memory() const;

  // Returns, in words, why a job or a task is not (wholly) placed. Fails with NotFound if the plan
  // has no such name; a job goes before a task of the same name. Costs O(plan). The words are for
  // readers and may change in any release; reasons() is for programs.
  absl::StatusOr<std::string> Explain(std::string_view job_or_task) const;
  // Returns decisions and reasons in words, one a line, for logs and golden files. Costs O(plan).
  std::string ToText() const;
  // Returns the same, and shares and memory, as one JSON object with names in place of indices. One
  // decision, task or share stands on each line. Costs O(plan).
  std::string ToJson() const;
  // Returns a digest of the plan: 32 hexadecimal digits. Everything above counts but the names of
  // rows, profile() and version(); rows count by index. Equal inputs give equal digests on every
  // machine. Costs O(plan).
  std::string Digest() const;

 private:
  friend struct internal::Access;
  explicit Plan(std::shared_ptr<const PlanData> data);
  std::shared_ptr<const PlanData> data_;
};

}  // namespace muster

#endif  // MUSTER_PLAN_H_
