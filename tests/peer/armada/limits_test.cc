// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Limits, the penalty of short jobs, and what places cost the optimiser and a market.
#include "lib/peer/armada/limits.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/armada/armada.h"
#include "lib/peer/armada/gang_prices.h"
#include "lib/peer/armada/node_trades.h"
#include "lib/peer/armada/short_jobs.h"
#include "tests/peer/armada/pool.h"

namespace muster::armada {
namespace {

const std::vector<Resource> kResources = {{"cpu", false, -3}, {"license", true, 0}};

TEST(LimitOf, TheLastFractionOfAResourceCounts) {
  EXPECT_EQ(LimitOf(kResources, {1000, 10}, std::vector<Fraction>{{"cpu", 0.5}, {"cpu", 0.1}}),
            (Amounts{100, kUnlimited}));
  EXPECT_EQ(LimitOf(kResources, {3, 10}, std::vector<Fraction>{{"cpu", 0.4}, {"license", 1}}),
            (Amounts{1, 10}));  // toward zero
  EXPECT_EQ(Capped({5, 5}, {3, kUnlimited}), (Amounts{3, 5}));
}

TEST(CheckGangLimits, TokensThenBurstsThenTheQueue) {
  const Amounts held = {5}, limit = {5};
  const auto check = [&](const Limiter& pool, const Limiter& queue, int64_t jobs) {
    return CheckGangLimits({.pool = pool, .queue = queue, .held = held, .limit = limit}, jobs);
  };
  const Limiter none, few{.limited = true, .burst = 4, .tokens = 2};
  EXPECT_EQ(check(none, none, 9), Reason::kNone);
  EXPECT_EQ(check(few, none, 2), Reason::kNone);
  EXPECT_EQ(check(few, none, 3), Reason::kGangAboveRate);
  EXPECT_EQ(check(few, none, 5), Reason::kGangAboveBurst);
  EXPECT_EQ(check(none, few, 3), Reason::kGangAboveQueueRate);
  EXPECT_EQ(check({.limited = true, .burst = 4, .tokens = 0.5}, few, 5), Reason::kRateLimit);
  EXPECT_EQ(CheckGangLimits(
                {.cordoned = true, .pool = few, .queue = few, .held = held, .limit = limit}, 9),
            Reason::kQueueCordoned);
}

TEST(CheckFloatingLimits, OnlyFloatingResourcesCount) {
  EXPECT_EQ(CheckFloatingLimits(kResources, {99, 2}, Amounts{0, 2}), Reason::kNone);
  EXPECT_EQ(CheckFloatingLimits(kResources, {0, 3}, Amounts{0, 2}), Reason::kFloatingLimit);
  EXPECT_EQ(CheckFloatingLimits(kResources, {0, 0}, Amounts{0, 0}), Reason::kNoFloatingResources);
  EXPECT_EQ(CheckFloatingLimits(kResources, {0, 0}, {}), Reason::kNoFloatingResources);
}

EndedJob Ended(const std::string& id, int64_t started) {
  return {.id = id, .queue = "q", .requests = {{"cpu", 500}, {"disk", 7}}, .started = started};
}

TEST(ShortJobs, AreChargedOnceUntilTheirDeadline) {
  ShortJobs jobs(60);
  jobs.Report(Ended("early", 0));  // there is no clock yet
  jobs.SetNow(100);
  jobs.Report(Ended("a", 41));
  jobs.Report(Ended("a", 90));
  jobs.Report(Ended("long", 40));
  EXPECT_EQ(jobs.PenaltyOf("q", kResources), (Amounts{500, 0}));
  EXPECT_EQ(jobs.PenaltyOf("other", kResources), (Amounts{0, 0}));
  ShortJobs loaded(60);
  loaded.Load(jobs.Stored());
  EXPECT_EQ(loaded, jobs);
  jobs.SetNow(100 + 1);
  EXPECT_EQ(jobs.PenaltyOf("q", kResources), (Amounts{0, 0}));
}

TEST(ShortJobs, OnlyThoseThatEndedByThemselvesAndTimesAtTheEnds) {
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  ShortJobs jobs(60);
  jobs.SetNow(kLast);
  EndedJob job = Ended("a", kLast - 59);
  EXPECT_TRUE(jobs.IsShort(job));
  EXPECT_FALSE(jobs.IsShort(Ended("b", kFirst)));
  job.preempted = true;
  EXPECT_FALSE(jobs.IsShort(job));
  job.preempted = false;
  job.ended = false;
  EXPECT_FALSE(jobs.IsShort(job));
  EXPECT_FALSE(ShortJobs(0).IsShort(Ended("a", kLast)));
  jobs.Report(Ended("c", kLast - 1));
  EXPECT_EQ(jobs.Stored().Integer("c", 1), kLast);
}

// The pieces of a round in which nothing has happened.
struct Pieces {
  explicit Pieces(const State& state)
      : tables(state),
        contexts(state.jobs.size()),
        accounts(tables, contexts),
        books(tables),
        evicted(state.jobs.size()),
        finder(tables, books, evicted, contexts),
        unfeasible(state.shapes.size(), Reason::kNone) {}

