// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks with status waiting: they hold their node, and have a deadline and a waiting group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/cluster.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

class Waiting : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 4}}}).ok());
    ASSERT_TRUE(cluster_.AddJob({.name = "j"}).ok());
    ASSERT_TRUE(cluster_.AddTask(task_).ok());
  }
  TaskSpec Described() const { return cluster_.Describe().tasks.at(0); }

  const TaskSpec task_ = {.name = "t",
                          .job = "j",
                          .shape = {.request = {{"cpu", 3}}},
                          .status = TaskStatus::kWaiting,
                          .node = "n",
                          .waits_until = 60,
                          .waiting_group = "g"};
  Cluster cluster_;
};

TEST_F(Waiting, IsDescribedAsItWasGiven) {
  EXPECT_EQ(Described().status, TaskStatus::kWaiting);
  EXPECT_EQ(Described().node, "n");
  EXPECT_EQ(Described().waits_until, 60);
  EXPECT_EQ(Described().waiting_group, "g");
}

TEST_F(Waiting, HoldsItsNode) {
  TaskSpec other = {.name = "u", .job = "j", .shape = {.request = {{"cpu", 2}}}};
  ASSERT_TRUE(cluster_.AddTask(other).ok());
  for (const char* profile : {"muster", "volcano", "kube-batch"}) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->binds().empty()) << profile;
    EXPECT_EQ(plan->pending().size(), 1u) << profile;
    EXPECT_EQ(plan->shares()[0].allocated_before[kCpu], 3000) << profile;
  }
}

TEST_F(Waiting, OthersHaveNeitherDeadlineNorGroup) {
  TaskSpec bad = task_;
  bad.name = "bad";
  bad.status = TaskStatus::kRunning;
  EXPECT_THAT(std::string(cluster_.AddTask(bad).message()),
              HasSubstr("waits_until and waiting_group are for status waiting, not running"));
  ASSERT_TRUE(cluster_.SetTaskStatus("t", TaskStatus::kBound).ok());
  EXPECT_EQ(Described().waits_until, std::nullopt);
  EXPECT_EQ(Described().waiting_group, "");
}

TEST_F(Waiting, IsComparedByReconcile) {
  ClusterSpec full = cluster_.Describe();
  full.tasks[0].waits_until = 61;
  const auto drift = cluster_.Reconcile(full);
  ASSERT_TRUE(drift.ok()) << drift.status();
  ASSERT_EQ(drift->size(), 1u);
  EXPECT_EQ((*drift)[0].object, "task \"t\"");
  EXPECT_EQ(Described().waits_until, 61);
}

TEST_F(Waiting, KeepsItsGroupWhenRowsAreCompacted) {
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "gone" + std::to_string(i);
    ASSERT_TRUE(cluster_
                    .AddTask({.name = name,
                              .job = "j",
                              .shape = {.request = {{"cpu", 1}}},
                              .priority_class = name})
                    .ok());
    ASSERT_TRUE(cluster_.RemoveTask(name).ok());
  }
  EXPECT_LT(TablesOf(cluster_).tasks.alive.size(), 3000u);
  EXPECT_EQ(Described().waiting_group, "g");
}

}  // namespace
}  // namespace muster
