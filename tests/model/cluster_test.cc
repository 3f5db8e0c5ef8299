// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What direct calls put into the tables.
#include "muster/cluster.h"

#include <gtest/gtest.h>

#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

std::vector<int64_t> Row(const RowTable& rows, size_t index) {
  return {rows.row(index).begin(), rows.row(index).end()};
}

TEST(Cluster, StartsWithADefaultQueueThatMayGo) {
  Cluster cluster;
  EXPECT_EQ(RowOrder(cluster), std::vector<std::string>{"queue default"});
  EXPECT_EQ(Snapshot().queue_count(), 1u);
  EXPECT_TRUE(cluster.UpdateQueue({.name = "default", .weight = 3}).ok());
  EXPECT_TRUE(cluster.RemoveQueue("default").ok());
  EXPECT_TRUE(RowOrder(cluster).empty());
  EXPECT_EQ(cluster.AddJob({.name = "j"}).message(), "job \"j\": queue \"default\" does not exist");
}

TEST(Cluster, DimensionsAppearInOrderAndAbsentIsNotZero) {
  Cluster cluster;
  ASSERT_TRUE(
      cluster.AddNode({.name = "n", .capacity = {{"gpu", 2}, {"memory", "1Ki"}, {"cpu", "1500m"}}})
          .ok());
  const uint64_t layout = TablesOf(cluster).layout;
  ASSERT_TRUE(cluster.AddQueue({.name = "q", .limit = Resources{{"hugepages-2Mi", 0}}}).ok());
  const Tables& t = TablesOf(cluster);
  EXPECT_GT(t.layout, layout);
  ASSERT_EQ(t.dimensions.size(), 5u);
  EXPECT_EQ(t.dimensions.name(3), "gpu");
  EXPECT_EQ(t.dimensions.name(4), "hugepages-2Mi");
  EXPECT_EQ(Row(t.nodes.capacity, 0), (std::vector<int64_t>{1500, 1024, kAbsent, 2000, kAbsent}));
  EXPECT_EQ(Row(t.nodes.allocatable, 0), Row(t.nodes.capacity, 0));
  EXPECT_EQ(Row(t.queues.limit, 1), (std::vector<int64_t>{kAbsent, kAbsent, kAbsent, kAbsent, 0}));
  EXPECT_EQ(Row(t.queues.deserved, 1), std::vector<int64_t>(5, kAbsent));
}

TEST(Cluster, AddNodesNamesThemByNumber) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(0, {.name = "n"}).ok());
  ASSERT_TRUE(cluster.AddNodes(11, {.name = "n"}).ok());
  EXPECT_EQ(cluster.Freeze().node_name(10), "n10");
  EXPECT_EQ(cluster.Freeze().FindNode("n10"), 10u);
}

TEST(Cluster, JobMakesTheTasksOfItsGroups) {
  Cluster cluster;
  ASSERT_TRUE(cluster
                  .AddJob({.name = "train",
                           .priority = 5,
                           .groups = {{.name = "worker", .count = 2, .min_available = 2},
                                      {.count = 1, .min_available = 1, .priority = 9}},
                           .created = 77})
                  .ok());
  const Tables& t = TablesOf(cluster);
  ASSERT_EQ(t.tasks.alive.size(), 3u);
  EXPECT_EQ(t.tasks.names.name(0), "train-worker-0");
  EXPECT_EQ(t.tasks.names.name(2), "train-0");
  EXPECT_EQ(t.tasks.group, (std::vector<GroupIndex>{1, 1, 0}));
  EXPECT_EQ(t.tasks.priority, (std::vector<int32_t>{5, 5, 9}));
  EXPECT_EQ(t.tasks.ordinal, (std::vector<int64_t>{0, 1, 0}));
  EXPECT_EQ(t.tasks.created, (std::vector<int64_t>(3, 77)));
  EXPECT_EQ(t.jobs.groups[0][0].min_available, 1);
  EXPECT_EQ(t.jobs.groups[0][1].min_available, 2);
  EXPECT_EQ(t.jobs.tasks[0], (std::vector<TaskIndex>{0, 1, 2}));
  EXPECT_EQ(t.jobs.spec[0].groups[0].count, 0);
  EXPECT_EQ(t.queues.jobs[0], 1u);
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Cluster, ShapesThatMeanTheSameAreOneClass) {
  Cluster cluster;
  const TaskShape spelled{.request = {{"cpu", "1"}, {"gpu", 1}},
                          .labels = {{"a", "1"}, {"b", "2"}}};
  const TaskShape meant{.request = {{"gpu", "1000m"}, {"cpu", "1000m"}},
                        .labels = {{"b", "2"}, {"a", "1"}}};
  TaskShape other = spelled;
  other.tolerations = {{.op = TolerationOp::kExists}};
  ASSERT_TRUE(cluster.AddTask({.name = "a", .shape = spelled}).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "b", .shape = meant, .priority = 7}).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "c", .shape = other}).ok());
  other.request = {};
  ASSERT_TRUE(cluster.AddTask({.name = "d", .shape = other}).ok());
  const Tables& t = TablesOf(cluster);
  EXPECT_EQ(t.tasks.task_class, (std::vector<ClassIndex>{0, 0, 1, 2}));
  EXPECT_EQ(t.classes.tasks, (std::vector<uint32_t>{2, 1, 1}));
  EXPECT_EQ(t.classes.constraints, (std::vector<uint32_t>{0, 1, 1}));
  EXPECT_EQ(Row(t.classes.request, 0), (std::vector<int64_t>{1000, 0, 1, 1000}));
  EXPECT_EQ(t.classes.best_effort, (std::vector<uint8_t>{0, 0, 1}));
}

