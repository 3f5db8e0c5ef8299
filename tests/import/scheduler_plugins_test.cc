// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of scheduler-plugins: quotas of namespaces, groups of pods, zones of nodes.
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

ObjectJson ObjectOf(const std::string& group, const std::string& kind, const std::string& name,
                    const ObjectJson& spec) {
  return {{"apiVersion", group + "/v1alpha1"},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "ns"}}},
          {"spec", spec}};
}

ObjectJson PluginPod(const std::string& name) {
  ObjectJson pod = PodJson(name, {{"schedulerName", "scheduler-plugins-scheduler"}}, "");
  pod["metadata"]["labels"] = {{"scheduling.x-k8s.io/pod-group", "train"}};
  return pod;
}

std::vector<ObjectJson> PluginObjects() {
  ObjectJson zones = {{"apiVersion", "topology.node.k8s.io/v1alpha2"},
                      {"kind", "NodeResourceTopology"},
                      {"metadata", {{"name", "n1"}}},
                      {"topologyPolicies", {"SingleNUMANodePodLevel"}}};
  for (const char* name : {"node-1", "node-0"}) {
    zones["zones"].push_back(
        {{"name", name},
         {"type", "Node"},
         {"costs", ObjectJson::array({{{"name", "node-0"}, {"value", 20}}})},
         {"resources",
          ObjectJson::array({{{"name", "cpu"}, {"capacity", "2"}, {"available", "1"}}})}});
  }
  return {NodeJson(),
          zones,
          ObjectOf("scheduling.x-k8s.io", "ElasticQuota", "a",
                   {{"min", {{"cpu", "2"}}}, {"max", {{"cpu", "3"}, {"memory", "1Gi"}}}}),
          ObjectOf("scheduling.x-k8s.io", "ElasticQuota", "b", {{"min", {{"cpu", "9"}}}}),
          ObjectOf(
              "scheduling.x-k8s.io", "PodGroup", "train",
              {{"minMember", 2}, {"scheduleTimeoutSeconds", 30}, {"minResources", {{"cpu", "2"}}}}),
          PluginPod("p0"),
          PluginPod("p1")};
}

TEST(SchedulerPluginsImport, ObjectsBecomeRows) {
  const Import import = Imported(PluginObjects(), {});
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_EQ(import.scenario.profile, "scheduler-plugins");
  ASSERT_EQ(cluster.queues.size(), 2u);
  EXPECT_EQ(cluster.queues[0].name, "ns");
  EXPECT_EQ(Words(*cluster.queues[0].guaranteed), "cpu=2");
  EXPECT_EQ(Words(*cluster.queues[0].limit), "cpu=3 memory=1073741824");
  ASSERT_EQ(cluster.jobs.size(), 1u);
  EXPECT_EQ(cluster.jobs[0].name, "ns/train");
  EXPECT_EQ(cluster.jobs[0].queue, "ns");
  EXPECT_EQ(cluster.jobs[0].min_available, 2);
  EXPECT_EQ(Words(*cluster.jobs[0].min_resources), "cpu=2");
  EXPECT_THAT(cluster.jobs[0].settings, ElementsAre(Pair("scheduler-plugins/timeout", "30")));
  EXPECT_EQ(cluster.tasks[1].job, "ns/train");
  const NodeSpec& node = cluster.nodes[0];
  ASSERT_EQ(node.zones.size(), 2u);
  EXPECT_EQ(node.zones[0].name, "node-0");
  EXPECT_EQ(Words(*node.zones[1].available), "cpu=1");
  EXPECT_THAT(node.zones[1].distances, ElementsAre(Pair("node-0", 20)));
  EXPECT_EQ(node.alignment, Alignment::kSingleNumaNode);
  EXPECT_EQ(node.alignment_scope, AlignmentScope::kPod);
}

TEST(SchedulerPluginsImport, ADumpRunsUnderTheProfile) {
  const Import import = Imported(PluginObjects(), {});
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 2u);
}

// Where the group is missing the pod keeps its label, and is refused for it.
TEST(SchedulerPluginsImport, APodOfAMissingGroupHasNoJob) {
  std::vector<ObjectJson> objects = PluginObjects();
  objects.erase(objects.begin() + 4);
  const Import import = Imported(objects, {});
  EXPECT_EQ(import.scenario.cluster.tasks[0].job, "");
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 0u);
  EXPECT_EQ(plan->reasons()[0].where, "0/1 nodes are available: 1 PodGroup not found.");
}

}  // namespace
}  // namespace muster
