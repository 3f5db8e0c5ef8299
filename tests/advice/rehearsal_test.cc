// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rehearsals: each kind of change on a small cluster, what differs, and every refusal. Clones are
// compared with their original on random worlds.
#include "muster/rehearsal.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "a" has a task that runs, the gang "g" of two waits for a second node.
Cluster Waiting() {
  Cluster cluster;
  EXPECT_TRUE(cluster
                  .AddNode({.name = "n",
                            .capacity = {{"cpu", 4}, {"pods", 9}},
                            .labels = {{"pool", "x"}, {"kubernetes.io/hostname", "n"}}})
                  .ok());
  for (const auto& [name, count, cpu] : {std::tuple("a", 1, 2), std::tuple("g", 2, 2)}) {
    EXPECT_TRUE(cluster
                    .AddJob({.name = name,
                             .min_available = count,
                             .groups = {{.count = count, .shape = {.request = {{"cpu", cpu}}}}}})
                    .ok());
  }
  EXPECT_TRUE(cluster.SetTaskStatus("a-0", TaskStatus::kRunning, "n").ok());
  return cluster;
}

PlanDifference After(const WhatIfChange& change) {
  const absl::StatusOr<Rehearsal> rehearsal =
      Rehearse(Waiting(), "volcano", std::vector<WhatIfChange>{change});
  EXPECT_TRUE(rehearsal.ok()) << rehearsal.status();
  return rehearsal.ok() ? rehearsal->difference : PlanDifference();
}

std::string Refusal(const WhatIfChange& change) {
  const Cluster cluster = Waiting();
  return std::string(
      Rehearse(cluster, "volcano", std::vector<WhatIfChange>{change}).status().message());
}

TEST(Rehearse, NothingDiffersWithoutChanges) {
  const absl::StatusOr<Rehearsal> rehearsal = Rehearse(Waiting(), "volcano", {});
  ASSERT_TRUE(rehearsal.ok());
  EXPECT_TRUE(rehearsal->difference.empty());
  EXPECT_EQ(rehearsal->difference.ToText(), "nothing differs\n");
  EXPECT_EQ(rehearsal->before.Digest(), rehearsal->after.Digest());
}

TEST(Rehearse, NewNodesStartTheGang) {
  const NodeSpec like{.name = "n",
                      .capacity = {{"cpu", 4}, {"pods", 9}},
                      .labels = {{"kubernetes.io/hostname", "n"}}};
  const PlanDifference difference = After({.add_nodes = NewNodes{.count = 1, .node = like}});
  EXPECT_THAT(difference.starts, ElementsAre(TaskDifference{"g-0", "g", "", "n", ""},
                                             TaskDifference{"g-1", "g", "", "new-0", ""}));
  EXPECT_THAT(difference.stops, IsEmpty());
  ASSERT_EQ(difference.queues.size(), 1);
  EXPECT_EQ(difference.queues[0].allocated_before[0], 2000);
  EXPECT_EQ(difference.queues[0].allocated_after[0], 6000);
  EXPECT_THAT(difference.ToText(), HasSubstr("starts g-1 on new-0\n"));
  EXPECT_THAT(difference.ToJson(), HasSubstr("\"allocated_after\": {\"cpu\": 6000"));
}

TEST(Rehearse, ANodeThatLeavesStopsItsTasks) {
  const PlanDifference difference =
      After({.remove_nodes = RemovedNodes{.labels = {{"pool", "x"}}}});
  ASSERT_EQ(difference.stops.size(), 1);
  EXPECT_EQ(difference.stops[0].task, "a-0");
  EXPECT_EQ(difference.stops[0].before, "n");
  EXPECT_NE(difference.stops[0].reason, "");
}

TEST(Rehearse, AJobThatLeavesMakesRoom) {
  const PlanDifference difference = After({.remove_job = "a"});
  EXPECT_EQ(difference.starts.size(), 2);
  EXPECT_THAT(difference.stops, ElementsAre(TaskDifference{"a-0", "a", "n", "", "", "n"}));
}

