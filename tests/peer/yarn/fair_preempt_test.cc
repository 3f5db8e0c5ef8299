// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/yarn/fair/fair.h"
#include "tests/peer/yarn/fair_world.h"

namespace muster::yarn::fair {
namespace {

constexpr Options kPreempt = {
    .preemption = true, .wait_before_kill = 1'000, .wait_before_next_check = 500};

// One queue has the whole cluster of eight containers, then another one asks.
struct Crowd {
  explicit Crowd(QueueConfig hungry, QueueConfig full = {.path = "root.full"})
      : world(kPreempt, {std::move(full), std::move(hungry)}) {
    node = world.Node("n", {8'192, 8});
    hog = world.App("root.full");
    world.Ask(hog, 8);
    world.scheduler.Update();
    for (int i = 0; i < 8; ++i) world.Beat(node);
    late = world.App("root.hungry");
    world.Ask(late, 8);
  }
  FairWorld world;
  NodeIndex node;
  AppIndex hog, late;
};

std::vector<uint32_t> Numbers(const std::vector<ContainerName>& names) {
  std::vector<uint32_t> numbers;
  for (const ContainerName name : names) numbers.push_back(name.number);
  return numbers;
}

TEST(FairPreemption, TheNewestContainersDieForTheMissingHalfOfTheShare) {
  Crowd crowd({.path = "root.hungry", .fair_share_timeout = 0});
  const std::vector<PreemptedFor> preempted = crowd.world.scheduler.Update();
  ASSERT_EQ(preempted.size(), 1u);
  EXPECT_EQ(preempted[0].app, crowd.late);
  EXPECT_EQ(preempted[0].starvation, (Resource{2'048, 0}));
  EXPECT_EQ(Numbers(preempted[0].containers), (std::vector<uint32_t>{8, 7}));
  EXPECT_TRUE(crowd.world.scheduler.AdvanceTo(999)->empty());
  EXPECT_EQ(crowd.world.scheduler.AdvanceTo(1'000)->size(), 2u);
  EXPECT_EQ(crowd.world.Beat(crowd.node), (Apps{crowd.late, crowd.late}));
}

TEST(FairPreemption, MastersAreSparedAsLongAsPossible) {
  Crowd crowd({.path = "root.hungry", .fair_share_timeout = 0});
  ASSERT_TRUE(crowd.world.scheduler.MarkMaster({crowd.hog, 8}).ok());
  const std::vector<PreemptedFor> preempted = crowd.world.scheduler.Update();
  EXPECT_EQ(Numbers(preempted.at(0).containers), (std::vector<uint32_t>{7, 6}));
}

TEST(FairPreemption, NoApplicationIsBroughtBelowItsShare) {
  Crowd crowd({.path = "root.hungry", .fair_share_timeout = 0, .fair_share_threshold = 1},
              {.path = "root.full", .weight = 3});
  const std::vector<PreemptedFor> preempted = crowd.world.scheduler.Update();
  EXPECT_EQ(preempted.at(0).starvation, (Resource{2'048, 0}));
  EXPECT_EQ(preempted.at(0).containers.size(), 2u);
  EXPECT_EQ(crowd.world[crowd.hog].fair_share.memory, 6'144);
}

TEST(FairPreemption, AQueueMayForbidIt) {
  Crowd crowd({.path = "root.hungry", .fair_share_timeout = 0},
              {.path = "root.full", .allow_preemption_from = false});
  EXPECT_TRUE(crowd.world.scheduler.Update().at(0).containers.empty());
}

TEST(FairPreemption, WaitsForTheTimeoutAndBetweenChecks) {
  Crowd crowd({.path = "root.hungry", .fair_share_timeout = 5'000},
              {.path = "root.full", .allow_preemption_from = false});
  EXPECT_TRUE(crowd.world.scheduler.Update().empty());
  ASSERT_TRUE(crowd.world.scheduler.AdvanceTo(5'000).ok());
  EXPECT_EQ(crowd.world.scheduler.Update().size(), 1u);
  EXPECT_TRUE(crowd.world.scheduler.Update().empty());
  ASSERT_TRUE(crowd.world.scheduler.AdvanceTo(6'499).ok());
  EXPECT_TRUE(crowd.world.scheduler.Update().empty());
  ASSERT_TRUE(crowd.world.scheduler.AdvanceTo(6'500).ok());
  EXPECT_EQ(crowd.world.scheduler.Update().size(), 1u);
}

TEST(FairPreemption, NothingHappensWhileTheClusterHasRoom) {
  Crowd crowd({.path = "root.hungry", .fair_share_timeout = 0});
  ASSERT_TRUE(crowd.world.scheduler.EndContainer({crowd.hog, 1}).ok());
  ASSERT_TRUE(crowd.world.scheduler.EndContainer({crowd.hog, 2}).ok());
  EXPECT_TRUE(crowd.world.scheduler.Update().empty());  // 0.75 of it is used
}

// Of a minimum share of 2,048 an application that wants 8,192 is noted with what it wants beyond.
TEST(FairPreemption, AMinimumShareIsNotedWithTheExcess) {
  Crowd crowd({.path = "root.hungry", .min = {2'048, 0}, .min_share_timeout = 0});
  const std::vector<PreemptedFor> preempted = crowd.world.scheduler.Update();
  EXPECT_EQ(preempted.at(0).starvation, (Resource{6'144, 8}));
  EXPECT_EQ(crowd.world[crowd.late].min_share_starvation, (Resource{6'144, 8}));
}

}  // namespace
}  // namespace muster::yarn::fair
