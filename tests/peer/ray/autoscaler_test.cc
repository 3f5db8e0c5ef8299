// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ray's packing of demands into node types, with types and demands small enough to pack by hand.
#include "lib/peer/ray/autoscaler.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/muster.h"
#include "muster/upkeep.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char kGpu[] = "nvidia.com/gpu";

TEST(RayTypeScore, IsTheUsedPartCubed) {
  EXPECT_EQ(RayTypeScore({{"cpu", 64}}, {{{"tpu", 16}}}), std::nullopt);
  EXPECT_EQ(RayTypeScore({{"cpu", 64}}, {{{"cpu", 64}}}), (RayScore{true, 1, 64, 64}));
  EXPECT_EQ(RayTypeScore({{"cpu", 64}}, {{{"cpu", 32}}}), (RayScore{true, 1, 8, 8}));
  EXPECT_EQ(RayTypeScore({{"cpu", 64}}, {{{"cpu", 16}}, {{"cpu", 16}}}), (RayScore{true, 1, 8, 8}));
  EXPECT_EQ(RayTypeScore({{kGpu, 4}}, {{{kGpu, 1}}, {{kGpu, 1}}}), (RayScore{true, 1, 0.5, 0.5}));
  // What no demand fits is not counted, and what is left over is.
  EXPECT_EQ(RayTypeScore({{kGpu, 2}, {"tpu", 1}}, {{{kGpu, 2}}}), (RayScore{true, 1, 0, 1}));
  EXPECT_EQ(RayTypeScore({{kGpu, 1}}, {{{kGpu, 1}, {"cpu", 1}}, {{kGpu, 1}}}),
            (RayScore{true, 1, 1, 1}));
  // An accelerator that no demand needs.
  EXPECT_EQ(RayTypeScore({{kGpu, 1}, {"cpu", 1}}, {{{"cpu", 1}}}), (RayScore{false, 1, 0, 0.5}));
  EXPECT_EQ(RayTypeScore({{"cpu", 0.5}}, {{{"cpu", 0.5}}}), std::nullopt);
}

TEST(RayUnfulfilled, MoreResourcesGoFirstThenMore) {
  std::vector<RayDemand> nodes = {{{"cpu", 4}, {kGpu, 1}}};
  EXPECT_THAT(RayUnfulfilled({{{"cpu", 4}}, {{"cpu", 1}, {kGpu, 1}}, {{"cpu", 3}}}, false, &nodes),
              ElementsAre(RayDemand{{"cpu", 4}}));
  EXPECT_THAT(nodes, ElementsAre(RayDemand{{"cpu", 0}, {kGpu, 0}}));
}

TEST(RayUnfulfilled, OneEachTakesANodeForEachDemand) {
  std::vector<RayDemand> nodes = {{{"cpu", 8}}, {{"cpu", 8}}};
  EXPECT_THAT(RayUnfulfilled({{{"cpu", 1}}, {{"cpu", 2}}, {{"cpu", 3}}}, true, &nodes),
              ElementsAre(RayDemand{{"cpu", 1}}));
}

// Types by cpus and GPUs.
std::map<std::string, int64_t> Wanted(const std::vector<RayDemand>& demands,
                                      BundleStrategy strategy = BundleStrategy::kNone,
                                      int64_t most = 10,
                                      const std::vector<std::vector<int64_t>>& free = {}) {
  NodeDemands asked;
  asked.dimensions = {"cpu", "memory", "pods", kGpu};
  asked.free = free;
  asked.types = {{"small", {2000, 0, 0, 0}, most},
                 {"middle", {16000, 0, 0, 0}, most},
                 {"large", {64000, 0, 0, 0}, most},
                 {"one", {16000, 0, 0, 1000}, most},
                 {"eight", {32000, 0, 0, 8000}, most}};
  NodeDemands::Job& job = asked.jobs.emplace_back();
  job.strategy = strategy;
  for (const RayDemand& demand : demands) {
    std::vector<int64_t> request(4, 0);
    if (demand.contains("cpu")) request[0] = static_cast<int64_t>(demand.at("cpu") * 1000);
    if (demand.contains(kGpu)) request[3] = static_cast<int64_t>(demand.at(kGpu) * 1000);
    request[2] = 1;
    job.requests.push_back(request);
  }
  const std::vector<int64_t> counts = RayWantedNodes(asked);
  std::map<std::string, int64_t> wanted;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) wanted[asked.types[i].name] = counts[i];
  }
  return wanted;
}

std::vector<RayDemand> Times(size_t count, const RayDemand& demand) {
  return std::vector<RayDemand>(count, demand);
}

