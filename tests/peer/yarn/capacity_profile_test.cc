// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile yarn-capacity on clusters that a reader can check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

JobSpec YarnJob(const char* name, const char* queue, int64_t count, const char* memory = "1Gi") {
  return {.name = name,
          .queue = queue,
          .groups = {{.count = count, .shape = {.request = {{"cpu", 1}, {"memory", memory}}}}}};
}

class YarnCapacity : public ::testing::Test {
 protected:
  // `n` nodes of eight cores and eight gibibytes, below root queues a and b.
  void SetUp() override {
    Must(cluster_.AddNodes(
        2, {.name = "n", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}}}));
    Must(cluster_.AddQueue({.name = "root"}));
    Must(cluster_.AddQueue(
        {.name = "a", .parent = "root", .settings = {{"yarn-capacity/capacity", "75"}}}));
    Must(cluster_.AddQueue(
        {.name = "b", .parent = "root", .settings = {{"yarn-capacity/capacity", "25"}}}));
  }
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  Plan PlanOf(const ScheduleOptions& options = {}, const char* profile = "yarn-capacity") {
    absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan : Plan();
  }
  // How many tasks of each job start.
  std::map<std::string, int> Started(const Plan& plan) {
    std::map<std::string, int> started;
    for (const Bind& bind : plan.binds()) {
      const std::string task(plan.task_name(bind.task));
      ++started[task.substr(0, task.rfind('-'))];
    }
    return started;
  }
  std::vector<std::string> Nodes(const Plan& plan) {
    std::vector<std::string> nodes;
    for (const Bind& bind : plan.binds()) nodes.emplace_back(plan.node_name(bind.node));
    return nodes;
  }
  std::string Refusal() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-capacity");
    return plan.ok() ? "" : std::string(plan.status().message());
  }

  Cluster cluster_;
};

TEST_F(YarnCapacity, QueuesShareByTheirPercents) {
  Must(cluster_.AddJob(YarnJob("x", "a", 20)));
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("x", 12), std::pair("y", 4)));
  EXPECT_THAT(*plan.Explain("y"), HasSubstr("no node that reported has room"));
}

TEST_F(YarnCapacity, AQueueStaysWithinItsMaximum) {
  Must(cluster_.UpdateQueue({.name = "b",
                             .parent = "root",
                             .settings = {{"yarn-capacity/capacity", "25"},
                                          {"yarn-capacity/maximum-capacity", "50"},
                                          {"yarn-capacity/user-limit-factor", "10"}}}));
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("y", 8)));
  EXPECT_THAT(*plan.Explain("y"), HasSubstr("queue \"root.b\" would exceed its maximum: "
                                            "<memory:9216, vCores:9> of <memory:8192, vCores:8>"));
}

TEST_F(YarnCapacity, AUserGetsItsFactorOfTheQueueAndOneContainerMore) {
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("y", 5)));
  EXPECT_THAT(*plan.Explain("y"), HasSubstr("user \"nobody\" is above its limit"));
}

// Quantities may be texts with a suffix, as everywhere: these were taken for the defaults.
TEST_F(YarnCapacity, NumbersOfUsersMayHaveASuffix) {
  const auto started = [&](const UserRules& rules) {
    cluster_ = Cluster();
    Must(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 20}, {"memory", "20Gi"}}}));
    Must(cluster_.AddQueue({.name = "root"}));
    for (const char* name : {"a", "b"}) {
      QueueSpec queue{
          .name = name, .parent = "root", .settings = {{"yarn-capacity/capacity", "50"}}};
      if (queue.name == "a") queue.users = rules;
      Must(cluster_.AddQueue(queue));
    }
    JobSpec job = YarnJob("x", "a", 20);
    job.owner = JobOwner{.user = "u"};
    Must(cluster_.AddJob(job));
    return Started(PlanOf())["x"];
  };
  const int usual = started({});
  EXPECT_LT(started({.factor = "0.5"}), usual);
  EXPECT_GT(started({.factor = "1.5"}), usual);
  EXPECT_EQ(started({.factor = "500m"}), started({.factor = "0.5"}));
  EXPECT_EQ(started({.factor = "1500m"}), started({.factor = "1.5"}));
}

