// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

std::string UsageProfile(const std::string& options) {
  return "volcano:actions=allocate,tiers=gang/predicates+usage" +
         (options.empty() ? "" : "(" + options + ")");
}

void UsageNode(Cluster& cluster, const std::string& name, const Quantity& cpu,
               const Quantity& memory, int64_t measured = 0) {
  Accept(cluster.AddNode({.name = name,
                          .capacity = {{"cpu", 10}, {"memory", 1000}, {"pods", 99}},
                          .usage = NodeUsage{cpu, memory, measured}}));
}

void UsageJob(Cluster& cluster, int count, const Resources& request) {
  AddJob(cluster, {.name = "j", .phase = JobPhase::kAdmitted}, count, request);
}

TEST(Usage, TheNodeThatIsLessBusyInFactWins) {
  Cluster cluster;
  UsageNode(cluster, "busy", 50, 50);
  UsageNode(cluster, "idle", "49.9", 50);
  UsageJob(cluster, 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, UsageProfile("")), "bind j0 idle");
  EXPECT_EQ(Decide(cluster, UsageProfile("cpu=0")), "bind j0 busy");  // equal memory
}

TEST(Usage, AboveAThresholdANodeTakesNothing) {
  Cluster cluster;
  UsageNode(cluster, "cpu", "80.001", 0);
  UsageNode(cluster, "memory", 0, 81);
  UsageJob(cluster, 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, UsageProfile("")), "");
  EXPECT_EQ(Decide(cluster, UsageProfile("without=fit")),
            "bind j0 cpu");  // less cpu and memory in use
  EXPECT_EQ(Decide(cluster, UsageProfile("cpu_threshold=81")), "bind j0 cpu");
  EXPECT_EQ(Decide(cluster, UsageProfile("memory_threshold=81")), "bind j0 memory");
}

TEST(Usage, OldMeasurementsAreNone) {
  Cluster cluster;
  UsageNode(cluster, "old", 100, 100, 0);
  UsageNode(cluster, "new", 10, 10, 301);
  UsageJob(cluster, 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, UsageProfile(""), 300), "bind j0 new");
  UsageNode(cluster, "worse", 70, 70, 301);
  Accept(cluster.RemoveNode("new"));
  // A score of 0 is less than any other; without `worse` the old node is free to take it.
  EXPECT_EQ(Decide(cluster, UsageProfile(""), 301), "bind j0 worse");
  Accept(cluster.RemoveNode("worse"));
  EXPECT_EQ(Decide(cluster, UsageProfile(""), 300), "");
  EXPECT_EQ(Decide(cluster, UsageProfile(""), 301), "bind j0 old");
}

// What a living cluster remembers of one cycle does not count in a later one.
TEST(Usage, MeasurementsGrowOldWhileAClusterLives) {
  Cluster cluster;
  UsageNode(cluster, "n", 95, 0, 1000);
  UsageJob(cluster, 2, {{"cpu", 1}});
  constexpr std::pair<int64_t, size_t> kBindsAt[] = {{1000, 0}, {2000, 2}, {1300, 0}, {1301, 2}};
  for (const auto& [now, binds] : kBindsAt) {
    const auto plan = cluster.Schedule(UsageProfile(""), {.now = now});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->binds().size(), binds) << "at " << now;
  }
}

TEST(Usage, ALivingClusterDecidesAsAFrozenOneAtAnyTime) {
  const std::string profiles[] = {UsageProfile(""), "volcano:+usage(cpu_threshold=40)",
                                  "muster:+usage(memory_threshold=30)"};
  constexpr int64_t kTimes[] = {0, 150, 250, 1000, 200};
  int64_t differ = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Cluster cluster = MakeCluster(RandomWorld(seed));
    const std::string& profile = profiles[seed % std::size(profiles)];
    std::string last;
    for (const int64_t now : kTimes) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", profile, ", at ", now));
      const auto plan = cluster.Schedule(profile, {.now = now});
      const auto frozen = Schedule(cluster.Freeze(), profile, {.now = now});
      ASSERT_TRUE(plan.ok() && frozen.ok()) << plan.status() << frozen.status();
      ASSERT_EQ(plan->Digest(), frozen->Digest());
      differ += plan->Digest() != last;
      last = plan->Digest();
    }
  }
  EXPECT_GT(differ, 400);
}

TEST(Usage, ARefusalNamesTheThreshold) {
  Cluster cluster;
  UsageNode(cluster, "a", 95, 99);
  UsageNode(cluster, "b", "80.5", 0);
  UsageNode(cluster, "c", 0, 81);
  UsageJob(cluster, 1, {{"cpu", 1}});
  const auto plan = Schedule(cluster.Freeze(), UsageProfile(""));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string words = plan->Explain("j0").value_or("");
  EXPECT_THAT(words, HasSubstr("2 nodes: cpu measured above cpu_threshold (80 %)"));
  EXPECT_THAT(words, HasSubstr("1 node: memory measured above memory_threshold (80 %)"));
}

TEST(Usage, WhatIsPlacedInTheCycleCountsByItsRequest) {
  Cluster cluster;
  UsageNode(cluster, "a", 0, 0);
  UsageNode(cluster, "b", 30, 0);
  UsageJob(cluster, 3, {{"cpu", 5}});
  // A task is worth 35 % of a: after one, b with 30 % is less busy, after that a again.
  EXPECT_EQ(Decide(cluster, UsageProfile("")), "bind j0 a; bind j1 b; bind j2 a");
}

TEST(Usage, YoungTasksAreEstimatedAndOldOnesMeasured) {
  Cluster cluster;
  UsageNode(cluster, "a", 0, 0);
  UsageNode(cluster, "b", 20, 0);
  Accept(cluster.AddTask({.name = "t",
                          .shape = {.request = {{"cpu", 5}}},
                          .status = TaskStatus::kRunning,
                          .node = "a",
                          .started = 100}));
  UsageJob(cluster, 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, UsageProfile(""), 129), "bind j0 b");
  EXPECT_EQ(Decide(cluster, UsageProfile(""), 130), "bind j0 a");
  EXPECT_EQ(Decide(cluster, UsageProfile("interval=31"), 130), "bind j0 b");
}

TEST(Usage, ABusyNodeRaisesEstimates) {
  Cluster cluster;
  UsageNode(cluster, "a", 0, 0);
  UsageNode(cluster, "b", 36, 0);
  UsageJob(cluster, 2, {{"cpu", 5}});
  EXPECT_EQ(Decide(cluster, UsageProfile("")), "bind j0 a; bind j1 a");  // 35 % < 36 %
  EXPECT_EQ(Decide(cluster, UsageProfile("risk_threshold=0,risk_factor=1.1")),
            "bind j0 a; bind j1 b");
}

TEST(Usage, AnEstimateIsNeverMoreThanTheRequest) {
  Cluster cluster;
  UsageNode(cluster, "a", 0, 0);
  UsageNode(cluster, "b", 51, 0);
  UsageJob(cluster, 2, {{"cpu", 5}});
  EXPECT_EQ(Decide(cluster, UsageProfile("request_ratio=0.3,risk_threshold=0,risk_factor=9")),
            "bind j0 a; bind j1 a");
}

}  // namespace
}  // namespace muster::testing
