// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of clusters with pod groups: what becomes of good ones, and the errors of bad ones.
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Clusters, JobsAndTasks) {
  const ObjectJson role = {{"volcano.sh/task-spec", "w"}};
  ObjectJson first = With(PodJson("g-w-10", {{"priority", 3}}), "/metadata/uid", "b");
  ObjectJson second = With(PodJson("g-w-x"), "/metadata/uid", "a");
  first["metadata"]["annotations"].update(role);
  second["metadata"]["annotations"].update(role);
  second["metadata"]["annotations"]["volcano.sh/task-priority"] = "9";
  second["metadata"]["annotations"]["volcano.sh/preemptable"] = "no";
  ObjectJson third = With(PodJson("run", {{"nodeName", "n1"}}, ""), "/status/phase", "Running");
  third["metadata"]["uid"] = "c";
  const Import import =
      Imported({NodeJson(),
                QueueJson(),
                {{"kind", "PriorityClass"}, {"metadata", {{"name", "high"}}}, {"value", 7}},
                GroupJson("g", {{"minMember", 2},
                                {"minTaskMember", {{"w", 1}, {"m", 1}}},
                                {"priorityClassName", "high"},
                                {"minResources", {{"cpu", "2"}, {"count/pods", "3"}}}}),
                first,
                second,
                third});
  const ClusterSpec& cluster = import.scenario.cluster;
  ASSERT_EQ(cluster.jobs.size(), 1u);
  const JobSpec& job = cluster.jobs[0];
  EXPECT_EQ(job.name, "ns/g");
  EXPECT_EQ(job.queue, "q");
  EXPECT_EQ(job.priority, 7);
  EXPECT_EQ(job.min_available, 2);
  EXPECT_EQ(Words(job.min_resources.value()), "cpu=2");
  ASSERT_EQ(job.groups.size(), 2u);
  EXPECT_EQ(job.groups[0].name, "m");
  EXPECT_EQ(job.groups[1].name, "w");
  EXPECT_EQ(job.groups[1].min_available, 1);
  ASSERT_EQ(cluster.tasks.size(), 3u);
  const TaskSpec& w10 = cluster.tasks[0];
  EXPECT_EQ(w10.name, "ns/g-w-10");
  EXPECT_EQ(w10.job, "ns/g");
  EXPECT_EQ(w10.group, "w");
  EXPECT_EQ(w10.ordinal, 10);
  EXPECT_EQ(w10.priority, 3);
  EXPECT_EQ(w10.uid_rank, 1);
  EXPECT_EQ(w10.shape.name_space, "ns");
  const TaskSpec& wx = cluster.tasks[1];
  EXPECT_EQ(wx.ordinal, std::nullopt);
  EXPECT_EQ(wx.priority, 9);
  EXPECT_EQ(wx.uid_rank, 0);
  EXPECT_FALSE(wx.preemptable);
  const TaskSpec& run = cluster.tasks[2];
  EXPECT_EQ(run.status, TaskStatus::kRunning);
  EXPECT_EQ(run.node, "n1");
  EXPECT_EQ(run.priority, 1);
  EXPECT_EQ(run.job, "");
  EXPECT_THAT(Lines(import), ElementsAre("Pod ns/g-w-x: volcano.sh/preemptable: \"no\" is neither "
                                         "true nor false; it counts as false"));
}

TEST(Clusters, RowsComeInTheOrderOfTheirKeysAndNodesAsGiven) {
  const Import import =
      Imported({NodeJson("n2"), NodeJson("n1"), QueueJson("z"), QueueJson("q"), GroupJson("b"),
                GroupJson("a"), PodJson("b", ObjectJson::object(), "b"),
                PodJson("a", ObjectJson::object(), "a")});
  const auto names = [](const auto& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) names.push_back(row.name);
    return names;
  };
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_THAT(names(cluster.nodes), ElementsAre("n2", "n1"));
  EXPECT_THAT(names(cluster.queues), ElementsAre("q", "z"));
  EXPECT_THAT(names(cluster.jobs), ElementsAre("ns/a", "ns/b"));
  EXPECT_THAT(names(cluster.tasks), ElementsAre("ns/a", "ns/b"));
  const Import by_name = Imported({NodeJson("n2"), NodeJson("n1")}, {.profile = "kube-batch"});
  EXPECT_THAT(names(by_name.scenario.cluster.nodes), ElementsAre("n1", "n2"));
  EXPECT_EQ(by_name.scenario.profile, "kube-batch");
}

