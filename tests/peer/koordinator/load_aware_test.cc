// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

std::string Profile(const std::string& options = "") {
  return "volcano:actions=allocate,tiers=gang/predicates+load-aware" +
         (options.empty() ? "" : "(" + options + ")");
}

void Node(Cluster& cluster, const std::string& name, const Quantity& cpu, const Quantity& memory,
          int64_t measured = 0) {
  Accept(cluster.AddNode({.name = name,
                          .capacity = {{"cpu", 10}, {"memory", "10Gi"}, {"pods", 99}},
                          .usage = NodeUsage{cpu, memory, measured}}));
}

void Job(Cluster& cluster, int count, const Resources& request) {
  AddJob(cluster, {.name = "j", .phase = JobPhase::kAdmitted}, count, request);
}

std::string Why(Cluster& cluster, const std::string& profile, int64_t now = 0) {
  ScheduleOptions options;
  options.now = now;
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const std::string words = *plan->Explain("j0");
  return words.substr(words.find("\n  ") + 3);
}

TEST(LoadAware, TheNodeWithMoreRoomByMeasurementWins) {
  Cluster cluster;
  Node(cluster, "busy", 30, 20);
  Node(cluster, "idle", 20, 20);
  Job(cluster, 1, {{"cpu", 1}, {"memory", "1Gi"}});
  EXPECT_EQ(Decide(cluster, Profile()), "bind j0 idle");
  // Of cpu 61 and 71 percent would be left, of memory 73 on both.
  EXPECT_EQ(Decide(cluster, Profile("cpu=0")), "bind j0 busy");
  EXPECT_EQ(Decide(cluster, Profile("cpu=0,memory=0,dominant=1")), "bind j0 idle");
  EXPECT_EQ(Decide(cluster, Profile("weight=0")), "bind j0 busy");
}

TEST(LoadAware, ThresholdsHoldWithTheTaskItself) {
  // The task counts with 85 % of 2 cores: 17 % of the node.
  Cluster cluster;
  Node(cluster, "n", "48.4", 0);
  Job(cluster, 1, {{"cpu", 2}, {"memory", "1Gi"}});
  EXPECT_EQ(Decide(cluster, Profile()), "bind j0 n");  // 65.4 %, which is 65 in whole percent
  Accept(cluster.UpdateNode({.name = "n",
                             .capacity = {{"cpu", 10}, {"memory", "10Gi"}, {"pods", 99}},
                             .usage = NodeUsage{"48.5", 0, 0}}));
  EXPECT_EQ(Decide(cluster, Profile()), "");
  EXPECT_EQ(Why(cluster, Profile()), "1 node: cpu load above 65 %\n");
  EXPECT_EQ(Decide(cluster, Profile("cpu_threshold=66")), "bind j0 n");
  EXPECT_EQ(Decide(cluster, Profile("cpu_threshold=0")), "bind j0 n");
  EXPECT_EQ(Decide(cluster, Profile("cpu_factor=80")), "bind j0 n");
  EXPECT_EQ(Why(cluster, Profile("cpu_threshold=66,memory_threshold=6")),
            "1 node: memory load above 6 %\n");
}

TEST(LoadAware, OldMeasurements) {
  Cluster cluster;
  Node(cluster, "n", 90, 0);
  Job(cluster, 1, {{"cpu", 2}});
  EXPECT_EQ(Why(cluster, Profile(), 179), "1 node: cpu load above 65 %\n");
  EXPECT_EQ(Why(cluster, Profile(), 180), "1 node: load measured too long ago\n");
  EXPECT_EQ(Decide(cluster, Profile("expired=pass"), 180), "bind j0 n");
  EXPECT_EQ(Why(cluster, Profile("expired=trust"), 180), "1 node: cpu load above 65 %\n");
  EXPECT_EQ(Why(cluster, Profile("expiration=200"), 180), "1 node: cpu load above 65 %\n");
}

// As in the peer: clocks that differ make no measurement old.
TEST(LoadAware, AMeasurementOfTheFutureIsNew) {
  Cluster cluster;
  Node(cluster, "busy", 90, 0, /*measured=*/5000);
  Node(cluster, "idle", 10, 0, /*measured=*/5000);
  Job(cluster, 1, {{"cpu", 2}});
  EXPECT_EQ(Decide(cluster, Profile(), 100), "bind j0 idle");
}

TEST(LoadAware, WhatTheMonitorCannotHaveSeenIsEstimated) {
  Cluster cluster;
  Node(cluster, "n", 40, 0, /*measured=*/100);
  Accept(cluster.AddTask({.name = "t",
                          .shape = {.request = {{"cpu", 1}}},
                          .status = TaskStatus::kRunning,
                          .node = "n",
                          .started = 40}));
  Job(cluster, 2, {{"cpu", 2}});
  // Each of them is worth 17 %, so the second finds 57 and would make it 74.
  EXPECT_EQ(Decide(cluster, Profile(), 100), "bind j0 n");
  // Measured over the last minute: a task that began 40 seconds in is seen, one a second later not
  // wholly.
  EXPECT_EQ(Decide(cluster, Profile("interval=59"), 100), "bind j0 n");
  EXPECT_EQ(Decide(cluster, Profile("interval=61"), 100), "");  // 40 + 8.5 + 17 is 66
}

TEST(LoadAware, NodesThatNobodyMeasuresTakeAnything) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1}, {"pods", 9}}}));
  Job(cluster, 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile()), "bind j0 n");
  EXPECT_EQ(Decide(cluster, "koordinator"), "bind j0 n");
  Accept(cluster.UpdateNode(
      {.name = "n", .capacity = {{"cpu", 1}, {"pods", 9}}, .usage = NodeUsage{10, 0, 0}}));
  EXPECT_EQ(Decide(cluster, "koordinator"), "");  // 95 %
}

TEST(LoadAware, BadOptionsAreRefused) {
  EXPECT_EQ(Schedule(Cluster().Freeze(), Profile("expired=keep")).status().message(),
            "policy load-aware: option \"expired\" is \"keep\"; must be one of refuse|pass|trust");
  EXPECT_EQ(Schedule(Cluster().Freeze(), Profile("cpu_threshold=101")).status().message(),
            "policy load-aware: option \"cpu_threshold\" is \"101\"; must be a whole number from 0 "
            "to 100");
}

}  // namespace
}  // namespace muster::testing