TEST_F(YarnCapacity, RequestsAreRoundedUpToTheLeastAllocation) {
  Must(cluster_.AddJob(YarnJob("x", "a", 20, "100Mi")));
  EXPECT_EQ(PlanOf({}, "yarn-capacity:heartbeat(min_memory=4096)").binds().size(), 4u);
}

TEST_F(YarnCapacity, RoundingUpStopsAtWhatTheLargestNodeHas) {
  Must(cluster_.UpdateNode(
      {.name = "n0", .capacity = {{"cpu", 8}, {"memory", "3584Mi"}, {"pods", 100}}}));
  Must(cluster_.UpdateNode(
      {.name = "n1", .capacity = {{"cpu", 8}, {"memory", "2Gi"}, {"pods", 100}}}));
  Must(cluster_.AddJob(YarnJob("x", "a", 2, "3200Mi")));
  for (const char* profile : {"yarn-capacity", "yarn-capacity:heartbeat(max_memory=8192)",
                              "yarn-capacity:heartbeat(calculator=memory)"}) {
    EXPECT_THAT(Nodes(PlanOf({}, profile)), ElementsAre("n0")) << profile;
  }
  const Plan plan = PlanOf({}, "yarn-capacity:heartbeat(max_memory=3072)");
  EXPECT_TRUE(plan.binds().empty());
  EXPECT_THAT(*plan.Explain("x"),
              HasSubstr("requested <memory:3200, vCores:1> is above the largest allocation, "
                        "<memory:3072, vCores:8>"));
}

TEST_F(YarnCapacity, WhatRunsCountsWholeThoughItIsAboveTheLargestAllocation) {
  Must(cluster_.AddJob({.name = "x", .queue = "a"}));
  Must(cluster_.AddTask({.name = "r",
                         .job = "x",
                         .shape = {.request = {{"cpu", 1}, {"memory", "7Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n0"}));
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  Must(cluster_.UpdateQueue(
      {.name = "b",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", "25"}, {"yarn-capacity/user-limit-factor", "10"}}}));
  EXPECT_EQ(PlanOf({}, "yarn-capacity:heartbeat(max_memory=2048)").binds().size(), 9u);
}

TEST_F(YarnCapacity, WhatRunsOnANodeThatIsLostCountsNowhere) {
  Must(cluster_.AddJob(YarnJob("y", "b", 20)));
  Must(cluster_.AddTask({.name = "r",
                         .job = "y",
                         .shape = {.request = {{"cpu", 1}, {"memory", "4Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n0"}));
  const auto with = [&](bool ready, bool cordoned) {
    Must(cluster_.UpdateNode({.name = "n0",
                              .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}},
                              .unschedulable = cordoned,
                              .ready = ready}));
    return Started(PlanOf())["y"];
  };
  EXPECT_EQ(with(true, false), 1);  // of the four that the queue guarantees, and one more
  EXPECT_EQ(with(true, true), 1);
  EXPECT_EQ(with(false, false), 3);  // of the two of a cluster with one node
}

// Both jobs of the leaf hold one container; the younger one requests more.
TEST_F(YarnCapacity, AFairLeafMayWeighBySize) {
  const auto next = [&](const Labels& more) {
    cluster_ = Cluster();
    Must(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 8}, {"memory", "8Gi"}}}));
    Must(cluster_.AddQueue({.name = "root"}));
    Labels settings = {{"yarn-capacity/capacity", "100"},
                       {"yarn-capacity/ordering-policy", "fair"},
                       {"yarn-capacity/maximum-am-resource-percent", "1"}};
    settings.insert(settings.end(), more.begin(), more.end());
    Must(cluster_.AddQueue({.name = "a", .parent = "root", .settings = settings}));
    for (const auto& [name, count] : {std::pair("x", 1), std::pair("y", 20)}) {
      Must(cluster_.AddJob(YarnJob(name, "a", count)));
      Must(cluster_.AddTask({.name = absl::StrCat(name, "-runs"),
                             .job = name,
                             .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                             .status = TaskStatus::kRunning,
                             .node = "n"}));
    }
    const Plan plan = PlanOf({.turn = NextDecisions{1}});
    return Started(plan).begin()->first;
  };
  EXPECT_EQ(next({}), "x");
  EXPECT_EQ(next({{"yarn-capacity/ordering-policy.fair.enable-size-based-weight", "true"}}), "y");
}

TEST_F(YarnCapacity, ALeafHasItsPartOfTheApplicationsOfTheSystem) {
  for (const char* name : {"x", "y", "z"}) Must(cluster_.AddJob(YarnJob(name, "a", 1)));
  // Three quarters of 3 are 2.
  const Plan plan = PlanOf({}, "yarn-capacity:heartbeat(max_applications=3)");
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("x", 1), std::pair("y", 1)));
  EXPECT_THAT(*plan.Explain("z"), HasSubstr("has 2 applications already"));
  // Without that, z is accepted, and waits behind the masters of x and y.
  EXPECT_THAT(*PlanOf().Explain("z"), HasSubstr("not yet activated"));
}

TEST_F(YarnCapacity, AUserHasAsManyApplicationsAsTheRootAllows) {
  Must(cluster_.UpdateQueue(
      {.name = "root",
       .users = UserRules{.limits = {{.name = "ann", .max_jobs = 1}, {.name = "*"}}}}));
  for (const auto& [name, queue] :
       {std::pair("x", "a"), std::pair("y", "b"), std::pair("z", "b")}) {
    JobSpec job = YarnJob(name, queue, 1);
    job.owner = JobOwner{.user = job.name == "z" ? "bob" : "ann"};
    Must(cluster_.AddJob(job));
  }
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("x", 1), std::pair("z", 1)));
  EXPECT_THAT(*plan.Explain("y"),
              HasSubstr("user \"ann\" has as many parallel applications as one may"));
}

