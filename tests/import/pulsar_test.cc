// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pulsar's load reports: what they become, and what a plan then decides.
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

ObjectJson PulsarObject(const std::string& kind, const std::string& name, ObjectJson spec) {
  return {{"apiVersion", "pulsar.apache.org/v1"},
          {"kind", kind},
          {"metadata", {{"name", name}}},
          {"spec", std::move(spec)}};
}

ObjectJson StatsJson(double bytes) {
  return {{"msgThroughputIn", bytes}, {"msgRateIn", 10.5}, {"topics", 3}, {"producerCount", 2}};
}

std::vector<ObjectJson> Reports() {
  return {PulsarObject("LoadReport", "b1",
                       {{"cpu", {{"usage", 720.5}, {"limit", 800.0}}},
                        {"lastUpdate", 5000},
                        {"lastStats",
                         {{"t/n/0x00000000_0x40000000", StatsJson(6e7)},
                          {"t/n/0x40000000_0x80000000", StatsJson(4e7)}}}}),
          PulsarObject("LoadReport", "b2",
                       {{"cpu", {{"usage", 80.0}, {"limit", 800.0}}}, {"lastUpdate", 6000}}),
          PulsarObject("BundleData", "t/n/0x00000000_0x40000000",
                       {{"shortTermData", {{"msgThroughputIn", 5e7}}},
                        {"longTermData", {{"msgThroughputIn", 3e7}}}}),
          PulsarObject("BundleData", "t/n/0x80000000_0xffffffff",
                       {{"shortTermData", {{"msgThroughputIn", 1e6}}}})};
}

TEST(PulsarImport, BrokersAndBundles) {
  const Import import = Imported(Reports(), {});
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_EQ(import.scenario.profile, "pulsar");
  ASSERT_EQ(cluster.nodes.size(), 2u);
  EXPECT_EQ(cluster.nodes[0].settings, (Labels{{"pulsar/cpu", "720.5/800.0"}}));
  EXPECT_EQ(cluster.nodes[0].usage->measured, 5);
  ASSERT_EQ(cluster.jobs.size(), 1u);
  EXPECT_EQ(cluster.jobs[0].name, "t/n");
  ASSERT_EQ(cluster.tasks.size(), 3u);
  EXPECT_EQ(cluster.tasks[0].node, "b1");
  EXPECT_EQ(cluster.tasks[0].usage->windows.size(), 1u);
  EXPECT_EQ(cluster.tasks[2].status, TaskStatus::kPending);
}

TEST(PulsarImport, AReportAsTheBrokerHasIt) {
  ObjectJson report = Reports()[0]["spec"];
  report["webServiceUrl"] = "http://b1:8080";
  const Import import = Imported({report}, {});
  EXPECT_EQ(import.scenario.profile, "pulsar");
  ASSERT_EQ(import.scenario.cluster.nodes.size(), 1u);
  EXPECT_EQ(import.scenario.cluster.nodes[0].name, "b1:8080");
  EXPECT_EQ(import.scenario.cluster.nodes[0].usage->measured, 5);
  ASSERT_EQ(import.scenario.cluster.tasks.size(), 2u);
  EXPECT_EQ(import.scenario.cluster.tasks[0].node, "b1:8080");
}

TEST(PulsarImport, AveragesHaveMetadata) {
  const ObjectJson data = {{"apiVersion", "pulsar.apache.org/v1"},
                           {"kind", "BundleData"},
                           {"webServiceUrl", "http://b1:8080"}};
  EXPECT_EQ(TryImport({data}, {}).status().message(),
            "BundleData: name: missing; each object has a name");
}

TEST(PulsarImport, ABundleIsARangeOfHashes) {
  constexpr char kRule[] = "the name is no bundle; expected TENANT/NAMESPACE/0xLOWER_0xUPPER";
  for (const char* name : {"a/", "a/0xff_0x0", "a/0x-5_0xff", "0x0_0xff"}) {
    const std::vector<ObjectJson> report = {
        PulsarObject("LoadReport", "b1", {{"lastStats", {{name, StatsJson(1)}}}})};
    EXPECT_THAT(std::string(TryImport(report, {}).status().message()),
                testing::AllOf(HasSubstr("LoadReport b1: spec.lastStats"), HasSubstr(kRule)))
        << name;
    EXPECT_THAT(std::string(TryImport({PulsarObject("BundleData", name, ObjectJson::object())}, {})
                                .status()
                                .message()),
                HasSubstr(kRule))
        << name;
  }
}

