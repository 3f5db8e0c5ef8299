// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile koordinator, one small cluster a rule.
#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

// --- quotas

// A quota is about the resources that its limit names, or its guarantee.
TEST_F(KoordinatorProfile, WhatNoLimitNamesIsNotLimited) {
  Node("a", 8);
  Quota("x", 0, 1);
  for (const char* name : {"p", "q"}) {
    Accept(cluster_.AddJob({.name = name, .queue = "x"}));
    TaskSpec task{.name = name, .job = name};
    task.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
    Accept(cluster_.AddTask(task));
  }
  EXPECT_EQ(Plan(), "bind p a");
  EXPECT_THAT(Why("q"), HasSubstr("quotaName: x, runtime: cpu:1, used: cpu:1, pod's request: "
                                  "cpu:1, exceedDimensions: [cpu]"));
}

// --- gangs

TEST_F(KoordinatorProfile, AGangIsBoundOnceItIsComplete) {
  Node("a", 1);
  Node("b", 1);
  Gang("g", 2, 2);
  EXPECT_EQ(Plan(), "bind g1 b; bind g0 a");
}

// Two of three pods find nodes, wait with them and lose them again.
TEST_F(KoordinatorProfile, AGangThatDoesNotFitLeavesNothingBehind) {
  Node("a", 2);
  Gang("g", 3, 3);
  EXPECT_EQ(Plan("quota=off"), "");
  EXPECT_EQ(
      Why("g2", "quota=off"),
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No "
      "preemption victims found for incoming pod.");
  EXPECT_EQ(Why("g0", "quota=off"),
            "0/1 nodes are available: 1 GangGroup \"g\" gets rejected due to member Pod \"g2\" is "
            "unschedulable with reason \"0/1 nodes are available: 1 Insufficient cpu.\", "
            "alreadyWaitForBound: 2.");
  Gang("h", 2, 2);
  EXPECT_EQ(Plan("quota=off"), "bind h1 a; bind h0 a");
}

// The pods of a gang follow one another, whatever came between them.
// Each pod is rejected once. A list of all that wait for each of them would fill the memory.
TEST_F(KoordinatorProfile, ALargeGangThatDoesNotFitIsUndone) {
  constexpr int kPods = 6'000;
  Accept(cluster_.AddNode({.name = "a", .capacity = {{"cpu", kPods - 1}, {"pods", kPods}}}));
  JobSpec gang{.name = "g", .min_available = kPods};
  gang.groups = {{.name = "w", .count = kPods, .shape = {.request = {{"cpu", 1}}}}};
  Accept(cluster_.AddJob(gang));
  const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), "koordinator");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->decisions().size(), 0u);
  EXPECT_EQ(plan->pending().size(), kPods);
}

TEST_F(KoordinatorProfile, AGangHasItsTurnWhole) {
  Node("a", 3);
  Accept(cluster_.AddJob({.name = "g", .min_available = 2}));
  Pod("g0", "1", {.job = "g"});
  Pod("p", "2");
  Pod("g1", "1", {.job = "g"});
  EXPECT_EQ(Plan(), "bind g1 a; bind g0 a");
  EXPECT_EQ(Plan("coscheduling=off"), "bind g0 a; bind p a");
}

TEST_F(KoordinatorProfile, AGangWithTooFewPodsIsNotTried) {
  Node("a", 9);
  Gang("g", 3, 2);
  EXPECT_EQ(Live(0), "");
  EXPECT_EQ(Why("g1"),
            "gangGroup [g] basic check: memberGangs [g] child pod not collect enough, current "
            "gang: g, podName: g1");
  Pod("g2", "1", {.job = "g"});
  EXPECT_EQ(Live(1), "bind g1 a; bind g0 a; bind g2 a");
}

