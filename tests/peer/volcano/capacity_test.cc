// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kFlat[] = "volcano:actions=reclaim+allocate,tiers=capacity+predicates+gang";
constexpr char kTree[] =
    "volcano:actions=reclaim+allocate,tiers=capacity(hierarchy=on)+predicates+gang";
constexpr char kUp1[] =
    "volcano:actions=reclaim+allocate,"
    "tiers=capacity(hierarchy=on,ancestor_reclaim_level=1)+predicates+gang";
constexpr char kUp2[] =
    "volcano:actions=reclaim+allocate,"
    "tiers=capacity(hierarchy=on,ancestor_reclaim_level=2)+predicates+gang";

QueueSpec Queue(const std::string& name, const std::string& parent, int deserved) {
  QueueSpec queue{.name = name, .parent = parent};
  if (deserved > 0) queue.deserved = Resources{{"cpu", deserved}};
  return queue;
}

// A node of so many cores and these queues.
Cluster CapacityWorld(int cores, const std::vector<QueueSpec>& queues) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", cores}, {"pods", 99}}}));
  for (const QueueSpec& queue : queues) Accept(cluster.AddQueue(queue));
  return cluster;
}

// `name`0, `name`1, ...: tasks of one core in a job of the queue, running or waiting.
void Running(Cluster& cluster, const std::string& name, const std::string& queue, int count) {
  AddJob(cluster, {.name = name, .queue = queue, .phase = JobPhase::kRunning, .preemptable = true},
         count, {{"cpu", 1}});
  for (int i = 0; i < count; ++i) Run(cluster, name + std::to_string(i), "n");
}
void Waiting(Cluster& cluster, const std::string& name, const std::string& queue, int count = 1) {
  AddJob(cluster, {.name = name, .queue = queue, .min_available = 1, .phase = JobPhase::kAdmitted},
         count, {{"cpu", 1}});
}

std::string Why(Cluster& cluster, const std::string& profile, const std::string& job) {
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const absl::StatusOr<std::string> words = plan->Explain(job);
  EXPECT_TRUE(words.ok()) << words.status();
  return words.value_or("");
}

// --- side by side

TEST(Capacity, WhatAQueueDeservesDoesNotBoundItAndItsLimitDoes) {
  QueueSpec queue = Queue("q", "", 1);
  queue.limit = Resources{{"cpu", 3}};
  Cluster cluster = CapacityWorld(8, {queue});
  Waiting(cluster, "w", "q", 4);
  EXPECT_EQ(Decide(cluster, kFlat), "bind w0 n; bind w1 n; bind w2 n");
  EXPECT_NE(Why(cluster, kFlat, "w").find("would exceed its limit in cpu (capacity)"),
            std::string::npos);
}

TEST(Capacity, GuaranteesOfOthersAreNotLent) {
  QueueSpec other = Queue("other", "", 0);
  other.guaranteed = Resources{{"cpu", 3}};
  Cluster cluster = CapacityWorld(5, {Queue("q", "", 0), other});
  Waiting(cluster, "w", "q", 4);
  EXPECT_EQ(Decide(cluster, kFlat), "bind w0 n; bind w1 n");
}

TEST(Capacity, TheQueueWithTheSmallestFractionGoesFirstAndOneThatDeservesNothingLast) {
  Cluster cluster =
      CapacityWorld(12, {Queue("nothing", "", 0), Queue("half", "", 4), Queue("third", "", 6)});
  Running(cluster, "h", "half", 2);
  Running(cluster, "t", "third", 2);
  Waiting(cluster, "a", "nothing");
  Waiting(cluster, "b", "half");
  Waiting(cluster, "c", "third");
  EXPECT_EQ(Decide(cluster, "volcano:actions=allocate,tiers=capacity+predicates+gang"),
            "bind c0 n; bind b0 n; bind a0 n");
}

TEST(Capacity, AFullFractionIsThatOfAQueueThatDeservesNothingButGoesBeforeIt) {
  Cluster cluster = CapacityWorld(12, {Queue("nothing", "", 0), Queue("full", "", 2)});
  Running(cluster, "f", "full", 2);
  Waiting(cluster, "a", "nothing");
  Waiting(cluster, "b", "full");
  EXPECT_EQ(Decide(cluster, "volcano:actions=allocate,tiers=capacity+predicates+gang"),
            "bind b0 n; bind a0 n");
}

