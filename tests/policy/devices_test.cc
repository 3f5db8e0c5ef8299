// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Devices through a whole cycle: what is given out, what is refused, what evictions free, and what
// a living cluster keeps.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

const char kPack[] = "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+devices";

// Two GPUs in a zone each.
NodeSpec GpuNode(const std::string& name) {
  NodeSpec node{.name = name, .capacity = {{"cpu", 10}, {"memory", 1000}, {"pods", 99}}};
  node.zones = {{.name = "z0"}, {.name = "z1"}};
  for (const char* number : {"0", "1"}) {
    node.devices.push_back({.name = std::string("gpu") + number,
                            .kind = "gpu",
                            .zone = std::string("z") + number,
                            .memory = "16Gi"});
  }
  return node;
}

TaskSpec Asks(const std::string& name, const std::string& job, const DeviceRequest& request) {
  return {.name = name, .job = job, .shape = {.request = {{"cpu", 1}}, .devices = {request}}};
}

TaskSpec Runs(TaskSpec task, const std::string& node, const std::vector<DeviceHold>& holds) {
  task.status = TaskStatus::kRunning;
  task.node = node;
  task.devices = holds;
  return task;
}

void Job(Cluster& cluster, const std::string& name, int32_t priority = 0) {
  Accept(cluster.AddJob(
      {.name = name, .priority = priority, .min_available = 1, .phase = JobPhase::kAdmitted}));
}

Plan PlanOf(Cluster& cluster, const std::string& profile) {
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : Plan();
}

TEST(Devices, APlanSaysWhichDevicesItGivesToWhom) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("n")));
  Job(cluster, "j");
  Accept(cluster.AddTask(Asks("a", "j", {.kind = "gpu", .milli = 500, .memory = "4Gi"})));
  Accept(cluster.AddTask(Asks("b", "j", {.kind = "gpu"})));
  Accept(cluster.AddTask(Asks("c", "j", {.kind = "gpu", .milli = 501})));
  const Plan plan = PlanOf(cluster, kPack);
  EXPECT_EQ(plan.ToText(),
            "bind a to n with gpu0 (500 milli, 4294967296 bytes)\n"
            "bind b to n with gpu1\n"
            "pending j (1 task): 1 node: gpu: no device with 501 milli free\n");
  ASSERT_EQ(plan.devices().size(), 2u);
  EXPECT_EQ(plan.devices()[0].device, "gpu0");
  EXPECT_EQ(plan.devices()[1].device, "gpu1");
  EXPECT_EQ(*plan.Explain("b"), "b:\n  bind b to n with gpu1\n");
  EXPECT_NE(plan.ToJson().find("{\"task\": \"b\", \"device\": \"gpu1\", \"milli\": 1000}"),
            std::string::npos);
  // A profile without the policy gives out none, and its digest has no devices.
  EXPECT_TRUE(PlanOf(cluster, "volcano").devices().empty());
}

TEST(Devices, StrategiesAlsoChooseTheNode) {
  Cluster cluster;
  for (const char* name : {"m", "n"}) Accept(cluster.AddNode(GpuNode(name)));
  Job(cluster, "j");
  Accept(cluster.AddTask(
      Runs(Asks("r", "j", {.kind = "gpu"}), "n", {{.device = "gpu0", .milli = 300}})));
  Accept(cluster.AddTask(Asks("a", "j", {.kind = "gpu", .milli = 500})));
  const auto decide = [&](const std::string& strategy) {
    return PlanOf(cluster,
                  "volcano:actions=allocate,tiers=predicates+devices(strategy=" + strategy + ")")
        .ToText();
  };
  EXPECT_EQ(decide("pack").substr(0, 30), "bind a to n with gpu0 (500 mil");
  EXPECT_EQ(decide("spread").substr(0, 30), "bind a to m with gpu0 (500 mil");
  EXPECT_EQ(decide("best-fit").substr(0, 30), "bind a to n with gpu0 (500 mil");
}

TEST(Devices, ReasonsNameTheFirstRequestThatNoDeviceServes) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("n")));
  Accept(cluster.AddNode({.name = "bare", .capacity = {{"cpu", 10}, {"pods", 99}}}));
  const auto why = [&](std::vector<DeviceRequest> requests) {
    Accept(cluster.AddJob({.name = "j", .phase = JobPhase::kAdmitted}));
    TaskSpec task = Asks("t", "j", {});
    task.shape.devices = requests;
    Accept(cluster.AddTask(task));
    const std::string words = *PlanOf(cluster, kPack).Explain("t");
    Accept(cluster.RemoveJob("j"));
    return words.substr(words.find("\n  ") + 3);
  };
  EXPECT_EQ(why({{.kind = "gpu", .count = 3}}),
            "2 nodes: gpu: fewer than 3 with 1000 milli free\n");
  EXPECT_EQ(why({{.kind = "gpu", .memory = "17Gi"}}),
            "2 nodes: gpu: no device with 1000 milli and 17Gi free\n");
  EXPECT_EQ(why({{.kind = "gpu"}, {.kind = "nic", .exclusive = true}}),
            "1 node: gpu: no device with 1000 milli free; "
            "1 node: nic: no device with 1000 milli and nobody on it\n");
  EXPECT_EQ(why({{.kind = "gpu", .count = 2, .same = SamePart::kZone}}),
            "1 node: gpu: fewer than 2 with 1000 milli free; "
            "1 node: gpu: no zone with all of 2 gpu\n");
}

