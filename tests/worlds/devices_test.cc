// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds with devices: the engine and its slow twin agree on every decision and on every
// device given out.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='DeviceWorlds.*'
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
#include "tests/support/random_devices.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

ClusterSpec WorldWithDevices(uint64_t seed) {
  Rng rng(seed);
  ClusterSpec world = RandomWorld(rng.Next());
  AddDevices(rng, &world);
  return world;
}

TEST(DeviceWorlds, EngineAndTwinAgree) {
  const uint64_t first = FirstSeed(1);
  const uint64_t worlds = WorldCount(10000);
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    const std::string profile = kDeviceSpecs[seed % std::size(kDeviceSpecs)];
    const ClusterSpec world = WorldWithDevices(seed);
    const std::optional<Cluster> cluster = TryCluster(world);
    ASSERT_TRUE(cluster.has_value()) << "seed " << seed << ": a refused cluster was made";
    if (DifferenceFromReference(cluster->Freeze(), profile).empty()) continue;
    ADD_FAILURE() << "MUSTER_SEED=" << seed << " MUSTER_WORLDS=1\n"
                  << ReportDifference(world, profile);
    return;
  }
}

TEST(DeviceWorlds, AreNotDull) {
  for (const std::string profile : kDeviceSpecs) {
    size_t binds = 0, devices = 0, refused = 0;
    for (uint64_t seed = 0; seed < 500; ++seed) {
      const Cluster cluster = MakeCluster(WorldWithDevices(seed));
      const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
      ASSERT_TRUE(plan.ok()) << plan.status();
      binds += plan->binds().size();
      devices += plan->devices().size();
      for (const Reason& reason : plan->reasons()) {
        for (const Refusal& refusal : reason.refusals) {
          refused += refusal.code == RefusalCode::kDevice;
        }
      }
    }
    EXPECT_GT(binds, 150) << profile;
    EXPECT_GT(devices, 100) << profile;
    EXPECT_GT(refused, 50) << profile;
  }
}

}  // namespace
}  // namespace muster::testing
