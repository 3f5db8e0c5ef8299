// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/decisions.h"

#include <utility>

namespace muster {

template <class Row>
void Decisions::ListLast(Decision decision, const std::vector<Row>& rows) {
  decision.index = static_cast<uint32_t>(rows.size() - 1);
  list_.push_back(decision);
}

void Decisions::Admit(JobIndex job, std::vector<GroupAssignment> assignment) {
  dispatcher_.Admitted(job);
  phases_[job] = JobPhase::kAdmitted;
  by_kind_.admissions.push_back({job, std::move(assignment)});
  ListLast({.kind = DecisionKind::kAdmit, .job = job}, by_kind_.admissions);
}

void Decisions::ReplacePlaces(JobIndex job, std::vector<GroupAssignment> assignment) {
  by_kind_.admissions.push_back({job, std::move(assignment)});
  ListLast({.kind = DecisionKind::kAdmit, .job = job, .phase = phases_[job]}, by_kind_.admissions);
}

void Decisions::Withdraw(JobIndex job) {
  phases_[job] = JobPhase::kPending;
  list_.push_back({.kind = DecisionKind::kPhase, .job = job, .phase = JobPhase::kPending});
}

void Decisions::Bind(TaskIndex task) {
  ledger_.Move(task, TaskStatus::kBinding, ledger_.node_of(task));
  ListBind(task);
}

void Decisions::ListBind(TaskIndex task) {
  const NodeIndex node = ledger_.node_of(task);
  dispatcher_.NoteNode(node);
  Decision decision{DecisionKind::kBind};
  decision.task = task;
  decision.node = node;
  decision.job = ledger_.tables().tasks.job[task];
  list_.push_back(decision);
}

void Decisions::Commit(const Ledger::Savepoint& before) {
  const size_t end = ledger_.log().size();
  for (size_t i = before.position; i < end;) {
    const size_t bound = ledger_.BindAlike(i, end);
    for (size_t k = 0; k < bound; ++k) ListBind(ledger_.log()[i + k].task);
    i += bound;
    if (bound == 0) CommitMove(ledger_.log()[i++]);
  }
}

void Decisions::CommitMove(Ledger::Entry entry) {
  if (entry.is_promise && ledger_.promised_node(entry.task) != entry.to_node) return;
  Decision decision{DecisionKind::kNominate};
  decision.task = entry.task;
  decision.job = ledger_.tables().tasks.job[entry.task];
  decision.node = entry.to_node;
  switch (entry.to) {
    case TaskStatus::kPlaced:
      Bind(entry.task);
      break;
    case TaskStatus::kWaiting:
      Reserve(entry);
      break;
    case TaskStatus::kReleasing:
      decision.kind = DecisionKind::kEvict;
      if (const auto it = beneficiary_.find(entry.task); it != beneficiary_.end()) {
        decision.beneficiary = it->second;
      }
      list_.push_back(decision);
      break;
    case TaskStatus::kNominated:
      dispatcher_.NoteNode(entry.to_node);
      if (const auto it = after_eviction_.find(entry.task); it != after_eviction_.end()) {
        decision.after_eviction = it->second;
      }
      list_.push_back(decision);
      break;
    default:
      break;
  }
}

void Decisions::Reserve(const Ledger::Entry& move) {
  Reservation reservation{.task = move.task, .node = move.to_node};
  if (const auto noted = reserved_.find(move.task); noted != reserved_.end()) {
    reservation.until = noted->second.until;
    reservation.waiting_group = noted->second.waiting_group;
  }
  by_kind_.reservations.push_back(std::move(reservation));
  ListLast({.kind = DecisionKind::kReserve,
            .task = move.task,
            .node = move.to_node,
            .job = ledger_.tables().tasks.job[move.task]},
           by_kind_.reservations);
}

void Decisions::NoteReservation(TaskIndex task, int64_t until, std::string waiting_group) {
  reserved_[task] = {until, std::move(waiting_group)};
}

void Decisions::Add(Offer offer) {
  const Decision decision{.kind = DecisionKind::kOffer, .node = offer.node, .job = offer.job};
  by_kind_.offers.push_back(std::move(offer));
  ListLast(decision, by_kind_.offers);
}

void Decisions::Add(Resize resize) {
  const Decision decision{.kind = DecisionKind::kResize, .job = resize.job};
  by_kind_.resizes.push_back(std::move(resize));
  ListLast(decision, by_kind_.resizes);
}

void Decisions::Add(const Split& split) {
  by_kind_.splits.push_back(split);
  ListLast({.kind = DecisionKind::kSplit,
            .task = split.task,
            .job = ledger_.tables().tasks.job[split.task]},
           by_kind_.splits);
}

void Decisions::WithdrawNomination(TaskIndex task) {
  std::erase_if(list_, [&](const Decision& d) {
    return d.kind == DecisionKind::kNominate && d.task == task;
  });
}

void Decisions::ChooseDevices(TaskIndex task, std::vector<ChosenDevice> chosen) {
  devices_[task] = std::move(chosen);
}

std::vector<ChosenDevice> Decisions::TakeDevices() {
  std::vector<ChosenDevice> all;
  for (const auto& [task, chosen] : devices_) all.insert(all.end(), chosen.begin(), chosen.end());
  return all;
}

void Decisions::ChooseDomain(ChosenDomain chosen) {
  std::erase_if(domains_, [&](const ChosenDomain& old) {
    return old.job == chosen.job && old.sub_group == chosen.sub_group;
  });
  domains_.push_back(std::move(chosen));
}

}  // namespace muster