TEST(Cluster, ClassesHaveWhatStartsAndWhatRuns) {
  Cluster cluster;
  ASSERT_TRUE(cluster
                  .AddTask({.name = "t",
                            .shape = {.request = {{"memory", 5}},
                                      .initial_request = Resources{{"cpu", 2}, {"memory", 5}}}})
                  .ok());
  ASSERT_TRUE(cluster
                  .AddTask({.name = "u",
                            .shape = {.request = {{"pods", 1}}, .initial_request = Resources{}}})
                  .ok());
  const Tables& t = TablesOf(cluster);
  EXPECT_EQ(Row(t.classes.request, 0), (std::vector<int64_t>{0, 5, 1}));
  EXPECT_EQ(Row(t.classes.initial_request, 0), (std::vector<int64_t>{2000, 5, 1}));
  EXPECT_EQ(Row(t.classes.initial_request, 1), (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(t.classes.best_effort, (std::vector<uint8_t>{0, 1}));
}

TEST(Cluster, RefusesAStartThatIsBelowTheRequest) {
  Cluster cluster;
  const Resources starts[] = {{}, {{"memory", 1}}, {{"cpu", "1999m"}}};
  for (const Resources& start : starts) {
    const absl::Status status = cluster.AddTask(
        {.name = "t", .shape = {.request = {{"cpu", 2}}, .initial_request = start}});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("initial request \"cpu\""), std::string::npos) << status;
    EXPECT_NE(status.message().find("below the request, 2"), std::string::npos) << status;
  }
  EXPECT_TRUE(cluster
                  .AddTask({.name = "t",
                            .shape = {.request = {{"cpu", 2}},
                                      .initial_request = Resources{{"cpu", 2}, {"x", 1}}}})
                  .ok());
}

TEST(Cluster, ScorersSeeContainersWithTheirDefaults) {
  Cluster cluster;
  // regular 300 + unsaid 100; sidecar 50; init 500 runs beside the sidecar that came before it.
  const TaskShape shape{
      .containers = {{.request = {{"cpu", "50m"}, {"memory", 0}}, .sidecar = true},
                     {.request = {{"cpu", "500m"}, {"memory", 1}}, .init = true},
                     {.request = {{"cpu", "300m"}, {"memory", 1}}},
                     {.request = {}}}};
  ASSERT_TRUE(cluster.AddTask({.name = "a", .shape = shape}).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "b", .shape = {.request = {{"cpu", 0}}}}).ok());
  constexpr int64_t kLargest = int64_t{1} << 53;
  const TaskShape huge{
      .containers = {{.request = {{"memory", kLargest}}}, {.request = {{"memory", kLargest}}}}};
  ASSERT_TRUE(cluster.AddTask({.name = "c", .shape = huge}).ok());
  const ClassTable& c = TablesOf(cluster).classes;
  EXPECT_EQ(c.scoring_cpu, (std::vector<int64_t>{550, 0, 200}));
  EXPECT_EQ(c.scoring_cpu_main, (std::vector<int64_t>{400, 0, 200}));
  EXPECT_EQ(c.scoring_memory, (std::vector<int64_t>{1 + 209715200, 209715200, 2 * kLargest}));
  EXPECT_EQ(c.scoring_memory_main, (std::vector<int64_t>{1 + 209715200, 209715200, 2 * kLargest}));
}