TEST_F(YarnCapacity, HeartbeatsDecideInTheirOrder) {
  Must(cluster_.AddJob(YarnJob("x", "a", 3)));
  EXPECT_THAT(Nodes(PlanOf({.turn = Heartbeats{{"n0", "n1"}}})), ElementsAre("n0", "n1"));
  EXPECT_THAT(Nodes(PlanOf({.turn = Heartbeats{{"n1", "n0", "n1"}}})),
              ElementsAre("n1", "n0", "n1"));
  EXPECT_THAT(Nodes(PlanOf({.turn = NextDecisions{1}})), ElementsAre("n0"));
}

TEST_F(YarnCapacity, GoesOnlyWhereANodeAdmitsTheTask) {
  Must(cluster_.UpdateNode({.name = "n0",
                            .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}},
                            .taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}}}));
  Must(cluster_.AddJob(YarnJob("x", "a", 2)));
  EXPECT_THAT(Nodes(PlanOf()), ElementsAre("n1", "n1"));
}

TEST_F(YarnCapacity, NeverExceedsWhatTheSchedulerDoesNotCount) {
  Must(cluster_.UpdateNode(
      {.name = "n0", .capacity = {{"cpu", 2}, {"memory", "8Gi"}, {"pods", 100}}}));
  Must(cluster_.UpdateNode(
      {.name = "n1", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 3}}}));
  Must(cluster_.AddJob(YarnJob("x", "a", 12)));
  // Two by vcores, which the calculator of memory does not compare, and three by pods.
  EXPECT_EQ(PlanOf({}, "yarn-capacity:heartbeat(calculator=memory)").binds().size(), 5u);
}

TEST_F(YarnCapacity, CountsWhatRunsAndWhatOthersHold) {
  Must(cluster_.AddJob({.name = "x", .queue = "a"}));
  Must(cluster_.AddTask({.name = "r",
                         .job = "x",
                         .shape = {.request = {{"cpu", 1}, {"memory", "6Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n0"}));
  Must(cluster_.AddTask({.name = "other",
                         .shape = {.request = {{"cpu", 1}, {"memory", "7Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n1"}));
  Must(cluster_.AddJob(YarnJob("y", "b", 9)));
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("y", 3)));
}

TEST_F(YarnCapacity, RefusesWrongSettingsByName) {
  const auto with = [&](const Labels& settings) {
    Must(cluster_.UpdateQueue({.name = "b", .parent = "root", .settings = settings}));
    return Refusal();
  };
  EXPECT_EQ(with({{"yarn-capacity/capacity", "30"}}),
            "queue \"a\": its capacity and those of queues of the same parent are 105 percent "
            "together; must be 100");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "2w"}}),
            "queue \"b\": its capacity is of another kind than that of queue \"a\" of the same "
            "parent; must all be percents, weights or amounts");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "x"}}),
            "queue \"b\", setting \"yarn-capacity/capacity\": is \"x\"; must be a percentage, a "
            "weight such "
            "as 3w, or [memory=MIB,vcores=N]");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "25"},
                  {"yarn-capacity/maximum-capacity", "[memory=1,vcores=1]"}}),
            "queue \"b\", setting \"yarn-capacity/maximum-capacity\": is \"[memory=1,vcores=1]\"; "
            "must be a "
            "percentage, as the capacity is no amounts");
  EXPECT_EQ(
      with({{"yarn-capacity/capacity", "25"}, {"yarn-capacity/ordering-policy", "utilization"}}),
      "queue \"b\", setting \"yarn-capacity/ordering-policy\": is \"utilization\"; must be one of "
      "fifo, fair");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "25"}, {"yarn-capacity/max-parallel-app", "1"}}),
            "queue \"b\", setting \"yarn-capacity/max-parallel-app\": is not known, did you mean "
            "\"max-parallel-apps\"?");
  EXPECT_EQ(with({{"yarn-capacity/capacity", "25"}, {"other/capacity", "x"}}), "");
}

