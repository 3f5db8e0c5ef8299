// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Spending limits on clusters small enough to add up by hand, and against the slow twin.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/policy/spending_costs.h"
#include "muster/muster.h"
#include "muster/remedy.h"
#include "tests/support/against_reference.h"
#include "tests/support/plan_words.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_jobs.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Spending : public ::testing::Test {
 protected:
  void SetUp() override {
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 99}, {"nvidia.com/gpu", 99}}}));
  }
  void Queue(const std::string& name, const SpendingRules& rules, const std::string& spent = "",
             const std::string& parent = "") {
    QueueSpec queue{.name = name, .parent = parent};
    queue.rules = QueueRules{.spending = rules};
    if (!spent.empty()) queue.history = UsageHistory{.spent = Quantity(spent)};
    Accept(cluster_.AddQueue(queue));
  }
  // A job that requests GPUs, one a task.
  void Job(const std::string& name, const std::string& queue, int64_t tasks, int64_t running = 0) {
    Accept(cluster_.AddJob(
        {.name = name,
         .queue = queue,
         .min_available = tasks,
         .groups = {{.count = tasks, .shape = {.request = {{"nvidia.com/gpu", 1}}}}}}));
    for (int64_t i = 0; i < running; ++i) {
      Accept(cluster_.SetTaskStatus(name + "-" + std::to_string(i), TaskStatus::kRunning, "n"));
    }
  }
  std::string Why(const std::string& job, const std::string& profile = "muster") {
    const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->Explain(job).value_or("") : "";
  }
  int64_t Starts(const std::string& profile = "muster") {
    const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? static_cast<int64_t>(plan->binds().size()) : -1;
  }

  Cluster cluster_;
};

TEST_F(Spending, APeriodThatIsPaidForLetsNothingMoreIn) {
  Queue("nlp", {.prices = {{"nvidia.com/gpu", "2.50"}}, .limit = 100}, "90.00");
  Job("runs", "nlp", 4, 4);
  Job("next", "nlp", 1);
  EXPECT_EQ(Starts(), 0);
  EXPECT_THAT(Why("next"),
              HasSubstr("queue \"nlp\" has spent 90.00 of 100.00 this month and costs 10.00 an "
                        "hour; this job costs 2.50 an hour (spending)"));
}

TEST_F(Spending, WhatIsLeftPaysForAnHour) {
  Queue("nlp", {.prices = {{"nvidia.com/gpu", "2.50"}}, .limit = 100}, "90");
  for (const char* job : {"a", "b", "c", "d", "e"}) Job(job, "nlp", 1);
  EXPECT_EQ(Starts(), 4);
  EXPECT_EQ(Starts("muster:spending(ahead=7200)"), 2);
  EXPECT_EQ(Starts("muster:-spending"), 5);
  EXPECT_EQ(Starts("volcano"), 5);
  EXPECT_EQ(Starts("volcano:+spending"), 4);
}

TEST_F(Spending, AnHourHasALimitOfItsOwn) {
  Queue("nlp", {.prices = {{"nvidia.com/gpu", "2.50"}}, .hourly_limit = "7.50"});
  Job("gang", "nlp", 4);
  EXPECT_EQ(Starts(), 0);
  EXPECT_THAT(Why("gang"), HasSubstr("queue \"nlp\" costs 7.50 of 7.50 an hour; this job costs "
                                     "10.00 an hour"));
  Job("small", "nlp", 3);
  EXPECT_EQ(Starts(), 3);
}

TEST_F(Spending, AQueueAboveLimitsAllBelow) {
  Queue("lab", {.prices = {{"nvidia.com/gpu", 2}}, .limit = 6, .period = "week"}, "1");
  Queue("nlp", {.limit = 100}, "", "lab");
  Accept(cluster_.AddQueue({.name = "vision", .parent = "lab"}));
  Job("a", "nlp", 1);
  Job("b", "vision", 1);
  Job("c", "vision", 1);
  EXPECT_EQ(Starts(), 2);
  EXPECT_THAT(Why("c"), HasSubstr("queue \"lab\" has spent 1.00 of 6.00 this week"));
}

TEST_F(Spending, WhatCostsNothingIsNotRefused) {
  Queue("nlp", {.prices = {{"nvidia.com/gpu", 2}}, .limit = 1}, "5");
  Accept(cluster_.AddJob({.name = "free",
                          .queue = "nlp",
                          .groups = {{.count = 3, .shape = {.request = {{"cpu", 1}}}}}}));
  EXPECT_EQ(Starts(), 3);
}

