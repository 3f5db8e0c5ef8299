// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Living tables: what direct calls, events, listings and states do to each other.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/model/access.h"
#include "lib/model/memory_data.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"
#include "muster/muster.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

bool Waits(const Cluster& cluster) { return !cluster.WaitingEvents().empty(); }

TEST(Waking, AnUpdateOfANodeWakesWhatLacksItsDevices) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n"}).ok());
  ASSERT_EQ(*cluster.ApplyDelta({1, TaskSpec{.name = "t",
                                             .status = TaskStatus::kRunning,
                                             .node = "n",
                                             .devices = {{.device = "g"}}}}),
            DeltaOutcome::kWaiting);
  ASSERT_TRUE(cluster.UpdateNode({.name = "n", .devices = {{.name = "g", .kind = "gpu"}}}).ok());
  EXPECT_FALSE(Waits(cluster));
  EXPECT_TRUE(TablesOf(cluster).tasks.names.Find("t").has_value());
}

// A state can be loaded, and is the same again.
void ExpectLoads(Cluster& cluster, const char* what) {
  const std::string state = SaveState(&cluster);
  Cluster standby;
  const absl::Status loaded = LoadState(state, &standby);
  ASSERT_TRUE(loaded.ok()) << what << ": " << loaded;
  EXPECT_EQ(SaveState(&standby), state) << what;
  EXPECT_EQ(Contradiction(standby), "") << what;
  // A scenario of it can be read, too.
  const absl::StatusOr<Scenario> read = ParseScenario(WriteScenario(Describe(cluster)));
  ASSERT_TRUE(read.ok()) << what << ": " << read.status();
  Cluster fresh;
  const absl::Status filled = Fill(*read, &fresh);
  EXPECT_TRUE(filled.ok()) << what << ": " << filled;
  const auto drift = fresh.Reconcile(cluster.Describe());
  ASSERT_TRUE(drift.ok()) << what << ": " << drift.status();
  EXPECT_TRUE(drift->empty()) << what;
}

TaskSpec OnDevice(const char* name, int64_t milli = 1000) {
  return {.name = name,
          .status = TaskStatus::kRunning,
          .node = "n",
          .devices = {{.device = "g", .milli = milli}}};
}

TEST(SavedStates, HoldDevicesThatTwoTasksHold) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .devices = {{.name = "g", .kind = "gpu"}}}).ok());
  ASSERT_TRUE(cluster.ApplyDelta({1, OnDevice("old")}).ok());
  ASSERT_TRUE(cluster.ApplyDelta({1, OnDevice("new")}).ok());
  ExpectLoads(cluster, "the end of a task comes late");

  Cluster shrunk;
  ASSERT_TRUE(shrunk.AddNode({.name = "n", .devices = {{.name = "g", .kind = "gpu"}}}).ok());
  ASSERT_TRUE(shrunk.AddTask(OnDevice("a", 500)).ok());
  ASSERT_TRUE(shrunk.AddTask(OnDevice("b", 500)).ok());
  ASSERT_TRUE(
      shrunk.UpdateNode({.name = "n", .devices = {{.name = "g", .kind = "gpu", .milli = 500}}})
          .ok());
  ExpectLoads(shrunk, "a device shrank");
}

TEST(SavedStates, HoldTasksThatJobsMadeWhileTheirEventsWaited) {
  const Delta event = {1, TaskSpec{.name = "j-w-0",
                                   .job = "j",
                                   .group = "w",
                                   .status = TaskStatus::kRunning,
                                   .node = "later"}};
  Cluster added;
  ASSERT_TRUE(added.AddJob({.name = "j", .groups = {{.name = "w"}}}).ok());
  ASSERT_EQ(*added.ApplyDelta(event), DeltaOutcome::kWaiting);
  ASSERT_TRUE(added.RemoveJob("j").ok());
  ASSERT_TRUE(added.AddJob({.name = "j", .groups = {{.name = "w", .count = 1}}}).ok());
  EXPECT_FALSE(Waits(added));
  ExpectLoads(added, "AddJob");

  Cluster made;
  GroupSpec counted = {.name = "w"};
  counted.by_count.emplace().count = 3;
  ASSERT_TRUE(made.AddJob({.name = "j", .groups = {counted}}).ok());
  ASSERT_EQ(*made.ApplyDelta(event), DeltaOutcome::kWaiting);
  ASSERT_TRUE(made.MakeTasks("j", "w", 1).ok());
  EXPECT_FALSE(Waits(made));
  ExpectLoads(made, "MakeTasks");

  // An event that waits for the job itself is put when the job comes.
  Cluster woken;
  ASSERT_EQ(*woken.ApplyDelta(event), DeltaOutcome::kWaiting);
  ASSERT_TRUE(woken.AddJob({.name = "j", .groups = {{.name = "w", .count = 2}}}).ok());
  EXPECT_TRUE(Waits(woken));
  EXPECT_FALSE(TablesOf(woken).tasks.names.Find("j-w-0").has_value());
  ExpectLoads(woken, "the event of the task");
}

