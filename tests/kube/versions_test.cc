// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the versions of Kubernetes decide differently.
#include "lib/kube/versions.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "muster/schedule.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

// "even" is empty; of "tilted" half of the memory is used, and the task makes that less uneven.
std::string NodeOfTask(const std::string& profile) {
  Cluster cluster;
  for (const char* name : {"even", "tilted"}) {
    Accept(cluster.AddNode(
        {.name = name, .capacity = {{"cpu", 10}, {"memory", "10Gi"}, {"pods", 100}}}));
  }
  TaskSpec held{.name = "held", .status = TaskStatus::kRunning, .node = "tilted"};
  held.shape.request = {{"memory", "5Gi"}};
  TaskSpec task{.name = "task"};
  task.shape.request = {{"cpu", 2}, {"memory", "1Gi"}};
  if (profile.starts_with("volcano")) {
    Accept(cluster.AddJob({.name = "job"}));
    held.job = task.job = "job";
  }
  Accept(cluster.AddTask(held));
  Accept(cluster.AddTask(task));
  const absl::StatusOr<Plan> plan = cluster.Schedule(profile);
  if (!plan.ok()) return plan.status().ToString();
  return plan->binds().empty() ? "" : std::string(plan->node_name(plan->binds()[0].node));
}

TEST(KubernetesVersions, Until135TheBalanceThatIsLeftScores) {
  const std::string scores = "volcano:-binpack,nodeorder(least_requested=0,kubernetes=";
  EXPECT_EQ(NodeOfTask(absl::StrCat(scores, "1.35)")), "even");
  EXPECT_EQ(NodeOfTask(absl::StrCat(scores, "1.36)")), "tilted");
  EXPECT_EQ(NodeOfTask(absl::StrCat(scores, "1.37)")), "tilted");
  EXPECT_EQ(NodeOfTask("kube-scheduler:schedule(fit_weight=0)"), "tilted");
  EXPECT_EQ(NodeOfTask("kube-scheduler:schedule(fit_weight=0,kubernetes=1.35)"), "even");
}

// They are built on 1.35.
TEST(KubernetesVersions, OfSchedulersThatAddPlugIns) {
  EXPECT_EQ(NodeOfTask("scheduler-plugins:schedule(fit_weight=0)"), "even");
  EXPECT_EQ(NodeOfTask("koordinator:schedule(fit_weight=0)"), "even");
  EXPECT_EQ(NodeOfTask("koordinator:schedule(fit_weight=0,kubernetes=1.36)"), "tilted");
}

}  // namespace
}  // namespace muster::testing