TEST_F(KoordinatorProfile, GangsOfAGroupStartTogether) {
  Node("a", 3);
  const Labels together = {{"koordinator/groups", "x,y"}};
  Gang("x", 2, 2, {.settings = together});
  Gang("y", 2, 2, {.settings = together});
  EXPECT_EQ(Live(0, "quota=off"), "");
  Node("b", 1);
  // The backoff of the first failure is over.
  EXPECT_THAT(Live(5, "quota=off"), HasSubstr("bind y"));
  EXPECT_EQ(Plan("quota=off", 6), "");
}

TEST_F(KoordinatorProfile, AGroupWithAMissingGangIsNotTried) {
  Node("a", 9);
  Gang("x", 1, 1, {.settings = {{"koordinator/groups", "x,y"}}});
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Why("x0"),
            "gangGroup [x y] basic check: memberGangs [y] not found, current gang: x, podName: x0");
}

// The default policy holds a gang up once; the others count anew.
TEST_F(KoordinatorProfile, PodsThatComeLaterStartByTheMatchPolicy) {
  Node("a", 9);
  Gang("g", 2, 2);
  EXPECT_EQ(Live(0), "bind g1 a; bind g0 a");
  Pod("g2", "1", {.job = "g"});
  EXPECT_EQ(Plan("", 1), "bind g2 a");
  EXPECT_EQ(Plan("match_policy=only-waiting", 1), "");
  EXPECT_EQ(Plan("match_policy=waiting-and-running", 1), "bind g2 a");
}

// A gang was complete once, and has fewer pods than its least number now: it may go on. The memory
// keeps this.
TEST_F(KoordinatorProfile, AGangThatWasCompleteOnceIsNeverHeldUpAgain) {
  Node("a", 9);
  Gang("g", 2, 2);
  EXPECT_EQ(Live(0), "bind g1 a; bind g0 a");
  for (const char* pod : {"g0", "g1"}) Accept(cluster_.RemoveTask(pod));
  Pod("g2", "1", {.job = "g"});
  EXPECT_EQ(Live(1), "bind g2 a");
  cluster_.SetMemory({});
  Accept(cluster_.RemoveTask("g2"));
  Pod("g3", "1", {.job = "g"});
  EXPECT_EQ(Live(2), "");
}

TEST_F(KoordinatorProfile, AGangOfTheSameNameIsAnotherOne) {
  Node("a", 9);
  Gang("g", 2, 2, {.created = 1});
  EXPECT_EQ(Live(0), "bind g1 a; bind g0 a");
  Accept(cluster_.RemoveJob("g"));
  Gang("g", 2, 1, {.created = 2});
  EXPECT_EQ(Live(1), "");
}

// A strict gang rejects what waits at once, another one when its turn ends.
TEST_F(KoordinatorProfile, AFailureEndsTheTurnWhateverTheMode) {
  Node("a", 2);
  for (const char* mode : {"Strict", "NonStrict"}) {
    Gang("g", 2, 2, {.settings = {{"koordinator/mode", mode}}});
    Pod("f", "9", {.job = "g"});
    EXPECT_EQ(Plan(), "") << mode;
    EXPECT_THAT(Why("g1"), HasSubstr("due to member Pod \"f\" is unschedulable")) << mode;
    Accept(cluster_.RemoveTask("f"));
    EXPECT_EQ(Plan(), "bind g1 a; bind g0 a") << mode;
    Accept(cluster_.RemoveJob("g"));
  }
}

// A plan that is cut short within a turn keeps the nodes of the pods that wait; the next one goes
// on.
TEST_F(KoordinatorProfile, ATurnThatWasCutGoesOn) {
  Node("a", 3);
  Gang("g", 3, 3);
  EXPECT_EQ(Live(0, "cycles=1"), "reserve g0 a");
  EXPECT_EQ(Live(1, ""), "bind g2 a; bind g0 a; bind g1 a");
}