TEST(Capacity, TasksBeyondWhatTheirQueueDeservesGo) {
  Cluster cluster = CapacityWorld(4, {Queue("lender", "", 2), Queue("borrower", "", 2)});
  Running(cluster, "b", "borrower", 4);
  Waiting(cluster, "w", "lender", 3);
  // One job starves for one task; the borrower would keep two of three.
  EXPECT_EQ(Decide(cluster, kFlat), "evict b3 n; nominate w0 n");
}

TEST(Capacity, NobodyTakesBeyondWhatHisQueueDeserves) {
  Cluster cluster = CapacityWorld(4, {Queue("lender", "", 2), Queue("borrower", "", 2)});
  Running(cluster, "l", "lender", 2);
  Running(cluster, "b", "borrower", 2);
  Waiting(cluster, "w", "lender");
  EXPECT_EQ(Decide(cluster, kFlat), "");
}

TEST(Capacity, TasksOfAQueueThatDeservesNothingOfTheirsGoDownToItsGuarantee) {
  QueueSpec guaranteed = Queue("borrower", "", 0);
  guaranteed.guaranteed = Resources{{"memory", 4}};
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 2}, {"memory", 16}, {"pods", 99}}}));
  Accept(cluster.AddQueue(Queue("lender", "", 2)));
  Accept(cluster.AddQueue(guaranteed));
  AddJob(cluster,
         {.name = "b", .queue = "borrower", .phase = JobPhase::kRunning, .preemptable = true}, 2,
         {{"cpu", 1}, {"memory", 4}});
  testing::Run(cluster, "b0", "n");
  testing::Run(cluster, "b1", "n");
  // Guaranteed is deserved: the first is beyond it, the second is not.
  AddJob(cluster,
         {.name = "w", .queue = "lender", .min_available = 2, .phase = JobPhase::kAdmitted}, 2,
         {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, kFlat), "");
  Accept(cluster.RemoveTask("w1"));
  Waiting(cluster, "v", "lender");
  EXPECT_EQ(Decide(cluster, kFlat), "evict b1 n; nominate v0 n");
}

TEST(Capacity, AdmissionStaysBelowLimitsLessWhatElasticJobsCouldGiveBack) {
  QueueSpec queue = Queue("q", "", 0);
  queue.limit = Resources{{"cpu", 4}};
  const std::string profile = "volcano:actions=admit,tiers=capacity+predicates";
  Cluster cluster = CapacityWorld(8, {queue});
  Running(cluster, "r", "q", 3);
  Accept(cluster.AddJob({.name = "w", .queue = "q", .min_resources = Resources{{"cpu", 2}}}));
  EXPECT_EQ(Decide(cluster, profile), "admit w");  // r needs none of its three
  Cluster strict = CapacityWorld(8, {queue});
  AddJob(strict,
         {.name = "r",
          .queue = "q",
          .min_resources = Resources{{"cpu", 3}},
          .phase = JobPhase::kRunning},
         3, {{"cpu", 1}});
  for (const char* task : {"r0", "r1", "r2"}) testing::Run(strict, task, "n");
  Accept(strict.AddJob({.name = "w", .queue = "q", .min_resources = Resources{{"cpu", 2}}}));
  Accept(strict.AddJob({.name = "v", .queue = "q", .min_resources = Resources{{"cpu", 1}}}));
  EXPECT_EQ(Decide(strict, profile), "admit v");
}

// --- in a tree

TEST(CapacityTree, LimitsOfAllQueuesAboveBound) {
  QueueSpec parent = Queue("p", "root", 0);
  parent.limit = Resources{{"cpu", 2}};
  Cluster cluster =
      CapacityWorld(8, {Queue("root", "", 0), parent, Queue("a", "p", 0), Queue("b", "p", 0)});
  Waiting(cluster, "x", "a", 2);
  Waiting(cluster, "y", "b", 2);
  EXPECT_EQ(Decide(cluster, kTree), "bind x0 n; bind x1 n");
  EXPECT_NE(Why(cluster, kTree, "y").find("would exceed its limit in cpu (capacity)"),
            std::string::npos);
}

