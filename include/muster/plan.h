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

enum class DecisionKind : uint8_t {
  kAdmit,     // Admission: the job may be placed from now on
  kBind,      // Bind: the task starts on its node now
  kNominate,  // Nomination: the task starts on its node once what is released there has ended
  kEvict,     // Eviction: the task must leave its node
  kPhase,     // PhaseChange: the job's phase after the cycle
  kMove,      // Move: the task leaves one node for another that is kept for it
  kReserve,   // Reservation: the node keeps room for the task, which is not bound yet
  kOffer,     // Offer: amounts of a node are offered to a queue or a job
  kResize,    // Resize: a group of a job gets another number of tasks
  kSplit,     // Split: the task becomes several smaller ones
};
inline constexpr int kDecisionKindCount = 10;

// One entry of the ordered list. It has what most kinds share; the struct of its kind has every
// field: a decision with kind kMove is plan.moves()[decision.index].
struct Decision {
  DecisionKind kind;
  TaskIndex task = kNone;
  NodeIndex node = kNone;               // kMove: the node that the task moves to
  JobIndex job = kNone;                 // the job of `task`, or the job decided about
  TaskIndex beneficiary = kNone;        // kEvict, kMove: the task that gets the room
  JobPhase phase = JobPhase::kPending;  // kPhase
  bool after_eviction = false;          // kNominate: the plan evicts a task on that node for it
  uint32_t index = 0;                   // in the list of its kind
  friend bool operator==(const Decision&, const Decision&) = default;
};

// --- decisions by kind

struct Bind {
  TaskIndex task;
  NodeIndex node;
  friend bool operator==(const Bind&, const Bind&) = default;
};

struct Nomination {
  TaskIndex task;
  NodeIndex node;
  bool after_eviction = false;  // the plan evicts a task on that node for it
  friend bool operator==(const Nomination&, const Nomination&) = default;
};

struct Eviction {
  TaskIndex task;
  NodeIndex node;                 // the node that it leaves
  TaskIndex beneficiary = kNone;  // the task that gets the room; kNone: the peer names none
  friend bool operator==(const Eviction&, const Eviction&) = default;
};

struct PhaseChange {
  JobIndex job;
  JobPhase phase;
  friend bool operator==(const PhaseChange&, const PhaseChange&) = default;
};

// A running or bound task leaves `from`, and `to` is kept for it.
struct Move {
  TaskIndex task;
  NodeIndex from, to;
  bool nominated = false;         // room on `to` is still being released; false: the room is there
  TaskIndex beneficiary = kNone;  // the task that gets the room on `from`
  friend bool operator==(const Move&, const Move&) = default;
};

// The node keeps room for the task, which holds it with status `waiting` until it is bound.
struct Reservation {
  TaskIndex task;
  NodeIndex node;
  int64_t until = kAbsent;         // seconds; kAbsent: no deadline
  std::string waiting_group = {};  // tasks of one group are bound together; empty: none
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

// Amounts of a node that a queue (a role) or a job (a framework) may accept or decline.
struct Offer {
  JobIndex job = kNone;      // kNone: offered to the queue
  QueueIndex queue = kNone;  // kNone: offered to the job, whatever its queue
  NodeIndex node = kNone;
  std::vector<int64_t> amounts = {};  // per dimension; kAbsent: none of it
  friend bool operator==(const Offer&, const Offer&) = default;
};

struct Resize {
  JobIndex job;
  std::string group = {};  // empty: the job's unnamed group
  int64_t count = 0;       // its number of tasks from now on
  friend bool operator==(const Resize&, const Resize&) = default;
};

struct Split {
  TaskIndex task;
  int64_t parts = 2;
  friend bool operator==(const Split&, const Split&) = default;
};

// The flavor that a quota is taken from in one dimension.
struct AssignedFlavor {
  DimensionIndex dimension;
  std::string flavor = {};
  friend bool operator==(const AssignedFlavor&, const AssignedFlavor&) = default;
};

struct GroupAssignment {
  std::string group = {};  // empty: the job's unnamed group
  int64_t count = 0;       // admitted tasks of the group
  std::vector<AssignedFlavor> flavors = {};
  friend bool operator==(const GroupAssignment&, const GroupAssignment&) = default;
};

struct Admission {
  JobIndex job;
  std::vector<GroupAssignment> assignment = {};  // empty: the profile assigns no quota
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
  TaskIndex task;
  // The name of the device on that node.
  std::string device = {};
  // Thousandths of it.
  int64_t milli = 0;
  // Bytes.
  int64_t memory = 0;
  friend bool operator==(const ChosenDevice&, const ChosenDevice&) = default;
};

// A task that the plan leaves pending.
struct PendingTask {
  TaskIndex task;
  // An index into reasons().
  uint32_t reason;
};

// What one queue held and deserved in the cycle. Lists have one cell for each dimension.
//
// Amounts are those of the queue's own jobs, without queues below it, in the units of types.h.
struct QueueShare {
  QueueIndex queue;
  // Per dimension.
  std::vector<int64_t> allocated_before, allocated_after;
  // Per dimension; empty where the profile has none.
  std::vector<double> deserved;
  // Its share as the profile's policy computes it, at the opening and at the end of the cycle.
  double share_before = 0, share_after = 0;
};

struct PlanData;
namespace internal {
struct Access;
}  // namespace internal

class MUSTER_EXPORT Plan {
 public:
  Plan();  // an empty plan

  std::span<const Decision> decisions() const;  // in the order they were made
  // The decisions of one kind, in that order. O(1).
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
  std::span<const Tentative> tentative() const;  // by task
  std::span<const PendingTask> pending() const;  // by task
  std::span<const Reason> reasons() const;
  std::span<const QueueShare> shares() const;  // by queue
  // Of jobs with wishes for domains or with sub-groups that were placed, in the order they were.
  std::span<const ChosenDomain> domains() const;
  // Of tasks that asked for devices, in the order of the binds; of one task in the order of its
  // node's devices.
  std::span<const ChosenDevice> devices() const;

  // Names of the rows that decisions mention; empty for kNone.
  std::string_view task_name(TaskIndex task) const;
  std::string_view node_name(NodeIndex node) const;
  std::string_view job_name(JobIndex job) const;
  std::string_view queue_name(QueueIndex queue) const;
  std::string_view dimension_name(DimensionIndex dimension) const;

  std::string_view profile() const;
  uint64_t version() const;  // of the cluster it was computed from
  int64_t work() const;      // units of work counted; as a budget it reproduces this plan
  bool complete() const;     // false: a budget or a deadline cut it, at a gang boundary
  uint32_t cursor() const;   // the action to go on from in the next cycle; 0 when complete
  // What the next cycle is to remember. Of a cut cycle: what went in.
  Memory memory() const;

  // Why a job or a task is not (wholly) placed, in words; NotFound when there is no such name.
  absl::StatusOr<std::string> Explain(std::string_view job_or_task) const;
  std::string ToText() const;  // decisions and reasons, one a line
  std::string ToJson() const;
  std::string Digest() const;  // of everything above except names; 32 hex digits

 private:
  friend struct internal::Access;
  explicit Plan(std::shared_ptr<const PlanData> data);
  std::shared_ptr<const PlanData> data_;
};

}  // namespace muster

#endif  // MUSTER_PLAN_H_