// As each pod of a plain Kubernetes dump is one.
TEST(Rehearse, ATaskThatLeavesMakesRoom) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"pods", 9}}}).ok());
  TaskSpec pod{.name = "web/a", .shape = {.request = {{"cpu", 4}}}};
  ASSERT_TRUE(cluster.AddTask(pod).ok());
  ASSERT_TRUE(cluster.SetTaskStatus("web/a", TaskStatus::kRunning, "n").ok());
  pod.name = "web/b";
  ASSERT_TRUE(cluster.AddTask(pod).ok());
  const std::vector<WhatIfChange> changes = {{.remove_task = "web/a"}};
  const absl::StatusOr<Rehearsal> rehearsal = Rehearse(cluster, "kube-scheduler", changes);
  ASSERT_TRUE(rehearsal.ok()) << rehearsal.status();
  EXPECT_THAT(rehearsal->difference.starts,
              ElementsAre(TaskDifference{"web/b", "", "", "n", "", ""}));
  EXPECT_THAT(After({.remove_task = "a-0"}).starts,
              ElementsAre(TaskDifference{"g-0", "g", "", "n", "", ""},
                          TaskDifference{"g-1", "g", "", "n", "", ""}));
}

// A plan without the task is that of a cluster which never had it.
TEST(Rehearse, WithoutATaskEqualsAClusterThatNeverHadIt) {
  const char* const profiles[] = {"volcano", "muster", "volcano:-proportion,+elastic-quota",
                                  "volcano:lone_tasks=default"};
  const uint64_t count = WorldCount(200);
  int lone = 0, of_jobs = 0;
  for (uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    ClusterSpec world = RandomWorld(seed);
    if (world.nodes.empty()) continue;
    TaskSpec pod{.name = "pod", .shape = {.request = {{"cpu", 1}}}};
    pod.status = TaskStatus::kRunning;
    pod.node = world.nodes[seed % world.nodes.size()].name;
    world.tasks.push_back(pod);
    const std::optional<Cluster> made = TryCluster(world);
    if (!made) continue;
    const std::string profile = profiles[seed / 2 % std::size(profiles)];
    SCOPED_TRACE(seed);
    world = made->Describe();
    const auto task = seed % 2 == 0
                          ? std::ranges::find(world.tasks, "pod", &TaskSpec::name)
                          : world.tasks.begin() + static_cast<int64_t>(seed % world.tasks.size());
    const std::vector<WhatIfChange> changes = {{.remove_task = task->name}};
    const absl::StatusOr<Rehearsal> rehearsal = Rehearse(*made, profile, changes);
    if (!rehearsal.ok()) continue;  // no such queue
    ++(task->job.empty() ? lone : of_jobs);
    world.tasks.erase(task);
    const absl::StatusOr<Plan> plan = MakeCluster(world).Schedule(profile);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(rehearsal->after.ToText(), plan->ToText());
  }
  if (count >= 200) {
    EXPECT_GT(of_jobs, 20);
    EXPECT_GT(lone, 20);
  }
}

TEST(Rehearse, JobsAreEdited) {
  EXPECT_EQ(After({.job = JobEdit{.name = "g", .min_available = 1}}).starts.size(), 1);
  EXPECT_EQ(After({.job = JobEdit{.name = "g", .request = {{"cpu", 1}}}}).starts.size(), 2);
  EXPECT_TRUE(After({.job = JobEdit{.name = "g", .priority = 9}}).empty());
}

TEST(Rehearse, NodesAreTaintedAndTolerated) {
  const Taint taint{"k", "v", TaintEffect::kNoSchedule};
  const std::vector<WhatIfChange> changes = {{.nodes = NodeEdit{.name = "n", .taints = {taint}}},
                                             {.job = JobEdit{.name = "g", .min_available = 1}}};
  const absl::StatusOr<Rehearsal> kept_away = Rehearse(Waiting(), "volcano", changes);
  ASSERT_TRUE(kept_away.ok());
  EXPECT_TRUE(kept_away->difference.empty());
  std::vector<WhatIfChange> tolerated = changes;
  tolerated.push_back({.job = JobEdit{.name = "g", .tolerations = {{.key = "k", .value = "v"}}}});
  EXPECT_EQ(Rehearse(Waiting(), "volcano", tolerated)->difference.starts.size(), 1);
}

TEST(Rehearse, ATaskWithoutAJobHasNoQueueAndNoMinimum) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddTask({.name = "lone"}).ok());
  const auto made = [&](JobEdit edit) {
    edit.name = "lone";
    return MakeChanges(std::vector<WhatIfChange>{{.job = edit}}, &cluster);
  };
  EXPECT_THAT(std::string(made({.queue = "default"}).message()),
              HasSubstr("task \"lone\" has no job, and so no queue; may get a priority, "
                        "tolerations, a request, gates, labels and a selector"));
  EXPECT_THAT(std::string(made({.min_available = 1}).message()), HasSubstr("no min_available"));
  EXPECT_TRUE(made({.priority = 7, .request = {{"cpu", 3}}}).ok());
  EXPECT_EQ(cluster.Describe().tasks[0].priority, 7);
}

