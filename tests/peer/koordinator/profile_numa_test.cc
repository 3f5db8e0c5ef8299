// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// CPUs and NUMA zones under profile koordinator, one small cluster a rule.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/numa_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(KoordinatorNuma, StrictPodsGetCpusOfTheirOwn) {
  Machine("a", 4);
  Strict("p", "4");
  Strict("q", "2", With("koordinator/cpu-preferred", "SpreadByPCPUs"));
  Pod("shared", "2");
  EXPECT_EQ(Cpus(), "p: 0 1 2 3; q: 8 10");
  EXPECT_EQ(Cpus("cpu_bind=spread"), "p: 0 2 4 6; q: 8 10");
  EXPECT_EQ(Cpus("numa=off"), "");
  EXPECT_EQ(Plan(), "bind p a; bind q a; bind shared a");
}

TEST_F(KoordinatorNuma, OnlyTheClassAndTheBandAreStrict) {
  Machine("a", 4);
  Strict("batch", "2", {.priority = 5500});
  Pod("p", "2", {.priority = kProduction});
  EXPECT_EQ(Cpus(), "");
  Strict("lse", "2");
  EXPECT_EQ(Cpus(), "lse: 0 1");
}

TEST_F(KoordinatorNuma, LaterPlansCountWhatIsHeld) {
  Machine("a", 2);
  Strict("p", "2");
  EXPECT_EQ(LiveCpus(), "p: 0 1");
  Strict("q", "2");
  EXPECT_EQ(LiveCpus(), "q: 4 5");
  Strict("r", "4");
  EXPECT_EQ(LiveCpus(), "r: 2 3 6 7");
  Accept(cluster_.RemoveTask("p"));
  Strict("s", "2");
  EXPECT_EQ(LiveCpus(), "s: 0 1");
}

TEST_F(KoordinatorNuma, CpusThatAreNotHealthyAreReserved) {
  NodeSpec node;
  Machine("b", 2);
  Accept(cluster_.RemoveNode("b"));
  for (int cpu = 0; cpu < 4; ++cpu) {
    node.devices.push_back({.name = std::to_string(cpu),
                            .kind = "cpu",
                            .zone = "z",
                            .links = {"core-" + std::to_string(cpu / 2), "socket-0"},
                            .healthy = cpu > 1});
  }
  node.zones = {{.name = "z"}};
  Node("a", 8, node);
  Strict("p", "2");
  EXPECT_EQ(Cpus(), "p: 2 3");
}

TEST_F(KoordinatorNuma, RequiredFullCoresPassOverHalfOnes) {
  Machine("a", 1);
  Hold("half", "a", {0});
  Strict("q", "2", With("koordinator/cpu-required", "FullPCPUs"));
  EXPECT_EQ(Cpus(), "q: 2 3");
  Strict("r", "1");
  EXPECT_EQ(Cpus(), "q: 2 3; r: 1");
}

TEST_F(KoordinatorNuma, RefusedWithoutEnoughCpus) {
  NodeSpec node;
  for (int cpu = 0; cpu < 2; ++cpu) {
    node.devices.push_back(
        {.name = std::to_string(cpu), .kind = "cpu", .zone = "z", .links = {"core-0", "socket-0"}});
  }
  node.zones = {{.name = "z"}};
  Node("a", 8, node);
  Strict("p", "4");
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Why("p"), "0/1 nodes are available: 1 not enough cpus available to satisfy request.");
  Strict("q", "4", With("koordinator/cpu-required", "FullPCPUs"));
  EXPECT_THAT(
      Why("q", "quota=off"),
      HasSubstr("0/1 nodes are available: 1 not enough cpus available to satisfy request."));
}

