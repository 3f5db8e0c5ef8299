// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/rebalance/budget_book.h"

#include "lib/kube/budgets.h"

namespace muster::koordinator {

BudgetBook::BudgetBook(const ActionContext& context) : tables_(context.tables) {
  for (const DisruptionBudgetSpec& budget : tables_.budgets) left_.push_back(budget.allowed);
  if (left_.empty()) return;
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    const bool was_evicted = tables_.tasks.alive[t] &&
                             context.ledger.status(t) == TaskStatus::kReleasing &&
                             tables_.tasks.status[t] != TaskStatus::kReleasing;
    if (was_evicted) Take(t);
  }
}

bool BudgetBook::Covers(size_t budget, TaskIndex task) const {
  const TaskShape& shape = tables_.classes.shape[tables_.tasks.task_class[task]];
  return CoversTask(tables_.budgets[budget],
                    {shape.name_space, tables_.tasks.names.name(task), shape.labels});
}

bool BudgetBook::Fits(TaskIndex task) const {
  for (size_t b = 0; b < left_.size(); ++b) {
    if (left_[b] <= 0 && Covers(b, task)) return false;
  }
  return true;
}

void BudgetBook::Take(TaskIndex task) {
  for (size_t b = 0; b < left_.size(); ++b) left_[b] -= Covers(b, task);
}

}  // namespace muster::koordinator
