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
#include <cstdint>
#include <string>
#include <utility>
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

  // Admits the job with the quota assigned to it: reports it to the policies, and sets its phase.
  void Admit(JobIndex job, std::vector<GroupAssignment> assignment = {});
  // Gives an admitted job other places. All else in the assignment must be as its admission has it:
  // Cluster::Apply replaces places alone. The decision is a kAdmit with the phase of the job, where
  // that of an admission has kPending.
  void ReplacePlaces(JobIndex job, std::vector<GroupAssignment> assignment);
  // Takes back the admission that the job had when the cycle opened: its phase is pending again.
  void Withdraw(JobIndex job);
  // Turns the moves since `before` into decisions, in their order: placed tasks are bound, and stay
  // bound in the books; evictions, nominations, promises that still stand, and reservations (tasks
  // that became waiting) are listed. Other moves are no decisions.
  void Commit(const Ledger::Savepoint& before);
  // Binds one placed task.
  void Bind(TaskIndex task);

  // Notes for which task the victim is evicted.
  void NoteEviction(TaskIndex victim, TaskIndex beneficiary) { beneficiary_[victim] = beneficiary; }
  // Notes whether the latest nomination of the task waits for evictions.
  void NoteNominatedAfterEviction(TaskIndex task, bool evicted = true) {
    after_eviction_[task] = evicted;
  }
  // Notes the deadline and the waiting group of a task that becomes waiting.
  void NoteReservation(TaskIndex task, int64_t until, std::string waiting_group);
  // Adds a decision that moves no task in the books. It is not undone with a savepoint.
  void Add(Offer offer);
  void Add(Resize resize);
  void Add(const Split& split);
  // Removes a nomination that was committed.
  void WithdrawNomination(TaskIndex task);

  // Sets the parts of devices that the task gets, for profiles with books of their own; replaces
  // earlier ones.
  void ChooseDevices(TaskIndex task, std::vector<ChosenDevice> chosen);

  // Notes the domain in which the job, or one of its sub-groups, was placed; replaces an earlier
  // one.
  void ChooseDomain(ChosenDomain chosen);

  const std::vector<Decision>& list() const { return list_; }
  // Return all decisions, once, when the cycle closes. Decisions of other kinds than admissions,
  // reservations, offers, resizes and splits are in the list alone (ListByKind, lib/plan).
  std::vector<Decision> TakeList() { return std::move(list_); }
  DecisionsByKind TakeByKind() { return std::move(by_kind_); }
  std::vector<ChosenDomain> TakeDomains() { return std::move(domains_); }
  std::vector<ChosenDevice> TakeDevices();

 private:
  struct Reserved {
    int64_t until = kAbsent;
    std::string waiting_group;
  };
  // Lists a decision; the last of `rows` is its row of its kind.
  template <class Row>
  void ListLast(Decision decision, const std::vector<Row>& rows);
  void Reserve(const Ledger::Entry& move);
  void CommitMove(Ledger::Entry entry);
  void ListBind(TaskIndex task);  // it is bound in the books

  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  std::vector<JobPhase>& phases_;
  std::vector<Decision> list_;
  DecisionsByKind by_kind_;
  std::vector<ChosenDomain> domains_;
  HashMap<TaskIndex, std::vector<ChosenDevice>> devices_;
  HashMap<TaskIndex, TaskIndex> beneficiary_;
  HashMap<TaskIndex, bool> after_eviction_;
  HashMap<TaskIndex, Reserved> reserved_;
};

}  // namespace muster

#endif  // MUSTER_PART_DECISIONS_H_
