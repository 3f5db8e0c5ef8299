// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Devices under profile koordinator, one small cluster a rule.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class KoordinatorDevices : public KoordinatorProfile {
 protected:
  // A node of so many GPUs, two to a switch, a card beside each second one.
  void Gpus(const std::string& name, int count, const std::string& model = "T4",
            const Labels& labels = {}) {
    NodeSpec node{.labels = labels};
    for (int i = 0; i < count; ++i) {
      const std::string link = "pcie-" + std::to_string(i / 2);
      node.devices.push_back({.name = "g" + std::to_string(i),
                              .kind = "gpu",
                              .model = model,
                              .links = {link},
                              .memory = "16Gi"});
      if (i % 2 != 0) continue;
      node.devices.push_back(
          {.name = "r" + std::to_string(i / 2), .kind = "rdma", .links = {link}});
    }
    Node(name, 64, node);
  }
  void Ask(const std::string& name, const DeviceRequest& request, TaskSpec task = {}) {
    task.shape.devices = {request};
    Pod(name, "1", task);
  }
  // A pod that runs and holds a part of a device.
  void Hold(const std::string& name, const std::string& node, const DeviceHold& hold,
            int32_t priority = 0) {
    Pod(name, "1", {.node = node, .priority = priority, .devices = {hold}});
  }
  // "p g0 1000; p g1 1000"
  std::string Chosen(const std::string& options = "") {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), ProfileSpec(options), {});
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::string words;
    for (const ChosenDevice& chosen : plan->devices()) {
      words += words.empty() ? "" : "; ";
      words += std::string(plan->task_name(chosen.task)) + " " + chosen.device + " " +
               std::to_string(chosen.milli);
    }
    return words;
  }
};

TEST_F(KoordinatorDevices, APodWithUnreadableHintsGetsNone) {
  Gpus("a", 2);
  TaskSpec task;
  task.shape.labels = {{"koordinator/device-unreadable", "true"}};
  Ask("p", {.kind = "gpu"}, task);
  Pod("q", "1", task);
  EXPECT_EQ(Plan(), "bind q a");
  EXPECT_THAT(Why("p"), HasSubstr("1 what the pod states about devices cannot be read"));
}

TEST_F(KoordinatorDevices, PartsMayBeIsolatedByHami) {
  const Labels hami = {{"koordinator.sh/gpu-isolation-provider", "HAMi-core"}};
  TaskSpec task;
  task.shape.labels = hami;
  Gpus("a", 2);
  Ask("p", {.kind = "gpu", .milli = 500}, task);
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("p"), HasSubstr("1 GPUIsolationProviderHAMICore not found on the node"));
  Gpus("b", 2, "T4", hami);
  EXPECT_EQ(Plan(), "bind p b");
  Accept(cluster_.RemoveTask("p"));
  Accept(cluster_.RemoveNode("b"));
  Ask("q", {.kind = "gpu"}, task);
  EXPECT_EQ(Plan(), "bind q a") << "a whole one needs no isolation";
}

TEST_F(KoordinatorDevices, WholeOnesComeFromOneSwitch) {
  Gpus("a", 4);
  Hold("h", "a", {.device = "g0"});
  Ask("p", {.kind = "gpu", .count = 2});
  EXPECT_EQ(Chosen(), "p g2 1000; p g3 1000");
  EXPECT_EQ(Chosen("devices=off"), "");
  Ask("q", {.kind = "gpu", .count = 2});
  EXPECT_EQ(Chosen(), "p g2 1000; p g3 1000");
  EXPECT_EQ(Why("q", "quota=off"),
            "0/1 nodes are available: 1 Insufficient GPU Devices. preemption: 0/1 nodes are "
            "available: 1 No preemption victims found for incoming pod.");
}

