// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Estimated load of a machine, the filter and the score, worked out by hand.
#include "lib/peer/koordinator/measured_load.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/reference/peer/koordinator/measured_load.h"

namespace muster::testing {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Reported at second 1000: "old" measured at 300 as production, "new" assigned 30 s before, not
// measured.
NodeLoad Machine() {
  NodeLoad node;
  node.Report({.time = 1000 * kSecond,
               .usage = {1000},
               .system = {100},
               .tasks = {{"old", {{300}, true}}},
               .aggregated = {{{"p90", 300 * kSecond}, {1500}}, {{"p90", 600 * kSecond}, {1400}}}});
  node.Assign("old", {.estimate = {500}, .production = true, .assigned = 10 * kSecond});
  node.Assign("new", {.estimate = {200}, .assigned = 970 * kSecond});
  return node;
}

TEST(LoadAware, MeasuredAndExpected) {
  NodeLoad node = Machine();
  EXPECT_EQ(node.Estimate({}), Loads{1200});
  EXPECT_EQ(node.Estimate({.production = true}), Loads{300});
  EXPECT_EQ(node.Estimate({.production = true, .with_system = true}), Loads{400});
  EXPECT_EQ(node.Estimate({.percentile = "p90"}), Loads{1600});
  EXPECT_EQ(node.Estimate({.percentile = "p90", .duration = 300 * kSecond}), Loads{1700});
  EXPECT_EQ(node.Estimate({.percentile = "p99"}), Loads{1200});
  EXPECT_EQ(node.Estimate({.percentile = "p99", .duration = 300 * kSecond}), Loads{700});
  // Warming up: what is expected above what was measured.
  node.Assign("old", {.estimate = {500}, .production = true, .estimated_until = 1001 * kSecond});
  EXPECT_EQ(node.Estimate({}), Loads{1400});
  EXPECT_EQ(node.Estimate({.production = true}), Loads{500});
  node.Remove("old");
  EXPECT_EQ(node.Estimate({}), Loads{1200});
  EXPECT_EQ(NodeLoad().Estimate({}), std::nullopt);
}

TEST(LoadAware, ExpectedUse) {
  EXPECT_EQ(EstimateUse(1000, 0, 85), 850);
  EXPECT_EQ(EstimateUse(1000, 4000, 70), 2800);
  EXPECT_EQ(EstimateUse(1000, 1000, 120), 1000);
  EXPECT_EQ(EstimateUse(1, 0, 50), 1);  // halves go up
}

TEST(LoadAware, Filter) {
  const Loads capacity = {1000, 1000, 0};
  EXPECT_EQ(FirstAbove(Loads{654, 0, 9}, capacity, Loads{65, 65, 65}), std::nullopt);
  EXPECT_EQ(FirstAbove(Loads{655, 0, 9}, capacity, Loads{65, 65, 65}), 0u);
  EXPECT_EQ(FirstAbove(Loads{999, 999, 9}, capacity, Loads{0, 90, 1}), 1u);
}

TEST(LoadAware, Score) {
  const Loads capacity = {1000, 1000};
  EXPECT_EQ(LoadScore(Loads{500, 250}, capacity, Loads{1, 1}, 0), 62);
  EXPECT_EQ(LoadScore(Loads{500, 250}, capacity, Loads{1, 1}, 2), 56);
  EXPECT_EQ(LoadScore(Loads{500, 1001}, capacity, Loads{1, 0}, 1), 25);
  EXPECT_EQ(LoadScore(Loads{500, 250}, capacity, Loads{0, 0}, 0), 0);
}

TEST(LoadAware, RandomMachinesAgainstTheTwin) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
    reference::LoadWorld slow{.time = 100, .interval = below(40), .system = below(50)};
    LoadReport report{.time = 100, .interval = slow.interval, .usage = {below(900)}};
    report.system = {slow.system};
    LoadView view{.production = rng.Chance(0.4), .with_system = rng.Chance(0.5)};
    slow.production = view.production;
    slow.with_system = view.with_system;
    slow.whole = report.usage[0];
    if (rng.Chance(0.5)) {
      view.percentile = "p90";
      view.duration = 10 * below(3);
      for (int64_t time : {10, 20}) {
        if (rng.Chance(0.4)) continue;
        report.aggregated[{"p90", time}] = {below(900)};
        if (view.duration == 0) slow.whole = report.aggregated[{"p90", time}][0];
      }
      const auto asked = report.aggregated.find({"p90", view.duration});
      if (view.duration != 0) slow.whole.reset();
      if (asked != report.aggregated.end()) slow.whole = asked->second[0];
    }
    NodeLoad node;
    for (int i = 0; i < 8; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      reference::LoadWorld::Task task{.expected = below(100), .assigned = below(120)};
      task.production = rng.Chance(0.5);
      LoadTask fast{
          .estimate = {task.expected}, .production = task.production, .assigned = task.assigned};
      if (rng.Chance(0.3)) fast.estimated_until = task.warm_until = 60 + below(80);
      if (rng.Chance(0.7)) {
        task.measured = below(100);
        task.measured_as_production = rng.Chance(0.6);
        report.tasks[name] = {{*task.measured}, task.measured_as_production};
      }
      slow.tasks.push_back(task);
      node.Assign(name, fast);
    }
    node.Report(report);
    ASSERT_EQ(node.Estimate(view), Loads{reference::LoadOf(slow)}) << "seed " << seed;
  }
}

TEST(MeasuredLoad, WarmUpCountsFromTheInitialization) {
  constexpr int64_t kAssigned = 100 * kSecond, kInitialized = 130 * kSecond;
  EXPECT_EQ(EstimatedUntil(kAssigned, kInitialized, {}), std::nullopt);
  EXPECT_EQ(EstimatedUntil(kAssigned, kInitialized, {.after_scheduled = 10}), 110 * kSecond);
  EXPECT_EQ(EstimatedUntil(kAssigned, kInitialized, {10, 20}), 150 * kSecond);
  EXPECT_EQ(EstimatedUntil(kAssigned, std::nullopt, {10, 20}), 110 * kSecond);
  EXPECT_EQ(EstimatedUntil(kAssigned, std::nullopt, {0, 20}), std::nullopt);
  EXPECT_EQ(EstimatedUntil(kAssigned, kInitialized, {10, 0}), 110 * kSecond);
}

}  // namespace
}  // namespace muster::testing
