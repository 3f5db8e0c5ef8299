// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of scheduler-plugins: quotas of namespaces, groups of pods, zones of nodes.
#include "muster/schedule.h"
#include "tests/import/plugin_objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

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
  EXPECT_EQ(node.zones[0].name, "node-1");
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

// PreemptionToleration is on if a configuration enables it, or there are marks and no quotas.
TEST(SchedulerPluginsImport, ClassesTolerateTheirPreemption) {
  const std::string mark = "preemption-toleration.scheduling.x-k8s.io/";
  ObjectJson tolerant = {
      {"kind", "PriorityClass"},
      {"metadata",
       {{"name", "tol"},
        {"annotations",
         {{mark + "minimum-preemptable-priority", "10000"}, {mark + "toleration-seconds", "-1"}}}}},
      {"value", 5}};
  ObjectJson low = PodJson("low", {{"nodeName", "n1"}, {"priorityClassName", "tol"}}, "");
  low["status"] = {{"phase", "Running"}, {"startTime", "2026-01-01T00:00:00Z"}};
  const ObjectJson high = PodJson("high", {{"priority", 100}}, "");
  std::vector<ObjectJson> objects = {NodeJson("n1", {{"cpu", "1"}, {"pods", "10"}}), tolerant, low,
                                     high};
  const auto evictions = [](const Import& import) {
    Cluster cluster;
    EXPECT_TRUE(Fill(import.scenario, &cluster).ok());
    const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->evictions().size() : 9;
  };
  const Import import = Imported(objects, {.profile = "scheduler-plugins"});
  EXPECT_EQ(import.scenario.profile,
            "scheduler-plugins:schedule(minimum.tol=10000,toleration.tol=-1,capacity=off)");
  EXPECT_EQ(evictions(import), 0u);
  const std::string enabled = R"({"schedulerName": "default-scheduler", "plugins": {
      "postFilter": {"disabled": [{"name": "DefaultPreemption"}],
                     "enabled": [{"name": "PreemptionToleration"}]}}})";
  EXPECT_THAT(ImportedUnder(enabled, objects).scenario.profile, HasSubstr("minimum.tol=10000"));
  EXPECT_EQ(evictions(ImportedUnder(enabled, objects)), 0u);
  EXPECT_EQ(evictions(ImportedUnder(R"({"schedulerName": "default-scheduler"})", objects)), 1u);
  // The first of both preempts: default ones go before those that are added.
  const auto both = [&](const std::string& plugins) {
    return ImportedUnder(
        absl::StrCat(R"({"schedulerName": "default-scheduler", "plugins": )", plugins, "}"),
        objects);
  };
  const std::string added = R"({"enabled": [{"name": "PreemptionToleration"}]})";
  for (const char* point : {"postFilter", "multiPoint"}) {
    const Import late = both(absl::StrCat(R"({")", point, R"(": )", added, "}"));
    EXPECT_EQ(evictions(late), 1u) << point;
    EXPECT_THAT(Lines(late), ElementsAre(HasSubstr("DefaultPreemption is asked before")));
  }
  const Import early = both(R"({"multiPoint": {"disabled": [{"name": "DefaultPreemption"}]},
      "postFilter": {"enabled": [{"name": "PreemptionToleration"},
                                 {"name": "DefaultPreemption"}]}})");
  EXPECT_EQ(evictions(early), 0u);
  EXPECT_THAT(Lines(early), ElementsAre(HasSubstr("DefaultPreemption is not asked")));
  // A point that disables what multiPoint has asks in the order of its own list.
  for (const char* disabled : {"DefaultPreemption", "*"}) {
    const Import listed = both(absl::StrCat(R"({"postFilter": {
        "disabled": [{"name": ")",
                                            disabled, R"("}],
        "enabled": [{"name": "PreemptionToleration"}, {"name": "DefaultPreemption"}]}})"));
    EXPECT_EQ(evictions(listed), 0u) << disabled;
    EXPECT_THAT(Lines(listed), ElementsAre(HasSubstr("DefaultPreemption is not asked")))
        << disabled;
    const Import reversed = both(absl::StrCat(R"({"postFilter": {
        "disabled": [{"name": ")",
                                              disabled, R"("}],
        "enabled": [{"name": "DefaultPreemption"}, {"name": "PreemptionToleration"}]}})"));
    EXPECT_EQ(evictions(reversed), 1u) << disabled;
  }
  std::vector<ObjectJson> unmarked = objects;
  unmarked[1]["metadata"].erase("annotations");
  EXPECT_EQ(evictions(ImportedUnder(enabled, unmarked)), 1u) << "of no class it is the default";
  objects[1]["metadata"]["annotations"][mark + "toleration-seconds"] = "long";
  EXPECT_THAT(Lines(Imported(objects, {.profile = "scheduler-plugins"})),
              Contains(HasSubstr("PriorityClass tol: metadata.annotations: a value is no number")));
  objects.push_back(
      ObjectOf("scheduling.x-k8s.io", "ElasticQuota", "q", {{"min", {{"cpu", "1"}}}}));
  EXPECT_THAT(Lines(Imported(objects, {})), Contains(HasSubstr("PreemptionToleration is not on")));
}

