// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Costs between workloads and the order of workloads, by hand.
#include "lib/peer/scheduler_plugins/network.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::scheduler_plugins {
namespace {

NetworkCosts Costs() {
  NetworkCosts costs;
  costs.SetZones("Z1", "Z2", 5);
  costs.SetRegions("west", "east", 20);
  return costs;
}

NetworkAnswer Of(const NetworkNode& node, const NetworkNode& other, int64_t most_cost) {
  const std::vector<Dependency> dependencies = {{"db", most_cost}, {"cache", 0}};
  const std::vector<PlacedPod> pods = {{"db", other}, {"web", node}};
  return NetworkCostOf(node, dependencies, pods, Costs());
}

const NetworkNode kNode = {"n", "west", "Z1"};

TEST(Network, CostsByPlace) {
  EXPECT_EQ(Of(kNode, kNode, 0), (NetworkAnswer{1, 0, 0}));
  EXPECT_EQ(Of(kNode, {"m", "west", "Z1"}, 0), (NetworkAnswer{1, 0, 1}));
  EXPECT_EQ(Of(kNode, {"m", "west", "Z2"}, 5), (NetworkAnswer{1, 0, 5}));
  EXPECT_EQ(Of(kNode, {"m", "west", "Z2"}, 4), (NetworkAnswer{0, 1, 5}));
  EXPECT_EQ(Of(kNode, {"m", "east", "Z2"}, 20), (NetworkAnswer{1, 0, 20}));
  EXPECT_EQ(Of(kNode, {"m", "east", "Z1"}, 19), (NetworkAnswer{0, 1, 20}));
}

TEST(Network, PairsWithoutACostDecideNothing) {
  EXPECT_EQ(Of(kNode, {"m", "west", "Z3"}, 1000), (NetworkAnswer{0, 0, 100}));
  EXPECT_EQ(Of(kNode, {"m", "north", "Z1"}, 1000), (NetworkAnswer{0, 0, 100}));
  // There is no way back.
  EXPECT_EQ(Of({"n", "east", "Z2"}, {"m", "west", "Z1"}, 1000), (NetworkAnswer{0, 0, 100}));
}

TEST(Network, NodesWithoutAPlace) {
  const NetworkNode nowhere = {"n"};
  EXPECT_EQ(Of(nowhere, {"m"}, 1000), (NetworkAnswer{0, 1, 100}));
  EXPECT_EQ(Of(nowhere, nowhere, 0), (NetworkAnswer{1, 0, 0}));
  // It is the placed pod's node that has no place; a node without one is just in no region.
  EXPECT_EQ(Of(kNode, {"m"}, 1000), (NetworkAnswer{0, 1, 100}));
  EXPECT_EQ(Of({"x"}, kNode, 1000), (NetworkAnswer{0, 0, 100}));
  EXPECT_EQ(Of({"n", "", "Z1"}, {"m", "", "Z2"}, 5), (NetworkAnswer{1, 0, 5}));
}

TEST(Network, AsManySatisfiedAsViolatedFit) {
  EXPECT_TRUE((NetworkAnswer{1, 1, 0}).fits());
  EXPECT_FALSE((NetworkAnswer{1, 2, 0}).fits());
  EXPECT_EQ(NetworkReason(kNode, {1, 2, 0}),
            "Node n does not meet several network requirements from Workload dependencies: "
            "Satisfied: 1 Violated: 2");
}

TEST(Network, EachPodOfADependencyCounts) {
  const std::vector<Dependency> dependencies = {{"db", 0}, {"db", 100}};
  const std::vector<PlacedPod> pods = {{"db", {"m", "west", "Z2"}}, {"db", kNode}};
  EXPECT_EQ(NetworkCostOf(kNode, dependencies, pods, Costs()), (NetworkAnswer{3, 1, 10}));
  EXPECT_EQ(NetworkCostOf(kNode, {}, pods, Costs()), NetworkAnswer());
}

TEST(Topology, WorkloadsGoByTheirPlaces) {
  const std::vector<WorkloadPlace> order = {{"cache", 3}, {"db", 1}, {"web", 2}};
  EXPECT_EQ(PlaceOf("db", order), 1);
  EXPECT_EQ(PlaceOf("web", order), 2);
  EXPECT_EQ(PlaceOf("x", order), -1);
  EXPECT_EQ(PlaceOf("a", order), -1);
  const AppPod db = {"shop", "db", 0, 9}, web = {"shop", "web", 5, 1};
  EXPECT_TRUE(IsBeforeByTopology(db, web, order));
  EXPECT_FALSE(IsBeforeByTopology(web, db, order));
  EXPECT_TRUE(IsBeforeByTopology(db, db, order));
}

TEST(Topology, OtherPodsGoByPriorityAndTime) {
  const AppPod db = {"shop", "db", 0, 9}, other = {"blog", "db", 0, 8}, none = {"", "", 1, 10};
  EXPECT_TRUE(IsBeforeByTopology(other, db, {}));
  EXPECT_FALSE(IsBeforeByTopology(db, other, {}));
  EXPECT_TRUE(IsBeforeByTopology(none, db, {}));
  EXPECT_FALSE(IsBeforeByTopology(none, none, {}));
}

}  // namespace
}  // namespace muster::scheduler_plugins
