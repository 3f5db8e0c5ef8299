// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Drains and missing nodes on clusters small enough to count by hand.
#include "muster/upkeep.h"

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/policy.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

NodeSpec PlainNode(const char* name, int64_t cpu) {
  return {.name = name, .capacity = {{"cpu", cpu}, {"pods", 99}}};
}

// Three nodes of 4; n0 runs the gang "g" of two, n1 a daemon without a job, n2 is empty.
Cluster Three() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNodes(3, PlainNode("n", 4)).ok());
  EXPECT_TRUE(
      cluster
          .AddJob({.name = "g",
                   .min_available = 2,
                   .groups = {{.count = 2,
                               .shape = {.request = {{"cpu", 2}}, .labels = {{"app", "g"}}}}}})
          .ok());
  for (const char* task : {"g-0", "g-1"}) {
    EXPECT_TRUE(cluster.SetTaskStatus(task, TaskStatus::kRunning, "n0").ok());
  }
  EXPECT_TRUE(cluster
                  .AddTask({.name = "daemon",
                            .shape = {.request = {{"cpu", 1}}},
                            .status = TaskStatus::kRunning,
                            .node = "n1"})
                  .ok());
  return cluster;
}

TEST(Drain, TasksGoElsewhere) {
  const Cluster cluster = Three();
  const absl::StatusOr<DrainReport> report =
      Drain(cluster, "volcano", std::vector<std::string>{"n0", "n1"});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->steps.size(), 2);
  EXPECT_EQ(report->steps[0].node, "n1");  // fewer tasks
  ASSERT_EQ(report->steps[0].tasks.size(), 1);
  EXPECT_TRUE(report->steps[0].tasks[0].ends);
  ASSERT_EQ(report->steps[1].tasks.size(), 2);
  EXPECT_EQ(report->steps[1].tasks[0].to, "n2");
  EXPECT_EQ(report->moved, 2);
  EXPECT_EQ(report->waiting, 0);
  EXPECT_THAT(report->steps[1].broken_gangs, IsEmpty());
}

// What has no job goes elsewhere only under a profile that places such tasks.
TEST(Drain, ATaskWithoutAJobGoesElsewhere) {
  const Cluster cluster = Three();
  const auto report = Drain(cluster, "kube-scheduler", std::vector<std::string>{"n1"});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->steps[0].tasks.size(), 1u);
  EXPECT_FALSE(report->steps[0].tasks[0].ends);
  EXPECT_EQ(report->steps[0].tasks[0].to, "n2");
  EXPECT_EQ(report->moved, 1);
}

TEST(Drain, AGangThatFindsNoRoomIsBroken) {
  const Cluster cluster = Three();
  const absl::StatusOr<DrainReport> report =
      Drain(cluster, "volcano", std::vector<std::string>{"n0", "n1", "n2"});
  ASSERT_TRUE(report.ok()) << report.status();
  const DrainStep& last = report->steps.back();
  EXPECT_EQ(last.node, "n0");
  EXPECT_THAT(last.broken_gangs, ElementsAre("g"));
  EXPECT_EQ(report->waiting, 2);
  EXPECT_NE(last.tasks[0].reason, "");
}

TEST(Drain, BudgetsAreCounted) {
  Cluster cluster = Three();
  ASSERT_TRUE(
      cluster
          .SetDisruptionBudget(
              {.name = "b", .selector = Selector{.match_labels = {{"app", "g"}}}, .allowed = 1})
          .ok());
  const auto report = Drain(cluster, "volcano", std::vector<std::string>{"n0"});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->steps[0].broken_budgets, ElementsAre("default/b"));
}

