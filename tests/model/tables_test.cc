// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How the tables live: snapshots stay what they were, the log has every change, dead rows go.
#include "lib/model/tables.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

TEST(Snapshots, AreFrozen) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, {.name = "n", .capacity = {{"cpu", 1}}}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j", .groups = {{.count = 3}}}).ok());
  const Snapshot before = cluster.Freeze();
  const uint64_t version = before.version();
  ASSERT_TRUE(cluster.UpdateNode({.name = "n0", .capacity = {{"cpu", 2}, {"gpu", 1}}}).ok());
  ASSERT_TRUE(cluster.SetTaskStatus("j-0", TaskStatus::kRunning, "n1").ok());
  ASSERT_TRUE(cluster.RemoveTask("j-1").ok());
  ASSERT_TRUE(cluster.AddTask({.name = "k", .job = "j"}).ok());
  EXPECT_EQ(before.version(), version);
  EXPECT_EQ(before.task_count(), 3u);
  EXPECT_EQ(before.FindTask("j-1"), 1u);
  EXPECT_EQ(before.FindTask("k"), std::nullopt);
  EXPECT_EQ(TablesOf(before).nodes.capacity.at(0, kCpu), 1000);
  EXPECT_EQ(TablesOf(before).dimension_count(), 3u);
  EXPECT_EQ(TablesOf(before).tasks.status[0], TaskStatus::kPending);
  EXPECT_EQ(TablesOf(before).jobs.tasks[0], (std::vector<TaskIndex>{0, 1, 2}));
  EXPECT_EQ(cluster.Freeze().FindTask("j-1"), std::nullopt);
}

TEST(Snapshots, CopyOnlyWhenSomebodyHoldsOne) {
  Cluster cluster;
  const Tables* address = &TablesOf(cluster);
  { const Snapshot dropped = cluster.Freeze(); }
  ASSERT_TRUE(cluster.AddNode({.name = "a"}).ok());
  EXPECT_EQ(&TablesOf(cluster), address);
  const Snapshot held = cluster.Freeze();
  EXPECT_FALSE(cluster.AddNode({.name = "a"}).ok());
  EXPECT_EQ(&TablesOf(cluster), address) << "an error changes nothing, so it copies nothing";
  ASSERT_TRUE(cluster.AddNode({.name = "b"}).ok());
  EXPECT_NE(&TablesOf(cluster), address);
  address = &TablesOf(cluster);
  ASSERT_TRUE(cluster.AddNode({.name = "c"}).ok());
  EXPECT_EQ(&TablesOf(cluster), address) << "one copy per snapshot";
}

TEST(Log, TellsEveryRowThatChanged) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, {.name = "n"}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j", .groups = {{.count = 2}}}).ok());
  const auto changes = [&](const auto& act) {
    const size_t from = TablesOf(cluster).log.size();
    const uint64_t version = cluster.version();
    EXPECT_TRUE(act().ok());
    EXPECT_GT(cluster.version(), version);
    std::set<std::pair<Change::Table, uint32_t>> seen;
    const std::vector<Change>& log = TablesOf(cluster).log;
    for (size_t i = from; i < log.size(); ++i) seen.insert({log[i].table, log[i].index});
    return seen;
  };
  using Seen = std::set<std::pair<Change::Table, uint32_t>>;
  using Table = Change::Table;
  EXPECT_EQ(changes([&] { return cluster.SetTaskStatus("j-1", TaskStatus::kBound, "n0"); }),
            (Seen{{Table::kTask, 1}}));
  EXPECT_EQ(changes([&] { return cluster.UpdateTask({.name = "j-0", .job = "j"}); }),
            (Seen{{Table::kTask, 0}}));
  EXPECT_EQ(changes([&] { return cluster.UpdateNode({.name = "n1"}); }), (Seen{{Table::kNode, 1}}));
  EXPECT_EQ(changes([&] { return cluster.UpdateJob({.name = "j", .queue = "q"}); }),
            (Seen{{Table::kQueue, 0}, {Table::kQueue, 1}, {Table::kJob, 0}}));
  EXPECT_EQ(changes([&] { return cluster.RemoveJob("j"); }),
            (Seen{{Table::kQueue, 1}, {Table::kJob, 0}, {Table::kTask, 0}, {Table::kTask, 1}}));
  EXPECT_EQ(changes([&] { return cluster.SetNamespace({.name = "x"}); }),
            (Seen{{Table::kOther, 0}}));
}

TEST(Log, IsCutFromTheFrontAndKeepsItsPositions) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, {.name = "n"}).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "t", .status = TaskStatus::kBound, .node = "n0"}).ok());
  uint64_t end = TablesOf(cluster).log_start + TablesOf(cluster).log.size();
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(cluster.SetTaskStatus("t", TaskStatus::kBound, i % 2 == 0 ? "n1" : "n0").ok());
    const Tables& t = TablesOf(cluster);
    ASSERT_EQ(t.log_start + t.log.size(), ++end);
    ASSERT_LE(t.log.size(), 1024u);
    ASSERT_EQ(t.log.back().table, Change::Table::kTask);
  }
}