  Tables tables;
  std::vector<JobContext> contexts;
  Accounts accounts;
  NodeBooks books;
  EvictedJobs evicted;
  NodeFinder finder;
  std::vector<Reason> unfeasible;
  std::vector<int> ranks;
  WalkWorld world{tables, contexts, accounts, unfeasible, ranks};
};

TEST(GangPricer, CostsTheDearestMemberAndLeavesTheBooks) {
  Pool pool({4, 4});
  const int rich = pool.AddQueue("rich"), poor = pool.AddQueue("poor");
  const int dear = pool.AddJob(rich, 4), cheap = pool.AddJob(rich, 3);
  pool.state.jobs[static_cast<size_t>(dear)].running_bid = 9;
  pool.state.jobs[static_cast<size_t>(cheap)].running_bid = 2;
  pool.Seat(dear, 0);
  pool.Seat(cheap, 1);
  const int a = pool.AddJob(poor, 1), b = pool.AddJob(poor, 2), c = pool.AddJob(poor, 4);
  const int d = pool.AddJob(poor, 4);
  Pieces pieces(pool.state);
  GangPricer pricer(pieces.world, pieces.books, pieces.finder);
  EXPECT_EQ(pricer.Price({a}, "").price, 0);
  EXPECT_EQ(pricer.Price({b}, "").price, 2);
  EXPECT_EQ(pricer.Price({c, b}, "").price, 9);
  EXPECT_EQ(pricer.Price({c, b}, "").reason, Reason::kNone);
  EXPECT_EQ(pricer.Price({c, d, a}, "").reason, Reason::kGangDoesNotFit);
  EXPECT_EQ(pricer.Price({a}, "rack").reason, Reason::kLabelNotIndexed);
  EXPECT_EQ(PriceNode(pieces.world, pieces.books, c, 1, {}).victims, std::vector<int>{cheap});
}

TEST(NodeTrades, SparesQueuesBelowTheirShare) {
  Pool pool({4});
  const int above = pool.AddQueue("above"), below = pool.AddQueue("below");
  const int asker = pool.AddQueue("new");
  const int first = pool.AddJob(above, 3), second = pool.AddJob(below, 1);
  pool.Seat(first, 0);
  pool.Seat(second, 0);
  const int job = pool.AddJob(asker, 3);
  Pieces pieces(pool.state);
  const Cost cost(pool.state.total, pool.state.multipliers);
  NodeTrades trades(pieces.world, pieces.books, cost);
  trades.SetCosts({{1, 0.2, 1}, {0.25, 0.5, 1}, {0, 0.5, 1}});
  NodePlan plan{job, 0};
  const absl::StatusOr<bool> fits = trades.PlanNode(job, 0, &plan);
  ASSERT_TRUE(fits.ok() && *fits);
  // Queue below keeps nothing without its job, queue above still a part.
  ASSERT_EQ(plan.victims.size(), 1u);
  EXPECT_EQ(plan.victims[0].job, first);
  EXPECT_EQ(plan.cost, 0);
  EXPECT_EQ(plan.impact, 0.75);
  EXPECT_TRUE(IsTooLargeToEvict(pieces.tables.requests(first), {2}));
  EXPECT_FALSE(IsTooLargeToEvict(pieces.tables.requests(first), {0}));
}

}  // namespace
}  // namespace muster::armada
