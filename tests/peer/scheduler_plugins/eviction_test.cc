// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Placements of containers, and what zones have once victims left, by hand.
#include "lib/peer/scheduler_plugins/zones/eviction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::scheduler_plugins {
namespace {

using Part = ZonedTask::Part;

constexpr const char* kVector = "topology.node.k8s.io/numaplacement-vector";

NodeReport Placed(const std::string& fields, const std::string& zone0, const std::string& zone1) {
  NodeReport report{.node = "n",
                    .attributes = {{"topologyManagerPolicy", "single-numa-node"},
                                   {"topology.node.k8s.io/numaplacement-metadata", fields}},
                    .zones = {{.name = "node-0", .amounts = {{"cpu", 4000, 0}, {"memory", 8, 8}}},
                              {.name = "node-1", .amounts = {{"cpu", 4000, 0}, {"memory", 8, 8}}}}};
  if (!zone0.empty()) report.zones[0].attributes = {{kVector, zone0}};
  if (!zone1.empty()) report.zones[1].attributes = {{kVector, zone1}};
  return report;
}

std::vector<NodePod> Pinned(const std::vector<std::string>& containers) {
  return {{.name = {"a", "b"}, .is_exclusive = true, .pinned = containers}};
}

// The containers in the order of their hashes.
std::vector<std::string> ByHash(std::vector<std::string> containers) {
  std::sort(containers.begin(), containers.end(), [](const auto& one, const auto& other) {
    return ContainerHash("a", "b", one) < ContainerHash("a", "b", other);
  });
  return containers;
}

TEST(Placements, TheBusiestZoneIsNotListed) {
  const std::vector<std::string> names = ByHash({"x", "y", "z"});
  // "!" is 0 and "#" is 1 (the quotation mark is left out): the first and the second.
  const Placements placements =
      ReadPlacements(Placed("npv0v001::ve=leb89::cc=3::nn=2::bn=1", "!#", ""), Pinned(names));
  ASSERT_EQ(placements.size(), 3u);
  EXPECT_EQ(placements.at(ContainerHash("a", "b", names[0])), 0);
  EXPECT_EQ(placements.at(ContainerHash("a", "b", names[1])), 0);
  EXPECT_EQ(placements.at(ContainerHash("a", "b", names[2])), 1);
}

TEST(Placements, PositionsAreDifferences) {
  std::vector<std::string> names;
  for (int i = 0; i < 70; ++i) names.push_back("c" + std::to_string(i));
  names = ByHash(names);
  // 66 is one continuation of 0 and 2 more: the letters 64 and 2; then one more.
  const NodeReport report = Placed("npv0v001::ve=leb89::cc=70::nn=2::bn=0", "", "f$#");
  const Placements placements = ReadPlacements(report, Pinned(names));
  ASSERT_EQ(placements.size(), 70u);
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(placements.at(ContainerHash("a", "b", names[i])), i == 66 || i == 67) << i;
  }
}

TEST(Placements, WhatDoesNotFitIsNotRead) {
  const std::string good = "npv0v001::ve=leb89::cc=2::nn=2::bn=1";
  const std::vector<NodePod> pods = Pinned({"x", "y"});
  EXPECT_EQ(ReadPlacements(Placed(good, "!", ""), pods).size(), 2u);
  EXPECT_TRUE(ReadPlacements(Placed(good, "!", ""), Pinned({"x"})).empty());
  EXPECT_TRUE(ReadPlacements(Placed(good, "!", "!"), pods).empty());  // of the busiest zone
  EXPECT_TRUE(ReadPlacements(Placed(good, "!!", ""), pods).empty());  // the same one twice
  EXPECT_TRUE(ReadPlacements(Placed(good, "$", ""), pods).empty());   // the third
  EXPECT_TRUE(ReadPlacements(Placed(good, "\"", ""), pods).empty());  // no letter
  EXPECT_TRUE(ReadPlacements(Placed(good, "f", ""), pods).empty());   // goes on
  for (const char* fields :
       {"npv0v002::ve=leb89::cc=2::nn=2::bn=1", "npv0v001::ve=plain::cc=2::nn=2::bn=1",
        "npv0v001::ve=leb89::cc=2::nn=2::bn=2", "npv0v001::ve=leb89::cc=2::nn=0::bn=0",
        "npv0v001::ve=leb89::cc=x::nn=2::bn=1", "npv0v001::ve=leb89::cc=2::nn=2::bn=1::zz=1",
        "npv0v001::ve=leb89::cc=2::nn=2::bn=", "npv0v001::ve=leb89::=2", ""}) {
    EXPECT_TRUE(ReadPlacements(Placed(fields, "!", ""), pods).empty()) << fields;
  }
  NodeReport restricted = Placed(good, "!", "");
  restricted.attributes[0].second = "restricted";
  EXPECT_TRUE(ReadPlacements(restricted, pods).empty());
}

Victim Guaranteed(const std::string& name, int64_t cpu) {
  const Amounts amounts = {{"cpu", cpu}, {"memory", 0}};
  PodView view{.containers = {{Part::kMain, amounts, amounts, "main"}}};
  view.stated_service = ServiceClass::kGuaranteed;
  return {{"a", name}, view};
}

