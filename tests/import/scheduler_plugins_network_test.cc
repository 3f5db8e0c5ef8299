// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of scheduler-plugins: what applications depend on, and what networks cost.
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "muster/schedule.h"
#include "tests/import/plugin_objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(SchedulerPluginsNetworkImport, DependenciesAndCostsDecide) {
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

TEST(SchedulerPluginsNetworkImport, ArgumentsChooseTheNetwork) {
  const auto configured = [](const std::string& arguments) {
    return ImportedUnder(absl::StrCat(R"({"schedulerName": "scheduler-plugins-scheduler",
                         "plugins": {"multiPoint": {"enabled": [
                             {"name": "NetworkOverhead", "weight": 5}]}},
                         "pluginConfig": [{"name": "NetworkOverhead", "args": )",
                                      arguments, "}]}"),
                         NetworkObjects());
  };
  EXPECT_THAT(
      configured(R"({"namespaces": ["ns"]})").scenario.profile,
      HasSubstr("network_weight=5,dependencies=shop:web:db:10,zone_costs=z2:z1:5+z3:z1:50"));
  const Import netperf = configured(R"({"namespaces": ["ns"], "weightsName": "NetperfCosts"})");
  EXPECT_THAT(netperf.scenario.profile, Not(HasSubstr("zone_costs")));
  EXPECT_THAT(Lines(netperf), Contains(HasSubstr("weights NetperfCosts are read")));
  EXPECT_THAT(Lines(configured("{}")),
              Contains("AppGroup ns/shop: NetworkOverhead does not look into namespace \"ns\""));
}

// One option switches filtering and scoring of each.
TEST(SchedulerPluginsNetworkImport, PointsThatAreSwitchedApartAreReported) {
  const auto at = [](const std::string& points, const std::string& plugin,
                     const std::vector<ObjectJson>& objects) {
    std::vector<std::string> words;
    for (const auto point : absl::StrSplit(points, '+')) {
      words.push_back(
          absl::StrCat("\"", point, "\": {\"enabled\": [{\"name\": \"", plugin, "\"}]}"));
    }
    return ImportedUnder(absl::StrCat(R"({"schedulerName": "scheduler-plugins-scheduler",
                             "pluginConfig": [{"name": "NetworkOverhead",
                                               "args": {"namespaces": ["ns"]}}],
                             "plugins": {)",
                                      absl::StrJoin(words, ", "), "}}"),
                         objects);
  };
  const auto report = [](const std::string& plugin, const char* off, const char* on) {
    return absl::StrCat("scheduler configuration: profiles[0].plugins.", off, ": \"", plugin,
                        "\" is on at point ", on, ", and goes by that here, too");
  };
  const auto goes = HasSubstr("goes by that");
  const auto off = HasSubstr("does not enable N");
  const std::string network = "NetworkOverhead", zones = "NodeResourceTopologyMatch";
  for (const char* points : {"preFilter+filter", "preFilter+score", "preFilter+filter+score"}) {
    const Import import = at(points, network, NetworkObjects());
    EXPECT_THAT(import.scenario.profile, HasSubstr("network_weight=1,dependencies=")) << points;
    EXPECT_THAT(Lines(import), Not(Contains(off))) << points;
  }
  EXPECT_THAT(Lines(at("preFilter+filter", network, NetworkObjects())),
              Contains(report(network, "score", "filter")));
  EXPECT_THAT(Lines(at("preFilter+score", network, NetworkObjects())),
              Contains(report(network, "filter", "score")));
  EXPECT_THAT(Lines(at("preFilter+filter+score", network, NetworkObjects())), Not(Contains(goes)));
  EXPECT_THAT(Lines(at("permit", "Coscheduling", NetworkObjects())),
              Contains(HasSubstr("does not enable NetworkOverhead")));

  const Import scores = at("score", zones, PluginObjects());
  EXPECT_THAT(scores.scenario.profile, Not(HasSubstr("zone")));
  EXPECT_THAT(Lines(scores), Contains(report(zones, "filter", "score")));
  EXPECT_THAT(Lines(scores), Not(Contains(HasSubstr("NodeResourceTopology decide nothing"))));
  const Import filters = at("filter", zones, PluginObjects());
  EXPECT_THAT(filters.scenario.profile, HasSubstr("zone_weight=0"));
  EXPECT_THAT(filters.scenario.profile, Not(HasSubstr("zones=off")));
  EXPECT_THAT(Lines(filters), Not(Contains(goes)));
}

TEST(SchedulerPluginsNetworkImport, ANetworkWithoutItsOtherHalfIsLeftOut) {
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

TEST(SchedulerPluginsNetworkImport, RefusesBrokenNetworks) {
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