// Tasks of steps before that still wait have used up what a budget allows.
TEST(Drain, BudgetsAreSpentStepByStep) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, PlainNode("n", 2)).ok());
  for (const char* node : {"n0", "n1"}) {
    const std::string name = std::string("web-") + node;
    ASSERT_TRUE(cluster.AddJob({.name = name, .min_available = 1}).ok());
    TaskSpec task{.name = name, .job = name, .status = TaskStatus::kRunning, .node = node};
    task.shape = {.request = {{"cpu", 2}}, .labels = {{"app", "web"}}};
    ASSERT_TRUE(cluster.AddTask(task).ok());
  }
  DisruptionBudgetSpec budget{.name = "b", .allowed = 1};
  budget.selector = Selector{.match_labels = {{"app", "web"}}};
  ASSERT_TRUE(cluster.SetDisruptionBudget(budget).ok());
  const std::vector<std::string> nodes = {"n0", "n1"};
  const auto report = Drain(cluster, "volcano", nodes);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->steps[0].broken_budgets, IsEmpty());
  EXPECT_THAT(report->steps[1].broken_budgets, ElementsAre("default/b"));
  // With room elsewhere the first task runs again before the second one is evicted.
  ASSERT_TRUE(cluster.AddNodes(1, PlainNode("m", 4)).ok());
  const auto with_room = Drain(cluster, "volcano", nodes);
  ASSERT_TRUE(with_room.ok()) << with_room.status();
  EXPECT_THAT(with_room->steps[1].broken_budgets, IsEmpty());
}

// What may run on its node alone goes with it, and what tolerates closed nodes stays away from
// those that are drained.
TEST(Drain, NothingGoesToADrainedNode) {
  Cluster cluster = Three();
  TaskSpec pinned{.name = "of-a-daemon-set", .status = TaskStatus::kRunning, .node = "n0"};
  pinned.shape.request = {{"cpu", 0}};
  pinned.shape.required_node_affinity.emplace(
      1, NodeTerm{.match_fields = {{"metadata.name", RequirementOp::kIn, {"n0"}}}});
  pinned.shape.tolerations = {{.op = TolerationOp::kExists}};
  ASSERT_TRUE(cluster.AddTask(pinned).ok());
  TaskSpec tolerant{.name = "tolerant", .status = TaskStatus::kRunning, .node = "n0"};
  tolerant.shape.tolerations = {{.op = TolerationOp::kExists}};
  ASSERT_TRUE(cluster.AddTask(tolerant).ok());
  const auto report = Drain(cluster, "kube-scheduler", std::vector<std::string>{"n0", "n2"});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->steps.size(), 2u);
  const DrainStep& step = report->steps[1];
  EXPECT_EQ(step.node, "n0");
  ASSERT_EQ(step.tasks.size(), 4u);
  EXPECT_TRUE(step.tasks[2].ends);
  EXPECT_EQ(step.tasks[2].to, "");
  EXPECT_EQ(step.tasks[2].reason, "it may run on this node alone, and goes with it");
  EXPECT_FALSE(step.tasks[3].ends);
  EXPECT_EQ(step.tasks[3].to, "n1");
}

TEST(Drain, NamesABudgetOnce) {
  Cluster cluster = Three();
  ASSERT_TRUE(cluster
                  .SetDisruptionBudget({.name = "default/b",
                                        .selector = Selector{.match_labels = {{"app", "g"}}},
                                        .allowed = 1})
                  .ok());
  const auto report = Drain(cluster, "volcano", std::vector<std::string>{"n0"});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->steps[0].broken_budgets, ElementsAre("default/b"));
}

TEST(Drain, Refuses) {
  const Cluster cluster = Three();
  EXPECT_THAT(Drain(cluster, "kueue", std::vector<std::string>{"n0"}).status().message(),
              HasSubstr("profile \"kueue\" places no task on a node"));
  EXPECT_TRUE(Drain(cluster, "kueue:+allocate", std::vector<std::string>{"n0"}).ok());
  EXPECT_THAT(Drain(cluster, "volcano", std::vector<std::string>{"n7"}).status().message(),
              HasSubstr("node \"n7\" does not exist"));
  EXPECT_THAT(Drain(cluster, "volcano", std::vector<std::string>{"n0", "n0"}).status().message(),
              HasSubstr("node \"n0\" is listed twice"));
  EXPECT_FALSE(Drain(cluster, "vulcano", std::vector<std::string>{"n0"}).ok());
}

// Ten tasks of 2 and two of 6 wait; nothing is there.
Cluster Empty() {
  Cluster cluster;
  for (const auto& [name, count, cpu] : {std::tuple("small", 10, 2), std::tuple("large", 2, 6)}) {
    EXPECT_TRUE(cluster
                    .AddJob({.name = name,
                             .groups = {{.count = count, .shape = {.request = {{"cpu", cpu}}}}}})
                    .ok());
  }
  return cluster;
}

