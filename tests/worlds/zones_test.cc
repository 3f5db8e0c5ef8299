// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds with NUMA zones: the engine and its slow twin agree on every decision.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='ZoneWorlds.*'
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"
#include "tests/support/against_reference.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_world.h"
#include "tests/support/random_zones.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

ClusterSpec WorldWithZones(uint64_t seed) {
  Rng rng(seed);
  ClusterSpec world = RandomWorld(rng.Next());
  AddZones(rng, &world);
  return world;
}

TEST(ZoneWorlds, EngineAndTwinAgree) {
  const uint64_t first = FirstSeed(1);
  const uint64_t worlds = WorldCount(10000);
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    const std::string profile = kZoneSpecs[seed % std::size(kZoneSpecs)];
    const ClusterSpec world = WorldWithZones(seed);
    const std::optional<Cluster> cluster = TryCluster(world);
    ASSERT_TRUE(cluster.has_value()) << "seed " << seed << ": a refused cluster was made";
    if (DifferenceFromReference(cluster->Freeze(), profile).empty()) continue;
    ADD_FAILURE() << "MUSTER_SEED=" << seed << " MUSTER_WORLDS=1\n"
                  << ReportDifference(world, profile);
    return;
  }
}

TEST(ZoneWorlds, AreNotDull) {
  size_t moved = 0;
  for (const std::string profile : kZoneSpecs) {
    size_t binds = 0, refused = 0;
    for (uint64_t seed = 0; seed < 500; ++seed) {
      const Cluster cluster = MakeCluster(WorldWithZones(seed));
      const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
      ASSERT_TRUE(plan.ok()) << plan.status();
      const std::string bare = profile + (profile == "muster" ? ":-zones" : ",-zones");
      const absl::StatusOr<Plan> without = Schedule(cluster.Freeze(), bare);
      ASSERT_TRUE(without.ok()) << without.status();
      moved += plan->ToText() != without->ToText();
      binds += plan->binds().size();
      for (const Reason& reason : plan->reasons()) {
        for (const Refusal& refusal : reason.refusals) {
          refused += refusal.detail.find("no zone has enough") != std::string::npos;
        }
      }
    }
    EXPECT_GT(binds, 150) << profile;
    EXPECT_GT(refused, 50) << profile;
  }
  EXPECT_GT(moved, 1000);
}

}  // namespace
}  // namespace muster::testing