TEST_F(KoordinatorNuma, FractionsAndHalfCoresAreRefused) {
  Machine("a", 4);
  Strict("p", "1500m");
  EXPECT_THAT(Why("p"), HasSubstr("the requested CPUs must be integer"));
  Strict("q", "3", With("koordinator/cpu-required", "FullPCPUs"));
  EXPECT_THAT(Why("q"), HasSubstr("node(s) requested cpus not multiple cpus per core"));
  Strict("r", "3", With("koordinator/cpu-required", "ConstrainedBurst"));
  Strict("s", "3");
  EXPECT_EQ(Cpus(), "s: 0 1 2");
}

TEST_F(KoordinatorNuma, NodesWithoutCpusRefuseThoseWhoBind) {
  Node("plain", 16);
  Strict("p", "2");
  EXPECT_EQ(Plan(), "bind p plain");  // no node lists CPUs: nothing is asked
  Machine("a", 1);
  EXPECT_EQ(Plan(), "bind p a");
  Hold("h", "a", {0, 1, 2});
  EXPECT_THAT(Why("p", "quota=off"), HasSubstr("1 node(s) invalid CPU Topology"));
}

TEST_F(KoordinatorNuma, NodesMayDemandPolicies) {
  Machine("full", 2, Labelled("cpu-bind-policy", "FullPCPUsOnly"));
  Pod("p", "3");
  EXPECT_THAT(Why("p"), HasSubstr("node(s) requested cpus not multiple cpus per core"));
  Pod("q", "2");
  EXPECT_EQ(Cpus(), "q: 0 1");
  Pod("half", "500m");
  EXPECT_THAT(Why("half"), HasSubstr("the requested CPUs must be integer"));
  Strict("spread", "2", With("koordinator/cpu-required", "SpreadByPCPUs"));
  EXPECT_THAT(Why("spread"),
              HasSubstr("node(s) cpu bind policy conflicts with pod's required cpu bind policy"));
  Accept(cluster_.RemoveNode("full"));
  NodeSpec kubelet;
  kubelet.settings = {{"koordinator/full_cores", "true"}};
  Machine("kubelet", 2, kubelet);
  EXPECT_EQ(Cpus(), "q: 0 1");
}

TEST_F(KoordinatorNuma, NodesMayChooseWhichZoneIsGood) {
  for (const char* strategy : {"LeastAllocated", "MostAllocated"}) {
    Machine(strategy, 2, Labelled("numa-allocate-strategy", strategy));
    Hold(std::string("h-") + strategy, strategy, {0, 1});
  }
  for (const char* node : {"LeastAllocated", "MostAllocated"}) {
    TaskSpec task;
    task.shape.required_node_affinity = {
        {.match_fields = {{.key = "metadata.name", .op = RequirementOp::kIn, .values = {node}}}}};
    Strict(std::string("p-") + node, "2", task);
  }
  EXPECT_EQ(Cpus(), "p-LeastAllocated: 4 5; p-MostAllocated: 2 3");
}

TEST_F(KoordinatorNuma, ExclusivePodsShareNoCoreWithTheirLike) {
  Machine("a", 2);
  TaskSpec task = With("koordinator/cpu-exclusive", "PCPULevel");
  task.shape.labels.emplace_back("koordinator/cpu-preferred", "SpreadByPCPUs");
  Strict("p", "1", task);
  EXPECT_EQ(LiveCpus(), "p: 0");
  Strict("q", "2", task);
  EXPECT_EQ(LiveCpus(), "q: 4 6");
  Strict("r", "1", task);
  EXPECT_EQ(LiveCpus(), "r: 2");
  Strict("s", "1", With("koordinator/cpu-preferred", "SpreadByPCPUs"));
  EXPECT_EQ(LiveCpus(), "s: 1");
}

TEST_F(KoordinatorNuma, AmplifiedNodesCountOwnCpusMore) {
  NodeSpec node;
  node.settings = {{"koordinator/amplified_cpu", "2"}};
  Machine("a", 1, node);  // four CPUs; it shows four, of which two are real
  Strict("p", "2");
  EXPECT_EQ(LiveCpus(), "p: 0 1");
  Pod("shared", "1");
  EXPECT_EQ(Why("shared", "quota=off"),
            "0/1 nodes are available: 1 Insufficient amplified cpu. preemption: 0/1 nodes are "
            "available: 1 No preemption victims found for incoming pod.");
}

