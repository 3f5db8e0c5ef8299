// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/accountant.h"

#include <vector>

#include "gtest/gtest.h"

namespace muster::condor {
namespace {

constexpr int64_t kDay = 86'400;

TEST(Accountant, PriorityMovesHalfWayToUsageInAHalfLife) {
  const GroupTree tree({}, {});
  Accountant accountant({}, &tree);
  accountant.SetTime(0);
  for (const char* slot : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    accountant.Match("u@x", slot, 1);
  }
  EXPECT_EQ(accountant.EffectivePriority("u@x"), 500);
  for (const double expected : {5.25, 7.625, 8.8125}) {
    accountant.SetTime(accountant.now() + kDay);
    accountant.UpdatePriorities();
    EXPECT_EQ(accountant.RealPriority("u@x"), expected);
  }
}

TEST(Accountant, ChargesAClaimForThePartOfThePeriodThatItHeld) {
  const GroupTree tree({}, {});
  Accountant accountant({}, &tree);
  accountant.SetTime(0);
  accountant.SetTime(60);
  accountant.Match("u@x", "slot", 2);
  accountant.SetTime(100);
  accountant.UpdatePriorities();
  EXPECT_EQ(accountant.WeightedAccumulated("u@x"), 80);
  accountant.SetTime(110);
  accountant.Release("slot");
  accountant.Release("slot");
  accountant.SetTime(200);
  accountant.UpdatePriorities();
  EXPECT_EQ(accountant.WeightedAccumulated("u@x"), 100);
  EXPECT_EQ(accountant.WeightedUsed("u@x"), 0);
}

TEST(Accountant, FactorsFollowFromNamesOnce) {
  const GroupTree tree({{.name = "lab"}}, {});
  Accountant accountant({.local_domain = "x", .group_factors = {{"lab", 7}}}, &tree);
  accountant.SetTime(0);
  EXPECT_EQ(accountant.Factor("ann@x"), 1'000);
  EXPECT_EQ(accountant.Factor("ann@elsewhere"), 1e7);
  EXPECT_EQ(accountant.Factor("nice-user.ann@x"), 1e10);
  EXPECT_EQ(accountant.Factor("LAB.ann@x"), 7);
  accountant.SetFactor("ann@x", 0.25);
  EXPECT_EQ(accountant.Factor("ann@x"), 1);
}

TEST(Accountant, UsageOfGroupsCountsThoseBelow) {
  const GroupTree tree({{.name = "a"}, {.name = "a.b"}}, {});
  Accountant accountant({}, &tree);
  accountant.SetTime(0);
  accountant.Match("a.b.u@x", "s", 3);
  accountant.Match("v@x", "t", 1);
  EXPECT_EQ(accountant.HierarchicalUsed("a"), 3);
  EXPECT_EQ(accountant.HierarchicalUsed("a.b"), 3);
  EXPECT_EQ(accountant.HierarchicalUsed("<none>"), 1);
  EXPECT_EQ(accountant.WeightedUsed("a"), 0);
  EXPECT_EQ(accountant.WeightedUsed("a.b"), 3);
}

TEST(Accountant, ClaimsCountedAnewRaiseUsageOfGroupsUnlessTheyAreReset) {
  const GroupTree tree({}, {});
  const std::vector<Claim> claims = {{"s", "u@x", 2}};
  for (const bool resets : {false, true}) {
    Accountant accountant({.resets_groups = resets}, &tree);
    accountant.SetTime(0);
    for (int cycle = 0; cycle < 3; ++cycle) accountant.CheckMatches(claims);
    EXPECT_EQ(accountant.WeightedUsed("u@x"), 2);
    EXPECT_EQ(accountant.HierarchicalUsed("<none>"), resets ? 2 : 6);
  }
}

TEST(Accountant, KeepsSixDecimals) {
  EXPECT_EQ(SixDecimals(0.12345649), 0.123456);
  EXPECT_EQ(SixDecimals(1e20), 1e20);
  EXPECT_EQ(SixDecimals(-0.0000001), 0);
}

}  // namespace
}  // namespace muster::condor