TEST(NeedNodes, CountsEachTypeAndFindsAMix) {
  const Cluster cluster = Empty();
  const std::vector<NodeOffer> offers = {{.node = PlainNode("big", 8), .price = 10},
                                         {.node = PlainNode("tiny", 2), .price = 1}};
  const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "volcano", offers);
  ASSERT_TRUE(needed.ok()) << needed.status();
  EXPECT_EQ(needed->waiting_before, 12);
  ASSERT_EQ(needed->alone.size(), 2);
  EXPECT_EQ(needed->alone[0].count, 4);  // 32 for 32, packed
  EXPECT_EQ(needed->alone[0].waits, "");
  EXPECT_EQ(needed->alone[1].count, 10);  // the large ones go on waiting
  EXPECT_EQ(needed->alone[1].waits, "large-0: 10 nodes: cpu");
  EXPECT_EQ(needed->alone[1].waiting, 2);
  EXPECT_EQ(needed->waiting_after, 0);
  EXPECT_LT(needed->price, 40);  // big alone costs that
  ASSERT_EQ(needed->cheapest.size(), 2);
  EXPECT_EQ(needed->cheapest[0].type, "big");
  EXPECT_EQ(needed->cheapest[1].type, "tiny");
}

// Some tasks fit one type only, and others the other one.
TEST(NeedNodes, TypesThatOnlyTogetherPlaceAll) {
  NodeSpec gpu = PlainNode("gpu", 8), large = PlainNode("large", 64);
  gpu.capacity.emplace_back("nvidia.com/gpu", 2);
  const std::vector<NodeOffer> offers = {{.node = gpu, .price = 5},
                                         {.node = large, .price = 8},
                                         {.node = PlainNode("tiny", 1), .price = 1}};
  for (const bool gang : {false, true}) {
    Cluster cluster;
    JobSpec job{.name = "j", .min_available = gang ? 6 : 1};
    job.groups = {
        {.name = "g", .count = 3, .shape = {.request = {{"cpu", 1}, {"nvidia.com/gpu", 1}}}},
        {.name = "l", .count = 3, .shape = {.request = {{"cpu", 30}}}}};
    ASSERT_TRUE(cluster.AddJob(job).ok());
    const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "volcano", offers);
    ASSERT_TRUE(needed.ok()) << needed.status();
    EXPECT_EQ(needed->waiting_before, 6);
    ASSERT_EQ(needed->alone.size(), 3u);
    EXPECT_EQ(needed->alone[0].waiting, gang ? 6 : 3);
    EXPECT_EQ(needed->alone[1].waiting, gang ? 6 : 3);
    EXPECT_EQ(needed->waiting_after, 0);
    EXPECT_EQ(needed->price, 26);
    ASSERT_EQ(needed->cheapest.size(), 2u);
    EXPECT_EQ(needed->cheapest[0].type, "gpu");
    EXPECT_EQ(needed->cheapest[0].count, 2);
    EXPECT_EQ(needed->cheapest[1].type, "large");
    EXPECT_EQ(needed->cheapest[1].count, 2);
  }
}

// Keeps job "shy" out of clusters of more than five nodes.
class Shy : public Policy, public GatePolicy {
 public:
  std::string_view name() const override { return "shy"; }
  PointSet points() const override { return {Point::kValid}; }
  GatePolicy* gate() override { return this; }
  void Open(const Cycle& cycle) override { cycle_ = &cycle; }
  bool Valid(JobIndex job) override {
    return cycle_->job(job).name != "shy" || cycle_->node_count() <= 5;
  }

 private:
  const Cycle* cycle_ = nullptr;
};

