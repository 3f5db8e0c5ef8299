// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What plans made the cluster assume: listed with its age, ended by what confirms it, taken back
// when it is too old.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "lib/scenario/state.h"
#include "muster/muster.h"

namespace muster {
namespace {

constexpr int64_t kFirst = 100, kSecond = 150;

// Two tasks that were bound at kFirst and kSecond, and one that was evicted at kSecond.
Cluster WithAssumptions() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 3}}}).ok());
  EXPECT_TRUE(cluster.AddJob({.name = "j", .priority = 0}).ok());
  const auto add = [&](const char* name, TaskStatus status, int32_t priority) {
    EXPECT_TRUE(cluster
                    .AddTask({.name = name,
                              .job = "j",
                              .shape = {.request = {{"cpu", 1}}},
                              .status = status,
                              .node = status == TaskStatus::kRunning ? "n" : "",
                              .priority = priority})
                    .ok());
  };
  const auto apply = [&](int64_t now, size_t binds) {
    const absl::StatusOr<Plan> plan = cluster.Schedule("muster", {.now = now});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->binds().size(), binds) << plan->ToText();
    EXPECT_TRUE(cluster.Apply(*plan).ok());
  };
  add("old", TaskStatus::kPending, 1);
  apply(kFirst, 1);
  add("new", TaskStatus::kPending, 1);
  apply(kSecond, 1);
  return cluster;
}

std::vector<std::string> Names(const std::vector<Assumption>& assumptions) {
  std::vector<std::string> names;
  for (const Assumption& assumption : assumptions) names.push_back(assumption.task);
  return names;
}

TEST(Assumptions, AreListedWithTheTimeOfTheirPlan) {
  const Cluster cluster = WithAssumptions();
  const std::vector<Assumption> expected = {{"old", TaskStatus::kBinding, "n", kFirst},
                                            {"new", TaskStatus::kBinding, "n", kSecond}};
  EXPECT_EQ(cluster.Assumptions(), expected);
  EXPECT_EQ(cluster.Clone().Assumptions(), expected);
}

TEST(Assumptions, EndWithWhatConfirmsThem) {
  Cluster cluster = WithAssumptions();
  ASSERT_TRUE(cluster.SetTaskStatus("old", TaskStatus::kBinding).ok()) << "reported, not assumed";
  EXPECT_EQ(Names(cluster.Assumptions()), std::vector<std::string>{"new"});
  ASSERT_TRUE(cluster
                  .ApplyDelta({1, TaskSpec{.name = "new",
                                           .job = "j",
                                           .shape = {.request = {{"cpu", 1}}},
                                           .priority = 5}})
                  .ok());
  EXPECT_EQ(cluster.Assumptions(),
            (std::vector<Assumption>{{"new", TaskStatus::kBinding, "n", kSecond}}))
      << "an event that does not show the bind leaves the assumption as old as it was";
  ASSERT_TRUE(cluster
                  .ApplyDelta({2, TaskSpec{.name = "new",
                                           .job = "j",
                                           .shape = {.request = {{"cpu", 1}}},
                                           .status = TaskStatus::kRunning,
                                           .node = "n"}})
                  .ok());
  EXPECT_TRUE(cluster.Assumptions().empty());
}

TEST(Assumptions, ExpireByTheirLimits) {
  Cluster cluster = WithAssumptions();
  EXPECT_TRUE(cluster.ExpireAssumptions(kFirst + 59, {.bind = 60})->empty());
  EXPECT_TRUE(cluster.ExpireAssumptions(kFirst + 60, {.evict = 0})->empty());
  const uint64_t version = cluster.version();
  EXPECT_TRUE(cluster.ExpireAssumptions(std::numeric_limits<int64_t>::max(), {})->empty());
  EXPECT_EQ(cluster.version(), version);
  EXPECT_EQ(Names(*cluster.ExpireAssumptions(kFirst + 60, {.bind = 60})),
            std::vector<std::string>{"old"});
  EXPECT_EQ(cluster.Describe().tasks[0].status, TaskStatus::kPending);
  EXPECT_EQ(Names(cluster.Assumptions()), std::vector<std::string>{"new"});
  const absl::StatusOr<Plan> plan = cluster.Schedule("muster", {.now = 500});
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->binds().size(), 1u) << "it is placed anew";
  EXPECT_EQ(plan->task_name(plan->binds()[0].task), "old");
}

TEST(Assumptions, ExpireAtTheEndsOfTime) {
  Cluster cluster = WithAssumptions();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(cluster.ExpireAssumptions(kLeast, {.bind = kMost, .evict = kMost})->empty());
  EXPECT_TRUE(cluster.ExpireAssumptions(kLeast, {.bind = 0})->empty());
  EXPECT_EQ(cluster.ExpireAssumptions(kMost, {.bind = 0})->size(), 2u);
}

