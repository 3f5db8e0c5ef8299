// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic quotas of namespaces: bounds and accounts by hand, preemption by hand and against the
// slow twin.
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/scheduler_plugins/capacity_preemption.h"
#include "lib/reference/peer/scheduler_plugins/namespace_quotas.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using Verdict = CapacityCluster::Verdict;
using Outcome = CapacityCluster::DryRunResult::Outcome;

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

const CapacityQuotas::Account& Of(const CapacityQuotas& quotas, std::string_view name) {
  return quotas.at(quotas.Find(name));
}

TEST(CapacityQuotas, BoundsAndWhatTheyDoNotName) {
  CapacityQuotas quotas;
  ASSERT_TRUE(
      quotas.Add("a", {.min = {{{"cpu", 10}}}, .max = {{{"cpu", 20}, {"memory", 50}}}}).ok());
  ASSERT_TRUE(quotas.Use("a", "t", {{"cpu", 15}, {"gpu", 3}}).ok());
  const auto over_max = [&](const NamedAmounts& more) {
    return CapacityQuotas::OverMax(Of(quotas, "a"), Of(quotas, "a").used,
                                   *quotas.Request("more", more));
  };
  EXPECT_FALSE(over_max({{"cpu", 5}, {"memory", 50}}));  // equality is within
  EXPECT_TRUE(over_max({{"cpu", 6}}));
  EXPECT_TRUE(over_max({{"ephemeral-storage", 1}}));  // not named: 0
  EXPECT_FALSE(over_max({{"gpu", 1 << 30}}));         // not named: no bound
  EXPECT_TRUE(CapacityQuotas::OverMin(Of(quotas, "a"), Of(quotas, "a").used));
  EXPECT_FALSE(quotas.OverMins(Sparse(), *quotas.Request("more", {{"cpu", 10}})));
  EXPECT_TRUE(quotas.OverMins(Sparse(), *quotas.Request("more", {{"gpu", 1}})));
}

TEST(CapacityQuotas, AccountsCountATaskOnce) {
  CapacityQuotas quotas;
  ASSERT_TRUE(quotas.Use("a", "t0", {{"cpu", 1}}).ok());  // no quota: not counted
  ASSERT_TRUE(quotas.Add("a", {.used = {{"cpu", 5}}}).ok());
  ASSERT_TRUE(quotas.Add("a", {.used = {{"cpu", 9}}}).ok());  // it has one already
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(quotas.Use("a", "t1", {{"cpu", 2}}).ok());
  EXPECT_EQ(Of(quotas, "a").used.at(0), 7);
  ASSERT_TRUE(quotas.Release("a", "t0", {{"cpu", 1}}).ok());
  ASSERT_TRUE(quotas.Release("a", "t1", {{"cpu", 2}}).ok());
  EXPECT_EQ(Of(quotas, "a").used.at(0), 5);
  ASSERT_TRUE(quotas.Update("a", {.min = {{{"cpu", 8}}}}).ok());
  EXPECT_EQ(Of(quotas, "a").used.at(0), 5);  // use stays
  EXPECT_EQ(Of(quotas, "a").min.at(0), 8);
  quotas.Remove("a");
  EXPECT_EQ(quotas.Find("a"), CapacityQuotas::kNone);
  EXPECT_EQ(quotas.all_used().at(0), 0);
}

TEST(CapacityQuotas, BadInput) {
  CapacityQuotas quotas;
  EXPECT_EQ(quotas.Add("a", {.min = {{{"cpu", 1}, {"cpu", 2}}}}).message(),
            "quota of \"a\": resource \"cpu\" is named twice");
  EXPECT_EQ(quotas.Use("a", "t", {{"cpu", -1}}).message(),
            "task \"t\": request of -1 \"cpu\" is not within 0 and 2^53");
  EXPECT_FALSE(quotas.Use("a", "t", {{"cpu", kLargest}}).ok());
  // Bounds may be anything.
  for (const char* name : {"b", "c"}) {
    ASSERT_TRUE(
        quotas.Add(name, {.min = {{{"cpu", kLargest}}}, .max = {{{"cpu", kLargest}}}}).ok());
  }
  EXPECT_FALSE(quotas.OverMins(Sparse(), *quotas.Request("more", {{"cpu", 1}})));
  quotas.Remove("b");
  quotas.Remove("c");
  EXPECT_TRUE(quotas.OverMins(Sparse(), *quotas.Request("more", {{"cpu", 1}})));
}