TEST_F(Spending, RemediesNameIt) {
  Queue("nlp", {.prices = {{"nvidia.com/gpu", "2.50"}}, .hourly_limit = 5, .limit = 100}, "99");
  Job("train", "nlp", 3);
  const absl::StatusOr<Diagnosis> diagnosis = Diagnose(cluster_, "muster", "train");
  ASSERT_TRUE(diagnosis.ok()) << diagnosis.status();
  EXPECT_THAT(diagnosis->facts, Contains(HasSubstr("queue \"nlp\": 99.00 of 100.00 spent")));
  const auto found =
      std::ranges::find(diagnosis->remedies, RemedyKind::kSpendingLimit, &Remedy::kind);
  ASSERT_NE(found, diagnosis->remedies.end());
  EXPECT_EQ(
      found->words,
      "raise what queue \"nlp\" may spend an hour: 5.00 -> 7.50, raise what queue \"nlp\" may "
      "spend: 100.00 -> 106.50");
  EXPECT_EQ(found->starts, 3);
}

TEST_F(Spending, IsChecked) {
  QueueSpec queue{.name = "q"};
  queue.rules = QueueRules{.spending = SpendingRules{.prices = {{"cpu", "-1"}}}};
  EXPECT_THAT(std::string(cluster_.AddQueue(queue).message()), HasSubstr("price of resource"));
  queue.rules->spending = SpendingRules{.limit = "much"};
  EXPECT_THAT(std::string(cluster_.AddQueue(queue).message()), HasSubstr("limit"));
  queue.rules = {};
  queue.history = UsageHistory{.spent = "-3"};
  EXPECT_THAT(std::string(cluster_.AddQueue(queue).message()), HasSubstr("spent"));
}

TEST(SpendingWorlds, AgreeWithTheirTwin) {
  ExpectAgreement(WorldCount(1500), [](uint64_t seed) {
    Rng rng(seed);
    ClusterSpec world = RandomWorld(rng.Next(), {.between_tasks = false, .extremes = false});
    AddSpending(rng, &world);
    return ComparedWorld{std::move(world), OneOf(kSpendingSpecs, rng)};
  });
}

// No plan raises what a queue costs an hour above its limit, or above what the rest of its period
// pays for an hour.
TEST(SpendingWorlds, PlansKeepTheLimits) {
  int64_t refused = 0, limited = 0;
  for (uint64_t seed = 0; seed < WorldCount(1000); ++seed) {
    Rng rng(seed);
    ClusterSpec world = RandomWorld(rng.Next(), {.between_tasks = false, .extremes = false});
    AddSpending(rng, &world);
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const Tables& tables = TablesOf(snapshot);
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "muster:actions=allocate", {.now = 2});
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Reason& reason : plan->reasons()) {
      refused += reason.kind == ReasonKind::kQueueSpending;
    }
    for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
      const QueueSpec& spec = tables.queues.spec[q];
      if (!tables.queues.alive[q] || !spec.rules || !spec.rules->spending) continue;
      std::vector<int64_t> before(tables.dimension_count(), 0), after = before;
      for (const QueueShare& share : plan->shares()) {
        QueueIndex up = share.queue;
        while (up != kNone && up != q) up = tables.queues.parent[up];
        if (up == kNone) continue;
        for (size_t d = 0; d < before.size(); ++d) {
          before[d] += share.allocated_before[d];
          after[d] += share.allocated_after[d];
        }
      }
      const SpendingPrices prices = PricesAbove(tables, q);
      const int64_t cost = HourlyCost(prices, after);
      if (cost == HourlyCost(prices, before)) continue;
      const SpendingRules& rules = *spec.rules->spending;
      const int64_t spent =
          spec.history && spec.history->spent ? MoneyOf(spec.history->spent->text) : 0;
      if (rules.hourly_limit) EXPECT_LE(cost, MoneyOf(rules.hourly_limit->text)) << seed;
      if (rules.limit) EXPECT_LE(spent + cost, MoneyOf(rules.limit->text)) << seed;
      limited += rules.hourly_limit.has_value() || rules.limit.has_value();
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(limited, 100);
}

}  // namespace
}  // namespace muster::testing