TEST(Cluster, StatusDecidesWhetherANodeIsHeld) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, {.name = "n"}).ok());
  ASSERT_TRUE(
      cluster.AddTask({.name = "t", .status = TaskStatus::kSucceeded, .node = "gone"}).ok());
  const TaskTable& tasks = TablesOf(cluster).tasks;
  EXPECT_EQ(tasks.node[0], kNone);
  ASSERT_TRUE(cluster.SetTaskStatus("t", TaskStatus::kBound, "n1").ok());
  EXPECT_EQ(tasks.node[0], 1u);
  ASSERT_TRUE(cluster.SetTaskStatus("t", TaskStatus::kRunning).ok());
  EXPECT_EQ(tasks.node[0], 1u);
  const uint64_t version = cluster.version();
  ASSERT_TRUE(cluster.SetTaskStatus("t", TaskStatus::kRunning, "n1").ok());
  EXPECT_EQ(cluster.version(), version) << "nothing changed";
  ASSERT_TRUE(cluster.SetTaskStatus("t", TaskStatus::kFailed).ok());
  EXPECT_EQ(tasks.node[0], kNone);
  EXPECT_TRUE(cluster.RemoveNode("n1").ok());
}

TEST(Cluster, NominationOutlivesItsNode) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddTask({.name = "t", .nominated_node = "n"}).ok());
  EXPECT_EQ(TablesOf(cluster).tasks.nominated[0], kNone);
  ASSERT_TRUE(cluster.AddNode({.name = "n"}).ok());
  EXPECT_EQ(TablesOf(cluster).tasks.nominated[0], 0u);
  ASSERT_TRUE(cluster.RemoveNode("n").ok());
  EXPECT_EQ(TablesOf(cluster).tasks.nominated[0], kNone);
  EXPECT_EQ(cluster.Describe().tasks[0].nominated_node, "n");
  ASSERT_TRUE(cluster.AddNode({.name = "n"}).ok());
  EXPECT_EQ(TablesOf(cluster).tasks.nominated[0], 1u);
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Cluster, UpdateJobMovesGroupsAndKeepsTasks) {
  Cluster cluster;
  JobSpec job{.name = "j",
              .groups = {{.name = "a", .count = 1}, {.name = "b", .count = 1}},
              .sub_groups = {{.name = "s"}, {.name = "t"}}};
  ASSERT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  ASSERT_TRUE(cluster.AddJob(job).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "x", .job = "j", .group = "b", .sub_group = "t"}).ok());
  std::swap(job.groups[0], job.groups[1]);
  job.sub_groups.erase(job.sub_groups.begin());
  job.queue = "q";
  job.groups[0].count = 50;
  ASSERT_TRUE(cluster.UpdateJob(job).ok());
  const ClusterSpec spec = cluster.Describe();
  ASSERT_EQ(spec.tasks.size(), 3u);
  EXPECT_EQ(spec.tasks[0].group, "a");
  EXPECT_EQ(spec.tasks[1].group, "b");
  EXPECT_EQ(spec.tasks[2].group, "b");
  EXPECT_EQ(spec.tasks[2].sub_group, "t");
  EXPECT_EQ(TablesOf(cluster).queues.jobs, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Cluster, RemovedNamesComeBackAsNewRows) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(2, {.name = "n"}).ok());
  ASSERT_TRUE(cluster.RemoveNode("n0").ok());
  ASSERT_TRUE(cluster.AddNode({.name = "n0"}).ok());
  EXPECT_EQ(RowOrder(cluster), (std::vector<std::string>{"node n1", "node n0", "queue default"}));
  EXPECT_EQ(cluster.Freeze().FindNode("n0"), 2u);
}

