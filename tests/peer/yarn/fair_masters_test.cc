// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Masters of applications under profile yarn-fair: what a leaf may use for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class YarnFairMasters : public ::testing::Test {
 protected:
  // Two nodes of eight gibibytes and vcores. The queue is alone, so its fair share is 16 GiB.
  void SetUp() override {
    Must(cluster_.AddNodes(
        2, {.name = "n", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}}}));
    Must(cluster_.AddQueue({.name = "root"}));
    Must(cluster_.AddQueue({.name = "a", .parent = "root"}));
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  void Set(const Labels& settings) {
    Must(cluster_.UpdateQueue({.name = "a", .parent = "root", .settings = settings}));
  }
  static TaskShape Shape(const char* memory) {
    return {.request = {{"cpu", 1}, {"memory", memory}}};
  }
  void AddJob(const std::string& name, const char* master_memory = "1Gi") {
    Must(cluster_.AddJob({.name = name,
                          .queue = "a",
                          .groups = {{.name = "work", .count = 2, .shape = Shape("1Gi")},
                                     {.name = "am", .count = 1, .shape = Shape(master_memory)}},
                          .settings = {{"yarn-fair/master", "am"}}}));
  }
  void AddJobs(int count) {
    for (int i = 0; i < count; ++i) AddJob("j" + std::to_string(i));
  }
  std::vector<std::string> Started(const char* profile = "yarn-fair") {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> names;
    if (!plan.ok()) return names;
    plan_ = *plan;
    for (const Bind& bind : plan->binds()) names.emplace_back(plan->task_name(bind.task));
    std::ranges::sort(names);
    return names;
  }
  void Run(const std::string& job, const std::string& task, const char* node) {
    Must(cluster_.UpdateTask({.name = task,
                              .job = job,
                              .group = "am",
                              .shape = Shape("1Gi"),
                              .status = TaskStatus::kRunning,
                              .node = node}));
  }

  Cluster cluster_;
  Plan plan_;
};

TEST_F(YarnFairMasters, AMasterComesFirst) {
  AddJob("x");
  EXPECT_THAT(Started(), ElementsAre("x-am-0"));
  EXPECT_THAT(*plan_.Explain("x-work-0"), HasSubstr("the application's master does not run yet"));
  Run("x", "x-am-0", "n0");
  EXPECT_THAT(Started(), ElementsAre("x-work-0", "x-work-1"));
}

// An eighth of 16,384 MiB. Memory alone is divided, so of vcores an eighth of what is free counts:
// of 14 beside two masters, 1.75, which is 2.
TEST_F(YarnFairMasters, StayWithinTheirPartOfTheFairShare) {
  Set({{"yarn-fair/maxAMShare", "0.125"}});
  AddJobs(4);
  EXPECT_THAT(Started(), ElementsAre("j0-am-0", "j1-am-0"));
  EXPECT_THAT(*plan_.Explain("j2-am-0"),
              HasSubstr("queue \"root.a\" would exceed its share of masters: <memory:3072, "
                        "vCores:3> of <memory:2048, vCores:2>"));
}

// Under drf vcores are divided, too: a quarter of 16.
TEST_F(YarnFairMasters, StayWithinTheirPartOfBothUnderDrf) {
  Set({{"yarn-fair/maxAMShare", "0.25"}});
  for (const char* job : {"x", "y", "z"}) AddJob(job, "2Gi");
  EXPECT_THAT(Started("yarn-fair:heartbeat(policy=drf)"), ElementsAre("x-am-0", "y-am-0"));
  EXPECT_THAT(*plan_.Explain("z-am-0"), HasSubstr("<memory:6144, vCores:3> of <memory:4096, "
                                                  "vCores:4>"));
}

// Of vcores, half of what is free counts: of eleven beside five masters 6, of ten beside six 5.
TEST_F(YarnFairMasters, ByDefaultThePartIsOneHalf) {
  AddJobs(10);
  EXPECT_EQ(Started().size(), 6u);
  EXPECT_THAT(*plan_.Explain("j6-am-0"), HasSubstr("<memory:7168, vCores:7> of <memory:8192, "
                                                   "vCores:5>"));
  Set({{"yarn-fair/maxAMShare", "-1"}});
  EXPECT_EQ(Started().size(), 10u);
}

TEST_F(YarnFairMasters, ThoseThatRunCountAndThoseThatEndedDoNot) {
  Set({{"yarn-fair/maxAMShare", "0.125"}});
  AddJobs(3);
  Run("j0", "j0-am-0", "n0");
  Run("j1", "j1-am-0", "n0");
  // Masters have used up the part of the queue; what their applications request has no limit.
  EXPECT_THAT(Started(), ElementsAre("j0-work-0", "j0-work-1", "j1-work-0", "j1-work-1"));
  Must(cluster_.RemoveTask("j1-am-0"));
  EXPECT_THAT(Started(),
              ElementsAre("j0-work-0", "j0-work-1", "j1-work-0", "j1-work-1", "j2-am-0"));
}

TEST_F(YarnFairMasters, AnApplicationWithoutOneIsNotHeldBack) {
  Set({{"yarn-fair/maxAMShare", "0"}});
  AddJob("x");
  Must(cluster_.AddJob(
      {.name = "y", .queue = "a", .groups = {{.count = 1, .shape = Shape("1Gi")}}}));
  EXPECT_THAT(Started(), ElementsAre("y-0"));
}

// The books take no second pod on the node. The first master that they refuse gives its part back.
TEST_F(YarnFairMasters, AMasterThatTheBooksRefuseIsNotCounted) {
  Set({{"yarn-fair/maxAMShare", "0.0625"}});
  Must(cluster_.UpdateNode(
      {.name = "n0", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 0}}}));
  AddJobs(2);
  EXPECT_THAT(Started(), ElementsAre("j1-am-0"));
}

TEST_F(YarnFairMasters, RefusesWrongSettingsByName) {
  const auto refusal = [&] {
    return std::string(cluster_.Schedule("yarn-fair").status().message());
  };
  Set({{"yarn-fair/maxAMShare", "2"}});
  EXPECT_THAT(refusal(), HasSubstr("queue \"a\", setting \"yarn-fair/maxAMShare\": is \"2\""));
  Set({{"yarn-fair/maxAMShare", "-0.5"}});
  EXPECT_THAT(refusal(), HasSubstr("must be -1, or a number from 0 to 1"));
  Set({});
  Must(cluster_.AddJob({.name = "x", .queue = "a", .settings = {{"yarn-fair/master", "am"}}}));
  EXPECT_EQ(refusal(),
            "job \"x\", setting \"yarn-fair/master\": is \"am\"; must be a group of the job");
}

}  // namespace
}  // namespace muster
