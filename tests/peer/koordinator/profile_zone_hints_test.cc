// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// GPUs, CPUs and amounts of one zone under profile koordinator, one small cluster a rule.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class KoordinatorZoneHints : public KoordinatorProfile {
 protected:
  // A node of two zones with four cores each, and GPUs g0, g1, ... in the zones of their numbers.
  void Zones(Alignment alignment, const std::vector<int>& gpus) {
    NodeSpec node;
    node.alignment = alignment;
    for (int zone = 0; zone < 2; ++zone) {
      node.zones.push_back({.name = "z" + std::to_string(zone), .capacity = {{"cpu", 4}}});
    }
    for (size_t i = 0; i < gpus.size(); ++i) {
      const std::string zone = std::to_string(gpus[i]);
      node.devices.push_back({.name = "g" + std::to_string(i),
                              .kind = "gpu",
                              .zone = "z" + zone,
                              .links = {"pcie-" + zone},
                              .memory = "16Gi"});
    }
    Node("a", 8, node);
  }
  void Ask(const std::string& name, const char* cpu, int gpus, TaskSpec task = {}) {
    task.shape.devices = {{.kind = "gpu", .count = gpus}};
    Pod(name, cpu, task);
  }
  void HoldGpu(const std::string& gpu) {
    Pod("holds-" + gpu, "1", {.node = "a", .devices = {{.device = gpu}}});
  }
  // What the pod got once its plan was applied: "g0 in 0", or "g0 in 0 1".
  std::string Place(const std::string& name, const std::string& options = "") {
    Live(0, options);
    std::string words;
    for (const TaskSpec& task : cluster_.Describe().tasks) {
      if (task.name != name) continue;
      for (const DeviceHold& hold : task.devices) words += hold.device + " ";
    }
    const MemorySlot* slot = cluster_.memory().Find("koordinator-zones");
    const MemoryRow* row = slot == nullptr ? nullptr : slot->Find(name);
    words += "in";
    for (size_t i = 1; row != nullptr && i < row->size(); i += 3) {
      words += " " + std::to_string(slot->Integer(name, i));
    }
    return words;
  }
};

TEST_F(KoordinatorZoneHints, AGpuAndCpuComeFromOneZone) {
  Zones(Alignment::kSingleNumaNode, {0, 1});
  HoldGpu("g0");
  Ask("p", "2", 1);
  EXPECT_EQ(Place("p"), "g1 in 1");
}

TEST_F(KoordinatorZoneHints, DevicesMayBeLeftOutOfZones) {
  Zones(Alignment::kSingleNumaNode, {0, 1});
  HoldGpu("g0");
  Ask("p", "2", 1);
  EXPECT_EQ(Place("p", "device_zones=off"), "g1 in 0");
}

TEST_F(KoordinatorZoneHints, RefusedWhereNoZoneHasBoth) {
  Zones(Alignment::kSingleNumaNode, {0});
  Pod("w", "3");
  EXPECT_EQ(Place("w"), "in 0");
  Ask("p", "2", 1);
  EXPECT_THAT(Why("p"), HasSubstr("Unaligned NUMA Hint cause cpu prefer [10] among [10 11],"
                                  "gpu prefer [01] among [01]"));
  EXPECT_EQ(Place("p", "device_zones=off"), "g0 in 1");
}

TEST_F(KoordinatorZoneHints, RestrictedIsAboutDevicesToo) {
  Zones(Alignment::kRestricted, {0, 0, 1, 1});
  Ask("wide", "6", 2);
  EXPECT_THAT(Why("wide"), HasSubstr("Unaligned NUMA Hint cause cpu prefer [11] among [11] & "
                                     "gpu prefer [01 10] among [01 10 11]"));
  Ask("all", "6", 4);
  EXPECT_EQ(Place("all"), "g0 g1 g2 g3 in 0 1");
}

TEST_F(KoordinatorZoneHints, BestEffortTakesBothZonesWhereNoneHasBoth) {
  Zones(Alignment::kBestEffort, {0, 1});
  HoldGpu("g0");
  Ask("p", "2", 1);
  EXPECT_EQ(Place("p"), "g1 in 1");
  Ask("q", "5", 1);
  EXPECT_THAT(Why("q"), HasSubstr("Insufficient GPU Devices"));
  EXPECT_EQ(Place("q"), "in");
}

TEST_F(KoordinatorZoneHints, TooFewDevicesInAllZones) {
  Zones(Alignment::kSingleNumaNode, {0, 1});
  Ask("p", "2", 3);
  EXPECT_THAT(Why("p"), HasSubstr("1 Insufficient NUMA Scoped Devices"));
}

TEST_F(KoordinatorZoneHints, APodOfDevicesAloneHasZones) {
  Zones(Alignment::kSingleNumaNode, {0, 1});
  Ask("p", "0", 2);
  EXPECT_THAT(Why("p"), HasSubstr("Unaligned NUMA Hint cause gpu prefer [11] among [11]"));
  Ask("q", "0", 1);
  EXPECT_EQ(Place("q"), "g0 in");
}

TEST_F(KoordinatorZoneHints, GpusOfAReservationDecideOnTheZone) {
  Zones(Alignment::kSingleNumaNode, {0, 1});
  ReservationSpec spec{.policy = ReservationPolicy::kRestricted};
  spec.shape.labels = {{"koordinator/device-parts", "g1"}};
  Reserve("r", "a", 2, spec);
  Ask("q", "2", 1, Owner());
  EXPECT_EQ(Place("q"), "g1 in 1");
  Ask("p", "2", 1);
  EXPECT_EQ(Place("p"), "g0 in 0");
}

TEST_F(KoordinatorZoneHints, VictimsGiveTheirZoneBack) {
  Zones(Alignment::kSingleNumaNode, {0, 1});
  Pod("low", "1", {.node = "a", .priority = 1, .devices = {{.device = "g1"}}});
  Pod("high", "1", {.node = "a", .priority = 99, .devices = {{.device = "g0"}}});
  Ask("p", "2", 1, {.priority = 9});
  EXPECT_EQ(Plan("quota=off"), "evict low a; nominate p a");
}

}  // namespace
}  // namespace muster::testing
