// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/budget_index.h"

#include <algorithm>
#include <utility>

#include "lib/kube/budgets.h"
#include "lib/model/key.h"

namespace muster {

// Of budgets with one namespace and selector, each allows less than those before it.
void BudgetIndex::Learn() {
  known_ = true;
  const std::vector<DisruptionBudgetSpec>& budgets = tables_.budgets;
  disrupted_.resize(budgets.size());
  std::vector<uint32_t> order(budgets.size());
  for (uint32_t b = 0; b < order.size(); ++b) order[b] = b;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return budgets[a].name < budgets[b].name; });
  HashMap<std::string, int64_t> least;  // of those without names of disrupted tasks
  for (const uint32_t b : order) {
    const DisruptionBudgetSpec& budget = budgets[b];
    if (!budget.selector) continue;
    Key key;
    key.Add(budget.name_space);
    key.Add(*budget.selector);
    const std::string text = key.Take();
    const auto before = least.find(text);
    if (before != least.end() && before->second <= budget.allowed) continue;
    if (budget.disrupted.empty()) least[text] = budget.allowed;
    disrupted_[b].insert(budget.disrupted.begin(), budget.disrupted.end());
    in_namespace_[budget.name_space].push_back(b);
  }
}

const BudgetIndex::OfClass& BudgetIndex::Match(ClassIndex c) {
  if (c >= of_class_.size()) of_class_.resize(tables_.classes.shape.size());
  std::optional<OfClass>& matched = of_class_[c];
  if (matched.has_value()) return *matched;
  matched.emplace();
  const TaskShape& shape = tables_.classes.shape[c];
  const auto is_mark = [&](const auto& label) { return label.first == mark_; };
  if (std::ranges::all_of(shape.labels, is_mark)) return *matched;
  const auto there = in_namespace_.find(shape.name_space);
  if (there == in_namespace_.end()) return *matched;
  for (const uint32_t b : there->second) {
    if (!CoversAlike(tables_.budgets[b], shape.name_space, shape.labels)) continue;
    matched->budgets.push_back(b);
    matched->by_name |= !disrupted_[b].empty();
  }
  return *matched;
}

std::span<const uint32_t> BudgetIndex::Covering(TaskIndex t) {
  if (tables_.budgets.empty()) return {};
  if (!known_) Learn();
  const OfClass& matched = Match(tables_.tasks.task_class[t]);
  if (!matched.by_name) return matched.budgets;
  answer_.clear();
  const std::string_view name = tables_.tasks.names.name(t);
  for (const uint32_t b : matched.budgets) {
    if (!disrupted_[b].contains(name)) answer_.push_back(b);
  }
  return answer_;
}

const std::vector<bool>& BudgetTurns::Refused(const std::vector<TaskIndex>& tasks) {
  const auto known = answers_.find(tasks);
  if (known != answers_.end()) return known->second;
  kept_ += tasks.size();
  if (kept_ > kMostTasks) {
    answers_ = {};
    kept_ = tasks.size();
  }
  return answers_[tasks] = Charge(tasks);
}

void BudgetTurns::Begin() {
  if (!left_.empty()) return;
  for (const DisruptionBudgetSpec& budget : tables_.budgets) left_.push_back(budget.allowed);
}

std::vector<bool> BudgetTurns::Charge(std::span<const TaskIndex> tasks) {
  Begin();
  std::vector<bool> refused(tasks.size());
  std::vector<uint32_t> charged;
  for (size_t i = 0; i < tasks.size(); ++i) {
    for (const uint32_t b : index_.Covering(tasks[i])) {
      charged.push_back(b);
      if (--left_[b] >= 0) continue;
      refused[i] = true;
      if (charges_ == BudgetCharges::kUntilOneRefuses) break;
    }
  }
  for (const uint32_t b : charged) ++left_[b];
  return refused;
}

bool BudgetTurns::Take(TaskIndex t) {
  Begin();
  const std::span<const uint32_t> covering = index_.Covering(t);
  if (std::ranges::any_of(covering, [&](uint32_t b) { return left_[b] <= 0; })) return false;
  for (const uint32_t b : covering) --left_[b];
  answers_ = {};
  kept_ = 0;
  return true;
}

}  // namespace muster