TEST(SchedulerPluginsImport, ReadsHowManyZonesANodeCouldHave) {
  std::vector<ObjectJson> objects = PluginObjects();
  const auto attribute = [](const std::string& value) {
    return ObjectJson::array({{{"name", "topologyManagerMaxNUMANodes"}, {"value", value}}});
  };
  objects[1]["attributes"] = attribute("4");
  objects.push_back(With(objects[1], "/metadata/name", "gone"));
  const Import import = Imported(objects, {});
  EXPECT_EQ(import.scenario.profile, "scheduler-plugins");
  EXPECT_THAT(Lines(import), Contains("NodeResourceTopology gone: node \"gone\" is not there"));
  const auto settings = [](const Import& read, size_t node) {
    return read.scenario.cluster.nodes[node].settings;
  };
  EXPECT_EQ(settings(import, 0), (Labels{{"scheduler-plugins/most_zones", "4"}}));
  objects.back() = With(With(objects[1], "/metadata/name", "n2"), "/attributes", attribute("8"));
  objects.push_back(NodeJson("n2"));
  const Import two = Imported(objects, {});
  EXPECT_EQ(settings(two, 0), (Labels{{"scheduler-plugins/most_zones", "4"}}));
  EXPECT_EQ(settings(two, 1), Labels()) << "the default";
}

TEST(SchedulerPluginsImport, ReportsWordsThatNoTopologyManagerHas) {
  std::vector<ObjectJson> objects = PluginObjects();
  const auto lines = [&](const std::string& name, const std::string& value) {
    objects[1]["attributes"] = ObjectJson::array({{{"name", name}, {"value", value}}});
    return Lines(Imported(objects, {}));
  };
  const std::string place = "NodeResourceTopology n1: ";
  EXPECT_THAT(lines("topologyManagerPolicy", "best"),
              Contains(place + "attributes: topologyManagerPolicy \"best\" is not known"));
  EXPECT_THAT(lines("topologyManagerScope", "Pod"),
              Contains(place + "attributes: topologyManagerScope \"Pod\" is not known"));
  EXPECT_THAT(lines("topologyManagerMaxNUMANodes", "many"),
              Contains(place + "attributes: topologyManagerMaxNUMANodes \"many\" is not known"));
  EXPECT_THAT(lines("topologyManagerScope", "pod"), Not(Contains(HasSubstr("is not known"))));
  EXPECT_THAT(lines("vendor", "x"), Not(Contains(HasSubstr("is not known"))));
  objects[1]["topologyPolicies"] = ObjectJson::array({"SingleNUMANode"});
  EXPECT_THAT(lines("vendor", "x"),
              Contains(place + "topologyPolicies: policy \"SingleNUMANode\" is not known"));
}

