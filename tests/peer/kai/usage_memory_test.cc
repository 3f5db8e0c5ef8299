// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kai and time-based fair share: what queues have used before.
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/memory.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KaiUsage : public ::testing::Test {
 protected:
  KaiUsage() {
    Accept(cluster_.AddNode(
        {.name = "n", .capacity = {{"cpu", 64}, {"pods", 500}, {"nvidia.com/gpu", 10}}}));
  }
  void Queue(const std::string& name, int64_t as_of = 0, const std::string& gpus = "") {
    QueueSpec queue{.name = name};
    queue.deserved = Resources{{"nvidia.com/gpu", 0}};
    queue.rules = QueueRules();
    queue.rules->over_quota_weight = {{"nvidia.com/gpu", 1}};
    if (!gpus.empty()) {
      queue.history = UsageHistory{};
      queue.history->as_of = as_of;
      queue.history->entries = {{.amounts = {{"nvidia.com/gpu", gpus}}}};
    }
    Accept(cluster_.AddQueue(queue));
  }
  // So many jobs of one GPU each.
  void Jobs(const std::string& queue, int count) {
    for (int i = 0; i < count; ++i) {
      AddJob(cluster_, {.name = queue + std::to_string(i), .queue = queue, .min_available = 1}, 1,
             {{"nvidia.com/gpu", 1}});
    }
  }
  // How many tasks of queue "a" are bound; all others are those of "b".
  int64_t BoundOfA(const std::string& options, int64_t now = 1) {
    ScheduleOptions schedule;
    schedule.now = now;
    const absl::StatusOr<Plan> plan =
        Schedule(cluster_.Freeze(), "kai:kai-rules(" + options + ")", schedule);
    EXPECT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->binds().size(), 10u);
    int64_t count = 0;
    for (const Bind& bind : plan->binds()) count += plan->task_name(bind.task).starts_with("a");
    return count;
  }
  absl::StatusOr<Plan> Step(const std::string& options, int64_t now) {
    ScheduleOptions schedule;
    schedule.now = now;
    absl::StatusOr<Plan> plan = cluster_.Schedule("kai:kai-rules(" + options + ")", schedule);
    EXPECT_TRUE(plan.ok()) << plan.status();
    Accept(cluster_.Apply(*plan).status());
    return plan;
  }

  Cluster cluster_;
};

// kai.md, section 6.2: usage of 0.6 and 0.4 of the cluster gives shares of 4 and 6 of 10.
TEST_F(KaiUsage, AHistoryIsAPartOfTheCluster) {
  Queue("a", 0, "6");
  Queue("b", 0, "4");
  Jobs("a", 10);
  Jobs("b", 10);
  EXPECT_EQ(BoundOfA("k=1", 0), 4);
  EXPECT_EQ(BoundOfA("k=0", 0), 5);
  EXPECT_EQ(BoundOfA("k=1,usage=off", 0), 5);
}

TEST_F(KaiUsage, AQueueThatUsedFarTooMuchGetsNothing) {
  Queue("a", 0, "9");
  Queue("b");
  Jobs("a", 10);
  Jobs("b", 10);
  EXPECT_EQ(BoundOfA("k=2", 0), 0);
}

TEST_F(KaiUsage, AHistoryFadesOutOfTheWindow) {
  Queue("a", 0, "6");
  Queue("b", 0, "4");
  Jobs("a", 10);
  Jobs("b", 10);
  EXPECT_EQ(BoundOfA("k=1,usage_window=100", 200), 5);
  EXPECT_EQ(BoundOfA("k=1,usage_window=100,usage_half_life=1", 0), 4);
  EXPECT_EQ(BoundOfA("k=1,usage_window=100,usage_half_life=1", 50), 5);
  EXPECT_EQ(BoundOfA("k=1,usage_window=100,usage_window_start=0", 99), 5);
}

TEST_F(KaiUsage, WhatQueuesHoldCountsFromPlanToPlan) {
  Queue("a");
  Queue("b");
  Jobs("a", 10);
  const std::string options = "usage=on,usage_window=1000";
  EXPECT_EQ(Step(options, 100)->binds().size(), 10u);
  for (int i = 0; i < 10; ++i) ::muster::testing::Run(cluster_, "a" + std::to_string(i) + "0", "n");
  EXPECT_TRUE(Step(options, 600)->evictions().empty());
  EXPECT_THAT(cluster_.memory().ToText(), HasSubstr("queue/"));
  for (int i = 0; i < 10; ++i) Accept(cluster_.RemoveJob("a" + std::to_string(i)));
  Jobs("a", 10);
  Jobs("b", 10);
  // All that there was in the window, "a" held.
  EXPECT_EQ(BoundOfA(options, 600), 0);
  // Half of it is past.
  EXPECT_GT(BoundOfA(options, 1350), 0);
  EXPECT_EQ(BoundOfA(options, 3000), 5);
}

TEST_F(KaiUsage, WithoutAHistoryNothingIsRemembered) {
  Queue("a");
  Jobs("a", 1);
  EXPECT_EQ(Step("k=1", 5)->binds().size(), 1u);
  EXPECT_THAT(cluster_.memory().ToText(), Not(HasSubstr("kai-usage")));
}

}  // namespace
}  // namespace muster::testing
