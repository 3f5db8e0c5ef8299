// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Actions: algorithms of your own that place and evict, run beside those of a profile.
//
//   auto in_order = [](muster::Workbench& bench, const muster::Options&) {
//     for (muster::JobIndex job : bench.waiting()) {
//       if (bench.ShouldStop()) return;
//       const muster::Workbench::Savepoint before = bench.Save();
//       for (muster::TaskIndex task : bench.PendingTasks(job)) {
//         if (!bench.Allocatable(task).ok() || bench.Place(task) == muster::kNone) break;
//       }
//       if (bench.Ready(job)) {
//         bench.Commit(before);     // the moves become decisions of the plan
//       } else {
//         bench.Rollback(before);   // the books are as they were
//       }
//     }
//   };
//
//   extensions->actions.push_back({.name = "in-order", .summary = "gangs as they were added",
//                                  .run = in_order});
//   cluster.Schedule("muster:actions=in-order+reclaim", {.extensions = extensions});
//
// examples/cpp_extension is a whole program with an action and four policies.
//
// Promise. An action works on books that it changes by moves. Moves since a savepoint have one of
// three ends: they are committed and become decisions, in their order; they are rolled back; or
// they stay applied without becoming decisions. The session restores the books when the cycle ends,
// whatever an action left behind, so a failed action never changes the cluster. The same action on
// equal inputs must make equal moves: no clock, no chance, and nothing from earlier cycles but what
// it reads in the memory (Cycle::Recall). Cycle::turn returns what the cycle is to decide.
// Failure. Calls have no error. REQUIRES: indices are valid. A call for a task in another status
// than the call names has no effect and returns kNone or false. Exceptions must not leave an
// action.
// Ownership. A Workbench is valid until the action returns. Spans are valid until the next move.
// Threads. A Workbench belongs to the thread that runs the cycle.
// Cost. A move costs O(dimensions). Place is a look-up in the score table of the task's class, plus
// what the last moves changed in it.
#ifndef MUSTER_ACTION_H_
#define MUSTER_ACTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "muster/export.h"
#include "muster/plan.h"
#include "muster/policy/cycle.h"
#include "muster/policy/options.h"
#include "muster/policy/verdict.h"
#include "muster/types.h"

namespace muster {

class ActionContext;
namespace internal {
struct Access;
}  // namespace internal

// The books of one cycle, with the calls and moves of the profile's own actions.
class MUSTER_EXPORT Workbench {
 public:
  // A point in the history of the books, made by Save. Savepoints nest.
  struct Savepoint {
    size_t position = 0;
    uint64_t content = 0;
    uint64_t release = 0;
  };

  // Returns what may be read of the cluster and the books.
  const Cycle& cycle() const { return cycle_; }

  // Returns the jobs that had pending tasks or were not admitted when the cycle began, ascending by
  // index. Jobs that were removed are not among them.
  std::span<const JobIndex> waiting() const;
  // Returns the job's pending tasks without gates, in the profile's order of tasks.
  std::vector<TaskIndex> PendingTasks(JobIndex job) const;
  // Returns the tasks that hold the node or are promised it, ascending by index. The span is valid
  // until the books change.
  std::span<const TaskIndex> TasksOn(NodeIndex node) const;

  // Orders of the profile: return true if `a` goes first. They are total: of two different rows one
  // goes first.
  bool QueueBefore(QueueIndex a, QueueIndex b) const;
  bool JobBefore(JobIndex a, JobIndex b) const;
  bool TaskBefore(TaskIndex a, TaskIndex b) const;

