// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/yarn/fair/scheduler.h"
#include "tests/peer/yarn/fair_world.h"

namespace muster::yarn::fair {
namespace {

absl::Status StatusOf(const std::vector<QueueConfig>& queues) {
  return FairScheduler::Make({}, queues, {}, 0).status();
}

TEST(FairScheduler, RefusesQueuesThatCannotBe) {
  const QueueConfig root{.path = "root", .leaf = false};
  for (const std::vector<QueueConfig>& queues : std::vector<std::vector<QueueConfig>>{
           {},
           {{.path = "root"}},
           {root, {.path = "root.a.b"}},
           {root, {.path = "root.a"}, {.path = "root.a"}},
           {root, {.path = "root.a"}, {.path = "root.a.b"}},
           {root, {.path = "root.a", .weight = -1}},
           {root, {.path = "root.a", .weight = std::numeric_limits<float>::infinity()}},
           {root, {.path = "root.a", .min = {-1, 0}}},
           {root, {.path = "root.a", .policy = Policy::kDrf}},
           {root, {.path = "root.a", .leaf = false, .policy = Policy::kFifo}}}) {
    EXPECT_EQ(StatusOf(queues).code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(StatusOf({root, {.path = "root.a", .policy = Policy::kFifo}}).ok());
}

TEST(FairScheduler, RefusesUnknownNamesAndIndices) {
  FairWorld world({}, {{.path = "root.a"}});
  FairScheduler& scheduler = world.scheduler;
  const NodeIndex node = world.Node("n", {8'192, 8});
  EXPECT_FALSE(scheduler.AddNode("n", "/r", {1, 1}).ok());
  EXPECT_FALSE(scheduler.AddNode("m", "/r", {-1, 1}).ok());
  EXPECT_FALSE(scheduler.AddApp({.id = 1, .queue = "root"}).ok());
  EXPECT_FALSE(scheduler.AddApp({.id = -1, .queue = "root.a"}).ok());
  EXPECT_FALSE(scheduler.EndApp(0).ok());
  EXPECT_FALSE(scheduler.Headroom(0).ok());
  EXPECT_FALSE(scheduler.Heartbeat(node + 1).ok());
  const AppIndex app = world.App("root.a");
  EXPECT_FALSE(scheduler.SetAsks(app, {{.place = "*", .size = {1, 1}, .count = -1}}).ok());
  EXPECT_FALSE(scheduler.EndContainer({app, 1}).ok());
  EXPECT_FALSE(scheduler.MarkMaster({app, 0}).ok());
  EXPECT_FALSE(scheduler.AdvanceTo(-1).ok());
  EXPECT_TRUE(scheduler.EndApp(app).ok());
  EXPECT_FALSE(scheduler.EndApp(app).ok());
  EXPECT_TRUE(scheduler.RemoveNode(node).ok());
  EXPECT_FALSE(scheduler.Heartbeat(node).ok());
}

TEST(FairScheduler, AsksAreRoundedToTheIncrement) {
  FairWorld world({.max_allocation = {4'096, 4}, .increment = {512, 2}}, {{.path = "root.a"}});
  const AppIndex app = world.App("root.a");
  world.Ask(app, 1, {1'100, 1});
  EXPECT_EQ(world[app].requests.keys()[0].any().size, (Resource{1'536, 2}));
  world.Ask(app, 1, {9'000, 9});
  EXPECT_EQ(world[app].requests.keys()[0].any().size, (Resource{4'096, 4}));
}

TEST(FairScheduler, OnlyQueuesWithApplicationsHaveAShareNow) {
  FairWorld world({}, {{.path = "root.a"}, {.path = "root.b", .weight = 3}});
  world.Node("n", {8'192, 8});
  const AppIndex app = world.App("root.a");
  world.scheduler.Update();
  const std::vector<Queue>& queues = world.scheduler.cluster().queues;
  EXPECT_EQ(queues[1].fair_share, (Resource{8'192, 0}));  // of vcores none, under fair
  EXPECT_EQ(queues[2].fair_share, (Resource{0, 0}));
  EXPECT_EQ(queues[2].steady_share, (Resource{6'144, 0}));
  EXPECT_EQ(world[app].fair_share, (Resource{8'192, 0}));
}

TEST(FairScheduler, AFifoLeafGivesAllToTheFirst) {
  FairWorld world({}, {{.path = "root.a", .policy = Policy::kFifo}});
  world.Node("n", {8'192, 8});
  const AppIndex first = world.App("root.a");
  ASSERT_TRUE(world.scheduler.AdvanceTo(1).ok());
  const AppIndex second = world.App("root.a");
  world.scheduler.Update();
  EXPECT_EQ(world[first].fair_share.memory, 8'192);
  EXPECT_EQ(world[second].fair_share.memory, 0);
}

TEST(FairScheduler, ANodeTakesItsContainersAlong) {
  FairWorld world({}, {{.path = "root.a"}});
  const NodeIndex node = world.Node("n", {8'192, 8});
  const AppIndex app = world.App("root.a");
  world.Ask(app, 2);
  world.scheduler.Update();
  world.Beat(node);
  EXPECT_EQ(*world.scheduler.Headroom(app), (Resource{7'168, 7}));
  ASSERT_TRUE(world.scheduler.RemoveNode(node).ok());
  EXPECT_TRUE(world[app].usage.IsZero());
  EXPECT_TRUE(world.scheduler.cluster().total.IsZero());
  EXPECT_EQ(world.Node("m", {4'096, 4}), node);
}

// --- limits of running applications

TEST(FairScheduler, WaitingApplicationsStartInTurn) {
  FairWorld world({}, {{.path = "root.a", .max_running_apps = 1}});
  const AppIndex first = world.App("root.a"), second = world.App("root.a");
  EXPECT_TRUE(world[first].runnable);
  EXPECT_FALSE(world[second].runnable);
  ASSERT_TRUE(world.scheduler.EndApp(first).ok());
  EXPECT_TRUE(world[second].runnable);
}

TEST(FairScheduler, AUserHasALimitToo) {
  FairWorld world({}, {{.path = "root.a"}}, Policy::kFair, {{"ann", 1}});
  const AppIndex first = world.App("root.a"), second = world.App("root.a");
  const AppIndex other = world.App("root.a", "bob");
  EXPECT_FALSE(world[second].runnable);
  EXPECT_TRUE(world[other].runnable);
  const auto queues = FairWorld::Queues({{.path = "root.a"}}, Policy::kFair);
  ASSERT_TRUE(world.scheduler.Reload(queues, {}).ok());
  EXPECT_TRUE(world[first].runnable && world[second].runnable);
}

// root.a loses the right policy for its child; what comes after it keeps its policies, root's too.
TEST(FairScheduler, AReloadStopsAtARefusedPolicy) {
  const std::vector<QueueConfig> queues = {{.path = "root", .leaf = false, .policy = Policy::kDrf},
                                           {.path = "root.x"},
                                           {.path = "root.a", .leaf = false},
                                           {.path = "root.a.b"},
                                           {.path = "root.y"}};
  FairScheduler scheduler = *FairScheduler::Make({}, queues, {}, 0);
  std::vector<QueueConfig> changed = queues;
  changed[0].weight = 2;
  for (const size_t i : {1, 3, 4}) changed[i].policy = Policy::kDrf;
  ASSERT_TRUE(scheduler.Reload(changed, {}).ok());
  const std::vector<Queue>& now = scheduler.cluster().queues;
  EXPECT_EQ(now[1].policy, Policy::kDrf);
  EXPECT_EQ(now[3].policy, Policy::kFair);
  EXPECT_EQ(now[4].policy, Policy::kFair);
  EXPECT_EQ(now[0].config.weight, 2);
  changed.pop_back();
  EXPECT_FALSE(scheduler.Reload(changed, {}).ok());
}

}  // namespace
}  // namespace muster::yarn::fair
