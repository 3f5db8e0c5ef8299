// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tasks leave which nodes, worked out by hand. One core is 1000, one unit of memory 1000.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/peer/koordinator/rebalance/anomaly.h"
#include "lib/peer/koordinator/rebalance/evictable.h"
#include "lib/peer/koordinator/rebalance/eviction_limits.h"
#include "lib/peer/koordinator/rebalance/eviction_order.h"
#include "lib/peer/koordinator/rebalance/low_node_load.h"
#include "lib/peer/koordinator/rebalance/node_room.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kRebalanceSecond = 1'000'000'000;

std::string Text(const std::vector<TaskMove>& moves) {
  std::string text;
  for (const TaskMove& move : moves) text += move.node + ":" + move.task + " ";
  return text;
}

bool Anywhere(const LoadedTask&, const LoadedNode&) { return true; }

// A node of 10 cores with tasks t0, t1, ... of one core each.
LoadedNode Node(const std::string& name, int tasks) {
  LoadedNode node{.name = name, .capacity = {{"cpu", 10'000}, {"memory", 100'000}}};
  for (int i = 0; i < tasks; ++i) {
    node.tasks.push_back({.name = name + "/t" + std::to_string(i),
                          .name_space = "ns",
                          .rank = {.band = Band::kProduction},
                          .usage = NamedAmounts{{"cpu", 1000}, {"memory", 1000}}});
  }
  return node;
}

LowNodeLoadRules Rules() {
  return {
      .pools = {{.thresholds = {.all = {{{"cpu", 20}}, {{"cpu", 50}}}}, .weights = {{"cpu", 1}}}},
      .checks_targets = false};
}

TEST(KoordinatorEvictionOrder, Ranks) {
  const std::vector<EvictionRank> ranks = {
      {.band = Band::kNone},
      {.band = Band::kProduction, .priority = 1},
      {.band = Band::kProduction, .priority = 1, .relief = 0.5},
      {.band = Band::kProduction, .priority = 1, .relief = 0.7},
      {.band = Band::kProduction, .priority = 1, .eviction_cost = -1},
      {.band = Band::kBatch, .priority = 9, .service = Service::kBe, .created = 1},
      {.band = Band::kBatch, .priority = 9, .service = Service::kBe, .created = 2},
      {.band = Band::kBatch, .priority = 9, .service = Service::kLs}};
  EXPECT_EQ(EvictionOrder(ranks), (std::vector<size_t>{6, 5, 7, 4, 3, 2, 1, 0}));
}

TEST(KoordinatorEvictionOrder, Scores) {
  EXPECT_EQ(UsageScore({{"cpu", 500}, {"memory", 1'024'000}},
                       {{"cpu", 1000}, {"memory", 2'048'000}}, {{"cpu", 2}, {"memory", 3}}),
            500);
  EXPECT_EQ(UsageScore({{"cpu", 500}}, {}, {}), 0);
  EXPECT_EQ(BusyScore(1200, 1000), 1000);
  EXPECT_DOUBLE_EQ(ReliefRatio(2, 4), 0.5);
  EXPECT_DOUBLE_EQ(ReliefRatio(4, 2), 1.5);  // exactly enough would be 2
  EXPECT_DOUBLE_EQ(
      ReliefScore({{"cpu", 1000}, {"memory", 4000}}, {{"cpu", 2000}}, {{"cpu", 1}, {"memory", 0}}),
      0.5);
  EXPECT_EQ(OrderByPriority(std::vector<SimpleRank>{{5, KubeService::kGuaranteed},
                                                    {5, KubeService::kBurstable},
                                                    {{}, KubeService::kGuaranteed},
                                                    {5, KubeService::kBestEffort}}),
            (std::vector<size_t>{2, 3, 1, 0}));
  EXPECT_EQ(OrderByAge(std::vector<int64_t>{3, 1, 2}), (std::vector<size_t>{1, 2, 0}));
}

TEST(KoordinatorAnomaly, RoundsTimeoutsAndResets) {
  AnomalyBook book(300 * kRebalanceSecond);
  const AnomalyRules rules{.abnormal_rounds = 2, .normal_rounds = 1};
  EXPECT_FALSE(book.MarkAbnormal("n", rules, 0));
  EXPECT_FALSE(book.MarkAbnormal("n", rules, 0));
  EXPECT_TRUE(book.MarkAbnormal("n", rules, 0));
  book.MarkNormal("n", 0);
  EXPECT_TRUE(book.IsAbnormal("n", 0));
  book.MarkNormal("n", 0);
  EXPECT_FALSE(book.IsAbnormal("n", 0));
  for (int i = 0; i < 3; ++i) book.MarkAbnormal("n", rules, kRebalanceSecond);
  EXPECT_TRUE(book.IsAbnormal("n", 61 * kRebalanceSecond));
  EXPECT_FALSE(book.IsAbnormal("n", 61 * kRebalanceSecond + 1));
  // A normal node keeps its counts through a reset.
  book.MarkAbnormal("m", rules, 0);
  book.MarkAbnormal("m", rules, 0);
  book.Reset("m", 0);
  EXPECT_TRUE(book.MarkAbnormal("m", rules, 0));
  // A node is forgotten some time after its last abnormal round.
  book.MarkAbnormal("f", rules, 0);
  book.MarkAbnormal("f", rules, 0);
  EXPECT_FALSE(book.MarkAbnormal("f", rules, 301 * kRebalanceSecond));
}

