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
// docs/explain.md goes through the reasons one by one.
//
// A Plan is an immutable value: copying shares its contents, any thread may read it, and it keeps
// the names it needs, so it may outlive the Cluster or Snapshot it came from. Indices are those of
// that snapshot.
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

// A placement tried in the cycle that did not become a decision although the profile left it in its
// books (volcano keeps a gang's placements while the gang waits for resources being released).
struct Tentative {
  TaskIndex task;
  NodeIndex node;
  bool nominated;  // on resources still being released
  friend bool operator==(const Tentative&, const Tentative&) = default;
};

// Why one node refused a task. The first rule that fails on a node counts, in the order of this
// list.
enum class RefusalCode : uint8_t {
  kNotReady,
  kUnschedulable,
  kNodeAffinity,  // node selector or required node affinity
  kTaint,         // detail: the taint
  kInsufficient,  // dimension
  kPodLimit,
  kHostPort,
  kAffinity,              // required inter-task affinity
  kAntiAffinity,          // the task's own required anti-affinity
  kExistingAntiAffinity,  // that of a task already there
  kSpreadLabel,           // node lacks a key of a required spread constraint
  kSpread,
  kPolicy,  // a custom policy; detail: its name and words
  kDevice,  // asked right after kInsufficient; detail: the kind, and what no device of it has
};

struct Refusal {
  RefusalCode code;
  DimensionIndex dimension = kNone;
  std::string detail = {};
  int64_t nodes = 0;
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

enum class ReasonKind : uint8_t {
  kGated,        // it has scheduling gates
  kInvalidGang,  // the job has fewer tasks than it needs
  kNotAdmitted,  // detail: who refused
  kQueueClosed,
  kQueueOverused,  // the queue has all it deserves and gets no turn
  kQueueLimit,     // with it the queue, or one above it, would exceed its limit in `dimension`
  kQueueDeserved,  // with it the queue would hold more in `dimension` than it deserves of the cluster
  kNoNode,         // refusals say why
  kGangUndone,     // placed of needed found a place; the placements were undone
  // placed of needed found a place and keep it undecided: they wait for resources being released
  // (volcano, muster), or for the rest of the gang (kube-batch, which takes no placement back).
  kGangWaits,
  kNoDomain,  // no domain that it may be in has room for it; `placed` of `needed` were placed in one
  kNotReached,  // the cycle ended, or the job's turn ended, before it was tried
  kQueueTree,  // the queues are no tree that `policy` can divide: no root, or jobs above the leaves
  kInfeasible,  // the job's bundles would not fit even on empty nodes
};

// True at the last attempt of the task it belongs to.
struct Reason {
  ReasonKind kind;
  std::string policy = {};  // who said no; empty: the engine itself
  QueueIndex queue = kNone;
  DimensionIndex dimension = kNone;
  int64_t placed = 0, needed = 0;
  std::string where = {};              // kNoDomain: the widest tier; of queues: who else refuses
  std::vector<Refusal> refusals = {};  // most nodes first, then by code
  friend bool operator==(const Reason&, const Reason&) = default;
};

// The domain that a job, or one of its sub-groups, is in once the plan's binds have been carried
// out.
struct ChosenDomain {
  JobIndex job;
  std::string sub_group = {};  // empty: the job, or its tasks that are in none
  std::string domain = {};     // empty: only the whole cluster holds all of it
  int32_t tier = 0;
  friend bool operator==(const ChosenDomain&, const ChosenDomain&) = default;
};

// A part of one of its node's devices that a task gets which the plan binds.
struct ChosenDevice {
  TaskIndex task;
  std::string device = {};
  int64_t milli = 0;
  int64_t memory = 0;  // bytes
  friend bool operator==(const ChosenDevice&, const ChosenDevice&) = default;
};

struct PendingTask {
  TaskIndex task;
  uint32_t reason;  // index into reasons()
};

struct QueueShare {
  QueueIndex queue;
  std::vector<int64_t> allocated_before, allocated_after;  // per dimension
  std::vector<double> deserved;  // per dimension; empty where the profile has none
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