// The plug-in goes by the numbers in the names, and by the order of the report.
TEST(SchedulerPluginsImport, ZonesKeepTheirOrder) {
  std::vector<ObjectJson> objects = PluginObjects();
  ObjectJson zones = objects[1]["zones"];
  ASSERT_GE(zones.size(), 1u);
  const ObjectJson zone = zones[0];
  objects[1]["zones"] =
      ObjectJson::array({With(zone, "/name", "node-5"), With(zone, "/name", "node-2"),
                         With(zone, "/name", "node-64"), With(zone, "/name", "other")});
  const Import import = Imported(objects, {});
  std::string names;
  for (const ZoneSpec& read : import.scenario.cluster.nodes[0].zones) names += read.name + " ";
  EXPECT_EQ(names, "node-5 node-2 ");
  for (const char* place : {"zones[2]", "zones[3]"}) {
    EXPECT_THAT(Lines(import), Contains(absl::StrCat("NodeResourceTopology n1: ", place,
                                                     ".name: the zone is left "
                                                     "out; its name must be node-0 to node-63")));
  }
  EXPECT_THAT(Lines(import), Contains("NodeResourceTopology n1: zones: a cost is to zone "
                                      "\"node-0\", which is not there"));
}

// As load-watcher serves it, with a kind and a name.
TEST(SchedulerPluginsImport, MetricsAreUsageAndDeviations) {
  const auto metric = [](const char* type, const char* kind, double value) {
    return ObjectJson{{"name", "m"}, {"type", type}, {"operator", kind}, {"value", value}};
  };
  const auto watched = [](const std::string& name, int64_t end, const ObjectJson& metrics) {
    return ObjectJson{
        {"kind", "WatcherMetrics"},
        {"metadata", {{"name", name}}},
        {"timestamp", end},
        {"source", "Prometheus"},
        {"window", {{"duration", "15m"}, {"start", end - 900}, {"end", end}}},
        {"data", {{"NodeMetricsMap", {{"n1", {{"metrics", metrics}, {"tags", {{"a", 1}}}}}}}}}};
  };
  std::vector<ObjectJson> objects = PluginObjects();
  objects.push_back(
      watched("w", 2000,
              ObjectJson::array({metric("CPU", "Latest", 90), metric("CPU", "AVG", 40.5),
                                 metric("CPU", "STD", 36.25), metric("GPU", "AVG", 1),
                                 metric("Memory", "Latest", 25)})));
  Import import = Imported(objects, {});
  EXPECT_THAT(Lines(import), ElementsAre(HasSubstr("has a quota already")));
  const NodeSpec& node = import.scenario.cluster.nodes[0];
  ASSERT_TRUE(node.usage);
  EXPECT_EQ(node.usage->cpu, Quantity("40500m"));
  EXPECT_EQ(node.usage->memory, Quantity(25));
  EXPECT_EQ(node.usage->measured, 2000);
  EXPECT_EQ(node.settings, (Labels{{"scheduler-plugins/cpu_deviation", "36.25"}}));
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  EXPECT_TRUE(cluster.Schedule("scheduler-plugins:schedule(load_variation_weight=1)").ok());

  objects.push_back(watched("old", 1000, ObjectJson::array()));
  objects.push_back(
      watched("new", 3000, ObjectJson::array({metric("CPU", "P95", 1), metric("CPU", "STD", -1)})));
  objects.back()["data"]["NodeMetricsMap"]["gone"] = ObjectJson::object();
  const std::vector<std::string> lines = Lines(Imported(objects, {}));
  for (const char* line :
       {"WatcherMetrics w: a later window counts", "WatcherMetrics old: a later window counts",
        "WatcherMetrics new: data.NodeMetricsMap.n1.metrics[0].operator: \"P95\" is none of AVG, "
        "STD, Latest",
        "WatcherMetrics new: data.NodeMetricsMap.n1.metrics[1].value: is no number from 0 to "
        "1000000",
        "WatcherMetrics new: data.NodeMetricsMap.n1: has no mean of cpu; it counts as 0",
        "WatcherMetrics new: data.NodeMetricsMap.gone: the node is not there"}) {
    EXPECT_THAT(lines, Contains(line));
  }
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

// A configuration enables plug-ins; without one the profile's own are on.
TEST(SchedulerPluginsImport, AConfigurationEnablesPlugins) {
  EXPECT_EQ(ImportedUnder("{}").scenario.profile,
            "scheduler-plugins:schedule(order=time,coscheduling=off,capacity=off,zones=off)");
  const Import import = ImportedUnder(R"({"plugins": {
      "queueSort": {"disabled": [{"name": "*"}], "enabled": [{"name": "Coscheduling"}]},
      "preFilter": {"enabled": [{"name": "CapacityScheduling"}]},
      "postFilter": {"enabled": [{"name": "CapacityScheduling"}],
                     "disabled": [{"name": "DefaultPreemption"}]},
      "reserve": {"enabled": [{"name": "CapacityScheduling"}]},
      "score": {"enabled": [{"name": "NodeResourcesAllocatable", "weight": 3}]},
      "multiPoint": {"enabled": [{"name": "Coscheduling"},
                                 {"name": "NodeResourceTopologyMatch", "weight": 4},
                                 {"name": "TargetLoadPacking"}]}}})");
  EXPECT_EQ(import.scenario.profile,
            "scheduler-plugins:schedule(off=DefaultPreemption,zone_weight=4,allocatable_weight=3,"
            "target_load_weight=1)");
  EXPECT_THAT(Lines(import), ElementsAre());
}

