// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Arbitration of migrations, and the rules that pack nodes, worked out by hand.
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/koordinator/rebalance/arbitration.h"
#include "lib/peer/koordinator/rebalance/bin_pack.h"
#include "lib/peer/koordinator/rebalance/fragmentation.h"
#include "lib/peer/koordinator/rebalance/level_drain.h"

namespace muster::koordinator {
namespace {

MigratedTask Migrant(const std::string& id, const std::string& node = "n") {
  return {.id = id, .name_space = "ns", .name = id, .node = node, .owner = "w"};
}

MigrationJob Job(const std::string& id, bool has_passed = false) {
  return {.has_passed = has_passed, .target = MigrationJob::Target{id, "ns", id}};
}

TEST(KoordinatorArbitration, MostAway) {
  EXPECT_EQ(MostAway(100, {}), 10);
  EXPECT_EQ(MostAway(10, {}), 2);
  EXPECT_EQ(MostAway(3, {}), 1);
  EXPECT_EQ(MostAway(0, {}), 0);
  EXPECT_EQ(MostAway(5, Portion{10, true}), 1);  // half a task: at least one
  EXPECT_EQ(MostAway(25, Portion{10, true}), 2);
  EXPECT_EQ(MostAway(2, Portion{7, false}), 2);
}

TEST(KoordinatorArbitration, CountsWithoutTheTaskItself) {
  MigrationWorld world{.tasks = {Migrant("a"), Migrant("b"), Migrant("c", "m")},
                       .jobs = {Job("b"), Job("c", true)}};
  const MigrationLimits limits{.total = 2, .per_node = 1, .per_namespace = 1};
  EXPECT_FALSE(FitsTotal(world, limits, Migrant("a"), Counting::kAll));
  EXPECT_TRUE(FitsTotal(world, limits, Migrant("a"), Counting::kArbitrated));
  EXPECT_TRUE(FitsTotal(world, limits, Migrant("b"), Counting::kAll));
  EXPECT_FALSE(FitsNode(world, limits, Migrant("a"), Counting::kAll));
  EXPECT_TRUE(FitsNode(world, limits, Migrant("a"), Counting::kArbitrated));
  EXPECT_TRUE(FitsNode(world, limits, Migrant("b"), Counting::kAll));
  EXPECT_FALSE(FitsNamespace(world, limits, Migrant("a"), Counting::kArbitrated));
  EXPECT_TRUE(FitsNamespace(world, limits, Migrant("c"), Counting::kArbitrated));
  EXPECT_TRUE(HasMigration(world, Migrant("b"), Counting::kAll));
  world.jobs[0].phase = MigrationPhase::kEnded;
  EXPECT_FALSE(HasMigration(world, Migrant("b"), Counting::kAll));
}

TEST(KoordinatorArbitration, Workloads) {
  MigrationWorld world{.tasks = {Migrant("a"), Migrant("b"), Migrant("c")},
                       .jobs = {Job("b", true)},
                       .workloads = {{"w", {.replicas = 10, .unavailable = {"ns/b", "ns/c"}}}}};
  MigrationLimits limits{.migrating = Portion{2, false}, .unavailable = Portion{3, false}};
  EXPECT_TRUE(FitsWorkload(world, limits, Migrant("a"), Counting::kAll));
  limits.unavailable = Portion{2, false};
  EXPECT_FALSE(FitsWorkload(world, limits, Migrant("a"), Counting::kAll));
  limits.skips_unavailable = true;
  EXPECT_TRUE(FitsWorkload(world, limits, Migrant("a"), Counting::kAll));
  limits.migrating = Portion{1, false};
  EXPECT_FALSE(FitsWorkload(world, limits, Migrant("a"), Counting::kAll));
  world.jobs.clear();  // the limit only binds if one already migrates
  limits.migrating = Portion{0, false};
  EXPECT_TRUE(FitsWorkload(world, limits, Migrant("a"), Counting::kAll));
  EXPECT_TRUE(HasSpareReplicas(world, {}, Migrant("a")));
  EXPECT_FALSE(HasSpareReplicas(world, {.migrating = Portion{100, true}}, Migrant("a")));
  world.workloads["w"].replicas = 1;
  EXPECT_FALSE(HasSpareReplicas(world, {}, Migrant("a")));
  EXPECT_TRUE(HasSpareReplicas(world, {.checks_replicas = false}, Migrant("a")));
}

TEST(KoordinatorArbitration, OrdersAndVerdicts) {
  MigrationWorld world{.tasks = {Migrant("a"), Migrant("b"), Migrant("c"), Migrant("d")},
                       .jobs = {Job("a"), Job("b"), Job("c"), Job("d")},
                       .workloads = {{"batch", {.replicas = 10}}}};
  for (MigratedTask& task : world.tasks) task.owner.clear();
  for (const size_t i : {0, 3}) {
    world.tasks[i].owner = "batch";
    world.tasks[i].is_of_batch_job = true;
  }
  world.jobs[1].created = 1;
  JobOrder order = {0, 1, 2, 3};
  SortNewestFirst(world, &order);
  EXPECT_EQ(order, (JobOrder{1, 0, 2, 3}));
  GatherBatchJobs(world, &order);
  EXPECT_EQ(order, (JobOrder{1, 0, 3, 2}));
  world.jobs[3].is_marked = true;
  EXPECT_EQ(MigrationsOf(world, "batch"), 1);
  SortByMigrations(world, &order);
  EXPECT_EQ(order, (JobOrder{0, 3, 1, 2}));
  // One at a time: the first passes and holds up the others.
  const MigrationLimits limits{.total = 1};
  const auto may_leave = [](const MigratedTask& task) { return task.name != "b"; };
  const auto fits = [&](const MigratedTask& task) { return FitsLimits(world, limits, task); };
  std::string text;
  for (const Verdict& verdict : Arbitrate({0, 1, 2, 3}, may_leave, fits, &world)) {
    text += std::to_string(verdict.job) + (verdict.ruling == Ruling::kPassed  ? "+ "
                                           : verdict.ruling == Ruling::kWaits ? "? "
                                                                              : "- ");
  }
  EXPECT_EQ(text, "0+ 3? 1- 2? ");
  EXPECT_EQ(world.jobs[1].phase, MigrationPhase::kEnded);
}

TEST(KoordinatorFragmentation, MostUneven) {
  FragmentedNode node{.allocatable = {{"cpu", 10'000}, {"memory", 10'000}}};
  node.tasks = {{"even", {{"cpu", 1000}, {"memory", 1000}}},
                {"cpu", {{"cpu", 6000}}},
                {"held", {{"cpu", 2000}}, false}};
  const std::vector<std::string> both = {"cpu", "memory"};
  EXPECT_DOUBLE_EQ(Imbalance(node, both, {}), 0.4);          // 0.9 and 0.1
  EXPECT_DOUBLE_EQ(Imbalance(node, {"cpu", "gpu"}, {}), 0);  // the node has no gpu
  EXPECT_EQ(MostUneven(node, {}), 1u);
  EXPECT_EQ(MostUneven(node, {.imbalance = 0.4}), std::nullopt);
  EXPECT_EQ(MostUneven(node, {.gain = 0.31}), std::nullopt);
}

TEST(KoordinatorBinPack, EasyNodesFirst) {
  std::vector<PackNode> nodes(4);
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = "n" + std::to_string(i);
    nodes[i].allocatable = {{"cpu", 10'000}};
    nodes[i].tasks = {{"a", "t", {{"cpu", 1000}}, 0, PackRole::kTarget}};
  }
  nodes[0].tasks.push_back({"a", "o", {{"cpu", 1000}}, 0, PackRole::kOther});
  nodes[1].tasks.push_back({"a", "u", {{"cpu", 2000}}, 0, PackRole::kTarget});
  nodes[1].tasks.push_back({"a", "v", {{"cpu", 1000}}, 5, PackRole::kTarget});
  nodes[2].tasks[0].requests.clear();
  nodes[2].tasks.push_back({"a", "h", {{"cpu", 1000}}, 0, PackRole::kHeldTarget});
  std::string text;
  for (const PackedTask& task : ScaleDownOrder(nodes, {})) {
    text += nodes[task.node].name + nodes[task.node].tasks[task.task].name + " ";
  }
  EXPECT_EQ(text, "n3t n1u n1v n1t n0t n2t ");
  EXPECT_EQ(ScaleDownOrder(nodes, {}).back().score, std::numeric_limits<double>::infinity());
}

TEST(KoordinatorLevelDrain, SingleTasksAndWholeNodes) {
  const auto level = [](const std::string& name) {
    return DrainLevel{name, Selector{.match_labels = {{"tier", name}}}};
  };
  const std::vector<DrainLevel> levels = {level("gold"), level("silver")};
  EXPECT_TRUE(CheckLevels(levels).ok());
  EXPECT_FALSE(CheckLevels(std::vector{levels[0]}).ok());
  EXPECT_FALSE(CheckLevels(std::vector{levels[0], levels[0]}).ok());
  std::vector<DrainNode> nodes(3);
  nodes[0] = {.name = "s", .labels = {{"tier", "gold"}}};
  nodes[1] = {.name = "t", .labels = {{"tier", "silver"}}, .left = {{"cpu", 2000}}};
  nodes[2] = {.name = "u", .labels = {{"tier", "silver"}}, .left = {{"cpu", 1000}}};
  nodes[0].tasks = {{"a", "x", {{"cpu", 2000}}}, {"a", "y", {{"cpu", 1000}}}};
  const auto groups = NodesOfLevels(levels, nodes);
  EXPECT_EQ(groups, (std::vector<std::vector<size_t>>{{0}, {1, 2}}));
  const auto fits = [](const DrainNode::Task& task, const DrainNode& node) {
    return AmountOf(task.requests, "cpu") <= AmountOf(node.left, "cpu");
  };
  // Small ones first: y takes a core of t, and x finds no place any more.
  EXPECT_EQ(DrainLevels(groups, nodes, {.whole_nodes = true}, fits).size(), 0u);
  EXPECT_EQ(DrainLevels(groups, nodes, {.checks_targets = true}, fits).size(), 2u);
  nodes[1].left = {{"cpu", 3000}};
  EXPECT_EQ(DrainLevels(groups, nodes, {.whole_nodes = true}, fits).size(), 2u);
  // Five misses in a row end the search.
  nodes[0].tasks.assign(5, {"a", "big", {{"cpu", 9000}}});
  nodes[0].tasks.push_back({"a", "small", {{"cpu", 1}}});
  EXPECT_EQ(TasksThatFit(nodes[0], {0, 1, 2, 3, 4, 5}, nodes, {1, 2}, fits).size(), 0u);
  EXPECT_EQ(TasksThatFit(nodes[0], {0, 1, 2, 3, 5}, nodes, {1, 2}, fits).size(), 1u);
}

}  // namespace
}  // namespace muster::koordinator
