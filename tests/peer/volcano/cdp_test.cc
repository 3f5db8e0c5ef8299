// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kCdpProfile[] = "volcano:actions=preempt,tiers=cdp+priority/predicates";

Cluster Full(TaskStatus status, std::optional<int64_t> protected_until) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1}, {"pods", 9}}}));
  Accept(cluster.AddJob({.name = "low", .phase = JobPhase::kRunning}));
  Accept(cluster.AddTask({.name = "low0",
                          .job = "low",
                          .shape = {.request = {{"cpu", 1}}},
                          .status = status,
                          .node = "n",
                          .protected_until = protected_until}));
  AddJob(cluster, {.name = "high", .priority = 1, .min_available = 1, .phase = JobPhase::kAdmitted},
         1, {{"cpu", 1}});
  return cluster;
}

TEST(Cooldown, WhoHasJustBegunStays) {
  Cluster cluster = Full(TaskStatus::kRunning, 100);
  EXPECT_EQ(Decide(cluster, kCdpProfile, 99), "");
  EXPECT_EQ(Decide(cluster, kCdpProfile, 100), "evict low0 n; nominate high0 n");
}

TEST(Cooldown, OnlyRunningTasksAreProtected) {
  Cluster bound = Full(TaskStatus::kBound, 100);
  EXPECT_EQ(Decide(bound, kCdpProfile, 99), "evict low0 n; nominate high0 n");
  Cluster free = Full(TaskStatus::kRunning, std::nullopt);
  EXPECT_EQ(Decide(free, kCdpProfile, 99), "evict low0 n; nominate high0 n");
}

}  // namespace
}  // namespace muster::testing
