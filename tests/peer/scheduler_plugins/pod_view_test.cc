// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What plugins read from pods and from topology managers, by hand.
#include "lib/peer/scheduler_plugins/pod_view.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/scheduler_plugins/zone_config.h"

namespace muster::scheduler_plugins {
namespace {

using Part = ZonedTask::Part;

PodView OfOne(Amounts requests, Amounts limits, Part part = Part::kMain) {
  return {.containers = {{part, std::move(requests), std::move(limits)}}};
}

TEST(PodView, TheLargestInitContainerCountsWhereItExceedsTheSum) {
  PodView pod = {.containers = {{Part::kInit, {{"cpu", 10}, {"memory", 1}}},
                                {Part::kSidecar, {{"memory", 10}, {"example.com/fpga", 1}}},
                                {Part::kMain, {{"cpu", 1}, {"memory", 1}}},
                                {Part::kMain, {{"cpu", 2}, {"memory", 3}}}}};
  EXPECT_EQ(EffectiveRequest(pod), (Amounts{{"cpu", 10}, {"example.com/fpga", 1}, {"memory", 10}}));
  pod.overhead = {{"cpu", 5}, {"pods", 1}};
  EXPECT_EQ(EffectiveRequest(pod),
            (Amounts{{"cpu", 15}, {"example.com/fpga", 1}, {"memory", 10}, {"pods", 1}}));
  EXPECT_EQ(EffectiveRequest({}), Amounts());
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  pod = {.containers = {{.requests = {{"memory", kMost}}}, {.requests = {{"memory", 2}}}}};
  EXPECT_EQ(EffectiveRequest(pod), (Amounts{{"memory", kMost}}));
}

TEST(PodView, ServiceDependsOnCpuAndMemoryAlone) {
  EXPECT_EQ(ServiceOf({}), ServiceClass::kBestEffort);
  EXPECT_EQ(ServiceOf(OfOne({{"example.com/fpga", 1}}, {{"example.com/fpga", 1}})),
            ServiceClass::kBestEffort);
  EXPECT_EQ(ServiceOf(OfOne({{"cpu", 0}}, {})), ServiceClass::kBestEffort);
  EXPECT_EQ(ServiceOf(OfOne({{"cpu", 1}}, {{"cpu", 1}})), ServiceClass::kBurstable);
  EXPECT_EQ(ServiceOf(OfOne({{"cpu", 1}, {"memory", 2}}, {{"cpu", 1}, {"memory", 2}})),
            ServiceClass::kGuaranteed);
  EXPECT_EQ(ServiceOf(OfOne({{"cpu", 1}, {"memory", 2}}, {{"cpu", 2}, {"memory", 2}})),
            ServiceClass::kBurstable);
  EXPECT_EQ(ServiceOf(OfOne({}, {{"cpu", 1}, {"memory", 2}})), ServiceClass::kBurstable);
}

TEST(PodView, AStatedClassComesFirst) {
  PodView pod = OfOne({{"cpu", 1}}, {});
  pod.stated_service = ServiceClass::kGuaranteed;
  EXPECT_EQ(ServiceOf(pod), ServiceClass::kGuaranteed);
}

TEST(PodView, EveryContainerMustLimitBothForGuaranteed) {
  PodView pod = OfOne({{"cpu", 1}, {"memory", 2}}, {{"cpu", 1}, {"memory", 2}});
  pod.containers.push_back({.part = Part::kMain});
  EXPECT_EQ(ServiceOf(pod), ServiceClass::kBurstable);
  // Only the sums are compared.
  pod.containers[0].requests = {{"cpu", 2}, {"memory", 2}};
  pod.containers[1] = {Part::kMain, {{"memory", 2}}, {{"cpu", 1}, {"memory", 2}}};
  EXPECT_EQ(ServiceOf(pod), ServiceClass::kGuaranteed);
}

TEST(PodView, WholeCoresOfGuaranteedPodsAreExclusive) {
  const Amounts cores = {{"cpu", 4000}, {"memory", 2}}, parts = {{"cpu", 1500}, {"memory", 0}};
  EXPECT_TRUE(RequestsExclusive(OfOne(cores, cores), {}));
  EXPECT_TRUE(RequestsExclusive(OfOne(cores, cores, Part::kSidecar), {}));
  EXPECT_FALSE(RequestsExclusive(OfOne(cores, cores, Part::kInit), {}));
  EXPECT_FALSE(RequestsExclusive(OfOne(cores, {{"cpu", 4000}}), {}));
  EXPECT_FALSE(RequestsExclusive(OfOne(parts, cores), {}));
  EXPECT_TRUE(IsExclusive("cpu", 1000, true, {}));
  EXPECT_FALSE(IsExclusive("cpu", 1001, true, {}));
  EXPECT_FALSE(IsExclusive("cpu", 0, true, {}));
  EXPECT_TRUE(IsExclusive("hugepages-2Mi", 1, true, {}));
  EXPECT_FALSE(IsExclusive("ephemeral-storage", 1000, true, {"ephemeral-storage"}));
  EXPECT_TRUE(IsExclusive("example.com/fpga", 0, false, {"example.com/fpga"}));
}

TEST(PodView, DevicesAreExclusiveWhereZonesListThem) {
  const PodView pod = OfOne({{"example.com/fpga", 1}}, {});
  EXPECT_TRUE(RequestsExclusive(pod, {"example.com/fpga"}));
  EXPECT_FALSE(RequestsExclusive(pod, {"example.com/gpu"}));
  EXPECT_TRUE(RequestsExtended(pod));
  EXPECT_TRUE(RequestsExtended(OfOne({{"example.com/fpga", 0}}, {}, Part::kInit)));
  EXPECT_FALSE(RequestsExtended(OfOne({{"cpu", 1}}, {{"example.com/fpga", 1}})));
}

TEST(PodView, ZonesSeeTheSameTask) {
  PodView pod = OfOne({{"memory", 2}, {"cpu", 1000}}, {{"memory", 2}, {"cpu", 1000}});
  pod.overhead = {{"cpu", 100}};
  const ZonedTask task = ZonedTaskOf(pod, {{"memory", 0}, {"cpu", 1}});
  EXPECT_TRUE(task.guaranteed);
  EXPECT_TRUE(task.is_judged);
  ASSERT_EQ(task.parts.size(), 1u);
  ASSERT_EQ(task.parts[0].second.size(), 2u);
  EXPECT_EQ(task.parts[0].second[0].amount, 2);
  EXPECT_EQ(task.parts[0].second[1].amount, 1000);
  EXPECT_EQ(task.whole[1].amount, 1100);
  EXPECT_FALSE(ZonedTaskOf({}, {}).is_judged);
  EXPECT_TRUE(
      ZonedTaskOf(OfOne({{"example.com/fpga", 1}}, {}), {{"example.com/fpga", 0}}).is_judged);
}

TEST(PodView, OnlySidecarsAlwaysRestart) {
  EXPECT_EQ(InitPartOf("Always"), Part::kSidecar);
  EXPECT_EQ(InitPartOf("always"), Part::kInit);
  EXPECT_EQ(InitPartOf(""), Part::kInit);
}

TEST(ZoneConfig, AttributesOverrideTheFirstPolicy) {
  const std::vector<std::string> policies = {"RestrictedContainerLevel", "BestEffortPodLevel"};
  const std::vector<std::pair<std::string, std::string>> attributes = {
      {"topologyManagerPolicy", "single-numa-node"}, {"topologyManagerMaxNUMANodes", "65535"}};
  EXPECT_EQ(ReadZoneConfig({}, {}), (ZoneConfig{ZonePolicy::kNone, ZoneScope::kContainer, 8}));
  EXPECT_EQ(ReadZoneConfig(policies, {}),
            (ZoneConfig{ZonePolicy::kRestricted, ZoneScope::kContainer, 8}));
  EXPECT_EQ(ReadZoneConfig(policies, attributes),
            (ZoneConfig{ZonePolicy::kSingle, ZoneScope::kContainer, 1024}));
}

TEST(ZoneConfig, OtherWordsAreIgnored) {
  const std::vector<std::string> policies = {"PodLevel", "BestEffortPodLevel"};
  for (const char* zones : {"1", "0", "-8", "8x", " 9", "", "+", "+-9", "99999999999999999999"}) {
    const std::vector<std::pair<std::string, std::string>> attributes = {
        {"topologyManagerPolicy", "BestEffort"},
        {"topologyManagerScope", "Pod"},
        {"topologyManagerMaxNUMANodes", zones},
        {"topologymanagerscope", "pod"}};
    ZoneConfig config;
    ApplyPolicies(policies, &config);
    ApplyAttributes(attributes, &config);
    EXPECT_EQ(config, ZoneConfig()) << zones;
  }
  ZoneConfig config;
  const std::vector<std::pair<std::string, std::string>> two = {
      {"topologyManagerMaxNUMANodes", "+2"}};
  ApplyAttributes(two, &config);
  EXPECT_EQ(config.most_zones, 2);
}

}  // namespace
}  // namespace muster::scheduler_plugins
