// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Configurations with keys, kinds and values that no scheduler has: each is refused or reported
// with its place, so that no default counts silently.
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

}  // namespace
}  // namespace muster
