// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds: the engine and its slow twin must agree on every decision, in order, and on every
// share, to the bit. A difference is shrunk and printed with its seed and the scenario that shows
// it.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='Worlds.*'
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_spec.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// One profile a world: most from the list, some made up.
std::string ProfileOf(uint64_t number, Rng& rng) {
  if (number % 4 == 3) return RandomVolcanoSpec(rng);
  if (number % 4 == 2) {
    return OneOf(kKubeBatchSpecs, rng);
  }
  return OneOf(kVolcanoSpecs, rng);
}

std::string MusterProfileOf(uint64_t, Rng& rng) { return OneOf(kMusterSpecs, rng); }

std::string TranswarpProfileOf(uint64_t, Rng& rng) { return OneOf(kTranswarpSpecs, rng); }

void Compare(uint64_t worlds, std::string (*profile_of)(uint64_t, Rng&)) {
  ExpectAgreement(worlds, [&](uint64_t seed) {
    Rng rng(seed);
    ComparedWorld made;
    made.profile = profile_of(seed, rng);
    const uint64_t world_seed = rng.Next();
    // A policy that reads what queues deserve gets queues that mostly set it.
    const bool told = made.profile.find("capacity") != std::string::npos;
    const bool lends = profile_of == TranswarpProfileOf;
    made.world = RandomWorld(world_seed, {.rooted = told && rng.Chance(0.9), .lending = lends});
    return made;
  });
}

TEST(Worlds, EngineAndTwinAgree) { Compare(WorldCount(10000), ProfileOf); }

TEST(Worlds, EngineAndTwinAgreeOnMuster) { Compare(WorldCount(5000), MusterProfileOf); }

TEST(Worlds, EngineAndTwinAgreeOnTranswarp) { Compare(WorldCount(5000), TranswarpProfileOf); }

// The worlds are worth something only if much happens in them.
TEST(Worlds, AreNotDull) {
  int64_t by_kind[5] = {}, tentative = 0, pending = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Cluster cluster = MakeCluster(RandomWorld(seed));
    const absl::StatusOr<Plan> plan =
        Schedule(cluster.Freeze(), "volcano:actions=reclaim+allocate+preempt+backfill");
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Decision& decision : plan->decisions()) ++by_kind[static_cast<int>(decision.kind)];
    tentative += static_cast<int64_t>(plan->tentative().size());
    pending += static_cast<int64_t>(plan->pending().size());
  }
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kBind)], 500);
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kNominate)], 20);
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kEvict)], 10);
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kPhase)], 100);
  EXPECT_GT(tentative, 20);
  EXPECT_GT(pending, 500);
}

TEST(Worlds, AreNotDullForCapacity) {
  const char* const specs[] = {"capacity", "capacity(hierarchy=on)",
                               "capacity(hierarchy=on,ancestor_reclaim_level=2)"};
  for (const std::string spec : specs) {
    int64_t evictions = 0, binds = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      const Cluster cluster = MakeCluster(RandomWorld(seed, {.rooted = true}));
      const absl::StatusOr<Plan> plan = Schedule(
          cluster.Freeze(), "volcano:actions=reclaim+allocate,tiers=" + spec + "/gang+predicates");
      ASSERT_TRUE(plan.ok()) << plan.status();
      evictions += static_cast<int64_t>(plan->evictions().size());
      binds += static_cast<int64_t>(plan->binds().size());
    }
    EXPECT_GT(evictions, 10) << spec;
    EXPECT_GT(binds, 1000) << spec;
  }
}

TEST(Worlds, AreNotDullForMuster) {
  int64_t binds = 0, nominations = 0, evictions = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Cluster cluster = MakeCluster(RandomWorld(seed));
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "muster");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->tentative().empty());
    binds += static_cast<int64_t>(plan->binds().size());
    nominations += static_cast<int64_t>(plan->nominations().size());
    evictions += static_cast<int64_t>(plan->evictions().size());
  }
  EXPECT_GT(binds, 1500);
  EXPECT_GT(nominations, 200);
  EXPECT_GT(evictions, 100);
}

TEST(Worlds, AreNotDullForTranswarp) {
  int64_t binds = 0, nominations = 0, evictions = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Cluster cluster = MakeCluster(RandomWorld(seed, {.lending = true}));
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "transwarp");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->tentative().empty());
    binds += static_cast<int64_t>(plan->binds().size());
    nominations += static_cast<int64_t>(plan->nominations().size());
    evictions += static_cast<int64_t>(plan->evictions().size());
  }
  EXPECT_GT(binds, 1000);
  EXPECT_GT(nominations, 100);
  EXPECT_GT(evictions, 20);
}

}  // namespace
}  // namespace muster::testing
