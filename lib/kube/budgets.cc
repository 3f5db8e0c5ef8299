// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/budgets.h"

#include <algorithm>

#include "lib/kube/selectors.h"

namespace muster {

bool CoversAlike(const DisruptionBudgetSpec& budget, std::string_view name_space,
                 const Labels& labels) {
  if (labels.empty() || budget.name_space != name_space || !budget.selector) return false;
  const Selector& selector = *budget.selector;
  if (selector.match_labels.empty() && selector.match_expressions.empty()) return false;
  return Matches(selector, labels);
}

bool CoversTask(const DisruptionBudgetSpec& budget, const BudgetedTask& task) {
  if (!CoversAlike(budget, task.name_space, task.labels)) return false;
  return std::find(budget.disrupted.begin(), budget.disrupted.end(), task.name) ==
         budget.disrupted.end();
}

}  // namespace muster
