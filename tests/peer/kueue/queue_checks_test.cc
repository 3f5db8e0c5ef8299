// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What profile kueue refuses of queues and workloads, as Kueue's webhooks do.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/cluster.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

QueueSpec WithQuota(const std::string& name, const std::string& parent, const FlavorQuota& quota) {
  QueueSpec queue{.name = name, .parent = parent};
  queue.rules = QueueRules{.groups = {{.resources = {"cpu"}, .flavors = {quota}}}};
  return queue;
}

std::string Words(Cluster& cluster) {
  return std::string(cluster.Schedule("kueue").status().message());
}

TEST(KueueQueueChecks, LimitsNeedACohort) {
  Cluster cluster;
  Accept(cluster.SetFlavor({.name = "spot"}));
  FlavorQuota quota{.flavor = "spot", .nominal = {{"cpu", 4}}, .borrow_limit = {{"cpu", 2}}};
  Accept(cluster.AddQueue(WithQuota("a", "", quota)));
  EXPECT_EQ(Words(cluster),
            "queue \"a\", borrow_limit of flavor \"spot\": is set, and the queue has no parent; "
            "must be absent there");
  quota.borrow_limit.clear();
  quota.lend_limit = {{"cpu", 0}};
  Accept(cluster.UpdateQueue(WithQuota("a", "", quota)));
  EXPECT_EQ(Words(cluster),
            "queue \"a\", lend_limit of flavor \"spot\": is set, and the queue has no parent; must "
            "be absent there");
  Accept(cluster.RemoveQueue("a"));
  EXPECT_EQ(Words(cluster), "");
}

TEST(KueueQueueChecks, AQueueWithAFlavorThatIsMissingAdmitsNothing) {
  Cluster cluster;
  Accept(cluster.AddQueue(WithQuota("a", "", {.flavor = "spot", .nominal = {{"cpu", 4}}})));
  AddJob(cluster, {.name = "j", .queue = "a", .min_available = 1}, 1, {{"cpu", 1}});
  EXPECT_EQ(*cluster.Schedule("kueue")->Explain("j"),
            "j: not admitted: ClusterQueue a: Can't admit new workloads: references missing "
            "ResourceFlavor(s): spot.\n");
}

TEST(KueueQueueChecks, AWorkloadWithTooManyPodSetsIsNotAdmitted) {
  Cluster cluster;
  Accept(cluster.SetFlavor({.name = "spot"}));
  Accept(cluster.AddQueue(WithQuota("a", "", {.flavor = "spot", .nominal = {{"cpu", 99}}})));
  for (const int pod_sets : {18, 19}) {
    JobSpec job{.name = absl::StrCat("j", pod_sets), .queue = "a"};
    for (int i = 0; i < pod_sets; ++i) {
      job.groups.push_back(
          {.name = absl::StrCat("g", i), .count = 1, .shape = {.request = {{"cpu", 1}}}});
    }
    Accept(cluster.AddJob(job));
  }
  const absl::StatusOr<Plan> plan = cluster.Schedule("kueue");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->ToText(), ::testing::HasSubstr("admit j18 with "));
  EXPECT_EQ(*plan->Explain("j19"),
            "j19: not admitted: Workload has 19 pod sets; must be at most 18\n");
}

// A cohort is held to it as a ClusterQueue is: it needs a parent of its own.
TEST(KueueQueueChecks, ACohortNeedsAParentForLimits) {
  Cluster cluster;
  Accept(cluster.SetFlavor({.name = "spot"}));
  const FlavorQuota limited{
      .flavor = "spot", .nominal = {{"cpu", 4}}, .borrow_limit = {{"cpu", 2}}};
  Accept(cluster.AddQueue({.name = "all"}));
  Accept(cluster.AddQueue(WithQuota("east", "all", limited)));
  Accept(cluster.AddQueue(WithQuota("a", "east", limited)));
  EXPECT_EQ(Words(cluster), "");
  Accept(cluster.AddQueue(WithQuota("west", "", limited)));
  Accept(cluster.AddQueue(WithQuota("b", "west", limited)));
  EXPECT_EQ(Words(cluster).substr(0, 13), "queue \"west\",");
}

}  // namespace
}  // namespace muster::testing