TEST(Devices, WhatIsLeavingIsFreeLater) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("n")));
  Job(cluster, "j");
  const DeviceRequest both{.kind = "gpu", .count = 2};
  TaskSpec leaving = Runs(Asks("old", "j", both), "n", {{.device = "gpu0"}, {.device = "gpu1"}});
  leaving.status = TaskStatus::kReleasing;
  Accept(cluster.AddTask(leaving));
  Accept(cluster.AddJob({.name = "k", .min_available = 1, .phase = JobPhase::kAdmitted}));
  Accept(cluster.AddTask(Asks("a", "k", both)));
  const Plan plan = PlanOf(cluster, kPack);
  EXPECT_TRUE(plan.binds().empty());
  ASSERT_EQ(plan.tentative().size(), 1u);
  EXPECT_TRUE(plan.tentative()[0].nominated);
}

TEST(Devices, EvictionsFreeThem) {
  for (const std::string profile :
       {"volcano:actions=allocate+preempt,tiers=priority+gang/predicates+devices",
        "volcano:actions=allocate+preempt(topology_aware=on),tiers=priority+gang/"
        "predicates+devices",
        "muster"}) {
    SCOPED_TRACE(profile);
    Cluster cluster;
    Accept(cluster.AddNode(GpuNode("n")));
    Job(cluster, "low");
    Accept(cluster.AddTask(Runs(Asks("l0", "low", {.kind = "gpu"}), "n", {{.device = "gpu0"}})));
    Accept(cluster.AddTask(Runs(Asks("l1", "low", {.kind = "gpu"}), "n", {{.device = "gpu1"}})));
    Accept(cluster.AddJob(
        {.name = "high", .priority = 9, .min_available = 1, .phase = JobPhase::kAdmitted}));
    TaskSpec task = Asks("h", "high", {.kind = "gpu"});
    task.priority = 9;
    Accept(cluster.AddTask(task));
    const Plan plan = PlanOf(cluster, profile);
    EXPECT_EQ(plan.evictions().size(), 1u) << plan.ToText();
    EXPECT_EQ(plan.nominations().size(), 1u) << plan.ToText();
  }
}

// A GPU of model a, then one of model b.
NodeSpec TwoModels(const std::string& name) {
  NodeSpec node{.name = name, .capacity = {{"cpu", 10}, {"memory", 1000}, {"pods", 99}}};
  node.devices = {{.name = "a", .kind = "gpu", .model = "a"},
                  {.name = "b", .kind = "gpu", .model = "b"}};
  return node;
}

// One task that takes any GPU, and one that needs model a.
void UnlikeGang(Cluster& cluster, JobSpec job) {
  job.min_available = 2;
  Accept(cluster.AddJob(job));
  Accept(cluster.AddTask(Asks("any", job.name, {.kind = "gpu"})));
  Accept(cluster.AddTask(Asks("only-a", job.name, {.kind = "gpu", .models = {"a"}})));
}

// A task that takes any would get the first one, which is the only one for the other.
TEST(Devices, AGangComesInTheOrderInWhichAllGetTheirs) {
  Cluster cluster;
  Accept(cluster.AddNode(TwoModels("n")));
  UnlikeGang(cluster, {.name = "j"});
  EXPECT_EQ(PlanOf(cluster, "muster").ToText(), "bind only-a to n with a\nbind any to n with b\n");
  EXPECT_TRUE(PlanOf(cluster, "muster:allocate(tries=0),reclaim(tries=0),preempt(tries=0)")
                  .binds()
                  .empty());
}

// The tasks that need model a are the larger ones, because there is less of it. They go first, and
// no try fails.
TEST(Devices, LargeGangsOfUnlikeTasksFillAllDevices) {
  Cluster cluster;
  for (int n = 0; n < 40; ++n) Accept(cluster.AddNode(TwoModels("n" + std::to_string(n))));
  Accept(cluster.AddJob({.name = "j", .min_available = 80}));
  for (int t = 0; t < 80; ++t) {
    DeviceRequest request{.kind = "gpu"};
    if (t % 2 == 1) request.models = {"a"};
    Accept(cluster.AddTask(Asks("t" + std::to_string(t), "j", request)));
  }
  EXPECT_EQ(PlanOf(cluster, "muster").binds().size(), 80u);
}