// Two quotas with minimums and use that are both past the end of 64 bits together.
TEST(CapacityQuotas, SumsPastTheEndOfTheNumbersAreExact) {
  CapacityQuotas quotas;
  const NamedAmounts most = {{"cpu", kLargest}, {"gpu", kLargest}};
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(quotas.Add(name, {.min = most, .used = most}).ok());
  }
  const auto over_mins = [&](const NamedAmounts& more) {
    return quotas.OverMins(quotas.all_used(), *quotas.Request("more", more));
  };
  EXPECT_EQ(quotas.all_used().at(0), kLargest);  // which is what shows
  EXPECT_FALSE(over_mins({}));
  EXPECT_TRUE(over_mins({{"gpu", 1}}));
  // One minimum shrinks by 3, another makes up for 2 of it, then for all.
  ASSERT_TRUE(quotas.Update("a", {.min = {{{"cpu", kLargest - 3}, {"gpu", kLargest}}}}).ok());
  EXPECT_TRUE(over_mins({}));
  ASSERT_TRUE(quotas.Add("c", {.min = {{{"cpu", 2}}}}).ok());
  EXPECT_TRUE(over_mins({}));
  ASSERT_TRUE(quotas.Update("c", {.min = {{{"cpu", 3}}}}).ok());
  EXPECT_FALSE(over_mins({}));
  for (const char* name : {"a", "b"}) quotas.Remove(name);
  EXPECT_TRUE(quotas.all_used().IsZero());
  EXPECT_FALSE(over_mins({{"cpu", 3}}));
  EXPECT_TRUE(over_mins({{"cpu", 4}}));
  // A maximum that does not name a resource does not bound it, however much is used.
  ASSERT_TRUE(quotas.Add("d", {.max = {{}}, .used = {{"gpu", kLargest}}}).ok());
  EXPECT_FALSE(CapacityQuotas::OverMax(Of(quotas, "d"), Of(quotas, "d").used,
                                       *quotas.Request("more", {{"gpu", 1}})));
}

// One node of 10; "lender" has a minimum of 6 and uses 2, "borrower" has 4 and uses 8.
class Lending : public ::testing::Test {
 protected:
  void SetUp() override {
    CapacityQuotas& quotas = cluster_.quotas();
    ASSERT_TRUE(quotas.Add("lender", {.min = {{{"cpu", 6}}}}).ok());
    ASSERT_TRUE(quotas.Add("borrower", {.min = {{{"cpu", 5}}}}).ok());
    ASSERT_TRUE(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 10}}}).ok());
    Run({.name = "l", .name_space = "lender", .request = {{"cpu", 2}}, .priority = 5});
    Run({.name = "old", .name_space = "borrower", .request = {{"cpu", 4}}, .priority = 9});
    Run({.name = "new",
         .name_space = "borrower",
         .request = {{"cpu", 4}},
         .priority = 9,
         .started = 1});
  }
  void Run(const CapacityTask& task) {
    ASSERT_TRUE(cluster_.Run(task, "n").ok());
    ASSERT_TRUE(cluster_.quotas().Use(task.name_space, task.name, task.request).ok());
  }
  std::vector<std::string> Names(const CapacityCluster::DryRunResult& result) {
    std::vector<std::string> names;
    for (uint32_t victim : result.victims) names.push_back(cluster_.task(victim));
    return names;
  }
  CapacityCluster::Demand Demand(const CapacityTask& task) { return *cluster_.DemandOf(task); }

  CapacityCluster cluster_;
};

TEST_F(Lending, TakesBackWhateverThePriority) {
  const auto demand = Demand({.name = "t", .name_space = "lender", .request = {{"cpu", 1}}});
  EXPECT_EQ(cluster_.Admit(demand), Verdict::kFits);
  EXPECT_EQ(cluster_.FitOn(demand, 0), CapacityCluster::Fit::kNoRoom);
  const CapacityCluster::DryRunResult result = cluster_.DryRun(demand, 0);
  EXPECT_EQ(result.outcome, Outcome::kVictims);
  EXPECT_THAT(Names(result), ElementsAre("new"));  // the younger of equals
}

