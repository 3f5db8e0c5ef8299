// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// koord-descheduler's configuration, alone and beside the scheduler's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/import/import.h"
#include "tests/import/koordinator_dumps.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kObjects[] = R"([
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
  {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "low"},
   "value": 5000}])";

absl::StatusOr<Import> Configured(const std::string& configuration) {
  ImportOptions options{.profile = "koordinator"};
  options.configuration = configuration;
  return ImportObjects(kObjects, options);
}

// `profile`: the members of the first profile.
std::string Descheduler(const std::string& profile, const std::string& rest = "") {
  return absl::StrCat(R"({"apiVersion": "descheduler/v1alpha2",
      "kind": "DeschedulerConfiguration", "deschedulingInterval": "60s")",
                      rest, R"(, "profiles": [{"name": "koord-descheduler")", profile, "}]}");
}

constexpr char kLoadOn[] =
    R"(, "plugins": {"balance": {"enabled": [{"name": "LowNodeLoad"}]},
                     "deschedule": {"disabled": [{"name": "*"}]},
                     "evict": {"disabled": [{"name": "*"}],
                               "enabled": [{"name": "MigrationController"}]}})";

std::string LoadArguments(const std::string& arguments, const std::string& migration = "{}") {
  return absl::StrCat(kLoadOn, R"(, "pluginConfig": [
      {"name": "MigrationController", "args": )",
                      migration, R"(},
      {"name": "LowNodeLoad", "args": )",
                      arguments, "}]");
}

std::string ProfileOf(const std::string& configuration) {
  const absl::StatusOr<Import> import = Configured(configuration);
  EXPECT_TRUE(import.ok()) << import.status();
  return import.ok() ? import->scenario.profile : "";
}

std::string Refusal(const std::string& configuration) {
  const absl::StatusOr<Import> import = Configured(configuration);
  return import.ok() ? "" : std::string(import.status().message());
}

TEST(KoordinatorDescheduler, ArgumentsAreOptions) {
  const absl::StatusOr<Import> import =
      Configured(Descheduler(LoadArguments(R"({
        "apiVersion": "descheduler/v1alpha2", "kind": "LowNodeLoadArgs",
        "numberOfNodes": 2, "nodeMetricExpirationSeconds": 90, "detectorCacheTimeout": "10m",
        "nodeFit": false, "evictableNamespaces": {"exclude": ["kube-system", "web"]},
        "podSelectors": [{"name": "a", "selector": {"matchLabels": {"app": "etl"}}},
                         {"selector": {"matchExpressions": [
                           {"key": "tier", "operator": "NotIn", "values": ["x", "y"]},
                           {"key": "old", "operator": "DoesNotExist"}]}}],
        "lowThresholds": {"cpu": 30, "memory": 40.5}, "highThresholds": {"cpu": 60, "memory": 80},
        "prodHighThresholds": {"cpu": 50}, "prodLowThresholds": {"cpu": 20},
        "useDeviationThresholds": true, "resourceWeights": {"cpu": 3},
        "anomalyCondition": {"consecutiveNormalities": 2, "timeout": "2m"}})",
                                           R"({
        "maxMigratingGlobally": 9, "maxMigratingPerNode": 3, "maxMigratingPerNamespace": 4,
        "maxMigratingPerWorkload": "10%", "maxUnavailablePerWorkload": 2,
        "skipCheckExpectedReplicas": true, "defaultJobMode": "EvictDirectly",
        "defaultJobTTL": "10m", "objectLimiters": {"workload": {"duration": "1m"}},
        "evictLocalStoragePods": true, "evictSystemCriticalPods": true, "ignorePvcPods": true,
        "priorityThreshold": {"name": "low"}, "namespaces": {"exclude": ["web", "lab"]},
        "labelSelector": {"matchLabels": {"may": "go"}}, "evictQPS": "10", "evictBurst": 1,
        "evictionPolicy": "Eviction", "maxConcurrentReconciles": 1,
        "arbitrationArgs": {"enabled": true, "interval": "500ms"}})"),
                             R"(, "maxNoOfPodsToEvictPerNode": 5, "maxNoOfPodsToEvictTotal": 50)"));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile,
            "koordinator:actions=rebalance,rebalance(most_of_node=5,most=50,migrating=9,"
            "migrating_of_node=3,migrating_of_namespace=4,migrating_of_workload=10%,"
            "unavailable_of_workload=2,replicas=off,mode=evict,ttl=600,pace=60,local_data=on,"
            "critical=on,keep_claims=on,below_priority=5000,idle_nodes=2,expiration=90,"
            "remembered=600,node_fit=off,low=cpu:30;memory:40.5,high=cpu:60;memory:80,"
            "production_low=cpu:20,production_high=cpu:50,distance=on,weights=cpu:3,"
            "abnormal=5,normal=2,timeout=120,exclude=web;lab;kube-system,"
            "select=app=etl;may=go|tier!=x+y;!old;may=go)");
  EXPECT_THAT(Lines(*import), IsEmpty());
}