TEST(Assumptions, RefuseALimitBelowZero) {
  Cluster cluster = WithAssumptions();
  const auto expired = cluster.ExpireAssumptions(1000, {.bind = 5, .evict = -1});
  EXPECT_EQ(expired.status().message(), "limit of assumptions is -1; must be 0 or more");
  EXPECT_EQ(cluster.Assumptions().size(), 2u);
}

TEST(Assumptions, EvictionsThatExpireRunAgain) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1}}}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "low"}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "high", .priority = 10, .min_available = 1}).ok());
  const TaskShape shape = {.request = {{"cpu", 1}}};
  ASSERT_TRUE(cluster
                  .AddTask({.name = "victim",
                            .job = "low",
                            .shape = shape,
                            .status = TaskStatus::kRunning,
                            .node = "n"})
                  .ok());
  ASSERT_TRUE(cluster.AddTask({.name = "t", .job = "high", .shape = shape, .priority = 10}).ok());
  const absl::StatusOr<Plan> plan =
      cluster.Schedule("volcano:actions=admit+preempt,tiers=priority+gang/predicates", {.now = 7});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->evictions().size(), 1u) << plan->ToText();
  ASSERT_TRUE(cluster.Apply(*plan).ok());
  EXPECT_EQ(cluster.Assumptions(),
            (std::vector<Assumption>{{"victim", TaskStatus::kReleasing, "n", 7}}));
  EXPECT_TRUE(cluster.ExpireAssumptions(1000, {.bind = 1})->empty());
  EXPECT_EQ(cluster.ExpireAssumptions(107, {.evict = 100})->size(), 1u);
  EXPECT_EQ(cluster.Describe().tasks[0].status, TaskStatus::kRunning);
  EXPECT_EQ(cluster.Describe().tasks[0].node, "n");
}

TEST(Assumptions, OutliveRemovedRowsAndSavedStates) {
  Cluster cluster = WithAssumptions();
  for (int i = 0; i < 3000; ++i) {  // rows move together
    const std::string name = "gone" + std::to_string(i);
    ASSERT_TRUE(cluster.AddTask({.name = name, .uid = name}).ok());
    ASSERT_TRUE(cluster.RemoveTask(name).ok());
  }
  const std::vector<Assumption> before = cluster.Assumptions();
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before[1].since, kSecond);
  Cluster loaded;
  ASSERT_TRUE(LoadState(SaveState(&cluster), &loaded).ok());
  EXPECT_EQ(loaded.Assumptions(), before);
}

// --- uids

TEST(Uids, AnOldPlanDoesNotReachANewTaskOfTheName) {
  for (const bool frozen : {false, true}) {
    Cluster cluster;
    ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}}}).ok());
    ASSERT_TRUE(cluster.AddJob({.name = "j"}).ok());
    const auto task = [](const char* name, const char* uid) {
      return TaskSpec{.name = name, .job = "j", .shape = {.request = {{"cpu", 1}}}, .uid = uid};
    };
    for (const char* name : {"same", "other", "unknown"}) {
      ASSERT_TRUE(cluster.ApplyDelta({1, task(name, "u1")}).ok());
    }
    const absl::StatusOr<Plan> plan =
        frozen ? Schedule(cluster.Freeze(), "muster") : cluster.Schedule("muster");
    ASSERT_TRUE(plan.ok());
    ASSERT_EQ(plan->binds().size(), 3u);
    EXPECT_EQ(plan->task_uid(plan->binds()[0].task), "u1");
    EXPECT_EQ(plan->task_uid(kNone), "");
    ASSERT_TRUE(cluster.ApplyDelta({2, task("other", "u2")}).ok());
    ASSERT_TRUE(cluster.ApplyDelta({2, task("unknown", "")}).ok());
    const absl::StatusOr<ApplyReport> report = cluster.Apply(*plan);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->refused, std::vector<std::string>{"bind \"other\" to \"n\": task is gone"});
    EXPECT_EQ(Names(cluster.Assumptions()), (std::vector<std::string>{"same", "unknown"}));
  }
}

TEST(Uids, ADifferentOneIsDriftInAListing) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddTask({.name = "t", .uid = "u1"}).ok());
  ClusterSpec listing = cluster.Describe();
  ASSERT_EQ(listing.tasks[0].uid, "u1");
  EXPECT_TRUE(cluster.Reconcile(listing)->empty());
  listing.tasks[0].uid = "u2";
  EXPECT_EQ(cluster.Reconcile(listing)->size(), 1u);
  EXPECT_EQ(cluster.Describe().tasks[0].uid, "u2");
}

}  // namespace
}  // namespace muster
