// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile ray, one small world a rule. Decisions in words: "bind g0 n0; bind g1 n0".
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/model/words.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class Ray : public ::testing::Test {
 protected:
  void SetUp() override { Accept(cluster_.AddQueue({.name = "q"})); }
  void Node(const std::string& name, int cpu, int gpus = 0, Labels labels = {}) {
    Resources capacity = {{"cpu", cpu}};
    if (gpus > 0) capacity.emplace_back("nvidia.com/gpu", gpus);
    Accept(cluster_.AddNode({.name = name, .capacity = capacity, .labels = std::move(labels)}));
  }
  void Group(const std::string& name, const std::string& strategy) {
    Accept(cluster_.AddJob(
        {.name = name, .queue = "q", .bundle_strategy = *ParseWord<BundleStrategy>(strategy)}));
  }
  void Task(const std::string& name, const std::string& job, const Resources& request,
            TaskSpec task = {}) {
    task.name = name;
    task.job = job;
    task.shape.request = request;
    Accept(cluster_.AddTask(task));
  }
  std::string Plan(const std::string& items = "") {
    return Decide(cluster_, items.empty() ? "ray" : "ray:" + items);
  }
  std::string Why(const std::string& job) {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), "ray");
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->Explain(job).value_or("") : "";
  }

  Cluster cluster_;
};

TEST_F(Ray, PackFillsTheEmptiestNode) {
  Node("a", 4);
  Node("b", 6);
  Group("g", "pack");
  Task("g0", "g", {{"cpu", 1}});
  Task("g1", "g", {{"cpu", 2}});
  Task("g2", "g", {{"cpu", 3}});
  EXPECT_EQ(Plan(), "bind g0 b; bind g1 b; bind g2 b");
}

TEST_F(Ray, SpreadUsesEveryNodeBeforeOneTwice) {
  Node("a", 4);
  Node("b", 6);
  Group("g", "spread");
  for (const char* name : {"g0", "g1", "g2"}) Task(name, "g", {{"cpu", 1}});
  EXPECT_EQ(Plan(), "bind g0 b; bind g1 a; bind g2 b");
}

TEST_F(Ray, AGroupStaysInOneDomain) {
  Node("a", 4, 0, {{"rack", "r1"}});
  Node("b", 3, 0, {{"rack", "r0"}});
  Node("c", 3, 0, {{"rack", "r0"}});
  Node("d", 9);
  Accept(cluster_.AddJob({.name = "g",
                          .queue = "q",
                          .bundle_strategy = BundleStrategy::kSpread,
                          .settings = {{"ray/domain", "rack"}}}));
  for (const char* name : {"g0", "g1", "g2"}) Task(name, "g", {{"cpu", 2}});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("g"), HasSubstr("0 of 3 placed, undone"));
  Accept(cluster_.RemoveTask("g2"));
  EXPECT_EQ(Plan(), "bind g0 b; bind g1 c");
  // A bundle that runs fixes the domain.
  Accept(cluster_.RemoveTask("g0"));
  Task("g0", "g", {{"cpu", 2}}, {.status = TaskStatus::kRunning, .node = "a"});
  EXPECT_EQ(Plan(), "bind g1 a");
  // One outside of all domains leaves none for the others.
  Accept(cluster_.RemoveTask("g0"));
  Task("g0", "g", {{"cpu", 2}}, {.status = TaskStatus::kRunning, .node = "d"});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("g"), HasSubstr("can have no place: a bundle runs on node \"d\", "
                                  "which has no label \"rack\""));
}

// The group cannot be in one domain; the first of the two took the rest.
TEST_F(Ray, AGroupThatRunsInTwoDomainsGetsNoFurtherBundle) {
  Node("a", 4, 0, {{"rack", "r1"}});
  Node("b", 9, 0, {{"rack", "r0"}});
  Accept(cluster_.AddJob({.name = "g",
                          .queue = "q",
                          .bundle_strategy = BundleStrategy::kPack,
                          .settings = {{"ray/domain", "rack"}}}));
  Task("g0", "g", {{"cpu", 1}}, {.status = TaskStatus::kRunning, .node = "a"});
  Task("g1", "g", {{"cpu", 1}}, {.status = TaskStatus::kRunning, .node = "b"});
  Task("g2", "g", {{"cpu", 1}});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("g"), HasSubstr("bundles run in two domains of label \"rack\", \"r1\" and "
                                  "\"r0\""));
  Accept(cluster_.RemoveTask("g1"));
  EXPECT_EQ(Plan(), "bind g2 a");
}

