// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yarn-fair on clusters that a reader can check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class YarnFair : public ::testing::Test {
 protected:
  void SetUp() override {
    Must(cluster_.AddNodes(
        2, {.name = "n", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}}}));
    Must(cluster_.AddQueue({.name = "root"}));
    Must(cluster_.AddQueue({.name = "a", .parent = "root", .weight = 3}));
    Must(cluster_.AddQueue({.name = "b", .parent = "root"}));
    for (const char* queue : {"a", "b"}) {
      Must(cluster_.AddJob(
          {.name = std::string("job-") + queue,
           .queue = queue,
           .groups = {{.count = 20, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}}}}));
    }
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  Plan PlanOf(const ScheduleOptions& options = {}) {
    absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-fair", options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan : Plan();
  }
  static std::map<std::string, int> Started(const Plan& plan) {
    std::map<std::string, int> started;
    for (const Bind& bind : plan.binds()) {
      const std::string task(plan.task_name(bind.task));
      ++started[task.substr(0, 5)];
    }
    return started;
  }
  void Set(const char* queue, const Labels& settings) {
    Must(cluster_.UpdateQueue({.name = queue, .parent = "root", .settings = settings}));
  }
  std::string Refusal() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-fair");
    return plan.ok() ? "" : std::string(plan.status().message());
  }

  Cluster cluster_;
};

TEST_F(YarnFair, QueuesShareByWeight) {
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("job-a", 12), std::pair("job-b", 4)));
}

TEST_F(YarnFair, SettingsGoBeforeTheWeightOfTheQueue) {
  Set("a", {{"yarn-fair/weight", "1"}});
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("job-a", 8), std::pair("job-b", 8)));
  Set("a", {{"yarn-fair/maxResources", "2048 mb, 8 vcores"}});
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("job-a", 2), std::pair("job-b", 14)));
  EXPECT_THAT(*plan.Explain("job-a"),
              HasSubstr("queue \"root.a\" would exceed its maximum: <memory:3072, vCores:3> of "
                        "<memory:2048, vCores:8>"));
}

TEST_F(YarnFair, ApplicationsBeyondTheLimitWait) {
  Set("b", {{"yarn-fair/maxRunningApps", "0"}});
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("job-a", 16)));
  EXPECT_THAT(*plan.Explain("job-b"), HasSubstr("as many running applications as it may"));
}

TEST_F(YarnFair, CountsWhatRunsAlready) {
  for (int i = 0; i < 8; ++i) {
    Must(cluster_.AddTask({.name = "r" + std::to_string(i),
                           .job = "job-a",
                           .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                           .status = TaskStatus::kRunning,
                           .node = "n0"}));
  }
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("job-a", 4), std::pair("job-b", 4)));
}

TEST_F(YarnFair, RoundingUpStopsAtWhatTheLargestNodeHas) {
  for (const char* node : {"n0", "n1"}) {
    Must(cluster_.UpdateNode(
        {.name = node, .capacity = {{"cpu", 8}, {"memory", "3584Mi"}, {"pods", 100}}}));
  }
  Must(cluster_.AddJob(
      {.name = "large",
       .queue = "a",
       .groups = {{.count = 1, .shape = {.request = {{"cpu", 1}, {"memory", "3200Mi"}}}}}}));
  for (const char* job : {"job-a", "job-b"}) Must(cluster_.RemoveJob(job));
  EXPECT_EQ(PlanOf().binds().size(), 1u);
}

TEST_F(YarnFair, ANodeGivesOneContainerAReport) {
  EXPECT_EQ(PlanOf({.turn = Heartbeats{{"n1", "n1", "n0"}}}).binds().size(), 3u);
}

// As in the peer's newer form: what a maximum does not name has no limit. It was shut.
TEST_F(YarnFair, AMaximumMayNameOneAmount) {
  for (const char* most : {"2048 mb", "2 vcores"}) {
    Set("a", {{"yarn-fair/maxResources", most}});
    const Plan plan = PlanOf();
    int started = 0;
    for (const Bind& bind : plan.binds()) {
      started += plan.task_name(bind.task).substr(0, 5) == "job-a";
    }
    EXPECT_EQ(started, 2) << most;
  }
}