TEST(CapacityTree, AdmissionCountsWhatWasPromisedBesideIt) {
  QueueSpec parent = Queue("p", "root", 0);
  parent.limit = Resources{{"cpu", 3}};
  Cluster cluster =
      CapacityWorld(8, {Queue("root", "", 0), parent, Queue("a", "p", 0), Queue("b", "p", 0)});
  Accept(cluster.AddJob({.name = "x", .queue = "a", .min_resources = Resources{{"cpu", 2}}}));
  Accept(cluster.AddJob({.name = "y", .queue = "b", .min_resources = Resources{{"cpu", 2}}}));
  EXPECT_EQ(Decide(cluster, "volcano:actions=admit,tiers=capacity(hierarchy=on)+predicates"),
            "admit x");
  EXPECT_EQ(Decide(cluster, "volcano:actions=admit,tiers=capacity+predicates"), "admit x; admit y");
}

TEST(CapacityTree, AQueueWithoutAParentHangsOnTheRoot) {
  QueueSpec root = Queue("root", "", 0);
  root.limit = Resources{{"cpu", 2}, {"memory", 100}};
  Cluster cluster = CapacityWorld(8, {root, Queue("said", "root", 0), Queue("unsaid", "", 0)});
  Waiting(cluster, "x", "said", 2);
  Waiting(cluster, "y", "unsaid", 1);
  EXPECT_EQ(Decide(cluster, kTree), "bind x0 n; bind x1 n");
  EXPECT_EQ(Decide(cluster, kFlat), "bind x0 n; bind x1 n; bind y0 n");
}

TEST(CapacityTree, WithoutARootOrWithJobsAboveTheLeavesNobodyTakes) {
  const std::string words = "not one tree from \"root\" with its jobs in the leaves (capacity)";
  Cluster rootless = CapacityWorld(8, {Queue("q", "", 0)});
  Waiting(rootless, "w", "q");
  EXPECT_EQ(Decide(rootless, kTree), "");
  EXPECT_NE(Why(rootless, kTree, "w").find(words), std::string::npos) << Why(rootless, kTree, "w");

  Cluster upside_down = CapacityWorld(8, {Queue("q", "", 0), Queue("root", "q", 0)});
  Waiting(upside_down, "w", "root");
  EXPECT_EQ(Decide(upside_down, kTree), "");
  EXPECT_NE(Why(upside_down, kTree, "w").find(words), std::string::npos);

  Cluster inner =
      CapacityWorld(8, {Queue("root", "", 0), Queue("p", "root", 0), Queue("a", "p", 0)});
  Waiting(inner, "w", "p");
  Waiting(inner, "x", "a");
  EXPECT_EQ(Decide(inner, kTree), "");
  EXPECT_NE(Why(inner, kTree, "x").find(words), std::string::npos);
}

TEST(CapacityTree, QueuesAreComparedWhereTheirWaysPart) {
  // a/1 holds more of its own than b/1, but a holds less of its own than b.
  Cluster cluster =
      CapacityWorld(20, {Queue("root", "", 0), Queue("a", "root", 8), Queue("b", "root", 2),
                         Queue("a1", "a", 1), Queue("a2", "a", 7), Queue("b1", "b", 2)});
  Running(cluster, "r", "a1", 1);
  Running(cluster, "s", "b1", 1);
  Waiting(cluster, "x", "a1");
  Waiting(cluster, "y", "b1");
  EXPECT_EQ(
      Decide(cluster, "volcano:actions=allocate,tiers=capacity(hierarchy=on)+predicates+gang"),
      "bind x0 n; bind y0 n");
  EXPECT_EQ(Decide(cluster, "volcano:actions=allocate,tiers=capacity+predicates+gang"),
            "bind y0 n; bind x0 n");
}

// p and s below the root; the taker is in p/a, p/b and s/c have borrowed.
Cluster Borrowers(int p, int a, int b, int s, int c) {
  Cluster cluster =
      CapacityWorld(4, {Queue("root", "", 0), Queue("p", "root", p), Queue("s", "root", s),
                        Queue("a", "p", a), Queue("b", "p", b), Queue("c", "s", c)});
  Running(cluster, "y", "c", 2);
  Running(cluster, "x", "b", 2);
  Waiting(cluster, "w", "a");
  return cluster;
}

