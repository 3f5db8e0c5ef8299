// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Configurations with keys, kinds and values that no scheduler has: each is refused or reported
// with its place, so that no default counts silently.
#include <algorithm>
#include <map>

#include "absl/strings/str_join.h"
#include "lib/scenario/scenario.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The report, one line an entry, or the refusal.
std::string WordsOf(const std::string& profile, const std::string& configuration) {
  ImportOptions options{.profile = profile};
  options.configuration = configuration;
  const absl::StatusOr<Import> import = TryImport({}, options);
  if (!import.ok()) return std::string(import.status().message());
  std::string words;
  for (const ImportEntry& entry : import->report) absl::StrAppend(&words, Describe(entry), "\n");
  return words;
}

void ExpectWords(const std::string& profile, const std::string& configuration,
                 const std::string& words) {
  EXPECT_THAT(WordsOf(profile, configuration),
              HasSubstr(absl::StrCat("scheduler configuration: ", words)))
      << profile << " " << configuration;
}

TEST(Configurations, OfTiersListTheirKeys) {
  for (const char* profile : {"volcano", "kube-batch"}) {
    ExpectWords(profile, R"({"action": "allocate"})",
                "action: not a known field, did you mean \"actions\"?");
    ExpectWords(profile, R"({"tiers": [{"plugin": [{"name": "gang"}]}]})",
                "tiers[0].plugin: not a known field, did you mean \"plugins\"?");
    ExpectWords(profile, R"({"tiers": [5]})", "tiers[0]: expected an object, got 5");
    ExpectWords(profile, R"({"tiers": []})", "tiers: empty; those of the profile stand for it");
    ExpectWords(profile, R"({"actions": []})", "actions: empty; those of the profile stand for it");
  }
  ExpectWords("volcano", R"({"configurations": [{"name": "allocate", "argument": {}}]})",
              "configurations[0].argument: not a known field, did you mean \"arguments\"?");
  EXPECT_EQ(WordsOf("volcano", R"({"actions": "allocate", "metrics": {"type": "x"}})"), "");
}

TEST(Configurations, OfShardsListTheirKeys) {
  const auto shard = [](const std::string& spec) {
    return absl::StrCat(R"({"kind": "SchedulingShard", "metadata": {}, "spec": )", spec, "}");
  };
  EXPECT_EQ(WordsOf("kai", shard(R"({"minRuntime": {"preemptMinRuntime": "0"}})")), "");
  ExpectWords("kai", R"({"kind": "SchedulingShart", "spec": {}})",
              "kind: expected \"SchedulingShard\", got \"SchedulingShart\"");
  ExpectWords("kai", R"({"kind": "SchedulingShard", "spek": {}, "spec": {}})",
              "spek: not a known field, did you mean \"spec\"?");
  ExpectWords("kai", shard(R"({"minRuntime": {"preemptMinRuntim": "5s"}})"),
              "spec.minRuntime.preemptMinRuntim: not a known field");
  ExpectWords("kai", shard(R"({"placementStrategy": {"gpus": "spread"}})"),
              "spec.placementStrategy.gpus: not a known field, did you mean \"gpu\"?");
  for (const std::string text : {"zz", "-10s"}) {
    ExpectWords("kai",
                shard(absl::StrCat(R"({"minRuntime": {"reclaimMinRuntime": ")", text, "\"}}")),
                absl::StrCat("spec.minRuntime.reclaimMinRuntime: \"", text,
                             "\" is no duration of 0 or more"));
  }
}

TEST(Configurations, OfQueueingListTheirKeys) {
  ExpectWords("kueue", R"({"kind": "Konfig"})", "kind: expected \"Configuration\", got \"Konfig\"");
  ExpectWords("kueue", R"({"fairSharing": {"enabl": true}})",
              "fairSharing.enabl: not a known field, did you mean \"enable\"?");
  ExpectWords("kueue", R"({"fairSharing": true})", "fairSharing: expected an object, got true");
  ExpectWords("kueue", R"({"fairSharing": {"preemptionStrategies": -1}})",
              "fairSharing.preemptionStrategies: expected an array, got -1");
  ExpectWords("kueue", R"({"fairSharing": {"preemptionStrategies": ["Least"]}})",
              "fairSharing.preemptionStrategies: \"Least\" is no strategy");
  EXPECT_EQ(WordsOf("kueue", R"({"kind": "Configuration", "fairSharing": {"enable": true}})"), "");
}

