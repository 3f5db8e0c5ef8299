// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a plan keeps about disruption budgets, against budgets that are looked at one by one.
#include "lib/kube/budget_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/kube/budgets.h"
#include "lib/model/access.h"
#include "muster/cluster.h"

namespace muster {
namespace {

using Random = std::mt19937;

int Below(Random* random, int end) { return static_cast<int>((*random)() % end); }

Labels SomeLabels(Random* random) {
  Labels labels;
  if (Below(random, 3) > 0) labels.emplace_back("app", absl::StrCat("a", Below(random, 2)));
  if (Below(random, 3) == 0) labels.emplace_back("tier", absl::StrCat("t", Below(random, 2)));
  return labels;
}

std::string SomeSpace(Random* random) { return Below(random, 4) > 0 ? "team" : "other"; }

// Few selectors, so that many budgets have the same.
Cluster SomeCluster(Random* random) {
  Cluster cluster;
  const int tasks = 1 + Below(random, 12);
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 100}, {"pods", 100}}}).ok());
  for (int i = 0; i < tasks; ++i) {
    TaskSpec task{.name = absl::StrCat("p", i), .status = TaskStatus::kRunning, .node = "n"};
    task.shape = {.request = {{"cpu", 1}}, .labels = SomeLabels(random)};
    task.shape.name_space = SomeSpace(random);
    EXPECT_TRUE(cluster.AddTask(task).ok());
  }
  for (int i = 0; i < 10; ++i) {
    // Names are not in the order of the rows.
    DisruptionBudgetSpec budget{.name = absl::StrCat("b", (i * 7) % 10),
                                .name_space = SomeSpace(random),
                                .allowed = Below(random, 4)};
    if (Below(random, 8) > 0) {
      budget.selector.emplace().match_labels = SomeLabels(random);
      if (Below(random, 4) == 0) {
        budget.selector->match_expressions = {{"tier", RequirementOp::kDoesNotExist, {}}};
      }
    }
    if (Below(random, 5) == 0) budget.disrupted = {absl::StrCat("p", Below(random, tasks))};
    EXPECT_TRUE(cluster.SetDisruptionBudget(budget).ok());
  }
  return cluster;
}

std::vector<TaskIndex> SomeTasks(const Tables& tables, Random* random) {
  std::vector<TaskIndex> tasks;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) tasks.push_back(t);
  std::ranges::shuffle(tasks, *random);
  tasks.resize(1 + Below(random, static_cast<int>(tasks.size())));
  return tasks;
}

// Budgets that cover the task, by name.
std::vector<uint32_t> CoveringOneByOne(const Tables& tables, TaskIndex t) {
  std::vector<uint32_t> covering;
  const TaskShape& shape = tables.classes.shape[tables.tasks.task_class[t]];
  for (uint32_t b = 0; b < tables.budgets.size(); ++b) {
    if (CoversTask(tables.budgets[b],
                   {shape.name_space, tables.tasks.names.name(t), shape.labels})) {
      covering.push_back(b);
    }
  }
  std::ranges::sort(covering, {}, [&](uint32_t b) { return tables.budgets[b].name; });
  return covering;
}

std::vector<int64_t> AllowedBy(const Tables& tables) {
  std::vector<int64_t> left;
  for (const DisruptionBudgetSpec& budget : tables.budgets) left.push_back(budget.allowed);
  return left;
}

std::vector<bool> RefusedOneByOne(const Tables& tables, const std::vector<TaskIndex>& tasks,
                                  BudgetCharges charges, std::vector<int64_t> left) {
  std::vector<bool> refused;
  for (const TaskIndex t : tasks) {
    bool is_refused = false;
    for (const uint32_t b : CoveringOneByOne(tables, t)) {
      is_refused |= --left[b] < 0;
      if (is_refused && charges == BudgetCharges::kUntilOneRefuses) break;
    }
    refused.push_back(is_refused);
  }
  return refused;
}

class EachCharge : public ::testing::TestWithParam<BudgetCharges> {};
INSTANTIATE_TEST_SUITE_P(BudgetTurns, EachCharge,
                         ::testing::Values(BudgetCharges::kUntilOneRefuses, BudgetCharges::kAll));

TEST_P(EachCharge, RefusesWhatBudgetsRefuseOneByOne) {
  Random random(1);
  int refusals = 0;
  for (int world = 0; world < 300; ++world) {
    const Cluster cluster = SomeCluster(&random);
    const Tables& tables = TablesOf(cluster);
    BudgetTurns turns(tables, GetParam());
    for (int question = 0; question < 6; ++question) {
      const std::vector<TaskIndex> tasks = SomeTasks(tables, &random);
      const std::vector<bool> refused = turns.Refused(tasks);
      ASSERT_EQ(refused, RefusedOneByOne(tables, tasks, GetParam(), AllowedBy(tables)))
          << "world " << world;
      EXPECT_EQ(turns.Refused(tasks), refused) << "asked again, world " << world;
      refusals += static_cast<int>(std::ranges::count(refused, true));
    }
  }
  EXPECT_GT(refusals, 500);
}