TEST(CapacityTree, VictimsAreLookedForNearByFirst) {
  Cluster cluster = Borrowers(2, 1, 1, 2, 1);
  EXPECT_EQ(Decide(cluster, kTree), "evict x1 n; nominate w0 n");
  // Side by side the queue that goes last in queue order loses.
  EXPECT_EQ(Decide(cluster, kFlat), "evict y1 n; nominate w0 n");
}

TEST(CapacityTree, AncestorsMayClaimWhatTheirLeafDoesNotDeserve) {
  // a deserves nothing, p has not got what it deserves; c is beyond its own, as is s.
  Cluster cluster = Borrowers(4, 0, 2, 1, 1);
  EXPECT_EQ(Decide(cluster, kTree), "");
  EXPECT_EQ(Decide(cluster, kUp1), "evict y1 n; nominate w0 n");
}

TEST(CapacityTree, AncestorsProtectWhatTheyDeserve) {
  // c is beyond its own, s is not.
  Cluster cluster = Borrowers(2, 1, 2, 2, 1);
  EXPECT_EQ(Decide(cluster, kTree), "evict y1 n; nominate w0 n");
  EXPECT_EQ(Decide(cluster, kUp1), "");
}

TEST(CapacityTree, SiblingsThatDeserveNothingDoNotTakeFromEachOtherWhereAncestorsCount) {
  Cluster cluster = CapacityWorld(
      4, {Queue("root", "", 0), Queue("p", "root", 5), Queue("a", "p", 0), Queue("b", "p", 0)});
  Running(cluster, "x", "b", 4);
  Waiting(cluster, "w", "a");
  EXPECT_EQ(Decide(cluster, kUp1), "");
  // Where the taker's own queue deserves something, they do.
  Cluster claims = CapacityWorld(
      4, {Queue("root", "", 0), Queue("p", "root", 5), Queue("a", "p", 1), Queue("b", "p", 0)});
  Running(claims, "x", "b", 4);
  Waiting(claims, "w", "a");
  EXPECT_EQ(Decide(claims, kUp1), "evict x3 n; nominate w0 n");
}

TEST(CapacityTree, TheSecondAncestorCountsAtTheSecondLevel) {
  // g > p > a requests; g > s > c has borrowed of s, and h > t > d of h.
  Cluster cluster = CapacityWorld(
      4, {Queue("root", "", 0), Queue("g", "root", 4), Queue("h", "root", 2), Queue("p", "g", 1),
          Queue("t", "h", 1), Queue("a", "p", 1), Queue("d", "t", 1)});
  Running(cluster, "x", "d", 2);
  Running(cluster, "z", "a", 0);
  Waiting(cluster, "w", "a", 1);
  Accept(cluster.UpdateNode({.name = "n", .capacity = {{"cpu", 2}, {"pods", 99}}}));
  EXPECT_EQ(Decide(cluster, kUp1), "evict x1 n; nominate w0 n");
  EXPECT_EQ(Decide(cluster, kUp2), "");  // h holds no more than it deserves
}

TEST(CapacityTree, AnUnknownLevelIsRefused) {
  Cluster cluster = CapacityWorld(1, {});
  const auto plan = Schedule(cluster.Freeze(),
                             "volcano:actions=allocate,tiers=capacity(ancestor_reclaim_level=-1)");
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().ToString().find("ancestor_reclaim_level"), std::string::npos);
}

TEST(CapacityTree, DeepTreesAndTheLargestAmountsAreCounted) {
  std::vector<QueueSpec> queues = {Queue("root", "", 0)};
  for (int i = 0; i < 3000; ++i) {
    queues.push_back(
        Queue("q" + std::to_string(i), i == 0 ? "root" : "q" + std::to_string(i - 1), 1));
    queues.back().limit = Resources{{"cpu", Quantity("9223372036854775")}};
  }
  Cluster cluster = CapacityWorld(4, queues);
  Waiting(cluster, "w", "q2999", 2);
  EXPECT_EQ(Decide(cluster,
                   "volcano:actions=allocate,tiers=capacity(hierarchy=on,"
                   "ancestor_reclaim_level=1000000000)+predicates+gang"),
            "bind w0 n; bind w1 n");
}

}  // namespace
}  // namespace muster::testing