TEST(Cluster, TreesOfAnyDepth) {
  Cluster cluster;
  std::string parent;
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = "q" + std::to_string(i);
    ASSERT_TRUE(cluster.AddQueue({.name = name, .parent = parent}).ok());
    ASSERT_TRUE(cluster.AddDomain({.name = name, .parent = parent, .tier = 10'000 - i}).ok());
    parent = name;
  }
  EXPECT_EQ(cluster.UpdateQueue({.name = "q0", .parent = parent}).message(),
            "queue \"q0\": parent \"q9999\" lies below it");
  ASSERT_TRUE(cluster.AddJob({.name = "j", .queue = parent}).ok());
  ASSERT_TRUE(cluster.Reconcile(cluster.Describe()).ok());
  // A removal at the root sends the whole chain to waiting, and a new root brings it back.
  ASSERT_TRUE(cluster.ApplyDelta({1, Removal{Removal::Kind::kQueue, "q0"}}).ok());
  EXPECT_EQ(cluster.Describe().queues.size(), 1u);
  EXPECT_EQ(cluster.Describe().jobs.size(), 0u);
  ASSERT_TRUE(cluster.ApplyDelta({2, QueueSpec{.name = "q0"}}).ok());
  EXPECT_EQ(cluster.Describe().queues.size(), 10'001u);
  EXPECT_EQ(cluster.Describe().jobs.size(), 1u);
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Cluster, NamesOfEveryKindAndLength) {
  Cluster cluster;
  const std::string names[] = {"日本/節点", "a b\n\"c\"", std::string(4096, 'x'),
                               std::string("nul\0byte", 8)};
  for (const std::string& name : names) {
    EXPECT_TRUE(cluster.AddNode({.name = name, .labels = {{name, name}}}).ok());
    EXPECT_TRUE(cluster.AddQueue({.name = name}).ok());
    EXPECT_TRUE(cluster.AddJob({.name = name, .queue = name}).ok());
    EXPECT_TRUE(cluster.AddTask({.name = name, .job = name}).ok());
    EXPECT_EQ(cluster.Freeze().node_name(*cluster.Freeze().FindNode(name)), name);
  }
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Cluster, ManyDimensions) {
  constexpr int64_t kLargest = int64_t{1} << 53;
  Cluster cluster;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "example.com/r" + std::to_string(i);
    ASSERT_TRUE(
        cluster.AddTask({.name = name, .shape = {.request = {{name, kLargest / 1000}}}}).ok());
  }
  const Tables& t = TablesOf(cluster);
  EXPECT_EQ(t.dimension_count(), 303u);
  EXPECT_EQ(t.classes.request.at(299, 302), kLargest / 1000 * 1000);
  EXPECT_EQ(t.classes.request.at(0, 302), 0);
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Cluster, BudgetsAndNamespacesAreReplacedByName) {
  Cluster cluster;
  ASSERT_TRUE(cluster.SetDisruptionBudget({.name = "b", .allowed = 1}).ok());
  ASSERT_TRUE(cluster.SetDisruptionBudget({.name = "b", .name_space = "other", .allowed = 2}).ok());
  ASSERT_TRUE(cluster.SetDisruptionBudget({.name = "b", .allowed = 3}).ok());
  ASSERT_TRUE(cluster.SetNamespace({.name = "x", .labels = {{"k", "1"}}}).ok());
  ASSERT_TRUE(cluster.SetNamespace({.name = "x", .labels = {{"k", "2"}}}).ok());
  const ClusterSpec spec = cluster.Describe();
  ASSERT_EQ(spec.budgets.size(), 2u);
  EXPECT_EQ(spec.budgets[0].allowed, 3);
  EXPECT_EQ(spec.budgets[1].allowed, 2);
  ASSERT_EQ(spec.namespaces.size(), 1u);
  EXPECT_EQ(spec.namespaces[0].labels[0].second, "2");
}

TEST(Cluster, WordsOfTheEnums) {
  EXPECT_EQ(TaskStatusName(TaskStatus::kNominated), "nominated");
  EXPECT_EQ(TaskStatusName(TaskStatus::kUnknown), "unknown");
  EXPECT_EQ(JobPhaseName(JobPhase::kCompleted), "completed");
  EXPECT_EQ(QueueStateName(QueueState::kClosed), "closed");
}

}  // namespace
}  // namespace muster