TEST(Clusters, StatesOfPods) {
  const ObjectJson on = {{"nodeName", "n1"}};
  ObjectJson ending = With(PodJson("e", on), "/status/phase", "Running");
  ending["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const Import import =
      Imported({NodeJson(), QueueJson(), GroupJson(), ending, PodJson("b", on), PodJson("c", on),
                With(PodJson("d", on), "/status/phase", "Succeeded"),
                With(PodJson("f", on), "/status/phase", "Unknown"), PodJson("g")},
               {.profile = "volcano", .binding = {"ns/c"}});
  std::vector<std::string> states;
  for (const TaskSpec& task : import.scenario.cluster.tasks) {
    states.push_back(
        absl::StrCat(task.name, " ", std::string(TaskStatusName(task.status)), " ", task.node));
  }
  EXPECT_THAT(states, ElementsAre("ns/b bound n1", "ns/c binding n1", "ns/d succeeded ",
                                  "ns/e releasing n1", "ns/f unknown n1", "ns/g pending "));
}

TEST(Clusters, OptionsAreTheScenarios) {
  const Import import = Imported({QueueJson("own"), With(GroupJson(), "/spec/queue", "")},
                                 {.profile = "volcano", .default_queue = "own", .now = 7});
  EXPECT_EQ(import.scenario.options.now, 7);
  EXPECT_EQ(import.scenario.cluster.jobs[0].queue, "own");
}

TEST(Clusters, BudgetsNamespacesAndQuotas) {
  const ObjectJson budget = {{"kind", "PodDisruptionBudget"},
                             {"metadata", {{"name", "b"}, {"namespace", "ns"}}},
                             {"spec", {{"selector", {{"matchLabels", {{"a", "b"}}}}}}},
                             {"status", {{"disruptionsAllowed", 2}}}};
  const ObjectJson name_space = {{"kind", "Namespace"},
                                 {"metadata", {{"name", "ns"}, {"labels", {{"t", "1"}}}}}};
  const ObjectJson quota = {
      {"kind", "ResourceQuota"},
      {"metadata", {{"name", "r"}, {"namespace", "ns"}}},
      {"spec", {{"scopes", {"BestEffort"}}}},
      {"status", {{"hard", {{"cpu", "4"}, {"requests.cpu", "4"}}}, {"used", {{"cpu", "1"}}}}}};
  const Import import = Imported({budget, name_space, quota});
  const ClusterSpec& cluster = import.scenario.cluster;
  ASSERT_EQ(cluster.budgets.size(), 1u);
  EXPECT_EQ(cluster.budgets[0].name, "ns/b");
  EXPECT_EQ(cluster.budgets[0].name_space, "ns");
  EXPECT_EQ(cluster.budgets[0].allowed, 2);
  EXPECT_EQ(cluster.budgets[0].selector, (Selector{{{"a", "b"}}, {}}));
  ASSERT_EQ(cluster.namespaces.size(), 1u);
  EXPECT_EQ(cluster.namespaces[0].labels, (Labels{{"t", "1"}}));
  ASSERT_EQ(cluster.namespaces[0].quotas.size(), 1u);
  EXPECT_EQ(Words(cluster.namespaces[0].quotas[0].hard), "cpu=4");
  EXPECT_EQ(Words(cluster.namespaces[0].quotas[0].used), "cpu=1");
  EXPECT_EQ(Lines(import).size(), 2u);
}

TEST(BadDumps, AnEmptyListIsAnEmptyCluster) {
  const Import import = Imported({});
  EXPECT_THAT(import.scenario.cluster.nodes, IsEmpty());
  EXPECT_EQ(import.scenario.profile, "volcano");
  EXPECT_THAT(import.report, IsEmpty());
}

TEST(BadDumps, UnknownKindsAreReported) {
  const Import import =
      Imported({{{"kind", "ConfigMap"}, {"metadata", {{"name", "c"}}}},
                With(GroupJson(), "/apiVersion", "scheduling.x-k8s.io/v1alpha1")});
  EXPECT_THAT(
      Lines(import),
      ElementsAre(
          "PodGroup ns/g: apiVersion: \"scheduling.x-k8s.io/v1alpha1\" is not a group of volcano",
          "ConfigMap c: objects of this kind are not considered"));
  EXPECT_EQ(import.report[0].severity, ImportSeverity::kLeftOut);
  EXPECT_EQ(import.report[1].severity, ImportSeverity::kIgnored);
}

TEST(BadDumps, PodsOfOtherSchedulersOnlyHoldWhatTheyHave) {
  const ObjectJson other = {{"schedulerName", "default-scheduler"}};
  ObjectJson running = With(PodJson("r", other, ""), "/status/phase", "Running");
  running["spec"]["nodeName"] = "n1";
  const Import import = Imported({NodeJson(), PodJson("w", other, ""), running});
  ASSERT_EQ(import.scenario.cluster.tasks.size(), 1u);
  EXPECT_EQ(import.scenario.cluster.tasks[0].name, "ns/r");
  EXPECT_THAT(Lines(import), ElementsAre("Pod ns/w: spec.schedulerName: waits for another "
                                         "scheduler, \"default-scheduler\"",
                                         "dump: 1 of 1 pods that wait are not scheduled"));
}

TEST(BadDumps, APodOnANodeThatIsGoneGetsAnEmptyOne) {
  const Import import =
      Imported({NodeJson(), QueueJson(), GroupJson(),
                With(PodJson("p", {{"nodeName", "gone"}}), "/status/phase", "Running"),
                With(PodJson("q"), "/status/phase", "Running")});
  const std::vector<NodeSpec>& nodes = import.scenario.cluster.nodes;
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[1].name, "gone");
  EXPECT_EQ(nodes[2].name, "(nowhere)");
  EXPECT_EQ(Words(nodes[2].capacity), "pods=0");
  EXPECT_FALSE(nodes[2].ready);
  EXPECT_THAT(
      Lines(import),
      ElementsAre(
          "Pod ns/p: spec.nodeName: node \"gone\" is not there; an empty node stands for it",
          "Pod ns/q: spec.nodeName: a pod that runs has a node; an empty node stands for it"));
}

