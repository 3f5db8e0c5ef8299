// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queue mappings of profile yarn-capacity, and queues that it makes for jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class YarnMapping : public ::testing::Test {
 protected:
  void SetUp() override {
    Must(cluster_.AddNode(
        {.name = "n", .capacity = {{"cpu", 16}, {"memory", "16Gi"}, {"pods", 100}}}));
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  // Queues a and b of one quarter each, and users of one half, which makes leaves.
  void AddQueues(const std::string& rules, Labels more = {}) {
    more.emplace_back("yarn-capacity/queue-mappings", rules);
    Must(cluster_.AddQueue({.name = "root", .settings = std::move(more)}));
    for (const char* name : {"a", "b"}) {
      AddQueue(name, {{"yarn-capacity/capacity", "25"},
                      {"yarn-capacity/maximum-am-resource-percent", "1"}});
    }
    AddQueue("users", {{"yarn-capacity/capacity", "50"},
                       {"yarn-capacity/maximum-capacity", "50"},
                       {"yarn-capacity/auto-create-child-queue.enabled", "true"},
                       {"yarn-capacity/leaf-queue-template.capacity", "50"},
                       {"yarn-capacity/leaf-queue-template.maximum-am-resource-percent", "1"},
                       {"yarn-capacity/leaf-queue-template.maximum-capacity", "50"},
                       {"yarn-capacity/leaf-queue-template.user-limit-factor", "10"}});
  }
  void AddQueue(const char* name, Labels settings, const char* parent = "root") {
    Must(cluster_.AddQueue({.name = name, .parent = parent, .settings = std::move(settings)}));
  }
  void AddJob(const std::string& name, const std::string& user,
              std::vector<std::string> groups = {}, const std::string& queue = "default",
              Labels settings = {}) {
    JobSpec job{.name = name,
                .queue = queue,
                .groups = {{.count = 16, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}}},
                .created = created_++};
    job.owner = JobOwner{.user = user, .groups = std::move(groups)};
    job.settings = std::move(settings);
    Must(cluster_.AddJob(job));
  }
  // What explains the tasks of the job that wait.
  std::string Why(const std::string& job) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-capacity");
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const absl::StatusOr<std::string> why = plan->Explain(job);
    return why.ok() ? *why : std::string(why.status().message());
  }
  int Started(const std::string& job) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-capacity");
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return -1;
    int started = 0;
    for (const Bind& bind : plan->binds()) {
      started += plan->task_name(bind.task).substr(0, job.size() + 1) == job + "-";
    }
    return started;
  }
  std::string Refusal() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-capacity");
    return plan.ok() ? "" : std::string(plan.status().message());
  }

  Cluster cluster_;
  int64_t created_ = 1;
};

// A user that fills its queue is above its limit: that tells the queue.
TEST_F(YarnMapping, RulesGoInOrderAndTheFirstThatMatchesDecides) {
  AddQueues("u:ann:a, g:dev:root.b, a:etl:b, u:%user:a");
  AddJob("x", "ann", {"dev"});
  EXPECT_EQ(Started("x"), 5);  // a quarter, and one more
  AddJob("y", "bob", {"ops", "dev"});
  AddJob("etl", "eve");
  AddJob("z", "eve");
  Must(cluster_.RemoveJob("x"));
  for (const char* job : {"y", "etl", "z"}) EXPECT_GT(Started(job), 0) << job;
}

TEST_F(YarnMapping, VariablesStandForUserAndGroups) {
  AddQueues("u:%user:%primary_group:skip,u:%user:%secondary_group:skip,u:%user:%user:reject");
  AddJob("x", "ann", {"a"});
  AddJob("y", "eve", {"ops", "staff", "b"});
  AddJob("z", "b");
  AddJob("none", "nemo", {"ops"});
  for (const char* job : {"x", "y", "z"}) EXPECT_GT(Started(job), 0) << job;
  EXPECT_THAT(Why("none"), HasSubstr("a mapping rule refuses the application"));
}

