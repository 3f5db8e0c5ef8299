// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/armada/armada.h"
#include "tests/peer/armada/pool.h"

namespace muster::armada {
namespace {

TEST(DivideShares, WhatAQueueLeavesGoesToTheOthers) {
  const std::vector<Shares> shares = DivideShares({{1, 0.25}, {1, 1}}, 2);
  EXPECT_EQ(shares[0].fair, 0.5);
  EXPECT_EQ(shares[0].demand_capped, 0.25);
  EXPECT_EQ(shares[1].demand_capped, 0.75);
  EXPECT_EQ(shares[0].uncapped, 0.5);  // without what it left itself
}

TEST(Cost, IsTheLargestShareTimesItsMultiplier) {
  const Cost cost({10, 0, 4}, {1, 1, 2});
  EXPECT_EQ(cost.Of(Amounts{5, 100, 1}), 0.5);
  EXPECT_EQ(cost.OfSum(Amounts{5, 0, 1}, Amounts{0, 0, 1}), 1);
  EXPECT_EQ(cost.Of(Amounts{-5, 0, 0}), 0);
}

TEST(JobOrder, RunningJobsThenClassesThenPriorities) {
  const Job running{.id = "a", .run = armada::Run{}}, queued{.id = "b", .priority = 1};
  const Job later{.id = "c", .priority = 2};
  EXPECT_LT(CompareFair({&running, 1, 0}, {&queued, 2, 0}), 0);
  EXPECT_LT(CompareFair({&later, 2, 0}, {&queued, 1, 0}), 0);
  EXPECT_LT(CompareFair({&queued, 1, 0}, {&later, 1, 0}), 0);
  EXPECT_LT(CompareMarket({&later, 1, 5}, {&running, 1, 4}), 0);
}

TEST(Matching, OnlyTheFirstConditionDecides) {
  const std::vector<Resource> resources = {{"cpu", false, -3}};
  const std::vector<Condition> conditions = {{0, '<', 3}, {0, '>', 100}};
  EXPECT_TRUE(MatchesConditions(conditions, {2000}, resources));
  EXPECT_FALSE(MatchesConditions(conditions, {2001}, resources));  // rounded up to 3
  EXPECT_TRUE(MatchesConditions({}, {2001}, resources));
}

TEST(Matching, TypesForgiveLabelsThatTheyDoNotKnow) {
  const Shape shape{.requests = {1}, .selector = {{"disk", "ssd"}}};
  EXPECT_TRUE(TypeSuits({}, shape, {}));
  EXPECT_FALSE(TypeSuits({.unset = {"disk"}}, shape, {}));
  EXPECT_FALSE(NodeSuits({.total = {1}}, shape, {}, {{"cpu"}}));
}

class NodeIndexTest : public ::testing::Test {
 protected:
  // The nodes that a cursor yields for the request.
  std::vector<int> Walk(const std::vector<int64_t>& cpus, int64_t resolution, int64_t request) {
    Pool pool(cpus);
    pool.state.indexed[0].resolution = resolution;
    const Tables tables(pool.state);
    NodeBooks books(tables);
    TypeCursor cursor;
    cursor.Start(books.index(0), 0, &request);
    std::vector<int> nodes;
    for (int node = cursor.Next(); node >= 0; node = cursor.Next()) nodes.push_back(node);
    return nodes;
  }
};

TEST_F(NodeIndexTest, TheLeastFreeFirst) {
  EXPECT_EQ(Walk({5, 3, 8, 1}, 1, 3), (std::vector<int>{1, 0, 2}));
}

TEST_F(NodeIndexTest, RequestsBetweenStepsMissNodes) {
  // 14 is kept as 10, which is below the request.
  EXPECT_EQ(Walk({14, 20}, 10, 12), (std::vector<int>{1}));
  EXPECT_EQ(Walk({14, 12}, 10, 10), (std::vector<int>{0, 1}));
}

TEST(NodeBooks, EvictedJobsCountInTheFirstBucketAlone) {
  Pool pool({4});
  pool.Seat(pool.AddJob(pool.AddQueue("a"), 3), 0);
  const Tables tables(pool.state);
  NodeBooks books(tables);
  EXPECT_EQ(books.free(2, 0)[0], 1);
  EXPECT_EQ(books.free(3, 0)[0], 4);
  const size_t mark = books.Mark();
  books.Evict(0);
  EXPECT_EQ(books.free(0, 0)[0], 1);
  EXPECT_EQ(books.free(2, 0)[0], 4);
  books.Remove(0);
  EXPECT_EQ(books.free(0, 0)[0], 4);
  books.Undo(mark);
  EXPECT_EQ(books.free(0, 0)[0], 1);
  EXPECT_EQ(books.free(2, 0)[0], 1);
}

}  // namespace
}  // namespace muster::armada
