// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/preempt/monitor.h"

namespace muster::yarn {
namespace {

QueueSettings QueueNamed(const std::string& path, float capacity) {
  return {.path = path,
          .user_limit_factor = 100,
          .partitions = {{.is_accessible = true, .capacity = capacity, .master_percent = 1}}};
}

// root with leaves a and b of one half each.
CapacityScheduler MakeScheduler(CapacitySettings settings = {}) {
  settings.queues = {QueueNamed("root", 1), QueueNamed("root.a", 0.5F), QueueNamed("root.b", 0.5F)};
  return *CapacityScheduler::Make(std::move(settings));
}

AppIndex SubmitTo(CapacityScheduler* s, uint32_t id, const std::string& queue, int64_t count,
                  Resource size = {1024, 1}) {
  const AppIndex app = *s->Submit({.id = id, .queue = queue, .user = "ann"});
  s->Ask(app, 1, {{kAnyPlace, {.size = size, .count = count}}});
  return app;
}

TEST(CapacityScheduler, RefusesQueuesWithoutParent) {
  CapacitySettings settings;
  settings.queues = {QueueNamed("root", 1), QueueNamed("root.a.b", 1)};
  EXPECT_FALSE(CapacityScheduler::Make(std::move(settings)).ok());
}

TEST(CapacityScheduler, OneOffSwitchContainerEachHeartbeat) {
  CapacityScheduler s = MakeScheduler();
  const NodeIndex node = s.AddNode({.name = "n0", .rack = "/r0", .total = {8192, 8}});
  SubmitTo(&s, 1, "root.a", 3);
  EXPECT_EQ(s.Heartbeat(node).size(), 1U);
}

TEST(CapacityScheduler, LessUsedQueueGoesFirst) {
  CapacityScheduler s = MakeScheduler();
  const NodeIndex node = s.AddNode({.name = "n0", .rack = "/r0", .total = {8192, 8}});
  const AppIndex a = SubmitTo(&s, 1, "root.a", 3);
  const AppIndex b = SubmitTo(&s, 2, "root.b", 3);
  s.Heartbeat(node);
  s.Heartbeat(node);
  EXPECT_EQ(s.apps()[a].live.size(), 1U);
  EXPECT_EQ(s.apps()[b].live.size(), 1U);
}

TEST(CapacityScheduler, AFullNodeIsReserved) {
  CapacityScheduler s = MakeScheduler();
  const NodeIndex node = s.AddNode({.name = "n0", .rack = "/r0", .total = {4096, 8}});
  s.AddNode({.name = "n1", .rack = "/r0", .total = {8192, 8}});
  const AppIndex a = SubmitTo(&s, 1, "root.a", 1, {3072, 1});
  SubmitTo(&s, 2, "root.b", 1, {2048, 1});
  s.Heartbeat(node);
  EXPECT_TRUE(s.Heartbeat(node).empty());
  const ContainerIndex reservation = s.nodes()[node].reserved;
  ASSERT_NE(reservation, kNone);
  s.EndContainer(s.apps()[a].live[0]);
  ASSERT_EQ(s.Heartbeat(node).size(), 1U);
  EXPECT_EQ(s.nodes()[node].reserved, kNone);
  EXPECT_EQ(s.queues()[2].usage[0].used, (Resource{2048, 1}));
}

TEST(CapacityScheduler, AQueueIsFullAtItsMaximum) {
  CapacitySettings settings;
  settings.queues = {QueueNamed("root", 1), QueueNamed("root.a", 1)};
  settings.queues[1].partitions[0].max_capacity = 0.5F;
  CapacityScheduler s = *CapacityScheduler::Make(std::move(settings));
  const NodeIndex node = s.AddNode({.name = "n0", .rack = "/r0", .total = {4096, 8}});
  SubmitTo(&s, 1, "root.a", 4);
  for (int i = 0; i < 4; ++i) s.Heartbeat(node);
  EXPECT_EQ(s.queues()[1].usage[0].used.memory, 2048);
}

TEST(CapacityScheduler, ApplicationsBeyondTheLimitOfMastersWait) {
  CapacitySettings settings;
  settings.queues = {QueueNamed("root", 1), QueueNamed("root.a", 1)};
  settings.queues[1].partitions[0].master_percent = 0.25F;
  CapacityScheduler s = *CapacityScheduler::Make(std::move(settings));
  s.AddNode({.name = "n0", .rack = "/r0", .total = {4096, 8}});
  const AppIndex first = SubmitTo(&s, 1, "root.a", 1), second = SubmitTo(&s, 2, "root.a", 1);
  EXPECT_EQ(s.apps()[first].state, AppState::kActive);
  EXPECT_EQ(s.apps()[second].state, AppState::kPending);
  s.EndApp(first);
  EXPECT_EQ(s.apps()[second].state, AppState::kActive);
}

// One application of ann at once, in all queues, and two of others.
TEST(CapacityScheduler, ApplicationsBeyondTheLimitOfTheirUserWait) {
  CapacitySettings settings;
  settings.max_parallel_of_users["ann"] = 1;
  settings.max_parallel_of_users["*"] = 2;
  CapacityScheduler s = MakeScheduler(std::move(settings));
  s.AddNode({.name = "n0", .rack = "/r0", .total = {8192, 8}});
  const AppIndex first = SubmitTo(&s, 1, "root.a", 1), second = SubmitTo(&s, 2, "root.b", 1);
  const AppIndex third = SubmitTo(&s, 3, "root.a", 1);
  EXPECT_EQ(s.apps()[first].state, AppState::kActive);
  EXPECT_EQ(s.apps()[second].state, AppState::kWaiting);
  EXPECT_TRUE(s.HasMostParallel(s.apps()[first].user));
  std::vector<AppState> of_bob;
  for (uint32_t id = 4; id < 7; ++id) {
    const AppIndex app = *s.Submit({.id = id, .queue = "root.b", .user = "bob"});
    of_bob.push_back(s.apps()[app].state);
  }
  EXPECT_EQ(of_bob, (std::vector{AppState::kActive, AppState::kActive, AppState::kWaiting}));
  s.EndApp(first);
  EXPECT_EQ(s.apps()[second].state, AppState::kActive);  // the oldest, wherever it is
  EXPECT_EQ(s.apps()[third].state, AppState::kWaiting);
  s.EndApp(second);
  EXPECT_EQ(s.apps()[third].state, AppState::kActive);
}

// The list of the queue and that of the user both have it.
TEST(CapacityScheduler, AnApplicationThatTwoLimitsHeldStartsOnce) {
  CapacitySettings settings;
  settings.max_parallel_of_users["ann"] = 1;
  settings.queues = {QueueNamed("root", 1), QueueNamed("root.a", 1)};
  settings.queues[1].max_parallel = 1;
  CapacityScheduler s = *CapacityScheduler::Make(std::move(settings));
  s.AddNode({.name = "n0", .rack = "/r0", .total = {8192, 8}});
  const AppIndex first = SubmitTo(&s, 1, "root.a", 1), second = SubmitTo(&s, 2, "root.a", 1);
  s.EndApp(first);
  EXPECT_EQ(s.apps()[second].state, AppState::kActive);
  EXPECT_EQ(s.queues()[0].runnable, 1);
}

TEST(PreemptionMonitor, MarksThenKillsTheNewestContainers) {
  CapacityScheduler s = MakeScheduler({.max_off_switch = 100});
  const NodeIndex node = s.AddNode({.name = "n0", .rack = "/r0", .total = {8192, 8}});
  SubmitTo(&s, 1, "root.a", 8);
  ASSERT_EQ(s.Heartbeat(node).size(), 8U);
  SubmitTo(&s, 2, "root.b", 2);
  PreemptionMonitor monitor({.max_wait = 10, .per_round = 1, .natural_termination = 1});
  const PreemptionRound marked = monitor.Run(&s, 100);
  ASSERT_EQ(marked.marked.size(), 2U);
  EXPECT_TRUE(marked.killed.empty());
  EXPECT_EQ(s.containers()[marked.marked[0]].id.number, 7U);
  EXPECT_TRUE(monitor.Run(&s, 109).killed.empty());
  EXPECT_EQ(monitor.Run(&s, 110).killed, marked.marked);
}

}  // namespace
}  // namespace muster::yarn
