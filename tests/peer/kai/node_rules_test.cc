// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// GPU requests, what fits, scores, NUMA zones, signatures and requests of pods, by hand.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kai/node_fit.h"
#include "lib/peer/kai/node_scores.h"
#include "lib/peer/kai/numa_zones.h"
#include "lib/peer/kai/pod_request.h"
#include "lib/peer/kai/scheduling_signature.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Vector = std::vector<double>;

TEST(KaiGpuRequest, Units) {
  EXPECT_EQ(KaiGpus(KaiGpuRequestOf(2, 0)), 2);
  EXPECT_EQ(KaiGpus({.devices = 3, .portion = 0.29}), 0.87);  // 29 hundredths three times
  EXPECT_EQ(KaiGpuQuota({.mig = {{"nvidia.com/mig-3g.20gb", 2}, {"nvidia.com/mig-odd", 5}}}), 6);
  EXPECT_EQ(KaiMemoryAsGpus({.devices = 2, .memory = 500}, 1000), 1);
  EXPECT_EQ(KaiPortionOn({.devices = 1, .memory = 333}, 1000), 0.34);  // up to hundredths
  EXPECT_EQ(KaiMemoryOn({.devices = 1, .portion = 0.5}, 1001), 500);
  EXPECT_TRUE(IsKaiPortionValid({.devices = 1, .memory = 2000}, 1000));  // two whole devices
  EXPECT_FALSE(IsKaiPortionValid({.devices = 1, .memory = 1500}, 1000));
  EXPECT_EQ(KaiDeviceMemory("16384"), 16300);
  EXPECT_EQ(KaiDeviceMemory("17179869184"), 16300);  // bytes
  EXPECT_EQ(KaiDeviceMemory({}), 100);
  EXPECT_FALSE(ParseKaiMigProfile("nvidia.com/mig-1g.5gb.me").has_value());
}

TEST(KaiFits, WholeDevicesAndParts) {
  const KaiGpuRequest one = KaiGpuRequestOf(1, 0), half = KaiGpuRequestOf(0.5, 0);
  const Vector request = {1000, 1e9, 1, 1}, part = {1000, 1e9, 0.5, 1};
  const Vector idle = {4000, 8e9, 1, 10}, full = {4000, 8e9, 0, 10};
  const KaiTaskRequest whole = {
      .resources = request, .type = KaiRequestType::kRegular, .gpu = &one};
  EXPECT_TRUE(KaiFits(whole, {.resources = idle, .device_memory = 100}, true));
  EXPECT_FALSE(KaiFits(whole, {.resources = full, .device_memory = 100}, true));
  const KaiTaskRequest shared = {
      .resources = part, .type = KaiRequestType::kFraction, .gpu = &half};
  EXPECT_TRUE(KaiFits(shared, {.resources = idle, .device_memory = 100}, true));
  EXPECT_FALSE(KaiFits(shared, {.resources = full, .device_memory = 100}, true));
  const auto with = [&](const KaiSharedDevice& device) {
    const std::vector<KaiSharedDevice> devices = {device};
    return KaiFits(shared, {.resources = full, .device_memory = 100, .shared = devices}, true);
  };
  EXPECT_TRUE(with({50, 50, 0}));
  EXPECT_FALSE(with({60, 60, 0}));
  EXPECT_TRUE(with({60, 60, 10}));
  EXPECT_FALSE(with({50, 50, 50}));  // all of it is leaving: that is a whole device
  const Vector nothing = {};
  const KaiGpuRequest none;
  EXPECT_TRUE(KaiFits({.resources = nothing, .type = KaiRequestType::kRegular, .gpu = &none},
                      {.resources = Vector{-1}, .device_memory = 100}, true));
}

TEST(KaiFits, IdleGpus) {
  const std::vector<KaiSharedDevice> devices = {{60, 60, 0}, {50, 50, 50}, {80, 80, 30}};
  EXPECT_DOUBLE_EQ(KaiIdleGpus(1, devices, 100), 1 + 0.4 + 0.5 + 0.2);
  EXPECT_DOUBLE_EQ(KaiReleasingGpus(2, devices, 100), 2 + 0.3);
  EXPECT_DOUBLE_EQ(KaiSharedFractions(devices, 100), 0.4 + 1 + 0.5);
}