TEST_F(KoordinatorDevices, LabelsAreHints) {
  Gpus("a", 8, "H100");
  for (const char* device : {"g1", "g3"}) Hold(device, "a", {.device = device});
  const auto chosen_with = [&](const Labels& labels, int64_t count) {
    TaskSpec task;
    task.shape.labels = labels;
    Ask("p", {.kind = "gpu", .count = count}, task);
    std::string chosen = Chosen();
    Accept(cluster_.RemoveTask("p"));
    return chosen;
  };
  // No four of a partition are free.
  EXPECT_EQ(chosen_with({}, 5), "p g0 1000; p g2 1000; p g4 1000; p g5 1000; p g6 1000");
  EXPECT_EQ(chosen_with({{"koordinator/gpu-partition", "BestEffort"}}, 5), "");
  EXPECT_EQ(chosen_with({{"koordinator/gpu-partition", "Restricted"}}, 2), "p g4 1000; p g5 1000");
  EXPECT_EQ(
      chosen_with(
          {{"koordinator/gpu-partition", "Restricted"}, {"koordinator/gpu-bandwidth", "900Gi"}}, 2),
      "");
  EXPECT_EQ(chosen_with({{"koordinator/gpu-scope", "PCIe"}}, 2), "p g4 1000; p g5 1000");
  EXPECT_EQ(chosen_with({{"koordinator/gpu-scope", "PCIe"}}, 3), "");
  EXPECT_EQ(chosen_with({{"koordinator/gpu-scope", "Switch"}}, 3), chosen_with({}, 3))
      << "no such word";
}

TEST_F(KoordinatorDevices, ANodeMayAssignPartitionsAlone) {
  const auto chosen_under = [&](const char* policy) {
    cluster_ = Cluster();
    Gpus("a", 8, "H100", {{"node.koordinator.sh/gpu-partition-policy", policy}});
    for (const char* device : {"g1", "g3"}) Hold(device, "a", {.device = device});
    Ask("p", {.kind = "gpu", .count = 5});
    return Chosen();
  };
  EXPECT_NE(chosen_under("Prefer"), "");
  EXPECT_EQ(chosen_under("Honor"), "");
}

TEST_F(KoordinatorDevices, CardsMayBeCountedOrTakenAll) {
  Gpus("a", 6);
  const auto cards_with = [&](const Labels& labels, int64_t milli) {
    TaskSpec task;
    task.shape.labels = labels;
    Ask("p", {.kind = "rdma", .milli = milli}, task);
    std::string chosen = Chosen();
    Accept(cluster_.RemoveTask("p"));
    return chosen;
  };
  EXPECT_EQ(cards_with({}, 20), "p r0 20");
  EXPECT_EQ(cards_with({{"koordinator/rdma-strategy", "ApplyForAll"}}, 20),
            "p r0 20; p r1 20; p r2 20");
  EXPECT_EQ(cards_with({{"koordinator/rdma-strategy", "RequestsAsCount"}}, 20), "p r0 10; p r1 10");
  EXPECT_EQ(cards_with({{"koordinator/rdma-strategy", "RequestsAsCount"},
                        {"koordinator/rdma-exclusive", "DeviceLevel"}},
                       20),
            "p r0 1000; p r1 1000");
}

TEST_F(KoordinatorDevices, PartsShareADevice) {
  Gpus("a", 2);
  for (const char* pod : {"p", "q", "r"}) Ask(pod, {.kind = "gpu", .milli = 400});
  const std::string chosen = Chosen();
  EXPECT_THAT(chosen, HasSubstr("p g0 400"));
  EXPECT_THAT(chosen, HasSubstr("r g"));
  Ask("s", {.kind = "gpu", .milli = 700});
  EXPECT_THAT(Plan(), Not(HasSubstr("bind s")));
}

TEST_F(KoordinatorDevices, WhatIsHeldIsCountedInALaterPlan) {
  Gpus("a", 2);
  Ask("p", {.kind = "gpu"});
  EXPECT_EQ(Live(0), "bind p a");
  Ask("q", {.kind = "gpu", .count = 2});
  EXPECT_EQ(Live(1), "");
  Ask("r", {.kind = "gpu"});
  EXPECT_EQ(Chosen(), "r g1 1000");
}