// Of 16,384 MiB and as many vcores.
TEST_F(YarnFair, AMaximumMayBeAPartOfTheCluster) {
  const std::pair<const char*, int> cases[] = {
      {"25%", 4}, {"12.5% mb", 2}, {"50% mb, 3 vcores", 3}, {"6.24% vcores", 0}, {"0%", 0}};
  for (const auto& [most, count] : cases) {
    Set("a", {{"yarn-fair/maxResources", most}});
    EXPECT_EQ(Started(PlanOf())["job-a"], count) << most;
  }
  Must(cluster_.RemoveNode("n1"));
  Set("a", {{"yarn-fair/maxResources", "25%"}});
  EXPECT_EQ(Started(PlanOf())["job-a"], 2);
}

TEST_F(YarnFair, UsersWithoutALimitHaveTheDefault) {
  const auto set_root = [&](const std::vector<UserLimit>& limits) {
    QueueSpec root{.name = "root", .settings = {{"yarn-fair/userMaxAppsDefault", "1"}}};
    if (!limits.empty()) root.users = UserRules{.limits = limits};
    Must(cluster_.UpdateQueue(root));
  };
  set_root({});
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("job-a", 16)));
  set_root({{.name = "nobody", .max_jobs = 2}});
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("job-a", 12), std::pair("job-b", 4)));
  set_root({{.name = "ann", .max_jobs = 2}});
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("job-a", 16)));
}

TEST_F(YarnFair, RefusesWrongSettingsByName) {
  Set("b", {{"yarn-fair/maxResources", "lots"}});
  EXPECT_EQ(Refusal(),
            "queue \"b\", setting \"yarn-fair/maxResources\": is \"lots\"; must be amounts such as "
            "\"4096 mb, 4 vcores\" or \"40%\"");
  Set("b", {{"yarn-fair/maxResources", "40%, 10 vcores"}});  // vcores twice
  EXPECT_THAT(Refusal(), HasSubstr("is \"40%, 10 vcores\"; must be amounts"));
  Set("b", {{"yarn-fair/minResources", "40%"}});
  EXPECT_EQ(Refusal(),
            "queue \"b\", setting \"yarn-fair/minResources\": is \"40%\"; must be amounts such as "
            "\"4096 mb, 4 vcores\"");
  Set("b", {{"yarn-fair/userMaxAppsDefault", "1"}});
  EXPECT_EQ(Refusal(), "queue \"b\", setting \"yarn-fair/userMaxAppsDefault\": is not known");
  Set("b", {{"yarn-fair/schedulingPolicy", "drf"}});
  EXPECT_EQ(Refusal(), "queue \"root.b\": policy drf must not lie below policy fair");
  Set("b", {});
  Must(cluster_.UpdateNode(
      {.name = "n0", .capacity = {{"cpu", 8}}, .settings = {{"yarn-fair/rack", "r"}}}));
  EXPECT_EQ(Refusal(), "node \"n0\", setting \"yarn-fair/rack\": is not known");
  Must(cluster_.UpdateNode({.name = "n0", .capacity = {{"cpu", 8}}}));
  Must(cluster_.AddJob({.name = "j", .queue = "a", .settings = {{"yarn-fair/weight", "2"}}}));
  EXPECT_EQ(Refusal(), "job \"j\", setting \"yarn-fair/weight\": is not known");
  Must(cluster_.RemoveJob("j"));
  Must(cluster_.AddQueue({.name = "x.y", .parent = "a"}));
  EXPECT_EQ(Refusal(),
            "queue \"x.y\": its name has a dot; must have none, as dots part the queues of a path");
  Must(cluster_.RemoveQueue("x.y"));
  Set("b", {{"yarn-fair/wieght", "1"}});
  EXPECT_EQ(Refusal(),
            "queue \"b\", setting \"yarn-fair/wieght\": is not known, did you mean \"weight\"?");
}

}  // namespace
}  // namespace muster
