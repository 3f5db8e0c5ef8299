// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Worlds for the tests of muster's own actions: by hand, and at random.
//
//   World world;
//   world.Nodes(2, {{"cpu", 4}});
//   world.Queue({.name = "a", .weight = 2});
//   world.Job({.name = "x", .queue = "a", .min_available = 2}, 2, {{"cpu", 1}});
//   EXPECT_EQ(world.Decide(), "bind x0 n0; bind x1 n0");
#ifndef MUSTER_TESTS_ACTION_FAIR_WORLD_H_
#define MUSTER_TESTS_ACTION_FAIR_WORLD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "muster/muster.h"

namespace muster::testing {

class World {
 public:
  Cluster cluster;

  void Nodes(int64_t count, const Resources& capacity);  // n0, n1, ...
  void Queue(const QueueSpec& queue);
  // A job with tasks <name>0, <name>1, ... all alike; `nodes` says where they run, the others are pending.
  void Job(const JobSpec& job, int64_t count, const Resources& request,
           const std::vector<std::string>& nodes = {});

  Plan Schedule(const std::string& profile = "muster");
  // Decisions but phases: "bind t n; nominate t n; evict t for u".
  std::string Decide(const std::string& profile = "muster");
  // Follows the plan; with `ended`, what was evicted or was leaving before is gone.
  void Follow(const Plan& plan, bool ended);
};

std::string Words(const Plan& plan);

// A small world of many shapes: trees of queues with guarantees and limits, gangs, running and leaving tasks.
World RandomWorld(uint64_t seed);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_ACTION_FAIR_WORLD_H_