TEST(SavedStates, HoldBindingsToQueuesThatComeLater) {
  Cluster leader;
  ASSERT_TRUE(
      leader
          .ApplyDelta({1, NamespaceSpec{.name = "x", .bindings = {{.name = "b", .queues = {"q"}}}}})
          .ok());
  Cluster standby;
  ASSERT_TRUE(LoadState(SaveState(&leader), &standby).ok());
  for (Cluster* cluster : {&leader, &standby}) {
    ASSERT_TRUE(cluster->ApplyDelta({1, QueueSpec{.name = "q"}}).ok());
    EXPECT_EQ(cluster->Describe().namespaces.at(0).bindings.size(), 1u);
  }
  EXPECT_EQ(SaveState(&standby), SaveState(&leader));
}

TEST(Versions, GoOnGrowingWhenRowsAreReplaced) {
  const auto scenario = [](const char* node, const char* job) {
    Scenario rows;
    rows.cluster.nodes = {{.name = node, .capacity = {{"cpu", 8}}}};
    rows.cluster.jobs = {
        {.name = job, .groups = {{.name = "w", .count = 2, .shape = {.request = {{"cpu", 4}}}}}}};
    return rows;
  };
  Cluster cluster;
  ASSERT_TRUE(Fill(scenario("big", "a"), &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule("volcano");
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->binds().size(), 2u);
  const uint64_t version = cluster.version();
  ASSERT_TRUE(Fill(scenario("other", "b"), &cluster).ok());
  EXPECT_GT(cluster.version(), version);
  EXPECT_EQ(cluster.Apply(*plan)->applied, 0);
  EXPECT_TRUE(cluster.Assumptions().empty());

  const std::string state = SaveState(&cluster);
  const absl::StatusOr<Plan> again = cluster.Schedule("volcano");
  ASSERT_TRUE(again.ok());
  const uint64_t before = cluster.version();
  ASSERT_TRUE(LoadState(state, &cluster).ok());
  EXPECT_GT(cluster.version(), before);
}

TEST(Reconciling, KeepsTheMemory) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 2}}}).ok());
  ASSERT_TRUE(
      cluster
          .AddJob({.name = "j",
                   .groups = {{.name = "w", .count = 3, .shape = {.request = {{"cpu", 1}}}}}})
          .ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule("kube-scheduler");
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(cluster.Apply(*plan).ok());
  const Memory memory = cluster.memory();
  ASSERT_FALSE(memory.empty());
  ClusterSpec listing = cluster.Describe();
  listing.nodes[0].labels = {{"zone", "a"}};
  ASSERT_EQ(cluster.Reconcile(listing)->size(), 1u);
  EXPECT_EQ(cluster.memory().ToText(), memory.ToText());
  // Its slots have not seen what the listing changed.
  const Tables& t = TablesOf(cluster);
  EXPECT_TRUE(t.events.Since(internal::OldestGeneration(memory)).everything);
}

TEST(CountedTasks, HaveNoOrdinalBeyondTheLast) {
  Cluster cluster;
  GroupSpec counted = {.name = "w"};
  counted.by_count.emplace().count = 3;
  ASSERT_TRUE(cluster.AddJob({.name = "j", .groups = {counted}}).ok());
  ASSERT_TRUE(cluster
                  .AddTask({.name = "last",
                            .job = "j",
                            .group = "w",
                            .ordinal = std::numeric_limits<int64_t>::max() - 1})
                  .ok());
  EXPECT_EQ(cluster.MakeTasks("j", "w", 2).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TablesOf(cluster).tasks.names.live_size(), 1u);
}

// Runs on a thread with a stack as small as those of other languages.
void OnASmallStack(const std::function<void()>& run) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 512 * 1024), 0);
  pthread_t thread;
  const auto body = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  ASSERT_EQ(
      pthread_create(&thread, &attributes, body, const_cast<void*>(static_cast<const void*>(&run))),
      0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(DeepTrees, OfDomainsNeedNoStack) {
  constexpr int kLevels = 12'000;
  Cluster cluster;
  for (int i = 0; i < kLevels; ++i) {
    ASSERT_TRUE(cluster
                    .AddDomain({.name = absl::StrCat("d", i),
                                .parent = i == 0 ? "" : absl::StrCat("d", i - 1),
                                .tier = kLevels - i})
                    .ok());
  }
  ASSERT_TRUE(
      cluster
          .AddNode(
              {.name = "n", .capacity = {{"cpu", 1}}, .domain = absl::StrCat("d", kLevels - 1)})
          .ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j", .groups = {{.name = "w", .count = 1}}}).ok());
  OnASmallStack([&] {
    const absl::StatusOr<Plan> plan = cluster.Schedule("volcano");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->binds().size(), 1u);
    ASSERT_TRUE(cluster.ApplyDelta({1, Removal{Removal::Kind::kDomain, "d0"}}).ok());
  });
  EXPECT_EQ(cluster.WaitingEvents().size(), static_cast<size_t>(kLevels));
  EXPECT_EQ(Contradiction(cluster), "");
  ASSERT_TRUE(cluster.AddDomain({.name = "d0", .tier = kLevels}).ok());
  EXPECT_FALSE(Waits(cluster));
  EXPECT_TRUE(TablesOf(cluster).nodes.names.Find("n").has_value());
}

}  // namespace
}  // namespace muster
