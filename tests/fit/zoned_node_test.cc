// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Machines of NUMA zones: checks and scores by hand, and against the slow twin.
#include "lib/fit/zoned_node.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/reference/fit/zones.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using Part = ZonedTask::Part;

constexpr size_t kCpu = 0, kMemory = 1, kGpu = 2;
const char* const kNames[] = {"cpu", "memory", "vendor/gpu"};

ZonedRequest Ask(const std::vector<std::pair<size_t, int64_t>>& amounts) {
  ZonedRequest request;
  for (const auto& [resource, amount] : amounts) {
    request.push_back({resource, amount, ZonedResourceOf(kNames[resource])});
  }
  return request;
}

ZonedTask Guaranteed(const std::vector<ZonedRequest>& containers) {
  ZonedTask task{.guaranteed = true};
  for (const ZonedRequest& request : containers) task.parts.emplace_back(Part::kMain, request);
  task.whole = containers[0];
  return task;
}

ZonedNode Machine(const std::vector<Zone>& zones,
                  ZonedNode::Options options = {ZonePolicy::kSingle}) {
  return *ZonedNode::Make(options, zones, {true, true, true});
}

TEST(ZonedNode, KindsOfResources) {
  EXPECT_TRUE(ZonedResourceOf("hugepages-2Mi").is_bound);
  EXPECT_FALSE(ZonedResourceOf("hugepages-2Mi").may_float);
  EXPECT_TRUE(ZonedResourceOf("ephemeral-storage").may_float);
  EXPECT_TRUE(ZonedResourceOf("vendor/nic").may_float);
  EXPECT_FALSE(ZonedResourceOf("vendor/nic").is_bound);
  EXPECT_FALSE(ZonedResourceOf("batch.kubernetes.io/x").may_float);
  EXPECT_EQ(ZonedResourceOf("cpu").unit, 1000);
}

TEST(ZonedNode, OneZoneMustHaveAll) {
  const ZonedNode node = Machine({{0, {4000, 10, 0}}, {1, {2000, 40, 1}}});
  EXPECT_EQ(node.Check(Guaranteed({Ask({{kCpu, 4000}, {kMemory, 10}})})), std::nullopt);
  EXPECT_EQ(node.Check(Guaranteed({Ask({{kCpu, 3000}, {kMemory, 20}})})),
            (ZonedNode::Refusal{0, kMemory}));
  // Containers come after one another; one that runs before them takes nothing away.
  ZonedTask task = Guaranteed({Ask({{kCpu, 3000}}), Ask({{kCpu, 2000}}), Ask({{kCpu, 1000}})});
  EXPECT_EQ(node.Check(task), std::nullopt);
  task.parts.push_back({Part::kMain, Ask({{kCpu, 1000}})});
  EXPECT_EQ(node.Check(task), (ZonedNode::Refusal{3, kCpu}));
  task.parts[0].first = Part::kInit;
  EXPECT_EQ(node.Check(task), std::nullopt);
  // Others are not held to zones in cpu, but in devices.
  task.guaranteed = false;
  task.parts = {{Part::kMain, Ask({{kCpu, 9000}, {kGpu, 1}})}};
  EXPECT_EQ(node.Check(task), std::nullopt);
  task.parts[0].second = Ask({{kGpu, 2}});
  EXPECT_TRUE(node.Check(task).has_value());
  task.is_judged = false;
  EXPECT_EQ(node.Check(task), std::nullopt);
}

TEST(ZonedNode, ResourcesOutsideOfZones) {
  const std::vector<Zone> zones = {{0, {4000, Zone::kAbsent, Zone::kAbsent}}};
  const ZonedNode node = Machine(zones);
  EXPECT_EQ(node.Check(Guaranteed({Ask({{kGpu, 5}})})), std::nullopt);
  EXPECT_TRUE(node.Check(Guaranteed({Ask({{kMemory, 5}})})).has_value());
  const ZonedNode without = *ZonedNode::Make({ZonePolicy::kSingle}, zones, {true, true, false});
  EXPECT_EQ(without.Check(Guaranteed({Ask({{kGpu, 5}})})), (ZonedNode::Refusal{0, kGpu}));
  EXPECT_EQ(Machine(zones, {ZonePolicy::kRestricted}).Check(Guaranteed({Ask({{kMemory, 5}})})),
            std::nullopt);
}

