// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The capacity scheduler's preemption monitor among the properties of a site, and limits of
// applications.
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

using Properties = std::vector<std::pair<std::string, std::string>>;

// A scheduler of one leaf, with `monitor` below yarn.resourcemanager. and others as they stand.
std::string Configuration(const Properties& monitor, const Properties& others = {}) {
  ObjectJson all = {{"yarn.scheduler.capacity.root.queues", "a"},
                    {"yarn.scheduler.capacity.root.a.capacity", "100"}};
  for (const auto& [key, value] : monitor) all["yarn.resourcemanager." + key] = value;
  for (const auto& [key, value] : others) all[key] = value;
  return all.dump();
}

absl::StatusOr<Import> TryProperties(const Properties& monitor, const Properties& others = {}) {
  ImportOptions options;
  options.configuration = Configuration(monitor, others);
  const ObjectJson node = {{"id", "h0:1"},
                           {"nodeHostName", "h0"},
                           {"availMemoryMB", 8192},
                           {"availableVirtualCores", 8}};
  return TryImport({{{"nodes", {{"node", ObjectJson::array({node})}}}}}, options);
}

Import WithProperties(const Properties& monitor, const Properties& others = {}) {
  absl::StatusOr<Import> import = TryProperties(monitor, others);
  EXPECT_TRUE(import.ok()) << import.status();
  return import.ok() ? *std::move(import) : Import();
}

constexpr const char* kMonitorEnable = "scheduler.monitor.enable";
constexpr const char* kMonitorPolicies = "scheduler.monitor.policies";
std::string Round(const std::string& key) { return "monitor.capacity.preemption." + key; }

TEST(YarnMonitor, OneThatEvictsNothingIsLeftOut) {
  const Properties wait = {{Round("max_wait_before_kill"), "1000"}};
  Properties observes = wait, others = wait, on = wait;
  for (Properties* const properties : {&observes, &others, &on}) {
    properties->emplace_back(kMonitorEnable, "true");
  }
  observes.emplace_back(Round("observe_only"), "true");
  others.emplace_back(kMonitorPolicies, "a.Other");
  for (const Properties& properties : {wait, observes, others}) {
    const Import import = WithProperties(properties);
    EXPECT_EQ(import.scenario.profile, "yarn-capacity:heartbeat(calculator=memory)");
    EXPECT_THAT(Lines(import), Contains(HasSubstr("has no effect, as the monitor evicts nothing")));
  }
  EXPECT_THAT(Lines(WithProperties(on)), Not(Contains(HasSubstr("has no effect"))));
}

TEST(YarnMonitor, WhatIsNotReadIsReported) {
  const auto lines =
      Lines(WithProperties({{kMonitorEnable, "true"},
                            {kMonitorPolicies, "a.ProportionalCapacityPreemptionPolicy,a.Other"},
                            {Round("monitoring_interval"), "3000"},
                            {Round("misspelt"), "1"}}));
  EXPECT_THAT(lines, Contains(HasSubstr("policy \"a.Other\" is not read")));
  EXPECT_THAT(lines, Contains(HasSubstr("monitoring_interval\"]: a cycle is a round")));
  EXPECT_THAT(lines, Contains(HasSubstr("misspelt\"]: this property decides nothing here")));
}

TEST(YarnProperties, LimitsOfApplications) {
  const Import import =
      WithProperties({}, {{"yarn.scheduler.capacity.maximum-applications", "500"},
                          {"yarn.scheduler.capacity.user.max-parallel-apps", "3"},
                          {"yarn.scheduler.capacity.user.ann.b.max-parallel-apps", "1"},
                          {"yarn.scheduler.capacity.user..max-parallel-apps", "1"},
                          {"yarn.scheduler.capacity.root.user-settings.bob.weight", "0.5"},
                          {"yarn.scheduler.capacity.user.bob.max-parallel-apps", "7"}});
  EXPECT_EQ(import.scenario.profile,
            "yarn-capacity:heartbeat(calculator=memory,max_applications=500)");
  ASSERT_EQ(import.scenario.cluster.queues[0].name, "root");
  EXPECT_EQ(import.scenario.cluster.queues[0].users->limits,
            (std::vector<UserLimit>{{.name = "bob", .max_jobs = 7, .weight = "0.5"},
                                    {.name = "ann.b", .max_jobs = 1},
                                    {.name = "*", .max_jobs = 3}}));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("user..max-parallel-apps\"]: this property")));
}

TEST(YarnProperties, AFairLeafThatWeighsBySize) {
  const std::string leaf = "yarn.scheduler.capacity.root.a.ordering-policy";
  const Import import =
      WithProperties({}, {{leaf, "fair"}, {leaf + ".fair.enable-size-based-weight", "true"}});
  EXPECT_EQ(import.scenario.cluster.queues[1].settings,
            (Labels{{"yarn-capacity/capacity", "100"},
                    {"yarn-capacity/ordering-policy.fair.enable-size-based-weight", "true"},
                    {"yarn-capacity/ordering-policy", "fair"}}));
}

TEST(YarnMonitor, WrongValuesAreRefusedAsTheProfileRefusesThem) {
  const absl::StatusOr<Import> import =
      TryProperties({{kMonitorEnable, "true"}, {Round("total_preemption_per_round"), "2"}});
  EXPECT_THAT(import.status().message(),
              HasSubstr("scheduler configuration: action preempt: option \"per_round\""));
}

TEST(YarnProperties, AmountsBelowZeroAreRefused) {
  EXPECT_THAT(TryProperties({}, {{"yarn.scheduler.capacity.user.max-parallel-apps", "-1"}})
                  .status()
                  .message(),
              HasSubstr("max-parallel-apps\"]: \"-1\" is below 0; expected 0 or more"));
  EXPECT_THAT(TryProperties({{kMonitorEnable, "true"}, {Round("max_wait_before_kill"), "-5000"}})
                  .status()
                  .message(),
              HasSubstr("max_wait_before_kill\"]: \"-5000\" is below 0"));
}

}  // namespace
}  // namespace muster