TEST(KoordinatorDescheduler, PoolsAreThoseOfTheArgumentsAndItsOwn) {
  const absl::StatusOr<Import> import = Configured(Descheduler(LoadArguments(R"({
      "lowThresholds": {"cpu": 30}, "highThresholds": {"cpu": 60},
      "nodeSelector": {"matchLabels": {"tier": "gold"}},
      "anomalyCondition": {"consecutiveAbnormalities": 2},
      "nodePools": [{"name": "s", "highThresholds": {"cpu": 70},
                     "resourceWeights": {"memory": 2, "x/y": 0},
                     "nodeSelector": {"matchExpressions": [
                       {"key": "tier", "operator": "In", "values": ["a", "b"]},
                       {"key": "zone", "operator": "Exists"}]},
                     "useDeviationThresholds": true,
                     "anomalyCondition": {"consecutiveAbnormalities": 1}}]})")));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile,
            "koordinator:actions=rebalance,rebalance(low=cpu:30,high=cpu:60,abnormal=2,normal=3,"
            "timeout=0,pools=select:tier=gold&distance:off|select:tier=a+b;zone=*&high:cpu:70&"
            "weights:memory:2;x/y:0&abnormal:1&timeout:0&distance:on)");
  EXPECT_THAT(Lines(*import), IsEmpty());
}

TEST(KoordinatorDescheduler, PlugInsThatAreOnChooseTasks) {
  const absl::StatusOr<Import> import = Configured(Descheduler(R"(, "plugins": {
      "deschedule": {"enabled": [{"name": "RemovePodsViolatingNodeTaints"}, {"name": "PodLifeTime"}]},
      "balance": {"enabled": [{"name": "FragmentationAware"}, {"name": "CustomPriority"}]}},
    "pluginConfig": [
      {"name": "LowNodeLoad", "args": {"highThresholds": {"cpu": 1}}},
      {"name": "PodLifeTime", "args": {"maxPodLifeTimeSeconds": 5}},
      {"name": "FragmentationAware", "args": {"resources": ["cpu", "nvidia.com/gpu"],
         "imbalanceThreshold": 0.3, "minImprovementThreshold": 0.1, "nodeFit": true}},
      {"name": "CustomPriority", "args": {"mode": "DrainNode", "evictionOrder": [
         {"name": "dear", "nodeSelector": {"matchLabels": {"pay": "more"}}},
         {"name": "cheap", "nodeSelector": {"matchLabels": {"pay": "less"}}}]}}])"));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile,
            "koordinator:actions=rebalance,rebalance(load=off,fragmentation=on,taints=on,"
            "resources=cpu;nvidia.com/gpu,imbalance=0.3,gain=0.1,"
            "levels=dear:pay=more|cheap:pay=less,whole_nodes=on)");
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(
                  HasSubstr("plug-in \"PodLifeTime\""), HasSubstr("the plug-in is not known"),
                  HasSubstr("the plug-in is not enabled"), HasSubstr("nodeFit")));
}