TEST_F(KoordinatorProfile, WhatWaitsTooLongLosesItsNode) {
  Node("a", 3);
  Gang("g", 3, 3, {.settings = {{"koordinator/waiting-time", "10"}}});
  EXPECT_EQ(Live(0, "cycles=1"), "reserve g0 a");
  EXPECT_EQ(Live(9, "cycles=0"), "");
  EXPECT_EQ(Live(10, "cycles=0"), "evict g0 a");
  EXPECT_EQ(Live(11, "quota=off"), "");  // its room is not free yet
  Accept(cluster_.SetTaskStatus("g0", TaskStatus::kPending));
  EXPECT_THAT(Live(100, "quota=off"), HasSubstr("bind g0 a"));
}

// --- quotas

TEST_F(KoordinatorProfile, AQuotaTakesNoMoreThanItsRuntime) {
  Node("a", 10);
  Quota("x", 4, 10);
  Quota("y", 6, 10);
  Accept(cluster_.AddJob({.name = "j", .queue = "x"}));
  Accept(cluster_.AddJob({.name = "k", .queue = "y"}));
  for (int i = 0; i < 6; ++i) Pod("j" + std::to_string(i), "1", {.job = "j"});
  for (int i = 0; i < 9; ++i) Pod("k" + std::to_string(i), "1", {.job = "k"});
  const std::string plan = Plan();
  EXPECT_THAT(plan, HasSubstr("bind j3 a"));
  EXPECT_THAT(plan, Not(HasSubstr("bind j4 a")));
  EXPECT_THAT(plan, HasSubstr("bind k5 a"));
  EXPECT_THAT(Why("j4"),
              HasSubstr("0/1 nodes are available: Insufficient quotas, quotaName: x, runtime: "
                        "cpu:4"));
  EXPECT_THAT(Why("j4"), HasSubstr(", used: cpu:4, pod's request: cpu:1, exceedDimensions: [cpu]. "
                                   "0/1 nodes are available: 1 No victims found on node a for "
                                   "preemptor pod j4."));
  EXPECT_THAT(Plan("runtime=off"), HasSubstr("bind j5 a"));
}

TEST_F(KoordinatorProfile, APodThatCannotBePreemptedStaysWithinTheMinimum) {
  Node("a", 10);
  Quota("x", 2, 10);
  Accept(cluster_.AddJob({.name = "j", .queue = "x"}));
  Pod("j0", "2", {.job = "j", .preemptable = false});
  Pod("j1", "1", {.job = "j", .preemptable = false});
  Pod("j2", "1", {.job = "j"});
  EXPECT_EQ(Plan(), "bind j0 a; bind j2 a");
  EXPECT_THAT(Why("j1"), HasSubstr("Insufficient non-preemptible quotas, quotaName: x, min: cpu:2, "
                                   "nonPreemptibleUsed: cpu:2, pod's request: cpu:1, "
                                   "exceedDimensions: [cpu]."));
}

TEST_F(KoordinatorProfile, AQuotaThatDoesNotLendKeepsItsMinimum) {
  Node("a", 10);
  Quota("x", 6, 10, {.settings = {{"koordinator/lends", "false"}}});
  Quota("y", 0, 10);
  Accept(cluster_.AddJob({.name = "k", .queue = "y"}));
  for (int i = 0; i < 6; ++i) Pod("k" + std::to_string(i), "1", {.job = "k"});
  EXPECT_EQ(Plan(), "bind k0 a; bind k1 a; bind k2 a; bind k3 a");
}

