// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic jobs, one small cluster a rule. Decisions in words.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/muster.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kElastic[] = "muster:actions=allocate+shrink+reclaim+preempt+grow";

class Elastic : public ::testing::Test {
 protected:
  void Node(const std::string& name, int64_t cpu) {
    Accept(cluster_.AddNode({.name = name, .capacity = {{"cpu", cpu}, {"pods", 99}}}));
  }
  // An elastic job with tasks of one cpu each, of which `running` run on the node.
  void Train(const std::string& name, int64_t least, int64_t tasks, int64_t running,
             const std::string& node, JobSpec job = {}, ElasticSize size = {}) {
    job.name = name;
    job.min_available = least;
    job.groups = {{.name = "w", .count = tasks, .shape = {.request = {{"cpu", 1}}}}};
    job.gang = GangRules{.elastic = size};
    Accept(cluster_.AddJob(job));
    for (int64_t i = 0; i < running; ++i) {
      Accept(cluster_.SetTaskStatus(name + "-w-" + std::to_string(i), TaskStatus::kRunning, node));
    }
  }
  void Gang(const std::string& name, int64_t tasks, int64_t cpu, JobSpec job = {}) {
    job.name = name;
    job.min_available = tasks;
    job.groups = {{.name = "w", .count = tasks, .shape = {.request = {{"cpu", cpu}}}}};
    Accept(cluster_.AddJob(job));
  }
  muster::Plan Plan(const std::string& profile = kElastic) {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan : muster::Plan();
  }
  static std::vector<std::string> Sizes(const muster::Plan& plan) {
    std::vector<std::string> sizes;
    for (const Resize& r : plan.resizes()) {
      sizes.push_back(std::string(plan.job_name(r.job)) + " " + r.group + " " +
                      std::to_string(r.count));
    }
    return sizes;
  }

  Cluster cluster_;
};

TEST_F(Elastic, AJobStartsWithWhatIsIdle) {
  Node("n", 4);
  Train("a", 2, 6, 0, "n");
  const muster::Plan plan = Plan();
  EXPECT_EQ(plan.binds().size(), 4u);
  EXPECT_THAT(Sizes(plan), ElementsAre("a w 4"));
}

TEST_F(Elastic, AJobGrowsUpToItsMost) {
  Node("n", 8);
  Train("a", 2, 8, 2, "n", {}, {.most = 5});
  const muster::Plan plan = Plan();
  EXPECT_EQ(plan.binds().size(), 3u);
  EXPECT_THAT(Sizes(plan), ElementsAre("a w 5"));
}

TEST_F(Elastic, QueuesGrowInTurns) {
  Accept(cluster_.AddQueue({.name = "other"}));
  Node("n", 8);
  Train("a", 1, 8, 1, "n");
  Train("b", 1, 8, 1, "n", {.queue = "other"});
  EXPECT_THAT(Sizes(Plan()), ElementsAre("a w 4", "b w 4"));
}

TEST_F(Elastic, NothingGrowsIntoWhatAnotherJobWaitsFor) {
  Node("n", 4);
  Node("m", 4);
  Train("a", 2, 8, 2, "n");
  Gang("big", 1, 5);  // no node has as much; six cpus are idle
  const muster::Plan plan = Plan();
  EXPECT_THAT(Sizes(plan), ElementsAre("a w 3"));  // one cpu is idle beyond five
}

TEST_F(Elastic, WhatItsQueueDoesNotLetInHoldsNothingBack) {
  Accept(cluster_.AddQueue({.name = "small", .limit = Resources{{"cpu", 1}}}));
  Node("n", 6);
  Train("a", 2, 8, 2, "n");
  Gang("big", 1, 3, {.queue = "small"});
  EXPECT_THAT(Sizes(Plan()), ElementsAre("a w 6"));
}

TEST_F(Elastic, AJobGivesTasksBackBeforeAWholeGangGoes) {
  Accept(cluster_.AddQueue({.name = "lender"}));
  Node("n", 8);
  Train("a", 2, 5, 5, "n");
  Gang("b", 3, 1);
  for (const char* task : {"b-w-0", "b-w-1", "b-w-2"}) {
    Accept(cluster_.SetTaskStatus(task, TaskStatus::kRunning, "n"));
  }
  Gang("c", 3, 1, {.queue = "lender"});
  const muster::Plan plan = Plan();
  ASSERT_EQ(plan.evictions().size(), 3u);
  for (const Eviction& eviction : plan.evictions()) {
    EXPECT_EQ(plan.task_name(eviction.task).substr(0, 2), "a-");
    EXPECT_EQ(plan.task_name(eviction.beneficiary).substr(0, 2), "c-");
  }
  EXPECT_EQ(plan.nominations().size(), 3u);
  EXPECT_THAT(Sizes(plan), ElementsAre("a w 2"));
}