TEST(Configurations, OfFairQueuesListTheirKeys) {
  ExpectWords("yarn-fair", R"({"allocation": {"queue": []}})",
              "allocation: this property decides nothing here, or is not read");
  ExpectWords("yarn-fair", R"({"yarn.scheduler.fair.assignmultipl": "true"})",
              "[\"yarn.scheduler.fair.assignmultipl\"]: this property decides nothing here");
  ExpectWords("yarn-fair", R"({"allocations": {"user": {"name": "a", "maxRunningApp": "1"}}})",
              "allocations.user.maxRunningApp: not a known field, did you mean");
  for (const std::string value : {"-1", "\"-1\""}) {
    ExpectWords(
        "yarn-fair",
        absl::StrCat(R"({"allocations": {"user": {"name": "a", "maxRunningApps": )", value, "}}}"),
        absl::StrCat("allocations.user.maxRunningApps: ", value, " is below 0"));
  }
}

TEST(Configurations, OfPodSchedulersListTheirKeys) {
  ExpectWords("kube-scheduler", R"({"kind": "KubeSchedulerConfig"})",
              "kind: expected \"KubeSchedulerConfiguration\", got \"KubeSchedulerConfig\"");
  ExpectWords("kube-scheduler", R"({"kind": "KubeSchedulerConfiguration", "profile": []})",
              "profile: not a known field, did you mean \"profiles\"?");
  ExpectWords("kube-scheduler", R"({"profiles": [{"plugin": {}}]})",
              "profiles[0].plugin: not a known field, did you mean \"plugins\"?");
  ExpectWords("kube-scheduler", R"({"profiles": [{"plugins": {"scores": {}}}]})",
              "profiles[0].plugins.scores: not a known field, did you mean \"score\"?");
  ExpectWords("kube-scheduler", R"({"profiles": [{"plugins": {"score": {"disable": []}}}]})",
              "profiles[0].plugins.score.disable: not a known field");
  ExpectWords("kube-scheduler", R"({"profiles": [{"pluginConfig": [{"name": "x", "arg": {}}]}]})",
              "profiles[0].pluginConfig[0].arg: not a known field");
}

// As in Kubernetes: what a plug-in's own point has goes before what stands for all points.
TEST(Configurations, ThePointOfAPluginGoesBeforeAllPoints) {
  const auto profile = [](const std::string& plugins) {
    return Imported(
               {}, {.profile = "kube-scheduler",
                    .configuration = absl::StrCat(R"({"profiles": [{"plugins": )", plugins, "}]}")})
        .scenario.profile;
  };
  EXPECT_THAT(profile(R"({"score": {"disabled": [{"name": "ImageLocality"}]},
                          "multiPoint": {"enabled": [{"name": "ImageLocality", "weight": 5}]}})"),
              HasSubstr("image_weight=0"));
  EXPECT_THAT(profile(R"({"multiPoint": {"disabled": [{"name": "*"}],
                                         "enabled": [{"name": "PrioritySort"},
                                                     {"name": "DefaultBinder"}]},
                          "score": {"enabled": [{"name": "ImageLocality", "weight": 7}]}})"),
              HasSubstr("image_weight=7"));
  EXPECT_THAT(profile(R"({"multiPoint": {"enabled": [{"name": "ImageLocality", "weight": 5}]},
                          "score": {"disabled": [{"name": "*"}],
                                    "enabled": [{"name": "ImageLocality", "weight": 7}]}})"),
              HasSubstr("image_weight=7"));
  EXPECT_THAT(profile(R"({"multiPoint": {"enabled": [{"name": "ImageLocality", "weight": 5}]}})"),
              HasSubstr("image_weight=5"));
}

