// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "muster/bound.h"

#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/schedule.h"
#include "tests/support/random_devices.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"

namespace muster {
namespace {

using testing::MakeCluster;

Resources Gpus(int gpus) { return {{"cpu", 1}, {"nvidia.com/gpu", gpus}}; }

NodeSpec GpuNode(const std::string& name, int gpus) {
  return {.name = name, .capacity = {{"cpu", 64}, {"nvidia.com/gpu", gpus}}};
}

JobSpec Gang(const std::string& name, int count, int gpus, int min_available = 0) {
  return {.name = name,
          .min_available = min_available,
          .groups = {{.name = "w", .count = count, .shape = {.request = Gpus(gpus)}}}};
}

Bound BoundOfWorld(const ClusterSpec& world, const BoundOptions& options = {}) {
  const absl::StatusOr<Bound> bound = BoundOf(MakeCluster(world).Freeze(), options);
  EXPECT_TRUE(bound.ok()) << bound.status();
  return *bound;
}

int64_t BestOfWorld(const ClusterSpec& world, const BoundOptions& options = {}) {
  const absl::StatusOr<Best> best = BestOf(MakeCluster(world).Freeze(), options);
  EXPECT_TRUE(best.ok()) << best.status();
  EXPECT_TRUE(best->proven);
  return best->tasks;
}

TEST(Bound, CountsWholeTasksOfEachNode) {
  ClusterSpec world;
  world.nodes = {GpuNode("a", 3), GpuNode("b", 3)};
  world.jobs = {Gang("j", 4, 2)};
  const Bound bound = BoundOfWorld(world);
  EXPECT_EQ(bound.waiting, 4);
  EXPECT_EQ(bound.tasks, 2);  // one a node, not three on six GPUs
  EXPECT_THAT(bound.dimensions, ::testing::ElementsAre("cpu", "nvidia.com/gpu"));
  EXPECT_THAT(bound.requested, ::testing::ElementsAre(4000, 8000));
  EXPECT_THAT(bound.amounts, ::testing::ElementsAre(2000, 4000));
  EXPECT_EQ(BestOfWorld(world), 2);
}

TEST(Bound, ChoosesWhatIsCounted) {
  ClusterSpec world;
  world.nodes = {GpuNode("a", 8)};
  world.jobs = {Gang("large", 1, 8), Gang("small", 5, 1)};
  const Bound bound = BoundOfWorld(world);
  EXPECT_EQ(bound.tasks, 5);
  EXPECT_EQ(bound.amounts[1], 8000);
}

TEST(Bound, RulesOfNodesCountOnlyIfAsked) {
  ClusterSpec world;
  world.nodes = {GpuNode("a", 4), GpuNode("b", 4)};
  world.nodes[0].taints = {{"only", "", TaintEffect::kNoSchedule}};
  world.jobs = {Gang("j", 8, 1)};
  EXPECT_EQ(BoundOfWorld(world).tasks, 4);
  EXPECT_EQ(BestOfWorld(world), 4);
  EXPECT_EQ(BoundOfWorld(world, {.node_rules = false}).tasks, 8);
  world.nodes[0].taints.clear();
  world.nodes[0].unschedulable = true;
  EXPECT_EQ(BoundOfWorld(world).tasks, 4);
}

TEST(Bound, LimitsHoldUpToTheRoot) {
  ClusterSpec world;
  world.nodes = {GpuNode("a", 8)};
  world.queues = {{.name = "root", .limit = Resources{{"nvidia.com/gpu", 3}}},
                  {.name = "q", .parent = "root", .limit = Resources{{"nvidia.com/gpu", 5}}}};
  world.jobs = {Gang("j", 8, 1)};
  world.jobs[0].queue = "q";
  EXPECT_EQ(BoundOfWorld(world).tasks, 3);
  EXPECT_EQ(BestOfWorld(world), 3);
  EXPECT_EQ(BoundOfWorld(world, {.queue_limits = false}).tasks, 8);
}

TEST(Bound, NothingOfAGangThatCannotBecomeWhole) {
  ClusterSpec world;
  world.nodes = {GpuNode("a", 4)};
  world.jobs = {Gang("j", 5, 1, 5)};
  EXPECT_EQ(BoundOfWorld(world).tasks, 0);
  EXPECT_EQ(BestOfWorld(world), 0);
  EXPECT_EQ(BoundOfWorld(world, {.gangs = false}).tasks, 4);
}

TEST(Bound, RunningTasksKeepTheirPlaceUnlessTheyMayBeEvicted) {
  ClusterSpec world;
  world.nodes = {GpuNode("a", 4)};
  world.jobs = {Gang("j", 4, 1), {.name = "r"}};
  for (int i = 0; i < 3; ++i) {
    world.tasks.push_back({.name = absl::StrCat("r", i),
                           .job = "r",
                           .shape = {.request = Gpus(1)},
                           .status = TaskStatus::kRunning,
                           .node = "a",
                           .preemptable = i > 0});
  }
  EXPECT_EQ(BoundOfWorld(world).tasks, 1);
  EXPECT_EQ(BoundOfWorld(world, {.evictions = true}).tasks, 3);
  world.tasks[1].status = TaskStatus::kReleasing;
  EXPECT_EQ(BoundOfWorld(world).tasks, 2);
}

TEST(Bound, DevicesAreCountedByKind) {
  ClusterSpec world;
  world.nodes = {{.name = "a", .capacity = {{"cpu", 64}}}};
  for (int i = 0; i < 3; ++i) {
    world.nodes[0].devices.push_back({.name = absl::StrCat("g", i), .kind = "gpu"});
  }
  world.nodes[0].devices[2].healthy = false;
  JobSpec job = {.name = "j"};
  job.groups = {{.name = "w",
                 .count = 9,
                 .shape = {.request = {{"cpu", 1}}, .devices = {{.kind = "gpu", .milli = 500}}}}};
  world.jobs = {job};
  EXPECT_EQ(BoundOfWorld(world).tasks, 4);
  EXPECT_EQ(BoundOfWorld(world, {.devices = false}).tasks, 9);
  const absl::StatusOr<Best> best = BestOf(MakeCluster(world).Freeze());
  EXPECT_EQ(best.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(best.status().message(), "task \"j-w-0\" requests devices; the best is known without");
}

TEST(Bound, RefusesWorkBelowOneAndPlansOfAnotherVersion) {
  Cluster cluster;
  const Snapshot before = cluster.Freeze();
  EXPECT_EQ(BoundOf(before, {.work = 0}).status().message(),
            "work: 0 is not in 1..9223372036854775807");
  EXPECT_EQ(BestOf(before, {.work = -1}).status().message(),
            "work: -1 is not in 1..9223372036854775807");
  ASSERT_TRUE(cluster.AddNode(GpuNode("a", 1)).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule("muster");
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(std::string(GapOf(before, *plan).status().message()),
              ::testing::HasSubstr("must be of the snapshot's"));
}

TEST(Bound, FindsTheRowsOfAnotherClusterByName) {
  const auto made = [](const std::vector<const char*>& nodes, const char* task) {
    Cluster cluster;
    for (const char* node : nodes) EXPECT_TRUE(cluster.AddNode(GpuNode(node, 1)).ok());
    EXPECT_TRUE(cluster.AddJob({.name = "j"}).ok());
    TaskSpec spec{.name = task, .job = "j"};
    spec.shape.request = {{"nvidia.com/gpu", 1}};
    EXPECT_TRUE(cluster.AddTask(spec).ok());
    return cluster;
  };
  Cluster wide = made({"a", "b", "c"}, "t"), alike = made({"c", "b", "a"}, "t");
  Cluster of_other_names = made({"d", "e", "f"}, "t"), empty;
  const absl::StatusOr<Plan> plan = wide.Schedule("muster");
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->binds().size(), 1u);
  EXPECT_EQ(GapOf(alike.Freeze(), *plan)->placed, 1);
  EXPECT_EQ(std::string(GapOf(of_other_names.Freeze(), *plan).status().message()),
            "plan: the snapshot lacks task \"t\" or node \"a\" of it");
  // As many changes, and no rows that the plan has.
  while (empty.version() < wide.version()) {
    ASSERT_TRUE(empty.AddNode({.name = "n" + std::to_string(empty.version())}).ok());
  }
  ASSERT_EQ(empty.version(), wide.version());
  EXPECT_THAT(std::string(GapOf(empty.Freeze(), *plan).status().message()),
              ::testing::HasSubstr("the snapshot lacks task"));
}

// What the prices prove, evaluated anew from the words of the header.
absl::int128 ProvenAgain(const BoundProgram& program, size_t o, const std::vector<int64_t>& y) {
  std::vector<absl::int128> pays(program.most.size(), 0);
  absl::int128 sum = 0;
  for (size_t c = 0; c < program.most.size(); ++c) {
    for (uint32_t e = program.first[c]; e < program.first[c + 1]; ++e) {
      pays[c] += absl::int128(y[program.row[e]]) * program.amount[e];
    }
    const absl::int128 left = (absl::int128(program.value[o][c]) << 40) - pays[c];
    if (left > 0) sum += left * program.most[c];
  }
  for (size_t i = 0; i < y.size(); ++i) sum += absl::int128(y[i]) * program.capacity[i];
  return sum / (absl::int128(1) << 40);
}

TEST(BoundWorlds, NoProfileExceedsTheBound) {
  int64_t plans = 0, near = 0, broken = 0;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    Rng rng(seed);
    ClusterSpec world = testing::RandomWorld(seed);
    if (seed % 3 == 1) testing::AddDevices(rng, &world);
    const Snapshot snapshot = MakeCluster(world).Freeze();
    for (const ProfileInfo& profile : Profiles()) {
      const absl::StatusOr<Plan> plan = Schedule(snapshot, profile.name);
      if (!plan.ok()) continue;  // what the profile refuses
      const absl::StatusOr<PlanGap> gap = GapOf(snapshot, *plan, {.work = 200'000});
      ASSERT_TRUE(gap.ok()) << gap.status();
      const Bound& bound = gap->bound;
      ASSERT_LE(gap->placed, bound.tasks) << "seed " << seed << " " << profile.name;
      ASSERT_EQ(gap->amounts.size(), bound.amounts.size());
      for (size_t d = 0; d < gap->amounts.size(); ++d) {
        ASSERT_LE(gap->amounts[d], bound.amounts[d])
            << "seed " << seed << " " << profile.name << " " << bound.dimensions[d];
        ASSERT_LE(bound.amounts[d], bound.requested[d]);
      }
      for (size_t o = 0; o < bound.proofs.size(); ++o) {
        ASSERT_EQ(ProvenAgain(bound.program, o, bound.proofs[o].prices), bound.proofs[o].steps);
      }
      broken += !gap->broken.empty();
      ++plans;
      if (gap->broken.empty()) {
        // The bound of the snapshot alone, which has not seen the plan.
        bool evicts = false;
        for (const Decision& d : plan->decisions()) {
          evicts |= d.kind == DecisionKind::kEvict || d.kind == DecisionKind::kMove;
        }
        const BoundOptions options{.evictions = evicts, .work = 200'000};
        const absl::StatusOr<Bound> alone = BoundOf(snapshot, options);
        ASSERT_TRUE(alone.ok());
        const bool spares = !evicts || profile.name == "muster";
        if (spares) ASSERT_LE(gap->placed, alone->tasks) << "seed " << seed << profile.name;
      }
      // A profile that keeps all rules by its own invariants breaks none here.
      if (profile.name == "muster") EXPECT_TRUE(gap->broken.empty()) << gap->broken[0];
      near += gap->placed == bound.tasks;
    }
  }
  EXPECT_GT(plans, 2000);
  // Bounds that are met say that they are not merely large.
  EXPECT_GT(near, plans / 4);
  EXPECT_LT(broken, plans);
}

}  // namespace
}  // namespace muster
