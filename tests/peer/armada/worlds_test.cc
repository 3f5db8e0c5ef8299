// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile armada on random worlds: what every plan keeps, cycle after cycle, and that a living
// cluster, a snapshot and a cluster built anew decide alike.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// Jobs of random classes, bids and factors.
void AddArmadaSettings(Rng& rng, const std::string& profile, ClusterSpec* world) {
  const bool two = profile.find("low:1") != std::string::npos;
  for (JobSpec& job : world->jobs) {
    if (two && rng.Chance(0.4)) job.settings.emplace_back("armada/class", "high");
    if (rng.Chance(0.5)) {
      job.settings.emplace_back("armada/bid", std::to_string(rng.Below(4)));
      job.settings.emplace_back("armada/running_bid", std::to_string(rng.Below(4)));
    }
  }
  for (QueueSpec& queue : world->queues) {
    if (!rng.Chance(0.3)) continue;
    queue.settings.emplace_back("armada/priority_factor", std::to_string(1 + rng.Below(3)));
  }
}

// Schedules the living cluster and checks the plan.
absl::StatusOr<Plan> CheckedPlan(Cluster* cluster, const std::string& profile, int64_t now) {
  const Snapshot snapshot = cluster->Freeze();
  absl::StatusOr<Plan> living = cluster->Schedule(profile, {.now = now});
  if (!living.ok()) return living;
  const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, {.now = now});
  EXPECT_TRUE(frozen.ok()) << frozen.status();
  if (frozen.ok()) EXPECT_EQ(living->Digest(), frozen->Digest());
  Cluster anew = MakeCluster(cluster->Describe());
  anew.SetMemory(cluster->memory());
  const absl::StatusOr<Plan> rebuilt = anew.Schedule(profile, {.now = now});
  EXPECT_TRUE(rebuilt.ok()) << rebuilt.status();
  if (rebuilt.ok()) EXPECT_EQ(living->ToText(), rebuilt->ToText());
  for (const std::string& words : Violations(snapshot, *living, InvariantsOf(profile))) {
    ADD_FAILURE() << words;
  }
  return living;
}

// An optimiser that comes upon a job with a node, and a node with less than nothing, end a round.
bool Failed(const Plan& plan) {
  return std::any_of(plan.reasons().begin(), plan.reasons().end(), [](const Reason& reason) {
    return reason.where.starts_with("the round failed");
  });
}

TEST(ArmadaWorlds, PlansKeepTheirPromisesCycleAfterCycle) {
  int64_t binds = 0, nominations = 0, evictions = 0, failures = 0;
  for (uint64_t seed = 0; seed < WorldCount(1'500); ++seed) {
    Rng rng(seed);
    const std::string profile = OneOf(kArmadaSpecs, rng);
    const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 8, .tasks = 5, .between_tasks = false};
    ClusterSpec world = RandomWorld(rng.Next(), knobs);
    AddArmadaSettings(rng, profile, &world);
    Cluster cluster = MakeCluster(world);
    RandomEdits edits(cluster, rng, knobs);
    for (int64_t cycle = 0; cycle < 4; ++cycle) {
      // The second round begins with what the first one left.
      const absl::StatusOr<Plan> before = CheckedPlan(&cluster, profile, 2 * cycle);
      ASSERT_TRUE(before.ok()) << before.status();
      const absl::StatusOr<Plan> plan = CheckedPlan(&cluster, profile, 2 * cycle + 1);
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "seed " << seed << ", cycle " << cycle << ", " << profile << "\n"
          << AsScenario(cluster.Describe(), profile);
      binds += static_cast<int64_t>(plan->binds().size());
      nominations += static_cast<int64_t>(plan->nominations().size());
      evictions += static_cast<int64_t>(plan->evictions().size());
      failures += Failed(*plan);
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
    }
  }
  EXPECT_GT(binds, 1000);
  EXPECT_GT(nominations, 100);
  EXPECT_GT(evictions, 100);
  EXPECT_LE(failures, static_cast<int64_t>(WorldCount(1'500) / 500));
}

}  // namespace
}  // namespace muster::testing