// What a configuration switches off refuses no node, and default preemption evicts nothing.
TEST(Configurations, PluginsAreOnByPoint) {
  const auto profile = [](const std::string& plugins) {
    return Imported(
               {}, {.profile = "kube-scheduler",
                    .configuration = absl::StrCat(R"({"profiles": [{"plugins": )", plugins, "}]}")})
        .scenario.profile;
  };
  EXPECT_EQ(profile("{}"), "kube-scheduler");
  EXPECT_EQ(profile(R"({"filter": {"disabled": [{"name": "NodeResourcesFit"}]}})"),
            "kube-scheduler:schedule(off=NodeResourcesFit)");
  EXPECT_EQ(profile(R"({"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]}})"),
            "kube-scheduler:schedule(fit_weight=0,off=NodeResourcesFit)");
  EXPECT_EQ(profile(R"({"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]},
                        "filter": {"enabled": [{"name": "NodeResourcesFit"}]},
                        "preFilter": {"enabled": [{"name": "NodeResourcesFit"}]}})"),
            "kube-scheduler:schedule(fit_weight=0)");
  EXPECT_EQ(profile(R"({"multiPoint": {"disabled": [{"name": "*"}],
                        "enabled": [{"name": "PrioritySort"}, {"name": "DefaultBinder"},
                                    {"name": "NodePorts"}, {"name": "ImageLocality"}]}})"),
            "kube-scheduler:schedule(fit_weight=0,balanced_weight=0,node_affinity_weight=0,"
            "taint_weight=0,pod_affinity_weight=0,spread_weight=0,off=NodeUnschedulable+"
            "TaintToleration+NodeAffinity+NodeResourcesFit+PodTopologySpread+InterPodAffinity+"
            "DefaultPreemption+GangScheduling)");
  EXPECT_EQ(profile(R"({"multiPoint": {"disabled": [{"name": "GangScheduling"}]}})"),
            "kube-scheduler:schedule(off=GangScheduling)");
  EXPECT_EQ(profile(R"({"multiPoint": {"enabled": [{"name": "GangScheduling"}]}})"),
            "kube-scheduler");
  EXPECT_EQ(profile(R"({"postFilter": {"disabled": [{"name": "*"}]}})"),
            "kube-scheduler:schedule(off=DefaultPreemption)");
  EXPECT_EQ(profile(R"({"postFilter": {"disabled": [{"name": "*"}],
                                       "enabled": [{"name": "PreemptionToleration"}]}})"),
            "kube-scheduler:schedule(off=DefaultPreemption)")
      << "a plug-in that this scheduler does not have";
}

TEST(Configurations, APointThatGoesWithAnotherIsReported) {
  const auto plugins = [](const std::string& text) {
    return absl::StrCat(R"({"profiles": [{"plugins": )", text, "}]}");
  };
  ExpectWords("kube-scheduler",
              plugins(R"({"preFilter": {"disabled": [{"name": "NodeResourcesFit"}]}})"),
              "profiles[0].plugins.preFilter: \"NodeResourcesFit\" is on at point filter, and goes "
              "by that here, too");
  ExpectWords(
      "kube-scheduler", plugins(R"({"score": {"disabled": [{"name": "NodeResourceFit"}]}})"),
      "profiles[0].plugins.score.disabled[0]: \"NodeResourceFit\" is no plug-in of this scheduler");
  ExpectWords("kube-scheduler", plugins(R"({"score": {"enabled": [{"name": "NodePorts"}]}})"),
              "profiles[0].plugins.score.enabled[0]: \"NodePorts\" decides nothing here");
  for (const char* point : {"preEnqueue", "permit"}) {
    ExpectWords(
        "kube-scheduler",
        plugins(absl::StrCat(R"({")", point, R"(": {"disabled": [{"name": "GangScheduling"}]}})")),
        absl::StrCat("profiles[0].plugins.", point,
                     ".disabled[0]: \"GangScheduling\" decides "
                     "nothing here"));
  }
  for (const char* name : {"NodeDeclaredFeatures", "DefaultPreBind"}) {
    ExpectWords(
        "kube-scheduler",
        plugins(absl::StrCat(R"({"multiPoint": {"enabled": [{"name": ")", name, R"("}]}})")),
        absl::StrCat("profiles[0].plugins.multiPoint.enabled[0]: \"", name,
                     "\" decides nothing here"));
  }
  ExpectWords(
      "kube-scheduler", plugins(R"({"multiPoint": {"disabled": [{"name": "*"}]}})"),
      "profiles[0].plugins: only one queue sort plugin required for profile with scheduler name "
      "\"default-scheduler\", but got 0");
  ExpectWords(
      "kube-scheduler", plugins(R"({"multiPoint": {"disabled": [{"name": "*"}],
                                             "enabled": [{"name": "PrioritySort"}]}})"),
      "profiles[0].plugins: at least one bind plugin is needed for profile with scheduler name "
      "\"default-scheduler\"");
}