TEST_F(Elastic, AJobKeepsItsLeastSize) {
  Accept(cluster_.AddQueue({.name = "lender"}));
  Node("n", 4);
  Train("a", 1, 4, 4, "n", {}, {.least = 3});
  Gang("c", 2, 1, {.queue = "lender"});
  EXPECT_THAT(Plan("muster:actions=allocate+shrink+grow").evictions(), IsEmpty());
  Gang("d", 1, 1, {.queue = "lender"});
  EXPECT_THAT(Sizes(Plan("muster:actions=allocate+shrink+grow")), ElementsAre("a w 3"));
}

TEST_F(Elastic, AHigherPriorityTakesTasksBack) {
  Node("n", 4);
  Train("a", 2, 4, 4, "n", {.priority = 1});
  Gang("equal", 1, 2, {.priority = 1});
  EXPECT_THAT(Plan().evictions(), IsEmpty());
  Gang("urgent", 1, 2, {.priority = 2});
  const muster::Plan plan = Plan();
  EXPECT_EQ(plan.evictions().size(), 2u);
  EXPECT_THAT(Sizes(plan), ElementsAre("a w 2"));
}

TEST_F(Elastic, ATaskThatTurnsOutToBeNeedlessStays) {
  Node("n", 5);
  Train("a", 0, 2, 2, "n");
  Train("b", 0, 1, 0, "n", {.priority = 1});
  Accept(cluster_.RemoveTask("b-w-0"));
  Accept(cluster_.AddTask({.name = "b-large",
                           .job = "b",
                           .group = "w",
                           .shape = {.request = {{"cpu", 3}}},
                           .status = TaskStatus::kRunning,
                           .node = "n",
                           .priority = 1}));
  Gang("urgent", 1, 3, {.priority = 2});
  // Both tasks of a go first, and do not suffice; with that of b, they need not go.
  const muster::Plan plan = Plan("muster:actions=shrink");
  ASSERT_EQ(plan.evictions().size(), 1u);
  EXPECT_EQ(plan.task_name(plan.evictions()[0].task), "b-large");
}

TEST_F(Elastic, OnlyTheActionMakesAJobElastic) {
  Node("n", 4);
  Train("a", 2, 6, 0, "n");
  const muster::Plan plan = Plan("muster");
  EXPECT_EQ(plan.binds().size(), 4u);
  EXPECT_THAT(plan.resizes(), IsEmpty());
}

TEST_F(Elastic, AllProfilesListSizes) {
  Node("n", 4);
  Train("a", 1, 6, 0, "n", {.phase = JobPhase::kAdmitted});
  for (const char* profile :
       {"volcano:actions=allocate+shrink+grow", "volcano:+resize", "ray:+grow", "ray:+resize",
        "kai:+resize", "yarn-fair:+resize", "transwarp:+shrink,+grow"}) {
    const muster::Plan plan = Plan(profile);
    EXPECT_GT(plan.binds().size(), 0u) << profile;
    EXPECT_THAT(Sizes(plan), ElementsAre("a w " + std::to_string(plan.binds().size()))) << profile;
  }
}

TEST(ElasticSize, IsChecked) {
  Cluster cluster;
  JobSpec job{.name = "a", .gang = GangRules{.elastic = ElasticSize{.least = -1}}};
  EXPECT_EQ(std::string(cluster.AddJob(job).message()),
            "job \"a\", elastic \"a\": least is -1; must be 0 or more");
  job.gang->elastic = ElasticSize{.least = 3, .most = 2};
  EXPECT_EQ(std::string(cluster.AddJob(job).message()),
            "job \"a\", elastic \"a\": most is 2; must be 3 or more");
  job.gang->elastic = ElasticSize{.most = 0};
  EXPECT_EQ(std::string(cluster.AddJob(job).message()),
            "job \"a\", elastic \"a\": most is 0; must be 1 or more");
}

}  // namespace
}  // namespace muster::testing