TEST_F(KoordinatorDevices, JointDevicesAreNearTheFirst) {
  Gpus("a", 4);
  Hold("h", "a", {.device = "g0"});
  Hold("i", "a", {.device = "g1"});
  TaskSpec task;
  task.shape.devices = {{.kind = "gpu"}, {.kind = "rdma"}};
  Pod("p", "1", task);
  EXPECT_EQ(Chosen(), "p r0 1000; p g2 1000");
  Accept(cluster_.RemoveTask("p"));
  task.shape.labels = {{"koordinator/joint-devices", "gpu,rdma,other"}};
  Pod("p", "1", task);
  EXPECT_EQ(Chosen(), "p g2 1000; p r1 1000");
  Hold("j", "a", {.device = "r1"});
  EXPECT_EQ(Chosen(), "p r0 1000; p g2 1000");
  Accept(cluster_.RemoveTask("p"));
  task.shape.labels.emplace_back("koordinator/joint-scope", "SamePCIe");
  Pod("p", "1", task);
  EXPECT_THAT(Why("p", "quota=off"), HasSubstr("1 node(s) Device Joint-Allocate rules violation"));
  Accept(cluster_.RemoveTask("j"));
  EXPECT_EQ(Chosen(), "p g2 1000; p r1 1000");
}

TEST_F(KoordinatorDevices, ModelsMemoryAndExclusiveUseRestrict) {
  Gpus("a", 2);
  Gpus("b", 2, "A100");
  Hold("h", "b", {.device = "g0", .milli = 100});
  Ask("p", {.kind = "gpu", .milli = 100, .models = {"A100"}});
  EXPECT_EQ(Plan(), "bind p b");
  Accept(cluster_.RemoveTask("p"));
  Ask("p", {.kind = "gpu", .milli = 100, .models = {"A100"}, .exclusive = true});
  EXPECT_EQ(Chosen(), "p g1 100");
  Accept(cluster_.RemoveTask("p"));
  Ask("p", {.kind = "gpu", .memory = "32Gi"});
  EXPECT_EQ(Plan(), "");
}

TEST_F(KoordinatorDevices, NodesWithoutDevicesAreOutOfTheQuestion) {
  Node("plain", 64);
  Ask("p", {.kind = "gpu"});
  EXPECT_EQ(Plan(), "bind p plain");  // no node has devices: nothing is asked
  Gpus("a", 2);
  EXPECT_EQ(Plan(), "bind p a");
  Ask("r", {.kind = "fpga"});
  EXPECT_EQ(Why("r", "quota=off"),
            "0/2 nodes are available: 1 Insufficient fpga devices, 1 node(s) missing Device. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_F(KoordinatorDevices, NoNodeHasAsManyAsThere) {
  Gpus("a", 2);
  Ask("p", {.kind = "gpu", .count = int64_t{1} << 62});
  Ask("q", {.kind = "rdma", .count = int64_t{1} << 62});
  EXPECT_EQ(Plan("quota=off"), "");
  EXPECT_THAT(Why("p", "quota=off"), HasSubstr("1 Insufficient GPU Devices"));
  EXPECT_THAT(Why("q", "quota=off"), HasSubstr("1 Insufficient rdma devices"));
}

TEST_F(KoordinatorDevices, NamesOfResourcesAreRequests) {
  Gpus("a", 2);
  Accept(cluster_.RemoveNode("a"));
  NodeSpec node{.name = "a",
                .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"koordinator.sh/gpu", 200}}};
  node.devices = {{.name = "g0", .kind = "gpu"}, {.name = "g1", .kind = "gpu"}};
  Accept(cluster_.AddNode(node));
  Accept(cluster_.AddTask({.name = "p", .shape = {.request = {{"koordinator.sh/gpu", 50}}}}));
  EXPECT_EQ(Chosen(), "p g0 500");
  Accept(cluster_.AddTask({.name = "q", .shape = {.request = {{"koordinator.sh/gpu", 150}}}}));
  EXPECT_THAT(Why("q"), HasSubstr("koordinator.sh/gpu 150: above 100, and no multiple of it"));
}

TEST_F(KoordinatorDevices, VictimsGiveTheirDevicesBack) {
  Gpus("a", 2);
  Hold("low", "a", {.device = "g0"}, 1);
  Hold("high", "a", {.device = "g1"}, 9);
  Ask("p", {.kind = "gpu"}, {.priority = 5});
  EXPECT_EQ(Plan("quota=off"), "evict low a; nominate p a");
  EXPECT_EQ(Plan("spare_default=off"), "evict low a; nominate p a");
}