TEST(Configurations, AnotherVersionIsReported) {
  ExpectWords("kube-scheduler", R"({"apiVersion": "kubescheduler.config.k8s.io/v1beta3",
                                    "kind": "KubeSchedulerConfiguration"})",
              "apiVersion: is read as kubescheduler.config.k8s.io/v1");
}

// In the words of Kubernetes' own validation.
TEST(Configurations, WhatThePodSchedulerRefusesIsRefused) {
  const auto expect = [](const std::string& text, const std::string& words) {
    ExpectWords("kube-scheduler", text, words);
  };
  const auto arguments = [&](const std::string& plugin, const std::string& args,
                             const std::string& words) {
    expect(absl::StrCat(R"({"profiles": [{"pluginConfig": [{"name": ")", plugin, R"(", "args": )",
                        args, "}]}]}"),
           absl::StrCat("profiles[0].pluginConfig[0].args.", words));
  };
  expect(R"({"podInitialBackoffSeconds": 20, "podMaxBackoffSeconds": 5})",
         "podMaxBackoffSeconds: Invalid value: 5: must be greater than or equal to "
         "PodInitialBackoffSeconds");
  expect(R"({"podInitialBackoffSeconds": 0})",
         "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0");
  expect(R"({"percentageOfNodesToScore": 140})",
         "percentageOfNodesToScore: Invalid value: 140: not in valid range [0-100]");
  expect(R"({"parallelism": 0})",
         "parallelism: Invalid value: 0: should be an integer value greater than zero");
  expect(R"({"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]})",
         "profiles[1].schedulerName: Duplicate value: \"a\"");
  expect(R"({"profiles": [{"schedulerName": "a"}, {}]})",
         "profiles[1].schedulerName: Required value");
  arguments("DefaultPreemption",
            R"({"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0})",
            "minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as "
            "minCandidateNodesAbsolute");
  arguments("DefaultPreemption", R"({"minCandidateNodesAbsolute": -1})",
            "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)");
  arguments("InterPodAffinity", R"({"hardPodAffinityWeight": 300})",
            "hardPodAffinityWeight: Invalid value: 300: not in valid range [0, 100]");
  for (const std::string weight : {"-4", "500"}) {
    arguments("NodeResourcesFit",
              absl::StrCat(R"({"scoringStrategy": {"resources": [{"name": "cpu", "weight": )",
                           weight, "}]}}"),
              absl::StrCat("scoringStrategy.resources[0].weight: Invalid value: ", weight,
                           ": resource weight of cpu not in valid range (0, 100]"));
  }
  arguments("NodeResourcesFit", R"({"ignoredResourceGroups": ["example.com", "a/b"]})",
            "ignoredResourceGroups: Invalid value: \"a/b\": resource group name can't contain '/'");
  arguments("NodeAffinity",
            R"({"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": []}}})",
            "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: "
            "Required value: must have at least one node selector term");
  arguments("NodeResourcesBalancedAllocation", R"({"resources": [{"name": "cpu", "weight": 7}]})",
            "resources[0].weight: Invalid value: 7: must be 1");
  const auto spread = [&](const std::string& constraint, const std::string& words) {
    arguments(
        "PodTopologySpread",
        absl::StrCat(R"({"defaultingType": "List", "defaultConstraints": [)", constraint, "]}"),
        absl::StrCat("defaultConstraints[0]", words));
  };
  spread(R"({"topologyKey": "z", "maxSkew": 1, "whenUnsatisfiable": "Nope"})",
         ".whenUnsatisfiable: Unsupported value: \"Nope\": supported values: \"DoNotSchedule\", "
         "\"ScheduleAnyway\"");
  spread(R"({"topologyKey": "z", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
             "nodeTaintsPolicy": "Nope"})",
         ".nodeTaintsPolicy: Unsupported value: \"Nope\": supported values: \"Honor\", \"Ignore\"");
  spread(R"({"topologyKey": "z", "maxSkew": 1})",
         ".whenUnsatisfiable: Required value: can not be empty");
  spread(R"({"topologyKey": "z", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
             "labelSelector": {}})",
         ".labelSelector: Forbidden: constraint must not define a selector");
}