// Of eight GPUs each gets its part by the weights of GPUs; of cpu both weigh the same.
TEST_F(KoordinatorProfile, SharedWeightsAreByResource) {
  NodeSpec node{.name = "a"};
  node.capacity = {{"cpu", 99}, {"pods", 99}, {"nvidia.com/gpu", 8}};
  Accept(cluster_.AddNode(node));
  const auto plan_with = [&](const char* name, const Labels& settings) {
    QueueSpec queue{.name = name, .weight = 100, .settings = settings};
    queue.limit = Resources{{"cpu", 99}, {"nvidia.com/gpu", 8}};
    Accept(cluster_.AddQueue(queue));
    Accept(cluster_.AddJob({.name = name, .queue = name}));
    for (int i = 0; i < 8; ++i) {
      TaskSpec task{.name = name + std::to_string(i), .job = name};
      task.shape.request = {{"cpu", "100m"}, {"nvidia.com/gpu", 1}};
      Accept(cluster_.AddTask(task));
    }
  };
  plan_with("x", {{"koordinator/shared-weight", "cpu=100,nvidia.com/gpu=6"}});
  plan_with("y", {{"koordinator/shared-weight", "cpu=100,nvidia.com/gpu=2,fpga=1"}});
  const std::string plan = Plan();
  EXPECT_EQ(std::count(plan.begin(), plan.end(), 'x'), 6) << plan;
  EXPECT_EQ(std::count(plan.begin(), plan.end(), 'y'), 2) << plan;
}

TEST_F(KoordinatorProfile, TheQuotasAboveCountOnDemand) {
  Node("a", 20);
  Quota("p", 0, 6);
  Quota("x", 4, 9, {.parent = "p"});
  Quota("y", 0, 9, {.parent = "p"});
  Accept(cluster_.AddJob({.name = "k", .queue = "y"}));
  for (int i = 0; i < 5; ++i) Pod("k" + std::to_string(i), "1", {.job = "k", .node = "a"});
  Accept(cluster_.AddJob({.name = "j", .queue = "x"}));
  for (int i = 0; i < 3; ++i) Pod("j" + std::to_string(i), "1", {.job = "j"});
  EXPECT_EQ(Plan(), "bind j0 a; bind j1 a; bind j2 a");
  EXPECT_EQ(Plan("parents=on"), "bind j0 a");
  EXPECT_THAT(Why("j2", "parents=on"), HasSubstr("Insufficient quotas, quotaNameTopo: [p x], "));
}

// A pod without a job belongs to the quota of its namespace, else to the default one.
TEST_F(KoordinatorProfile, APodWithoutAJobHasTheQuotaOfItsNamespace) {
  Node("a", 10);
  Quota("team", 1, 1);
  TaskSpec of_team;
  of_team.shape.name_space = "team";
  Pod("p0", "1", of_team);
  Pod("p1", "1", of_team);
  Pod("q0", "1");
  Pod("q1", "1");
  EXPECT_EQ(Plan(), "bind p0 a; bind q0 a; bind q1 a");
}

// Quota x may use 4 cores once y requests its 6.
class KoordinatorRevocation : public KoordinatorProfile {
 protected:
  void Overuse(int of_x) {
    Node("a", 10);
    Quota("x", 4, 10);
    Quota("y", 6, 10);
    Accept(cluster_.AddJob({.name = "j", .queue = "x"}));
    Accept(cluster_.AddJob({.name = "k", .queue = "y"}));
    for (int i = 0; i < of_x; ++i) {
      TaskSpec task{.job = "j", .node = "a", .priority = i, .preemptable = i != 0};
      task.shape.labels = {{"app", "x"}};
      Pod("j" + std::to_string(i), "1", task);
    }
    Pod("k0", "6", {.job = "k"});
  }
};

TEST_F(KoordinatorRevocation, QuotasAboveTheirRuntimeLosePodsAfterADelay) {
  Overuse(6);
  EXPECT_EQ(Live(0, "revoke=on"), "");
  EXPECT_EQ(Live(120, "revoke=on"), "");
  EXPECT_EQ(cluster_.memory().Find("koordinator-overuse")->Integer("x", 0, -1), 0);
  EXPECT_EQ(Plan("", 121), "");
  EXPECT_EQ(Plan("revoke=on,runtime=off", 121), "");
  EXPECT_EQ(Plan("revoke=on,quota=off", 121), "");
  EXPECT_EQ(Plan("revoke=on,ticks=1000", 121), "");
  // The most important first of those that go; j0 is not preemptable.
  EXPECT_EQ(Live(121, "revoke=on"), "evict j2 a; evict j1 a");
  EXPECT_EQ(Live(122, "revoke=on"), "");
  Accept(cluster_.RemoveTask("j1"));
  Accept(cluster_.RemoveTask("j2"));
  EXPECT_EQ(Live(123, "revoke=on"), "bind k0 a");
  EXPECT_EQ(cluster_.memory().Find("koordinator-overuse")->Find("x"), nullptr);
}

