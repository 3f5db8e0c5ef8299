// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What an action works with: the books, the questions, node search, and the plan in the making.
//
//   Ledger::Savepoint before = context.ledger.Save();
//   ... context.ledger.Move(task, TaskStatus::kPlaced, node) ...
//   if (context.dispatcher.Ready(job)) context.Commit(before); else context.ledger.Rollback(before);
//
// A statement is everything since a savepoint. It may be committed (its moves become decisions, in order), rolled
// back, or left applied without becoming decisions, as some peers do; the session rolls back all of it at the end.
#ifndef MUSTER_PART_CONTEXT_H_
#define MUSTER_PART_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/go_heap.h"
#include "lib/base/hash_map.h"
#include "lib/extension/dispatcher.h"
#include "lib/ledger/ledger.h"
#include "lib/part/fit_errors.h"
#include "lib/plan/plan_data.h"
#include "lib/search/node_search.h"
#include "muster/policy.h"

namespace muster {

// Counts work. A unit is one turn of a job or one task tried, so equal counts mean equal prefixes.
class WorkMeter {
 public:
  WorkMeter(std::optional<int64_t> budget, const std::function<bool()>* should_stop)
      : budget_(budget), should_stop_(should_stop) {}
  void Spend() { ++work_; }
  // Asked between gangs, before a turn. True, once and for all: the cycle ends here.
  bool Cut();
  int64_t work() const { return work_; }
  bool was_cut() const { return cut_; }

 private:
  std::optional<int64_t> budget_;
  const std::function<bool()>* should_stop_;
  int64_t work_ = 0;
  bool cut_ = false;
};

// Why the queue may not take a task.
inline ReasonKind QueueRefusal(const Verdict& verdict) {
  switch (verdict.cause) {
    case Cause::kClosed:
      return ReasonKind::kQueueClosed;
    case Cause::kTree:
      return ReasonKind::kQueueTree;
    case Cause::kDeserved:
      return ReasonKind::kQueueDeserved;
    case Cause::kLimit:
      break;
  }
  return ReasonKind::kQueueLimit;
}

class ActionContext;

// A job's tasks, to be taken one by one in task order. Where placements move that order it is a heap as the peers
// have it, which compares when it is touched.
class TaskQueue {
 public:
  TaskQueue() = default;
  // REQUIRES: the tasks are in task order.
  TaskQueue(const ActionContext& context, std::vector<TaskIndex> tasks);
  bool empty() const { return heap_ ? heap_->empty() : next_ == tasks_.size(); }
  TaskIndex Pop() { return heap_ ? heap_->Pop() : tasks_[next_++]; }
  // What is left, where placements do not move the order.
  std::span<const TaskIndex> rest() const { return std::span(tasks_).subspan(next_); }

 private:
  struct Before {
    const Dispatcher* dispatcher;
    bool operator()(TaskIndex a, TaskIndex b) const { return dispatcher->TaskBefore(a, b); }
  };
  std::vector<TaskIndex> tasks_;
  size_t next_ = 0;
  std::optional<GoHeap<TaskIndex, Before>> heap_;
};

class ActionContext {
 public:
  ActionContext(const Tables& tables, Ledger& ledger, const Dispatcher& dispatcher,
                NodeSearch& search, WorkMeter& meter, std::vector<JobPhase>& phases,
                std::span<const JobIndex> waiting, Domains& domains, bool admission, bool evicts);

  const Tables& tables;
  Ledger& ledger;
  const Dispatcher& dispatcher;
  NodeSearch& search;
  WorkMeter& meter;
  std::vector<JobPhase>& phases;  // per job, as the cycle changes them
  // Alive jobs that had pending tasks or were not admitted when the cycle opened, ascending: no other job can be
  // the subject of an action.
  const std::span<const JobIndex> waiting;
  Domains& domains;
  const bool admission;   // the profile has an action that admits jobs
  const bool evicts;      // it has one that makes room for tasks that found no node
  int64_t now = 0;        // of the cycle
  bool reclaims = false;  // an action of this cycle took from other queues, and may do so again