// Rows of every kind come and go in their thousands; what stays keeps its order and its meaning.
TEST(Compaction, KeepsEverythingThatLives) {
  Cluster cluster;
  for (const char* name : {"east", "west"})
    ASSERT_TRUE(cluster.AddDomain({.name = name, .tier = 2}).ok());
  ASSERT_TRUE(cluster.AddDomain({.name = "rack", .parent = "west"}).ok());
  const auto number = [](const char* prefix, int i) { return prefix + std::to_string(i); };
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(
        cluster.AddNode({.name = number("n", i), .capacity = {{"cpu", i}}, .domain = "rack"}).ok());
    ASSERT_TRUE(
        cluster.AddQueue({.name = number("q", i), .parent = i < 2 ? "" : number("q", i % 2)}).ok());
    ASSERT_TRUE(
        cluster
            .AddJob({.name = number("j", i),
                     .queue = number("q", i),
                     .groups = {{.name = "g", .count = 2, .shape = {.request = {{"cpu", i}}}}}})
            .ok());
    ASSERT_TRUE(
        cluster.SetTaskStatus(number("j", i) + "-g-1", TaskStatus::kRunning, number("n", i)).ok());
    ASSERT_TRUE(cluster
                    .AddTask({.name = number("t", i),
                              .nominated_node = number("n", i + 1),
                              .priority_class = number("c", i),
                              .gates = {number("gate", i)}})
                    .ok());
  }
  ClusterSpec expected = cluster.Describe();
  const uint64_t layout = TablesOf(cluster).layout;
  const auto dies = [](const std::string& name) {
    return name.find_first_of("3579") != std::string::npos;
  };
  for (int i = 599; i >= 2; --i) {
    if (!dies(std::to_string(i))) continue;
    ASSERT_TRUE(cluster.RemoveJob(number("j", i)).ok());
    ASSERT_TRUE(cluster.RemoveQueue(number("q", i)).ok());
    ASSERT_TRUE(cluster.RemoveNode(number("n", i)).ok());
    ASSERT_TRUE(cluster.RemoveTask(number("t", i)).ok());
    ASSERT_EQ(Contradiction(cluster), "") << i;
  }
  const Tables& t = TablesOf(cluster);
  EXPECT_GT(t.layout, layout);
  EXPECT_LT(t.tasks.alive.size(), 1800u);
  EXPECT_GT(t.log_start, 0u);
  for (auto* list : {&expected.tasks})
    std::erase_if(*list, [&](const auto& row) { return dies(row.name); });
  std::erase_if(expected.nodes, [&](const auto& row) { return dies(row.name); });
  std::erase_if(expected.queues, [&](const auto& row) { return dies(row.name); });
  std::erase_if(expected.jobs, [&](const auto& row) { return dies(row.name); });
  EXPECT_EQ(Dump(cluster), Dump(expected));
  std::vector<std::string> names;
  for (const TaskSpec& task : expected.tasks) names.push_back(task.name);
  std::vector<std::string> now;
  for (const TaskSpec& task : cluster.Describe().tasks) now.push_back(task.name);
  EXPECT_EQ(now, names);
  // The interner moved along: an old shape is its old class.
  const ClassIndex known = t.tasks.task_class[*t.tasks.names.Find("j2-g-0")];
  ASSERT_TRUE(cluster.AddTask({.name = "new", .shape = {.request = {{"cpu", 2}}}}).ok());
  EXPECT_EQ(t.tasks.task_class[*t.tasks.names.Find("new")], known);
}

TEST(Compaction, BoundsWhatChurnLeavesBehind) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddTask({.name = "stays"}).ok());
  for (int i = 0; i < 5000; ++i) {
    // Neither a new shape, nor a new gate, nor a new name may stay for ever.
    ASSERT_TRUE(cluster
                    .UpdateTask({.name = "stays",
                                 .shape = {.request = {{"cpu", i}}},
                                 .priority_class = std::to_string(i),
                                 .gates = {std::to_string(i)}})
                    .ok());
    ASSERT_TRUE(cluster.AddTask({.name = "passes" + std::to_string(i)}).ok());
    ASSERT_TRUE(cluster.RemoveTask("passes" + std::to_string(i)).ok());
  }
  const Tables& t = TablesOf(cluster);
  EXPECT_LT(t.tasks.alive.size(), 1100u);
  EXPECT_LT(t.classes.shape.size(), 1100u);
  EXPECT_LT(t.gate_lists.size(), 1100u);
  EXPECT_LT(t.strings.size(), 1100u);
  EXPECT_EQ(cluster.Describe().tasks[0].gates, std::vector<std::string>{"4999"});
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Cycle, StaysWithTheClusterThroughReconcile) {
  struct Kept : Attachment {};
  Cluster cluster;
  ImplOf(cluster).cycle = std::make_unique<Kept>();
  const Attachment* kept = ImplOf(cluster).cycle.get();
  ClusterSpec full = cluster.Describe();
  full.nodes.push_back({.name = "n"});
  const uint64_t layout = TablesOf(cluster).layout;
  ASSERT_TRUE(cluster.Reconcile(full).ok());
  EXPECT_EQ(ImplOf(cluster).cycle.get(), kept);
  EXPECT_GT(TablesOf(cluster).layout, layout);
  Cluster moved = std::move(cluster);
  EXPECT_EQ(ImplOf(moved).cycle.get(), kept);
}

}  // namespace
}  // namespace muster
