// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Victim search: candidates on a node, the order in which they go, evictions that are only tried.
//
//   if (!CouldMakeRoom(context, task, node)) return false;
//   ListTasksOn(context, node, [&](TaskIndex t) { return MayGo(task, t); }, &candidates);
//   const std::vector<TaskIndex> victims = context.dispatcher.Preemptable(task, candidates);
//   if (!VictimsSuffice(context, task, node, victims)) return false;
//   Attempt attempt(context);
//   order.Start(task, victims);   // VictimOrder order(context), made once
//   std::vector<TaskIndex> gone;
//   if (!EvictUntil(context, task, &order, [&] { return Fits(task, node); }, &gone)) return false;
//   Nominate(context, task, node, /*after_eviction=*/!gone.empty());
//   attempt.Keep();
//
// TrialEvictions is a dry run: the books as they would be if some tasks were gone. A search over
// growing victim sets is a loop of either of these.
#ifndef MUSTER_PART_VICTIMS_H_
#define MUSTER_PART_VICTIMS_H_

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/base/go_heap.h"
#include "lib/extension/keyed_jobs.h"
#include "lib/part/attempt.h"
#include "lib/part/context.h"

namespace muster {

// --- candidates

// Sets `*tasks` to the tasks that hold the node or are promised it and of which `may_go` holds,
// ascending.
template <class MayGo>
void ListTasksOn(const ActionContext& context, NodeIndex node, const MayGo& may_go,
                 std::vector<TaskIndex>* tasks) {
  tasks->clear();
  for (TaskIndex t : context.ledger.tasks_on(node)) {
    if (may_go(t)) tasks->push_back(t);
  }
}

// Returns false if evicting everything evictable on the node would leave too little room for the
// task. It is a cheap bound, to be checked before the tasks there.
bool CouldMakeRoom(const ActionContext& context, TaskIndex task, NodeIndex node);

// Returns whether the task's request fits what will be idle on the node once `victims`, all of them
// there, are gone.
bool VictimsSuffice(const ActionContext& context, TaskIndex task, NodeIndex node,
                    const std::vector<TaskIndex>& victims);

// --- the order in which victims go

// Victims in the order in which they go: Go's heap with comparators that are not strict. It is made
// once for many nodes.
//
//   VictimOrder order(context);
//   order.Start(task, victims);
//   while (!order.empty() && !fits()) Evict(context, order.Pop(), task);
//
// A heap of a node's tasks compares each pair of levels several times, and most tasks are of
// different jobs. So where all policies order jobs by numbers (lib/extension/keyed_jobs.h), these
// are asked for once for each task, and again after the account of its job has changed: shares
// move while victims go. What is then left to ask about is the order of tasks of equal jobs.
class VictimOrder {
 public:
  explicit VictimOrder(const ActionContext& context);
  VictimOrder(const VictimOrder&) = delete;
  VictimOrder& operator=(const VictimOrder&) = delete;

  // Replaces the victims by those of `evictor` (kNone: of no task).
  void Start(TaskIndex evictor, std::span<const TaskIndex> victims);
  bool empty() const { return heap_.empty(); }
  // REQUIRES: !empty().
  TaskIndex Pop() { return rows_[heap_.Pop()].task; }

 private:
  struct Row {
    TaskIndex task;
    JobIndex job;
    QueueIndex queue;
    uint64_t stamp;  // of the job's account when the keys were asked for
    JobKeys keys;
  };
  struct Less {
    VictimOrder* order;
    bool operator()(uint32_t left, uint32_t right) const { return order->IsBefore(left, right); }
  };
  bool IsBefore(uint32_t left, uint32_t right);
  const JobKeys& KeysOf(Row& row) const;

  const Dispatcher& dispatcher_;
  const Ledger& ledger_;
  const JobOrderKeys keys_;
  TaskIndex evictor_ = kNone;
  std::vector<Row> rows_;
  GoHeap<uint32_t, Less> heap_;  // of places in rows_
};

// --- evictions

// Evicts the victim for `beneficiary` (kNone: for no task). It becomes a decision when it is
// committed.
void Evict(ActionContext& context, TaskIndex victim, TaskIndex beneficiary);

// Promises the node to the task. `after_eviction`: it waits for tasks that were evicted for it.
void Nominate(ActionContext& context, TaskIndex task, NodeIndex node, bool after_eviction);

// Evicts victims one by one for the task until `fits` returns true; calls `fits` before the first.
// Appends them to `gone`. Returns false if `fits` returns false with all of them gone.
bool EvictUntil(ActionContext& context, TaskIndex task, VictimOrder* order,
                absl::FunctionRef<bool()> fits, std::vector<TaskIndex>* gone);

// --- dry runs

// Evictions for a dry run. They are in the books until they are cleared or the scope ends, and
// leave no trace. (An eviction that is undone by a move of its own leaves one in the Kubernetes
// view.)
class TrialEvictions {
 public:
  explicit TrialEvictions(ActionContext& context)
      : ledger_(context.ledger), before_(ledger_.Save()), passing_(std::uncaught_exceptions()) {}
  TrialEvictions(const TrialEvictions&) = delete;
  TrialEvictions& operator=(const TrialEvictions&) = delete;
  ~TrialEvictions() noexcept(false) {
    if (std::uncaught_exceptions() == passing_) Clear();  // see Attempt
  }

  void Evict(TaskIndex victim) {
    ledger_.Move(victim, TaskStatus::kReleasing, ledger_.node_of(victim));
  }
  void Evict(std::span<const TaskIndex> victims) {
    for (TaskIndex victim : victims) Evict(victim);
  }
  // Takes all of them back.
  void Clear() { ledger_.Restore(before_); }

 private:
  Ledger& ledger_;
  const Ledger::Savepoint before_;
  const int passing_;
};

// Returns those of `gone` that must be evicted, the last first. Each is spared, beginning with the
// last, if `fits` still returns true while all others that were not spared are gone. The books are
// as before.
std::vector<TaskIndex> WithoutNeedless(ActionContext& context, std::span<const TaskIndex> gone,
                                       absl::FunctionRef<bool()> fits);

}  // namespace muster

#endif  // MUSTER_PART_VICTIMS_H_