  std::vector<ChosenDomain> chosen_domains;
  FitErrors fit_errors;
  // Notes that the task found no node: what memory it met on the way, or null, says where nothing would have helped.
  void NoteNoNode(TaskIndex task, Want want, const std::vector<uint8_t>* refused);

  // --- decisions
  void Admit(JobIndex job);
  // The moves since `before` become decisions: placed tasks are bound, and stay so in the books.
  void Commit(const Ledger::Savepoint& before);
  void Bind(TaskIndex task);  // one placed task
  void NoteEviction(TaskIndex victim, TaskIndex beneficiary) { beneficiary_[victim] = beneficiary; }
  // Of the latest nomination of the task.
  void NoteNominatedAfterEviction(TaskIndex task, bool evicted = true) {
    after_eviction_[task] = evicted;
  }
  // Takes a nomination back that had become a decision.
  void WithdrawNomination(TaskIndex task);
  std::vector<Decision>& decisions() { return decisions_; }

  // --- reasons; the latest attempt of a task counts
  using ReasonPtr = std::shared_ptr<const Reason>;
  void Explain(TaskIndex task, ReasonPtr reason);
  void Explain(TaskIndex task, Reason reason);
  void ExplainJob(JobIndex job,
                  Reason reason);  // all its pending tasks that have no reason of their own
  void ExplainJob(JobIndex job, ReasonPtr reason) { job_reason_[job] = std::move(reason); }
  // kind, placed and needed of a gang whose task was refused for `failure` (or null). Gangs that are refused alike share
  // the object, so that a cycle with many of them makes few.
  ReasonPtr GangReason(ReasonKind kind, int64_t placed, int64_t needed, const ReasonPtr& failure);
  void ExplainQueue(QueueIndex queue, Reason reason);
  // Returns the reason for a refusal of the queue, with what the verdict holds.
  Reason QueueReason(ReasonKind kind, QueueIndex queue, const Verdict& verdict) const;
  Reason QueueReason(QueueIndex queue, const Verdict& verdict) const {
    return QueueReason(QueueRefusal(verdict), queue, verdict);
  }
  // kNoNode with the refusals as they are now; remembered while the books stay the same.
  ReasonPtr NoNode(ClassIndex c);
  // The reasons in force, for the session to list.
  const Reason* ReasonOf(TaskIndex task) const;
  const Reason* ReasonOfJob(JobIndex job) const;
  const Reason* ReasonOfQueue(QueueIndex queue) const;
  void ForgetReason(TaskIndex task);

  // --- what all actions ask
  bool IsPending(JobIndex job) const { return phases[job] == JobPhase::kPending; }
  bool IsGated(TaskIndex task) const { return tables.tasks.flags[task] & kTaskGated; }
  bool IsBestEffort(TaskIndex task) const {
    return tables.classes.best_effort[tables.tasks.task_class[task]];
  }
  // Whether tasks of the role have a name in common and are not all of one class.
  bool IsMixed(JobIndex job, GroupIndex group);
  ClassIndex ClassOf(TaskIndex task) const { return tables.tasks.task_class[task]; }
  // The job's pending tasks without gates, in task order; with_best_effort false leaves out those that request
  // nothing.
  std::vector<TaskIndex> PendingTasks(JobIndex job, bool with_best_effort) const;
  std::vector<TaskIndex> InTaskOrder(std::vector<TaskIndex> tasks) const;

 private:
  std::vector<Decision> decisions_;
  HashMap<TaskIndex, TaskIndex> beneficiary_;
  HashMap<TaskIndex, bool> after_eviction_;
  HashMap<TaskIndex, ReasonPtr> task_reason_;
  HashMap<JobIndex, ReasonPtr> job_reason_;
  HashMap<QueueIndex, ReasonPtr> queue_reason_;
  struct Remembered {
    uint64_t content = 0;
    ReasonPtr reason;
  };
  HashMap<ClassIndex, Remembered> no_node_;
  struct OfGangs {
    ReasonPtr failure, reason;
  };
  HashMap<const Reason*, OfGangs> gang_reasons_;   // the latest by failure, which it keeps
  HashMap<JobIndex, std::vector<uint8_t>> mixed_;  // by role
};

}  // namespace muster

#endif  // MUSTER_PART_CONTEXT_H_
