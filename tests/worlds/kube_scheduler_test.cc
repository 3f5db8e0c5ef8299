// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kube-scheduler chooses most nodes by boards of classes (class_board.h). A plan with a
// trace takes every pod through the whole search: both must decide alike.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/scenario/generate.h"
#include "muster/schedule.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

std::string PlanOf(const Snapshot& snapshot, const std::string& options, int64_t now = 0) {
  const absl::StatusOr<Plan> plan =
      Schedule(snapshot, absl::StrCat("kube-scheduler:schedule(", options, ")"), {.now = now});
  return plan.ok() ? plan->ToText() : plan.status().ToString();
}

// Options of the search, and how it scores.
std::string RandomOptions(Rng& rng) {
  constexpr const char* kPercentages[] = {"0", "0", "10", "50", "100"};
  constexpr const char* kScores[] = {"",
                                     ",strategy=most",
                                     ",balanced_weight=0",
                                     ",fit_weight=7",
                                     ",resources=cpu:3+memory:1",
                                     ",groups=off"};
  constexpr const char* kOff[] = {"",
                                  "",
                                  "",
                                  ",off=NodeResourcesFit",
                                  ",off=DefaultPreemption",
                                  ",off=TaintToleration+NodeAffinity+PodTopologySpread",
                                  ",off=NodeUnschedulable+NodePorts+InterPodAffinity"};
  return absl::StrCat("percentage=", kPercentages[rng.Below(5)], kScores[rng.Below(6)],
                      kOff[rng.Below(7)]);
}

TEST(KubeSchedulerBoards, ChooseAsTheSearchDoes) {
  for (uint64_t seed = 0; seed < WorldCount(1'500); ++seed) {
    Rng rng(seed);
    const WorldKnobs large{.nodes = 40, .queues = 3, .jobs = 12, .tasks = 12};
    const ClusterSpec world = RandomWorld(seed, seed % 3 == 0 ? large : WorldKnobs{});
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const std::string options = RandomOptions(rng);
    ASSERT_EQ(PlanOf(snapshot, options), PlanOf(snapshot, options + ",trace=on"))
        << "seed " << seed << ", " << options << "\n"
        << AsScenario(world, "kube-scheduler");
  }
}

// From 100 nodes on the search ends early, and goes on where the last one ended.
TEST(KubeSchedulerBoards, ChooseAsTheSearchDoesOnLargerClusters) {
  for (uint64_t seed = 0; seed < (WorldCount(1'500) + 37) / 38; ++seed) {
    Rng rng(seed);
    GenerateOptions generate;
    generate.mix = seed % 2 == 0 ? "uniform" : "openb";
    generate.nodes = 100 + static_cast<int64_t>(seed) * 7;
    generate.seed = seed;
    generate.load = seed % 4 == 0 ? 1.2 : 0.6;
    generate.priorities = 1 + static_cast<int64_t>(seed % 3);
    generate.occupancy = seed % 4 == 1 ? 0.7 : 0.1;
    if (seed % 3 == 1) generate.selectors = generate.taints = 0.2;
    if (seed % 5 == 2) generate.affinity = generate.spread = 0.1;
    const absl::StatusOr<Scenario> scenario = Generate(generate);
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    Cluster cluster;
    ASSERT_TRUE(Fill(*scenario, &cluster).ok());
    const Snapshot snapshot = cluster.Freeze();
    const std::string options = RandomOptions(rng);
    ASSERT_EQ(PlanOf(snapshot, options), PlanOf(snapshot, options + ",trace=on"))
        << "seed " << seed << ", " << options;
  }
}

TEST(KubeSchedulerBoards, ChooseAsTheSearchDoesCycleAfterCycle) {
  for (uint64_t seed = 0; seed < (WorldCount(1'500) + 9) / 10; ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 12, .queues = 2, .jobs = 8, .tasks = 6};
    Cluster cluster = MakeCluster(RandomWorld(seed, knobs));
    RandomEdits edits(cluster, rng, knobs);
    const std::string options = RandomOptions(rng);
    for (int cycle = 0; cycle < 8; ++cycle) {
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
      const Snapshot snapshot = cluster.Freeze();
      ASSERT_EQ(PlanOf(snapshot, options, cycle), PlanOf(snapshot, options + ",trace=on", cycle))
          << "seed " << seed << ", cycle " << cycle << ", " << options;
      const absl::StatusOr<Plan> plan =
          cluster.Schedule(absl::StrCat("kube-scheduler:schedule(", options, ")"), {.now = cycle});
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_TRUE(cluster.Apply(*plan).ok());
    }
  }
}

}  // namespace
}  // namespace muster::testing