TEST_F(Lending, AboveItsMinimumOnlyItsOwn) {
  const CapacityTask task{
      .name = "t", .name_space = "borrower", .request = {{"cpu", 1}}, .priority = 9};
  EXPECT_EQ(cluster_.DryRun(Demand(task), 0).outcome, Outcome::kNoCandidate);
  CapacityTask more = task;
  more.priority = 10;
  EXPECT_THAT(Names(cluster_.DryRun(Demand(more), 0)), ElementsAre("new"));
  more.request = {{"cpu", 2}};
  EXPECT_EQ(cluster_.Admit(Demand(more)), Verdict::kAboveMins);
  EXPECT_EQ(cluster_.DryRun(Demand(more), 0).outcome, Outcome::kOverQuota);
  more.request = {{"cpu", 11}};
  EXPECT_EQ(cluster_.FitOn(Demand(more), 0), CapacityCluster::Fit::kTooLarge);
}

TEST_F(Lending, OutsideOfQuotasOnlyOneAnother) {
  Run({.name = "free", .name_space = "none", .priority = 1});
  const auto demand = Demand({.name = "t", .name_space = "none", .priority = 2});
  EXPECT_EQ(cluster_.Admit(demand), Verdict::kFits);
  EXPECT_EQ(cluster_.DryRun(demand, 0).outcome, Outcome::kNeedless);
}

TEST_F(Lending, WaitsForItsVictims) {
  Run({.name = "gone",
       .name_space = "borrower",
       .request = {{"cpu", 0}},
       .priority = 9,
       .is_leaving = true});
  CapacityTask task{.name = "t", .name_space = "lender", .request = {{"cpu", 1}}, .nominated = "n"};
  using Right = CapacityCluster::Right;
  EXPECT_EQ(cluster_.RightOf(Demand(task), CapacityCluster::Fit::kNoRoom), Right::kVictimsLeaving);
  EXPECT_EQ(cluster_.RightOf(Demand(task), CapacityCluster::Fit::kTooLarge), Right::kMay);
  task.nominated = "elsewhere";
  EXPECT_EQ(cluster_.RightOf(Demand(task), {}), Right::kMay);
  task.preempts = false;
  EXPECT_EQ(cluster_.RightOf(Demand(task), {}), Right::kNever);
}

TEST_F(Lending, BadInput) {
  EXPECT_EQ(cluster_.AddNode({.name = "n"}).message(), "node \"n\": is there already");
  EXPECT_EQ(cluster_.Run({.name = "t"}, "m").message(), "task \"t\": node \"m\" does not exist");
  EXPECT_EQ(cluster_.Run({.name = "t", .budgets = {0}}, "n").message(),
            "task \"t\": budget 0 does not exist");
  EXPECT_FALSE(cluster_.DemandOf({.name = "t", .request = {{"cpu", -5}}}).ok());
}