// Pods of other profiles, and of schedulers that the file does not have, are not for this one.
TEST(Configurations, OnlyPodsOfTheFirstProfileArePlaced) {
  const std::vector<ObjectJson> objects = {NodeJson(), PodJson("a", ObjectJson::object(), ""),
                                           PodJson("b", {{"schedulerName", "second"}}, ""),
                                           PodJson("c", {{"schedulerName", "third"}}, "")};
  const auto names = [&](const std::string& configuration) {
    const Import import =
        Imported(objects, {.profile = "kube-scheduler", .configuration = configuration});
    std::string words;
    for (const TaskSpec& task : import.scenario.cluster.tasks) words += task.name + " ";
    return words + absl::StrJoin(Lines(import), "\n");
  };
  EXPECT_THAT(names(R"({"kind": "KubeSchedulerConfiguration"})"), HasSubstr("ns/a ns/b ns/c "));
  const std::string two = names(R"({"profiles": [{"schedulerName": "default-scheduler"},
                                                 {"schedulerName": "second"}]})");
  EXPECT_THAT(two, HasSubstr("ns/a "));
  EXPECT_THAT(two, HasSubstr("profiles[1]: one profile is read, the first; pods of scheduler "
                             "\"second\" are left out"));
  EXPECT_THAT(two, HasSubstr("Pod ns/b: spec.schedulerName: waits for another profile of the "
                             "configuration, \"second\""));
  EXPECT_THAT(two, HasSubstr("Pod ns/c: spec.schedulerName: waits for \"third\", which is no "
                             "profile of the configuration"));
  EXPECT_THAT(names(R"({"profiles": [{"schedulerName": "second"}]})"),
              ::testing::StartsWith("ns/b "));
}

TEST(Configurations, GatesGateNothingWhereTheirPluginIsOff) {
  ObjectJson pod = PodJson("a", ObjectJson::object(), "");
  pod["spec"]["schedulingGates"] = ObjectJson::array({{{"name", "later"}}});
  const auto gates = [&](const std::string& plugins) {
    return Imported({NodeJson(), pod}, {.profile = "kube-scheduler",
                                        .configuration = absl::StrCat(
                                            R"({"profiles": [{"plugins": )", plugins, "}]}")})
        .scenario.cluster.tasks[0]
        .gates.size();
  };
  EXPECT_EQ(gates("{}"), 1u);
  EXPECT_EQ(gates(R"({"preEnqueue": {"disabled": [{"name": "SchedulingGates"}]}})"), 0u);
}

// As Kubernetes takes them: a weight of 0 is the default, and a plug-in is enabled once.
TEST(Configurations, EnabledPluginsHaveOneWeight) {
  const auto enabled = [](const std::string& items) {
    return absl::StrCat(R"({"profiles": [{"plugins": {"score": {"enabled": [)", items, "]}}}]}");
  };
  const std::string spread = R"({"name": "PodTopologySpread", "weight": )";
  EXPECT_THAT(Imported({}, {.profile = "kube-scheduler",
                            .configuration = enabled(absl::StrCat(spread, "0}"))})
                  .scenario.profile,
              HasSubstr("spread_weight=1"));
  ExpectWords("kube-scheduler", enabled(absl::StrCat(spread, "-1}")),
              "profiles[0].plugins.score.enabled[0].weight: -1 is below 0; 1 or more is");
  ExpectWords("kube-scheduler", enabled(absl::StrCat(spread, "1}, ", spread, "2}")),
              "profiles[0].plugins.score.enabled[1].name: plugin \"PodTopologySpread\" already "
              "registered as \"ScorePlugin\"");
  ExpectWords("kube-scheduler",
              R"({"profiles": [{"plugins": {"multiPoint": {"enabled": [
                  {"name": "NodeResourcesFit"}, {"name": "NodeResourcesFit"}]}}}]})",
              "profiles[0].plugins.multiPoint.enabled[1].name: \"NodeResourcesFit\" is enabled "
              "twice; once is allowed");
  ExpectWords("kube-scheduler", enabled(R"({"name": "Unknown"})"),
              "profiles[0].plugins.score.enabled[0]: \"Unknown\" is no plug-in of this scheduler");
}

