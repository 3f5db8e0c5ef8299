// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// conservative on nodes against its slow twin: random worlds of which most jobs have estimates, and much is running.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// Estimates and starts that collide: few values, some outlived already.
ClusterSpec WithEstimates(ClusterSpec world, Rng& rng) {
  for (JobSpec& job : world.jobs) {
    if (rng.Chance(0.85)) job.estimate = static_cast<int64_t>(1 + rng.Below(12));
  }
  for (TaskSpec& task : world.tasks) {
    if (!task.node.empty() && rng.Chance(0.8)) task.started = -static_cast<int64_t>(rng.Below(8));
  }
  return world;
}

TEST(BatchWorlds, ConservativeOnNodes) {
  constexpr const char* kOrders[] = {"fifo", "fifo", "sjf", "ljf", "smallest", "largest", "area"};
  ExpectAgreement(WorldCount(3000), [&](uint64_t seed) {
    Rng rng(seed);
    const WorldKnobs knobs = {
        .nodes = 4, .jobs = 14, .tasks = 4, .between_tasks = rng.Chance(0.2), .extremes = false};
    const ClusterSpec world = WithEstimates(RandomWorld(seed, knobs), rng);
    return ComparedWorld{world, absl::StrCat("conservative:order=", kOrders[rng.Below(7)])};
  });
}

}  // namespace
}  // namespace muster::testing
