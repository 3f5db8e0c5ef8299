// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/quota_tree.h"

#include "gtest/gtest.h"
#include "lib/peer/kueue/partial.h"

namespace muster::kueue {
namespace {

// Two queues, 0 and 1, below cohort 2, below cohort 3. One cell.
QuotaTree Tree(const Quota& first, const Quota& second, const Quota& cohort, const Quota& root) {
  QuotaTree tree;
  tree.Resize(4, 1);
  tree.SetParent(0, 2);
  tree.SetParent(1, 2);
  tree.SetParent(2, 3);
  tree.SetQuota(0, 0, first);
  tree.SetQuota(1, 0, second);
  tree.SetQuota(2, 0, cohort);
  tree.SetQuota(3, 0, root);
  tree.Compute();
  return tree;
}

TEST(Amounts, UnlimitedAbsorbs) {
  EXPECT_EQ(Plus(kUnlimited, -5), kUnlimited);
  EXPECT_EQ(Plus(kUnlimited - 1, 5), kUnlimited);
  EXPECT_EQ(Minus(kUnlimited, kUnlimited), 0);
  EXPECT_EQ(Minus(kUnlimited, 7), kUnlimited);
  EXPECT_EQ(Minus(7, kUnlimited), kLeastAmount);
}

TEST(Amounts, QuotasAreReadInTheUnitsOfTheirResource) {
  EXPECT_EQ(QuotaAmount("cpu", "1500m"), 1500);
  EXPECT_EQ(QuotaAmount("memory", "1Ki"), 1024);
  EXPECT_EQ(QuotaAmount("memory", "1500m"), 2);  // rounded up
  EXPECT_EQ(QuotaAmount("cpu", "9223372036854775"), kUnlimited);
  EXPECT_EQ(QuotaAmount("cpu", "9223372036854774"), 9223372036854774000);
  EXPECT_EQ(QuotaAmount("memory", "9223372036854775807"), kUnlimited);
}

TEST(QuotaTree, BorrowsFromTheWholeTree) {
  const QuotaTree tree = Tree({.nominal = 2}, {.nominal = 3}, {.nominal = 5}, {.nominal = 7});
  EXPECT_EQ(tree.Available(0, 0), 17);
  EXPECT_EQ(tree.Potential(0, 0), 17);
  EXPECT_EQ(tree.subtree_quota(2, 0), 10);
}

TEST(QuotaTree, LimitsHoldOnTheWay) {
  const QuotaTree tree = Tree({.nominal = 2, .borrow_limit = 4}, {.nominal = 3, .lend_limit = 1},
                              {.nominal = 5}, {.nominal = 7});
  EXPECT_EQ(tree.subtree_quota(2, 0), 8);  // 2 of the second queue's 3 stay its own
  EXPECT_EQ(tree.Available(0, 0), 6);
  EXPECT_EQ(tree.Available(1, 0), 17);
}

TEST(QuotaTree, UsageIsSeenAboveOnlyBeyondWhatIsKept) {
  QuotaTree tree = Tree({.nominal = 2}, {.nominal = 3, .lend_limit = 1}, {}, {});
  tree.Add(1, 0, 2);
  EXPECT_EQ(tree.usage(2, 0), 0);
  tree.Add(1, 0, 2);
  EXPECT_EQ(tree.usage(2, 0), 2);
  EXPECT_EQ(tree.Available(0, 0), 1);
  tree.Remove(1, 0, 3);
  EXPECT_EQ(tree.usage(2, 0), 0);
  EXPECT_EQ(tree.usage(1, 0), 1);
}

TEST(QuotaTree, RollbackRestoresUsage) {
  QuotaTree tree = Tree({.nominal = 2}, {.nominal = 3}, {}, {});
  tree.Add(0, 0, 1);
  const size_t mark = tree.Mark();
  tree.Add(0, 0, 4);
  tree.Remove(0, 0, 2);
  tree.Rollback(mark);
  EXPECT_EQ(tree.usage(0, 0), 1);
  EXPECT_EQ(tree.usage(3, 0), 1);
}

TEST(QuotaTree, HeightOfTheSubtreeThatHoldsARequest) {
  const QuotaTree tree = Tree({.nominal = 2}, {.nominal = 3}, {}, {.nominal = 7});
  EXPECT_EQ(tree.Height(2), 1);
  EXPECT_EQ(tree.Height(3), 2);
  EXPECT_EQ(tree.BorrowHeight(0, 0, 2).height, 0);
  EXPECT_EQ(tree.BorrowHeight(0, 0, 5).height, 1);
  EXPECT_TRUE(tree.BorrowHeight(0, 0, 5).may_reclaim);
  EXPECT_EQ(tree.BorrowHeight(0, 0, 6).height, 2);
  EXPECT_FALSE(tree.BorrowHeight(0, 0, 6).may_reclaim);
}

TEST(QuotaTree, FitsInQuotaPassesOnWhatIsNotLocal) {
  QuotaTree tree = Tree({.nominal = 4, .lend_limit = 1}, {.nominal = 3}, {}, {});
  CellAmounts amounts{{0, 5}};
  EXPECT_FALSE(tree.FitsInQuota(0, &amounts));
  EXPECT_EQ(amounts[0].amount, 2);  // 3 are kept from the parent
  EXPECT_TRUE(tree.FitsInQuota(2, &amounts));
}

TEST(PartialAdmission, FindsTheLargestCounts) {
  const auto at_most = [](int64_t most) {
    return [most](const std::vector<int64_t>& c) { return c[0] + c[1] <= most; };
  };
  EXPECT_EQ(LargestCounts({5, 5}, {1, 5}, at_most(8)), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(LargestCounts({5, 5}, {1, 5}, at_most(20)), (std::vector<int64_t>{5, 5}));
  EXPECT_EQ(LargestCounts({5, 5}, {1, 5}, at_most(5)), std::nullopt);
  EXPECT_EQ(LargestCounts({5, 5}, {5, 5}, at_most(20)), std::nullopt);  // nothing to leave out
}

}  // namespace
}  // namespace muster::kueue
