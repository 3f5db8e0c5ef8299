// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// drf along a tree: small trees with shares that can be counted by hand.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kAllocate[] =
    "volcano:actions=allocate,tiers=gang+drf(hierarchy=on)/predicates+nodeorder";

void Queue(Cluster& cluster, const std::string& name, const std::vector<PathStep>& path) {
  Accept(cluster.AddQueue({.name = name, .share_path = path}));
}

void Job(Cluster& cluster, const std::string& queue, int count, const Resources& request) {
  AddJob(cluster, {.name = "of-" + queue + "-", .queue = queue, .phase = JobPhase::kAdmitted},
         count, request);
}

int64_t Bound(Cluster& cluster, const std::string& queue, const std::string& profile = kAllocate) {
  const std::string words = Decide(cluster, profile);
  int64_t count = 0;
  for (size_t at = words.find("bind of-" + queue + "-"); at != words.npos;
       at = words.find("bind of-" + queue + "-", at + 1)) {
    ++count;
  }
  return count;
}

TEST(ShareTree, WeightsDivideEachLevel) {
  Cluster cluster;
  Queue(cluster, "sci", {{"sci", 1}});
  Queue(cluster, "dev", {{"eng", 1}, {"dev", 1}});
  Queue(cluster, "prod", {{"eng", 1}, {"prod", 1}});
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 12}, {"pods", 99}}}));
  for (const char* queue : {"sci", "dev", "prod"}) Job(cluster, queue, 20, {{"cpu", 1}});
  // While dev holds more than prod, eng counts as twice what prod holds, and comes before sci for
  // that.
  EXPECT_EQ(Bound(cluster, "sci"), 5);
  EXPECT_EQ(Bound(cluster, "dev"), 4);
  EXPECT_EQ(Bound(cluster, "prod"), 3);
}

TEST(ShareTree, AWeightCountsFromOneOn) {
  for (const auto& [weight, bound] : {std::pair("3", 9), std::pair("500m", 6)}) {
    Cluster cluster;
    Queue(cluster, "a", {{"a", 1}});
    Queue(cluster, "b", {{"b", weight}});
    Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 12}, {"pods", 99}}}));
    for (const char* queue : {"a", "b"}) Job(cluster, queue, 20, {{"cpu", 1}});
    EXPECT_EQ(Bound(cluster, "b"), bound) << weight;
  }
}

TEST(ShareTree, WhoIsServedWhollyLeavesTheRestToItsSiblings) {
  Cluster cluster;
  Queue(cluster, "a", {{"g", 1}, {"a", 1}});
  Queue(cluster, "b", {{"g", 1}, {"b", 1}});
  Queue(cluster, "c", {{"c", 1}});
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 12}, {"pods", 99}}}));
  Job(cluster, "a", 1, {{"cpu", 1}});
  Job(cluster, "b", 20, {{"cpu", 1}});
  Job(cluster, "c", 20, {{"cpu", 1}});
  EXPECT_EQ(Bound(cluster, "a"), 1);
  EXPECT_EQ(Bound(cluster, "b"), 5);
  EXPECT_EQ(Bound(cluster, "c"), 6);
}

TEST(ShareTree, QueuesOfNoPathCompareAsEqual) {
  Cluster cluster;
  Queue(cluster, "a", {});
  Queue(cluster, "b", {{"b", 1}});
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"pods", 99}}}));
  for (const char* queue : {"a", "b"}) Job(cluster, queue, 4, {{"cpu", 1}});
  EXPECT_EQ(Bound(cluster, "a"), 4);  // the older of two equal ones, every time
}

// One core of four for poor, which holds the others that rich does not.
std::string Reclaim(int rich_holds) {
  Cluster cluster;
  Queue(cluster, "rich", {{"rich", 1}});
  Queue(cluster, "poor", {{"poor", 1}});
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"pods", 99}}}));
  Job(cluster, "rich", 5, {{"cpu", 1}});
  Job(cluster, "poor", 4, {{"cpu", 1}});
  for (int i = 0; i < rich_holds; ++i) Run(cluster, "of-rich-" + std::to_string(i), "n");
  for (int i = rich_holds; i < 4; ++i)
    Run(cluster, "of-poor-" + std::to_string(i - rich_holds), "n");
  AddJob(cluster, {.name = "p", .queue = "poor", .min_available = 1, .phase = JobPhase::kAdmitted},
         1, {{"cpu", 1}});
  return Decide(cluster,
                "volcano:actions=reclaim,tiers=gang(without=reclaimable)+drf(hierarchy=on)/"
                "predicates");
}

TEST(ShareTree, ReclaimsFromWhoWouldStillComeLater) {
  EXPECT_EQ(Reclaim(4), "evict of-rich-3 n; nominate p0 n");
  EXPECT_EQ(Reclaim(3), "");  // with one core each way, both would hold two
  EXPECT_EQ(Reclaim(2), "");
}

}  // namespace
}  // namespace muster::testing