TEST(SchedulerPluginsImport, ArgumentsOfPluginsAreOptions) {
  const Import import = ImportedUnder(R"({"plugins": {
      "multiPoint": {"enabled": [{"name": "Coscheduling"}, {"name": "CapacityScheduling"},
                                 {"name": "NodeResourceTopologyMatch"},
                                 {"name": "PreemptionToleration"}],
                     "disabled": [{"name": "PrioritySort"}, {"name": "DefaultPreemption"}]}},
    "pluginConfig": [
      {"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": 10,
          "podGroupBackoffSeconds": 3, "podGroupRejectPercentage": 50}},
      {"name": "NodeResourceTopologyMatch", "args": {"scoringStrategy": {
          "type": "LeastNUMANodes", "resources": [{"name": "cpu"}]}}},
      {"name": "NodeResourcesAllocatable", "args": {"mode": "Most", "resources": [
          {"name": "cpu", "weight": 5}]}},
      {"name": "TargetLoadPacking", "args": {"targetUtilization": 60,
          "defaultRequests": {"cpu": "2"}, "defaultRequestsMultiplier": "2.5",
          "watcherAddress": "http://load"}},
      {"name": "LoadVariationRiskBalancing", "args": {"safeVarianceMargin": 2,
          "safeVarianceSensitivity": -1}},
      {"name": "LowRiskOverCommitment", "args": {"smoothingWindowSize": 7,
          "riskLimitWeights": {"cpu": 0.25, "memory": 2}}},
      {"name": "PreemptionToleration", "args": {"minCandidateNodesPercentage": 20}}]})");
  EXPECT_THAT(Lines(import), ElementsAre());
  for (const char* option :
       {"permit_timeout=10", "group_backoff=3", "reject_percent=50", "zone_strategy=fewest",
        "zone_resources=cpu:1", "allocatable=most", "allocatable_resources=cpu:5",
        "target_utilization=60", "default_request=2000", "request_multiplier=2.5",
        "variance_margin=2", "variance_sensitivity=1", "smoothing_window=7",
        "cpu_limit_weight=0.25", "memory_limit_weight=0.5", "candidate_percentage=20"}) {
    EXPECT_THAT(import.scenario.profile, HasSubstr(option));
  }
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  EXPECT_TRUE(cluster.Schedule(import.scenario.profile).ok());
}

