// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The plan in the making: what a cycle has decided so far, in order.
//
//   const Ledger::Savepoint before = ledger.Save();
//   ledger.Move(victim, TaskStatus::kReleasing, node);
//   ledger.Move(task, TaskStatus::kNominated, node);
//   decisions.NoteEviction(victim, task);
//   decisions.NoteNominatedAfterEviction(task);
//   decisions.Commit(before);                     // now the plan evicts and nominates
//
// Moves of the ledger are no decisions until they are committed: some peers leave moves applied and
// uncommitted until the cycle ends. What was noted about a move counts when the move is committed.
#ifndef MUSTER_PART_DECISIONS_H_
#define MUSTER_PART_DECISIONS_H_

#include <cstddef>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/dispatcher.h"
#include "lib/ledger/ledger.h"
#include "lib/plan/plan_data.h"

namespace muster {

class Decisions {
 public:
  // All three must outlive this. `phases`: per job, as the cycle changes them.
  Decisions(Ledger& ledger, const Dispatcher& dispatcher, std::vector<JobPhase>& phases)
      : ledger_(ledger), dispatcher_(dispatcher), phases_(phases) {}

  void Reserve(size_t decisions) { list_.reserve(decisions); }

  // Admits the job: policies hear of it, and its phase changes.
  void Admit(JobIndex job);
  // Turns the moves since `before` into decisions, in their order: placed tasks are bound, and stay
  // bound in the books; evictions and nominations are listed. Other moves are no decisions.
  void Commit(const Ledger::Savepoint& before);
  // Binds one placed task.
  void Bind(TaskIndex task);

  // Notes for which task the victim is evicted.
  void NoteEviction(TaskIndex victim, TaskIndex beneficiary) { beneficiary_[victim] = beneficiary; }
  // Notes whether the latest nomination of the task waits for evictions.
  void NoteNominatedAfterEviction(TaskIndex task, bool evicted = true) {
    after_eviction_[task] = evicted;
  }
  // Removes a nomination that was committed.
  void WithdrawNomination(TaskIndex task);

  // Notes in which domain the job, or one of its sub-groups, was placed; replaces an earlier
  // choice.
  void ChooseDomain(ChosenDomain chosen);

  const std::vector<Decision>& list() const { return list_; }
  // Hands over everything, once, when the cycle closes.
  std::vector<Decision> TakeList() { return std::move(list_); }
  std::vector<ChosenDomain> TakeDomains() { return std::move(domains_); }

 private:
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  std::vector<JobPhase>& phases_;
  std::vector<Decision> list_;
  std::vector<ChosenDomain> domains_;
  HashMap<TaskIndex, TaskIndex> beneficiary_;
  HashMap<TaskIndex, bool> after_eviction_;
};

}  // namespace muster

#endif  // MUSTER_PART_DECISIONS_H_
