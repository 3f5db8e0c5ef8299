// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Actions: algorithms of your own that place and evict, run beside those of a profile.
//
//   auto smallest_first = [](muster::Workbench& bench, const muster::Options&) {
//     for (muster::JobIndex job : BySize(bench)) {
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
//   extensions->actions.push_back({.name = "smallest-first", .summary = "small gangs first",
//                                  .run = smallest_first});
//   cluster.Schedule("muster:actions=smallest-first+reclaim", {.extensions = extensions});
//
// An action works on books that it changes by moves. Moves since a savepoint are committed (they become decisions, in
// their order), rolled back, or left applied without becoming decisions. The session restores the books when the cycle
// ends, whatever an action left behind, so a failed action never changes the cluster.
// The same action on equal inputs must make equal moves: no clock, no chance, no memory from earlier cycles.
// Threads. A Workbench belongs to the thread that runs the cycle and is valid until the action returns.
// Failure. Calls have no error. REQUIRES: indices are valid, and tasks are in the status that a call names; a call in
// another status has no effect and returns kNone or false.
// Cost. A move is O(dimensions); Place is a look-up in the score table of the task's class.
#ifndef MUSTER_ACTION_H_
#define MUSTER_ACTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "muster/export.h"
#include "muster/policy/cycle.h"
#include "muster/policy/options.h"
#include "muster/policy/verdict.h"
#include "muster/types.h"

namespace muster {

class ActionContext;
namespace internal {
struct Access;
}  // namespace internal

class MUSTER_EXPORT Workbench {
 public:
  // A point in the history of the books. Savepoints nest.
  struct Savepoint {
    size_t position = 0;
    uint64_t content = 0;
    uint64_t release = 0;
  };

  const Cycle& cycle() const { return cycle_; }

  // Alive jobs that had pending tasks or were not admitted when the cycle began, ascending by index.
  std::span<const JobIndex> waiting() const;
  // The job's pending tasks without gates, in task order.
  std::vector<TaskIndex> PendingTasks(JobIndex job) const;
  // Tasks that hold the node or are promised it, ascending by index. Valid until the books change.
  std::span<const TaskIndex> TasksOn(NodeIndex node) const;

  // Orders of the profile: returns true if `a` goes first. Total.
  bool QueueBefore(QueueIndex a, QueueIndex b) const;
  bool JobBefore(JobIndex a, JobIndex b) const;
  bool TaskBefore(TaskIndex a, TaskIndex b) const;

  // Gates of the profile.
  Verdict MayTakeTurn(QueueIndex queue) const;
  Verdict Allocatable(TaskIndex task) const;
  bool Valid(JobIndex job) const;
  bool Ready(JobIndex job) const;
  bool Pipelined(JobIndex job) const;
  bool Starving(JobIndex job) const;
  // Victims that the profile allows for the task, in the order of `candidates`: of its own queue, or of other queues.
  std::vector<TaskIndex> Preemptable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;
  std::vector<TaskIndex> Reclaimable(TaskIndex evictor,
                                     std::span<const TaskIndex> candidates) const;

  // Savepoints.
  Savepoint Save() const;
  void Commit(const Savepoint& before);
  void Rollback(const Savepoint& before);

  // Admits the job: its tasks may be placed from now on.
  void Admit(JobIndex job);
  // Places a pending task on the best node where it fits what is idle. Returns the node, or kNone.
  NodeIndex Place(TaskIndex task);
  // Nominates a pending task on the best node where it fits once what is being released has gone.
  NodeIndex Nominate(TaskIndex task);
  // Returns whether the task fits what is idle on the node, by every rule of the profile.
  bool Fits(TaskIndex task, NodeIndex node) const;
  // Places a pending task on `node` if it fits there. Returns whether it does.
  bool PlaceOn(TaskIndex task, NodeIndex node);
  // Evicts a running or bound task for `beneficiary` (kNone: for no task). Returns false for other tasks.
  bool Evict(TaskIndex victim, TaskIndex beneficiary);
  // The reason that the plan shows for the task becomes "no node", with the refusals as they are now.
  void ExplainNoNode(TaskIndex task);

  // Call between gangs, before each turn. Counts the turn as work, and returns true if the work budget is spent or the
  // caller stops the cycle: the action must return then, with only whole gangs committed.
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
  // Jobs may ask for nodes only after this action has admitted them.
  bool admits = false;
  // The action evicts tasks for others.
  bool evicts = false;
};

}  // namespace muster

#endif  // MUSTER_ACTION_H_