TEST_F(YarnCapacity, AMasterComesFirst) {
  Must(cluster_.AddJob({.name = "x",
                        .queue = "a",
                        .groups = {{.name = "w",
                                    .count = 3,
                                    .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                                    .priority = 9},
                                   {.name = "am",
                                    .count = 1,
                                    .shape = {.request = {{"cpu", 2}, {"memory", "2Gi"}}}}},
                        .settings = {{"yarn-capacity/master", "am"}}}));
  Plan plan = PlanOf();
  EXPECT_THAT(Started(plan), ElementsAre(std::pair("x-am", 1)));
  EXPECT_THAT(*plan.Explain("x-w-0"), HasSubstr("the application's master does not run yet"));
  Must(cluster_.Apply(plan).status());
  EXPECT_THAT(Started(PlanOf()), testing::IsEmpty());  // it is not bound yet
  Must(cluster_.RemoveTask("x-am-0"));
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("x-w", 3)));
  Must(cluster_.AddTask({.name = "x-am-0",
                         .job = "x",
                         .group = "am",
                         .shape = {.request = {{"cpu", 2}, {"memory", "2Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n0"}));
  EXPECT_THAT(Started(PlanOf()), ElementsAre(std::pair("x-w", 3)));
}

TEST_F(YarnCapacity, MastersStayWithinTheirPart) {
  const auto job = [](const char* name, int64_t created) {
    JobSpec spec = YarnJob(name, "a", 1, "2Gi");
    spec.groups[0].name = "am";
    spec.settings = {{"yarn-capacity/master", "am"}};
    spec.created = created;
    return spec;
  };
  for (int i = 0; i < 4; ++i) Must(cluster_.AddJob(job(("j" + std::to_string(i)).c_str(), i)));
  Must(cluster_.UpdateQueue({.name = "a",
                             .parent = "root",
                             .settings = {{"yarn-capacity/capacity", "75"},
                                          {"yarn-capacity/maximum-am-resource-percent", "0.5"}}}));
  // Half of the twelve that the queue is guaranteed, for one user.
  const Plan plan = PlanOf();
  EXPECT_THAT(Started(plan),
              ElementsAre(std::pair("j0-am", 1), std::pair("j1-am", 1), std::pair("j2-am", 1)));
  EXPECT_THAT(*plan.Explain("j3"), HasSubstr("is not yet activated"));
}

TEST_F(YarnCapacity, RefusesSettingsOfRowsThatHaveNone) {
  const NodeSpec node{.name = "n0", .capacity = {{"cpu", 8}}};
  NodeSpec wrong = node;
  wrong.settings = {{"yarn-capacity/label", "gpu"}};
  Must(cluster_.UpdateNode(wrong));
  EXPECT_EQ(Refusal(), "node \"n0\", setting \"yarn-capacity/label\": is not known");
  Must(cluster_.UpdateNode(node));
  JobSpec job = YarnJob("x", "a", 1);
  job.settings = {{"yarn-fair/weight", "1"}, {"yarn-capacity/weight", "1"}};
  Must(cluster_.AddJob(job));
  EXPECT_EQ(Refusal(), "job \"x\", setting \"yarn-capacity/weight\": is not known");
  job.settings = {{"yarn-capacity/master", "am"}};
  Must(cluster_.UpdateJob(job));
  EXPECT_EQ(Refusal(),
            "job \"x\", setting \"yarn-capacity/master\": is \"am\"; must be a group of the job");
}

TEST_F(YarnCapacity, RefusesTreesThatThePeerCannotHave) {
  Must(cluster_.AddQueue({.name = "b.c", .parent = "a"}));
  EXPECT_EQ(Refusal(),
            "queue \"b.c\": its name has a dot; must have none, as dots part the queues of a path");
  Must(cluster_.RemoveQueue("b.c"));
  std::string above = "a";
  for (int level = 2; level <= 100; ++level) {
    const std::string name = "level" + std::to_string(level);
    Must(cluster_.AddQueue({.name = name, .parent = above}));
    above = name;
  }
  EXPECT_EQ(Refusal(), "");
  Must(cluster_.AddQueue({.name = "deep", .parent = above}));
  EXPECT_EQ(Refusal(), "queue \"deep\": lies more than 100 levels below the root");
  Must(cluster_.RemoveQueue("deep"));
  Must(cluster_.AddQueue(
      {.name = "root.z", .parent = "root", .settings = {{"yarn-capacity/capacity", "0"}}}));
  Must(cluster_.AddQueue(
      {.name = "z", .parent = "root", .settings = {{"yarn-capacity/capacity", "0"}}}));
  EXPECT_EQ(Refusal(), "queue \"root.z\" is listed twice or before its parent");
}

TEST_F(YarnCapacity, NamesMayBeWholePaths) {
  Must(cluster_.AddQueue({.name = "a.x", .parent = "a"}));
  Must(cluster_.AddJob(YarnJob("j", "a.x", 20)));
  EXPECT_THAT(*PlanOf().Explain("j"), HasSubstr("user \"nobody\" is above its limit"));
  Must(cluster_.UpdateQueue(
      {.name = "a",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", "75"}, {"yarn-capacity/maximum-capacity", "25"}}}));
  // A maximum below the capacity holds.
  const Plan plan = PlanOf();
  EXPECT_EQ(plan.binds().size(), 4u);
  EXPECT_THAT(*plan.Explain("j"), HasSubstr("queue \"root.a.x\" would exceed its maximum"));
}

TEST_F(YarnCapacity, TheRootHasTheCluster) {
  const auto with = [&](const char* key, const char* value) {
    Must(cluster_.UpdateQueue({.name = "root", .settings = {{key, value}}}));
    return Refusal();
  };
  EXPECT_EQ(with("yarn-capacity/capacity", "100"), "");
  EXPECT_EQ(with("yarn-capacity/maximum-capacity", "100.0"), "");
  EXPECT_EQ(with("yarn-capacity/capacity", "90"),
            "queue \"root\", setting \"yarn-capacity/capacity\": is \"90\"; must be 100, as the "
            "root has the cluster");
  EXPECT_EQ(with("yarn-capacity/maximum-capacity", "50"),
            "queue \"root\", setting \"yarn-capacity/maximum-capacity\": is \"50\"; must be 100, "
            "as the root has the cluster");
  EXPECT_NE(with("yarn-capacity/capacity", "[memory=1,vcores=1]"), "");
}

TEST_F(YarnCapacity, RefusesALargestAllocationBelowTheLeast) {
  const auto refusal = [&](const char* profile) {
    return std::string(cluster_.Schedule(profile).status().message());
  };
  EXPECT_EQ(
      refusal("yarn-capacity:heartbeat(min_memory=4096,max_memory=1024)"),
      "action heartbeat, option max_memory: is 1024; must be 0, or at least min_memory, 4096");
  EXPECT_EQ(refusal("yarn-fair:heartbeat(min_vcores=4,max_vcores=3)"),
            "action heartbeat, option max_vcores: is 3; must be 0, or at least min_vcores, 4");
  EXPECT_EQ(refusal("yarn-capacity:heartbeat(min_memory=4096,max_memory=4096)"), "");
}

// Capacities of queues a, b and c below a, as the peer takes or refuses them together.
TEST_F(YarnCapacity, CapacitiesFitTogether) {
  Must(cluster_.AddQueue({.name = "c", .parent = "a"}));
  const auto with = [&](const char* a, const char* most, const char* b, const char* c) {
    const auto set = [&](const char* name, const char* parent, const char* capacity,
                         const char* maximum) {
      Labels settings;
      if (*capacity != 0) settings.emplace_back("yarn-capacity/capacity", capacity);
      if (*maximum != 0) settings.emplace_back("yarn-capacity/maximum-capacity", maximum);
      Must(cluster_.UpdateQueue({.name = name, .parent = parent, .settings = settings}));
    };
    set("a", "root", a, most);
    set("b", "root", b, "");
    set("c", "a", c, "");
    return Refusal();
  };
  EXPECT_EQ(with("100", "", "0", "100"), "");
  EXPECT_EQ(with("99.96", "", "0", "100"), "");
  EXPECT_EQ(with("100", "", "0", "0"),
            "queue \"c\": its capacity and those of queues of the same parent are 0 percent "
            "together; must be 100");
  EXPECT_EQ(with("0", "", "100", "0"), "");
  EXPECT_EQ(with("0", "", "100", "100"),
            "queue \"c\": its capacity and those of queues of the same parent are 100 percent "
            "together; must be 0, as the parent's is 0");
  EXPECT_EQ(with("0", "", "0", "0"),
            "queue \"a\": its capacity and those of queues of the same parent are 0 percent "
            "together; must be 100");
  EXPECT_EQ(with("1w", "", "1w", "0"), "");
  EXPECT_EQ(with("0", "", "1w", "0"), "");  // nothing is of any kind
  EXPECT_EQ(with("1w", "", "1w", "50"),
            "queue \"c\": its capacity and those of queues of the same parent are 50 percent "
            "together; must be 100 or 0");
  const char* two = "[memory=2048,vcores=2]";
  const char* four = "[memory=4096,vcores=4]";
  EXPECT_EQ(with(four, "", two, two), "");
  EXPECT_EQ(with(four, four, two, four), "");
  EXPECT_EQ(with(four, two, two, two),
            "queue \"a\": its capacity is [memory=4096,vcores=4]; must be within its maximum "
            "capacity, [memory=2048,vcores=2]");
  EXPECT_EQ(with(two, "", two, four),
            "queue \"a\": its capacity is [memory=2048,vcores=2]; must be at least the sum of the "
            "queues below it, [memory=4096,vcores=4]");
  EXPECT_EQ(with(two, two, two, four),
            "queue \"c\": its capacity is [memory=4096,vcores=4]; must be within its maximum "
            "capacity, [memory=2048,vcores=2]");
  EXPECT_EQ(with(two, "", two, "100"),
            "queue \"c\": its capacity is no amount; must be of the kind of that of its parent "
            "where either is amounts");
  EXPECT_EQ(with("100", "", "0", two),
            "queue \"c\": its capacity is amount; must be of the kind of that of its parent where "
            "either is amounts");
  Must(cluster_.UpdateQueue(
      {.name = "a",
       .parent = "root",
       .settings = {{"yarn-capacity/capacity", two}, {"yarn-capacity/maximum-capacity", two}}}));
  Must(cluster_.UpdateQueue(
      {.name = "b", .parent = "root", .settings = {{"yarn-capacity/capacity", two}}}));
  Must(cluster_.UpdateQueue(
      {.name = "c",
       .parent = "a",
       .settings = {{"yarn-capacity/capacity", two}, {"yarn-capacity/maximum-capacity", four}}}));
  EXPECT_EQ(Refusal(),
            "queue \"c\": its maximum capacity is [memory=4096,vcores=4]; must be within that of "
            "its parent, [memory=2048,vcores=2]");
}

TEST_F(YarnCapacity, SaysWhatIsNotOffered) {
  Must(cluster_.AddJob(YarnJob("big", "a", 1, "100Gi")));
  JobSpec gpu = YarnJob("gpu", "a", 1);
  gpu.groups[0].shape.request.emplace_back("nvidia.com/gpu", 1);
  Must(cluster_.AddJob(gpu));
  const Plan plan = PlanOf();
  EXPECT_THAT(*plan.Explain("big"), HasSubstr("is above the largest allocation"));
  EXPECT_THAT(*plan.Explain("gpu"), HasSubstr("\"nvidia.com/gpu\" is not known to the scheduler"));
}

}  // namespace
}  // namespace muster
