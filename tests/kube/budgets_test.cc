// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which disruption budgets cover a task.
#include "lib/kube/budgets.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

DisruptionBudgetSpec Web() {
  DisruptionBudgetSpec budget;
  budget.name_space = "team";
  budget.selector = Selector{.match_labels = {{"app", "web"}}};
  return budget;
}

TEST(BudgetCover, CoverTasksOfTheirNamespaceThatTheySelect) {
  const Labels web = {{"app", "web"}, {"tier", "1"}}, db = {{"app", "db"}}, none;
  EXPECT_TRUE(CoversTask(Web(), {"team", "team/web-0", web}));
  EXPECT_FALSE(CoversTask(Web(), {"other", "team/web-0", web}));
  EXPECT_FALSE(CoversTask(Web(), {"team", "team/db-0", db}));
  EXPECT_FALSE(CoversTask(Web(), {"team", "team/web-0", none}));
}

TEST(BudgetCover, WithoutASelectorCoverNothing) {
  const Labels web = {{"app", "web"}};
  DisruptionBudgetSpec budget = Web();
  budget.selector = Selector();
  EXPECT_FALSE(CoversTask(budget, {"team", "team/web-0", web}));
  budget.selector.reset();
  EXPECT_FALSE(CoversTask(budget, {"team", "team/web-0", web}));
}

TEST(BudgetCover, LeaveOutTasksThatAreDisruptedAlready) {
  const Labels web = {{"app", "web"}};
  DisruptionBudgetSpec budget = Web();
  budget.disrupted = {"team/web-1"};
  EXPECT_TRUE(CoversTask(budget, {"team", "team/web-0", web}));
  EXPECT_FALSE(CoversTask(budget, {"team", "team/web-1", web}));
}

}  // namespace
}  // namespace muster