TEST(KoordinatorEvictionLimits, NodesNamespacesAndAll) {
  EvictionBook book({.per_node = 1, .per_namespace = 2, .total = 3});
  book.Count("n", "a");
  EXPECT_FALSE(book.Allows("n", "b"));
  EXPECT_TRUE(book.Allows("", "a"));
  book.Count("", "a");
  EXPECT_FALSE(book.Allows("m", "a"));
  EXPECT_TRUE(book.Allows("m", "b"));
  book.Count("m", "b");
  EXPECT_FALSE(book.Allows("o", "c"));
}

TEST(KoordinatorEvictable, TraitsAndRules) {
  const TaskTraits owned{.owner_kinds = {"ReplicaSet"}};
  EXPECT_TRUE(IsEvictable(owned, {}));
  EXPECT_FALSE(IsEvictable({}, {}));
  EXPECT_TRUE(IsEvictable({}, {.takes_bare = true}));
  EXPECT_TRUE(IsEvictable({.is_failed = true}, {.takes_failed_bare = true}));
  TaskTraits task = owned;
  task.has_local_data = true;
  EXPECT_FALSE(IsEvictable(task, {}));
  task.has_evict_mark = true;
  EXPECT_TRUE(IsEvictable(task, {}));
  task.eviction_cost = kNeverCost - 1;
  EXPECT_TRUE(IsEvictable(task, {}));
  task.eviction_cost = kNeverCost;
  EXPECT_FALSE(IsEvictable(task, {}));
  task = owned;
  task.priority = 10;
  EXPECT_FALSE(IsEvictable(task, {.below_priority = 10}));
  EXPECT_TRUE(IsEvictable(task, {.takes_critical = true, .below_priority = 10}));
  task.priority = 2'000'000'000;
  EXPECT_FALSE(IsEvictable(task, {}));
  EXPECT_FALSE(IsEvictable({.owner_kinds = {"DaemonSet"}}, {}));
  EXPECT_FALSE(IsEvictable({.owner_kinds = {"Job"}, .source = "file"}, {}));
  EXPECT_FALSE(IsChosen({.name_space = "a"}, {.excluded = {"a"}}));
  EXPECT_FALSE(IsChosen({.name_space = "a"}, {.included = {"b"}}));
  EXPECT_EQ(*PriorityThreshold({}), 2'000'000'000);
  EXPECT_FALSE(PriorityThreshold(2'000'000'001).ok());
}

TEST(KoordinatorNodeRoom, RequestsLabelsAndTaints) {
  NodeRoom room{.allocatable = {{"cpu", 2000}, {"gpu", 1000}}, .requested = {{"cpu", 1500}}};
  room.node.name = "n";
  MovableTask task{.node = "n", .requests = {{"cpu", 500}, {"gpu", 1000}}};
  EXPECT_TRUE(HasRoomFor(task, room));
  EXPECT_FALSE(AnyHasRoomFor(task, std::vector{room}, /*skips_own=*/true));
  task.requests = {{"cpu", 501}};
  EXPECT_FALSE(HasRoomFor(task, room));
  task.requests = {{"card", 1000}};  // that the node does not list
  EXPECT_FALSE(HasRoomFor(task, room));
  task.requests = {};
  room.node.unschedulable = true;
  EXPECT_FALSE(HasRoomFor(task, room));
  room.node.unschedulable = false;
  room.node.taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}};
  EXPECT_FALSE(HasRoomFor(task, room));
}

TEST(KoordinatorLoadView, Thresholds) {
  LoadThresholds thresholds{.all = {{{"cpu", 30}}, {{"gpu", 50}}}};
  FillThresholds(&thresholds);
  // A resource without a low threshold loses its high one; one without a high one has zero.
  EXPECT_EQ(thresholds.all.low, (Percents{{"cpu", 30}, {"gpu", 100}, {"memory", 100}}));
  EXPECT_EQ(thresholds.all.high, (Percents{{"gpu", 100}, {"memory", 100}}));
  EXPECT_EQ(PercentOfAmount("cpu", 1999, 50), 999);
  EXPECT_EQ(PercentOfAmount("memory", 1999, 50), 1000);  // half of two whole units
  EXPECT_TRUE(IsExpired({}, 0, 180));
  EXPECT_FALSE(IsExpired({}, 0, {}));
  EXPECT_TRUE(IsExpired(0, 180 * kRebalanceSecond, 180));
  EXPECT_FALSE(IsExpired(0, 999 * kRebalanceSecond, 0));
}

TEST(KoordinatorLoadView, DistancesFromTheAverage) {
  const std::vector<LoadedNode> nodes = {Node("a", 8), Node("b", 2)};
  const std::vector<size_t> all = {0, 1};
  LoadView view({.all = {{{"cpu", 10}}, {{"cpu", 10}}}, .is_distance = true}, nodes, all);
  EXPECT_EQ(view.nodes()[0].all.low, (std::vector<int64_t>{4000, 100'000}));
  EXPECT_EQ(view.nodes()[0].all.high, (std::vector<int64_t>{6000, 100'000}));
  const LoadView::Classes classes = view.Classify();
  EXPECT_EQ(classes.over, std::vector<size_t>{0});
  EXPECT_EQ(classes.both_under, std::vector<size_t>{1});
}

TEST(KoordinatorLowNodeLoad, UntilTheNodeFitsOrRoomIsUsedUp) {
  LowNodeLoad balancer(Rules());
  EXPECT_EQ(Text(balancer.Balance(std::vector{Node("a", 7), Node("b", 1)}, Anywhere, 0)),
            "a:a/t0 a:a/t1 ");
  // Four cores of room for two nodes, the busier one first.
  EXPECT_EQ(
      Text(balancer.Balance(std::vector{Node("a", 8), Node("b", 1), Node("c", 9)}, Anywhere, 0)),
      "c:c/t0 c:c/t1 c:c/t2 c:c/t3 ");
  EXPECT_EQ(Text(balancer.Balance(std::vector{Node("a", 7), Node("b", 4)}, Anywhere, 0)), "");
  std::vector<LoadedNode> closed = {Node("a", 7), Node("b", 1)};
  closed[1].takes_tasks = false;
  EXPECT_EQ(Text(balancer.Balance(closed, Anywhere, 0)), "");
}

TEST(KoordinatorLowNodeLoad, LimitsAndIdleNodes) {
  LowNodeLoadRules rules = Rules();
  rules.limits.total = 1;
  const std::vector<LoadedNode> nodes = {Node("a", 7), Node("b", 1)};
  EXPECT_EQ(Text(LowNodeLoad(rules).Balance(nodes, Anywhere, 0)), "a:a/t0 ");
  rules.idle_nodes = 1;
  EXPECT_EQ(Text(LowNodeLoad(rules).Balance(nodes, Anywhere, 0)), "");
  rules.idle_nodes = 0;
  rules.is_paused = true;
  EXPECT_EQ(Text(LowNodeLoad(rules).Balance(nodes, Anywhere, 0)), "");
}

TEST(KoordinatorLowNodeLoad, ActsAfterSomeRounds) {
  LowNodeLoadRules rules = Rules();
  rules.pools[0].anomaly = AnomalyRules{.abnormal_rounds = 2};
  LowNodeLoad balancer(rules);
  const std::vector<LoadedNode> nodes = {Node("a", 6), Node("b", 1)};
  EXPECT_EQ(Text(balancer.Balance(nodes, Anywhere, 0)), "");
  EXPECT_EQ(Text(balancer.Balance(nodes, Anywhere, 1)), "");
  EXPECT_EQ(Text(balancer.Balance(nodes, Anywhere, 2)), "a:a/t0 ");
}

TEST(KoordinatorLowNodeLoad, ChecksAddToTheTarget) {
  LowNodeLoadRules rules = Rules();
  rules.checks_targets = true;
  // The target can take four tasks; the checks of t0 to t3 fill it, and t4 to t6 stay. The node
  // then gives up what it must of the four.
  std::vector<LoadedNode> nodes = {Node("a", 7), Node("b", 1)};
  for (LoadedTask& task : nodes[0].tasks) task.rank.priority = 9;
  nodes[0].tasks[6].rank.priority = 0;  // would be first, and fits no more
  EXPECT_EQ(Text(LowNodeLoad(rules).Balance(nodes, Anywhere, 0)), "a:a/t0 a:a/t1 ");
  const auto nowhere = [](const LoadedTask&, const LoadedNode&) { return false; };
  EXPECT_EQ(Text(LowNodeLoad(rules).Balance(nodes, nowhere, 0)), "");
}

TEST(KoordinatorLowNodeLoad, ProductionAloneAndPools) {
  LowNodeLoadRules rules = Rules();
  rules.pools[0].thresholds = {.all = {{{"cpu", 100}}, {{"cpu", 100}}},
                               .production = {{{"cpu", 20}}, {{"cpu", 50}}}};
  std::vector<LoadedNode> nodes = {Node("a", 8), Node("b", 1)};
  nodes[0].tasks[0].rank.band = Band::kBatch;
  // Seven of production: two must go, and the batch task stays though it ranks lower.
  EXPECT_EQ(Text(LowNodeLoad(rules).Balance(nodes, Anywhere, 0)), "a:a/t1 a:a/t2 ");
  rules = Rules();
  rules.pools[0].selector = Selector{.match_labels = {{"pool", "x"}}};
  EXPECT_EQ(Text(LowNodeLoad(rules).Balance(nodes, Anywhere, 0)), "");
  for (LoadedNode& node : nodes) node.labels = {{"pool", "x"}};
  rules.pools.push_back(rules.pools[0]);  // node a is handled then
  EXPECT_EQ(LowNodeLoad(rules).Balance(nodes, Anywhere, 0).size(), 3u);
}

}  // namespace
}  // namespace muster::koordinator
