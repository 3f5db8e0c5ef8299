// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Disruption budgets by the tasks that they cover, for a whole plan.
//
//   BudgetIndex index(tables);
//   for (uint32_t b : index.Covering(task)) ...     // numbers of tables.budgets, by name
//   BudgetTurns turns(tables, BudgetCharges::kAll);
//   const std::vector<bool>& refused = turns.Refused(pods);
//
// Idea. Which budgets cover a task depends on its class, but for the names that budgets list as
// disrupted. A class is matched once. A budget is left out if an earlier one of the same namespace
// and selector covers all its tasks and allows no more: whatever is charged in this order, the
// later one is never the first to run out. So a thousand equal budgets cost as much as one.
//
// Order. Budgets of a task are in the order of their names.
//
// Cost. O(budgets) to begin with, when first asked. O(budgets of the namespace) for each class.
#ifndef MUSTER_KUBE_BUDGET_INDEX_H_
#define MUSTER_KUBE_BUDGET_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"

namespace muster {

class BudgetIndex {
 public:
  // `tables` and `mark` must outlive this. Budgets, classes and tasks stay as they are meanwhile.
  // A task that has no label but `mark` has none for budgets, and so none covers it.
  explicit BudgetIndex(const Tables& tables, std::string_view mark = {})
      : tables_(tables), mark_(mark) {}

  // Returns the budgets that count where the task is evicted. Valid until the next call.
  std::span<const uint32_t> Covering(TaskIndex t);

 private:
  struct OfClass {
    std::vector<uint32_t> budgets;
    bool by_name = false;  // one of them lists disrupted tasks
  };
  void Learn();
  const OfClass& Match(ClassIndex c);

  const Tables& tables_;
  const std::string_view mark_;
  bool known_ = false;
  HashMap<std::string, std::vector<uint32_t>> in_namespace_;  // that count, by name
  std::vector<HashSet<std::string>> disrupted_;               // by budget
  std::vector<std::optional<OfClass>> of_class_;
  std::vector<uint32_t> answer_;
};

// Which budgets of a task are charged, in the order of their names.
enum class BudgetCharges : uint8_t {
  kUntilOneRefuses,  // not those behind the first that refuses
  kAll,
};

// Which tasks of a sequence a budget refuses to let go, one after another.
//
// Cost. O(charges) for a sequence that was not asked about before, and else its length.
class BudgetTurns {
 public:
  // `mark`: as BudgetIndex has it.
  BudgetTurns(const Tables& tables, BudgetCharges charges, std::string_view mark = {})
      : tables_(tables), charges_(charges), index_(tables, mark) {}

  // Returns whether there is no budget, and so nothing is refused.
  bool empty() const { return tables_.budgets.empty(); }
  // Returns an answer for each task. Valid until the next call.
  const std::vector<bool>& Refused(const std::vector<TaskIndex>& tasks);

  // Charges the task's budgets for the rest of the plan. Returns false, and charges nothing, if one
  // of them has nothing left.
  bool Take(TaskIndex t);

 private:
  static constexpr size_t kMostTasks = 1'000'000;  // in all sequences that are kept
  void Begin();
  std::vector<bool> Charge(std::span<const TaskIndex> tasks);

  const Tables& tables_;
  const BudgetCharges charges_;
  BudgetIndex index_;
  HashMap<std::vector<TaskIndex>, std::vector<bool>> answers_;
  size_t kept_ = 0;
  std::vector<int64_t> left_;  // by budget
};

}  // namespace muster

#endif  // MUSTER_KUBE_BUDGET_INDEX_H_