TEST(KaiScores, PackAndSpread) {
  KaiPackRange range;
  range.Add(0, 4);
  range.Add(3, 4);
  range.Add(4, 4);
  range.Add(0, 0);  // has none of it
  EXPECT_EQ(KaiPackScore(range, 0, 4), 9);
  EXPECT_EQ(KaiPackScore(range, 3, 4), 9 / 4.0);
  EXPECT_EQ(KaiPackScore(range, 4, 4), 0);
  EXPECT_EQ(KaiPackScore(range, 0, 0), 0);
  EXPECT_EQ(KaiPackScore({}, 4, 4), 0);
  EXPECT_EQ(KaiSpreadScore(1, 4), 0.25);
  EXPECT_EQ(KaiGpuCount("8", 4), 8);
  EXPECT_EQ(KaiGpuCount("many", 4.5), 4);
  EXPECT_EQ(KaiDevicePackScore(25, 100), 0.25);
  EXPECT_EQ(KaiDeviceSpreadScore(25, 100), 0.75);
  EXPECT_EQ(KaiDevicePackScore(25, 50), std::nullopt);
}

KaiNumaNode Zones(KaiNumaPolicy policy, const std::vector<std::pair<double, double>>& gpus) {
  std::vector<KaiZone> zones;
  for (size_t i = 0; i < gpus.size(); ++i) {
    zones.push_back({"node-" + std::to_string(i), {0, 0, gpus[i].first}, {0, 0, gpus[i].second}});
  }
  return KaiNumaNode::Make(policy, KaiNumaScope::kPod, zones, {2});
}

// "zone:amount" of GPUs, or "no".
std::vector<std::string> Solved(const KaiNumaNode& node, const std::vector<double>& gpus) {
  KaiNumaRequests requests;
  for (const double amount : gpus) requests.concurrent.push_back({0, 0, amount});
  KaiZonePlacement placement;
  if (!node.Solve(node.aware, requests, &placement)) return {"no"};
  std::vector<std::string> rows;
  for (const KaiZoneAmounts& row : placement) {
    rows.push_back(std::to_string(row.zone) + ":" +
                   std::to_string(static_cast<int>(row.amounts[2])));
  }
  return rows;
}

TEST(KaiNuma, Policies) {
  using P = KaiNumaPolicy;
  EXPECT_THAT(Solved(Zones(P::kSingleNode, {{1, 4}, {3, 4}}), {2}), ElementsAre("1:2"));
  EXPECT_THAT(Solved(Zones(P::kSingleNode, {{1, 4}, {1, 4}}), {2}), ElementsAre("no"));
  // By what is allocatable one zone would do, and none has it.
  EXPECT_THAT(Solved(Zones(P::kRestricted, {{1, 4}, {1, 4}}), {2}), ElementsAre("no"));
  EXPECT_THAT(Solved(Zones(P::kRestricted, {{1, 4}, {4, 4}, {3, 4}}), {6}),
              ElementsAre("1:4", "2:2"));
  EXPECT_THAT(Solved(Zones(P::kBestEffort, {{1, 4}, {3, 4}, {2, 4}}), {4}),
              ElementsAre("0:1", "1:3"));  // the one with most first, then the lowest that helps
  // Containers side by side share what a zone has.
  EXPECT_THAT(Solved(Zones(P::kSingleNode, {{3, 4}, {3, 4}}), {2, 2}), ElementsAre("0:2", "1:2"));
  EXPECT_THAT(Solved(Zones(P::kRestricted, {{1, 4}}), {0}), IsEmpty());
}

