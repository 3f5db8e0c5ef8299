// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes for admitted workloads: the rule on numbers, and what a cluster with the profile wants.
#include "lib/peer/kueue/provisioning.h"

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

using Requests = std::vector<std::vector<int64_t>>;

// Workloads with amounts of cpu alone; free nodes and types likewise.
std::vector<int64_t> Wanted(const std::vector<std::vector<int64_t>>& jobs,
                            const std::vector<int64_t>& free, const std::vector<int64_t>& types,
                            int64_t most = 10) {
  NodeDemands demands;
  demands.dimensions = {"cpu", "memory", "pods"};
  const auto row = [](int64_t cpu) { return std::vector<int64_t>{cpu, 0, 0}; };
  for (const int64_t cpu : free) demands.free.push_back(row(cpu));
  for (const int64_t cpu : types) demands.types.push_back({std::to_string(cpu), row(cpu), most});
  for (const std::vector<int64_t>& job : jobs) {
    demands.jobs.emplace_back();
    for (const int64_t cpu : job) demands.jobs.back().requests.push_back(row(cpu));
  }
  return KueueWantedNodes(demands);
}

TEST(KueueWantedNodes, OneTypeServesAWorkload) {
  // Two nodes of 4 leave nothing; two of 5 would leave a fifth.
  EXPECT_THAT(Wanted({{2, 2, 2, 2}}, {}, {5, 4}), ElementsAre(0, 2));
  // What fits goes to nodes that are there, and the larger tasks start nodes first.
  EXPECT_THAT(Wanted({{1, 4, 3}}, {1}, {4}), ElementsAre(2));
  EXPECT_THAT(Wanted({{1, 3, 4}}, {}, {4}), ElementsAre(2));
}

TEST(KueueWantedNodes, LaterWorkloadsUseWhatEarlierOnesLeave) {
  EXPECT_THAT(Wanted({{3}, {1}, {2}}, {}, {4}), ElementsAre(2));
}

TEST(KueueWantedNodes, AWorkloadGetsAllOrNothing) {
  EXPECT_THAT(Wanted({{2, 2, 2}, {2}}, {}, {2}, 2), ElementsAre(1));
  // The first workload gives back the room that one of its tasks would have taken.
  EXPECT_THAT(Wanted({{2, 9}, {2}}, {2}, {4}), ElementsAre(0));
  EXPECT_THAT(Wanted({}, {}, {4}), ElementsAre(0));
}

// `gated` waits for a check and holds quota; `late` has no quota.
TEST(KueueWantedNodes, WhatIsAdmittedWantsNodesAndWhatIsNotDoesNot) {
  Cluster cluster;
  Accept(cluster.SetFlavor({.name = "any"}));
  QueueSpec queue{.name = "q"};
  queue.rules = QueueRules{
      .groups = {{.resources = {"cpu"}, .flavors = {{.flavor = "any", .nominal = {{"cpu", 4}}}}}}};
  Accept(cluster.AddQueue(queue));
  for (const char* name : {"gated", "late"}) {
    Accept(cluster.AddJob({.name = name, .queue = "q", .min_available = 2}));
    for (const char* number : {"0", "1"}) {
      TaskSpec task{.name = std::string(name) + number, .job = name};
      task.shape.request = {{"cpu", 2}};
      if (std::string(name) == "gated") task.gates = {"admission checks"};
      Accept(cluster.AddTask(task));
    }
  }
  const std::vector<NodeOffer> offers = {{.node = {.name = "big", .capacity = {{"cpu", 4}}}}};
  const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "kueue", offers);
  ASSERT_TRUE(needed.ok()) << needed.status();
  ASSERT_EQ(needed->wanted.size(), 1U);
  EXPECT_EQ(needed->wanted[0].count, 1);
}

}  // namespace
}  // namespace muster::testing
