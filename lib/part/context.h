// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What an action works with: the books, the questions, node search, and the plan in the making.
//
//   for (const JobIndex job : context.waiting) {
//     Attempt attempt(context);                                         // lib/part/attempt.h
//     for (const TaskIndex task : context.PendingTasks(job, /*with_best_effort=*/true)) {
//       const NodeIndex node = context.search.Best(task, Want::kNow);
//       if (node == kNone) break;
//       context.ledger.Move(task, TaskStatus::kPlaced, node);
//     }
//     if (context.dispatcher.Ready(job)) attempt.Commit();   // else all is taken back
//   }
//
// One context serves all actions of one cycle, one after the other. It owns the decisions, the
// reasons and what actions keep for the rest of the cycle. Everything else belongs to the session
// and outlives it.
#ifndef MUSTER_PART_CONTEXT_H_
#define MUSTER_PART_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lib/extension/dispatcher.h"
#include "lib/ledger/ledger.h"
#include "lib/part/decisions.h"
#include "lib/part/reasons.h"
#include "lib/part/work_meter.h"
#include "lib/search/node_search.h"
#include "muster/policy.h"

namespace muster {

// What actions of one peer keep until the cycle ends. See ActionContext::memory.
struct CycleMemory {
  virtual ~CycleMemory() = default;
};

// What an action of a living cluster keeps from one cycle to the next, for speed alone: a cycle
// without it decides the same. See ActionContext::kept.
struct ActionKeep {
  virtual ~ActionKeep() = default;
};

// What is the same for all actions of a cycle.
struct CycleFacts {
  bool admission = false;  // the profile has an action that admits jobs
  bool evicts = false;     // the profile has an action that makes room for tasks that found no node
  bool grows = false;      // the profile has an action that grows elastic jobs (lib/part/elastic.h)
  bool explains = true;    // the plan is to have reasons
  int64_t now = 0;         // as ScheduleOptions::now
  const Cycle* cycle = nullptr;  // what policies read
};

class ActionContext {
 public:
  // `waiting`: alive jobs that had pending tasks or were not admitted when the cycle opened,
  // ascending.
  ActionContext(Ledger& ledger, const Dispatcher& dispatcher, NodeSearch& search, Domains& domains,
                WorkMeter& meter, std::vector<JobPhase>& phases, std::span<const JobIndex> waiting,
                const CycleFacts& facts)
      : tables(ledger.tables()),
        ledger(ledger),
        dispatcher(dispatcher),
        search(search),
        domains(domains),
        meter(meter),
        phases(phases),
        waiting(waiting),
        facts(facts),
        decisions(ledger, dispatcher, phases),
        reasons(ledger, search, facts.explains) {}

  const Tables& tables;
  Ledger& ledger;
  const Dispatcher& dispatcher;
  NodeSearch& search;
  Domains& domains;
  WorkMeter& meter;
  std::vector<JobPhase>& phases;            // per job, as the cycle changes them
  const std::span<const JobIndex> waiting;  // no other job can be the subject of an action
  const CycleFacts facts;
  Decisions decisions;
  Reasons reasons;
  // What the action left here in the session's cycle before, or null. An action takes it out before
  // it changes it, and puts it back when it ends, so that nothing half done stays.
  std::unique_ptr<ActionKeep>* kept = nullptr;  // null: the session runs once

  bool IsPending(JobIndex job) const { return phases[job] == JobPhase::kPending; }
  bool IsGated(TaskIndex task) const { return tables.tasks.flags[task] & kTaskGated; }
  bool IsBestEffort(TaskIndex task) const {
    return tables.classes.best_effort[tables.tasks.task_class[task]];
  }
  ClassIndex ClassOf(TaskIndex task) const { return tables.tasks.task_class[task]; }
  // REQUIRES: the task has a job.
  QueueIndex QueueOf(TaskIndex task) const { return tables.jobs.queue[tables.tasks.job[task]]; }
  // Returns the job's pending tasks without gates, in task order. `with_best_effort` false leaves
  // out those that request nothing. Of an elastic job, where an action grows it, these are the
  // tasks that its gang lacks alone.
  std::vector<TaskIndex> PendingTasks(JobIndex job, bool with_best_effort) const;
  // Returns the same of a job that is not elastic, or that is not grown.
  std::vector<TaskIndex> AllPendingTasks(JobIndex job, bool with_best_effort) const;
  // Returns those of PendingTasks in no particular order: sorting them costs several times as much
  // as finding them.
  std::vector<TaskIndex> PendingSet(JobIndex job, bool with_best_effort) const;
  std::vector<TaskIndex> InTaskOrder(std::vector<TaskIndex> tasks) const;

  // Returns the memory of type T; the first call makes it by T(ActionContext&). Actions of one
  // cycle share it: a peer that derives from another reads what the other's actions wrote.
  template <class T>
  T& memory() {
    for (const auto& [type, known] : memories_) {
      if (type == &kTypeMark<T>) return static_cast<T&>(*known);
    }
    auto made = std::make_unique<T>(*this);
    T& memory = *made;
    memories_.emplace_back(&kTypeMark<T>, std::move(made));
    return memory;
  }

 private:
  // Its address stands for T: actions look for their memories many times in a cycle.
  template <class T>
  static constexpr char kTypeMark = 0;

  std::vector<TaskIndex> ListPending(JobIndex job, bool with_best_effort) const;

  std::vector<std::pair<const char*, std::unique_ptr<CycleMemory>>> memories_;
};

}  // namespace muster

#endif  // MUSTER_PART_CONTEXT_H_