TEST(KaiNuma, LedgerAndOrderOfZones) {
  KaiNumaNode node = KaiNumaNode::Make(KaiNumaPolicy::kSingleNode, KaiNumaScope::kPod,
                                       {{"node-10", {0, 0, 4}, {0, 0, 4}},
                                        {"x", {0, 0, 4}, {0, 0, 4}},
                                        {"node-2", {0, 0, 4}, {0, 0, 4}}},
                                       {2});
  EXPECT_EQ(node.zones[0].id, "node-2");
  EXPECT_EQ(node.zones[2].id, "x");
  KaiZonePlacement placement;
  ASSERT_TRUE(
      node.Solve(node.aware, {.concurrent = {{0, 0, 3}}, .serial = {{0, 0, 4}}}, &placement));
  node.Take(placement);
  EXPECT_EQ(node.zones[0].available[2], 1);
  EXPECT_THAT(Solved(node, {3}), ElementsAre("1:3"));
  node.Release(placement);
  EXPECT_EQ(node.zones[0].available[2], 4);
  EXPECT_EQ(ParseKaiNumaRule("", "", "RestrictedPodLevel").scope, KaiNumaScope::kPod);
  EXPECT_EQ(ParseKaiNumaRule("single-numa-node", "pod", "").policy, KaiNumaPolicy::kSingleNode);
}

TEST(KaiSignature, OnlyEasierJobsAreTried) {
  KaiHardJobs failed;
  EXPECT_TRUE(failed.IsEasier(1, {{2}}));
  failed.Update(1, {{2}, {4}});
  EXPECT_FALSE(failed.IsEasier(1, {{2}, {4}}));
  EXPECT_TRUE(failed.IsEasier(1, {{2}, {3}}));  // a smaller task
  EXPECT_TRUE(failed.IsEasier(1, {{9}}));       // fewer tasks
  EXPECT_TRUE(failed.IsEasier(2, {{9}}));       // other constraints
  failed.Update(1, {{1}});                      // smaller: it takes the place
  EXPECT_FALSE(failed.IsEasier(1, {{1}, {1}}));
  EXPECT_FALSE(failed.IsEasier(1, {}));
}

TEST(KaiPodRequest, ContainersAndAnnotations) {
  KaiPodSpec pod;
  pod.containers = {{{{"cpu", 500}, {"memory", 1'000'000}, {"nvidia.com/gpu", 1000}}},
                    {{{"cpu", 700}, {"example.com/nic", 2000}, {"pods", 110'000}}}};
  pod.init_containers = {{{{"cpu", 100}}, true}, {{{"cpu", 2000}}, false}};
  pod.overhead = {{"cpu", 50}};
  KaiPodRequest request = RequestOfKaiPod(pod);
  EXPECT_EQ(request.cpu, 2150);  // 2000 + 100 beside the init container, and overhead
  EXPECT_EQ(request.memory, 1000);
  EXPECT_EQ(request.gpus(), 1);
  EXPECT_THAT(request.scalars, ElementsAre(std::pair<std::string, int64_t>("example.com/nic", 2000),
                                           std::pair<std::string, int64_t>("pods", 1)));
  pod.annotations = {{"gpu-fraction", "0.25"}, {"gpu-fraction-num-devices", "2"}};
  request = RequestOfKaiPod(pod);
  EXPECT_EQ(request.type, KaiRequestType::kFraction);
  EXPECT_EQ(request.gpus(), 0.5);
  pod.annotations = {{"gpu-fraction", "1.5"}, {"gpu-memory", "4000"}};
  request = RequestOfKaiPod(pod);
  EXPECT_EQ(request.type, KaiRequestType::kGpuMemory);
  EXPECT_EQ(request.gpu.memory, 4000);
  EXPECT_EQ(request.gpus(), 0);
  pod.annotations = {{"nvidia.com/mig-1g.5gb", "2"}};
  request = RequestOfKaiPod(pod);
  EXPECT_EQ(request.type, KaiRequestType::kMigInstance);
  EXPECT_TRUE(request.is_legacy_mig);
  EXPECT_EQ(KaiGpuQuota(request.gpu), 2);
}

}  // namespace
}  // namespace muster::testing
