// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds with domains, wishes for them and gangs of sub-groups: the engine and its slow
// twin, which tries every domain for good, must agree on every decision.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='Domains.*'
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/schedule.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_domains.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

ClusterSpec World(uint64_t seed, std::string* profile) {
  Rng rng(seed);
  *profile = OneOf(kDomainSpecs, rng);
  ClusterSpec world = RandomWorld(rng.Next());
  AddDomains(rng, &world);
  return world;
}

TEST(Domains, EngineAndTwinAgree) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    ComparedWorld made;
    made.world = World(seed, &made.profile);
    return made;
  });
}

// The worlds are worth something only if jobs are placed in domains of all kinds, and some are not.
TEST(Domains, AreNotDull) {
  int64_t lowest = 0, higher = 0, whole = 0, of_groups = 0, refused = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::string profile;
    const Cluster cluster = MakeCluster(World(seed, &profile));
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), kDomainSpecs[1]);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const ChosenDomain& chosen : plan->domains()) {
      ++(chosen.domain.empty() ? whole : chosen.tier == 1 ? lowest : higher);
      of_groups += !chosen.sub_group.empty();
    }
    for (const Reason& reason : plan->reasons()) refused += reason.kind == ReasonKind::kNoDomain;
  }
  EXPECT_GT(lowest, 50);
  EXPECT_GT(higher, 50);
  EXPECT_GT(whole, 50);
  EXPECT_GT(of_groups, 50);
  EXPECT_GT(refused, 50);
}

// Gangs that are bound to domains get room by evictions in some worlds, and places of one domain.
TEST(Domains, GangsEvictWithinThem) {
  int64_t evicted = 0, bound = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::string profile;
    const Cluster cluster = MakeCluster(World(seed, &profile));
    const absl::StatusOr<Plan> plan =
        Schedule(cluster.Freeze(),
                 "volcano:actions=gangpreempt+gangreclaim,tiers=priority+gang/"
                 "predicates+nodeorder+network-topology-aware");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const Snapshot snapshot = cluster.Freeze();
    const Tables& tables = TablesOf(snapshot);
    for (const Decision& d : plan->decisions()) {
      evicted += d.kind == DecisionKind::kEvict;
      if (d.kind != DecisionKind::kNominate) continue;
      const auto& wish = tables.jobs.spec[tables.tasks.job[d.task]].topology;
      bound += wish && wish->hard && wish->highest_tier.has_value();
    }
  }
  EXPECT_GT(evicted, 50);
  EXPECT_GT(bound, 20);
}

}  // namespace
}  // namespace muster::testing
