// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/elastic_preemption.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/koordinator/quota/elastic_revoke.h"
#include "lib/reference/peer/koordinator/elastic_preemption.h"

namespace muster {
namespace {

using Outcome = ElasticPreemption::DryRunResult::Outcome;
using Order = std::vector<size_t>;

Sparse Amounts(std::vector<int64_t> values) {
  Sparse amounts;
  for (size_t r = 0; r < values.size(); ++r) amounts.Set(r, values[r]);
  return amounts;
}

// --- revoking

// Koordinator's own example: cpu 50 and no memory are left of what four tasks use.
TEST(ElasticRevoke, TheLeastImportantGoUntilTheUseFits) {
  std::vector<RevocableTask> tasks = {
      {Amounts({20, 0}), 10}, {Amounts({10, 1}), 9}, {Amounts({20, 0}), 8}, {Amounts({40, 0}), 7}};
  EXPECT_EQ(TasksToRevoke(Amounts({90, 1}), Amounts({50, 0}), tasks), (Order{1, 3}));
  EXPECT_EQ(TasksToRevoke(Amounts({90, 1}), Amounts({-1, 0}), tasks), (Order{3, 2, 1, 0}));
  EXPECT_EQ(TasksToRevoke(Amounts({90, 1}), Amounts({90, 1}), tasks), Order{});
  tasks[1].preemptible = false;
  EXPECT_EQ(TasksToRevoke(Amounts({90, 1}), Amounts({50, 1}), tasks), (Order{3}));
  // The memory stays too much whatever else goes.
  EXPECT_EQ(TasksToRevoke(Amounts({90, 1}), Amounts({50, 0}), tasks), (Order{3, 2, 0}));
}

TEST(ElasticRevoke, ForgetsWhatTheLatestTaskDoesNotName) {
  const std::vector<RevocableTask> tasks = {{Amounts({1, 5}), 1, 3}, {Amounts({4}), 1, 7}};
  // The younger one goes, and takes the memory, of which there is still too much, out of the peer's
  // books.
  EXPECT_EQ(TasksToRevoke(Amounts({5, 5}), Amounts({4, 1}), tasks), (Order{1}));
  EXPECT_EQ(TasksToRevoke(Amounts({5, 5}), Amounts({4, 1}), tasks, RevokeBooks::kEveryResource),
            (Order{0}));
}

TEST(ElasticRevoke, WaitsForLongerThanTheDelay) {
  ElasticTree tree({.default_max = {{"cpu", 100}}});
  ASSERT_TRUE(tree.AddTotal({{"cpu", 10}}).ok());
  ASSERT_TRUE(tree.Put({.name = "a", .max = {{"cpu", 50}}}).ok());
  const QuotaTask task{.name = "t", .request = {{"cpu", 8}}, .assigned = true};
  ASSERT_TRUE(tree.AddTask("a", task).ok());
  tree.Refresh("a");
  OveruseWatch watch(120);
  EXPECT_TRUE(watch.Look(tree, 0).empty());
  ASSERT_TRUE(tree.AddTotal({{"cpu", -5}}).ok());
  tree.Refresh("a");
  EXPECT_TRUE(watch.Look(tree, 60).empty());
  EXPECT_TRUE(watch.Look(tree, 120).empty());
  EXPECT_EQ(watch.Look(tree, 121), std::vector<std::string>{"a"});
  EXPECT_TRUE(watch.Look(tree, 241).empty());  // the delay began anew
  ASSERT_TRUE(tree.AddTotal({{"cpu", 5}}).ok());
  tree.Refresh("a");
  EXPECT_TRUE(watch.Look(tree, 300).empty());  // it fits in between
  ASSERT_TRUE(tree.AddTotal({{"cpu", -5}}).ok());
  tree.Refresh("a");
  EXPECT_TRUE(watch.Look(tree, 420).empty());
  EXPECT_EQ(watch.Look(tree, 421), std::vector<std::string>{"a"});
}

// --- preemption

ElasticTask Task(const char* group, int32_t priority, std::vector<int64_t> request) {
  return {.group = group, .request = Amounts(std::move(request)), .priority = priority};
}

TEST(ElasticPreemption, TakesOnlyFromLessImportantTasksOfItsGroup) {
  const ElasticPreemption preemption({});
  const ElasticTask task = Task("q", 10, {1});
  ElasticTask victim = Task("q", 5, {1});
  EXPECT_TRUE(preemption.MayTakeFrom(task, victim));
  victim.preemptible = false;
  EXPECT_FALSE(preemption.MayTakeFrom(task, victim));
  EXPECT_FALSE(preemption.MayTakeFrom(task, Task("q", 10, {1})));
  EXPECT_FALSE(preemption.MayTakeFrom(task, Task("p", 5, {1})));
  const ElasticTask of_none = Task(kDefaultQuota.data(), 10, {1});
  EXPECT_FALSE(preemption.MayTakeFrom(of_none, Task(kDefaultQuota.data(), 5, {1})));
  EXPECT_TRUE(ElasticPreemption({.default_is_safe = false})
                  .MayTakeFrom(of_none, Task(kDefaultQuota.data(), 5, {1})));
}

TEST(ElasticPreemption, WaitsForVictimsThatLeave) {
  const ElasticPreemption preemption({});
  ElasticNode node{.capacity = Amounts({4}), .tasks = {Task("q", 5, {1})}};
  ElasticTask task = Task("q", 10, {1});
  using Right = ElasticPreemption::Right;
  EXPECT_EQ(preemption.RightOf(task, &node, false), Right::kMay);
  node.tasks[0].is_leaving = true;
  EXPECT_EQ(preemption.RightOf(task, &node, false), Right::kVictimsLeaving);
  EXPECT_EQ(preemption.RightOf(task, &node, true), Right::kMay);
  EXPECT_EQ(preemption.RightOf(task, nullptr, false), Right::kMay);
  node.tasks[0].group = "p";
  EXPECT_EQ(preemption.RightOf(task, &node, false), Right::kMay);
  task.preempts = false;
  EXPECT_EQ(preemption.RightOf(task, nullptr, false), Right::kNever);
}

TEST(ElasticPreemption, PutsBackWhoeverFits) {
  const ElasticPreemption preemption({});
  const ElasticNode node{
      .capacity = Amounts({6}),
      .tasks = {Task("q", 5, {2}), Task("q", 7, {2}), Task("q", 20, {1}), Task("p", 1, {1})}};
  const ElasticTree::Room room{Amounts({5}), Amounts({100}), 1};
  const auto result = preemption.DryRun(Task("q", 10, {2}), room, node);
  EXPECT_EQ(result.outcome, Outcome::kVictims);
  EXPECT_EQ(result.victims, (Order{0}));
  EXPECT_EQ(preemption.DryRun(Task("q", 5, {2}), room, node).outcome, Outcome::kNoCandidate);
  EXPECT_EQ(preemption.DryRun(Task("q", 10, {5}), room, node).outcome, Outcome::kNoRoom);
  EXPECT_EQ(preemption.DryRun(Task("q", 10, {7}), room, node).outcome, Outcome::kTooLarge);
}

TEST(ElasticPreemption, AGroupWithoutRoomLosesAllCandidatesAsThePeerDoesIt) {
  const ElasticNode node{.capacity = Amounts({9}), .tasks = {Task("q", 5, {2}), Task("q", 7, {2})}};
  const ElasticTree::Room room{Amounts({8}), Amounts({5}), 1};  // 4 of the 8 are elsewhere
  const ElasticTask task = Task("q", 10, {2});
  EXPECT_EQ(ElasticPreemption({}).DryRun(task, room, node).victims, (Order{1, 0}));
  EXPECT_EQ(ElasticPreemption({.asks_group_first = true}).DryRun(task, room, node).outcome,
            Outcome::kAboveRuntime);
  // No room on the node either: the peer stumbles over its own victim.
  const ElasticNode full{.capacity = Amounts({4}), .tasks = node.tasks};
  EXPECT_EQ(ElasticPreemption({}).DryRun(Task("q", 10, {4}), room, full).outcome,
            Outcome::kRemovedTwice);
}

TEST(ElasticPreemption, ChoosesTheNodeThatLosesLeast) {
  const std::vector<ElasticNode> nodes = {{.capacity = Amounts({2}), .tasks = {Task("q", 7, {2})}},
                                          {.capacity = Amounts({2}), .tasks = {Task("q", 3, {2})}},
                                          {.capacity = Amounts({2}), .tasks = {Task("q", 3, {2})}}};
  std::vector<ElasticPreemption::DryRunResult> results(3);
  EXPECT_EQ(ElasticPreemption::Choose(results, nodes), std::nullopt);
  for (auto& result : results) result = {.outcome = Outcome::kVictims, .victims = {0}};
  EXPECT_EQ(ElasticPreemption::Choose(results, nodes), 1u);
  results[1].broken_budgets = 1;
  EXPECT_EQ(ElasticPreemption::Choose(results, nodes), 2u);
  results[2].broken_budgets = 1;
  EXPECT_EQ(ElasticPreemption::Choose(results, nodes), 0u);
}

// --- against the twins

struct PreemptionWorld {
  explicit PreemptionWorld(Rng& rng) {
    const auto amounts = [&](uint64_t below, double chance, Sparse* ours, bool all) {
      reference::QuotaAmounts theirs;
      for (size_t r = 0; r < 2; ++r) {
        if (!all && !rng.Chance(chance)) continue;
        const int64_t amount = static_cast<int64_t>(rng.Below(below));
        ours->Set(r, amount);
        theirs[r == 0 ? "cpu" : "gpu"] = amount;
      }
      return theirs;
    };
    slow.budgets =
        budgets = {static_cast<int64_t>(rng.Below(2)), static_cast<int64_t>(rng.Below(3))};
    for (uint64_t i = 0, n = rng.Below(8); i < n; ++i) {
      ElasticTask one;
      reference::GroupTask twin;
      twin.request = amounts(5, 0.8, &one.request, false);
      twin.group = one.group = rng.Chance(0.8) ? "q" : "p";
      twin.priority = one.priority = static_cast<int32_t>(rng.Below(5));
      twin.started = one.started = static_cast<int64_t>(rng.Below(4));
      twin.preemptible = one.preemptible = rng.Chance(0.9);
      one.is_counted = one.group == "q";
      for (uint32_t budget = 0; budget < 2; ++budget) {
        if (!rng.Chance(0.3)) continue;
        one.budgets.push_back(budget);
        twin.budgets.push_back(budget);
      }
      node.tasks.push_back(one);
      slow.tasks.push_back(twin);
      if (one.group == "q") room.used.Add(one.request);
    }
    for (size_t r = 0; r < 2; ++r) {
      if (room.used.has(r)) slow.used[r == 0 ? "cpu" : "gpu"] = room.used.at(r);
    }
    slow.runtime = amounts(14, 0.9, &room.runtime, false);
    slow.max = {{"cpu", 1}, {"gpu", 1}};
    room.keys = 3;
    slow.capacity = amounts(18, 1, &node.capacity, true);
    slow_task.request = amounts(6, 0.8, &task.request, false);
    slow_task.group = task.group = "q";
    slow_task.priority = task.priority = static_cast<int32_t>(1 + rng.Below(5));
  }

