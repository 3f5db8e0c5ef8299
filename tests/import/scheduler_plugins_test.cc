// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of scheduler-plugins: quotas of namespaces, groups of pods, zones of nodes.
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
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

// Zones bind cpu and memory of guaranteed pods alone: the plug-in looks at the class of service.
TEST(SchedulerPluginsImport, AGuaranteedPodNeedsOneZone) {
  std::vector<ObjectJson> objects = PluginObjects();
  objects.resize(2);
  objects[0]["status"]["allocatable"]["memory"] = "8Gi";
  for (ObjectJson& zone : objects[1]["zones"]) {
    zone["resources"] =
        ObjectJson::array({{{"name", "cpu"}, {"capacity", "2"}, {"available", "2"}},
                           {{"name", "memory"}, {"capacity", "4Gi"}, {"available", "4Gi"}}});
  }
  ObjectJson pod = PluginPod("p");
  pod["metadata"].erase("labels");
  ObjectJson& resources = pod["spec"]["containers"][0]["resources"];
  resources["requests"] = {{"cpu", "3"}, {"memory", "1Gi"}};
  const auto outcome = [&] {
    std::vector<ObjectJson> all = objects;
    all.push_back(pod);
    const Import import = Imported(all, {});
    Cluster cluster;
    EXPECT_TRUE(Fill(import.scenario, &cluster).ok());
    const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan->binds().empty() ? plan->reasons()[0].where : std::string("bound");
  };
  EXPECT_EQ(outcome(), "bound");
  resources["limits"] = resources["requests"];
  EXPECT_THAT(outcome(), HasSubstr("cannot align pod"));
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

ObjectJson NetworkNode(const std::string& name, const std::string& zone) {
  ObjectJson node = NodeJson(name);
  node["metadata"]["labels"] = {{"topology.kubernetes.io/region", "west"},
                                {"topology.kubernetes.io/zone", zone}};
  return node;
}

ObjectJson NetworkPod(const std::string& name, const std::string& workload,
                      const std::string& node) {
  ObjectJson pod = PodJson(name, {{"schedulerName", "scheduler-plugins-scheduler"}}, "");
  pod["metadata"]["labels"] = {{"appgroup.diktyo.x-k8s.io", "shop"},
                               {"appgroup.diktyo.x-k8s.io.workload", workload}};
  if (node.empty()) return pod;
  pod["spec"]["nodeName"] = node;
  pod["status"]["phase"] = "Running";
  return pod;
}

ObjectJson Workload(const std::string& selector) {
  return {{"kind", "Deployment"}, {"name", selector + "-deployment"}, {"selector", selector}};
}

std::vector<ObjectJson> NetworkObjects() {
  const ObjectJson cost = {{"destination", "z1"}, {"networkCost", 5}};
  const ObjectJson far = {{"destination", "z1"}, {"networkCost", 50}};
  ObjectJson weights = {{"name", "UserDefined"}};
  weights["topologyList"] = ObjectJson::array(
      {{{"topologyKey", "topology.kubernetes.io/zone"},
        {"originList", ObjectJson::array({{{"origin", "z2"}, {"costList", {cost}}},
                                          {{"origin", "z3"}, {"costList", {far}}}})}}});
  const ObjectJson netperf = {{"name", "NetperfCosts"}};
  const ObjectJson dependency = {
      {"workload", Workload("db")}, {"minBandwidth", "1Gi"}, {"maxNetworkCost", 10}};
  ObjectJson group =
      ObjectOf("appgroup.diktyo.x-k8s.io", "AppGroup", "shop",
               {{"workloads",
                 ObjectJson::array({{{"workload", Workload("web")}, {"dependencies", {dependency}}},
                                    {{"workload", Workload("db")}}})}});
  group["status"]["topologyOrder"] = ObjectJson::array({{{"workload", Workload("db")}}});
  return {NetworkNode("n1", "z1"),
          NetworkNode("n2", "z2"),
          NetworkNode("n3", "z3"),
          group,
          ObjectOf("networktopology.diktyo.x-k8s.io", "NetworkTopology", "nt-default",
                   {{"weights", {netperf, weights}}}),
          NetworkPod("db-0", "db", "n1"),
          NetworkPod("web-0", "web", "")};
}

std::string NetworkPlan(const Import& import) {
  Cluster cluster;
  EXPECT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  return plan.ok() ? plan->ToText() : plan.status().ToString();
}

TEST(SchedulerPluginsImport, DependenciesAndCostsDecide) {
  std::vector<ObjectJson> objects = NetworkObjects();
  const Import import = Imported(objects, {});
  EXPECT_EQ(import.scenario.profile,
            "scheduler-plugins:schedule(network_weight=1,dependencies=shop:web:db:10,"
            "zone_costs=z2:z1:5+z3:z1:50)");
  EXPECT_THAT(Lines(import),
              ElementsAre(HasSubstr("AppGroup ns/shop: spec.workloads: minBandwidth is not"),
                          HasSubstr("AppGroup ns/shop: status.topologyOrder: pods go by priority"),
                          HasSubstr("weights[0].name: weights UserDefined are read")));
  // With no room beside the data base, the zone that is near to it is taken; a far one never is.
  objects[0]["status"]["allocatable"]["cpu"] = "1";
  EXPECT_THAT(NetworkPlan(Imported(objects, {})), HasSubstr("bind ns/web-0 to n2"));
  objects[1]["status"]["allocatable"]["cpu"] = "0";
  EXPECT_THAT(NetworkPlan(Imported(objects, {})), Not(HasSubstr("bind")));
}

TEST(SchedulerPluginsImport, ANetworkWithoutItsOtherHalfIsLeftOut) {
  std::vector<ObjectJson> objects = NetworkObjects();
  const ObjectJson topology = objects[4];
  objects.erase(objects.begin() + 4);
  const Import alone = Imported(objects, {});
  EXPECT_EQ(alone.scenario.profile, "scheduler-plugins");
  EXPECT_THAT(Lines(alone), Contains("AppGroup ns/shop: there is no NetworkTopology with costs"));
  objects[3] = topology;
  EXPECT_THAT(Lines(Imported(objects, {})), Contains(HasSubstr("no AppGroup has dependencies")));
  objects = NetworkObjects();
  objects.push_back(With(topology, "/metadata/name", "another"));
  EXPECT_THAT(Lines(Imported(objects, {})),
              Contains(HasSubstr("NetworkTopology ns/another: NetworkTopology ns/nt-default")));
}

TEST(SchedulerPluginsImport, RefusesBrokenNetworks) {
  const auto refusal = [](size_t object, const std::string& pointer, const ObjectJson& value) {
    std::vector<ObjectJson> objects = NetworkObjects();
    objects[object] = With(objects[object], pointer, value);
    return std::string(TryImport(objects, {}).status().message());
  };
  EXPECT_EQ(refusal(3, "/spec/workloads/0/dependencies/0/maxNetworkCost", -1),
            "AppGroup ns/shop: spec.workloads[0].dependencies[0].maxNetworkCost: -1 is not in "
            "0..1000000000");
  EXPECT_EQ(refusal(3, "/spec/workloads/0/workload/selector", "a+b"),
            "AppGroup ns/shop: spec.workloads[0].workload.selector: \"a+b\" is no value that a "
            "label has");
  EXPECT_THAT(refusal(4, "/spec/weights/1/topologyList/0/originList/0/origin", ""),
              HasSubstr("originList[0].origin: missing; a name is needed"));
}

}  // namespace
}  // namespace muster
