// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Settings of KAI Scheduler: shards and the scheduler's own file as a profile.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ObjectJson kSettingsQueue = {{"apiVersion", "scheduling.run.ai/v2"},
                                   {"kind", "Queue"},
                                   {"metadata", {{"name", "q"}}},
                                   {"spec", ObjectJson::object()}};

Import SettingsImport(const ObjectJson& configuration) {
  ImportOptions options;
  options.configuration = configuration.dump();
  return Imported({kSettingsQueue}, options);
}

std::string SettingsProfile(const ObjectJson& configuration) {
  const Import import = SettingsImport(configuration);
  EXPECT_THAT(import.report, IsEmpty());
  return import.scenario.profile;
}

std::vector<std::string> SettingsWords(const ObjectJson& configuration) {
  std::vector<std::string> words;
  for (const ImportEntry& entry : SettingsImport(configuration).report)
    words.push_back(Describe(entry));
  return words;
}

TEST(KaiSettings, FlagsOfAShardAreOptions) {
  EXPECT_EQ(SettingsProfile({{"args",
                              {{"max-consolidation-preemptees", "-1"},
                               {"default-staleness-grace-period", "30s"},
                               {"use-scheduling-signatures", "false"},
                               {"allow-consolidating-reclaim", "false"},
                               {"restrict-node-scheduling", "true"},
                               {"full-hierarchy-fairness", "false"},
                               {"v", "4"}}}}),
            "kai:kai-rules(consolidation_victims=-1,staleness_grace=30,signatures=off,"
            "consolidating_reclaim=off,restrict_nodes=on,full_hierarchy=off)");
  EXPECT_EQ(SettingsProfile({{"args", {{"default-staleness-grace-period", "-1s"}}}}),
            "kai:kai-rules(staleness_grace=-1)");
}

TEST(KaiSettings, PluginsAndRunTimesOfAShardAreOptions) {
  EXPECT_EQ(SettingsProfile(
                {{"kValue", 0.5},
                 {"minRuntime", {{"preemptMinRuntime", "1m"}, {"reclaimResolveMethod", "queue"}}},
                 {"plugins",
                  {{"proportion", {{"arguments", {{"relcaimerSaturationMultiplier", "2"}}}}},
                   {"nodeavailability", {{"enabled", false}}},
                   {"gpupack", {{"enabled", false}}},
                   {"gpuspread", {{"enabled", true}}}}}}),
            "kai:kai-rules(k=0.5,preempt_min_runtime=60,resolve=queue,saturation_multiplier=2,"
            "availability=off,device=spread)");
}

// The operator takes consolidation and the sharing of devices away where GPUs are spread.
TEST(KaiSettings, SpreadingHasItsOwnPluginsAndActions) {
  EXPECT_EQ(SettingsProfile({{"placementStrategy", {{"gpu", "spread"}}}}),
            "kai:kai-rules(gpu=spread,sharing=off,device=spread),"
            "actions=allocate+reclaim+preempt+stalegangeviction");
  EXPECT_EQ(SettingsProfile({{"placementStrategy", {{"cpu", "spread"}}},
                             {"actions", {{"consolidation", {{"enabled", true}}}}}}),
            "kai:kai-rules(cpu=spread)");
}

TEST(KaiSettings, ActionsOfAShardHaveAnOrderAndDepths) {
  EXPECT_EQ(SettingsProfile(
                {{"queueDepthPerAction", {{"allocate", 5}, {"reclaim", 1}}},
                 {"actions",
                  {{"consolidation", {{"enabled", false}}}, {"preempt", {{"priority", 1000}}}}}}),
            "kai:actions=preempt+allocate(depth=5)+reclaim(depth=1)+stalegangeviction");
}

TEST(KaiSettings, AUsageDatabaseLetsPastUsageCount) {
  EXPECT_EQ(SettingsProfile({{"usageDBConfig",
                              {{"clientType", "prometheus"},
                               {"usageParams",
                                {{"windowSize", "24h"},
                                 {"halfLifePeriod", "1h"},
                                 {"windowType", "tumbling"},
                                 {"tumblingWindowStartTime", "2026-01-01T00:00:00Z"}}}}}}),
            "kai:kai-rules(usage=on,usage_window=86400,usage_half_life=3600,"
            "usage_window_start=1767225600)");
  EXPECT_THAT(
      SettingsWords({{"usageDBConfig",
                      {{"clientType", "prometheus"}, {"usageParams", {{"windowType", "cron"}}}}}}),
      ElementsAre(HasSubstr("windowType: \"cron\" is not known; the window slides")));
}