TEST(RayWantedNodes, TheTypeThatIsUsedBest) {
  using Counts = std::map<std::string, int64_t>;
  EXPECT_EQ(Wanted({{{kGpu, 8}}}), (Counts{{"eight", 1}}));
  EXPECT_EQ(Wanted(Times(3, {{"cpu", 64}})), (Counts{{"large", 3}}));
  EXPECT_EQ(Wanted({{{"cpu", 64}}, {{"cpu", 1}}}), (Counts{{"large", 1}, {"small", 1}}));
  EXPECT_EQ(Wanted({{{"cpu", 64}}, {{"cpu", 9}}, {{"cpu", 9}}}),
            (Counts{{"large", 1}, {"middle", 2}}));
  EXPECT_EQ(Wanted(Times(5, {{"cpu", 16}})), (Counts{{"large", 1}, {"middle", 1}}));
  EXPECT_EQ(Wanted(Times(100, {{"cpu", 1}})), (Counts{{"large", 1}, {"middle", 2}, {"small", 2}}));
  EXPECT_EQ(Wanted(Times(3, {{"cpu", 64}, {kGpu, 1}})), Counts{});
  // A GPU is not wasted on work without one.
  EXPECT_EQ(Wanted({{{kGpu, 1}}}), (Counts{{"one", 1}}));
}

TEST(RayWantedNodes, GroupsByTheirStrategy) {
  using Counts = std::map<std::string, int64_t>;
  const std::vector<RayDemand> four = Times(4, {{"cpu", 16}});
  EXPECT_EQ(Wanted(four, BundleStrategy::kStrictPack), (Counts{{"large", 1}}));
  EXPECT_EQ(Wanted(four, BundleStrategy::kStrictSpread), (Counts{{"middle", 4}}));
  EXPECT_EQ(Wanted(four, BundleStrategy::kPack), (Counts{{"large", 1}}));
  EXPECT_EQ(Wanted(Times(5, {{"cpu", 16}}), BundleStrategy::kStrictPack), Counts{});
}

TEST(RayWantedNodes, WhatIsThereIsUsedFirst) {
  using Counts = std::map<std::string, int64_t>;
  EXPECT_EQ(Wanted(Times(4, {{"cpu", 2}}), BundleStrategy::kNone, 10, {{7000, 0, 0, 0}}),
            (Counts{{"small", 1}}));
  EXPECT_EQ(Wanted(Times(3, {{"cpu", 2}}), BundleStrategy::kStrictSpread, 10, {{7000, 0, 0, 0}}),
            (Counts{{"small", 2}}));
}

TEST(RayWantedNodes, NoMoreThanCanBeHad) {
  using Counts = std::map<std::string, int64_t>;
  EXPECT_EQ(Wanted(Times(3, {{"cpu", 64}}), BundleStrategy::kNone, 2), (Counts{{"large", 2}}));
}

// NeedNodes answers by this rule under profile ray, and schedules with the nodes.
TEST(RayWantedNodes, OfNeedNodes) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "there", .capacity = {{"cpu", 3}}}));
  Accept(
      cluster.AddJob({.name = "a", .groups = {{.count = 5, .shape = {.request = {{"cpu", 2}}}}}}));
  const std::vector<NodeOffer> offers = {
      {.node = {.name = "two", .capacity = {{"cpu", 2}}}, .price = 1},
      {.node = {.name = "six", .capacity = {{"cpu", 6}}}, .price = 5},
      {.node = {.name = "gpu", .capacity = {{"cpu", 6}, {kGpu, 1}}}, .price = 0.1}};
  const auto counts = [](const std::vector<NodeCount>& list) {
    std::map<std::string, int64_t> by_type;
    for (const NodeCount& count : list) by_type[count.type] = count.count;
    return by_type;
  };
  const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "ray", offers);
  ASSERT_TRUE(needed.ok()) << needed.status();
  EXPECT_EQ(needed->waiting_before, 4);
  EXPECT_EQ(counts(needed->cheapest), (std::map<std::string, int64_t>{{"gpu", 2}}));
  // Six of six is better used than two of two; then two are left, and nothing takes a GPU.
  EXPECT_EQ(counts(needed->wanted), (std::map<std::string, int64_t>{{"six", 1}, {"two", 1}}));
  EXPECT_EQ(needed->wanted_price, 6);
  EXPECT_EQ(needed->wanted_waiting, 0);
}

// Tasks of a job are one demand, whatever tasks of other jobs stand between them. Else one node
// would serve both bundles of "g".
TEST(RayWantedNodes, OfAGroupWhoseBundlesAreNotInARow) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "full", .capacity = {{"memory", 1}}}));
  Accept(cluster.AddJob({.name = "g", .bundle_strategy = BundleStrategy::kStrictSpread}));
  Accept(cluster.AddJob({.name = "h"}));
  for (const char* name : {"g0", "h0", "g1"}) {
    TaskSpec task{.name = name, .job = std::string(name, 1)};
    task.shape.request = {{"cpu", name[0] == 'g' ? 2 : 1}};
    Accept(cluster.AddTask(task));
  }
  const std::vector<NodeOffer> offers = {{.node = {.name = "five", .capacity = {{"cpu", 5}}}}};
  const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "ray", offers);
  ASSERT_TRUE(needed.ok()) << needed.status();
  ASSERT_EQ(needed->wanted.size(), 1U);
  EXPECT_EQ(needed->wanted[0].count, 2);
  EXPECT_EQ(needed->wanted_waiting, 0);
}

}  // namespace
}  // namespace muster::testing