TEST(Configurations, SwitchesAreTrueOrFalse) {
  const auto profile = [](const std::string& value) {
    ImportOptions options{.profile = "yarn-fair"};
    options.configuration = absl::StrCat(R"({"yarn.scheduler.fair.assignmultiple": )", value, "}");
    return Imported({}, options).scenario.profile;
  };
  EXPECT_EQ(profile("\" TRUE\""), "yarn-fair:heartbeat(assign_multiple=on)");
  EXPECT_EQ(profile("\"False\""), "yarn-fair:heartbeat(assign_multiple=off)");
  for (const char* value : {"\"zz\"", "-1", "[]"}) {
    EXPECT_EQ(profile(value), "yarn-fair") << value;
  }
  ExpectWords("yarn-fair", R"({"yarn.scheduler.fair.assignmultiple": "zz"})",
              "[\"yarn.scheduler.fair.assignmultiple\"]: \"zz\" is not true or false; the default");
}

TEST(Configurations, OfCapacityQueuesHaveScalarValues) {
  const auto root = [](const std::string& key, const std::string& value) {
    return absl::StrCat(R"({"yarn.scheduler.capacity.root.queues": "a",
                            "yarn.scheduler.capacity.root.a.capacity": "100",
                            "yarn.scheduler.capacity.root.a.)",
                        key, "\": ", value, "}");
  };
  const std::string place = "[\"yarn.scheduler.capacity.root.a.";
  ExpectWords("yarn-capacity", root("state", "\"STOPED\""),
              place + "state\"]: \"STOPED\" is no state; expected RUNNING or STOPPED");
  ExpectWords("yarn-capacity", root("state", "true"), place + "state\"]: true is no state");
  ExpectWords("yarn-capacity", root("maximum-capacity", "[]"),
              place + "maximum-capacity\"]: expected a text, a number or a flag, got an array");
  // -1 is the peer's word for none; other amounts below 0 are none.
  EXPECT_THAT(WordsOf("yarn-capacity", root("maximum-capacity", "\"-1\"")), IsEmpty());
  EXPECT_THAT(WordsOf("yarn-capacity", root("maximum-capacity", "\"-15\"")),
              HasSubstr("maximum-capacity"));
  ImportOptions options{.profile = "yarn-capacity"};
  options.configuration = root("state", "\"stopped\"");
  const std::vector<QueueSpec> queues = Imported({}, options).scenario.cluster.queues;
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[1].state, QueueState::kClosed);
}

