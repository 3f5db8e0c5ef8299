// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Properties of YARN's capacity scheduler and of its preemption monitor: what they become.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// A node and no application.
std::vector<ObjectJson> OneNode() {
  return {{{"nodes",
            {{"node",
              {{{"id", "h0:1"},
                {"nodeHostName", "h0"},
                {"state", "RUNNING"},
                {"availMemoryMB", 8192},
                {"availableVirtualCores", 8}}}}}}}};
}

std::map<std::string, Labels> SettingsByQueue(const Import& import) {
  std::map<std::string, Labels> settings;
  for (const QueueSpec& queue : import.scenario.cluster.queues) {
    settings[queue.name] = queue.settings;
  }
  return settings;
}

std::string ProfileWith(ObjectJson properties, std::vector<std::string>* lines = nullptr) {
  properties["yarn.scheduler.capacity.root.queues"] = "a";
  properties["yarn.scheduler.capacity.root.a.capacity"] = "100";
  ImportOptions options;
  options.configuration = properties.dump();
  const absl::StatusOr<Import> import = TryImport(OneNode(), options);
  if (!import.ok()) return std::string(import.status().message());
  if (lines != nullptr) *lines = Lines(*import);
  Cluster cluster;
  EXPECT_TRUE(Fill(import->scenario, &cluster).ok());
  const absl::Status status = cluster.Schedule(import->scenario.profile).status();
  EXPECT_TRUE(status.ok()) << status;
  return import->scenario.profile;
}

constexpr const char* kEnable = "yarn.resourcemanager.scheduler.monitor.enable";

TEST(YarnConfiguration, TheMonitorIsAnAction) {
  const std::string prefix = "yarn.resourcemanager.monitor.capacity.preemption.";
  const std::string of_priorities =
      "yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.";
  ObjectJson properties = {
      {"yarn.scheduler.minimum-allocation-mb", "512"},
      {"yarn.scheduler.capacity.node-locality-delay", "7"},
      {prefix + "max_wait_before_kill", "15500"},
      {prefix + "total_preemption_per_round", "0.5"},
      {prefix + "max_ignored_over_capacity", "0"},
      {prefix + "natural_termination_factor", "1.0"},
      {prefix + "select_based_on_reserved_containers", "true"},
      {prefix + "preemption-to-balance-queue-after-satisfied.enabled", true},
      {prefix + "preemption-to-balance-queue-after-satisfied.max-wait-before-kill", 60000},
      {prefix + "intra-queue-preemption.enabled", "TRUE"},
      {prefix + "intra-queue-preemption.preemption-order-policy", "PRIORITY_FIRST"},
      {of_priorities + "enabled", "true"},
      {of_priorities + "reserved-container-delay-ms", "5000"},
      {of_priorities + "allow-move-reservation", "false"}};
  const std::string heartbeat = "heartbeat(calculator=memory,min_memory=512,node_locality_delay=7)";
  std::vector<std::string> lines;
  EXPECT_EQ(ProfileWith(properties, &lines), "yarn-capacity:" + heartbeat);
  EXPECT_THAT(lines, Contains(HasSubstr("underutilized-preem\"...]: has no effect, as the monitor "
                                        "evicts nothing")));
  properties[kEnable] = "true";
  const std::string with_preempt =
      "yarn-capacity:actions=preempt(calculator=memory,min_memory=512,max_wait=15.500,"
      "per_round=0.5,max_ignored=0,natural_termination=1.0,reserved=on,priorities=on,"
      "priorities_delay=5,move_reservations=off,balance=on,balance_max_wait=60,intra_queue=on,"
      "intra_order=priority_first)+" +
      heartbeat;
  EXPECT_EQ(ProfileWith(properties, &lines), with_preempt);
  EXPECT_THAT(lines, testing::Each(testing::Not(HasSubstr("underutilized"))));
  properties[prefix + "observe_only"] = "true";
  EXPECT_EQ(ProfileWith(properties), "yarn-capacity:" + heartbeat);
  properties[prefix + "observe_only"] = "false";
  const char* policies = "yarn.resourcemanager.scheduler.monitor.policies";
  properties[policies] = "org.example.QueueManagementDynamicEditPolicy";
  EXPECT_EQ(ProfileWith(properties), "yarn-capacity:" + heartbeat);
  properties[policies] = "org.example.Other, org.example.ProportionalCapacityPreemptionPolicy";
  EXPECT_EQ(ProfileWith(properties), with_preempt);
}

TEST(YarnConfiguration, WrongSettingsOfTheMonitorAreRefused) {
  const std::string prefix = "yarn.resourcemanager.monitor.capacity.preemption.";
  const auto refusal = [&](const std::string& key, const ObjectJson& value) {
    return ProfileWith({{kEnable, "true"}, {prefix + key, value}});
  };
  EXPECT_THAT(refusal("total_preemption_per_round", "a tenth"),
              HasSubstr("total_preemption_per_round\"]: \"a tenth\" is not a number of 0 or more"));
  EXPECT_THAT(refusal("max_wait_before_kill", "15s"), HasSubstr("\"15s\" is not a whole number"));
  EXPECT_THAT(refusal("intra-queue-preemption.preemption-order-policy", "x"),
              HasSubstr("\"x\" is no order; expected userlimit_first or priority_first"));
}

