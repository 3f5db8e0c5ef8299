// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Disruption budgets during a plan: how many evictions each still allows.
//
//   BudgetBook budgets(context);          // what the plan has evicted so far is counted
//   if (budgets.Fits(task)) budgets.Take(task);
//
// Cost. O(tasks * budgets) to begin with where there are budgets, O(budgets) a call.
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_BUDGET_BOOK_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_BUDGET_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/part/context.h"

namespace muster::koordinator {

class BudgetBook {
 public:
  // `context` must outlive this.
  explicit BudgetBook(const ActionContext& context);
  // Returns whether every budget that covers the task allows one more eviction.
  bool Fits(TaskIndex task) const;
  void Take(TaskIndex task);

 private:
  bool Covers(size_t budget, TaskIndex task) const;

  const Tables& tables_;
  std::vector<int64_t> left_;  // by budget
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_BUDGET_BOOK_H_