TEST_F(KoordinatorRevocation, AQuotaThatFitsInBetweenBeginsAnew) {
  Overuse(5);
  EXPECT_EQ(Live(0, "revoke=on"), "");
  Accept(cluster_.RemoveTask("k0"));
  EXPECT_EQ(Live(60, "revoke=on"), "");
  Pod("k1", "6", {.job = "k"});
  EXPECT_EQ(Live(121, "revoke=on"), "");
  EXPECT_EQ(Live(241, "revoke=on"), "");
  EXPECT_EQ(Live(242, "revoke=on"), "evict j1 a");
}

TEST_F(KoordinatorRevocation, BudgetsAreKept) {
  Overuse(6);
  Accept(cluster_.SetDisruptionBudget(
      {.name = "b", .selector = Selector{.match_labels = {{"app", "x"}}}, .allowed = 1}));
  EXPECT_EQ(Live(0, "revoke=on,revoke_delay=1"), "");
  EXPECT_EQ(Live(2, "revoke=on,revoke_delay=1"), "evict j2 a");
}

TEST_F(KoordinatorProfile, APreemptorTakesVictimsOfItsOwnQuotaAlone) {
  Node("a", 2);
  Quota("x", 1, 2);
  Quota("y", 1, 2);
  Accept(cluster_.AddJob({.name = "j", .queue = "x"}));
  Accept(cluster_.AddJob({.name = "k", .queue = "y"}));
  Pod("j0", "1", {.job = "j", .node = "a", .priority = 1});
  Pod("k0", "1", {.job = "k", .node = "a"});
  Pod("j1", "1", {.job = "j", .priority = 9});
  EXPECT_EQ(Plan(), "evict j0 a; nominate j1 a");
  EXPECT_EQ(Plan("quota=off"), "evict k0 a; nominate j1 a");
}

// Its quota has no room, though the node has.
TEST_F(KoordinatorProfile, APodWhoseQuotaIsFullPreemptsThere) {
  Node("a", 9);
  Quota("x", 1, 1);
  Accept(cluster_.AddJob({.name = "j", .queue = "x"}));
  Pod("j0", "1", {.job = "j", .node = "a", .priority = 1});
  Pod("j1", "1", {.job = "j", .priority = 9});
  EXPECT_EQ(Plan(), "evict j0 a; nominate j1 a");
}

TEST_F(KoordinatorProfile, PodsOfNoQuotaAreSparedByDefault) {
  Node("a", 1);
  Pod("p", "1", {.node = "a"});
  Pod("q", "1", {.priority = 5});
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Plan("spare_default=off"), "evict p a; nominate q a");
  // A queue with bounds is a quota like any other.
  Accept(cluster_.UpdateQueue({.name = "default", .guaranteed = Resources{{"cpu", 1}}}));
  EXPECT_EQ(Plan(), "evict p a; nominate q a");
}

TEST_F(KoordinatorProfile, AGangWhoseQuotaIsTooSmallIsUndone) {
  Node("a", 10);
  Quota("x", 2, 2);
  Gang("g", 3, 3, {.queue = "x"});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("g0"), HasSubstr("unschedulable with reason \"0/1 nodes are available: "
                                   "Insufficient quotas, quotaName: x, runtime: cpu:2"));
}

// --- scores by kinds of resources