// Both plug-ins have the same arguments. Those of the one that is on count, whatever the order.
TEST(SchedulerPluginsImport, ArgumentsOfThePreemptionThatIsOnCount) {
  const auto read = [](const std::string& plugins) {
    return ImportedUnder(absl::StrCat(R"({"plugins": )", plugins, R"(, "pluginConfig": [
        {"name": "PreemptionToleration", "args": {"minCandidateNodesPercentage": 20}},
        {"name": "DefaultPreemption", "args": {"minCandidateNodesPercentage": 30}},
        {"name": "NodeAffinity", "args": {}}]})"));
  };
  const Import standard = read("{}");
  EXPECT_THAT(standard.scenario.profile, HasSubstr("candidate_percentage=30"));
  EXPECT_THAT(Lines(standard), ElementsAre(HasSubstr("profiles[0].pluginConfig[0].args: "
                                                     "PreemptionToleration is not on")));
  const Import tolerant = read(R"({"postFilter": {"enabled": [{"name": "PreemptionToleration"}],
                                                  "disabled": [{"name": "DefaultPreemption"}]}})");
  EXPECT_THAT(tolerant.scenario.profile, HasSubstr("candidate_percentage=20"));
  EXPECT_THAT(Lines(tolerant), ElementsAre(HasSubstr("profiles[0].pluginConfig[1].args: "
                                                     "DefaultPreemption is not on")));
  const Import late = read(R"({"postFilter": {"enabled": [{"name": "PreemptionToleration"}]}})");
  EXPECT_THAT(late.scenario.profile, HasSubstr("candidate_percentage=30"));
  EXPECT_THAT(Lines(late), ElementsAre(HasSubstr("asked before PreemptionToleration")));
  const Import early = read(R"({"multiPoint": {"disabled": [{"name": "DefaultPreemption"}]},
      "postFilter": {"enabled": [{"name": "PreemptionToleration"},
                                 {"name": "DefaultPreemption"}]}})");
  EXPECT_THAT(early.scenario.profile, HasSubstr("candidate_percentage=20"));
  EXPECT_THAT(Lines(early), ElementsAre(HasSubstr("asked before DefaultPreemption")));
  for (const char* disabled : {"DefaultPreemption", "*"}) {
    const Import listed = read(absl::StrCat(R"({"postFilter": {
        "disabled": [{"name": ")",
                                            disabled, R"("}],
        "enabled": [{"name": "PreemptionToleration"}, {"name": "DefaultPreemption"}]}})"));
    EXPECT_THAT(listed.scenario.profile, HasSubstr("candidate_percentage=20")) << disabled;
    EXPECT_THAT(Lines(listed), ElementsAre(HasSubstr("asked before DefaultPreemption")))
        << disabled;
  }
  const Import none = read(R"({"postFilter": {"disabled": [{"name": "*"}]}})");
  EXPECT_THAT(none.scenario.profile, Not(HasSubstr("candidate_percentage")));
  EXPECT_EQ(Lines(none).size(), 2u);
}

TEST(SchedulerPluginsImport, RefusesWrongArgumentsOfPlugins) {
  const auto refusal = [](const std::string& plugin, const std::string& args) {
    const std::string text = absl::StrCat(R"({"profiles": [{"pluginConfig": [{"name": ")", plugin,
                                          R"(", "args": )", args, "}]}]}");
    return std::string(
        TryImport({}, {.profile = "scheduler-plugins", .configuration = text}).status().message());
  };
  EXPECT_EQ(refusal("Coscheduling", R"({"podGroupBackoffSeconds": -3})"),
            "scheduler configuration: profiles[0].pluginConfig[0].args.podGroupBackoffSeconds: "
            "Invalid value: -3: must be greater than 0");
  EXPECT_THAT(refusal("NodeResourceTopologyMatch", R"({"scoringStrategy": {"type": "x"}})"),
              HasSubstr("Invalid value: \"x\": invalid ScoringStrategyType"));
  EXPECT_THAT(refusal("NodeResourcesAllocatable", R"({"mode": "x"})"),
              HasSubstr("Invalid value: \"x\": invalid support ModeType"));
  EXPECT_THAT(refusal("NodeResourcesAllocatable", R"({"resources": [{"name": "cpu"}]})"),
              HasSubstr("resource weight of cpu should be a positive value, got :0"));
  EXPECT_THAT(refusal("NodeMetadata", R"({"metadataKey": "k", "metadataSource": "Label",
                                          "metadataType": "Number", "scoringStrategy": "Newest"})"),
              HasSubstr("scoringStrategy: \"Newest\" is neither Highest nor Lowest"));
  EXPECT_THAT(refusal("TargetLoadPacking", R"({"defaultRequestsMultiplier": "x"})"),
              HasSubstr("defaultRequestsMultiplier: expected a number"));
}

// Of the arguments of plug-ins, what they state of single nodes.
Import WithArguments(const std::string& plugin, const std::string& arguments,
                     const std::vector<ObjectJson>& objects) {
  return ImportedUnder(absl::StrCat(R"({"plugins": {"score": {"enabled": [{"name": ")", plugin,
                                    R"(", "weight": 2}]}}, "pluginConfig": [{"name": ")", plugin,
                                    R"(", "args": )", arguments, "}]}"),
                       objects);
}