  // Gates of the profile. Return whether the queue may take a turn, the task may take free
  // resources, the job has enough tasks, its gang is whole, will be once leaving tasks have gone,
  // and lacks tasks for which others may be evicted. A task that stays pending after Allocatable
  // refused it has that refusal as its reason.
  Verdict MayTakeTurn(QueueIndex queue) const;
  Verdict Allocatable(TaskIndex task) const;
  bool Valid(JobIndex job) const;
  bool Ready(JobIndex job) const;
  bool Pipelined(JobIndex job) const;
  bool Starving(JobIndex job) const;
  // Return the candidates that the profile allows to evict for the task: candidates of its own
  // queue (Preemptable) or of other queues (Reclaimable), in the order of `candidates`.
  std::vector<TaskIndex> Preemptable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;
  std::vector<TaskIndex> Reclaimable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;

  // Save marks the present state. Commit turns the moves since `before` into decisions, in their
  // order. Rollback takes the moves since `before` back. REQUIRES: none of them was committed.
  Savepoint Save() const;
  void Commit(const Savepoint& before);
  void Rollback(const Savepoint& before);

  // Admits the job: its tasks may be placed from now on, and the plan has an Admission. Rollback
  // does not undo it. `assignment` is the quota assigned to the job, as the plan shows it. Needed
  // only for other actions that place admitted jobs alone: Place does not look at the phase.
  void Admit(JobIndex job, std::vector<GroupAssignment> assignment = {});
  // Places a pending task on the best node where it fits what is idle, by the fit and score of the
  // profile. Returns the node, or kNone if there is none.
  NodeIndex Place(TaskIndex task);
  // Nominates a pending task on the best node where it fits once leaving tasks have gone. Returns
  // the node, or kNone.
  NodeIndex Nominate(TaskIndex task);
  // Returns whether the task fits what is idle on the node, by every rule of the profile.
  bool Fits(TaskIndex task, NodeIndex node) const;
  // Places a pending task on `node` if it fits there. Returns whether it does.
  bool PlaceOn(TaskIndex task, NodeIndex node);
  // Evicts a running or bound task for `beneficiary` (kNone: for no task). Returns false for other
  // tasks.
  bool Evict(TaskIndex victim, TaskIndex beneficiary);
  // Evicts a running or bound task and keeps `node` for it: the task leaves its node and is
  // nominated to the other. Returns false for other tasks.
  // REQUIRES: the task fits there.
  bool MoveTo(TaskIndex task, NodeIndex node, TaskIndex beneficiary);
  // Takes back an eviction, or a move to another node, that this cycle made: the task stays where
  // it is. Returns false for other tasks.
  bool Return(TaskIndex task);
  // Places a pending task as Place does, with status waiting: it holds the node and is not bound.
  // Committed, it is a Reservation with this deadline (seconds; kAbsent: none) and waiting group.
  NodeIndex Reserve(TaskIndex task, int64_t until, std::string_view waiting_group);
  // Adds a decision that moves no task in the books: at once, and for good. No savepoint takes it
  // back.
  void Decide(Offer offer);
  void Decide(Resize resize);
  void Decide(const Split& split);
  // Sets the reason that the plan shows for the task to kNoNode, with the refusals as they are now.
  void ExplainNoNode(TaskIndex task);

  // Call between gangs, before each turn. Counts the turn as work, and returns true if the work
  // budget is spent or the caller stops the cycle: the action must return then, with only whole
  // gangs committed.
  bool ShouldStop();

 private:
  friend struct internal::Access;
  Workbench(const Cycle& cycle, ActionContext& context) : cycle_(cycle), context_(context) {}

  const Cycle& cycle_;
  ActionContext& context_;
};

// An action of the caller, as a spec string names it.
struct CustomAction {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDecl> options = {};
  std::function<void(Workbench& bench, const Options& options)> run;
  // True: tasks of a job are placed only after this action has admitted the job. It may place them
  // itself.
  bool admits = false;
  // True: the action evicts tasks for others.
  bool evicts = false;
  // The slots of the memory that the action reads or writes.
  std::vector<MemoryDecl> memory = {};
  // The kinds of turn that the action serves (muster/turn.h). An action serves the next decisions
  // by calling ShouldStop.
  TurnSet turns = kUsualTurns;
};

}  // namespace muster

#endif  // MUSTER_ACTION_H_