const NodeReport& Full() {
  static const NodeReport report = Placed("", "", "");
  return report;
}
const Placements& Where() {
  static const Placements placements = {{ContainerHash("a", "v", "main"), 1},
                                        {ContainerHash("a", "w", "main"), 1}};
  return placements;
}

TEST(AfterEviction, ExclusiveAmountsReturnToTheirZones) {
  const std::vector<Victim> victims = {Guaranteed("v", 1000), Guaranteed("w", 2000)};
  const auto after = AfterEviction(Full(), victims, &Where());
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->zones[1].amounts[0].available, 3000);
  EXPECT_EQ(after->zones[0], Full().zones[0]);
}

TEST(AfterEviction, NothingToReturnFails) {
  const std::vector<Victim> shared = {Guaranteed("v", 1500)}, unknown = {Guaranteed("x", 1000)},
                            large = {Guaranteed("v", 5000)};
  const Placements none;
  EXPECT_EQ(AfterEviction(Full(), {}, &Where()).status().message(),
            "no victims found, cannot process eviction simulation");
  EXPECT_EQ(AfterEviction(Full(), shared, nullptr).status().message(),
            "numa placement info not found, cannot process eviction simulation");
  EXPECT_EQ(AfterEviction(Full(), shared, &none).status().message(),
            "no containers found in numa placement info, cannot process eviction simulation");
  EXPECT_EQ(AfterEviction(Full(), shared, &Where()).status().message(),
            "no resources to add, cannot process eviction simulation");
  EXPECT_EQ(AfterEviction(Full(), unknown, &Where()).status().message(),
            "no resources to add, cannot process eviction simulation");
  EXPECT_EQ(AfterEviction(Full(), large, &Where()).status().message(),
            "resource release request exceeds NUMA allocatable");
}

TEST(EvictionTrial, VictimsComeAndGo) {
  EvictionTrial trial;
  EXPECT_FALSE(trial.is_started());
  EXPECT_EQ(trial.Remove(Guaranteed("v", 1)).message(), "not found");
  EXPECT_EQ(trial.Return({"a", "v"}).message(), "not found");
  trial.Start();
  EXPECT_TRUE(trial.Remove(Guaranteed("v", 1)).ok());
  EXPECT_TRUE(trial.Remove(Guaranteed("w", 1)).ok());
  EXPECT_TRUE(trial.Return({"a", "v"}).ok());
  ASSERT_EQ(trial.victims().size(), 1u);
  EXPECT_EQ(trial.victims()[0].name.name, "w");
}

TEST(FilterByZones, VictimsMakeRoom) {
  const PodView pod = Guaranteed("p", 2000).view;
  const ResourceNames has = {"cpu", "memory"};
  const CachedReport cached = {.is_fresh = true, .report = Full()};
  const std::vector<Victim> victims = {Guaranteed("v", 2000)}, shared = {Guaranteed("v", 1500)},
                            small = {Guaranteed("v", 1000)};
  const auto filter = [&](const CachedReport& known, const Placements& placements,
                          const std::vector<Victim>& leaving) {
    return *FilterByZones(known, placements, leaving, pod, has);
  };
  EXPECT_EQ(filter(cached, {}, {}).reason, "cannot align container");
  EXPECT_TRUE(filter(cached, {}, {}).marks_over_reserved);
  EXPECT_EQ(filter(cached, Where(), victims).reason, "");
  EXPECT_EQ(filter(cached, {}, victims).reason, "cannot align container");
  EXPECT_FALSE(filter(cached, {}, victims).marks_over_reserved);
  EXPECT_EQ(filter(cached, Where(), small).reason, "cannot align container");
  EXPECT_EQ(filter(cached, Where(), shared).reason,
            "eviction simulation in NRT is not possible:no resources to add, cannot process "
            "eviction simulation");
  EXPECT_EQ(filter({}, {}, {}).reason, "invalid node topology data");
  EXPECT_FALSE(filter({}, {}, {}).marks_over_reserved);
  EXPECT_EQ(filter({.is_fresh = true}, {}, {}).reason, "");
}

TEST(FilterByZones, ReasonsByPart) {
  PodView pod = Guaranteed("p", 2000).view;
  const ResourceNames has = {"cpu", "memory"};
  CachedReport cached = {.is_fresh = true, .report = Full()};
  pod.containers[0].part = Part::kSidecar;
  EXPECT_EQ(FilterByZones(cached, {}, {}, pod, has)->reason, "cannot align sidecar container");
  pod.containers[0].part = Part::kInit;
  EXPECT_EQ(FilterByZones(cached, {}, {}, pod, has)->reason, "cannot align init container");
  cached.report->attributes.emplace_back("topologyManagerScope", "pod");
  EXPECT_EQ(FilterByZones(cached, {}, {}, pod, has)->reason, "cannot align pod");
  EXPECT_EQ(FilterByZones({}, {}, {}, {}, has)->reason, "");  // nothing of a zone is requested
}

TEST(PreemptsByZones, IsOffByDefault) {
  EXPECT_EQ(PreemptsByZones(std::nullopt), false);
  EXPECT_EQ(PreemptsByZones("Disabled"), false);
  EXPECT_EQ(PreemptsByZones("Enabled"), true);
  EXPECT_FALSE(PreemptsByZones("enabled").has_value());
}

}  // namespace
}  // namespace muster::scheduler_plugins
