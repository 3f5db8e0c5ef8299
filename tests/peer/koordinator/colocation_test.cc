// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Room for batch and mid work, ratios and totals, worked out by hand.
#include "gtest/gtest.h"
#include "lib/peer/koordinator/colocation/bands.h"
#include "lib/peer/koordinator/colocation/batch_room.h"
#include "lib/peer/koordinator/colocation/cpu_ratio.h"
#include "lib/peer/koordinator/colocation/device_totals.h"
#include "lib/peer/koordinator/colocation/mid_room.h"
#include "lib/peer/koordinator/colocation/publication.h"

namespace muster::koordinator {
namespace {

constexpr CpuMemory Of(int64_t cores, int64_t bytes) { return {cores * 1000, bytes * 1000}; }

// 100 cores and 120 bytes in two zones. The system uses 7 cores and 12 bytes.
NodeView Node() {
  return {.capacity = Of(100, 120),
          .allocatable = Of(100, 120),
          .tasks = {{.name = "bound", .request = Of(10, 10), .zones = {0}},
                    {.name = "free", .request = Of(10, 10)},
                    {.name = "batch", .request = Of(10, 10), .band = Band::kBatch},
                    {.name = "ended", .request = Of(50, 50), .is_active = false}},
          .zones = {Of(50, 60), Of(50, 60)}};
}

Measurement Measured() {
  return {.time = 0,
          .system = Of(7, 12),
          .node = Of(50, 55),
          .tasks = {{"bound", Of(4, 6)}, {"free", Of(12, 12)}, {"batch", Of(9, 9)}}};
}

TEST(KoordinatorBands, DefaultsAndNames) {
  EXPECT_EQ(ServiceOf("LSE", KubeService::kBestEffort), Service::kLse);
  EXPECT_EQ(ServiceOf("lse", KubeService::kGuaranteed), Service::kLsr);
  EXPECT_EQ(ServiceOf({}, KubeService::kBurstable), Service::kLs);
  EXPECT_EQ(BandOf({.priority = 7999}, Service::kLs), Band::kMid);
  EXPECT_EQ(BandOf({.priority = 8000}, Service::kBe), Band::kBatch);  // between two bands
  EXPECT_EQ(BandOf({.label = "koord-free", .priority = 9000}, Service::kLs), Band::kFree);
  EXPECT_EQ(BandOf({.label = "none", .priority = 5000}, Service::kLs), Band::kProduction);
  EXPECT_EQ(BandOf({}, Service::kNone), Band::kNone);
}

TEST(KoordinatorBatchRoom, Policies) {
  const BatchRules usage{.cpu_reclaim_percent = 65, .memory_reclaim_percent = 65};
  // 100 - 35 - 7 - (4 + 12), and 120 - 42 - 12 - (6 + 12).
  EXPECT_EQ(BatchRoom(Node(), Measured(), usage), Of(42, 48));
  BatchRules rules = usage;
  rules.cpu = rules.memory = RoomPolicy::kLarger;  // 10 + 12 and 10 + 12
  EXPECT_EQ(BatchRoom(Node(), Measured(), rules), Of(36, 44));
  // CPU knows no policy by request; the system's use does not count for memory.
  rules.cpu = rules.memory = RoomPolicy::kRequest;
  EXPECT_EQ(BatchRoom(Node(), Measured(), rules), Of(42, 58));
  rules = usage;
  rules.most_cpu_percent = 20;
  rules.most_memory_percent = 100;
  EXPECT_EQ(BatchRoom(Node(), Measured(), rules), Of(20, 48));
}

TEST(KoordinatorBatchRoom, ReservesExclusiveAndUnknownTasks) {
  BatchRules rules{.cpu_reclaim_percent = 100, .memory_reclaim_percent = 100};
  NodeView node{.capacity = Of(10, 10), .allocatable = Of(8, 10), .reserved = Of(1, 3)};
  EXPECT_EQ(BatchRoom(node, {.system = Of(1, 1)}, rules), Of(8, 7));
  node.reserved = {};
  node.tasks = {{.name = "cpus", .request = Of(4, 4), .is_exclusive = true}};
  EXPECT_EQ(BatchRoom(node, {.tasks = {{"cpus", Of(1, 1)}}}, rules), Of(4, 9));
  EXPECT_EQ(BatchRoom(node, {}, rules), Of(4, 6));  // not measured: its request
  // By the larger, the node forgets a task without a measurement, and a zone does not.
  rules.cpu = rules.memory = RoomPolicy::kLarger;
  EXPECT_EQ(BatchRoom(node, {}, rules), Of(8, 10));
  node.zones = {Of(10, 10)};
  EXPECT_EQ(BatchRoomOfZones(node, {}, rules), std::vector{Of(4, 6)});
  // A task that only the measurement has counts by its measured band.
  const Measurement unknown{
      .tasks = {{"gone", Of(1, 1), Band::kProduction}, {"low", Of(9, 9), Band::kFree}}};
  node.tasks.clear();
  EXPECT_EQ(BatchRoom(node, unknown, rules), Of(7, 9));
}

TEST(KoordinatorBatchRoom, Zones) {
  const BatchRules rules{.cpu_reclaim_percent = 65, .memory_reclaim_percent = 65};
  // Zone 0: 50 - 17.5 - 3.5 - 4 - 6; zone 1 without the bound task.
  const std::vector<CpuMemory> rooms = BatchRoomOfZones(Node(), Measured(), rules);
  EXPECT_EQ(rooms, (std::vector<CpuMemory>{{19'000, 21'000}, {23'000, 27'000}}));
  EXPECT_EQ(PartsOfZones({1, 0}, {}, 3), (std::vector<CpuMemory>{{1, 0}, {1, 0}, {1, 0}}));
  EXPECT_EQ(PartsOfZones(Of(4, 0), {2, 9}, 3), (std::vector{Of(0, 0), Of(0, 0), Of(4, 0)}));
}

TEST(KoordinatorMidRoom, PredictedAndStatic) {
  Measurement measured = Measured();
  measured.reclaimable = Of(60, 20);
  // The idle 50 cores bound the 60; 10 % of 100 - 7 - 20 and of 120 - 12 - 20 come on top.
  EXPECT_EQ(MidRoom(Node(), measured, {.unallocated_percent = 10}),
            (CpuMemory{57'300, 28'000}));  // memory in whole bytes
  EXPECT_EQ(MidRoom(Node(), measured, {.most_cpu_percent = 10}), Of(10, 20));
  measured.node.reset();
  EXPECT_EQ(MidRoom(Node(), measured, {}), Of(0, 0));
  const MidRules rules{.is_static = true, .static_cpu_percent = 30, .static_memory_percent = 15};
  EXPECT_EQ(MidRoom(Node(), measured, rules), Of(30, 18));
}

TEST(KoordinatorMidRoom, ProcessesOfHigherBands) {
  const Measurement measured{.processes = {{Of(1, 0), Band::kProduction},
                                           {Of(2, 0), Band::kMid},
                                           {Of(4, 0), Band::kBatch},
                                           {Of(8, 0), Band::kNone}}};
  EXPECT_EQ(ProcessesAbove(measured, Band::kBatch), Of(3, 0));
  EXPECT_EQ(ProcessesAbove(measured, Band::kMid), Of(1, 0));
}

TEST(KoordinatorPublication, ThresholdsAndAges) {
  EXPECT_EQ(ShownBatchCpu(25'001'000, 1.2), 30'002);  // 30001.2, rounded up
  EXPECT_EQ(ShownBatchCpu(25'000'000, 0.5), 25'000);
  EXPECT_FALSE(IsChangeShown(100, 110, 0.1));
  EXPECT_TRUE(IsChangeShown(100, 111, 0.1));
  EXPECT_TRUE(IsChangeShown(0, 1, 0.1));
  EXPECT_TRUE(IsChangeShown({}, 0, 0.1));
  EXPECT_FALSE(IsChangeShown({}, {}, 0.1));
  EXPECT_EQ(WithoutOthers(5, 7), 0);
  EXPECT_TRUE(IsDue({}, 300));
  EXPECT_FALSE(IsDue(300, 300));
  constexpr int64_t kMinute = 60'000'000'000;
  EXPECT_FALSE(IsStale({.time = 0}, 15 * kMinute, 15));
  EXPECT_TRUE(IsStale({.time = 0}, 15 * kMinute + 1, 15));
  EXPECT_TRUE(IsStale({}, 0, 15));
}

TEST(KoordinatorCpuRatio, Table) {
  const NormalizationRules rules{.models = {{.name = "m", .base = 1.5, .both = 0.9}}};
  EXPECT_EQ(*NormalizationOf(CpuModel{"m"}, rules, true), 1.5);
  EXPECT_EQ(NormalizationOf(CpuModel{"m", true, true}, rules, true).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(NormalizationOf(CpuModel{"m", true, false}, rules, true).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(*NormalizationOf(CpuModel{"x"}, {.fallback = 2.0}, true), 2.0);
  EXPECT_EQ(*NormalizationOf({}, rules, false), 1.0);
  EXPECT_FALSE(NormalizationOf({}, rules, true).ok());
  EXPECT_TRUE(IsNormalized(true, false));
  EXPECT_FALSE(IsNormalized({}, {}));
  EXPECT_FALSE(IsRatioChangeShown(1.1, 1.099999999));
  EXPECT_TRUE(IsRatioChangeShown({}, 1.0));
}

TEST(KoordinatorCpuRatio, Amplification) {
  EXPECT_EQ(*AmplificationOf({{"memory", 3.5}}, 1.5), (Ratios{{"cpu", 1.5}, {"memory", 3.5}}));
  EXPECT_EQ(*AmplificationOf({{"cpu", 2.0}}, {}), (Ratios{{"cpu", 2.0}}));
  EXPECT_EQ(*AmplificationOf({}, 1.0), Ratios{});
  EXPECT_EQ(AmplificationOf({{"memory", 0.9}}, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(AmplificationOf({{"cpu", 0.5}}, 1.5).ok());  // 0.75
}

TEST(KoordinatorDeviceTotals, HealthyOnesOnly) {
  const std::vector<ListedDevice> devices = {
      {"gpu", true, {{"koordinator.sh/gpu-core", 100}, {"koordinator.sh/gpu-memory", 8}}},
      {"gpu", true, {{"koordinator.sh/gpu-core", 100}, {"koordinator.sh/gpu-memory", 10}}},
      {"gpu", false, {{"koordinator.sh/gpu-core", 100}}},
      {"rdma", true, {{"koordinator.sh/rdma", 200}}}};
  EXPECT_EQ(*GpuTotals(devices, "nvidia", true),
            (NamedAmounts{{"koordinator.sh/gpu", 200},
                          {"koordinator.sh/gpu-core", 200},
                          {"koordinator.sh/gpu-memory", 18},
                          {"koordinator.sh/gpu.shared", 200}}));
  EXPECT_EQ(GpuTotals(devices, "huawei", false)->size(), 2u);
  EXPECT_EQ(*RdmaTotals(devices), (NamedAmounts{{"koordinator.sh/rdma", 100}}));
  EXPECT_EQ(GpuTotals(std::span(devices).subspan(2), "", false), std::nullopt);
  EXPECT_EQ(RdmaTotals({}), std::nullopt);
}

}  // namespace
}  // namespace muster::koordinator