TEST(SchedulerPluginsImport, ModelsOfPowerAreSettingsOfNodes) {
  const Import import = WithArguments("Peaks",
                                      R"({"watcherAddress": "http://w", "nodePowerModel": {
          "n1": {"k0": 471.7, "k1": -91.5, "k2": -0.07}, "gone": {"k1": 1}}})",
                                      {NodeJson()});
  EXPECT_THAT(import.scenario.profile, HasSubstr("power_weight=2"));
  EXPECT_EQ(
      import.scenario.cluster.nodes[0].settings,
      (Labels{{"scheduler-plugins/power_k1", "-91.5"}, {"scheduler-plugins/power_k2", "-0.07"}}));
  EXPECT_THAT(Lines(import),
              ElementsAre(HasSubstr("args.nodePowerModel.gone: the node is not there")));
}

TEST(SchedulerPluginsImport, MarksOfNodesAreLabelsOrSettings) {
  ObjectJson first = NodeJson("n1"), second = NodeJson("n2");
  first["metadata"]["annotations"] = {{"rank", "7.5"}, {"since", "2026-01-01T00:00:05Z"}};
  second["metadata"]["annotations"] = {{"rank", "high"}, {"since", "now"}};
  const auto read = [&](const std::string& arguments) {
    return WithArguments("NodeMetadata", arguments, {first, second});
  };
  const auto mark = [](const Import& import) { return import.scenario.cluster.nodes[0].settings; };
  Import import = read(R"({"metadataKey": "rank", "metadataSource": "Label",
                           "metadataType": "Number", "scoringStrategy": "Lowest"})");
  EXPECT_THAT(import.scenario.profile, HasSubstr("mark_weight=2,mark=lowest,mark_label=rank"));
  EXPECT_EQ(mark(import), Labels());
  import = read(R"({"metadataKey": "rank", "metadataSource": "Annotation",
                    "metadataType": "Number", "scoringStrategy": "Highest"})");
  EXPECT_THAT(import.scenario.profile, Not(HasSubstr("mark_label")));
  EXPECT_EQ(mark(import), (Labels{{"scheduler-plugins/mark", "7.5"}}));
  EXPECT_THAT(Lines(import), Contains("Node n2: metadata: \"rank\" is \"high\", no number; the "
                                      "node has no mark"));
  const std::string times = R"("metadataKey": "since", "metadataSource": "Annotation",
                               "metadataType": "Timestamp", "scoringStrategy": "Newest")";
  import = read(absl::StrCat("{", times, "}"));
  EXPECT_EQ(mark(import), (Labels{{"scheduler-plugins/mark", "1767225605"}}));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("no time; the node has no mark")));
  import = read(absl::StrCat("{", times, R"(, "timestampFormat": "2006-01-02"})"));
  EXPECT_EQ(mark(import), Labels());
  EXPECT_THAT(Lines(import),
              Contains(HasSubstr(
                  "timestampFormat: times are read as 2006-01-02T15:04:05Z07:00 alone; nodes "
                  "have no marks")));
}

TEST(SchedulerPluginsImport, PluginsThatDecideNothingAreReported) {
  const Import import = ImportedUnder(R"({"plugins": {
      "queueSort": {"disabled": [{"name": "*"}], "enabled": [{"name": "TopologicalSort"}]},
      "score": {"enabled": [{"name": "SySched"}]}}})");
  EXPECT_THAT(
      Lines(import),
      Contains(HasSubstr("queueSort.enabled[0]: \"TopologicalSort\" decides nothing here")));
  EXPECT_THAT(Lines(import),
              Contains(HasSubstr("score.enabled[0]: \"SySched\" decides nothing here")));
}

TEST(SchedulerPluginsImport, ObjectsOfPluginsThatAreOffAreNoted) {
  EXPECT_THAT(
      Lines(ImportedUnder(R"({"schedulerName": "scheduler-plugins-scheduler"})", PluginObjects())),
      Contains("scheduler configuration: does not enable Coscheduling: objects PodGroup "
               "decide nothing"));
}

}  // namespace
}  // namespace muster