  ElasticNode node;
  ElasticTree::Room room;
  ElasticTask task;
  std::vector<int64_t> budgets;
  reference::GroupDryRun slow;
  reference::GroupTask slow_task;
};

TEST(ElasticPreemption, AgreesWithItsTwin) {
  Rng rng(31);
  const std::vector<std::string> names = {"victims",   "no candidate",  "no room",
                                          "too large", "above runtime", "removed twice"};
  std::vector<int> seen(names.size(), 0);
  for (int i = 0; i < 4000; ++i) {
    const PreemptionWorld world(rng);
    ElasticPreemption preemption({});
    preemption.SetBudgets(world.budgets);
    const auto result = preemption.DryRun(world.task, world.room, world.node);
    const auto twin = reference::PreemptInGroup(world.slow_task, world.slow);
    ASSERT_EQ(names[static_cast<size_t>(result.outcome)], twin.outcome) << i;
    ASSERT_EQ(result.victims, twin.victims) << i;
    ASSERT_EQ(result.broken_budgets, twin.broken_budgets) << i;
    ++seen[static_cast<size_t>(result.outcome)];
  }
  for (size_t outcome : {0, 1, 2, 3, 5}) EXPECT_GT(seen[outcome], 20) << names[outcome];
}

TEST(ElasticRevoke, AgreesWithItsTwin) {
  Rng rng(32);
  for (int i = 0; i < 4000; ++i) {
    const PreemptionWorld world(rng);
    std::vector<RevocableTask> tasks;
    for (const ElasticTask& task : world.node.tasks) {
      tasks.push_back({task.request, task.priority, task.started, task.preemptible});
    }
    EXPECT_EQ(TasksToRevoke(world.room.used, world.room.runtime, tasks),
              reference::Revoked(world.slow.used, world.slow.runtime, world.slow.tasks))
        << i;
  }
}

}  // namespace
}  // namespace muster