TEST(Rehearse, RefusesWithPlaceAndRule) {
  EXPECT_EQ(Refusal({}),
            "changes[0]: has no change; must have one of queue, remove_nodes, add_nodes, add_job, "
            "remove_job, remove_task, job, nodes, add_task");
  EXPECT_THAT(Refusal({.remove_job = "a", .job = JobEdit{.name = "a"}}),
              HasSubstr("more than one change"));
  EXPECT_EQ(Refusal({.queue = QueueEdit{.name = "defautl"}}),
            "changes[0]: queue \"defautl\" does not exist, did you mean \"default\"?");
  EXPECT_EQ(Refusal({.remove_job = "b"}), "changes[0]: job \"b\" does not exist");
  EXPECT_EQ(
      Refusal({.remove_job = "a-0"}),
      "changes[0]: job \"a-0\" does not exist; a task has the name, which remove_task removes");
  EXPECT_EQ(Refusal({.remove_task = "a-00"}),
            "changes[0]: task \"a-00\" does not exist, did you mean \"a-0\"?");
  EXPECT_THAT(Refusal({.job = JobEdit{.name = "x"}}), HasSubstr("job \"x\" does not exist"));
  EXPECT_THAT(Refusal({.nodes = NodeEdit{.name = "x"}}), HasSubstr("node \"x\" does not exist"));
  EXPECT_THAT(Refusal({.nodes = NodeEdit{}}), HasSubstr("nodes: has no name and no labels"));
  EXPECT_THAT(Refusal({.remove_nodes = RemovedNodes{.labels = {{"pool", "y"}}}}),
              HasSubstr("no node has the labels pool=y"));
  EXPECT_THAT(Refusal({.add_nodes = NewNodes{.count = 0}}), HasSubstr("must be 1 or more"));
  EXPECT_THAT(Refusal({.add_nodes = NewNodes{.count = 1'000'000'000}}),
              HasSubstr("add_nodes: count is 1000000000; at most 4000000"));
  EXPECT_THAT(Refusal({.job = JobEdit{.name = "g", .request = {{"cpu", -1}}}}),
              HasSubstr("changes[0]: "));
}

TEST(Rehearse, RefusesEditsThatDoNothing) {
  EXPECT_THAT(Refusal({.nodes = NodeEdit{.name = "n"}}), HasSubstr("nodes: sets nothing"));
  EXPECT_THAT(Refusal({.nodes = NodeEdit{.name = "n", .remove_taints = {"x"}}}),
              HasSubstr("none of these nodes has the taint \"x\""));
  EXPECT_THAT(Refusal({.nodes = NodeEdit{.name = "n", .remove_labels = {"x"}}}),
              HasSubstr("none of these nodes has the label \"x\""));
  EXPECT_THAT(Refusal({.job = JobEdit{.name = "g"}}), HasSubstr("job: sets nothing"));
  EXPECT_THAT(Refusal({.job = JobEdit{.name = "g", .drop_node_labels = {"x"}}}),
              HasSubstr("no pending task of \"g\" requires the node label \"x\""));
  EXPECT_THAT(
      Refusal(
          {.job = JobEdit{.name = "g", .request = {{"cpu", 1}}, .request_at_most = {{"cpu", 1}}}}),
      HasSubstr("both request and request_at_most"));
  EXPECT_THAT(Refusal({.job = JobEdit{.name = "g", .request_at_most = {{"cpu", "x"}}}}),
              HasSubstr("request_at_most: cpu: "));
}

// Each is made, and the row has the new values.
TEST(MakeChanges, NewValuesOfNodes) {
  Cluster cluster;
  NodeSpec node{.name = "n", .capacity = {{"cpu", 4}}, .labels = {{"a", "1"}, {"b", "2"}}};
  node.allocatable = Resources{{"cpu", 3}};
  node.ready = false;
  node.taints = {{"gpu", "only", TaintEffect::kNoSchedule},
                 {"keep", "", TaintEffect::kNoSchedule},
                 {"node.kubernetes.io/not-ready", "", TaintEffect::kNoExecute}};
  ASSERT_TRUE(cluster.AddNode(node).ok());
  const std::vector<WhatIfChange> changes = {
      {.nodes = NodeEdit{.name = "n",
                         .remove_taints = {"gpu"},
                         .set_labels = {{"b", "3"}, {"c", "4"}},
                         .remove_labels = {"a"},
                         .capacity = {{"cpu", 8}, {"memory", "1Gi"}},
                         .ready = true}}};
  ASSERT_TRUE(MakeChanges(changes, &cluster).ok());
  const NodeSpec now = cluster.Describe().nodes[0];
  ASSERT_EQ(now.taints.size(), 1u);
  EXPECT_EQ(now.taints[0].key, "keep");
  EXPECT_EQ(now.labels, (Labels{{"b", "3"}, {"c", "4"}}));
  EXPECT_EQ(now.capacity, (Resources{{"cpu", 8}, {"memory", "1Gi"}}));
  EXPECT_EQ(*now.allocatable, (Resources{{"cpu", 8}, {"memory", "1Gi"}}));
  EXPECT_TRUE(now.ready);
}

TEST(MakeChanges, NewValuesOfTasks) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 9}}}).ok());
  TaskSpec task{.name = "p", .shape = {.request = {{"cpu", 4}, {"memory", 5}}}};
  task.shape.node_selector = {{"disk", "ssd"}, {"zone", "x"}};
  task.shape.required_node_affinity = {
      {{.match_expressions = {{"disk", RequirementOp::kExists, {}},
                              {"arch", RequirementOp::kExists, {}}}}}};
  task.gates = {"g"};
  const std::vector<WhatIfChange> changes = {
      {.add_task = task},
      {.job = JobEdit{.name = "p",
                      .request_at_most = {{"cpu", 2}, {"memory", 9}},
                      .gates = std::vector<std::string>(),
                      .labels = {{"app", "web"}},
                      .node_selector = {{"zone", "y"}},
                      .drop_node_labels = {"disk"}}}};
  ASSERT_TRUE(MakeChanges(changes, &cluster).ok());
  const TaskSpec now = cluster.Describe().tasks[0];
  EXPECT_EQ(now.shape.request, (Resources{{"cpu", 2}, {"memory", 5}}));
  EXPECT_THAT(now.gates, IsEmpty());
  EXPECT_EQ(now.shape.labels, (Labels{{"app", "web"}}));
  EXPECT_EQ(now.shape.node_selector, (Labels{{"zone", "y"}}));
  ASSERT_EQ(now.shape.required_node_affinity->size(), 1u);
  ASSERT_EQ(now.shape.required_node_affinity->front().match_expressions.size(), 1u);
  EXPECT_EQ(now.shape.required_node_affinity->front().match_expressions[0].key, "arch");
  // Without its last requirement the term matches any node.
  ASSERT_TRUE(MakeChanges(std::vector<WhatIfChange>{{.job = JobEdit{.name = "p",
                                                                    .drop_node_labels = {"arch"}}}},
                          &cluster)
                  .ok());
  EXPECT_FALSE(cluster.Describe().tasks[0].shape.required_node_affinity.has_value());
}