TEST_F(KoordinatorNuma, SingleZonesHoldTasksWhole) {
  Machine("a", 2, Labelled("numa-topology-policy", "SingleNUMANode"));
  Pod("p", "3");
  Pod("q", "3");
  Pod("r", "2");
  EXPECT_EQ(Plan(), "bind p a; bind q a");
  EXPECT_EQ(Why("r", "quota=off"),
            "0/1 nodes are available: 1 Unaligned NUMA Hint cause cpu prefer [11] among [11]. "
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
  Pod("s", "1");
  EXPECT_EQ(Plan(), "bind p a; bind q a; bind s a");
}

TEST_F(KoordinatorNuma, WideTasksAreNotAligned) {
  Machine("a", 2, Labelled("numa-topology-policy", "SingleNUMANode"));
  Pod("p", "6");
  EXPECT_EQ(Why("p", "quota=off"),
            "0/1 nodes are available: 1 Unaligned NUMA Hint cause cpu prefer [11] among [11]. "
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
  Accept(cluster_.RemoveNode("a"));
  Machine("b", 2, Labelled("numa-topology-policy", "Restricted"));
  EXPECT_EQ(Plan(), "bind p b");
}

TEST_F(KoordinatorNuma, ZonesOfTasksAreRemembered) {
  NodeSpec node;
  node.alignment = Alignment::kSingleNumaNode;
  Machine("a", 2, node);
  Pod("p", "3");
  EXPECT_EQ(Live(0), "bind p a");
  const MemorySlot* slot = cluster_.memory().Find("koordinator-zones");
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->Text("p"), "a");
  EXPECT_EQ(slot->Integer("p", 1), 0);
  EXPECT_EQ(slot->Text("p", 2), "cpu");
  EXPECT_EQ(slot->Integer("p", 3), 3000);
  Pod("q", "4");
  EXPECT_EQ(Live(1), "bind q a");
  EXPECT_EQ(cluster_.memory().Find("koordinator-zones")->Integer("q", 1), 1);
  Accept(cluster_.RemoveTask("p"));
  Pod("r", "4");
  EXPECT_EQ(Live(2), "bind r a");
  slot = cluster_.memory().Find("koordinator-zones");
  EXPECT_EQ(slot->Find("p"), nullptr);
  EXPECT_EQ(slot->Integer("r", 1), 0);
}

TEST_F(KoordinatorNuma, PoliciesOfZonesMustBeTheSame) {
  Machine("a", 2, Labelled("numa-topology-policy", "Restricted"));
  TaskSpec task;
  task.shape.alignment = Alignment::kSingleNumaNode;
  Pod("p", "1", task);
  EXPECT_THAT(Why("p"), HasSubstr("1 node(s) NUMA Topology policy not match"));
  Machine("b", 2);
  EXPECT_EQ(Plan(), "bind p b");
}

TEST_F(KoordinatorNuma, StrictPodsGetCpusOfTheirZones) {
  Machine("a", 2, Labelled("numa-topology-policy", "SingleNUMANode"));
  Strict("p", "4");
  Strict("q", "2");
  EXPECT_EQ(Cpus(), "p: 0 1 2 3; q: 4 5");
}

TEST_F(KoordinatorNuma, BestEffortIsTriedWhenReserved) {
  Machine("a", 2, Labelled("numa-topology-policy", "BestEffort"), 3);
  Pod("p", "6");
  Pod("q", "1");
  EXPECT_EQ(Plan(), "bind p a");
  EXPECT_EQ(Why("q"), "0/1 nodes are available: 1 Insufficient NUMA cpu.");
}

TEST_F(KoordinatorNuma, NodesWithoutZonesRefusePolicies) {
  Machine("a", 2);
  Node("plain", 16);
  TaskSpec task;
  task.shape.alignment = Alignment::kRestricted;
  Pod("p", "9", task);
  EXPECT_THAT(Why("p"), HasSubstr("1 node(s) missing NUMA resources"));
}

TEST_F(KoordinatorNuma, VictimsGiveCpusAndZonesBack) {
  Machine("a", 1, Labelled("numa-topology-policy", "SingleNUMANode"));
  Hold("low", "a", {0, 1}, 9001);
  Hold("high", "a", {2, 3}, 9900);
  Strict("p", "2", {.priority = 9500});
  EXPECT_EQ(Plan("quota=off"), "evict low a; nominate p a");
}

TEST_F(KoordinatorNuma, WhoeverIsAloneInAZoneStaysAlone) {
  Machine("a", 2);
  TaskSpec task;
  task.shape.alignment = Alignment::kSingleNumaNode;
  Strict("wide", "4", {.node = "a", .devices = {{.device = "0"}, {.device = "4"}}});
  Strict("p", "1", task);  // alone, as it has a policy of its own: both zones are shared
  EXPECT_THAT(Why("p", "quota=off"), HasSubstr("Unaligned NUMA Hint cause cpu prefer [01 10]"));
  task.shape.labels = {{"koordinator/zone-exclusive", "Preferred"}};
  Strict("q", "1", task);
  EXPECT_EQ(Cpus(), "q: 2");
}

TEST_F(KoordinatorNuma, ScoresCountWhatIsInUse) {
  Machine("full", 4);
  Machine("none", 4);
  Hold("h", "full", {0, 1, 2, 3});
  Strict("p", "2");
  const std::string others = "fit_weight=0,balanced_weight=0";
  EXPECT_EQ(Plan(others), "bind p none");
  EXPECT_EQ(Plan(others + ",numa_strategy=most"), "bind p full");
}

TEST_F(KoordinatorNuma, AGangThatIsUndoneGivesItsCpusBack) {
  Machine("a", 1);
  Accept(cluster_.AddJob({.name = "g", .priority = 2, .min_available = 3}));
  for (const char* pod : {"g0", "g1", "g2"}) Strict(pod, "2", {.job = "g", .priority = 9600});
  Strict("p", "4");
  EXPECT_EQ(Cpus(), "p: 0 1 2 3");
}

TEST_F(KoordinatorNuma, MoreZonesThanRulesKnowAreRefused) {
  NodeSpec node;
  for (int zone = 0; zone < 9; ++zone) {
    node.zones.push_back({.name = "z" + std::to_string(zone), .capacity = {{"cpu", 1}}});
  }
  Node("a", 9, node);
  EXPECT_EQ(Refused(), "action schedule: node \"a\": more than 8 zones with amounts");
  EXPECT_EQ(Refused("numa=off"), "");
}

TEST_F(KoordinatorNuma, SettingsOfNodesAreChecked) {
  NodeSpec node;
  node.settings = {{"koordinator/amplified_cpu", "0.5"}};
  Node("a", 4, node);
  EXPECT_THAT(Refused(), HasSubstr("must be a number from 1 to 100"));
}

TEST_F(KoordinatorNuma, ChangedMachinesWakePodsThatWait) {
  Machine("a", 1);
  Hold("h", "a", {0, 1, 2});
  Strict("p", "2", With("koordinator/cpu-required", "FullPCPUs"));
  EXPECT_EQ(Live(0, "quota=off"), "");
  EXPECT_EQ(Live(1, "quota=off"), "");
  NodeSpec wide = cluster_.Describe().nodes[0];
  for (const char* name : {"8", "9"}) {
    wide.devices.push_back(
        {.name = name, .kind = "cpu", .zone = "node-1", .links = {"core-8", "socket-1"}});
  }
  Accept(cluster_.UpdateNode(wide));
  EXPECT_EQ(Live(2, "quota=off"), "");  // the node has no more cpu
  wide.capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 10}};
  Accept(cluster_.UpdateNode(wide));
  EXPECT_EQ(Live(3, "quota=off"), "bind p a");
}

}  // namespace
}  // namespace muster::testing