TEST(KoordinatorDescheduler, WithoutThresholdsNoLoadIsTooHigh) {
  EXPECT_EQ(ProfileOf(Descheduler(kLoadOn)), "koordinator:actions=rebalance,rebalance(load=off)");
  const absl::StatusOr<Import> import = Configured(Descheduler(LoadArguments("{}")));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile, "koordinator:actions=rebalance,rebalance(load=off)");
  EXPECT_THAT(Lines(*import), ElementsAre(HasSubstr("LowNodeLoad has no thresholds")));
  EXPECT_EQ(ProfileOf(R"({"kind": "DeschedulerConfiguration"})"),
            "koordinator:actions=rebalance,rebalance(load=off)");
}

TEST(KoordinatorDescheduler, WhatItsValidationRefusesIsRefused) {
  const auto load = [](const char* text) { return Refusal(Descheduler(LoadArguments(text))); };
  EXPECT_THAT(load(R"({"highThresholds": {"cpu": -1}})"),
              HasSubstr("profiles[0].pluginConfig[1].args.highThresholds.cpu: percentage must be "
                        "greater than or equal to 0"));
  EXPECT_THAT(load(R"({"highThresholds": {"cpu": 1}, "lowThresholds": {"cpu": 2}})"),
              HasSubstr("low percentage must be less than or equal to highThresholds"));
  EXPECT_THAT(load(R"({"prodHighThresholds": {"cpu": 1}, "prodLowThresholds": {"cpu": 2}})"),
              HasSubstr("low percentage must be less than or equal to prodHighThresholds"));
  EXPECT_THAT(load(R"({"prodHighThresholds": {"cpu": 2}, "highThresholds": {"cpu": 1}})"),
              HasSubstr("node percentage must be greater than or equal to prodHighThresholds"));
  EXPECT_THAT(load(R"({"lowThresholds": {"cpu": 2}, "highThresholds": {"cpu": 3},
                       "nodePools": [{"highThresholds": {"cpu": 1}}]})"),
              HasSubstr("low percentage must be less than or equal to highThresholds"))
      << "the pool has the low ones of the arguments";
  EXPECT_THAT(load(R"({"anomalyCondition": {"timeout": "1m"}, "highThresholds": {"cpu": 1}})"),
              HasSubstr("anomalyCondition: consecutiveNormalities must be greater than 0"));
  EXPECT_THAT(load(R"({"nodePools": [{"anomalyCondition": {"consecutiveNormalities": -1}}]})"),
              HasSubstr("consecutiveNormalities must be greater than 0"));
  EXPECT_THAT(load(R"({"nodePools": [{"highThresholds": {"cpu": "x"}}]})"),
              HasSubstr("nodePools[0].highThresholds.cpu: expected a percentage"));
  EXPECT_THAT(load(R"({"numberOfNodes": -1})"),
              HasSubstr("numberOfNodes: must be greater than or equal to 0"));
  for (const char* seconds : {"0", "-1"}) {
    EXPECT_THAT(
        load(absl::StrCat(R"({"nodeMetricExpirationSeconds": )", seconds, "}").c_str()),
        HasSubstr("nodeMetricExpirationSeconds: nodeMetricExpiredSeconds should be a positive "
                  "value"));
  }
  EXPECT_THAT(Refusal(R"({"kind": "KubeSchedulerConfiguration", "profiles": [{"pluginConfig": [
                {"name": "LoadAwareScheduling", "args": {"nodeMetricExpirationSeconds": 0}}]}]})"),
              HasSubstr("nodeMetricExpiredSeconds should be a positive value"));
  EXPECT_THAT(load(R"({"evictableNamespaces": {"include": ["a"], "exclude": ["b"]}})"),
              HasSubstr("only one of Include/Exclude namespaces can be set"));
  EXPECT_THAT(load(R"({"anomalyCondition": {"consecutiveAbnormalities": -1},
                       "highThresholds": {"cpu": 1}})"),
              HasSubstr("consecutiveAbnormalities must be greater than 0"));
  EXPECT_THAT(Refusal(Descheduler(absl::StrCat(kLoadOn, R"(, "pluginConfig": [
                {"name": "LowNodeLoad", "args": {"highThresholds": {"cpu": 1}}},
                {"name": "LowNodeLoad", "args": {}}])"))),
              HasSubstr("pluginConfig[1].name: \"LowNodeLoad\" is configured twice; once is"));
  const auto migration = [](const char* text) {
    return Refusal(Descheduler(LoadArguments("{}", text)));
  };
  for (const char* key :
       {"maxMigratingGlobally", "maxMigratingPerNode", "maxMigratingPerNamespace"}) {
    EXPECT_THAT(migration(absl::StrCat("{\"", key, "\": -1}").c_str()),
                HasSubstr(absl::StrCat(key, " should be greater or equal 0")));
  }
  EXPECT_THAT(migration(R"({"maxMigratingPerWorkload": "half"})"),
              HasSubstr("\"half\" is neither a number of pods nor a percentage"));
  EXPECT_THAT(migration(R"({"defaultJobMode": "Now"})"),
              HasSubstr("defaultJobMode must be ReservationFirst or EvictDirectly"));
  EXPECT_THAT(migration(R"({"evictQPS": 0})"), HasSubstr("evictQPS must be greater than 0"));
  EXPECT_THAT(migration(R"({"maxConcurrentReconciles": 0})"),
              HasSubstr("maxConcurrentReconciles should be greater than or equal to 1"));
}

