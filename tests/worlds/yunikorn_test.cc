// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yunikorn on random worlds with settings, users and gangs: invariants of each plan, and
// equal plans of living, frozen and rebuilt clusters, cycle after cycle.
#include <string>

#include "absl/strings/str_cat.h"
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

void AddYuniKornSettings(Rng& rng, ClusterSpec* world) {
  constexpr const char* kPreemption[] = {"default", "fence", "disabled"};
  for (QueueSpec& queue : world->queues) {
    if (rng.Below(3) == 0) queue.settings.emplace_back("yunikorn/application.sort.policy", "fair");
    if (rng.Below(4) == 0) queue.settings.emplace_back("yunikorn/maxapplications", "2");
    if (rng.Below(4) == 0) queue.settings.emplace_back("yunikorn/priority.policy", "fence");
    queue.settings.emplace_back("yunikorn/preemption.policy", kPreemption[rng.Below(3)]);
    queue.settings.emplace_back("yunikorn/preemption.delay", "1s");
    if (rng.Below(2) == 0) queue.guaranteed = Resources{{"cpu", static_cast<int>(rng.Below(4))}};
    if (rng.Below(4) == 0) {
      queue.users = UserRules{.limits = {{.name = "ann", .max_jobs = 1},
                                         {.name = "*", .limit = Resources{{"cpu", 3}}}}};
    }
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Below(2) == 0) job.owner = JobOwner{.user = rng.Below(2) == 0 ? "ann" : "bob"};
    if (rng.Below(3) == 0) job.settings.emplace_back("yunikorn/gangSchedulingStyle", "Hard");
    if (rng.Below(3) == 0) job.settings.emplace_back("yunikorn/placeholderTimeoutInSeconds", "3");
  }
}

TEST(YuniKornWorlds, KeepInvariantsCycleAfterCycle) {
  for (uint64_t seed = 0; seed < WorldCount(800); ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 8, .tasks = 5};
    ClusterSpec world = RandomWorld(seed, knobs);
    AddYuniKornSettings(rng, &world);
    Cluster cluster = MakeCluster(world);
    RandomEdits edits(cluster, rng, knobs);
    const std::string profile = OneOf(kYuniKornSpecs, rng);
    for (int cycle = 0; cycle < 4; ++cycle) {
      const ScheduleOptions options{.now = 40 * cycle};
      const Snapshot snapshot = cluster.Freeze();
      const std::string place = absl::StrCat("seed ", seed, ", cycle ", cycle, ", ", profile);
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
      ASSERT_TRUE(plan.ok()) << place << ": " << plan.status();
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, options);
      ASSERT_TRUE(frozen.ok()) << place;
      ASSERT_EQ(plan->ToText(), frozen->ToText()) << place;
      Cluster anew = MakeCluster(cluster.Describe());
      anew.SetMemory(cluster.memory());
      const absl::StatusOr<Plan> rebuilt = anew.Schedule(profile, options);
      ASSERT_TRUE(rebuilt.ok()) << place << ": " << rebuilt.status();
      ASSERT_EQ(plan->ToText(), rebuilt->ToText()) << place;
      for (const std::string& words : Violations(snapshot, *plan, InvariantsOf(profile))) {
        FAIL() << place << ": " << words << "\n" << AsScenario(cluster.Describe(), profile);
      }
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      for (uint64_t edit = rng.Below(6); edit > 0; --edit) edits.Step();
    }
  }
}

}  // namespace
}  // namespace muster::testing
