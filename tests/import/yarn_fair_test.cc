// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Files and answers of YARN's fair scheduler: what they become.
#include "muster/schedule.h"
#include "tests/import/yarn_objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(YarnFairImport, AnAllocationFile) {
  ImportOptions options;
  options.configuration = R"({
    "yarn.scheduler.fair.assignmultiple": "true",
    "yarn.scheduler.fair.reservable-nodes": "0.1",
    "yarn.scheduler.reservation-threshold.increment-multiple": "3",
    "allocations": {
      "defaultQueueSchedulingPolicy": "DRF",
      "queueMaxAppsDefault": "50",
      "userMaxAppsDefault": "5",
      "queueMaxAMShareDefault": "0.3",
      "misspelt": "5",
      "user": {"name": "ann", "maxRunningApps": "30"},
      "queue": [
        {"name": "a", "weight": "2.5", "schedulingPolicy": "FIFO",
         "minResources": "1024mb,1vcores", "maxResources": "vcores=4, memory-mb=8192"},
        {"name": "b", "type": "parent", "maxRunningApps": "7", "maxAMShare": "1.5",
         "minResources": "5%",
         "queue": {"name": "c", "maxResources": "50% cpu"}}]}})";
  std::vector<ObjectJson> answers = YarnManager();
  answers[1]["apps"]["app"][1]["queue"] = "root.b.c";
  const Import import = Imported(answers, options);
  EXPECT_EQ(import.scenario.profile,
            "yarn-fair:heartbeat(policy=drf,reservation_threshold=3,reservable_nodes=0.1,"
            "assign_multiple=on)");
  std::map<std::string, Labels> settings = YarnSettings(import);
  EXPECT_EQ(settings["root.a"], (Labels{{"yarn-fair/weight", "2.5"},
                                        {"yarn-fair/schedulingPolicy", "fifo"},
                                        {"yarn-fair/minResources", "1024 mb, 1 vcores"},
                                        {"yarn-fair/maxResources", "4 vcores, 8192 mb"},
                                        {"yarn-fair/maxRunningApps", "50"},
                                        {"yarn-fair/maxAMShare", "0.3"}}));
  EXPECT_EQ(settings["root.b"],
            (Labels{{"yarn-fair/maxRunningApps", "7"}, {"yarn-fair/maxAMShare", "1"}}));
  EXPECT_EQ(settings["root.b.c"], (Labels{{"yarn-fair/maxResources", "50% vcores"},
                                          {"yarn-fair/maxRunningApps", "50"},
                                          {"yarn-fair/maxAMShare", "0.3"}}));
  EXPECT_EQ(settings["root"], (Labels{{"yarn-fair/userMaxAppsDefault", "5"}}));
  EXPECT_EQ(import.scenario.cluster.jobs[0].settings, (Labels{{"yarn-fair/master", "master"}}));
  EXPECT_EQ(import.scenario.cluster.queues[0].users->limits,
            (std::vector<UserLimit>{{.name = "ann", .max_jobs = 30}}));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("these amounts are not read")));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("misspelt: this element decides nothing")));
}

TEST(YarnFairImport, MaximaInPercent) {
  const auto maximum_of = [](const std::string& text) {
    ImportOptions options;
    options.configuration =
        R"({"allocations": {"queue": [{"name": "a", "maxResources": ")" + text + R"("},
                                      {"name": "b"}]}})";
    const Labels settings = YarnSettings(Imported(YarnManager(), options))["root.a"];
    return settings.empty() ? "" : settings[0].second;
  };
  EXPECT_EQ(maximum_of("40%"), "40%");
  EXPECT_EQ(maximum_of("12.5% memory, 50 % cpu"), "12.5% mb, 50% vcores");
  EXPECT_EQ(maximum_of("memory-mb=50%,vcores=4"), "50% mb, 4 vcores");
  EXPECT_EQ(maximum_of("50% gpu"), "");
  EXPECT_EQ(maximum_of("half"), "");
}