TEST(BadDumps, OfTwoObjectsOfOneNameTheLastCounts) {
  const Import import =
      Imported({NodeJson(), NodeJson("n2"), NodeJson("n1", {{"cpu", "8"}, {"pods", "1"}})});
  const std::vector<NodeSpec>& nodes = import.scenario.cluster.nodes;
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].name, "n1");
  EXPECT_EQ(Words(nodes[0].capacity), "pods=1 cpu=8");
  EXPECT_THAT(Lines(import), ElementsAre("Node n1: given more than once; the last one counts"));
  EXPECT_EQ(import.report[0].severity, ImportSeverity::kNote);
}

TEST(BadDumps, AJobWithoutItsQueueIsLeftOut) {
  const Import import = Imported({NodeJson(), GroupJson(), PodJson()});
  EXPECT_THAT(import.scenario.cluster.jobs, IsEmpty());
  EXPECT_EQ(import.scenario.cluster.tasks[0].job, "");
  EXPECT_THAT(
      Lines(import),
      ElementsAre("PodGroup ns/g: spec.queue: queue \"q\" is not there; the job is left out, its "
                  "pods only occupy nodes",
                  "Pod ns/p: metadata.annotations[\"scheduling.k8s.io/group-name\"]: job \"ns/g\" "
                  "is not there; the pod belongs to no job and is not scheduled",
                  "dump: 1 of 1 pods that wait are not scheduled, 1 of them without a job; "
                  "lone_tasks=QUEUE in the profile makes jobs of such pods"));
}

TEST(BadDumps, APodEndingWithoutANodeIsLeftOut) {
  const Import import =
      Imported({QueueJson(), GroupJson(),
                With(PodJson(), "/metadata/deletionTimestamp", "2026-01-01T00:00:00Z")});
  EXPECT_THAT(import.scenario.cluster.tasks, IsEmpty());
  EXPECT_EQ(import.report.size(), 1u);
}

TEST(BadDumps, RefusalsNameObjectAndField) {
  EXPECT_EQ(Refusal({{{"kind", "Node"}, {"metadata", ObjectJson::object()}}}),
            "Node: metadata.name: missing; each object has a name");
  EXPECT_EQ(Refusal({NodeJson("n1", {{"cpu", "1e3k"}})}),
            "Node n1: status.allocatable.cpu: \"1e3k\" is not a quantity; expected a number such "
            "as 500m, 1.5 or 8Gi, below 2^63");
  EXPECT_EQ(Refusal({With(NodeJson(), "/metadata/creationTimestamp", "yesterday")}),
            "Node n1: metadata.creationTimestamp: \"yesterday\" is not a time; expected RFC 3339 "
            "such as 2026-01-01T00:00:00Z");
  EXPECT_EQ(Refusal({QueueJson(), With(GroupJson(), "/status/phase", "Odd")}),
            "PodGroup ns/g: status.phase: \"Odd\" is not a phase of a pod group; expected Pending, "
            "Inqueue, Running, Unknown or Completed");
  EXPECT_EQ(Refusal({QueueJson(), GroupJson("g", {{"minMember", "2"}})}),
            "PodGroup ns/g: spec.minMember: expected an integer, got \"2\"");
  EXPECT_EQ(Refusal({QueueJson(), GroupJson(), With(PodJson(), "/status/phase", "Odd")}),
            "Pod ns/p: status.phase: \"Odd\" is not a phase of a pod; expected Pending, Running, "
            "Succeeded, Failed or Unknown");
  EXPECT_EQ(Refusal({PodJson("p", {{"containers", {"c"}}})}),
            "Pod ns/p: spec.containers[0]: expected an object, got \"c\"");
  EXPECT_EQ(Refusal({With(PodJson(), "/metadata/labels", {{"a", 1}})}),
            "Pod ns/p: metadata.labels.a: expected text, got 1");
  EXPECT_EQ(Refusal({QueueJson("q", {{"weight", "x"}})}),
            "Queue q: spec.weight: expected an integer, got \"x\"");
  EXPECT_EQ(Refusal({PodJson("p", {{"priority", int64_t{1} << 40}})}),
            "Pod ns/p: spec.priority: 1099511627776 is not in -2147483648..2147483647");
  EXPECT_EQ(Refusal({PodJson("p", {{"containers", {ContainerJson({{"cpu", "-1"}})}}})}),
            "Pod ns/p: spec.containers[0].resources.requests.cpu: \"-1\" is negative; expected 0 "
            "or more");
  EXPECT_EQ(Refusal({{{"kind", "Pod"}, {"metadata", {{"name", "p"}}}, {"spec", "x"}}}),
            "Pod default/p: spec: expected an object, got \"x\"");
}

}  // namespace
}  // namespace muster
