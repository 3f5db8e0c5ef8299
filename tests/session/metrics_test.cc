// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What cycles cost and why nodes were chosen: numbers that add up, and plans that stay as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "muster/cycle_metrics.h"
#include "muster/muster.h"
#include "tests/support/random_world.h"

namespace muster {
namespace {

using testing::MakeCluster;
using testing::RandomWorld;

constexpr const char* kMeasured[] = {
    "volcano",
    "volcano:+preempt,+reclaim",
    "muster",
    "kube-batch",
    "volcano:+sampling",
    "transwarp",
    "volcano:node_ties=seed",
    "volcano:binpack(weight=3)",
};

// A clock that is one later at each look.
std::function<int64_t()> Counting(int64_t* looks) {
  return [looks] { return ++*looks; };
}

double SumOf(const NodeChoice& choice, double ScorePart::*value) {
  double sum = 0;
  for (const ScorePart& part : choice.parts) sum += part.*value;
  return sum;
}

TEST(CycleMetrics, AddUpAndChangeNoPlan) {
  int64_t remembered = 0, by_table = 0, by_scan = 0, choices = 0, nodes_asked = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const Snapshot snapshot = MakeCluster(RandomWorld(seed)).Freeze();
    for (const char* profile : kMeasured) {
      int64_t looks = 0;
      CycleMetrics metrics;
      metrics.clock = Counting(&looks);
      metrics.explain_nodes = seed % 2 == 0;
      const absl::StatusOr<Plan> plain = Schedule(snapshot, profile);
      const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, {.metrics = &metrics});
      ASSERT_EQ(plain.ok(), plan.ok());
      if (!plan.ok()) continue;
      ASSERT_EQ(plain->Digest(), plan->Digest()) << profile << ", seed " << seed;
      int64_t work = 0, time = metrics.open + metrics.close;
      for (const ActionCost& action : metrics.actions) {
        work += action.work;
        time += action.time;
        EXPECT_GT(action.time, 0);
      }
      EXPECT_EQ(work, plan->work()) << profile << ", seed " << seed;
      EXPECT_EQ(time, looks - 1) << "the laps are the time from the first look to the last";
      for (const PolicyCost& policy : metrics.policies) {
        EXPECT_GT(policy.questions, 0);
        EXPECT_GE(policy.nodes, 0);
        nodes_asked += policy.nodes;
        EXPECT_EQ(policy.time, policy.questions) << "one look apart";
      }
      remembered += metrics.searches.remembered;
      by_table += metrics.searches.by_table;
      by_scan += metrics.searches.by_scan;
      choices += static_cast<int64_t>(metrics.choices.size());
      EXPECT_TRUE(metrics.explain_nodes || metrics.choices.empty());
    }
  }
  EXPECT_GT(remembered, 0);
  EXPECT_GT(by_table, 0);
  EXPECT_GT(by_scan, 0);
  EXPECT_GT(choices, 0);
  EXPECT_GT(nodes_asked, 0);
}

TEST(CycleMetrics, ChosenNodesScoreHighestAndAreThoseOfThePlan) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    testing::WorldKnobs knobs;
    knobs.extremes = false;  // sums of doubles in another order
    const Snapshot snapshot = MakeCluster(RandomWorld(seed, knobs)).Freeze();
    for (const char* profile : {"volcano", "muster", "kube-batch", "volcano:binpack(weight=3)"}) {
      CycleMetrics metrics;
      metrics.explain_nodes = true;
      const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, {.metrics = &metrics});
      ASSERT_TRUE(plan.ok()) << plan.status();
      TaskIndex last = kNone;
      for (const NodeChoice& choice : metrics.choices) {
        EXPECT_TRUE(last == kNone || last < choice.task);
        last = choice.task;
        const auto& decisions = plan->decisions();
        EXPECT_TRUE(std::any_of(
            decisions.begin(), decisions.end(),
            [&](const Decision& d) { return d.task == choice.task && d.node == choice.chosen; }))
            << profile << ", seed " << seed;
        EXPECT_NE(choice.chosen, choice.next);
        if (choice.next == kNone) continue;
        const double chosen = SumOf(choice, &ScorePart::chosen);
        const double next = SumOf(choice, &ScorePart::next);
        EXPECT_GE(chosen, next - 1e-6) << profile << ", seed " << seed;
      }
    }
  }
}