TEST(Devices, AGangWithAHardWishComesToTheDomainThatHasThem) {
  Cluster cluster;
  for (const char* rack : {"rack-0", "rack-1"})
    Accept(cluster.AddDomain({.name = rack, .tier = 1}));
  NodeSpec small = TwoModels("m"), large = TwoModels("n");
  small.devices.pop_back();
  small.domain = "rack-0";
  large.domain = "rack-1";
  Accept(cluster.AddNode(small));
  Accept(cluster.AddNode(large));
  UnlikeGang(cluster, {.name = "j", .topology = TopologyWish{.hard = true, .highest_tier = 1}});
  EXPECT_EQ(PlanOf(cluster, "muster").ToText(), "bind only-a to n with a\nbind any to n with b\n");
}

// Of what is free now there is a GPU for each, if `any` takes b at once; of what will be free it
// would take a.
TEST(Devices, AGangThatHasToWaitIsNominatedToDevicesForAll) {
  Cluster cluster;
  Accept(cluster.AddNode(TwoModels("n")));
  Job(cluster, "old");
  TaskSpec leaving = Runs(Asks("gone", "old", {.kind = "gpu"}), "n", {{.device = "a"}});
  leaving.status = TaskStatus::kReleasing;
  Accept(cluster.AddTask(leaving));
  UnlikeGang(cluster, {.name = "j"});
  const Plan plan = PlanOf(cluster, "muster");
  EXPECT_TRUE(plan.binds().empty());
  ASSERT_EQ(plan.nominations().size(), 2u) << plan.ToText();
  EXPECT_EQ(plan.task_name(plan.nominations()[0].task), "only-a");
  EXPECT_EQ(plan.task_name(plan.nominations()[1].task), "any");

  // Once all is free it gets what it was promised, although `any` comes before `only-a`.
  const absl::StatusOr<ApplyReport> report = cluster.Apply(plan);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(cluster.Describe().tasks[1].nominated_node, "n");
  Accept(cluster.SetTaskStatus("gone", TaskStatus::kSucceeded));
  EXPECT_EQ(PlanOf(cluster, "muster").ToText(),
            "bind only-a to n with a\nbind any to n with b\nphase old completed\n");
}

TEST(Devices, ALivingClusterKeepsWhatItsPlansGave) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("n")));
  Job(cluster, "j");
  Accept(cluster.AddTask(Asks("a", "j", {.kind = "gpu", .milli = 600})));
  for (int cycle = 0; cycle < 2; ++cycle) {
    const absl::StatusOr<Plan> plan = cluster.Schedule(kPack);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const absl::StatusOr<ApplyReport> report = cluster.Apply(*plan);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->refused.empty());
    EXPECT_EQ(plan->devices().size(), 1u);
    if (cycle == 0) Accept(cluster.AddTask(Asks("b", "j", {.kind = "gpu", .milli = 600})));
  }
  ClusterSpec spec = cluster.Describe();
  ASSERT_EQ(spec.tasks.size(), 2u);
  EXPECT_EQ(spec.tasks[0].devices, (std::vector<DeviceHold>{{"gpu0", 600, 0}}));
  EXPECT_EQ(spec.tasks[1].devices, (std::vector<DeviceHold>{{"gpu1", 600, 0}}));

  // A report that it runs may leave out its devices.
  Accept(cluster.SetTaskStatus("a", TaskStatus::kRunning, "n"));
  TaskSpec told = spec.tasks[1];
  told.status = TaskStatus::kRunning;
  told.devices.clear();
  ASSERT_TRUE(cluster.ApplyDelta({1, told}).ok());
  spec = cluster.Describe();
  EXPECT_EQ(spec.tasks[0].devices[0].device, "gpu0");
  EXPECT_EQ(spec.tasks[1].devices[0].device, "gpu1");

  // What ends gives its devices back.
  Accept(cluster.SetTaskStatus("a", TaskStatus::kSucceeded));
  Accept(cluster.AddTask(Asks("c", "j", {.kind = "gpu", .exclusive = true})));
  const absl::StatusOr<Plan> plan = cluster.Schedule(kPack);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->ToText().substr(0, 22), "bind c to n with gpu0 ");

  // A plan that came too late is refused.
  Accept(cluster.AddTask(Runs(Asks("d", "j", {.kind = "gpu"}), "n", {{.device = "gpu0"}})));
  const absl::StatusOr<ApplyReport> report = cluster.Apply(*plan);
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->refused.empty());
  EXPECT_EQ(report->refused[0], "bind \"c\" to \"n\": its devices are no longer free");
}

TEST(Devices, UnknownStrategiesAreRefused) {
  const absl::StatusOr<Plan> plan = Schedule(Cluster().Freeze(), "muster:devices(strategy=pck)");
  EXPECT_EQ(plan.status().message(),
            "policy devices: option \"strategy\" is \"pck\"; must be one of pack|spread|best-fit; "
            "did you mean \"pack\"?");
}

}  // namespace
}  // namespace muster::testing
