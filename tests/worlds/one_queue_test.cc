// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch where one queue has all jobs: the engine looks at those that request something alone,
// its twin gives all of them turns.
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

TEST(OneQueue, EngineAndTwinAgree) {
  ExpectAgreement(WorldCount(3000), [](uint64_t seed) {
    ClusterSpec world = RandomWorld(seed, {.nodes = 8, .queues = 4, .jobs = 16, .tasks = 4});
    // Other queues may stay, without jobs.
    const std::string queue = world.queues.empty() ? "default" : world.queues.front().name;
    for (JobSpec& job : world.jobs) job.queue = queue;
    const char* const profiles[] = {"kube-batch", "kube-batch:+preempt,+reclaim", "kube-batch:-drf",
                                    "kube-batch:-proportion"};
    return ComparedWorld{std::move(world), profiles[seed % 4]};
  });
}

}  // namespace
}  // namespace muster::testing
