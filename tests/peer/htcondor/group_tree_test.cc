// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/group_tree.h"

#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/htcondor/quota_rounds.h"

namespace muster::condor {
namespace {

double QuotaOf(const GroupTree& tree, std::string_view name) {
  return tree.groups()[tree.Find(name)].quota;
}

TEST(GroupTree, LeavesOutGroupsWithoutParentAndDuplicates) {
  const GroupTree tree({{.name = "b.c"}, {.name = "A"}, {.name = "a"}, {.name = "a.x"}}, {});
  std::vector<std::string> names;
  for (const Group& group : tree.groups()) names.push_back(group.name);
  EXPECT_EQ(names, (std::vector<std::string>{"<none>", "A", "a.x"}));
}

TEST(GroupTree, TheDeepestGroupOfASubmitterCounts) {
  const GroupTree tree({{.name = "a"}, {.name = "a.b"}}, {});
  const auto group = [&](std::string_view name) { return tree.groups()[tree.GroupOf(name)].name; };
  EXPECT_EQ(group("a.B.u@x"), "a.b");
  EXPECT_EQ(group("a.c.d.u@x"), "a");
  EXPECT_EQ(group("u@x"), "<none>");
  EXPECT_EQ(group("a.b"), "a.b");
}

TEST(GroupTree, FixedQuotasComeBeforeShares) {
  GroupTree tree({{.name = "a", .quota = 12}, {.name = "b", .share = 0.5}},
                 {.oversubscription = false});
  tree.Assign(30);
  EXPECT_EQ(QuotaOf(tree, "a"), 12);
  EXPECT_EQ(QuotaOf(tree, "b"), 9);
  EXPECT_EQ(QuotaOf(tree, "<none>"), 9);
  tree.Assign(6);
  EXPECT_EQ(QuotaOf(tree, "a"), 6);
  EXPECT_EQ(QuotaOf(tree, "b"), 0);
}

// Nothing is allocated that was not assigned or requested, whatever the tree is.
TEST(GroupTree, SharesOutNoMoreThanThereIs) {
  Rng rng(11);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<GroupSpec> specs;
    const uint64_t count = 1 + rng.Below(12);
    for (uint64_t i = 0; i < count; ++i) {
      GroupSpec group{.name = "g" + std::to_string(i)};
      if (i > 0 && rng.Chance(0.5)) {
        group.name = specs[rng.Below(specs.size())].name + "." + group.name;
      }
      if (rng.Chance(0.5)) group.quota = static_cast<double>(rng.Below(20)) / 2;
      group.share = static_cast<double>(rng.Below(11)) / 10;
      group.accepts_surplus = rng.Chance(0.6);
      specs.push_back(std::move(group));
    }
    GroupTree tree(specs, {.oversubscription = false});
    const double pool = static_cast<double>(rng.Below(60));
    tree.Assign(pool);
    double requested = 0;
    for (GroupIndex g = 0; g < tree.groups().size(); ++g) {
      tree.group(g).requested = static_cast<double>(rng.Below(30));
      requested += tree.groups()[g].requested;
    }
    tree.ShareFairly();
    if (rng.Chance(0.5)) tree.DealRemainders();
    double allocated = 0, unmet = 0;
    for (const Group& group : tree.groups()) {
      EXPECT_GE(group.requested, 0);
      allocated += group.allocated;
      unmet += group.requested;
    }
    EXPECT_LE(allocated, pool + 1e-6) << "round " << round;
    EXPECT_NEAR(allocated + unmet, requested, 1e-6) << "round " << round;
  }
}

TEST(GroupTree, AGroupIsDealtToEvenIfTheSlotGoesFurtherDown) {
  GroupTree tree(
      {{.name = "a", .quota = 0.5}, {.name = "a.b", .quota = 0.5}, {.name = "c", .quota = 0.5}},
      {.accepts_surplus = true, .oversubscription = false});
  tree.Assign(1);
  tree.group(tree.Find("a.b")).requested = 1;
  tree.group(tree.Find("c")).requested = 1;
  tree.ShareFairly();
  tree.DealRemainders();
  EXPECT_EQ(tree.groups()[tree.Find("a.b")].allocated, 1);
  EXPECT_TRUE(tree.groups()[tree.Find("a")].was_dealt);
  EXPECT_TRUE(tree.groups()[tree.Find("a.b")].was_dealt);
  EXPECT_FALSE(tree.groups()[tree.Find("c")].was_dealt);
}

TEST(QuotaRounds, LimitsAreCutToIntegers) {
  AdNames names;
  GroupTree tree({{.name = "a", .quota = 3.5}, {.name = "b", .quota = 6.5}}, {});
  const GroupSortKey key(&names, std::nullopt);
  QuotaRounds rounds({}, key, &tree, [](GroupIndex) { return 0.0; });
  rounds.Begin(10, {0, 20, 20}, {0, 1, 1});
  std::vector<int64_t> limits;
  rounds.Run(0, [&](const GroupTurn& turn) {
    limits.push_back(turn.limit);
    return false;
  });
  EXPECT_EQ(limits, (std::vector<int64_t>{3, 6}));
}

}  // namespace
}  // namespace muster::condor
