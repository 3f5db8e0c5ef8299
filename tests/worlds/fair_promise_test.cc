// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Promises of profile muster: against the slow twin, on random worlds of which most jobs have
// estimates and much is running.
#include <cstdint>
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

TEST(FairPromise, AgreesWithItsTwin) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    Rng rng(seed);
    const WorldKnobs knobs = {
        .nodes = 4, .jobs = 12, .tasks = 4, .between_tasks = rng.Chance(0.2), .extremes = false};
    ClusterSpec world = rng.Chance(0.5) ? RandomWorld(seed, knobs) : RandomTree(seed, {});
    AddEstimates(rng, &world);
    return ComparedWorld{std::move(world), OneOf(kPromiseSpecs, rng)};
  });
}

}  // namespace
}  // namespace muster::testing