TEST_P(EachCharge, CountsWhatWasTaken) {
  Random random(3);
  int taken = 0, not_taken = 0;
  for (int world = 0; world < 300; ++world) {
    const Cluster cluster = SomeCluster(&random);
    const Tables& tables = TablesOf(cluster);
    BudgetTurns turns(tables, GetParam());
    std::vector<int64_t> left = AllowedBy(tables);
    for (const TaskIndex t : SomeTasks(tables, &random)) {
      const std::vector<TaskIndex> tasks = SomeTasks(tables, &random);
      turns.Refused(tasks);  // an answer that is kept must not outlive the next line
      const std::vector<uint32_t> covering = CoveringOneByOne(tables, t);
      const bool may_go = std::ranges::all_of(covering, [&](uint32_t b) { return left[b] > 0; });
      ASSERT_EQ(turns.Take(t), may_go) << "world " << world;
      ++(may_go ? taken : not_taken);
      for (const uint32_t b : covering) left[b] -= may_go;
      ASSERT_EQ(turns.Refused(tasks), RefusedOneByOne(tables, tasks, GetParam(), left))
          << "world " << world;
    }
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(not_taken, 100);
}

// A budget that is left out is never the only one that has nothing left, also where each task
// charges all of its budgets.
TEST(BudgetIndex, LeavesOutWhatNeverRunsOutAlone) {
  Random random(2);
  int left_out = 0;
  for (int world = 0; world < 500; ++world) {
    const Cluster cluster = SomeCluster(&random);
    const Tables& tables = TablesOf(cluster);
    BudgetIndex index(tables);
    std::vector<int64_t> charges(tables.budgets.size()), all_charges(tables.budgets.size());
    for (const TaskIndex t : SomeTasks(tables, &random)) {
      const std::vector<uint32_t> all = CoveringOneByOne(tables, t);
      const auto span = index.Covering(t);
      const std::vector<uint32_t> few(span.begin(), span.end());
      left_out += static_cast<int>(all.size() - few.size());
      EXPECT_TRUE(std::ranges::includes(
          all, few, {}, [&](uint32_t b) { return tables.budgets[b].name; },
          [&](uint32_t b) { return tables.budgets[b].name; }))
          << "world " << world;
      bool breaks = false, all_break = false;
      for (const uint32_t b : few) breaks |= ++charges[b] > tables.budgets[b].allowed;
      for (const uint32_t b : all) all_break |= ++all_charges[b] > tables.budgets[b].allowed;
      EXPECT_EQ(breaks, all_break) << "world " << world;
    }
  }
  EXPECT_GT(left_out, 200);
}

TEST(BudgetIndex, OfEqualBudgetsTheFirstSmallestCounts) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 9}}}).ok());
  TaskSpec task{.name = "p", .status = TaskStatus::kRunning, .node = "n"};
  task.shape = {.request = {{"cpu", 1}}, .labels = {{"app", "a"}}};
  ASSERT_TRUE(cluster.AddTask(task).ok());
  for (const auto& [name, allowed] : {std::pair("c", 3), {"b", 5}, {"a", 5}, {"d", 2}}) {
    DisruptionBudgetSpec budget{.name = name, .allowed = allowed};
    budget.selector.emplace().match_labels = {{"app", "a"}};
    ASSERT_TRUE(cluster.SetDisruptionBudget(budget).ok());
  }
  BudgetIndex index(TablesOf(cluster));
  const auto covering = index.Covering(0);
  EXPECT_EQ(std::vector<uint32_t>(covering.begin(), covering.end()),
            (std::vector<uint32_t>{2, 0, 3}));  // a allows 5, c 3, d 2
}

// A selector without required labels covers any task that has a label.
TEST(BudgetIndex, AMarkAloneIsNoLabel) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 9}, {"pods", 9}}}).ok());
  for (const auto& [name, labels] : {std::pair("marked", Labels{{"mark", "true"}}),
                                     {"both", Labels{{"app", "a"}, {"mark", ""}}}}) {
    TaskSpec task{.name = name, .status = TaskStatus::kRunning, .node = "n"};
    task.shape = {.request = {{"cpu", 1}}, .labels = labels};
    ASSERT_TRUE(cluster.AddTask(task).ok());
  }
  ASSERT_TRUE(
      cluster
          .SetDisruptionBudget(
              {.name = "b", .selector = Selector{{}, {{"x", RequirementOp::kDoesNotExist, {}}}}})
          .ok());
  const std::vector<TaskIndex> tasks = {0, 1};
  BudgetTurns marked(TablesOf(cluster), BudgetCharges::kAll, "mark");
  EXPECT_EQ(marked.Refused(tasks), (std::vector<bool>{false, true}));
  BudgetTurns unmarked(TablesOf(cluster), BudgetCharges::kAll);
  EXPECT_EQ(unmarked.Refused(tasks), (std::vector<bool>{true, true}));
}

}  // namespace
}  // namespace muster