TEST_F(Ray, ADomainIsForGroupsAlone) {
  Accept(cluster_.AddJob({.name = "g", .queue = "q", .settings = {{"ray/domain", "rack"}}}));
  EXPECT_THAT(std::string(Schedule(cluster_.Freeze(), "ray").status().message()),
              HasSubstr("must be set only where the job has a bundle_strategy"));
}

TEST_F(Ray, SettingsThatNothingReadsAreRefused) {
  Accept(cluster_.AddQueue({.name = "r", .settings = {{"ray/weight", "1"}}}));
  EXPECT_THAT(std::string(Schedule(cluster_.Freeze(), "ray").status().message()),
              HasSubstr("queue \"r\", setting \"ray/weight\": is not known"));
  Accept(cluster_.RemoveQueue("r"));
  Accept(cluster_.AddJob({.name = "g",
                          .queue = "q",
                          .bundle_strategy = BundleStrategy::kPack,
                          .settings = {{"ray/domain", ""}}}));
  EXPECT_THAT(std::string(Schedule(cluster_.Freeze(), "ray").status().message()),
              HasSubstr("must be a label of nodes"));
}

TEST_F(Ray, GpusDecideBeforeCpus) {
  Node("a", 8, 1);
  Node("b", 8, 2);
  Group("g", "strict_spread");
  Task("g0", "g", {{"cpu", 8}});
  Task("g1", "g", {{"cpu", 1}, {"nvidia.com/gpu", 1}});
  // The bundle with a GPU chooses first, the node with more of them.
  EXPECT_EQ(Plan(), "bind g0 a; bind g1 b");
}

// The object store decides before memory and behind other resources, whatever their order in rows.
TEST_F(Ray, TheObjectStoreDecidesBehindOtherResources) {
  const auto node = [&](const char* name, int store, int other) {
    Accept(cluster_.AddNode(
        {.name = name,
         .capacity = {
             {"cpu", 8}, {"memory", "8Gi"}, {"object_store_memory", store}, {"custom", other}}}));
  };
  node("a", 8, 2);
  node("b", 4, 2);
  Group("g", "strict_spread");
  Task("g0", "g", {{"object_store_memory", 4}});
  Task("g1", "g", {{"custom", 1}, {"object_store_memory", 1}});
  // The bundle with the other resource is first, and takes the node with more of the store.
  EXPECT_EQ(Plan(), "bind g0 b; bind g1 a");
  Group("h", "strict_spread");
  Task("h0", "h", {{"memory", "6Gi"}});
  Task("h1", "h", {{"object_store_memory", 1}, {"memory", "1Gi"}});
  Accept(cluster_.RemoveJob("g"));
  EXPECT_EQ(Plan(), "bind h0 b; bind h1 a");
}

TEST_F(Ray, AUsedObjectStoreMakesANodeBusy) {
  for (const char* name : {"a", "b"}) {
    Accept(cluster_.AddNode({.name = name, .capacity = {{"cpu", 8}, {"object_store_memory", 4}}}));
  }
  Accept(cluster_.AddJob({.name = "j", .queue = "q"}));
  Task("used", "j", {{"object_store_memory", 3}}, {.status = TaskStatus::kRunning, .node = "a"});
  Task("j0", "j", {{"cpu", 1}});
  EXPECT_EQ(Plan(), "bind j0 b");
}

// Two devices hold two tasks of 600m, although 800m are free in all.
TEST_F(Ray, APartOfAGpuIsOfOneDevice) {
  Node("a", 8, 2);
  Accept(cluster_.AddJob({.name = "j", .queue = "q"}));
  for (const char* name : {"j0", "j1", "j2"}) Task(name, "j", {{"nvidia.com/gpu", "600m"}});
  Task("j3", "j", {{"nvidia.com/gpu", "400m"}});
  EXPECT_EQ(Plan(), "bind j0 a; bind j1 a; bind j3 a");
  EXPECT_THAT(Why("j"), HasSubstr("no device of nvidia.com/gpu has so much free"));
}

