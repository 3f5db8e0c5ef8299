// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/yarn/fair/fair.h"
#include "tests/peer/yarn/fair_world.h"

namespace muster::yarn::fair {
namespace {

TEST(FairHeartbeat, ServesWhatIsFurthestBelowItsWeight) {
  FairWorld world({}, {{.path = "root.a"}, {.path = "root.b", .weight = 2}});
  const NodeIndex node = world.Node("n", {16'384, 16});
  const AppIndex a = world.App("root.a"), b = world.App("root.b");
  world.Ask(a, 9);
  world.Ask(b, 9);
  world.scheduler.Update();
  Apps order;
  for (int i = 0; i < 6; ++i) order.push_back(world.Beat(node).at(0));
  EXPECT_EQ(order, (Apps{a, b, b, a, b, b}));
}

TEST(FairHeartbeat, StopsAboutHalfwayThroughTheNode) {
  FairWorld world({.assign_multiple = true}, {{.path = "root.a"}});
  const NodeIndex node = world.Node("n", {8'192, 16});
  world.Ask(world.App("root.a"), 9);
  world.scheduler.Update();
  EXPECT_EQ(world.Beat(node).size(), 5u);
  FairWorld bounded({.assign_multiple = true, .dynamic_max_assign = false, .max_assign = 3},
                    {{.path = "root.a"}});
  const NodeIndex other = bounded.Node("n", {8'192, 16});
  bounded.Ask(bounded.App("root.a"), 9);
  bounded.scheduler.Update();
  EXPECT_EQ(bounded.Beat(other).size(), 3u);
}

TEST(FairHeartbeat, NoQueueExceedsItsMaximum) {
  FairWorld world({}, {{.path = "root.a", .max = {2'048, 9}}});
  const NodeIndex node = world.Node("n", {8'192, 16});
  world.Ask(world.App("root.a"), 9);
  world.scheduler.Update();
  EXPECT_EQ(world.Beat(node).size() + world.Beat(node).size(), 2u);
  EXPECT_TRUE(world.Beat(node).empty());
}

TEST(FairHeartbeat, WhatWasAskedSinceTheUpdateIsNotVisited) {
  FairWorld world({}, {{.path = "root.a"}});
  const NodeIndex node = world.Node("n", {8'192, 16});
  const AppIndex app = world.App("root.a");
  world.Ask(app, 1);
  EXPECT_TRUE(world.Beat(node).empty());
  world.scheduler.Update();
  EXPECT_EQ(world.Beat(node), (Apps{app}));
}

TEST(FairHeartbeat, MastersHaveOnlyAPartOfTheShare) {
  FairWorld world({}, {{.path = "root.a", .max_am_share = 0.25f}});
  const NodeIndex node = world.Node("n", {8'192, 16});
  for (int64_t id = 1; id <= 3; ++id) {
    const AppIndex app = *world.scheduler.AddApp({.id = id, .queue = "root.a", .user = "ann"});
    world.Ask(app, 1);
  }
  world.scheduler.Update();
  EXPECT_EQ(world.Beat(node).size() + world.Beat(node).size() + world.Beat(node).size(), 2u);
  EXPECT_EQ(world.scheduler.cluster().queues[1].master_usage, (Resource{2'048, 2}));
}

// Offered two nodes of four in vain, the application takes what is in the rack, then any.
TEST(FairHeartbeat, LocalityIsRelaxedAfterMissedNodes) {
  FairWorld world({.node_locality_threshold = 0.5f, .rack_locality_threshold = 0.5f},
                  {{.path = "root.a"}});
  world.Node("own", {8'192, 8}, "/r");
  const NodeIndex near = world.Node("near", {8'192, 8}, "/r");
  const NodeIndex far = world.Node("far", {8'192, 8}, "/q");
  world.Node("last", {8'192, 8}, "/q");
  const AppIndex app = world.App("root.a");
  std::vector<AskSpec> asks;
  for (const char* place : {"own", "/r", "*"}) {
    asks.push_back({.priority = 1, .place = place, .size = {1'024, 1}, .count = 9});
  }
  world.Set(app, asks);
  world.scheduler.Update();
  EXPECT_TRUE(world.Beat(near).empty());
  EXPECT_TRUE(world.Beat(near).empty());
  EXPECT_EQ(world.Beat(near).size(), 1u);
  EXPECT_TRUE(world.Beat(far).empty());
  EXPECT_TRUE(world.Beat(far).empty());
  EXPECT_EQ(world.Beat(far).size(), 1u);
}

TEST(FairHeartbeat, AStrictAskStaysWhereItIs) {
  FairWorld world({}, {{.path = "root.a"}});
  const NodeIndex own = world.Node("own", {8'192, 8}), other = world.Node("other", {8'192, 8});
  const AppIndex app = world.App("root.a");
  const Resource size = {1'024, 1};
  world.Set(app, {{1, "own", size, 1, true}, {1, "/r", size, 1, false}, {1, "*", size, 1, false}});
  world.scheduler.Update();
  EXPECT_TRUE(world.Beat(other).empty());
  EXPECT_EQ(world.Beat(own), (Apps{app}));
}

// --- reservations

struct FullNode {
  explicit FullNode(const Options& options)
      : world(options, {{.path = "root.a"}, {.path = "root.b"}}) {
    node = world.Node("n", {4'096, 4});
    hog = world.App("root.a");
    world.Ask(hog, 3);
    world.scheduler.Update();
    for (int i = 0; i < 3; ++i) world.Beat(node);
    late = world.App("root.b");
    world.Ask(late, 1, {2'048, 1});
    world.scheduler.Update();
  }
  FairWorld world;
  NodeIndex node;
  AppIndex hog, late;
};

TEST(FairReservation, AStarvedApplicationKeepsTheNode) {
  FullNode full({});
  EXPECT_TRUE(full.world.Beat(full.node).empty());
  ASSERT_TRUE(full.world.IsReserved(full.node));
  full.world.Ask(full.hog, 1);
  full.world.scheduler.Update();
  EXPECT_TRUE(full.world.Beat(full.node).empty());  // though one would fit
  ASSERT_TRUE(full.world.scheduler.EndContainer({full.hog, 1}).ok());
  EXPECT_EQ(full.world.Beat(full.node), (Apps{full.late}));
  EXPECT_FALSE(full.world.IsReserved(full.node));
}

TEST(FairReservation, SmallAsksAreNotReserved) {
  FullNode full({.reservation_threshold_multiple = 3});
  full.world.Beat(full.node);
  EXPECT_FALSE(full.world.IsReserved(full.node));
}

TEST(FairReservation, EndsWithTheAskOrTheApplication) {
  FullNode full({});
  full.world.Beat(full.node);
  full.world.Ask(full.late, 0);
  full.world.Beat(full.node);
  EXPECT_FALSE(full.world.IsReserved(full.node));
  full.world.Ask(full.late, 1, {2'048, 1});
  full.world.scheduler.Update();
  full.world.Beat(full.node);
  EXPECT_TRUE(full.world.IsReserved(full.node));
  EXPECT_TRUE(full.world.scheduler.EndApp(full.late).ok());
  EXPECT_FALSE(full.world.IsReserved(full.node));
}

}  // namespace
}  // namespace muster::yarn::fair