// The most nodes leave a task waiting that the mix places, since that has fewer nodes.
TEST(NeedNodes, FewerNodesMayPlaceMore) {
  NodeSpec gpu = PlainNode("gpu", 8), large = PlainNode("large", 64);
  gpu.capacity.emplace_back("nvidia.com/gpu", 2);
  const std::vector<NodeOffer> offers = {{.node = gpu, .price = 5}, {.node = large, .price = 8}};
  Cluster cluster;
  JobSpec gang{.name = "gang", .min_available = 6};
  gang.groups = {
      {.name = "g", .count = 3, .shape = {.request = {{"cpu", 1}, {"nvidia.com/gpu", 1}}}},
      {.name = "l", .count = 3, .shape = {.request = {{"cpu", 30}}}}};
  ASSERT_TRUE(cluster.AddJob(gang).ok());
  JobSpec shy{.name = "shy", .min_available = 1};
  shy.groups = {{.count = 1, .shape = {.request = {{"cpu", 1}}}}};
  ASSERT_TRUE(cluster.AddJob(shy).ok());
  auto extensions = std::make_shared<Extensions>();
  extensions->policies.push_back(
      {"shy", "", {}, [](const Options&) { return std::make_unique<Shy>(); }});
  NeedOptions options;
  options.schedule.extensions = extensions;
  const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "volcano", offers, options);
  ASSERT_TRUE(needed.ok()) << needed.status();
  EXPECT_EQ(needed->waiting_before, 7);
  EXPECT_EQ(needed->price, 26);
  Cluster with = cluster.Clone();
  for (size_t i = 0; i < needed->cheapest.size(); ++i) {
    ASSERT_TRUE(with.AddNodes(needed->cheapest[i].count, offers[i].node).ok());
  }
  EXPECT_EQ(with.Schedule("volcano", options.schedule)->pending().size(), 0u);
  EXPECT_EQ(needed->waiting_after, 0);
}

// What the cheapest mix says is what a cycle with these nodes does, and it needs each of them.
TEST(NeedNodes, AMixIsTriedAndIrreducible) {
  Rng rng(7);
  int mixes = 0;
  for (int world = 0; world < 24; ++world) {
    Cluster cluster;
    std::vector<NodeOffer> offers;
    for (int i = 0; i < 3; ++i) {
      NodeSpec node = PlainNode("", 2 + static_cast<int64_t>(rng.Below(8)));
      node.name = "t" + std::to_string(i);
      node.labels = {{"pool", node.name}};
      offers.push_back({.node = node, .price = 1.0 + static_cast<double>(rng.Below(5))});
      JobSpec job{.name = "j" + std::to_string(i), .min_available = 1};
      job.groups = {{.count = 1 + static_cast<int64_t>(rng.Below(5)),
                     .shape = {.request = {{"cpu", 1 + static_cast<int64_t>(rng.Below(4))}}}}};
      if (rng.Below(2) == 0) job.groups[0].shape.node_selector = {{"pool", node.name}};
      ASSERT_TRUE(cluster.AddJob(job).ok());
    }
    const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "volcano", offers);
    ASSERT_TRUE(needed.ok()) << needed.status();
    const auto waiting = [&](size_t less) {
      Cluster with = cluster.Clone();
      for (size_t i = 0; i < needed->cheapest.size(); ++i) {
        NodeSpec node = offers[static_cast<size_t>(needed->cheapest[i].type[1] - '0')].node;
        node.name += "-";
        const int64_t count = needed->cheapest[i].count - (i == less ? 1 : 0);
        if (count > 0) EXPECT_TRUE(with.AddNodes(count, node).ok());
      }
      return static_cast<int64_t>(with.Schedule("volcano")->pending().size());
    };
    EXPECT_EQ(waiting(99), needed->waiting_after) << world;
    bool together = true;
    for (const NodeCount& count : needed->alone) together &= count.waiting > needed->waiting_after;
    if (!together) continue;
    ++mixes;
    for (size_t i = 0; i < needed->cheapest.size(); ++i) {
      EXPECT_GT(waiting(i), needed->waiting_after) << world;
    }
  }
  EXPECT_GT(mixes, 3);
}

// The task that waits for an eviction would take the first new node, so one node helps nothing.
Cluster WithNominated() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode(PlainNode("n", 8)).ok());
  for (const char* runs : {"r0", "r1"}) {
    EXPECT_TRUE(cluster
                    .AddTask({.name = runs,
                              .shape = {.request = {{"cpu", 4}}},
                              .status = TaskStatus::kRunning,
                              .node = "n"})
                    .ok());
  }
  for (const auto& [name, priority] : {std::pair("high", 10), std::pair("low", 0)}) {
    EXPECT_TRUE(
        cluster.AddTask({.name = name, .shape = {.request = {{"cpu", 8}}}, .priority = priority})
            .ok());
  }
  return cluster;
}