// A job or task that comes and cannot start is a difference, with the reason.
TEST(Rehearse, TellsWhatComesAndWaits) {
  const JobSpec job{.name = "new", .groups = {{.count = 2, .shape = {.request = {{"cpu", 9}}}}}};
  const PlanDifference difference = After({.add_job = job});
  ASSERT_EQ(difference.waits.size(), 2u);
  EXPECT_EQ(difference.waits[0].job, "new");
  EXPECT_FALSE(difference.empty());
  EXPECT_THAT(difference.ToText(), HasSubstr("new is new and waits, 2 tasks: "));
  EXPECT_THAT(difference.ToJson(), HasSubstr("\"waits\": [\n  {\"task\": \"new-0\""));
}

// What runs and is evicted today does not start, and what waits today does not move.
TEST(Rehearse, TellsWhatTasksDoToday) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"pods", 9}}}).ok());
  ASSERT_TRUE(cluster
                  .AddTask({.name = "low",
                            .shape = {.request = {{"cpu", 4}}},
                            .status = TaskStatus::kRunning,
                            .node = "n"})
                  .ok());
  ASSERT_TRUE(
      cluster.AddTask({.name = "high", .shape = {.request = {{"cpu", 4}}}, .priority = 5}).ok());
  const NodeSpec like{.name = "n", .capacity = {{"cpu", 4}, {"pods", 9}}};
  const std::vector<WhatIfChange> more = {{.add_nodes = NewNodes{.count = 1, .node = like}}};
  const absl::StatusOr<Rehearsal> rehearsal = Rehearse(cluster, "kube-scheduler", more);
  ASSERT_TRUE(rehearsal.ok()) << rehearsal.status();
  EXPECT_THAT(rehearsal->difference.starts,
              ElementsAre(TaskDifference{"low", "", "", "n", "", "n"}));
  EXPECT_THAT(rehearsal->difference.moves,
              ElementsAre(TaskDifference{"high", "", "n", "new-0", "", ""}));
  EXPECT_EQ(rehearsal->difference.ToText(),
            "keeps low on n, not evicted any more\nstarts high on new-0 and not on n\n");
  const std::vector<WhatIfChange> none = {{.nodes = NodeEdit{.name = "n", .unschedulable = true}}};
  EXPECT_THAT(Rehearse(cluster, "kube-scheduler", none)->difference.ToText(),
              HasSubstr("no longer starts high on n: 1 node: unschedulable"));
}