TEST_F(YarnMapping, AJobThatNamesAQueueStaysThereUnlessRulesOverride) {
  AddQueues("u:ann:%reject");
  AddJob("x", "ann", {}, "a");
  EXPECT_GT(Started("x"), 0);
  Must(cluster_.UpdateQueue(
      {.name = "root",
       .settings = {{"yarn-capacity/queue-mappings", "u:ann:%reject"},
                    {"yarn-capacity/queue-mappings-override.enable", "true"}}}));
  EXPECT_EQ(Started("x"), 0);
}

TEST_F(YarnMapping, AJobInTheDefaultQueueNamesNone) {
  AddQueues("u:ann:a");
  Must(cluster_.UpdateQueue(
      {.name = "users", .parent = "root", .settings = {{"yarn-capacity/capacity", "25"}}}));
  Must(cluster_.UpdateQueue(
      {.name = "default", .parent = "root", .settings = {{"yarn-capacity/capacity", "25"}}}));
  AddJob("x", "ann");
  AddJob("y", "bob");
  Must(cluster_.UpdateQueue(
      {.name = "a",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", "25"}, {"yarn-capacity/maximum-capacity", "0"}}}));
  EXPECT_EQ(Started("x"), 0);
  EXPECT_GT(Started("y"), 0);
}

TEST_F(YarnMapping, WithoutAPlaceItGoesToTheDefaultThatARuleSets) {
  AddQueues("u:%user:%default=root.b,u:ann:nowhere,u:bob:nowhere:skip");
  AddJob("x", "ann");
  EXPECT_GT(Started("x"), 0);
  AddJob("y", "bob");
  EXPECT_THAT(Why("y"), HasSubstr("there is no leaf \"root.default\", and none is made"));
}

// Each leaf has half of the parent's half: four gibibytes of sixteen.
TEST_F(YarnMapping, AManagedParentMakesLeavesByItsTemplate) {
  AddQueues("u:%user:root.users.%user");
  AddJob("x", "ann.lee");
  EXPECT_EQ(Started("x"), 4);
  EXPECT_THAT(Why("x"), HasSubstr("queue \"root.users.ann_dot_lee\" would exceed its maximum"));
  AddJob("y", "bob");
  AddJob("z", "eve");  // the third has no capacity
  EXPECT_EQ(Started("x"), 4);
  EXPECT_EQ(Started("y"), 4);
  EXPECT_EQ(Started("z"), 0);
  AddJob("w", "ann.lee", {}, "default", {{"yarn-capacity/queue", "root.users.bob"}});
  EXPECT_THAT(Why("w"), HasSubstr("queue \"root.users.bob\" would exceed its maximum"));
}

TEST_F(YarnMapping, ARuleForExistingQueuesMakesNone) {
  AddQueues("u:%user:root.users.%user:existing:reject");
  AddJob("x", "ann");
  EXPECT_EQ(Started("x"), 0);
}

TEST_F(YarnMapping, AJobMayNameAQueueThatIsMade) {
  AddQueues("u:%user:%reject", {{"yarn-capacity/priority-of-none", "1"}});
  EXPECT_THAT(Refusal(), HasSubstr("priority-of-none"));
  Must(cluster_.UpdateQueue({.name = "root", .settings = {}}));
  AddJob("x", "ann", {}, "default", {{"yarn-capacity/queue", "root.users.ann"}});
  EXPECT_EQ(Started("x"), 4);
  AddJob("y", "ann", {}, "default", {{"yarn-capacity/queue", "root.a.ann"}});
  EXPECT_THAT(Why("y"), HasSubstr("there is no leaf \"root.a.ann\", and none is made"));
}

TEST_F(YarnMapping, AFlexibleParentMakesQueuesOfWeights) {
  Must(cluster_.AddQueue({.name = "root",
                          .settings = {{"yarn-capacity/queue-mappings",
                                        "u:%user:root.teams.%primary_group.%user:reject"}}}));
  AddQueue("a", {{"yarn-capacity/capacity", "1w"}});
  AddQueue("teams",
           {{"yarn-capacity/capacity", "1w"},
            {"yarn-capacity/auto-queue-creation-v2.enabled", "true"},
            {"yarn-capacity/auto-queue-creation-v2.template.capacity", "2w"},
            {"yarn-capacity/auto-queue-creation-v2.parent-template.maximum-capacity", "50"}});
  AddJob("x", "ann", {"dev"});
  EXPECT_EQ(Started("x"), 8);
  EXPECT_THAT(Why("x"), HasSubstr("queue \"root.teams.dev.ann\" would exceed its maximum"));
  Must(cluster_.UpdateQueue(
      {.name = "teams",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", "1w"},
                    {"yarn-capacity/auto-queue-creation-v2.enabled", "true"},
                    {"yarn-capacity/auto-queue-creation-v2.maximum-queue-depth", "1"}}}));
  EXPECT_EQ(Started("x"), 0);
}

// Below root.teams a queue is made for each group, and below that one for each user.
class YarnTemplates : public YarnMapping {
 protected:
  void AddTree(Labels of_root, Labels of_teams) {
    of_root.emplace_back("yarn-capacity/queue-mappings",
                         "u:%user:root.teams.%primary_group.%user:reject");
    Must(cluster_.AddQueue({.name = "root", .settings = std::move(of_root)}));
    AddQueue("a", {{"yarn-capacity/capacity", "1w"}});
    of_teams.emplace_back("yarn-capacity/capacity", "3w");
    of_teams.emplace_back("yarn-capacity/auto-queue-creation-v2.enabled", "true");
    AddQueue("teams", std::move(of_teams));
    AddJob("x", "ann", {"dev"});
  }
  static std::string Key(const std::string& wildcards, const std::string& kind) {
    return "yarn-capacity/" + wildcards + "auto-queue-creation-v2." + kind + ".maximum-capacity";
  }
};

TEST_F(YarnTemplates, AWildcardStandsForAQueueThatIsMade) {
  AddTree({}, {{Key("*.", "template"), "25"}});
  AddJob("y", "bob", {"dev"});
  EXPECT_EQ(Started("x"), 4);
  EXPECT_EQ(Started("y"), 4);
  EXPECT_THAT(Why("x"), HasSubstr("queue \"root.teams.dev.ann\" would exceed its maximum"));
}

TEST_F(YarnTemplates, AWildcardStandsForAQueueOfTheTable) {
  AddTree({{Key("*.", "template"), "25"}}, {});
  AddJob("y", "bob", {"dev"});  // of the same queue right below root.teams
  EXPECT_EQ(Started("x") + Started("y"), 4);
}

TEST_F(YarnTemplates, SeveralWildcardsReachDeeper) {
  AddTree({{Key("*.*.", "leaf-template"), "25"}, {Key("*.*.*.", "leaf-template"), "0"}}, {});
  EXPECT_EQ(Started("x"), 4);
  EXPECT_THAT(Why("x"), HasSubstr("queue \"root.teams.dev.ann\" would exceed its maximum"));
}

// root.teams.dev.ann has templates of root.teams.dev, which is made and has none of its own.
TEST_F(YarnTemplates, TheNearestCountsAndThatOfLeavesBeforeThatOfAll) {
  AddTree({{Key("*.*.", "template"), "0"}}, {{Key("*.", "template"), "25"}});
  EXPECT_EQ(Started("x"), 4);
  Must(cluster_.UpdateQueue({.name = "teams",
                             .parent = "root",
                             .settings = {{"yarn-capacity/capacity", "3w"},
                                          {"yarn-capacity/auto-queue-creation-v2.enabled", "true"},
                                          {Key("*.", "template"), "0"},
                                          {Key("", "parent-template"), "75"}}}));
  QueueSpec root = cluster_.Describe().queues[1];
  ASSERT_EQ(root.name, "root");
  root.settings.emplace_back(Key("*.*.", "leaf-template"), "25");
  root.settings.emplace_back(Key("*.", "parent-template"), "0");
  Must(cluster_.UpdateQueue(root));
  EXPECT_EQ(Started("x"), 3);  // a quarter of three quarters, in whole gibibytes
}

// root.teams may make one level, so one part of its path may be a wildcard.
TEST_F(YarnTemplates, AQueueHasNoMoreWildcardsThanLevelsThatItMakes) {
  Must(cluster_.AddQueue(
      {.name = "root",
       .settings = {{"yarn-capacity/queue-mappings", "u:%user:root.top.teams.%user:reject"},
                    {Key("*.*.", "template"), "25"}}}));
  AddQueue("top", {{"yarn-capacity/capacity", "1w"}});
  const Labels settings = {{"yarn-capacity/capacity", "1w"},
                           {"yarn-capacity/auto-queue-creation-v2.enabled", "true"}};
  AddQueue("teams", settings, "top");
  AddJob("x", "ann");
  EXPECT_EQ(Started("x"), 4);
  Labels shallow = settings;
  shallow.emplace_back("yarn-capacity/auto-queue-creation-v2.maximum-queue-depth", "1");
  Must(cluster_.UpdateQueue({.name = "teams", .parent = "top", .settings = shallow}));
  EXPECT_EQ(Started("x"), 16);
}

TEST_F(YarnTemplates, OtherSettingsHaveNoWildcards) {
  AddTree({{"yarn-capacity/*.capacity", "25"}}, {});
  EXPECT_THAT(Refusal(), HasSubstr("yarn-capacity/*.capacity"));
}

TEST_F(YarnMapping, RefusesWrongSettingsByName) {
  AddQueues("u:ann");
  for (const char* rules :
       {"u:ann", "x:ann:a", "u::a", "u:ann:", "u:ann:a:b", "u:ann:a:skip:reject", "u:ann:root..a",
        "u:ann:%nobody", "u:ann:%default=", "u:ann:a:existing:existing"}) {
    Must(cluster_.UpdateQueue(
        {.name = "root", .settings = {{"yarn-capacity/queue-mappings", rules}}}));
    EXPECT_THAT(Refusal(), HasSubstr("queue \"root\", setting \"yarn-capacity/queue-mappings\": "
                                     "must be rules such as u:ann:root.a"))
        << rules;
  }
  Must(cluster_.UpdateQueue({.name = "root"}));
  AddQueue("below", {}, "users");
  EXPECT_THAT(Refusal(), HasSubstr("must not be set where queues lie below"));
  Must(cluster_.RemoveQueue("below"));
  Must(cluster_.UpdateQueue(
      {.name = "users",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", "50"},
                    {"yarn-capacity/auto-create-child-queue.enabled", "true"}}}));
  EXPECT_THAT(Refusal(), HasSubstr("queue \"users\", setting "
                                   "\"yarn-capacity/leaf-queue-template.capacity\": must be a "
                                   "percentage"));
  Must(cluster_.UpdateQueue(
      {.name = "users",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", "50"},
                    {"yarn-capacity/auto-queue-creation-v2.enabled", "true"},
                    {"yarn-capacity/auto-queue-creation-v2.maximum-queue-depth", "0"}}}));
  EXPECT_THAT(Refusal(), HasSubstr("must be within 1..50"));
}

// A wrong template is refused where a job needs it, by the path of the queue.
TEST_F(YarnMapping, ATemplateIsReadLikeAQueue) {
  AddQueues("u:%user:root.users.%user");
  AddJob("x", "ann");
  Must(cluster_.UpdateQueue(
      {.name = "users",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", "50"},
                    {"yarn-capacity/auto-create-child-queue.enabled", "true"},
                    {"yarn-capacity/leaf-queue-template.capacity", "50"},
                    {"yarn-capacity/leaf-queue-template.ordering-policy", "lifo"}}}));
  EXPECT_THAT(Refusal(), HasSubstr("queue \"root.users.ann\", setting "
                                   "\"yarn-capacity/ordering-policy\""));
}

}  // namespace
}  // namespace muster