TEST_F(KoordinatorDevices, StrategiesTellWhichNodeIsGood) {
  Gpus("full", 4);
  Gpus("none", 4);
  Hold("h", "full", {.device = "g0"});
  Ask("p", {.kind = "gpu"});
  const std::string others = "fit_weight=0,balanced_weight=0";
  EXPECT_EQ(Plan(others), "bind p none");
  EXPECT_EQ(Plan(others + ",device_strategy=most"), "bind p full");
}

TEST_F(KoordinatorDevices, AGangThatIsUndoneGivesItsDevicesBack) {
  Gpus("a", 2);
  Accept(cluster_.AddJob({.name = "g", .min_available = 3}));
  for (const char* pod : {"g0", "g1", "g2"}) Ask(pod, {.kind = "gpu"}, {.job = "g"});
  Ask("p", {.kind = "gpu", .count = 2});
  EXPECT_EQ(Chosen(), "p g0 1000; p g1 1000");
}

TEST_F(KoordinatorDevices, SelectorsChooseDevicesByTheirLabels) {
  const auto chosen = [&](const char* kind, const std::string& selector, Labels hints = {}) {
    cluster_ = Cluster();
    NodeSpec node;
    for (const char* name : {"g0", "g1", "g2"}) {
      node.devices.push_back({.name = name, .kind = "gpu", .links = {"p"}, .memory = "16Gi"});
    }
    for (const char* name : {"r0", "r1", "r2"}) {
      node.devices.push_back({.name = name, .kind = "rdma", .links = {"p"}});
    }
    node.settings = {{"koordinator/device_labels", "g1:tier=b+old=,g2:tier=c,r1:tier=b,r2:tier=c"}};
    Node("a", 64, node);
    TaskSpec task;
    task.shape.labels = std::move(hints);
    task.shape.labels.emplace_back("koordinator/" + std::string(kind) + "-selector", selector);
    Ask("p", {.kind = kind, .milli = kind == std::string("gpu") ? 1000 : 100}, task);
    return Chosen();
  };
  EXPECT_EQ(chosen("gpu", "tier=c"), "p g2 1000");
  EXPECT_EQ(chosen("gpu", "tier=b+c"), "p g1 1000");
  EXPECT_EQ(chosen("gpu", "tier=b+c;!old"), "p g2 1000");
  EXPECT_EQ(chosen("gpu", "tier!=c;tier=*"), "p g1 1000");
  EXPECT_EQ(chosen("gpu", "tier=d"), "");
  EXPECT_EQ(chosen("rdma", "tier=c"), "p r2 100");
  EXPECT_EQ(chosen("rdma", "tier=*", {{"koordinator/rdma-strategy", "ApplyForAll"}}),
            "p r1 100; p r2 100");
  EXPECT_EQ(chosen("gpu", "tier"), "");
  EXPECT_THAT(Why("p"), HasSubstr("gpu-selector: \"tier\" is not LABEL=VALUE"));
  cluster_ = Cluster();
  Node("a", 1, {.settings = {{"koordinator/device_labels", "g0"}}});
  EXPECT_THAT(Refused(), HasSubstr("device_labels\": \"g0\" is not DEVICE:LABEL=VALUE"));
  const auto refused_with = [&](const char* labels) {
    cluster_ = Cluster();
    NodeSpec node{.settings = {{"koordinator/device_labels", labels}}};
    node.devices = {{.name = "g0", .kind = "gpu"}};
    Node("a", 1, node);
    return Refused();
  };
  EXPECT_EQ(refused_with("g0:a=b"), "");
  EXPECT_THAT(refused_with("g0:a=b,gone:a=b"),
              HasSubstr("node \"a\", setting \"koordinator/device_labels\": the node has no device "
                        "\"gone\""));
  EXPECT_THAT(refused_with("g0:a=b,g0:c=d"),
              HasSubstr("device_labels\": device \"g0\" is listed twice"));
}

}  // namespace
}  // namespace muster::testing
