// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// CPUs through a whole cycle: which a task gets, which tasks are refused and why, scores, what is
// held, and what evictions do not cure.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/model/words.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

const char kNuma[] = "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+numa-aware";

// Zones of cores of two CPUs, a socket each: 0, 1 is core 0 of zone z0, and so on.
NodeSpec CpuNode(const std::string& name, std::string_view alignment, int zones = 2, int cpus = 4) {
  NodeSpec node{.name = name, .capacity = {{"cpu", zones * cpus}, {"pods", 99}}};
  node.alignment = *ParseWord<Alignment>(alignment);
  for (int z = 0; z < zones; ++z) node.zones.push_back({.name = "z" + std::to_string(z)});
  for (int cpu = 0; cpu < zones * cpus; ++cpu) {
    const std::string zone = std::to_string(cpu / cpus);
    node.devices.push_back({.name = std::to_string(cpu),
                            .kind = "cpu",
                            .zone = "z" + zone,
                            .links = {"core-" + std::to_string(cpu / 2), "socket-" + zone}});
  }
  return node;
}

TaskShape Wants(const Quantity& cpu, std::string_view alignment = "") {
  return {.request = {{"cpu", cpu}},
          .guaranteed_qos = true,
          .alignment = *ParseWord<Alignment>(alignment)};
}

TaskShape WantsEach(const std::vector<Quantity>& containers) {
  TaskShape shape = Wants(1);
  for (const Quantity& cpu : containers) shape.containers.push_back({.request = {{"cpu", cpu}}});
  return shape;
}

std::vector<DeviceHold> Cpus(const std::vector<int>& cpus) {
  std::vector<DeviceHold> holds;
  for (int cpu : cpus) holds.push_back({.device = std::to_string(cpu)});
  return holds;
}

class NumaAware : public ::testing::Test {
 protected:
  NumaAware() {
    Accept(cluster_.AddJob({.name = "j", .min_available = 1, .phase = JobPhase::kAdmitted}));
  }
  void Add(const std::string& name, const TaskShape& shape) {
    Accept(cluster_.AddTask({.name = name, .job = "j", .shape = shape}));
  }
  void Runs(const std::string& name, const std::string& node, const std::vector<int>& cpus,
            TaskStatus status = TaskStatus::kRunning) {
    Accept(cluster_.AddTask({.name = name,
                             .job = "j",
                             .shape = {.request = {{"cpu", 1}}},
                             .status = status,
                             .node = node,
                             .devices = Cpus(cpus)}));
  }
  std::string Plan(const std::string& profile = kNuma) {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->ToText() : "";
  }
  // What a task alone gets: where and which CPUs, or why nothing.
  std::string Fate(const TaskShape& shape, const std::string& profile = kNuma) {
    Add("t", shape);
    std::string words = Plan(profile);
    Accept(cluster_.RemoveTask("t"));
    const std::string before = words.starts_with("bind t to ") ? "bind t to " : "): ";
    words.erase(0, words.find(before) + before.size());
    return words.substr(0, words.find('\n'));
  }

  Cluster cluster_;
};

TEST_F(NumaAware, APlanSaysWhichCpusItGivesToWhom) {
  Accept(cluster_.AddNode(CpuNode("n", "restricted")));
  Add("a", Wants(2));
  Add("b", Wants("1500m"));  // parts of CPUs come from those that no task has exclusively
  Add("c", Wants(3));
  Add("d", Wants(1));
  EXPECT_EQ(Plan(),
            "bind a to n with 0, 1\n"
            "bind b to n\n"
            "bind c to n with 4, 5, 6\n"
            "bind d to n with 2\n");
  EXPECT_EQ(Plan("volcano:actions=allocate,tiers=gang/predicates"),
            "bind a to n\nbind b to n\nbind c to n\nbind d to n\n");
}

TEST_F(NumaAware, ANodesAlignmentDecidesWhatIsGoodEnough) {
  const auto close = [&](const char* name, bool closed) {
    NodeSpec node = CpuNode(name, name);
    node.unschedulable = closed;
    Accept(cluster_.UpdateNode(node));
  };
  for (const char* name : {"single-numa-node", "restricted", "best-effort", "none"}) {
    Accept(cluster_.AddNode(CpuNode(name, name)));
    close(name, true);
  }
  const auto on = [&](const char* name, const Quantity& cpu) {
    close(name, false);
    const std::string fate = Fate(Wants(cpu));
    close(name, true);
    return fate;
  };
  EXPECT_EQ(on("single-numa-node", 4), "single-numa-node with 0, 1, 2, 3");
  EXPECT_EQ(on("single-numa-node", 5),
            "3 nodes: unschedulable; 1 node: no zone has enough free CPUs");
  EXPECT_EQ(on("restricted", 5), "restricted with 0, 1, 2, 3, 4");
  EXPECT_EQ(on("best-effort", 5), "best-effort with 0, 1, 2, 3, 4");
  EXPECT_EQ(on("none", 5), "none");
  for (const char* name : {"single-numa-node", "restricted", "best-effort", "none"}) {
    Runs(std::string("r-") + name, name, {0, 1, 4, 5});
  }
  EXPECT_EQ(on("single-numa-node", 2), "single-numa-node with 2, 3");
  EXPECT_EQ(on("restricted", 3),
            "3 nodes: unschedulable; 1 node: no smallest set of zones has enough free CPUs");
  EXPECT_EQ(on("best-effort", 3), "best-effort with 2, 6, 7");
  // Admitted, and given nothing.
  EXPECT_EQ(on("best-effort", 5), "best-effort");
}

