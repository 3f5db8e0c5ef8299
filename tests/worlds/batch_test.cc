// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// conservative on nodes against its slow twin: random worlds of which most jobs have estimates, and
// much is running.
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_jobs.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

TEST(BatchWorlds, ConservativeOnNodes) {
  ExpectAgreement(WorldCount(3000), [&](uint64_t seed) {
    Rng rng(seed);
    const WorldKnobs knobs = {
        .nodes = 4, .jobs = 14, .tasks = 4, .between_tasks = rng.Chance(0.2), .extremes = false};
    ClusterSpec world = RandomWorld(seed, knobs);
    AddEstimates(rng, &world);
    return ComparedWorld{std::move(world),
                         absl::StrCat("conservative:order=", OneOf(kBatchOrders, rng))};
  });
}

}  // namespace
}  // namespace muster::testing
