// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/round.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/peer/armada/pool.h"

namespace muster::armada {
namespace {

using Jobs = std::vector<int>;

TEST(Round, FillsTheFullestNodeThatFits) {
  Pool pool({8, 4, 2});
  const int queue = pool.AddQueue("a");
  const int job = pool.AddJob(queue, 3);
  EXPECT_EQ(pool.Placed(), (std::map<int, int>{{job, 1}}));
}

TEST(Round, QueuesTakeTurnsByCost) {
  Pool pool({4});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  for (int i = 0; i < 4; ++i) pool.AddJob(a, 1);
  for (int i = 0; i < 4; ++i) pool.AddJob(b, 1);
  EXPECT_EQ(pool.Run().scheduled(), (Jobs{0, 1, 4, 5}));
}

TEST(Round, PlacesOfQueuesAboveTheirShareGoToOthers) {
  Pool pool({4});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  for (int i = 0; i < 4; ++i) pool.Seat(pool.AddJob(a, 1), 0);
  for (int i = 0; i < 4; ++i) pool.AddJob(b, 1);
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{4, 5}));
  EXPECT_EQ(round.preempted(), (Jobs{2, 3}));  // the youngest runs
  EXPECT_EQ(round.CauseOf(3), Cause::kFairShare);
}

TEST(Round, TheProtectedFractionKeepsJobs) {
  Pool pool({4});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  for (int i = 0; i < 4; ++i) pool.Seat(pool.AddJob(a, 1), 0);
  pool.AddJob(b, 1);
  pool.state.options.protected_fraction = 2;
  const Round& round = pool.Run();
  EXPECT_TRUE(round.scheduled().empty());
  EXPECT_TRUE(round.preempted().empty());
}

TEST(Round, UrgentJobsDisplaceLowerOnesOfQueuesWithinTheirShare) {
  Pool pool({2});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  pool.Seat(pool.AddJob(a, 1), 0);
  pool.Seat(pool.AddJob(b, 1), 0);
  pool.AddJob(b, 2, Pool::kHigh);
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{2}));
  EXPECT_EQ(round.preempted(), (Jobs{0, 1}));
  EXPECT_EQ(round.CauseOf(0), Cause::kUrgency);
}

TEST(Round, GangsGetAllNodesOrNone) {
  Pool pool({1, 1, 1});
  const int queue = pool.AddQueue("a");
  pool.AddGang(queue, 4, 1);
  pool.AddGang(queue, 2, 1);
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{4, 5}));
  EXPECT_EQ(round.context(0).reason, Reason::kGangDoesNotFit);
}

TEST(Round, GangsArePreemptedAsAWhole) {
  Pool pool({2, 2});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  pool.AddGang(a, 2, 2);
  pool.Seat(0, 0);
  pool.Seat(1, 1);
  const int job = pool.AddJob(b, 2);
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{job}));
  EXPECT_EQ(round.preempted(), (Jobs{0, 1}));
}

TEST(Round, UniformGangsStayOnOneValue) {
  Pool pool({1, 1, 1, 1});
  for (const size_t n : {0, 1, 2, 3}) {
    const char* zone = n == 1 || n == 2 ? "y" : "x";
    pool.state.nodes[n].labels = {{"zone", zone}};
    pool.state.nodes[n].type = n == 1 || n == 2 ? 1 : 0;
  }
  pool.state.indexed_labels = {"zone"};
  pool.state.node_types = {{.labels = {{"zone", "x"}}}, {.labels = {{"zone", "y"}}}};
  const int queue = pool.AddQueue("a");
  pool.AddGang(queue, 2, 1);
  pool.state.gangs[0].uniformity = "zone";
  EXPECT_EQ(pool.Placed(), (std::map<int, int>{{0, 0}, {1, 3}}));
  pool.state.gangs[0].value_order = {"y"};
  EXPECT_EQ(pool.Placed(), (std::map<int, int>{{0, 1}, {1, 2}}));
}

TEST(Round, ShapesThatFailedAreNotTriedAgain) {
  Pool pool({1});
  const int queue = pool.AddQueue("a");
  pool.AddJob(queue, 2);
  pool.state.jobs[static_cast<size_t>(pool.AddJob(queue, 2))].shape = 0;
  const Round& round = pool.Run();
  EXPECT_EQ(round.context(1).reason, Reason::kJobDoesNotFit);
  EXPECT_FALSE(round.context(1).attempt.made);
}