TEST(KaiSettings, TheSchedulersOwnFileListsAllPlugins) {
  const auto plugins = [](std::vector<std::string> names) {
    for (const char* name :
         {"predicates", "proportion", "priority", "elastic", "kubeflow", "ray", "subgrouporder",
          "taskorder", "dynamicresources", "minruntime", "topology"}) {
      names.push_back(name);
    }
    ObjectJson list = ObjectJson::array();
    for (const std::string& name : names) {
      ObjectJson plugin = {{"name", name}};
      if (name == "nodeplacement") plugin["arguments"] = {{"gpu", "binpack"}, {"cpu", "spread"}};
      if (name == "proportion") plugin["arguments"] = {{"kValue", "2"}};
      list.push_back(std::move(plugin));
    }
    return ObjectJson({{{"plugins", std::move(list)}}});
  };
  EXPECT_EQ(SettingsProfile({{"actions", "allocate, reclaim"},
                             {"tiers", plugins({"nodeavailability", "gpusharingorder", "gpupack",
                                                "resourcetype", "nominatednode", "nodeplacement"})},
                             {"queueDepthPerAction", {{"allocate", 3}}}}),
            "kai:kai-rules(gpu=binpack,cpu=spread,k=2),actions=allocate(depth=3)+reclaim");
  EXPECT_EQ(SettingsProfile({{"tiers", plugins({"gpuspread"})}}),
            "kai:kai-rules(k=2,availability=off,sharing=off,resource_type=off,nominated=off,"
            "gpu=none,cpu=none,device=spread)");
}

TEST(KaiSettings, APluginThatIsOffHasNoArguments) {
  EXPECT_EQ(SettingsProfile(
                {{"plugins",
                  {{"nodeplacement", {{"enabled", false}, {"arguments", {{"gpu", "spread"}}}}}}}}),
            "kai:kai-rules(gpu=none,cpu=none)");
}

TEST(KaiSettings, NullFlagsAreNotGiven) {
  EXPECT_EQ(SettingsProfile({{"args",
                              {{"use-scheduling-signatures", nullptr},
                               {"max-consolidation-preemptees", nullptr},
                               {"default-staleness-grace-period", nullptr}}}}),
            "kai");
}

TEST(KaiSettings, AnActionRunsOnce) {
  EXPECT_THAT(
      SettingsWords({{"actions", "allocate, allocate, reclaim"}}),
      ElementsAre(HasSubstr("actions: action \"allocate\" runs once; its first place counts")));
}

std::string SettingsRefusal(const ObjectJson& configuration) {
  ImportOptions options;
  options.configuration = configuration.dump();
  return std::string(TryImport({kSettingsQueue}, options).status().message());
}

TEST(KaiSettings, SomeActionIsLeft) {
  ObjectJson none = ObjectJson::object();
  for (const char* name :
       {"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"}) {
    none[name] = {{"enabled", false}};
  }
  for (const ObjectJson& actions : {none, ObjectJson("dance")}) {
    EXPECT_THAT(SettingsRefusal({{"actions", actions}}),
                HasSubstr("actions: no action is left; expected one of allocate, consolidation, "));
  }
}

TEST(KaiSettings, ValuesOutOfRangeNameTheirField) {
  const auto usage = [](const ObjectJson& params) {
    return SettingsRefusal({{"usageDBConfig", {{"usageParams", params}}}});
  };
  EXPECT_THAT(usage({{"windowSize", "500ms"}}),
              HasSubstr("windowSize: \"500ms\" is no duration of 1 or more seconds"));
  EXPECT_THAT(usage({{"windowSize", "1000000000h"}, {"halfLifePeriod", "1000000000000h"}}),
              HasSubstr("halfLifePeriod: \"1000000000000h\" is longer than"));
  EXPECT_THAT(
      usage({{"windowType", "tumbling"}, {"tumblingWindowStartTime", "1969-01-01T00:00:00Z"}}),
      HasSubstr("tumblingWindowStartTime: begins before 1970"));
  EXPECT_THAT(SettingsRefusal({{"kValue", 1e9}}), HasSubstr("kValue: expected a number up to"));
  EXPECT_THAT(SettingsRefusal({{"kValue", "nan"}}), HasSubstr("kValue: expected a number up to"));
  EXPECT_THAT(SettingsRefusal({{"args", {{"max-consolidation-preemptees", "2000000000"}}}}),
              HasSubstr("max-consolidation-preemptees: expected a whole number up to"));
  EXPECT_THAT(SettingsRefusal({{"plugins", {{"priority", true}}}}),
              HasSubstr("plugins.priority: expected an object"));
}

TEST(KaiSettings, WhatIsNotTakenIsNamed) {
  EXPECT_THAT(SettingsWords({{"args", {{"schedule-csi-storage", "true"}}},
                             {"plugins",
                              {{"podaffinity", {{"enabled", true}}},
                               {"priority", {{"enabled", false}}},
                               {"topology", {{"priority", 7}}}}},
                             {"actions", {{"dance", {{"enabled", true}}}}},
                             {"queueDepthPerAction", {{"stalegangeviction", 1}}}}),
              ::testing::UnorderedElementsAre(
                  HasSubstr("args.schedule-csi-storage: not considered"),
                  HasSubstr("plugins.podaffinity: not considered"),
                  HasSubstr("plugins.priority.enabled: the profile always has this plugin"),
                  HasSubstr("plugins.topology.priority: the profile has an order of its own"),
                  HasSubstr("actions.dance: not considered"),
                  HasSubstr("queueDepthPerAction.stalegangeviction: no action that tries jobs")));
  EXPECT_THAT(SettingsWords({{"actions", "allocate, dance"}}),
              ElementsAre(HasSubstr("actions: action \"dance\" is not known")));
}

}  // namespace
}  // namespace muster