// A text with a comma could set another option.
TEST(KoordinatorDescheduler, TextsThatCouldBeOptionsAreRefused) {
  const std::string words = " has a character other than letters, digits and . _ / -";
  const auto load = [](const std::string& text) {
    return Refusal(Descheduler(LoadArguments(text)));
  };
  const std::string selector = R"({"matchLabels": {"app": "x,mode=evict"}})";
  EXPECT_THAT(load(absl::StrCat(R"({"podSelectors": [{"selector": )", selector, "}]}")),
              HasSubstr("podSelectors[0].selector.matchLabels.app: \"x,mode=evict\"" + words));
  EXPECT_THAT(load(absl::StrCat(R"({"nodePools": [{"nodeSelector": )", selector, "}]}")),
              HasSubstr("nodePools[0].nodeSelector.matchLabels.app: \"x,mode=evict\"" + words));
  EXPECT_THAT(load(R"({"podSelectors": [{"selector": {"matchExpressions": [
                   {"key": "a", "operator": "In", "values": ["b", "c|d"]}]}}]})"),
              HasSubstr("matchExpressions[0].values[1]: \"c|d\"" + words));
  EXPECT_THAT(load(R"({"podSelectors": [{"selector": {"matchExpressions": [
                   {"key": "a=b", "operator": "Exists"}]}}]})"),
              HasSubstr("matchExpressions[0].key: \"a=b\"" + words));
  EXPECT_THAT(load(R"({"highThresholds": {"cpu:1;memory": 50}})"),
              HasSubstr("\"cpu:1;memory\"" + words));
  EXPECT_THAT(load(R"({"highThresholds": {"cpu": 50}, "resourceWeights": {"a,b": 1}})"),
              HasSubstr("\"a,b\"" + words));
  EXPECT_THAT(load(R"({"evictableNamespaces": {"include": ["a", "b;c"]}})"),
              HasSubstr("include[1]: \"b;c\"" + words));
  const auto other = [](const char* name, const char* arguments) {
    return Refusal(Descheduler(absl::StrCat(R"(, "plugins": {"balance": {"enabled": [{"name": ")",
                                            name, R"("}]}}, "pluginConfig": [{"name": ")", name,
                                            R"(", "args": )", arguments, "}]")));
  };
  EXPECT_THAT(other("FragmentationAware", R"({"resources": ["cpu,load=on"]})"),
              HasSubstr("resources[0]: \"cpu,load=on\"" + words));
  EXPECT_THAT(other("FragmentationAware", R"({"imbalanceThreshold": "1,load=on"})"),
              HasSubstr("imbalanceThreshold: expected a number"));
  EXPECT_THAT(other("CustomPriority", R"({"evictionOrder": [{"name": "a|b"}]})"),
              HasSubstr("evictionOrder[0].name: \"a|b\"" + words));
}