// A configuration of each importer with an object at every place where it has one.
const std::map<std::string, std::string>& Whole() {
  static const std::string tiers = R"({"actions": "allocate, preempt",
    "configurations": [{"name": "preempt", "arguments": {"predicateErrorCacheEnable": true}}],
    "tiers": [{"plugins": [
      {"name": "drf", "enablePreemptable": true},
      {"name": "nodeorder", "arguments": {"leastrequested.weight": 2}}]}]})";
  static const std::string volcano = R"({"actions": "allocate, preempt",
    "configurations": [{"name": "preempt", "arguments": {"predicateErrorCacheEnable": true}}],
    "tiers": [{"plugins": [
      {"name": "drf", "enablePreemptable": true},
      {"name": "usage", "arguments": {"thresholds": {"cpu": 80}, "estimator": {"be_cpu": 1}}},
      {"name": "resource-strategy-fit", "arguments": {
        "resources": {"cpu": {"type": "MostAllocated", "weight": 2}},
        "sra": {"enable": true, "resources": "gpu", "weight": 1, "resourceWeight": {"gpu": 2}},
        "proportional": {"enable": true, "resources": "gpu",
                         "resourceProportion": {"gpu.cpu": 4}}}},
      {"name": "rescheduling", "arguments": {"strategies": [{"name": "lowNodeUtilization",
        "params": {"thresholds": {"cpu": 20}, "targetThresholds": {"cpu": 80}}}]}}]}]})";
  static const std::string pods = R"({"kind": "KubeSchedulerConfiguration", "profiles": [{
    "schedulerName": "default-scheduler",
    "plugins": {"score": {"enabled": [{"name": "ImageLocality", "weight": 3}],
                          "disabled": [{"name": "NodeAffinity"}]},
                "multiPoint": {"enabled": [{"name": "TaintToleration", "weight": 2}]}},
    "pluginConfig": [
      {"name": "NodeResourcesFit", "args": {"ignoredResources": ["a"], "scoringStrategy": {
        "type": "RequestedToCapacityRatio", "resources": [{"name": "cpu", "weight": 2}],
        "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 10}]}}}},
      {"name": "NodeResourcesBalancedAllocation", "args": {"resources": [{"name": "cpu"}]}},
      {"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 2}},
      {"name": "DefaultPreemption", "args": {"minCandidateNodesAbsolute": 5}},
      {"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints": [
        {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}]}},
      {"name": "NodeAffinity", "args": {"addedAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "a", "operator": "Exists"}]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {
          "matchExpressions": [{"key": "a", "operator": "Exists"}]}}]}}}]}]})";
  static const std::map<std::string, std::string> whole = {
      {"volcano", volcano},
      {"kube-batch", tiers},
      {"kube-scheduler", pods},
      {"scheduler-plugins", pods},
      {"kueue", R"({"kind": "Configuration", "fairSharing": {"enable": true}})"},
      {"kai", R"({"kind": "SchedulingShard", "spec": {"placementStrategy": {"gpu": "spread"},
                  "minRuntime": {"preemptMinRuntime": "5s"}}})"},
      {"armada", R"({"scheduling": {
        "priorityClasses": {"low": {"priority": 1, "preemptible": true,
          "awayNodeTypes": [{"priority": 5, "wellKnownNodeTypeName": "gpu"}],
          "maximumResourceFractionPerQueue": {"cpu": 0.5}}},
        "defaultPriorityClassName": "low",
        "wellKnownNodeTypes": [{"name": "gpu", "taints": [
          {"key": "gpu", "value": "*", "effect": "NoSchedule"}]}],
        "maximumResourceFractionToSchedule": {"cpu": 1},
        "experimentalDominantResourceFairnessResourcesToConsider": [{"name": "cpu"}],
        "indexedResources": [{"name": "cpu", "resolution": "100m"}],
        "floatingResources": [{"name": "licenses", "pools": [{"name": "a", "quantity": "3"}]}],
        "pools": [{"name": "a", "fairsharePreemptionRateLimit": {"maximumRate": 1},
                   "experimentalMarketScheduling": {"enabled": true}}]}})"},
      {"yunikorn", R"({"partitions": [{"name": "default",
        "nodesortpolicy": {"type": "fair", "resourceweights": {"vcore": 2}},
        "preemption": {"enabled": false},
        "placementrules": [{"name": "tag", "value": "namespace", "create": true,
          "filter": {"type": "allow", "users": ["ann"]},
          "parent": {"name": "user", "create": true}}],
        "limits": [{"limit": "all", "users": ["*"], "maxresources": {"vcore": "9"}}],
        "queues": [{"name": "root", "submitacl": "*", "properties": {"priority.offset": "1"},
          "childtemplate": {"maxapplications": 7, "properties": {"priority.offset": "1"},
            "resources": {"guaranteed": {"vcore": "1"}, "max": {"vcore": "2"}}},
          "queues": [{"name": "a", "parent": true,
            "resources": {"guaranteed": {"vcore": "1"}, "max": {"vcore": "4"}},
            "limits": [{"limit": "b", "users": ["b"], "maxresources": {"vcore": "3"}}]}]}]}]})"},
      {"htcondor", R"({"PRIORITY_HALFLIFE": 3600})"},
      {"mesos", R"({"allocation_interval": "1secs"})"},
      {"pulsar", R"({"loadBalancerEnabled": true})"},
      {"yarn-capacity", R"({"yarn.scheduler.capacity.root.queues": "a",
                            "yarn.scheduler.capacity.root.a.capacity": "100"})"},
      {"yarn-fair", R"({"allocations": {"queue": [{"name": "a", "weight": "2.0",
        "queue": {"name": "b"}}], "user": {"name": "ann", "maxRunningApps": "1"}}})"},
      {"koordinator", R"({"kind": "KubeSchedulerConfiguration"})"},
      {"ray", R"({"max_workers": 4})"}};
  return whole;
}