TEST(YarnFairImport, PreemptionOfTheFairScheduler) {
  ImportOptions options;
  options.configuration = R"({
    "yarn.scheduler.fair.preemption": "true",
    "yarn.scheduler.fair.preemption.cluster-utilization-threshold": "0.5",
    "yarn.scheduler.fair.waitTimeBeforeKill": "20500",
    "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck": 5000,
    "yarn.scheduler.fair.am.preemption": false,
    "yarn.scheduler.increment-allocation-mb": "512",
    "allocations": {
      "defaultMinSharePreemptionTimeout": "30",
      "fairSharePreemptionTimeout": "60",
      "defaultFairSharePreemptionThreshold": "1.5",
      "queuePlacementPolicy": {"rule": [{"name": "specified"}]},
      "queue": [
        {"name": "a", "fairSharePreemptionTimeout": "10", "allowPreemptionFrom": "FALSE"},
        {"name": "b", "fairSharePreemptionThreshold": "-0.1"}]}})";
  const Import import = Imported(YarnManager(), options);
  EXPECT_EQ(import.scenario.profile,
            "yarn-fair:actions=preempt(increment_memory=512,wait_before_kill=20.500,"
            "wait_before_next_check=5,utilization_threshold=0.5,am_preemption=off)"
            "+heartbeat(increment_memory=512)");
  std::map<std::string, Labels> settings = YarnSettings(import);
  EXPECT_EQ(settings["root"], (Labels{{"yarn-fair/minSharePreemptionTimeout", "30"},
                                      {"yarn-fair/fairSharePreemptionTimeout", "60"},
                                      {"yarn-fair/fairSharePreemptionThreshold", "1"}}));
  EXPECT_EQ(settings["root.a"], (Labels{{"yarn-fair/fairSharePreemptionTimeout", "10"},
                                        {"yarn-fair/allowPreemptionFrom", "false"}}));
  EXPECT_EQ(settings["root.b"], (Labels{{"yarn-fair/fairSharePreemptionThreshold", "0"}}));
  EXPECT_THAT(Lines(import),
              Contains(HasSubstr("queuePlacementPolicy: rules that place applications are not "
                                 "read")));
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  EXPECT_TRUE(cluster.Schedule(import.scenario.profile).ok());
}

TEST(YarnFairImport, WithoutPreemptionItsOptionsAreLeft) {
  ImportOptions options;
  options.configuration = R"({"yarn.scheduler.fair.waitTimeBeforeKill": "20000",
                              "yarn.scheduler.fair.preemption": "false",
                              "allocations": {"queue": [{"name": "a"}, {"name": "b"}]}})";
  EXPECT_EQ(Imported(YarnManager(), options).scenario.profile, "yarn-fair");
}

TEST(YarnFairImport, AnAnswerOfTheFairScheduler) {
  std::vector<ObjectJson> answers = YarnManager();
  const ObjectJson most = {{"memory", 4096}, {"vCores", 8}};
  answers[3] = {{"scheduler",
                 {{"schedulerInfo",
                   {{"type", "fairScheduler"},
                    {"rootQueue",
                     {{"queueName", "root"},
                      {"maxApps", 2147483647},
                      {"maxResources", most},
                      {"schedulingPolicy", "DRF"},
                      {"childQueues",
                       {{"queue",
                         {{{"queueName", "root.a"},
                           {"maxApps", 3},
                           {"preemptable", false},
                           {"schedulingPolicy", "fair"},
                           {"maxResources", most},
                           {"minResources", {{"memory", 0}, {"vCores", 0}}}},
                          {{"queueName", "root.b"}, {"maxApps", 2147483647}}}}}}}}}}}}};
  const Import import = Imported(answers, {});
  EXPECT_EQ(import.scenario.profile, "yarn-fair");
  std::map<std::string, Labels> settings = YarnSettings(import);
  EXPECT_EQ(settings["root"], (Labels{{"yarn-fair/schedulingPolicy", "drf"}}));
  EXPECT_EQ(settings["root.a"], (Labels{{"yarn-fair/maxResources", "4096 mb, 8 vcores"},
                                        {"yarn-fair/maxRunningApps", "3"},
                                        {"yarn-fair/allowPreemptionFrom", "false"},
                                        {"yarn-fair/schedulingPolicy", "fair"}}));
  EXPECT_THAT(Lines(import), Contains(HasSubstr("weights of queues are in no answer")));
  EXPECT_THAT(TryImport(answers, {.profile = "yarn-capacity"}).status().message(),
              HasSubstr("is \"fairScheduler\"; expected the answer of the scheduler of profile "
                        "yarn-capacity"));
}

// A queue of the fair scheduler that may use nothing is shut; 0 of what it is promised is nothing.
TEST(YarnFairImport, AQueueThatMayUseNothingIsShut) {
  const auto settings = [](const ObjectJson& most) {
    const ObjectJson queue = {{"queueName", "root.a"},
                              {"maxResources", most},
                              {"minResources", {{"memory", 0}, {"vCores", 0}}}};
    const ObjectJson info = {
        {"type", "fairScheduler"},
        {"rootQueue", {{"queueName", "root"}, {"childQueues", {{"queue", {queue}}}}}}};
    std::vector<ObjectJson> answers = YarnManager();
    answers[3] = {{"scheduler", {{"schedulerInfo", info}}}};
    return YarnSettings(Imported(answers, {}))["root.a"];
  };
  const Labels shut = {{"yarn-fair/maxResources", "0 mb, 0 vcores"}};
  EXPECT_EQ(settings({{"memory", 0}, {"vCores", 0}}), shut);
  EXPECT_EQ(settings({{"memory", -1}, {"vCores", -1}}), shut);
  EXPECT_EQ(settings({{"memory", 2147483647}, {"vCores", 2147483647}}), Labels());
  EXPECT_EQ(settings(ObjectJson::object()), Labels());
  EXPECT_EQ(settings(nullptr), Labels());
}

}  // namespace
}  // namespace muster