TEST_F(NumaAware, OnlyGuaranteedTasksOfWholeCpusGetAny) {
  Accept(cluster_.AddNode(CpuNode("n", "single-numa-node")));
  Accept(cluster_.AddNode(
      {.name = "bare", .capacity = {{"cpu", 8}}, .alignment = Alignment::kRestricted}));
  TaskShape shape = Wants(5);
  EXPECT_EQ(Fate(shape), "bare");
  shape.guaranteed_qos = false;
  EXPECT_EQ(Fate(shape), "n");
  EXPECT_EQ(Fate(Wants("5500m")), "n");
  EXPECT_EQ(Fate({.guaranteed_qos = true}), "n");
}

TEST_F(NumaAware, ATaskWithAnAlignmentGoesWhereNodesAlignLikewise) {
  Accept(cluster_.AddNode(
      {.name = "bare", .capacity = {{"cpu", 8}}, .alignment = Alignment::kRestricted}));
  Accept(cluster_.AddNode(CpuNode("loose", "")));
  Accept(cluster_.AddNode(CpuNode("full", "restricted")));
  Runs("r", "full", {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(Fate(Wants(2, "restricted")),
            "1 node: no CPU is free; 1 node: the node aligns tasks by none, not by restricted; "
            "1 node: the node lists no CPUs");
  EXPECT_EQ(Fate(Wants("100m", "restricted")).substr(0, 6), "1 node");
  EXPECT_EQ(Fate(Wants(2, "none")), "bare");
  Accept(cluster_.AddNode(CpuNode("n", "restricted")));
  EXPECT_EQ(Fate(Wants(2, "restricted")), "n with 0, 1");
}

TEST_F(NumaAware, ContainersFollowOneAnother) {
  Accept(cluster_.AddNode(CpuNode("n", "single-numa-node")));
  EXPECT_EQ(Fate(WantsEach({2, 3})), "n with 0, 1, 4, 5, 6");
  EXPECT_EQ(Fate(WantsEach({3, 2, 2})), "n with 0, 1, 2, 4, 5, 6, 7");
  EXPECT_EQ(Fate(WantsEach({3, "500m", 3})), "n with 0, 1, 2, 4, 5, 6");
  EXPECT_EQ(Fate(WantsEach({3, 3, 2})), "1 node: no zone has enough free CPUs for containers[2]");
  TaskShape shape = WantsEach({4, 3, 3, 2});
  shape.containers[0].init = true;  // its CPUs are those of the others
  EXPECT_EQ(Fate(shape), "1 node: no zone has enough free CPUs for containers[3]");
  shape.containers[3].sidecar = true;
  EXPECT_EQ(Fate(shape), "n with 0, 1, 2, 4, 5, 6");
}

TEST_F(NumaAware, FewZonesScoreMore) {
  Accept(cluster_.AddNode(CpuNode("four", "restricted", 4, 2)));
  Accept(cluster_.AddNode(CpuNode("three", "restricted", 3, 4)));
  Accept(cluster_.AddNode(CpuNode("two", "restricted", 2, 4)));
  // Of 8 CPUs: 4, 2 and 2 zones, 100 - 100 * 4 / 4 = 0 and 50 twice; of 2 CPUs: one each, and 0
  // thrice.
  EXPECT_EQ(Fate(Wants(8, "restricted")), "three with 0, 1, 2, 3, 4, 5, 6, 7");
  EXPECT_EQ(Fate(Wants(2, "restricted")), "four with 0, 1");
  // A task without alignment has no wish.
  EXPECT_EQ(Fate(Wants(8)), "four with 0, 1, 2, 3, 4, 5, 6, 7");
  // Binpack scores 100, 66.7 and 100.
  const std::string both = "volcano:actions=allocate,tiers=gang/predicates+binpack+numa-aware";
  EXPECT_EQ(Fate(Wants(8, "restricted"), both).substr(0, 4), "two ");
  Accept(cluster_.RemoveNode("two"));
  EXPECT_EQ(Fate(Wants(8, "restricted"), both).substr(0, 6), "three ");
  EXPECT_EQ(Fate(Wants(8, "restricted"), both + "(weight=0.5)").substr(0, 5), "four ");
}

TEST_F(NumaAware, WhatIsHeldIsNotGivenAgain) {
  Accept(cluster_.AddNode(CpuNode("n", "single-numa-node")));
  Runs("r", "n", {0, 1, 2});
  EXPECT_EQ(Fate(Wants(2)), "n with 4, 5");
  EXPECT_EQ(Fate(Wants(1)), "n with 3");
  // A part of one is enough, and a task that leaves has them until it is gone.
  Accept(cluster_.AddTask({.name = "part",
                           .status = TaskStatus::kRunning,
                           .node = "n",
                           .devices = {{.device = "3", .milli = 1}}}));
  Runs("old", "n", {4, 5}, TaskStatus::kReleasing);
  EXPECT_EQ(Fate(Wants(1)), "n with 6");
  EXPECT_EQ(Fate(Wants(3)), "1 node: no zone has enough free CPUs");
}

TEST_F(NumaAware, CpusKeptForTheSystemAreAlwaysTheSame) {
  NodeSpec node = CpuNode("n", "single-numa-node");
  node.allocatable = Resources{{"cpu", "6500m"}, {"pods", 99}};
  node.devices[2].healthy = false;
  Accept(cluster_.AddNode(node));
  EXPECT_EQ(Fate(Wants(1)), "n with 3");  // 0 and 1 are kept, 2 is sick
  Runs("r", "n", {0, 1});
  EXPECT_EQ(Fate(Wants(1)), "n with 3");
}

TEST_F(NumaAware, EvictionsAreNoCureUntilTheVictimIsGone) {
  Accept(cluster_.AddNode(CpuNode("n", "single-numa-node", 1)));
  Accept(cluster_.AddJob({.name = "low", .phase = JobPhase::kAdmitted}));
  Accept(cluster_.AddTask({.name = "r",
                           .job = "low",
                           .shape = Wants(3),
                           .status = TaskStatus::kRunning,
                           .node = "n",
                           .devices = Cpus({0, 1, 2})}));
  Accept(cluster_.AddJob(
      {.name = "high", .priority = 9, .min_available = 1, .phase = JobPhase::kAdmitted}));
  Accept(cluster_.AddTask({.name = "h", .job = "high", .shape = Wants(2), .priority = 9}));
  for (const std::string actions : {"preempt", "preempt(topology_aware=on)"}) {
    const std::string tail = ",tiers=priority+gang/predicates";
    EXPECT_EQ(Plan("volcano:actions=" + actions + tail).substr(0, 7), "evict r") << actions;
    EXPECT_EQ(Plan("volcano:actions=" + actions + tail + "+numa-aware").find("evict"),
              std::string::npos);
  }
  Accept(cluster_.RemoveTask("r"));
  EXPECT_EQ(Plan().substr(0, 21), "bind h to n with 0, 1");
}

TEST_F(NumaAware, TakesTurnsWithPolicyDevices) {
  NodeSpec node = CpuNode("n", "restricted");
  node.devices.push_back({.name = "g", .kind = "gpu", .zone = "z0"});
  Accept(cluster_.AddNode(node));
  const std::string both = std::string(kNuma) + "+devices";
  TaskShape shape = Wants(2);
  shape.devices = {{.kind = "gpu", .milli = 400}};
  EXPECT_EQ(Fate(shape, both), "n with 0, 1, g (400 milli)");
  EXPECT_EQ(Fate(shape), "n with 0, 1");
  // A task that requests CPUs as devices gets these, by policy devices alone.
  shape = Wants(2, "best-effort");
  shape.devices = {{.kind = "cpu", .count = 3, .milli = 500}};
  EXPECT_EQ(Fate(shape, both), "n with 0 (500 milli), 1 (500 milli), 2 (500 milli)");
  EXPECT_EQ(Fate(shape), "n");
}

TEST_F(NumaAware, ALivingClusterFollowsItsPlansAndItsNodes) {
  Accept(cluster_.AddNode(CpuNode("n", "restricted")));
  const auto next = [&] {
    const absl::StatusOr<muster::Plan> plan = cluster_.Schedule(kNuma);
    EXPECT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return plan->ToText();
  };
  Add("a", Wants(3));
  EXPECT_EQ(next(), "bind a to n with 0, 1, 2\n");
  Add("b", Wants(2));
  EXPECT_EQ(next(), "bind b to n with 4, 5\n");
  EXPECT_EQ(cluster_.Describe().tasks[1].devices, Cpus({4, 5}));
  Add("c", Wants(3));
  EXPECT_EQ(next(), "pending j (1 task): 1 node: no smallest set of zones has enough free CPUs\n");
  NodeSpec node = CpuNode("n", "best-effort");
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(next(), "bind c to n with 3, 6, 7\n");
}

TEST_F(NumaAware, BadInputIsRefused) {
  const absl::StatusOr<muster::Plan> plan =
      Schedule(cluster_.Freeze(), "volcano:+numa-aware(weight=-1)");
  EXPECT_EQ(
      plan.status().message(),
      "policy numa-aware: option \"weight\" is \"-1\"; must be a number from 0 to 1000000000");
}

}  // namespace
}  // namespace muster::testing