// All that comes of a configuration: the refusal, or the scenario and the report.
std::string OutcomeOf(const std::string& profile, const std::string& configuration) {
  const absl::StatusOr<Import> import =
      TryImport({}, {.profile = profile, .configuration = configuration});
  if (!import.ok()) return std::string(import.status().message());
  return absl::StrCat(WriteScenario(import->scenario), WordsOf(profile, configuration));
}

// The places of all objects, as JSON pointers.
std::vector<std::string> ObjectsOf(const ObjectJson& root) {
  std::vector<std::string> places;
  if (root.is_object()) places.push_back("");
  const ObjectJson flat = root.flatten();
  for (const auto& [place, leaf] : flat.items()) {
    for (size_t end = place.find('/', 1); end != place.npos; end = place.find('/', end + 1)) {
      const std::string above = place.substr(0, end);
      const bool is_new = std::find(places.begin(), places.end(), above) == places.end();
      if (is_new && root.at(ObjectJson::json_pointer(above)).is_object()) places.push_back(above);
    }
  }
  return places;
}

TEST(Configurations, NoKeyPassesInSilenceAtAnyDepth) {
  for (const std::string_view name : ImporterNames()) {
    const std::string profile(name);
    const auto whole = Whole().find(profile);
    ASSERT_NE(whole, Whole().end()) << "no configuration of " << profile << " in this test";
    const ObjectJson root = ObjectJson::parse(whole->second);
    for (const std::string& place : ObjectsOf(root)) {
      ObjectJson odd = root;
      odd.at(ObjectJson::json_pointer(place))["zzzzzz"] = 1;
      // The profiles that read no configuration report it as a whole.
      const bool is_read =
          profile != "mesos" && profile != "pulsar" && profile != "koordinator" && profile != "ray";
      // Other parts of a configuration of all of Armada are not those of its scheduler.
      if (profile == "armada" && place.empty()) continue;
      // What queues that pods make will have is in no scenario without pods.
      if (place.find("/childtemplate/resources/") != place.npos) continue;
      EXPECT_THAT(OutcomeOf(profile, odd.dump()),
                  HasSubstr(is_read ? "zzzzzz" : "scheduler configuration: "))
          << profile << " " << place;
    }
  }
}

TEST(Configurations, WholeOnesHaveNoEntries) {
  for (const auto& [profile, configuration] : Whole()) {
    if (profile == "mesos" || profile == "pulsar" || profile == "koordinator" || profile == "ray") {
      continue;
    }
    EXPECT_EQ(WordsOf(profile, configuration), "") << profile;
  }
}

TEST(Configurations, KeysOfOtherPlacesAreNoTypingErrors) {
  ExpectWords("kube-scheduler",
              R"({"profiles": [{"plugins": {"score": {"enabled": [
                   {"name": "ImageLocality", "wieght": 5}]}}}]})",
              "profiles[0].plugins.score.enabled[0].wieght: not a known field, did you mean "
              "\"weight\"?");
  ExpectWords("kube-scheduler", R"({"profiles": [{"weight": 5}]})",
              "profiles[0].weight: not considered");
  ExpectWords("kube-scheduler", R"({"profiles": [{"plugins": {"filter": {"disabled": [
                   {"name": "NodeAffinity"}]}}}]})",
              "profiles[0].plugins.preFilter: \"NodeAffinity\" is off at point filter, and goes by "
              "that here, too");
  ExpectWords("armada", R"({"maxQueueLookback": [1]})",
              "maxQueueLookback: its elements are not considered");
  ExpectWords("volcano", R"({"configurations": [{"name": "alocate"}]})",
              "configurations[0].name: the action does not run");
  ExpectWords("yunikorn",
              R"({"partitions": [{"queues": [{"name": "a", "properties": {"priority.ofset": "1"}}]
                 }]})",
              "partitions[0].queues[0].properties[\"priority.ofset\"]: no property that decides "
              "something, did you mean \"priority.offset\"?");
  ExpectWords("yunikorn", R"({})", "partitions: has no entry; one is needed");
}

}  // namespace
}  // namespace muster