TEST(Round, LookbackEndsNewJobs) {
  Pool pool({4});
  const int queue = pool.AddQueue("a");
  for (int i = 0; i < 4; ++i) pool.AddJob(queue, 1);
  pool.state.options.lookback = 2;
  EXPECT_EQ(pool.Run().scheduled(), (Jobs{0, 1}));
}

TEST(Round, TokensEndTheRoundOrTheQueue) {
  Pool pool({4});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  for (int i = 0; i < 2; ++i) pool.AddJob(a, 1);
  for (int i = 0; i < 2; ++i) pool.AddJob(b, 1);
  pool.state.queues[0].limiter = {.limited = true, .burst = 5, .tokens = 1};
  EXPECT_EQ(pool.Run().scheduled(), (Jobs{0, 2, 3}));
  pool.state.limiter = {.limited = true, .burst = 5, .tokens = 2};
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{0, 2}));
  EXPECT_EQ(round.termination(), Reason::kRateLimit);
  EXPECT_EQ(round.accounts().limiter.tokens, 0);
}

TEST(Round, TheRoundLimitIsExceededByOneGang) {
  Pool pool({8});
  const int queue = pool.AddQueue("a");
  for (int i = 0; i < 4; ++i) pool.AddJob(queue, 2);
  pool.state.round_limit = {3};
  EXPECT_EQ(pool.Run().scheduled(), (Jobs{0, 1}));
}

TEST(Round, ClassLimitsHoldEachGangBack) {
  Pool pool({8});
  const int queue = pool.AddQueue("a");
  pool.AddJob(queue, 4);
  const int small = pool.AddJob(queue, 1);
  pool.state.queues[0].limits[0] = {2};
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{small}));
  EXPECT_EQ(round.context(0).reason, Reason::kQueueLimit);
}

TEST(Round, AwayNodesAreUsedAtALowerPriority) {
  Pool pool({1, 1});
  const Taint taint{"gpu", "true", "NoSchedule"};
  pool.state.nodes[1].taints = {taint};
  pool.state.node_types.push_back({.taints = {taint}});
  pool.state.nodes[1].type = 1;
  pool.state.classes[1].away = {{.priority = 10, .name = "gpu", .taints = {{"gpu", "*", ""}}}};
  const int queue = pool.AddQueue("a");
  pool.AddJob(queue, 1, Pool::kHigh);
  pool.AddJob(queue, 1, Pool::kHigh);
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{0, 1}));
  EXPECT_EQ(round.context(1).attempt.method, Method::kAway);
  EXPECT_EQ(round.context(1).attempt.scheduled_at, 10);
}

TEST(Round, HigherBidsGoFirstInAMarket) {
  Pool pool({1});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  pool.AddJob(a, 1);
  pool.AddJob(b, 1);
  pool.state.jobs[0].queued_bid = 1;
  pool.state.jobs[1].queued_bid = 2;
  pool.state.options.market = true;
  pool.state.options.spot_cutoff = 0.5;
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{1}));
  EXPECT_EQ(round.spot_price(), 2);
  EXPECT_EQ(round.accounts().account(1).billable_price, 1);  // the bid of the other queue
}

TEST(Round, TheOptimiserTradesSmallJobsForALargeOne) {
  Pool pool({4, 4});
  const int a = pool.AddQueue("a"), b = pool.AddQueue("b");
  for (int i = 0; i < 4; ++i) pool.Seat(pool.AddJob(a, 1), 0);
  for (int i = 0; i < 4; ++i) pool.Seat(pool.AddJob(a, 1), 1);
  const int job = pool.AddJob(b, 4);
  pool.state.options.protected_fraction = 2;
  pool.state.options.optimiser = {.enabled = true, .most_jobs = 1};
  const Round& round = pool.Run();
  EXPECT_EQ(round.scheduled(), (Jobs{job}));
  EXPECT_EQ(round.preempted().size(), 4u);
  EXPECT_EQ(round.CauseOf(round.preempted()[0]), Cause::kOptimiser);
}

TEST(Round, RefusesStatesThatDoNotFitTogether) {
  Pool pool({1});
  pool.AddJob(pool.AddQueue("a"), 1);
  pool.state.jobs[0].shape = 7;
  EXPECT_FALSE(Round::Make(pool.state).ok());
  pool.state.jobs[0].shape = 0;
  pool.state.buckets = {kEvictedPriority, 10};
  EXPECT_FALSE(Round::Make(pool.state).ok());
}

}  // namespace
}  // namespace muster::armada