TEST(PulsarImport, ThePlanShedsAndPlaces) {
  const Import import = Imported(Reports(), {});
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule("pulsar");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->ToText(), HasSubstr("bind t/n/0x80000000_0xffffffff to b2"));
  EXPECT_THAT(plan->ToText(), HasSubstr("move t/n/0x00000000_0x40000000 from b1 to b2"));
}

std::string ProfileWith(const std::string& configuration) {
  ImportOptions options;
  options.configuration = configuration;
  return Imported(Reports(), options).scenario.profile;
}

TEST(PulsarImport, SettingsOfTheBrokerAreOptions) {
  EXPECT_EQ(ProfileWith("{}"), "pulsar");
  EXPECT_EQ(ProfileWith(R"({
      "loadBalancerLoadSheddingStrategy": "org.apache.pulsar.UniformLoadShedder",
      "loadBalancerLoadPlacementStrategy": "org.apache.pulsar.LeastResourceUsageWithWeight",
      "loadBalancerSheddingGracePeriodMinutes": "20",
      "loadBalancerBrokerMaxTopics": 100,
      "loadBalancerAutoBundleSplitEnabled": "false",
      "maxUnloadPercentage": "",
      "brokerServicePort": "6650"})"),
            "pulsar:place(placement=usage,most_topics=100),rebalance(shedding=uniform,"
            "placement=usage,most_topics=100,grace=1200,split=off)");
  EXPECT_EQ(ProfileWith(R"({
      "loadManagerClassName": "org.apache.pulsar.ExtensibleLoadManagerImpl",
      "loadBalancerLoadSheddingStrategy": "org.apache.pulsar.ThresholdShedder",
      "loadBalancerNamespaceBundleSplitConditionHitCountThreshold": "5"})"),
            "pulsar:place(placement=load),rebalance(shedding=transfer,placement=load,"
            "split_hits=5)");
  EXPECT_EQ(ProfileWith(R"({"loadBalancerSheddingEnabled": false})"),
            "pulsar:rebalance(shedding=none)");
}

TEST(PulsarImport, SettingsThatAreNotReadAreReported) {
  ImportOptions options;
  options.configuration = R"({"loadBalancerLoadSheddingStrategy": "own.Shedder",
                              "loadBalancerSheddingIntervalMinutes": "1",
                              "loadBalancerDebugModeEnabled": "perhaps",
                              "loadBalancerSheddingExcludedNamespaces": "t/n, t/m"})";
  const Import import = Imported(Reports(), options);
  EXPECT_EQ(import.scenario.profile, "pulsar");
  EXPECT_EQ(import.scenario.cluster.jobs[0].settings, (Labels{{"pulsar/excluded", "true"}}));
  EXPECT_THAT(Lines(import),
              testing::IsSupersetOf(
                  {HasSubstr("\"own.Shedder\" is not read; the default stands for it"),
                   HasSubstr("loadBalancerSheddingIntervalMinutes: this setting decides nothing"),
                   HasSubstr("\"perhaps\" is not true or false")}));
}

TEST(PulsarImport, WrongSettingsAreRefused) {
  const auto refusal = [](const std::string& configuration) {
    ImportOptions options;
    options.configuration = configuration;
    return std::string(TryImport(Reports(), options).status().message());
  };
  EXPECT_THAT(refusal(R"({"loadBalancerSheddingGracePeriodMinutes": "-1"})"),
              HasSubstr("is no number of minutes from 0 to 1000000"));
  EXPECT_THAT(refusal(R"({"maxUnloadPercentage": "2"})"),
              HasSubstr("scheduler configuration: action rebalance: option \"most_unloaded\""));
  EXPECT_THAT(refusal("[]"), HasSubstr("expected an object"));
}

TEST(PulsarImport, WrongReportsAreRefused) {
  EXPECT_THAT(
      TryImport({PulsarObject("LoadReport", "b1", {{"lastStats", 3}})}, {}).status().message(),
      HasSubstr("lastStats"));
}

}  // namespace
}  // namespace muster