TEST(ZonedNode, ScoresOfZones) {
  const ZonedTask task = Guaranteed({Ask({{kCpu, 2000}, {kMemory, 20}})});
  const auto score = [&](int64_t cpu, int64_t memory, ZoneStrategy strategy) {
    return Machine({{0, {cpu, memory}}}).Score(task, {strategy, {}});
  };
  EXPECT_EQ(score(2000, 50, ZoneStrategy::kMostAllocated), 70);
  EXPECT_EQ(score(4000, 500, ZoneStrategy::kLeastAllocated), 73);
  EXPECT_EQ(score(6000, 60, ZoneStrategy::kBalanced), 100);
  EXPECT_EQ(score(1000, 60, ZoneStrategy::kBalanced), 0);
  EXPECT_EQ(Machine({{0, {2000, 50}}}).Score(task, {ZoneStrategy::kMostAllocated, {3, 1}}), 85);
  // The smallest score of a zone that has one.
  const ZonedNode two = Machine({{0, {1000, 10}}, {1, {4000, 500}}, {2, {4000, 40}}});
  EXPECT_EQ(two.Score(task, {ZoneStrategy::kLeastAllocated, {}}), 50);
  ZonedTask other = task;
  other.guaranteed = false;
  EXPECT_EQ(two.Score(other, {}), 100);
  EXPECT_EQ(Machine({{0, {4000, 40}}}, {ZonePolicy::kNone}).Score(task, {}), 0);
  EXPECT_EQ(Machine({{0, {4000, 40}}}).Score(Guaranteed({Ask({})}), {}), 0);
}

TEST(ZonedNode, FewestZones) {
  std::vector<Zone> zones;
  for (int id = 0; id < 4; ++id) {
    Zone zone{id, {4000, 100}};
    for (int to = 0; to < 4; ++to) {
      zone.distances.emplace_back(to, to == id ? 10 : to / 2 == id / 2 ? 12 : 32);
    }
    zones.push_back(zone);
  }
  const ZoneScoring fewest{ZoneStrategy::kFewestZones, {}};
  EXPECT_EQ(Machine(zones).Score(Guaranteed({Ask({{kCpu, 4000}})}), fewest), 94);
  EXPECT_EQ(Machine(zones).Score(Guaranteed({Ask({{kCpu, 8000}})}), fewest), 82);
  zones[0].available[kCpu] = zones[2].available[kCpu] = 0;
  EXPECT_EQ(Machine(zones).Score(Guaranteed({Ask({{kCpu, 8000}})}), fewest), 76);
  const auto set = Machine(zones).FewestZones(Ask({{kCpu, 8000}}), true);
  EXPECT_THAT(set->positions, ElementsAre(1, 3));
  EXPECT_FALSE(set->is_closest);
  EXPECT_EQ(Machine(zones).Score(Guaranteed({Ask({{kCpu, 9000}})}), fewest), 0);
  EXPECT_EQ(Machine(zones).Score(Guaranteed({Ask({{kGpu, 1}})}), fewest), 100);
  EXPECT_FLOAT_EQ(Machine(zones).ClosestDistance(2), 11);
}

TEST(ZonedNode, ManyZonesEnd) {
  std::vector<Zone> zones;
  for (int id = 0; id < 64; ++id) zones.push_back({id, {1000}});
  const ZonedNode node = Machine(zones, {ZonePolicy::kSingle, ZoneScope::kContainer, 64});
  const ZoneScoring fewest{ZoneStrategy::kFewestZones, {}};
  EXPECT_EQ(node.Score(Guaranteed({Ask({{kCpu, 2000}})}), fewest), 98);
  EXPECT_EQ(node.Score(Guaranteed({Ask({{kCpu, 32000}})}), fewest), 0);  // too many sets
}

