// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Small, nasty clusters from a seed, for tests that compare two ways to one answer.
//
//   ClusterSpec world = RandomWorld(seed);
//   Cluster cluster = MakeCluster(world);
//   std::string json = AsScenario(world, "volcano");     // to run it by hand: muster run -
//
// A world is drawn from a few features, each on in some worlds and off in most, so that rules meet
// in pairs and a difference shrinks to few of them. Shapes and nodes come from small pools: ties
// are the rule.
#ifndef MUSTER_TESTS_SUPPORT_RANDOM_WORLD_H_
#define MUSTER_TESTS_SUPPORT_RANDOM_WORLD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "muster/cluster.h"

namespace muster::testing {

struct WorldKnobs {
  uint64_t nodes = 12, queues = 5, jobs = 8, tasks = 6;  // largest numbers; tasks of one job
  bool between_tasks = true;  // affinity, anti-affinity, spread, host ports
  bool extremes = true;       // amounts near 2^53, and of one byte
  bool rooted = false;        // the queues are a tree below "root", that set what they deserve
  bool lending = false;       // a tree of queues that lend, with bindings and orders of their own
};
ClusterSpec RandomWorld(uint64_t seed, const WorldKnobs& knobs = {});

// nullopt: the spec is refused.
std::optional<Cluster> TryCluster(const ClusterSpec& world);
// The cluster of a spec that is known to be valid; a test fails, with the reason, if it is not.
Cluster MakeCluster(const ClusterSpec& world);

std::string AsScenario(const ClusterSpec& world, std::string_view profile);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_RANDOM_WORLD_H_
