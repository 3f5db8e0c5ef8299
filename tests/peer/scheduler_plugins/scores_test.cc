// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores of nodes and exemptions, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "lib/peer/scheduler_plugins/exemption.h"
#include "lib/peer/scheduler_plugins/load/load_scores.h"
#include "lib/peer/scheduler_plugins/load/risk.h"
#include "lib/peer/scheduler_plugins/node_scores.h"

namespace muster::scheduler_plugins {
namespace {

constexpr ResourceLoad kLoad = {.capacity = 100, .request = 10, .mean = 40, .deviation = 36};

TEST(LoadScores, VariationIsTheMiddleOfMeanAndSpread) {
  EXPECT_NEAR(VariationScore(kLoad, {}), 57, 1e-9);
  EXPECT_NEAR(VariationScore(kLoad, {.margin = 1, .sensitivity = 2}), 45, 1e-9);  // root of 0.36
  EXPECT_EQ(VariationScore(kLoad, {.margin = 1, .sensitivity = 0}), 75);  // 0.36 to infinity
  EXPECT_EQ(VariationScore({.capacity = 100, .mean = 50, .deviation = 100},
                           {.margin = 1, .sensitivity = 0}),
            25);
  EXPECT_EQ(VariationScore({.mean = 5}, {}), 0);
  const ResourceLoad idle = {.capacity = 8};
  EXPECT_EQ(LoadVariationScore(kLoad, idle, {}), 57);
  EXPECT_EQ(LoadVariationScore(std::nullopt, kLoad, {}), 57);
  EXPECT_EQ(LoadVariationScore(std::nullopt, std::nullopt, {}), 0);
}

TEST(LoadScores, TheTargetIsBest) {
  const auto score = [](double used) { return TargetLoadScore({1000, used, 0, 0}, 40); };
  EXPECT_EQ(score(0), 40);
  EXPECT_EQ(score(40), 100);
  EXPECT_EQ(score(50), 33);
  EXPECT_EQ(score(101), 0);
  EXPECT_EQ(TargetLoadScore({1000, 20, 150, 50}, 40), 100);
  EXPECT_EQ(ExpectedCpu(700, 100, 1.5, 1000), 700);
  EXPECT_EQ(ExpectedCpu(std::nullopt, 101, 1.5, 1000), 152);
  EXPECT_EQ(ExpectedCpu(std::nullopt, std::nullopt, 1.5, 1000), 1000);
}

TEST(LoadScores, PowerOfAFullNodeCountsAsNone) {
  const PowerModel model = {.k0 = 400, .k1 = -90, .k2 = -0.07};
  EXPECT_GT(PowerScore(model, 10, 20), PowerScore(model, 10, 15));
  EXPECT_EQ(PowerScore(model, 10, 101), 0);
  EXPECT_EQ(PowerScore({}, 10, 20), 0);
  EXPECT_EQ(PowerScore({.k1 = 1, .k2 = 1e9}, 10, 20), 0) << "infinite less infinite";
  EXPECT_EQ(ScoresOfCosts(std::vector<int64_t>{0, 0}), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(ScoresOfCosts(std::vector<int64_t>{7, 7}), (std::vector<int64_t>{100, 100}));
  EXPECT_EQ(ScoresOfCosts(std::vector<int64_t>{20, 0, 1, 10}),
            (std::vector<int64_t>{0, 100, 95, 50}));
}

TEST(Risk, BetaIsFittedByMoments) {
  const std::optional<Beta> uniform = FitBeta(0.5, 1.0 / 3);
  ASSERT_TRUE(uniform.has_value());
  EXPECT_NEAR(uniform->alpha, 1, 1e-9);
  EXPECT_NEAR(uniform->beta, 1, 1e-9);
  EXPECT_FALSE(FitBeta(0.5, 0.5).has_value());  // no spread is that large
  EXPECT_FALSE(FitBeta(0.5, 0.2).has_value());  // a variance below 0
  // I_x(2, 2) = 3x^2 - 2x^3, and I_x(1/2, 1/2) = 2/pi asin(sqrt x).
  for (const double x : {0.1, 0.3, 0.5, 0.9}) {
    EXPECT_NEAR(ProbabilityUpTo(x, {2, 2}), 3 * x * x - 2 * x * x * x, 1e-13);
    EXPECT_NEAR(ProbabilityUpTo(x, {0.5, 0.5}), 2 / M_PI * std::asin(std::sqrt(x)), 1e-12);
  }
  EXPECT_EQ(ProbabilityUpTo(0, {2, 2}), 0);
  EXPECT_EQ(ProbabilityUpTo(1, {2, 2}), 1);
}

TEST(Risk, LimitsAndLoadAreMixed) {
  const ResourceLoad busy = {.capacity = 4000, .mean = 3200};
  EXPECT_EQ(RiskOf({4000, 2000, 3000, 1000, 2000}, busy, {}), 0.5);
  EXPECT_EQ(RiskOf({4000, 4000, 5000, 3000, 4000}, busy, {}), 1.0);
  EXPECT_EQ(RiskOf({4000, 2000, 6000, 3500, 5000}, busy, {}), 0.25);  // the load stays below it
  EXPECT_EQ(RiskOf({4000, 2000, 3000, 1000, 2000}, std::nullopt, {}), 0);
  // A spread makes it likely, not certain.
  ResourceLoad spread = busy;
  spread.deviation = 400;
  const double risk = RiskOf({4000, 2000, 3000, 3000, 4000}, spread, {});
  EXPECT_GT(risk, 0.1);
  EXPECT_LT(risk, 0.5);
  EXPECT_EQ(LowRiskScore(0.25, 0.5), 50);
}

TEST(NodeScores, AmountsAndMarks) {
  const std::vector<WeightedAmount> node = {{1 << 20, 4000}, {1, 10000}};
  EXPECT_EQ(AllocatableScore(node, /*least=*/true), -4000);
  EXPECT_EQ(AllocatableScore(node, /*least=*/false), 4000);
  EXPECT_EQ(AllocatableScore({}, true), 0);
  EXPECT_EQ(MinMaxScores(std::vector<int64_t>{-2, -1, 0}), (std::vector<int64_t>{0, 50, 100}));
  EXPECT_EQ(MinMaxScores(std::vector<int64_t>{5, 5}), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(MinMaxScores(std::vector<int64_t>{INT64_MIN, INT64_MAX}),
            (std::vector<int64_t>{0, 100}));
  EXPECT_EQ(MarkScores(std::vector<std::optional<int64_t>>{10, std::nullopt, 100, 55}),
            (std::vector<int64_t>{1, 0, 100, 50}));
  EXPECT_EQ(MarkScores(std::vector<std::optional<int64_t>>{3, 3}), (std::vector<int64_t>{1, 1}));
}

TEST(Exemptions, HoldForATimeAgainstLowerPriorities) {
  const std::optional<Exemption> hour = ReadExemption("200", "3600", 100);
  ASSERT_TRUE(hour.has_value());
  EXPECT_TRUE(IsExempt(hour, {.priority = 199}, 1000, 4599));
  EXPECT_FALSE(IsExempt(hour, {.priority = 199}, 1000, 4600));
  EXPECT_FALSE(IsExempt(hour, {.priority = 200}, 1000, 1001));
  EXPECT_TRUE(IsExempt(hour, {.priority = 1}, std::nullopt, 1));
  EXPECT_TRUE(IsExempt(ReadExemption("200", "-1", 100), {.priority = 1}, 0, 1e9));
  EXPECT_TRUE(IsExempt(std::nullopt, {.priority = 1, .never_preempts = true}, 0, 1));
  EXPECT_FALSE(IsExempt(std::nullopt, {.priority = 1}, 0, 1));
  EXPECT_FALSE(ReadExemption("a", std::nullopt, 100).has_value());
  EXPECT_FALSE(ReadExemption(std::nullopt, "b", 100).has_value());
  // By default the minimum is one above the class, and the time none.
  EXPECT_FALSE(IsExempt(ReadExemption(std::nullopt, std::nullopt, 100), {.priority = 100}, 5, 6));
}

TEST(Exemptions, TheQueueGoesByPriorityServiceAndTime) {
  const QueuedPod high = {.priority = 9}, early = {.priority = 1, .queued = 5};
  const QueuedPod guaranteed = {.priority = 1, .service = ServiceClass::kGuaranteed, .queued = 9};
  EXPECT_TRUE(IsBeforeByService(high, guaranteed));
  EXPECT_TRUE(IsBeforeByService(guaranteed, early));
  EXPECT_TRUE(IsBeforeByService(early, {.priority = 1, .queued = 6}));
  EXPECT_FALSE(IsBeforeByService(early, early));
}

}  // namespace
}  // namespace muster::scheduler_plugins