// A whole device is left only if both parts are of one.
TEST_F(Ray, PartsShareADeviceWhereTheyFit) {
  Node("a", 8, 2);
  Accept(cluster_.AddJob({.name = "j", .queue = "q"}));
  Task("j0", "j", {{"nvidia.com/gpu", "600m"}}, {.status = TaskStatus::kRunning, .node = "a"});
  Task("j1", "j", {{"nvidia.com/gpu", "400m"}});
  Task("j2", "j", {{"nvidia.com/gpu", 1}});
  Task("j3", "j", {{"nvidia.com/gpu", "100m"}});
  EXPECT_EQ(Plan(), "bind j1 a; bind j2 a");
}

TEST_F(Ray, ARequestAboveOneDeviceIsOfWholeOnes) {
  Node("a", 8, 4);
  Accept(cluster_.AddJob({.name = "j", .queue = "q"}));
  Task("j0", "j", {{"nvidia.com/gpu", "1500m"}});
  Task("j1", "j", {{"nvidia.com/gpu", 3}});
  Group("g", "pack");
  Task("g0", "g", {{"nvidia.com/gpu", "1500m"}});
  EXPECT_EQ(Plan(), "bind j1 a");
  EXPECT_THAT(Why("g"), HasSubstr("would not fit even on empty nodes"));
}

TEST_F(Ray, BundlesShareDevices) {
  Node("a", 8, 2);
  Node("b", 8, 2);
  for (const char* strategy : {"strict_pack", "pack"}) {
    Group(strategy, strategy);
    for (const char* number : {"0", "1", "2"}) {
      Task(absl::StrCat(strategy, number), strategy, {{"nvidia.com/gpu", "600m"}});
    }
  }
  // Three parts of 600m never share two devices, but are on two nodes.
  EXPECT_EQ(Plan(), "bind pack0 a; bind pack1 a; bind pack2 b");
  EXPECT_THAT(Why("strict_pack"), HasSubstr("would not fit even on empty nodes"));
}

// An accelerator that is kept whole has no devices.
TEST_F(Ray, OnlyWhatIsInThousandthsIsKeptByDevice) {
  Accept(cluster_.AddNode({.name = "a", .capacity = {{"cpu", 8}, {"ephemeral-storage", 1500}}}));
  Accept(cluster_.AddJob({.name = "j", .queue = "q"}));
  Task("j0", "j", {{"ephemeral-storage", 1500}});
  EXPECT_EQ(Plan("allocate(accelerator=ephemeral-storage)"), "bind j0 a");
}

TEST_F(Ray, AGroupIsPlacedWholeOrNotAtAll) {
  Node("a", 4);
  Node("b", 2);
  Group("g", "strict_spread");
  for (const char* name : {"g0", "g1"}) Task(name, "g", {{"cpu", 3}});
  Group("h", "strict_spread");
  for (const char* name : {"h0", "h1", "h2"}) Task(name, "h", {{"cpu", 1}});
  Group("i", "strict_pack");
  for (const char* name : {"i0", "i1"}) Task(name, "i", {{"cpu", 3}});
  Group("j", "pack");
  Task("j0", "j", {{"cpu", 4}});
  Group("k", "strict_pack");
  for (const char* name : {"k0", "k1"}) Task(name, "k", {{"cpu", 2}});
  EXPECT_EQ(Plan(), "bind j0 a");
  EXPECT_THAT(Why("h"), HasSubstr("would not fit even on empty nodes"));
  EXPECT_THAT(Why("i"), HasSubstr("would not fit even on empty nodes"));
  EXPECT_THAT(Why("k"), HasSubstr("0 of 2 placed, undone"));
}

TEST_F(Ray, StrictStrategiesHoldForBundlesThatRun) {
  Node("a", 4);
  Node("b", 4);
  for (const char* strategy : {"strict_pack", "strict_spread"}) {
    const std::string job = strategy;
    Group(job, strategy);
    Task(job + "0", job, {{"cpu", 1}});
    testing::Run(cluster_, job + "0", "a");
    Task(job + "1", job, {{"cpu", 1}});
  }
  EXPECT_EQ(Plan(), "bind strict_pack1 a; bind strict_spread1 b");
}