TEST(NeedNodes, NominatedTasksTakeNewNodesFirst) {
  const auto needed = NeedNodes(WithNominated(), "kube-scheduler", {});
  ASSERT_TRUE(needed.ok()) << needed.status();
  EXPECT_EQ(needed->waiting_before, 1);
  ASSERT_EQ(needed->alone.size(), 1u);
  EXPECT_EQ(needed->alone[0].count, 2);
  EXPECT_EQ(needed->waiting_after, 0);
}

// A new node like a closed one is open, so both are of one kind.
TEST(NeedNodes, AClosedNodeIsNoTypeOfItsOwn) {
  Cluster cluster = Empty();
  ASSERT_TRUE(cluster.AddNode(PlainNode("open", 1)).ok());
  NodeSpec closed = PlainNode("closed", 1);
  closed.unschedulable = true;
  ASSERT_TRUE(cluster.AddNode(closed).ok());
  const auto needed = NeedNodes(cluster, "volcano", {});
  ASSERT_TRUE(needed.ok()) << needed.status();
  ASSERT_EQ(needed->alone.size(), 1u);
  EXPECT_EQ(needed->alone[0].type, "open");
}

// A cordoned node of a dump has a mark and a taint, and each node has labels that name it.
TEST(NeedNodes, NodesOfADumpAreOfOneType) {
  Cluster cluster;
  for (int i = 0; i < 40; ++i) {
    NodeSpec node = PlainNode("", 1);
    node.name = "n" + std::to_string(i);
    node.labels = {{"kubernetes.io/hostname", "ip-" + std::to_string(i)},
                   {"instance", "i-" + std::to_string(i)}};
    node.images = {{.names = {"image-" + std::to_string(i)}, .size = 1}};
    node.unschedulable = i == 0;
    if (i == 0) {
      node.taints = {{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule}};
    }
    ASSERT_TRUE(cluster.AddNode(node).ok());
  }
  ASSERT_TRUE(cluster
                  .AddJob({.name = "j",
                           .min_available = 41,
                           .groups = {{.count = 41, .shape = {.request = {{"cpu", 1}}}}}})
                  .ok());
  const auto needed = NeedNodes(cluster, "volcano", {});
  ASSERT_TRUE(needed.ok()) << needed.status();
  ASSERT_EQ(needed->alone.size(), 1u);
  EXPECT_EQ(needed->alone[0].type, "n0");
  EXPECT_EQ(needed->alone[0].count, 2);
}

TEST(NeedNodes, NothingWaits) {
  Cluster cluster;
  const std::vector<NodeOffer> offers = {{.node = PlainNode("big", 8)}};
  const absl::StatusOr<NodesNeeded> needed = NeedNodes(cluster, "volcano", offers);
  ASSERT_TRUE(needed.ok());
  EXPECT_EQ(needed->waiting_before, 0);
  EXPECT_THAT(needed->cheapest, IsEmpty());
}

TEST(NeedNodes, Refuses) {
  const Cluster cluster = Empty();
  std::vector<NodeOffer> offers = {{.node = PlainNode("big", 8), .price = -1}};
  EXPECT_THAT(NeedNodes(cluster, "volcano", offers).status().message(),
              HasSubstr("offer[0]: price is -1; must be 0 or more"));
  offers[0].price = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(NeedNodes(cluster, "volcano", offers).ok());
  offers[0] = {.node = PlainNode("big", -8)};
  EXPECT_THAT(NeedNodes(cluster, "volcano", offers).status().message(), HasSubstr("offer[0]: "));
  offers[0] = {.node = PlainNode("big", 8)};
  EXPECT_THAT(NeedNodes(cluster, "volcano", offers, {.most = 0}).status().message(),
              HasSubstr("most is 0; must be 1 or more"));
}

}  // namespace
}  // namespace muster::testing