// A job that gets quota, or loses it, is a difference, though no task has a node.
TEST(Rehearse, TellsWhichJobsAreAdmitted) {
  Cluster cluster;
  ASSERT_TRUE(cluster.SetFlavor({.name = "spot"}).ok());
  QueueSpec queue{.name = "q"};
  queue.rules = QueueRules{
      .groups = {{.resources = {"cpu"}, .flavors = {{.flavor = "spot", .nominal = {{"cpu", 4}}}}}}};
  ASSERT_TRUE(cluster.AddQueue(queue).ok());
  for (const char* name : {"first", "second"}) {
    JobSpec job{.name = name, .queue = "q", .min_available = 1};
    job.groups = {{.count = 1, .shape = {.request = {{"cpu", 4}}}}};
    ASSERT_TRUE(cluster.AddJob(job).ok());
    if (name == std::string("first")) {
      ASSERT_TRUE(cluster.Apply(*cluster.Schedule("kueue")).ok());
    }
  }
  const std::vector<WhatIfChange> gone = {{.remove_job = "first"}};
  const absl::StatusOr<Rehearsal> rehearsal = Rehearse(cluster, "kueue", gone);
  ASSERT_TRUE(rehearsal.ok()) << rehearsal.status();
  EXPECT_THAT(rehearsal->difference.admits, ElementsAre(JobDifference{"second", "q"}));
  EXPECT_THAT(rehearsal->difference.withdraws, ElementsAre(JobDifference{"first", "q"}));
  EXPECT_EQ(rehearsal->difference.ToText(),
            "admits second to queue q\nwithdraws first from queue q\n");
  EXPECT_THAT(rehearsal->difference.ToJson(),
              HasSubstr("\"admits\": [\n  {\"job\": \"second\", \"queue\": \"q\"}]"));
}

TEST(MakeChanges, ChangesAllOrNothing) {
  Cluster cluster = Waiting();
  const uint64_t version = cluster.version();
  const std::vector<WhatIfChange> bad = {{.remove_job = "a"}, {.remove_job = "a"}};
  EXPECT_FALSE(MakeChanges(bad, &cluster).ok());
  EXPECT_EQ(cluster.version(), version);
  EXPECT_TRUE(MakeChanges(std::span(bad).first(1), &cluster).ok());
  EXPECT_FALSE(cluster.Freeze().FindJob("a").has_value());
}

TEST(Difference, ComparesTwoProfiles) {
  const Cluster cluster = Waiting();
  const Snapshot snapshot = cluster.Freeze();
  const absl::StatusOr<Plan> volcano = Schedule(snapshot, "volcano");
  const absl::StatusOr<Plan> none = Schedule(snapshot, "volcano:-allocate");
  ASSERT_TRUE(volcano.ok() && none.ok());
  EXPECT_TRUE(Difference(snapshot, *volcano, snapshot, *none).empty());
}

TEST(Clone, DecidesAsItsOriginalAndGoesItsOwnWay) {
  const uint64_t count = WorldCount(200);
  for (uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    std::optional<Cluster> made = TryCluster(RandomWorld(seed));
    if (!made) continue;
    SCOPED_TRACE(seed);
    Cluster clone = made->Clone();
    const absl::StatusOr<Plan> plan = made->Schedule("volcano");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(clone.Schedule("volcano")->Digest(), plan->Digest());
    const uint64_t version = made->version();
    ASSERT_TRUE(clone.AddNode({.name = "of-the-clone", .capacity = {{"cpu", 1}}}).ok());
    ASSERT_TRUE(clone.Apply(*clone.Schedule("volcano")).ok());
    EXPECT_EQ(made->version(), version);
    EXPECT_EQ(made->Schedule("volcano")->Digest(), plan->Digest());
  }
}

}  // namespace
}  // namespace muster::testing
