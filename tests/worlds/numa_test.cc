// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds with CPUs: the engine and its slow twin agree on every decision and on every CPU
// given out.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='NumaWorlds.*'
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
#include "tests/support/random_cpus.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

ClusterSpec WorldWithCpus(uint64_t seed) {
  Rng rng(seed);
  ClusterSpec world = RandomWorld(rng.Next());
  AddCpus(rng, &world);
  return world;
}

TEST(NumaWorlds, EngineAndTwinAgree) {
  const uint64_t first = FirstSeed(1);
  const uint64_t worlds = WorldCount(10000);
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    const std::string profile = kCpuSpecs[seed % std::size(kCpuSpecs)];
    const ClusterSpec world = WorldWithCpus(seed);
    const std::optional<Cluster> cluster = TryCluster(world);
    ASSERT_TRUE(cluster.has_value()) << "seed " << seed << ": a refused cluster was made";
    if (DifferenceFromReference(cluster->Freeze(), profile).empty()) continue;
    ADD_FAILURE() << "MUSTER_SEED=" << seed << " MUSTER_WORLDS=1\n"
                  << ReportDifference(world, profile);
    return;
  }
}

// Plans are followed, tasks end, nodes are set anew: the books of a living cluster are those of
// one that was just made.
TEST(NumaWorlds, LivingClustersDecideAsNewOnes) {
  constexpr Alignment kAlignments[] = {Alignment::kSingleNumaNode, Alignment::kRestricted,
                                       Alignment::kBestEffort, Alignment::kUnset};
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const std::string profile = kCpuSpecs[seed % std::size(kCpuSpecs)];
    Cluster cluster = MakeCluster(WorldWithCpus(seed));
    for (int cycle = 0; cycle < 4; ++cycle) {
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile);
      const absl::StatusOr<Plan> fresh = Schedule(cluster.Freeze(), profile);
      ASSERT_TRUE(plan.ok() && fresh.ok()) << plan.status();
      ASSERT_EQ(plan->ToText(), fresh->ToText()) << profile << ", cycle " << cycle;
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      const ClusterSpec now = cluster.Describe();
      for (const TaskSpec& task : now.tasks) {
        const bool ends = task.status == TaskStatus::kReleasing || rng.Chance(0.1);
        if (!task.node.empty() && ends) {
          ASSERT_TRUE(cluster.SetTaskStatus(task.name, TaskStatus::kSucceeded).ok());
        }
      }
      if (now.nodes.empty()) continue;
      NodeSpec node = now.nodes[rng.Below(now.nodes.size())];
      node.alignment = kAlignments[rng.Below(std::size(kAlignments))];
      ASSERT_TRUE(cluster.UpdateNode(node).ok());
    }
  }
}

TEST(NumaWorlds, AreNotDull) {
  for (const std::string profile : kCpuSpecs) {
    size_t binds = 0, cpus = 0, refused = 0;
    for (uint64_t seed = 0; seed < 500; ++seed) {
      const Cluster cluster = MakeCluster(WorldWithCpus(seed));
      const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
      ASSERT_TRUE(plan.ok()) << plan.status();
      binds += plan->binds().size();
      for (const ChosenDevice& chosen : plan->devices()) cpus += chosen.device != "g";
      for (const Reason& reason : plan->reasons()) {
        for (const Refusal& refusal : reason.refusals) {
          refused += refusal.detail.find("free CPUs") != std::string::npos;
        }
      }
    }
    EXPECT_GT(binds, 150) << profile;
    EXPECT_GT(cpus, 100) << profile;
    EXPECT_GT(refused, 25) << profile;
  }
}

}  // namespace
}  // namespace muster::testing
