// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cluster that is made of the listing and the memory of another one: what it has, and what it
// lacks (docs/memory.md).
#include <gtest/gtest.h>

#include <string>

#include "lib/scenario/state.h"
#include "muster/cluster.h"

namespace muster {
namespace {

// Two jobs of which one runs, a third that waits, and a node and a job that are gone.
void Live(Cluster* cluster) {
  const auto add = [&](const char* job, int64_t tasks) {
    const TaskShape shape = {.request = {{"cpu", 2}}};
    const JobSpec spec = {.name = job,
                          .min_available = tasks,
                          .groups = {{.count = tasks, .shape = shape}},
                          .estimate = 60};
    ASSERT_TRUE(cluster->AddJob(spec).ok());
  };
  ASSERT_TRUE(cluster->AddNode({.name = "gone", .capacity = {{"cpu", 1}}}).ok());
  ASSERT_TRUE(cluster->AddNodes(2, {.name = "n", .capacity = {{"cpu", 4}}}).ok());
  ASSERT_TRUE(cluster->RemoveNode("gone").ok());
  add("ended", 1);
  add("runs", 2);
  for (int64_t now = 10; now < 40; now += 10) {
    const absl::StatusOr<Plan> plan = cluster->Schedule("muster", {.now = now});
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_TRUE(cluster->Apply(*plan).ok());
    if (now == 10) ASSERT_TRUE(cluster->RemoveJob("ended").ok());
  }
  add("waits", 3);
}

TEST(RestoredClusterTest, PlansInTheWordsOfTheOther) {
  Cluster cluster, standby;
  ASSERT_NO_FATAL_FAILURE(Live(&cluster));
  ASSERT_TRUE(standby.Reconcile(cluster.Describe()).ok());
  const absl::StatusOr<Memory> memory = Memory::Parse(cluster.memory().ToText());
  ASSERT_TRUE(memory.ok()) << memory.status();
  standby.SetMemory(*memory);
  const absl::StatusOr<Plan> one = cluster.Schedule("muster", {.now = 50});
  const absl::StatusOr<Plan> other = standby.Schedule("muster", {.now = 50});
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(one->ToText(), other->ToText());
  EXPECT_NE(one->ToText().find("waits"), std::string::npos) << one->ToText();
  EXPECT_EQ(one->Digest(), cluster.Clone().Schedule("muster", {.now = 50})->Digest());
}

TEST(RestoredClusterTest, HasSeenNoEventsAndAssumesNothing) {
  Cluster cluster, standby;
  ASSERT_NO_FATAL_FAILURE(Live(&cluster));
  const Delta newest = {7, QueueSpec{.name = "q", .weight = 7}};
  const Delta older = {6, QueueSpec{.name = "q", .weight = 6}};
  ASSERT_EQ(*cluster.ApplyDelta(newest), DeltaOutcome::kApplied);
  ASSERT_EQ(*cluster.ApplyDelta({1, TaskSpec{.name = "t", .job = "none"}}), DeltaOutcome::kWaiting);
  ASSERT_TRUE(standby.Reconcile(cluster.Describe()).ok());
  EXPECT_EQ(cluster.Assumptions().size(), 2u);
  EXPECT_TRUE(standby.Assumptions().empty());
  EXPECT_TRUE(standby.WaitingEvents().empty());
  EXPECT_EQ(*cluster.ApplyDelta(older), DeltaOutcome::kStale);
  EXPECT_EQ(*standby.ApplyDelta(older), DeltaOutcome::kApplied);
}

TEST(RestoredClusterTest, AnotherTextThanAStateIsRefused) {
  Cluster cluster;
  const auto refused = [&](const char* text) {
    return std::string(LoadState(text, &cluster).message());
  };
  EXPECT_EQ(refused("{'muster': 1}"),
            "state: begins with \"{'muster': 1}\"; must begin with \"muster state 2\"");
  EXPECT_EQ(refused(""), "state: begins with \"\"; must begin with \"muster state 2\"");
}

}  // namespace
}  // namespace muster
