// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The peer's hash tables over applications and containers, with hashes worked out by hand.
#include "lib/peer/yarn/preempt/table_order.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/java_order.h"
#include "lib/peer/yarn/preempt/monitor.h"

namespace muster::yarn {
namespace {

constexpr int64_t kStarted = 1'700'000'000'000;

TEST(HashMapOrder, GrowsOnceMoreThanThreeQuartersAreTaken) {
  // 19 shares slot 3 until a thirteenth key makes the table grow.
  std::vector<uint32_t> hashes = {19, 3};
  for (uint32_t i = 4; i < 14; ++i) hashes.push_back(i);
  EXPECT_EQ(HashMapOrder(hashes).front(), 0U);
  EXPECT_EQ(HashTableOrder(hashes).front(), 1U);
  hashes.push_back(14);
  EXPECT_EQ(HashMapOrder(hashes).front(), 1U);
}

// Of 16 slots, 1 and 3 share number 10, and 2 has number 8.
TEST(TableOrder, AppsGoBySlotThenInsertion) {
  const TableOrder order(kStarted);
  EXPECT_EQ(order.Apps({1, 2, 3}), (std::vector<size_t>{1, 0, 2}));
  EXPECT_EQ(order.Apps({3, 2, 1}), (std::vector<size_t>{1, 0, 2}));
  EXPECT_EQ(TableOrder(1).Apps({1, 2, 8, 10}), (std::vector<size_t>{0, 2, 3, 1}));
}

// Of application 1, numbers 15, 20 and 22 have the slots 9, 14 and 0.
TEST(TableOrder, ContainersGoByApplicationThenSlot) {
  const TableOrder order(kStarted);
  EXPECT_EQ(order.Containers({{3, 1}, {1, 20}, {1, 15}, {2, 28}, {1, 22}}),
            (std::vector<size_t>{3, 0, 4, 2, 1}));
}

QueueSettings Leaf(const std::string& path, float capacity) {
  return {.path = path,
          .user_limit_factor = 100,
          .partitions = {{.is_accessible = true, .capacity = capacity, .master_percent = 1}}};
}

// Of queue a, 6 of 17 are to be obtained: the first selector takes 2 of application 2, then 5 of
// application 1. For the second one, the first of them to be counted leaves less than the other.
int64_t LeftOfA(std::optional<int64_t> started) {
  CapacitySettings settings{.max_off_switch = 100};
  settings.queues = {Leaf("root", 1), Leaf("root.a", 0.55F), Leaf("root.b", 0.45F)};
  CapacityScheduler s = *CapacityScheduler::Make(std::move(settings));
  constexpr int64_t kUnit = 1024;
  const NodeIndex node = s.AddNode({.name = "n0", .rack = "/r0", .total = {20 * kUnit, 100}});
  const auto submit = [&](uint32_t id, const std::string& queue, int64_t count, int64_t size) {
    const AppIndex app = *s.Submit({.id = id, .queue = queue, .user = "ann"});
    s.Ask(app, 1, {{kAnyPlace, {.size = {size * kUnit, 1}, .count = count}}});
    s.Heartbeat(node);
  };
  submit(1, "root.a", 3, 5);
  submit(2, "root.a", 1, 2);
  submit(3, "root.b", 20, 4);
  PreemptionMonitor monitor({.per_round = 1,
                             .max_ignored = 0,
                             .natural_termination = 1,
                             .balances_satisfied = true,
                             .started = started});
  const PreemptionRound round = monitor.Run(&s, 0);
  return (round.shares[1].obtain.memory + kUnit / 2) / kUnit;
}

// Users ann and bob use the same of a fair leaf beyond their masters, which count one unit each. Of
// equal users the application with the smaller number is more important, so one of bob's two gives
// to carl's.
TEST(PreemptionMonitor, WithinAFairLeafEqualUsersGoByNumber) {
  CapacitySettings settings{.max_off_switch = 100};
  settings.queues = {Leaf("root", 1), Leaf("root.a", 1)};
  settings.queues[1].is_fair = true;
  settings.queues[1].user_limit_percent = 25;
  CapacityScheduler s = *CapacityScheduler::Make(std::move(settings));
  const NodeIndex node = s.AddNode({.name = "n0", .rack = "/r0", .total = {17 * 1024, 100}});
  const auto submit = [&](uint32_t id, const std::string& user, int64_t count) {
    const AppIndex app = *s.Submit({.id = id, .queue = "root.a", .user = user});
    s.Ask(app, 1, {{kAnyPlace, {.size = {1024, 1}, .count = count}}});
    s.Heartbeat(node);
  };
  submit(1, "ann", 8);
  submit(2, "bob", 7);
  submit(3, "bob", 2);
  submit(4, "carl", 6);
  PreemptionMonitor monitor(
      {.per_round = 1, .intra_queue = true, .intra_threshold = 0, .intra_limit = 1.0F / 17});
  const PreemptionRound round = monitor.Run(&s, 0);
  ASSERT_EQ(round.marked.size(), 1U);
  EXPECT_EQ(s.containers()[round.marked[0]].id.app, 2U);
}

TEST(PreemptionMonitor, WhatIsChosenCountsInTheOrderOfTables) {
  EXPECT_EQ(LeftOfA(std::nullopt), 4);
  EXPECT_EQ(LeftOfA(1), 1);         // application 1 before 2
  EXPECT_EQ(LeftOfA(kStarted), 4);  // application 2 before 1
}

}  // namespace
}  // namespace muster::yarn
