// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Promises and weighed evictions of profile muster: against the slow twin, on random worlds of
// which most jobs have estimates or lifetimes and much is running.
#include <cstdint>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/fair_tree.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_jobs.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// Gangs that have waited too long, of several queues and priorities.
constexpr const char* kAgedSpecs[] = {
    "muster:allocate(promise=head,age_limit=0)",
    "muster:allocate(promise=head,age_limit=4)",
    "muster:allocate(promise=heads,age_limit=4)",
};

// Times that collide, some of them past already.
Lifetime RandomLifetime(Rng& rng) {
  const auto some = [&rng](int64_t least) -> std::optional<int64_t> {
    if (rng.Chance(0.5)) return std::nullopt;
    return least + static_cast<int64_t>(rng.Below(10));
  };
  return {.max_runtime = some(0),
          .expected_end = some(-2),
          .checkpointed = some(-8),
          .restart_cost = some(0)};
}

void AddLifetimes(Rng& rng, ClusterSpec* world) {
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.3)) job.lifetime = RandomLifetime(rng);
  }
  for (TaskSpec& task : world->tasks) {
    if (rng.Chance(0.2)) task.lifetime = RandomLifetime(rng);
  }
}

TEST(FairPromise, AgreesWithItsTwin) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    Rng rng(seed);
    const WorldKnobs knobs = {
        .nodes = 4, .jobs = 12, .tasks = 4, .between_tasks = rng.Chance(0.2), .extremes = false};
    ClusterSpec world = rng.Chance(0.5) ? RandomWorld(seed, knobs) : RandomTree(seed, {});
    AddEstimates(rng, &world);
    if (rng.Chance(0.3)) AddLifetimes(rng, &world);
    const bool aged = rng.Chance(0.2);
    return ComparedWorld{std::move(world),
                         aged ? OneOf(kAgedSpecs, rng) : OneOf(kPromiseSpecs, rng)};
  });
}

}  // namespace
}  // namespace muster::testing