TEST(CapacityPreemption, RandomClustersAgainstTheTwin) {
  static constexpr const char* kOutcomes[] = {"victims",    "no candidate",  "no room", "too large",
                                              "over quota", "removed twice", "needless"};
  static constexpr const char* kVerdicts[] = {"fits", "above max", "above mins"};
  int seen[7] = {};
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
    const auto amounts = [&](int64_t cpu, int64_t gpu) {
      NamedAmounts drawn = {{"cpu", below(static_cast<uint64_t>(cpu))}};
      if (rng.Chance(0.5)) drawn.emplace_back("gpu", below(static_cast<uint64_t>(gpu)));
      return drawn;
    };
    const auto slow_of = [](const NamedAmounts& drawn) {
      return reference::CapacityWorld::Amounts(drawn.begin(), drawn.end());
    };
    reference::CapacityWorld slow{.quotas_follow = rng.Chance(0.5)};
    CapacityCluster fast({.quotas_follow = slow.quotas_follow});
    for (const char* name : {"a", "b", "c"}) {
      CapacityLimits limits{.min = amounts(40, 12)};
      if (rng.Chance(0.7)) limits.max = amounts(90, 16);
      slow.quotas[name] = {slow_of(*limits.min), {}};
      if (limits.max.has_value()) slow.quotas[name].max = slow_of(*limits.max);
      ASSERT_TRUE(fast.quotas().Add(name, limits).ok());
    }
    for (const char* name : {"n0", "n1"}) {
      const CapacityNode node{.name = name,
                              .capacity = {{"cpu", 10 + below(20)}, {"gpu", below(8)}}};
      slow.nodes[name] = slow_of(node.capacity);
      ASSERT_TRUE(fast.AddNode(node).ok());
    }
    for (int i = 0; i < 2; ++i) {
      slow.budgets.push_back(below(2));
      fast.AddBudget(slow.budgets.back());
    }
    const auto draw = [&](int number) {
      CapacityTask task{.name = "t" + std::to_string(number),
                        .name_space = std::string(1, static_cast<char>('a' + below(4))),
                        .request = amounts(8, 3),
                        .priority = static_cast<int32_t>(below(4)),
                        .started = below(6)};
      if (rng.Chance(0.3)) task.budgets.push_back(static_cast<uint32_t>(below(2)));
      return task;
    };
    const auto slow_task = [&](const CapacityTask& task, const std::string& node) {
      reference::CapacityWorld::Task copy{
          task.name, task.name_space, node, slow_of(task.request), task.priority, task.started};
      copy.budgets.assign(task.budgets.begin(), task.budgets.end());
      return copy;
    };
    for (int i = 0; i < 14; ++i) {
      CapacityTask task = draw(i);
      const std::string node = rng.Chance(0.5) ? "n0" : "n1";
      slow.tasks.push_back(slow_task(task, node));
      if (i >= 12) {
        task.nominated = node;
        slow.tasks.back().nominated = true;
        ASSERT_TRUE(fast.Nominate(task).ok());
      } else {
        ASSERT_TRUE(fast.Run(task, node).ok());
        ASSERT_TRUE(fast.quotas().Use(task.name_space, task.name, task.request).ok());
      }
    }
    for (int i = 20; i < 23; ++i) {
      const CapacityTask task = draw(i);
      const CapacityCluster::Demand demand = *fast.DemandOf(task);
      EXPECT_EQ(kVerdicts[static_cast<size_t>(fast.Admit(demand))], slow.Admit(slow_task(task, "")))
          << "seed " << seed << " task " << task.name;
      for (size_t node = 0; node < 2; ++node) {
        const CapacityCluster::DryRunResult result = fast.DryRun(demand, node);
        const auto right = slow.DryRun(slow_task(task, ""), fast.node(node));
        std::vector<std::string> victims;
        for (uint32_t victim : result.victims) victims.push_back(fast.task(victim));
        ASSERT_EQ(kOutcomes[static_cast<size_t>(result.outcome)], right.outcome)
            << "seed " << seed << " task " << task.name << " on " << fast.node(node);
        ASSERT_EQ(victims, right.victims) << "seed " << seed;
        ASSERT_EQ(result.broken_budgets, right.broken_budgets) << "seed " << seed;
        ++seen[static_cast<size_t>(result.outcome)];
      }
    }
  }
  for (int outcome : seen) EXPECT_GT(outcome, 0);
}

TEST(CapacityPreemption, ChoosesByTheFirstRuleThatTells) {
  CapacityCluster cluster;
  for (int i = 0; i < 3; ++i) {
    const std::string name = std::to_string(i);
    ASSERT_TRUE(cluster.AddNode({.name = name, .capacity = {{"cpu", 4}}}).ok());
  }
  const auto run = [&](const char* node, int32_t priority, int64_t started) {
    ASSERT_TRUE(cluster
                    .Run({.name = "t" + std::to_string(started),
                          .name_space = "none",
                          .request = {{"cpu", 4}},
                          .priority = priority,
                          .started = started},
                         node)
                    .ok());
  };
  run("0", 3, 10);
  run("1", 2, 11);
  run("2", 2, 12);
  const CapacityCluster::Demand demand = *cluster.DemandOf(
      {.name = "t", .name_space = "none", .request = {{"cpu", 1}}, .priority = 9});
  std::vector<CapacityCluster::DryRunResult> results;
  for (size_t i = 0; i < 3; ++i) results.push_back(cluster.DryRun(demand, i));
  EXPECT_EQ(cluster.Choose(results), 2u);  // lower priority than 0, later start than 1
  results[2].broken_budgets = 1;
  EXPECT_EQ(cluster.Choose(results), 1u);
  EXPECT_EQ(cluster.Choose({}), std::nullopt);
}

}  // namespace
}  // namespace muster::testing
