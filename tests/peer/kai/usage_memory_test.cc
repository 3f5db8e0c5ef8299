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
  static QueueSpec SpecOf(const std::string& name, int64_t as_of = 0,
                          const std::string& gpus = "") {
    QueueSpec queue{.name = name};
    queue.deserved = Resources{{"nvidia.com/gpu", 0}};
    queue.rules = QueueRules();
    queue.rules->over_quota_weight = {{"nvidia.com/gpu", 1}};
    if (!gpus.empty()) {
      queue.history = UsageHistory{};
      queue.history->as_of = as_of;
      queue.history->entries = {{.amounts = {{"nvidia.com/gpu", gpus}}}};
    }
    return queue;
  }
  void Queue(const std::string& name, int64_t as_of = 0, const std::string& gpus = "") {
    Accept(cluster_.AddQueue(SpecOf(name, as_of, gpus)));
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
  // So many such jobs that run.
  void RunJobs(const std::string& queue, int count) {
    Jobs(queue, count);
    for (int i = 0; i < count; ++i) {
      ::muster::testing::Run(cluster_, queue + std::to_string(i) + "0", "n");
    }
  }
  // The GPUs of a row of usage; 0: there is none.
  double GpusOf(const std::string& row) {
    const MemorySlot* slot = cluster_.memory().Find("kai-usage");
    if (slot == nullptr) return 0;
    return slot->Real(row, 2, static_cast<double>(slot->Integer(row, 2)));
  }
  absl::StatusOr<Plan> Step(const std::string& options, int64_t now) {
    ScheduleOptions schedule;
    schedule.now = now;
    absl::StatusOr<Plan> plan = cluster_.Schedule("kai:kai-rules(" + options + ")", schedule);
    EXPECT_TRUE(plan.ok()) << plan.status();
    Accept(cluster_.Apply(*plan).status());
    return plan;
  }
  // A plan that binds and evicts nothing.
  void Pass(const std::string& options, int64_t now) {
    const absl::StatusOr<Plan> plan = Step(options, now);
    EXPECT_TRUE(plan->binds().empty() && plan->evictions().empty());
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

// A history that stays in the spec takes away once what was counted before its time.
TEST_F(KaiUsage, AHistoryReplacesWhatItIsOlderThanOnce) {
  Queue("a", 5, "5");
  RunJobs("a", 5);
  const std::string options = "usage_window=1000,usage_window_start=0";
  for (const int64_t now : {5, 505, 995}) Pass(options, now);
  EXPECT_EQ(GpusOf("queue/0/a"), 5 * 990);
  EXPECT_EQ(GpusOf("all/0"), 10 * 990);
  Accept(cluster_.UpdateQueue(SpecOf("a", 996, "5")));
  Pass(options, 999);
  EXPECT_EQ(GpusOf("queue/0/a"), 5 * 3);
}

TEST_F(KaiUsage, TheQueueInPlaceOfTheTopsIsNoOther) {
  Queue("top");
  QueueSpec queue{.name = "default", .parent = "top"};
  queue.deserved = Resources{{"nvidia.com/gpu", 0}};
  Accept(cluster_.UpdateQueue(queue));
  queue.name = "busy";
  Accept(cluster_.AddQueue(queue));
  RunJobs("busy", 5);
  for (const int64_t now : {5, 505}) Pass("usage=on,usage_window=1000,full_hierarchy=off", now);
  EXPECT_THAT(cluster_.memory().ToText(), HasSubstr("/busy"));
  EXPECT_THAT(cluster_.memory().ToText(), Not(HasSubstr("/default")));
}

TEST_F(KaiUsage, OtherRulesBeginAnew) {
  Queue("a");
  RunJobs("a", 5);
  const auto counted_after = [&](const std::string& options) {
    Pass("usage=on,usage_window=600,usage_window_start=0", 5);
    Pass("usage=on,usage_window=600,usage_window_start=0", 105);
    EXPECT_EQ(GpusOf("queue/0/a"), 5 * 100);
    Pass(options, 106);
    Pass(options, 107);
    const double counted = GpusOf("queue/0/a");
    cluster_.SetMemory(Memory());
    return counted;
  };
  EXPECT_EQ(counted_after("usage=on,usage_window=600,usage_window_start=0"), 5 * 102);
  EXPECT_EQ(counted_after("usage=on,usage_window=900,usage_window_start=0"), 5);
  EXPECT_LT(counted_after("usage=on,usage_window=600,usage_window_start=0,usage_half_life=50"), 6);
}

TEST_F(KaiUsage, UsageThatIsOffForgets) {
  Queue("a");
  RunJobs("a", 5);
  for (const int64_t now : {5, 105}) Pass("usage=on,usage_window=1000,usage_window_start=0", now);
  EXPECT_EQ(GpusOf("queue/0/a"), 500);
  Pass("usage=off", 106);
  EXPECT_EQ(GpusOf("queue/0/a"), 0);
  for (const int64_t now : {206, 208}) Pass("usage=on,usage_window=1000,usage_window_start=0", now);
  EXPECT_EQ(GpusOf("queue/0/a"), 10);
}

// Whatever a memory from elsewhere has, cycles count on from now.
TEST_F(KaiUsage, RowsThatCannotBeAreNoMore) {
  Queue("a");
  RunJobs("a", 5);
  const std::string options = "usage=on,usage_window=1000,usage_window_start=0,usage_half_life=100";
  for (const int64_t now : {5, 105}) Pass(options, now);
  const std::string text = cluster_.memory().ToText();
  const size_t at = text.find("\"time\": [105, 5,");
  ASSERT_NE(at, std::string::npos) << text;
  for (const char* times : {"9000000000000000000, 9000000000000000000,",
                            "-9223372036854775808, -9223372036854775808,"}) {
    std::string other = text;
    other.replace(at, std::string_view("\"time\": [105, 5,").size(),
                  std::string("\"time\": [") + times);
    cluster_.SetMemory(*Memory::Parse(other));
    Pass(options, 107);
    EXPECT_EQ(cluster_.memory().Find("kai-usage")->Integer("time"), 107);
    const int64_t from = cluster_.memory().Find("kai-usage")->Integer("time", 1, -1);
    EXPECT_TRUE(from >= 0 && from <= 107) << from;
  }
  std::string other = text;
  const size_t all = other.find("\"all/0\": [");
  ASSERT_NE(all, std::string::npos) << text;
  other.replace(all, other.find(']', all) - all, "\"all/0\": [1e308, 1e308, 1e308");
  cluster_.SetMemory(*Memory::Parse(other));
  Pass(options, 107);
  EXPECT_LE(GpusOf("all/0"), 1e31);
}

TEST_F(KaiUsage, WithoutAHistoryNothingIsRemembered) {
  Queue("a");
  Jobs("a", 1);
  EXPECT_EQ(Step("k=1", 5)->binds().size(), 1u);
  EXPECT_THAT(cluster_.memory().ToText(), Not(HasSubstr("kai-usage")));
}

}  // namespace
}  // namespace muster::testing
