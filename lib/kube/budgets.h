// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which disruption budgets cover a task, with Kubernetes' meaning.
//
//   if (CoversTask(budget, {.name_space = "team", .name = "team/web-0", .labels = labels})) ...
//
// A budget covers the tasks of its namespace that its selector matches. An absent or empty selector
// matches none. A task without labels is covered by none, and neither is one that the budget lists
// as disrupted already. Cost: O(requirements of the selector + names listed as disrupted).
#ifndef MUSTER_KUBE_BUDGETS_H_
#define MUSTER_KUBE_BUDGETS_H_

#include <string_view>

#include "muster/spec.h"

namespace muster {

struct BudgetedTask {
  std::string_view name_space;
  std::string_view name;  // as budgets list it: with its namespace
  const Labels& labels;
};
bool CoversTask(const DisruptionBudgetSpec& budget, const BudgetedTask& task);
// The same of all tasks with these labels in the namespace that the budget does not list.
bool CoversAlike(const DisruptionBudgetSpec& budget, std::string_view name_space,
                 const Labels& labels);

}  // namespace muster

#endif  // MUSTER_KUBE_BUDGETS_H_