TEST_F(KoordinatorProfile, KindsHaveStrategiesOfTheirOwn) {
  Node("full", 8);
  Node("empty", 8);
  Pod("there", "4", {.node = "full"});
  Pod("p", "1");
  const std::string others = "fit_weight=0,balanced_weight=0,";
  EXPECT_EQ(Plan(others + "kinds=cpu:1:most"), "bind p full");
  EXPECT_EQ(Plan(others + "kinds=cpu:1:least"), "bind p empty");
  // Memory is not requested: it has no say.
  EXPECT_EQ(Plan(others + "kinds=cpu:1:most+memory:99:least"), "bind p full");
  EXPECT_EQ(Plan("kinds=cpu:1:most,kinds_weight=0"), "bind p empty");
}

TEST_F(KoordinatorProfile, ScarceKindsAreLeftToOthers) {
  Accept(cluster_.AddNode(
      {.name = "gpus", .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"nvidia.com/gpu", 8}}}));
  Accept(cluster_.AddNode({.name = "plain", .capacity = {{"cpu", 4}, {"memory", "8Gi"}}}));
  Pod("p", "1");
  EXPECT_EQ(Plan(), "bind p gpus");
  EXPECT_EQ(Plan("scarce=nvidia.com/gpu"), "bind p plain");
  EXPECT_EQ(Plan("scarce=nvidia.com/gpu,scarce_weight=0"), "bind p gpus");
  EXPECT_EQ(Plan("scarce=none.com/fpga"), "bind p gpus");
}

// --- what is refused

TEST_F(KoordinatorProfile, ListsThatMeanNothingAreRefused) {
  for (const char* kinds : {"cpu", "cpu:0:least", "cpu:1:middle", ":1:most", "cpu:101:most"}) {
    EXPECT_THAT(Refused(std::string("kinds=") + kinds), HasSubstr("kinds: an item must be"))
        << kinds;
  }
  EXPECT_THAT(Refused("scarce=cpu+"), HasSubstr("scarce: a name must not be empty"));
}

TEST_F(KoordinatorProfile, SettingsAndQueuesThatMeanNothingAreRefused) {
  Accept(cluster_.AddJob({.name = "j", .settings = {{"koordinator/mode", "lax"}}}));
  EXPECT_THAT(Refused(), HasSubstr("job \"j\", setting \"koordinator/mode\""));
  Accept(cluster_.RemoveJob("j"));
  Accept(cluster_.AddJob({.name = "j", .settings = {{"koordinator/groups", "j,j"}}}));
  EXPECT_THAT(Refused(), HasSubstr("must be names of jobs, each once"));
  Accept(cluster_.RemoveJob("j"));
  Accept(cluster_.AddQueue({.name = "q", .settings = {{"koordinator/lends", "maybe"}}}));
  EXPECT_THAT(Refused(), HasSubstr("queue \"q\", setting \"koordinator/lends\""));
  for (const char* text : {"cpu", "cpu=x", "cpu=-1", "cpu=1,cpu=2", "=1", ""}) {
    Accept(cluster_.UpdateQueue({.name = "q", .settings = {{"koordinator/shared-weight", text}}}));
    EXPECT_THAT(Refused(), HasSubstr("must be RESOURCE=AMOUNT,..., each resource once")) << text;
  }
  EXPECT_EQ(Refused("quota=off"), "");
  Accept(cluster_.RemoveQueue("q"));
  Accept(cluster_.AddQueue({.name = "koordinator-root-quota"}));
  EXPECT_THAT(Refused(), HasSubstr("the root of all quotas is no queue"));
  Accept(cluster_.RemoveQueue("koordinator-root-quota"));
  Accept(cluster_.AddQueue({.name = "koordinator-default-quota"}));
  EXPECT_EQ(Refused(), "");
  Accept(cluster_.AddQueue({.name = "below", .parent = "koordinator-default-quota"}));
  EXPECT_THAT(Refused(), HasSubstr("stand at the top and have no queues below them"));
}

}  // namespace
}  // namespace muster::testing