TEST(KoordinatorDescheduler, NamespacesOfBothHold) {
  const auto both = [](const char* load, const char* migration) {
    return Configured(Descheduler(LoadArguments(
        absl::StrCat(R"({"highThresholds": {"cpu": 9}, "evictableNamespaces": )", load, "}"),
        absl::StrCat(R"({"namespaces": )", migration, "}"))));
  };
  EXPECT_THAT(both(R"({"include": ["a", "b"]})", R"({"exclude": ["b"]})")->scenario.profile,
              HasSubstr(",include=a)"));
  EXPECT_THAT(both(R"({"include": ["a", "b"]})", R"({"include": ["b", "c"]})")->scenario.profile,
              HasSubstr(",include=b)"));
  EXPECT_THAT(both(R"({"include": ["a"]})", R"({"include": ["b"]})").status().message(),
              HasSubstr("have none in common"));
}

TEST(KoordinatorDescheduler, WhatDecidesHereAndHasNoOptionIsReported) {
  const absl::StatusOr<Import> import = Configured(Descheduler(
      LoadArguments(R"({"paused": true, "dryRun": true, "highThresholds": {"cpu": 9}})",
                    R"({"evictFailedBarePods": true, "nodeFit": true, "nodeSelector": "a=b",
                        "arbitrationArgs": {"enabled": false},
                        "priorityThreshold": {"name": "gone"},
                        "objectLimiters": {"namespace": {"duration": "1m"}}})"),
      R"(, "dryRun": true, "nodeSelector": {"matchLabels": {"a": "b"}})"));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(import->scenario.profile, HasSubstr("load=off"));
  EXPECT_THAT(
      Lines(*import),
      ::testing::UnorderedElementsAre(
          HasSubstr("args.dryRun: a plan is"), HasSubstr("configuration: dryRun: a plan is"),
          HasSubstr("configuration: nodeSelector"), HasSubstr("evictFailedBarePods"),
          HasSubstr("nodeFit"), HasSubstr("args.nodeSelector"), HasSubstr("always arbitrated"),
          HasSubstr("\"gone\" is not there"), HasSubstr("only workloads")));
}

TEST(KoordinatorDescheduler, WhatIsOfOnePlugInAndHoldsForAllIsReported) {
  const auto lines = [](const char* others) {
    const absl::StatusOr<Import> import = Configured(Descheduler(
        absl::StrCat(R"(, "plugins": {"balance": {"enabled": [{"name": "LowNodeLoad"})", others,
                     R"(]}, "evict": {"disabled": [{"name": "*"}]}}, "pluginConfig": [
          {"name": "LowNodeLoad", "args": {"highThresholds": {"cpu": 9},
             "evictableNamespaces": {"include": ["a"]},
             "podSelectors": [{"selector": {"matchLabels": {"b": "c"}}}]}}])")));
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? Lines(*import) : std::vector<std::string>();
  };
  const auto kept = HasSubstr("disabled[0]: the rules of MigrationController hold all the same");
  EXPECT_THAT(lines(""), ElementsAre(kept));
  EXPECT_THAT(lines(R"(, {"name": "FragmentationAware"})"),
              ::testing::UnorderedElementsAre(
                  kept, HasSubstr("evictableNamespaces: is LowNodeLoad's own; it holds for all"),
                  HasSubstr("podSelectors: is LowNodeLoad's own; it holds for all")));
}

TEST(KoordinatorDescheduler, AListHasBothConfigurations) {
  const std::string both = absl::StrCat(
      R"({"kind": "List", "items": [
        {"kind": "KubeSchedulerConfiguration", "profiles": [{"pluginConfig": [
          {"name": "Coscheduling", "args": {"defaultTimeout": "30s", "odd": 1}}]}]},
        )",
      Descheduler(LoadArguments(R"({"highThresholds": {"cpu": 9}})")),
      R"(, {"kind": "ConfigMap"}]})");
  const absl::StatusOr<Import> import = Configured(both);
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile,
            "koordinator:schedule(gang_wait=30),+rebalance(low=,high=cpu:9)");
  EXPECT_THAT(Lines(*import),
              ::testing::UnorderedElementsAre(
                  HasSubstr("items[0].profiles[0]: lists no plug-ins"),
                  HasSubstr("items[0].profiles[0].pluginConfig[0].args.odd"),
                  HasSubstr("items[2]: a list has one KubeSchedulerConfiguration")));
}

}  // namespace
}  // namespace muster