TEST(ZonedNode, BadInput) {
  const auto message = [](const std::vector<Zone>& zones, int64_t most_zones = 8) {
    return std::string(ZonedNode::Make({.most_zones = most_zones}, zones, {}).status().message());
  };
  EXPECT_EQ(message({{64, {}}}), "zone 64: ids are 0 to 63");
  EXPECT_EQ(message({{1, {}}, {1, {}}}), "zone 1: is there twice");
  EXPECT_EQ(message({{1, {-2}}}), "zone 1: an amount of -2 is not within 0 and 2^53");
  EXPECT_EQ(message({{1, {}, {{0, -1}}}}), "zone 1: a distance of -1");
  EXPECT_EQ(message({}, 0), "a machine of at most 0 zones");
  ZonedNode node = Machine({{0, {1000}}});
  EXPECT_FALSE(node.TakeFrom(0, Ask({{kCpu, 2000}}), true).ok());
  EXPECT_TRUE(node.TakeFrom(3, Ask({{kCpu, 2000}}), true).ok());  // no such zone: nothing to take
}

TEST(ZonedNode, RandomMachinesAgainstTheTwin) {
  const std::pair<const char*, ZoneStrategy> strategies[] = {
      {"least", ZoneStrategy::kLeastAllocated},
      {"most", ZoneStrategy::kMostAllocated},
      {"balanced", ZoneStrategy::kBalanced},
      {"fewest", ZoneStrategy::kFewestZones}};
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
    reference::ZoneWorld slow{.by_pod = rng.Chance(0.4), .most_zones = 2 + below(9)};
    std::vector<Zone> zones;
    for (int id = 0; id < 6; ++id) {
      if (rng.Chance(0.3)) continue;
      Zone zone{id, std::vector<int64_t>(3, Zone::kAbsent)};
      reference::ZoneWorld::Zone copy{.id = id};
      for (size_t r = 0; r < 3; ++r) {
        if (rng.Chance(0.1)) continue;
        zone.available[r] = r == kCpu ? 500 * below(9) : below(r == kMemory ? 40 : 3);
        copy.available[kNames[r]] = zone.available[r];
      }
      for (int to = 0; to < 6; ++to) {
        if (rng.Chance(0.1)) continue;
        copy.distances[to] = to == id ? 10 : 10 + below(4);
        zone.distances.emplace_back(to, copy.distances[to]);
      }
      zones.push_back(zone);
      slow.zones.push_back(copy);
    }
    std::vector<bool> on_machine;
    for (const char* name : kNames) {
      on_machine.push_back(rng.Chance(0.95));
      if (on_machine.back()) slow.on_machine.insert(name);
    }
    ZonedTask task;
    const auto draw = [&](reference::ZoneWorld::Amounts* copy) {
      ZonedRequest request;
      for (size_t r = 0; r < 3; ++r) {
        if (r != kCpu && rng.Chance(0.4)) continue;
        const int64_t amount = r == kCpu ? 500 * below(6) : below(r == kMemory ? 25 : 2);
        request.push_back({r, amount, ZonedResourceOf(kNames[r])});
        (*copy)[kNames[r]] = amount;
      }
      return request;
    };
    for (int i = 0; i < 3; ++i) {
      reference::ZoneWorld::Part part{.is_main = i > 0};
      const ZonedRequest request = draw(&part.request);
      task.parts.emplace_back(part.is_main ? Part::kMain : Part::kInit, request);
      slow.parts.push_back(part);
    }
    task.whole = draw(&slow.whole);
    const ZonedNode node =
        *ZonedNode::Make({ZonePolicy::kSingle,
                          slow.by_pod ? ZoneScope::kPod : ZoneScope::kContainer, slow.most_zones},
                         zones, on_machine);
    for (const bool guaranteed : {false, true}) {
      task.guaranteed = slow.guaranteed = guaranteed;
      const auto refusal = node.Check(task);
      ASSERT_EQ(refusal.has_value() ? static_cast<int>(refusal->part) : -1, slow.Check())
          << "seed " << seed;
    }
    ZoneScoring scoring{.weights = {1 + below(3), below(3), 2}};
    for (size_t r = 0; r < 3; ++r) slow.weights[kNames[r]] = scoring.weights[r];
    for (const auto& [name, strategy] : strategies) {
      scoring.strategy = strategy;
      ASSERT_EQ(node.Score(task, scoring), slow.Score(name)) << "seed " << seed << ", " << name;
    }
  }
}

}  // namespace
}  // namespace muster::testing