// The group with a bundle in place is younger, and there is room for one of the two.
TEST_F(Ray, LostBundlesGoFirst) {
  Node("a", 4);
  Group("g", "pack");
  Task("g0", "g", {{"cpu", 2}});
  Group("h", "pack");
  Task("h0", "h", {{"cpu", 2}}, {.status = TaskStatus::kRunning, .node = "a"});
  Task("h1", "h", {{"cpu", 2}});
  EXPECT_EQ(Plan(), "bind h1 a");
  // A job that is no group stays in its order.
  Accept(cluster_.RemoveJob("h"));
  Accept(cluster_.AddJob({.name = "j", .queue = "q"}));
  Task("j0", "j", {{"cpu", 2}}, {.status = TaskStatus::kRunning, .node = "a"});
  Task("j1", "j", {{"cpu", 2}});
  EXPECT_EQ(Plan(), "bind g0 a");
}

TEST_F(Ray, LabelsBoundTheNodesOfABundle) {
  Node("a", 8, 0, {{"zone", "x"}});
  Node("b", 4, 0, {{"zone", "y"}});
  Group("g", "pack");
  TaskSpec y;
  y.shape.node_selector = {{"zone", "y"}};
  Task("g0", "g", {{"cpu", 1}}, y);
  Task("g1", "g", {{"cpu", 1}});
  EXPECT_EQ(Plan(), "bind g0 b; bind g1 b");
  Group("h", "strict_pack");
  TaskSpec nowhere;
  nowhere.shape.node_selector = {{"zone", "z"}};
  Task("h0", "h", {{"cpu", 1}}, nowhere);
  EXPECT_THAT(Why("h"), HasSubstr("would not fit even on empty nodes"));
}

TEST_F(Ray, SingleTasksGoToNodesThatAreNotBusy) {
  Node("a", 4);
  Node("b", 4);
  Group("t", "");
  for (const char* name : {"t0", "t1", "t2", "t3", "t4"}) Task(name, "t", {{"cpu", 1}});
  // Below half of its cpu a node is not busy; beyond, the less busy one goes first.
  EXPECT_EQ(Plan(), "bind t0 a; bind t1 a; bind t2 b; bind t3 b; bind t4 a");
  EXPECT_EQ(Plan("allocate(threshold=1)"), "bind t0 a; bind t1 a; bind t2 a; bind t3 a; bind t4 b");
}

TEST_F(Ray, TasksWithoutGpusLeaveThemToOthers) {
  Node("a", 4, 1);
  Node("b", 1);
  Group("t", "");
  for (const char* name : {"t0", "t1"}) Task(name, "t", {{"cpu", 1}});
  EXPECT_EQ(Plan(), "bind t0 b; bind t1 a");
  EXPECT_EQ(Plan("allocate(avoid_accelerators=off)"), "bind t0 a; bind t1 a");
  EXPECT_EQ(Plan("allocate(accelerator=tpu)"), "bind t0 a; bind t1 a");
}

TEST_F(Ray, APromisedNodeIsPreferredWhileItIsNotBusy) {
  Node("a", 4);
  Node("b", 4);
  Group("t", "");
  Task("t0", "t", {{"cpu", 1}}, {.nominated_node = "b"});
  EXPECT_EQ(Plan(), "bind t0 b");
}

TEST_F(Ray, ATaskThatFitsNowhereSaysWhy) {
  Node("a", 4);
  Group("t", "");
  Task("t0", "t", {{"cpu", 5}});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("t"), HasSubstr("1 node: cpu"));
}

// Single tasks with a strategy of their job's.
class RayTasks : public Ray {
 protected:
  void Job(const std::string& name, Labels settings) {
    Accept(cluster_.AddJob({.name = name, .queue = "q", .settings = std::move(settings)}));
  }
  // The nodes of the tasks that are bound, in order.
  std::string Places(const ScheduleOptions& options = {}, const std::string& profile = "ray") {
    const absl::StatusOr<muster::Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    std::string places;
    for (const Bind& bind : plan->binds()) {
      places += (places.empty() ? "" : " ") + std::string(plan->node_name(bind.node));
    }
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return places;
  }
};

TEST_F(RayTasks, SpreadTakesEachNodeInTurnAlsoInLaterCycles) {
  for (const char* node : {"n0", "n1", "n2"}) Node(node, 4);
  Job("s", {{"ray/strategy", "spread"}});
  Task("a", "s", {{"cpu", 1}});
  Task("b", "s", {{"cpu", 1}});
  EXPECT_EQ(Places(), "n0 n1");
  Task("c", "s", {{"cpu", 1}});
  Task("d", "s", {{"cpu", 1}});
  EXPECT_EQ(Places(), "n2 n0");
  Task("e", "s", {{"cpu", 4}});  // n1 has no room for it
  Task("f", "s", {{"cpu", 3}});
  EXPECT_EQ(Places(), "n1");
}

