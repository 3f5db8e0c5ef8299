// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds with groups of bundles: profile ray and its slow twin must agree on every decision.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='RayWorlds.*'
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/words.h"
#include "muster/schedule.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_jobs.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

ClusterSpec World(uint64_t seed, std::string* profile) {
  Rng rng(seed);
  *profile = OneOf(kRaySpecs, rng);
  ClusterSpec world = RandomWorld(rng.Next());
  AddBundleStrategies(rng, &world);
  return world;
}

TEST(RayWorlds, EngineAndTwinAgree) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    ComparedWorld made;
    made.world = World(seed, &made.profile);
    return made;
  });
}

TEST(RayWorlds, EngineAndTwinAgreeOnStrategiesOfTasks) {
  ExpectAgreement(WorldCount(2000), [](uint64_t seed) {
    ComparedWorld made;
    made.world = World(seed, &made.profile);
    Rng rng(seed);
    for (JobSpec& job : made.world.jobs) {
      if (rng.Chance(0.7)) job.bundle_strategy = BundleStrategy::kNone;
    }
    AddTaskStrategies(rng, &made.world);
    return made;
  });
}

// A request that other amounts of the shape repeat stays as it is.
bool MayChange(const TaskSpec& task) {
  return task.shape.containers.empty() && !task.shape.initial_request;
}

// Nodes with an object store, which goes before memory, and a resource that goes before both.
void AddStores(Rng& rng, ClusterSpec* world) {
  for (NodeSpec& node : world->nodes) {
    node.capacity.emplace_back("object_store_memory", static_cast<int64_t>(rng.Below(6)));
    node.capacity.emplace_back("custom", static_cast<int64_t>(rng.Below(4)));
  }
  for (TaskSpec& task : world->tasks) {
    if (task.status != TaskStatus::kPending || !MayChange(task)) continue;
    for (const char* name : {"object_store_memory", "custom"}) {
      const auto amount = static_cast<int64_t>(rng.Below(3));
      if (amount > 0) task.shape.request.emplace_back(name, amount);
    }
  }
}

TEST(RayWorlds, EngineAndTwinAgreeOnObjectStores) {
  ExpectAgreement(WorldCount(2000), [](uint64_t seed) {
    ComparedWorld made;
    made.world = World(seed, &made.profile);
    Rng rng(seed);
    AddStores(rng, &made.world);
    return made;
  });
}

// Requests of parts of GPUs, and of whole ones and a part, which no node has.
void AddParts(Rng& rng, ClusterSpec* world) {
  const char* const parts[] = {"300m", "400m", "600m", "1", "1500m", "2"};
  for (TaskSpec& task : world->tasks) {
    if (!MayChange(task)) continue;
    for (auto& [name, amount] : task.shape.request) {
      if (name != "nvidia.com/gpu") continue;
      // A task in place stays within its room.
      const bool is_small = task.status != TaskStatus::kPending;
      if (rng.Chance(0.7)) amount = Quantity(parts[rng.Below(is_small ? 2 : std::size(parts))]);
    }
  }
}

TEST(RayWorlds, EngineAndTwinAgreeOnPartsOfDevices) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    ComparedWorld made;
    made.world = World(seed, &made.profile);
    Rng rng(seed);
    AddParts(rng, &made.world);
    if (rng.Chance(0.3)) AddTaskStrategies(rng, &made.world);
    return made;
  });
}

TEST(RayWorlds, EngineAndTwinAgreeOnDomains) {
  ExpectAgreement(WorldCount(2000), [](uint64_t seed) {
    ComparedWorld made;
    made.world = World(seed, &made.profile);
    Rng rng(seed);
    AddBundleDomains(rng, &made.world);
    return made;
  });
}

// Every strategy places groups of several bundles, and all of them refuse some.
TEST(RayWorlds, AreNotDull) {
  std::map<std::string, int> placed;
  std::map<ReasonKind, int> reasons;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    std::string profile;
    const ClusterSpec world = World(seed, &profile);
    const Cluster cluster = MakeCluster(world);
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "ray");
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::map<std::string, int> binds;
    for (const Decision& d : plan->decisions()) {
      if (d.kind == DecisionKind::kBind) ++binds[std::string(plan->job_name(d.job))];
    }
    for (const JobSpec& job : world.jobs)
      placed[std::string(Word(job.bundle_strategy))] += binds[job.name] > 1;
    for (const Reason& reason : plan->reasons()) ++reasons[reason.kind];
  }
  for (const char* word : {"", "pack", "spread", "strict_pack", "strict_spread"}) {
    EXPECT_GT(placed[word], 20) << word;
  }
  EXPECT_GT(reasons[ReasonKind::kInfeasible], 50);
  EXPECT_GT(reasons[ReasonKind::kGangUndone], 50);
  EXPECT_GT(reasons[ReasonKind::kNoNode], 50);
}

}  // namespace
}  // namespace muster::testing
