// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yarn-capacity on clusters that a reader can check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

JobSpec YarnJob(const char* name, const char* queue, int64_t count, const char* memory = "1Gi") {
  return {.name = name,
          .queue = queue,
          .groups = {{.count = count, .shape = {.request = {{"cpu", 1}, {"memory", memory}}}}}};
}

class YarnCapacity : public ::testing::Test {
 protected:
  // `n` nodes of eight cores and eight gibibytes, below root queues a and b.
  void SetUp() override {
    Must(cluster_.AddNodes(
        2, {.name = "n", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}}}));
    Must(cluster_.AddQueue({.name = "root"}));
    Must(cluster_.AddQueue(
        {.name = "a", .parent = "root", .settings = {{"yarn-capacity/capacity", "75"}}}));
    Must(cluster_.AddQueue(
        {.name = "b", .parent = "root", .settings = {{"yarn-capacity/capacity", "25"}}}));
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  Plan PlanOf(const ScheduleOptions& options = {}, const char* profile = "yarn-capacity") {
    absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan : Plan();
  }
  // How many tasks of each job start.
  std::map<std::string, int> Started(const Plan& plan) {
    std::map<std::string, int> started;
    for (const Bind& bind : plan.binds()) {
      const std::string task(plan.task_name(bind.task));
      ++started[task.substr(0, task.rfind('-'))];
    }
    return started;
  }
  std::vector<std::string> Nodes(const Plan& plan) {
    std::vector<std::string> nodes;
    for (const Bind& bind : plan.binds()) nodes.emplace_back(plan.node_name(bind.node));
    return nodes;
  }
  std::string Refusal() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-capacity");
    return plan.ok() ? "" : std::string(plan.status().message());
  }

  Cluster cluster_;
};

TEST_F(YarnCapacity, QueuesShareByTheirPercents) {
  Must(cluster_.AddJob(YarnJob("x", "a", 20)));
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("x", 12), std::pair("y", 4)));
  EXPECT_THAT(*plan.Explain("y"), HasSubstr("no node that reported has room"));
}

TEST_F(YarnCapacity, AQueueStaysWithinItsMaximum) {
  Must(cluster_.UpdateQueue({.name = "b",
                             .parent = "root",
                             .settings = {{"yarn-capacity/capacity", "25"},
                                          {"yarn-capacity/maximum-capacity", "50"},
                                          {"yarn-capacity/user-limit-factor", "10"}}}));
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("y", 8)));
  EXPECT_THAT(*plan.Explain("y"), HasSubstr("queue \"root.b\" would exceed its maximum: "
                                            "<memory:9216, vCores:9> of <memory:8192, vCores:8>"));
}

TEST_F(YarnCapacity, AUserGetsItsFactorOfTheQueueAndOneContainerMore) {
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("y", 5)));
  EXPECT_THAT(*plan.Explain("y"), HasSubstr("user \"nobody\" is above its limit"));
}

TEST_F(YarnCapacity, RequestsAreRoundedUpToTheLeastAllocation) {
  Must(cluster_.AddJob(YarnJob("x", "a", 20, "100Mi")));
  EXPECT_EQ(PlanOf({}, "yarn-capacity:heartbeat(min_memory=4096)").binds().size(), 4u);
}

TEST_F(YarnCapacity, HeartbeatsDecideInTheirOrder) {
  Must(cluster_.AddJob(YarnJob("x", "a", 3)));
  EXPECT_THAT(Nodes(PlanOf({.turn = Heartbeats{{"n0", "n1"}}})), ElementsAre("n0", "n1"));
  EXPECT_THAT(Nodes(PlanOf({.turn = Heartbeats{{"n1", "n0", "n1"}}})),
              ElementsAre("n1", "n0", "n1"));
  EXPECT_THAT(Nodes(PlanOf({.turn = NextDecisions{1}})), ElementsAre("n0"));
}