TEST(CycleMetrics, NameWhatDecided) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, {.name = "n", .capacity = {{"cpu", 8}}}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j"}).ok());
  const TaskShape shape = {.request = {{"cpu", 1}}};
  ASSERT_TRUE(cluster
                  .AddTask({.name = "there",
                            .job = "j",
                            .shape = shape,
                            .status = TaskStatus::kRunning,
                            .node = "n1"})
                  .ok());
  ASSERT_TRUE(cluster.AddTask({.name = "t", .job = "j", .shape = shape}).ok());
  CycleMetrics metrics;
  metrics.explain_nodes = true;
  metrics.actions = {{"of an earlier cycle"}};
  const absl::StatusOr<Plan> plan = cluster.Schedule(
      "volcano:tiers=priority+gang/predicates+binpack(weight=5)", {.metrics = &metrics});
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::vector<std::string> actions;
  for (const ActionCost& action : metrics.actions) actions.push_back(action.action);
  EXPECT_EQ(actions, (std::vector<std::string>{"admit", "allocate", "backfill"}));
  EXPECT_EQ(metrics.actions[0].time, 0) << "there is no clock";
  EXPECT_EQ(metrics.actions[1].decisions, 1);
  ASSERT_EQ(metrics.choices.size(), 1u);
  const NodeChoice& choice = metrics.choices[0];
  EXPECT_EQ(plan->node_name(choice.chosen), "n1");
  EXPECT_EQ(choice.next, NodeIndex(0));
  EXPECT_EQ(choice.next_name, "n0");
  ASSERT_EQ(choice.parts.size(), 1u);
  EXPECT_EQ(choice.parts[0].policy, "binpack");
  EXPECT_GT(choice.parts[0].chosen, choice.parts[0].next);

  // A plan that is kept is made again where its cycle is to be measured.
  const char* kept = "volcano:tiers=priority+gang/predicates+binpack(weight=5)";
  EXPECT_TRUE(cluster.Schedule(kept).ok());
  metrics.actions.clear();
  EXPECT_TRUE(cluster.Schedule(kept, {.metrics = &metrics}).ok());
  EXPECT_EQ(metrics.actions.size(), 3u);
  EXPECT_EQ(metrics.choices.size(), 1u);

  // A living cluster that is measured again, and then no more.
  EXPECT_TRUE(cluster.Schedule("volcano", {.metrics = &metrics}).ok());
  EXPECT_TRUE(cluster.Schedule("volcano").ok());
  EXPECT_EQ(metrics.actions.size(), 3u);
}

// --- rows that events remove from a living cluster

TEST(RemovedRules, AreGoneFromLivingCycles) {
  int64_t removed = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Cluster cluster = MakeCluster(RandomWorld(seed));
    const char* profiles[] = {"volcano:+preempt,+reclaim", "muster", "kube-scheduler", "transwarp"};
    const char* profile = profiles[seed % 4];
    const absl::StatusOr<Plan> before = cluster.Schedule(profile);
    const ClusterSpec rows = cluster.Describe();
    for (size_t i = seed % 2; i < rows.budgets.size(); i += 2) {
      const DisruptionBudgetSpec& budget = rows.budgets[i];
      ASSERT_TRUE(cluster.RemoveDisruptionBudget(budget.name_space, budget.name).ok());
      ++removed;
    }
    for (size_t i = seed % 2; i < rows.namespaces.size(); i += 2) {
      ASSERT_TRUE(
          cluster.ApplyDelta({1, Removal{Removal::Kind::kNamespace, rows.namespaces[i].name}})
              .ok());
      ++removed;
    }
    const absl::StatusOr<Plan> living = cluster.Schedule(profile);
    const absl::StatusOr<Plan> fresh = Schedule(cluster.Freeze(), profile);
    ASSERT_EQ(living.ok(), fresh.ok());
    if (!living.ok()) continue;
    ASSERT_EQ(living->Digest(), fresh->Digest()) << profile << ", seed " << seed;
  }
  EXPECT_GT(removed, 100);
}

}  // namespace
}  // namespace muster