TEST_F(RayTasks, ANodeIsHardOrSoft) {
  Node("busy", 1);
  Node("idle", 4);
  Task("runs", "", {{"cpu", 1}}, {.status = TaskStatus::kRunning, .node = "busy"});
  const auto place = [&](const std::string& name, Labels settings, int64_t cpu) {
    settings.emplace_back("ray/strategy", "node");
    Job(name, settings);
    Task(name + "-t", name, {{"cpu", cpu}});
    return Places();
  };
  EXPECT_EQ(place("hard", {{"ray/node", "busy"}}, 1), "");
  EXPECT_EQ(place("soft", {{"ray/node", "busy"}, {"ray/soft", "true"}}, 1), "");
  EXPECT_EQ(
      place("spill", {{"ray/node", "busy"}, {"ray/soft", "true"}, {"ray/unavailable", "spill"}}, 1),
      "idle");
  EXPECT_EQ(place("large", {{"ray/node", "busy"}, {"ray/soft", "true"}}, 2), "idle");
  EXPECT_EQ(place("gone", {{"ray/node", "nowhere"}}, 1), "");
  EXPECT_EQ(place("soft-gone", {{"ray/node", "nowhere"}, {"ray/soft", "true"}}, 1), "idle");
}

TEST_F(RayTasks, LabelsAreHardOrSoft) {
  Node("n0", 4, 0, {{"zone", "a"}});
  Node("n1", 4, 0, {{"zone", "a"}, {"disk", "fast"}});
  Node("n2", 4, 0, {{"zone", "b"}, {"disk", "fast"}});
  Job("l", {{"ray/strategy", "labels"}});
  TaskSpec task;
  task.shape.node_selector = {{"zone", "a"}};
  task.shape.preferred_node_affinity = {
      {.term = {
           .match_expressions = {{.key = "disk", .op = RequirementOp::kIn, .values = {"fast"}}}}}};
  for (const char* name : {"a", "b", "c"}) Task(name, "l", {{"cpu", 2}}, task);
  EXPECT_EQ(Places(), "n1 n1 n0");
}

TEST_F(RayTasks, TheSeedDrawsAmongTheBest) {
  for (const char* node : {"n0", "n1", "n2", "n3"}) Node(node, 64);
  Job("r", {{"ray/strategy", "random"}});
  for (int i = 0; i < 4; ++i) Task("t" + std::to_string(i), "r", {{"cpu", 1}});
  const auto drawn = [&](uint64_t seed, const std::string& profile) {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), profile, {.seed = seed});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->Digest() : "";
  };
  EXPECT_EQ(drawn(1, "ray"), drawn(1, "ray"));
  EXPECT_NE(drawn(1, "ray"), drawn(2, "ray"));
  Accept(cluster_.RemoveJob("r"));
  Job("d", {});
  for (int i = 0; i < 4; ++i) Task("t" + std::to_string(i), "d", {{"cpu", 1}});
  EXPECT_EQ(drawn(1, "ray"), drawn(2, "ray"));
  EXPECT_NE(drawn(1, "ray:allocate(top=4)"), drawn(2, "ray:allocate(top=4)"));
  EXPECT_NE(drawn(1, "ray:allocate(top_fraction=1)"), drawn(2, "ray:allocate(top_fraction=1)"));
  EXPECT_EQ(drawn(1, "ray:allocate(top_fraction=0.25)"), drawn(2, "ray"));
}

TEST_F(RayTasks, SettingsAreChecked) {
  Job("j", {{"ray/strategy", "node"}});
  Task("t", "j", {{"cpu", 1}});
  EXPECT_THAT(std::string(Schedule(cluster_.Freeze(), "ray").status().message()),
              HasSubstr("job \"j\", setting \"ray/strategy\": is \"node\"; must be node where"));
  Accept(cluster_.RemoveJob("j"));
  Job("j", {{"ray/strategies", "spread"}});
  EXPECT_THAT(std::string(Schedule(cluster_.Freeze(), "ray").status().message()),
              HasSubstr("did you mean"));
}

}  // namespace
}  // namespace muster::testing