TEST_F(YarnCapacity, GoesOnlyWhereANodeAdmitsTheTask) {
  Must(cluster_.UpdateNode({.name = "n0",
                            .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}},
                            .taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}}}));
  Must(cluster_.AddJob(YarnJob("x", "a", 2)));
  EXPECT_THAT(Nodes(PlanOf()), ElementsAre("n1", "n1"));
}

TEST_F(YarnCapacity, NeverExceedsWhatTheSchedulerDoesNotCount) {
  Must(cluster_.UpdateNode(
      {.name = "n0", .capacity = {{"cpu", 2}, {"memory", "8Gi"}, {"pods", 100}}}));
  Must(cluster_.UpdateNode(
      {.name = "n1", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 3}}}));
  Must(cluster_.AddJob(YarnJob("x", "a", 12)));
  // Two by vcores, which the calculator of memory does not compare, and three by pods.
  EXPECT_EQ(PlanOf({}, "yarn-capacity:heartbeat(calculator=memory)").binds().size(), 5u);
}

TEST_F(YarnCapacity, CountsWhatRunsAndWhatOthersHold) {
  Must(cluster_.AddJob({.name = "x", .queue = "a"}));
  Must(cluster_.AddTask({.name = "r",
                         .job = "x",
                         .shape = {.request = {{"cpu", 1}, {"memory", "6Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n0"}));
  Must(cluster_.AddTask({.name = "other",
                         .shape = {.request = {{"cpu", 1}, {"memory", "7Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n1"}));
  Must(cluster_.AddJob(YarnJob("y", "b", 9)));
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("y", 3)));
}

TEST_F(YarnCapacity, RefusesWrongSettingsByName) {
  const auto with = [&](const Labels& settings) {
    Must(cluster_.UpdateQueue({.name = "b", .parent = "root", .settings = settings}));
    return Refusal();
  };
  EXPECT_EQ(with({{"yarn-capacity/capacity", "30"}}),
            "queue \"a\": its capacity and those of queues of the same parent are 105 percent "
            "together; must be 100");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "2w"}}),
            "queue \"b\": its capacity is of another kind than that of queue \"a\" of the same "
            "parent; must all be percents, weights or amounts");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "x"}}),
            "queue \"b\", setting \"yarn-capacity/capacity\": is \"x\"; must be a percentage, a "
            "weight such "
            "as 3w, or [memory=MIB,vcores=N]");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "25"},
                  {"yarn-capacity/maximum-capacity", "[memory=1,vcores=1]"}}),
            "queue \"b\", setting \"yarn-capacity/maximum-capacity\": is \"[memory=1,vcores=1]\"; "
            "must be a "
            "percentage, as the capacity is no amounts");
  EXPECT_EQ(
      with({{"yarn-capacity/capacity", "25"}, {"yarn-capacity/ordering-policy", "utilization"}}),
      "queue \"b\", setting \"yarn-capacity/ordering-policy\": is \"utilization\"; must be one of "
      "fifo, fair");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "25"}, {"yarn-capacity/max-parallel-app", "1"}}),
            "queue \"b\", setting \"yarn-capacity/max-parallel-app\": is not known, did you mean "
            "\"max-parallel-apps\"?");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "25"}, {"other/capacity", "x"}}), "");
}

TEST_F(YarnCapacity, SaysWhatIsNotOffered) {
  Must(cluster_.AddJob(YarnJob("big", "a", 1, "100Gi")));
  JobSpec gpu = YarnJob("gpu", "a", 1);
  gpu.groups[0].shape.request.emplace_back("nvidia.com/gpu", 1);
  Must(cluster_.AddJob(gpu));
  const Plan plan = PlanOf();
  EXPECT_THAT(*plan.Explain("big"), HasSubstr("is above the largest allocation"));
  EXPECT_THAT(*plan.Explain("gpu"), HasSubstr("\"nvidia.com/gpu\" is not known to the scheduler"));
}

}  // namespace
}  // namespace muster
