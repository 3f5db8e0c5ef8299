// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What only some rows have comes through every door as it was: files, states, listings, events. And
// it changes no decision of a profile that does not read it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"
#include "muster/schedule.h"
#include "tests/scenario/any_spec.h"
#include "tests/support/random_rules.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

constexpr uint64_t kWorlds = 200;

ClusterSpec WorldWithRules(uint64_t seed, bool counts) {
  Rng rng(seed);
  ClusterSpec world = RandomWorld(seed);
  AddRandomRules(rng, &world, counts);
  return world;
}

// Tasks of one class share a shape: an initial request that repeats the request is none.
std::vector<TaskSpec> WithoutRepeats(std::vector<TaskSpec> tasks) {
  for (TaskSpec& task : tasks) {
    if (task.shape.initial_request == task.shape.request) task.shape.initial_request.reset();
  }
  return tasks;
}

std::string TextOf(const Cluster& cluster) { return AsScenario(cluster.Describe(), ""); }

TEST(Rules, AWorldComesBackFromItsFile) {
  for (uint64_t seed = 0; seed < kWorlds; ++seed) {
    const ClusterSpec world = WorldWithRules(seed, /*counts=*/true);
    const absl::StatusOr<Scenario> back = ParseScenario(AsScenario(world, ""));
    ASSERT_TRUE(back.ok()) << back.status();
    ASSERT_TRUE(Same(world, back->cluster)) << seed;
    // And from the tables, which keep it all.
    const Cluster cluster = MakeCluster(world);
    ASSERT_EQ(TextOf(cluster), TextOf(MakeCluster(back->cluster))) << seed;
    const ClusterSpec kept = cluster.Describe();
    ASSERT_TRUE(Same(kept.flavors, world.flavors)) << seed;
    ASSERT_TRUE(Same(kept.partitions, world.partitions)) << seed;
    ASSERT_TRUE(Same(kept.reservations, world.reservations)) << seed;
    ASSERT_TRUE(Same(WithoutRepeats(kept.tasks), WithoutRepeats(world.tasks))) << seed;
    ASSERT_TRUE(Same(kept.jobs, world.jobs)) << seed;
  }
}

TEST(Rules, AStateAndAListingHoldThem) {
  for (uint64_t seed = 0; seed < kWorlds; ++seed) {
    Cluster cluster = MakeCluster(WorldWithRules(seed, /*counts=*/true));
    Cluster loaded;
    ASSERT_TRUE(LoadState(SaveState(&cluster), &loaded).ok()) << seed;
    ASSERT_EQ(TextOf(loaded), TextOf(cluster)) << seed;
    const auto nothing = loaded.Reconcile(cluster.Describe());
    ASSERT_TRUE(nothing.ok()) << nothing.status();
    ASSERT_TRUE(nothing->empty()) << seed << ": " << nothing->front().object;
    // A listing without them takes them away, and says so.
    const ClusterSpec plain = RandomWorld(seed);
    const ClusterSpec full = MakeCluster(plain).Describe();
    const auto drift = loaded.Reconcile(full);
    ASSERT_TRUE(drift.ok()) << drift.status();
    ASSERT_EQ(drift->empty(), TextOf(cluster) == AsScenario(full, "")) << seed;
    ASSERT_EQ(TextOf(loaded), AsScenario(full, "")) << seed;
  }
}

TEST(Rules, TodaysProfilesDecideAsWithoutThem) {
  const char* const profiles[] = {"muster:actions=allocate+reclaim+preempt,-due",
                                  "volcano:+preempt,+reclaim",
                                  "kube-batch:+preempt",
                                  "transwarp",
                                  "koordinator:schedule(reservation=off,load=off)",
                                  "ray"};
  int64_t decisions = 0;
  for (uint64_t seed = 0; seed < kWorlds; ++seed) {
    const std::string profile = profiles[seed % std::size(profiles)];
    Cluster plain = MakeCluster(RandomWorld(seed));
    ClusterSpec world = WorldWithRules(seed, /*counts=*/false);
    // A job with an admission keeps it in its phase, whatever the profile (lib/session/session.cc).
    for (JobSpec& job : world.jobs) job.admission.reset();
    Cluster cluster = MakeCluster(world);
    Cluster loaded;
    ASSERT_TRUE(LoadState(SaveState(&cluster), &loaded).ok());
    const absl::StatusOr<Plan> expected = Schedule(plain.Freeze(), profile);
    const absl::StatusOr<Plan> fresh = Schedule(cluster.Freeze(), profile);
    const absl::StatusOr<Plan> living = cluster.Schedule(profile);
    const absl::StatusOr<Plan> again = loaded.Schedule(profile);
    ASSERT_TRUE(expected.ok() && fresh.ok() && living.ok() && again.ok());
    ASSERT_EQ(fresh->Digest(), living->Digest()) << seed;
    ASSERT_EQ(fresh->Digest(), again->Digest()) << seed;
    ASSERT_EQ(fresh->ToText(), expected->ToText()) << seed << " " << profile;
    decisions += static_cast<int64_t>(expected->decisions().size());
  }
  EXPECT_GT(decisions, 200);
}

TEST(Rules, ErrorsNameThePlaceInTheFile) {
  const auto refusal = [](const std::string& document) {
    const absl::StatusOr<Scenario> scenario = ParseScenario(document);
    if (!scenario.ok()) return std::string(scenario.status().message());
    Cluster cluster;
    return std::string(Fill(*scenario, &cluster).message());
  };
  EXPECT_EQ(refusal(R"({"muster": 1, "queues": [{"name": "q", "rules": {"stop": "holds"}}]})"),
            "scenario: queues[0].rules.stop: unknown stop policy \"holds\", did you mean "
            "\"hold\"?");
  EXPECT_EQ(refusal(R"({"muster": 1, "flavors": [{"name": "f"}, {"name": "f"}]})"),
            "scenario: flavors[1]: flavor \"f\": is given twice");
  EXPECT_EQ(refusal(R"({"muster": 1, "reservations": [{"name": "r", "shape": "s"}]})"),
            "scenario: reservations[0].shape: no shape is named \"s\"");
  EXPECT_EQ(refusal(R"({"muster": 1, "partitions": [{"name": "p", "nodes": [""]}]})"),
            "scenario: partitions[0]: partition \"p\", node \"\": the name is empty");
}

}  // namespace
}  // namespace muster::testing
