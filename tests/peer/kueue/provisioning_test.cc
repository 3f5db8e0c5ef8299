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

// A queue with 4 CPUs of quota, and jobs of two tasks of 2 CPUs.
class KueueNeeds : public ::testing::Test {
 protected:
  void SetUp() override {
    Accept(cluster_.SetFlavor({.name = "any"}));
    Accept(cluster_.AddQueue(Queue(StopPolicy::kNone)));
  }
  static QueueSpec Queue(StopPolicy stop) {
    QueueSpec queue{.name = "q"};
    queue.rules = QueueRules{
        .groups = {{.resources = {"cpu"}, .flavors = {{.flavor = "any", .nominal = {{"cpu", 4}}}}}},
        .stop = stop};
    return queue;
  }
  void Job(const std::string& name, const std::vector<std::string>& gates = {}) {
    Accept(cluster_.AddJob({.name = name, .queue = "q", .min_available = 2}));
    for (const char* number : {"0", "1"}) {
      TaskSpec task{.name = name + number, .job = name};
      task.shape.request = {{"cpu", 2}};
      task.gates = gates;
      Accept(cluster_.AddTask(task));
    }
  }
  // How many nodes of 4 CPUs are wanted.
  int64_t Wanted() {
    const std::vector<NodeOffer> offers = {{.node = {.name = "big", .capacity = {{"cpu", 4}}}}};
    const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster_, "kueue", offers);
    EXPECT_TRUE(needed.ok()) << needed.status();
    if (!needed.ok() || needed->wanted.empty()) return 0;
    return needed->wanted[0].count;
  }

  Cluster cluster_;
};

// `gated` waits for a check and holds quota; `late` has no quota.
TEST_F(KueueNeeds, WhatIsAdmittedWantsNodesAndWhatIsNotDoesNot) {
  Job("gated", {"admission checks"});
  Job("late");
  EXPECT_EQ(Wanted(), 1);
}

TEST_F(KueueNeeds, GatesMakeNoJobWantNodesBeforeItIsAdmitted) {
  Job("first");
  Job("late", {"topology"});
  EXPECT_EQ(Wanted(), 1);
}

TEST_F(KueueNeeds, AJobThatThePlanEvictsWantsNone) {
  Job("a", {"admission checks"});
  Accept(cluster_.Apply(*cluster_.Schedule("kueue")).status());
  EXPECT_EQ(Wanted(), 1);
  Accept(cluster_.UpdateQueue(Queue(StopPolicy::kHoldAndDrain)));
  EXPECT_EQ(Wanted(), 0);
}

}  // namespace
}  // namespace muster::testing
