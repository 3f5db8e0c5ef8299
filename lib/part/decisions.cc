// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/decisions.h"

#include <utility>

namespace muster {

void Decisions::Admit(JobIndex job) {
  dispatcher_.Admitted(job);
  phases_[job] = JobPhase::kAdmitted;
  Decision decision{DecisionKind::kAdmit};
  decision.job = job;
  list_.push_back(decision);
}

void Decisions::Bind(TaskIndex task) {
  const NodeIndex node = ledger_.node_of(task);
  ledger_.Move(task, TaskStatus::kBinding, node);
  Decision decision{DecisionKind::kBind};
  decision.task = task;
  decision.node = node;
  decision.job = ledger_.tables().tasks.job[task];
  list_.push_back(decision);
}

void Decisions::Commit(const Ledger::Savepoint& before) {
  const size_t end = ledger_.log().size();
  for (size_t i = before.position; i < end; ++i) {
    const Ledger::Entry entry = ledger_.log()[i];
    if (entry.to == TaskStatus::kPlaced) {
      Bind(entry.task);
      continue;
    }
    Decision decision{DecisionKind::kNominate};
    decision.task = entry.task;
    decision.job = ledger_.tables().tasks.job[entry.task];
    decision.node = entry.to_node;
    if (entry.to == TaskStatus::kReleasing) {
      decision.kind = DecisionKind::kEvict;
      const auto it = beneficiary_.find(entry.task);
      if (it != beneficiary_.end()) decision.beneficiary = it->second;
    } else if (entry.to == TaskStatus::kNominated) {
      const auto it = after_eviction_.find(entry.task);
      decision.after_eviction = it != after_eviction_.end() && it->second;
    } else {
      continue;
    }
    list_.push_back(decision);
  }
}

void Decisions::WithdrawNomination(TaskIndex task) {
  std::erase_if(list_, [&](const Decision& d) {
    return d.kind == DecisionKind::kNominate && d.task == task;
  });
}

void Decisions::ChooseDomain(ChosenDomain chosen) {
  std::erase_if(domains_, [&](const ChosenDomain& old) {
    return old.job == chosen.job && old.sub_group == chosen.sub_group;
  });
  domains_.push_back(std::move(chosen));
}

}  // namespace muster