TEST(YarnConfiguration, PrioritiesOfQueuesMayBeNegative) {
  ImportOptions options;
  const std::string prefix = "yarn.scheduler.capacity.root.";
  ObjectJson properties = {
      {prefix + "queues", "a,b"},    {prefix + "a.capacity", "50"},
      {prefix + "b.capacity", "50"}, {prefix + "a.priority", "-3"},
      {prefix + "b.priority", 4},    {prefix + "ordering-policy", "priority-utilization"}};
  options.configuration = properties.dump();
  const std::vector<QueueSpec> queues = Imported(OneNode(), options).scenario.cluster.queues;
  ASSERT_EQ(queues.size(), 3u);
  EXPECT_EQ(queues[0].settings[0], std::pair(std::string("yarn-capacity/ordering-policy"),
                                             std::string("priority-utilization")));
  EXPECT_EQ(queues[1].priority, -3);
  EXPECT_EQ(queues[2].priority, 4);
  properties[prefix + "a.priority"] = "high";
  options.configuration = properties.dump();
  EXPECT_THAT(std::string(TryImport(OneNode(), options).status().message()),
              HasSubstr("a.priority\"]: \"high\" is no priority; expected an integer"));
}

TEST(YarnConfiguration, TemplatesByWildcardsAreSettingsOfTheQueueBeforeThem) {
  const std::string prefix = "yarn.scheduler.capacity.root.";
  const std::string key = "auto-queue-creation-v2.";
  ImportOptions options;
  options.configuration = ObjectJson{
      {prefix + "queues", "a"},
      {prefix + "a.capacity", "1w"},
      {prefix + "a." + key + "enabled", "true"},
      {"yarn.scheduler.capacity." + key + "maximum-queue-depth", "3"},
      {prefix + "*." + key + "template.capacity", "2w"},
      {prefix + "*.*." + key + "leaf-template.capacity", "3w"},
      {prefix + "a.*." + key + "parent-template.capacity", "4w"},
      {prefix + "*.capacity", "5w"},
      {prefix + "*.b." + key + "template.capacity",
       "6w"}}.dump();
  const Import import = Imported(OneNode(), options);
  std::map<std::string, Labels> settings = SettingsByQueue(import);
  EXPECT_EQ(settings["root"], (Labels{{"yarn-capacity/*.*." + key + "leaf-template.capacity", "3w"},
                                      {"yarn-capacity/*." + key + "template.capacity", "2w"}}));
  EXPECT_THAT(settings["root.a"],
              Contains(std::pair("yarn-capacity/*." + key + "parent-template.capacity",
                                 std::string("4w"))));
  EXPECT_THAT(settings["root.a"], Contains(std::pair("yarn-capacity/" + key + "maximum-queue-depth",
                                                     std::string("3"))));
  const std::vector<std::string> lines = Lines(import);
  for (const char* left :
       {"root.*.capacity", "root.*.b.auto-queue-creation-v2.template.capacity"}) {
    EXPECT_THAT(lines, Contains(HasSubstr(std::string(left) + "\"]: this property decides")));
  }
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  EXPECT_TRUE(cluster.Schedule(import.scenario.profile).ok());
}

TEST(YarnConfiguration, MappingRulesOfOddShapesAreRefused) {
  const std::string property = "yarn.scheduler.capacity.mapping-rule-json";
  const auto refusal = [&](const ObjectJson& value) {
    ImportOptions options;
    options.configuration = ObjectJson{
        {"yarn.scheduler.capacity.root.queues", "a"},
        {"yarn.scheduler.capacity.root.a.capacity", "100"},
        {"yarn.scheduler.capacity.mapping-rule-format", "json"},
        {property, value}}.dump();
    return std::string(TryImport(OneNode(), options).status().message());
  };
  for (const char* rules : {"[]", "null", "7", "\"u:ann:a\"", R"([{"type": "user"}])",
                            R"({"rule": []})", R"({"rules": null})", R"({"rules": {}})"}) {
    EXPECT_EQ(refusal(rules), "scheduler configuration: [\"" + property +
                                  "\"]: has no array of rules; expected an object such as "
                                  "{\"rules\": []}")
        << rules;
  }
  EXPECT_EQ(refusal(7), refusal("7"));
  EXPECT_THAT(refusal(R"({"rules": [1]})"), HasSubstr("rules[0]: expected an object"));
  EXPECT_THAT(refusal(R"({"rules": [{"type": 1}]})"), HasSubstr("rules[0].type: expected text"));
  EXPECT_THAT(refusal("{"), HasSubstr(property));
  EXPECT_EQ(refusal("{}"), "");
  EXPECT_EQ(refusal(R"({"rules": []})"), "");
}

}  // namespace
}  // namespace muster
