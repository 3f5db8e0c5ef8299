// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile scheduler-plugins, one small cluster a rule. Decisions in words: "bind p n".
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

// Decisions of a plan with reservations, which Decide leaves out.
std::string WordsOf(const Plan& plan) {
  std::string words;
  for (const Decision& d : plan.decisions()) {
    const char* word = d.kind == DecisionKind::kBind       ? "bind "
                       : d.kind == DecisionKind::kNominate ? "nominate "
                       : d.kind == DecisionKind::kEvict    ? "evict "
                       : d.kind == DecisionKind::kReserve  ? "reserve "
                                                           : nullptr;
    if (word == nullptr) continue;
    words += words.empty() ? "" : "; ";
    words += word + std::string(plan.task_name(d.task)) + " " + std::string(plan.node_name(d.node));
  }
  return words;
}

class PluginsProfile : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpu, NodeSpec node = {}) {
    node.name = name;
    node.capacity = {{"cpu", cpu}, {"memory", "8Gi"}, {"pods", 10}};
    Accept(cluster_.AddNode(node));
  }
  void Pod(const std::string& name, const char* cpu, TaskSpec task = {}) {
    task.name = name;
    task.shape.request = {{"cpu", cpu}, {"memory", "1Gi"}};
    if (!task.node.empty()) task.status = TaskStatus::kRunning;
    Accept(cluster_.AddTask(task));
  }
  void Group(const std::string& name, int64_t least, JobSpec job = {}) {
    job.name = name;
    job.min_available = least;
    Accept(cluster_.AddJob(job));
  }
  static std::string Spec(const std::string& options) {
    return options.empty() ? "scheduler-plugins" : "scheduler-plugins:schedule(" + options + ")";
  }
  std::string Plan(const std::string& options = "", int64_t now = 0) {
    const absl::StatusOr<muster::Plan> plan =
        Schedule(cluster_.Freeze(), Spec(options), {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? WordsOf(*plan) : "";
  }
  // One plan on the living cluster, which keeps its memory.
  std::string Live(int64_t now, const std::string& options = "") {
    const absl::StatusOr<muster::Plan> plan = cluster_.Schedule(Spec(options), {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan);
    EXPECT_TRUE(report.ok() && report->refused.empty());
    return WordsOf(*plan);
  }
  std::string Why(const std::string& task, const std::string& options = "") {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), Spec(options));
    EXPECT_TRUE(plan.ok()) << plan.status();
    for (const PendingTask& pending : plan->pending()) {
      if (plan->task_name(pending.task) == task) return plan->reasons()[pending.reason].where;
    }
    return "not pending";
  }

  Cluster cluster_;
};

// --- coscheduling

TEST_F(PluginsProfile, AGroupIsBoundOnceEnoughPodsHaveNodes) {
  Node("a", 2);
  Node("b", 2);
  Group("g", 2);
  Pod("g0", "2", {.job = "g"});
  Pod("g1", "2", {.job = "g"});
  EXPECT_EQ(Plan(), "bind g1 b; bind g0 a");
}

TEST_F(PluginsProfile, AGroupWithTooManyGatedPodsIsNotTried) {
  Node("a", 4);
  Group("team/g", 3, {.created = 5});
  Pod("team/g0", "1", {.job = "team/g"});
  Pod("team/g1", "1", {.job = "team/g"});
  Pod("team/g2", "1", {.job = "team/g", .gates = {"later"}});
  EXPECT_THAT(Why("team/g0"), HasSubstr("pre-filter pod g0 cannot proceed due to gated pods"));
  EXPECT_EQ(Plan(), "");
}

// Four of ten pods find no node: more than the tolerated part.
TEST_F(PluginsProfile, WhatWaitsIsRejectedWithAPodThatFindsNoNode) {
  Node("a", 2);
  Group("g", 3);
  for (const char* pod : {"g0", "g1", "g2"}) Pod(pod, "1", {.job = "g"});
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Why("g2"),
            "0/1 nodes are available: 1 Insufficient cpu. 0/1 nodes are available: 1 No victims "
            "found on node a for preemptor pod g2., PodGroup default/g gets rejected due to Pod g2 "
            "is unschedulable even after PostFilter");
  EXPECT_THAT(Why("g2", "capacity=off"),
              HasSubstr(". preemption: 0/1 nodes are available: 1 No preemption victims found for "
                        "incoming pod., PodGroup default/g gets rejected"));
  EXPECT_EQ(Why("g0"), "0/1 nodes are available: 1 optimistic rejection in PostFilter.");
  EXPECT_EQ(Plan("reject_percent=40"), "reserve g0 a; reserve g1 a");
}

TEST_F(PluginsProfile, WaitingPodsOfEarlierPlansAreBoundWithTheLastOne) {
  Node("a", 2);
  Group("g", 3);
  for (const char* pod : {"g0", "g1", "g2"}) Pod(pod, "1", {.job = "g"});
  EXPECT_EQ(Live(0, "reject_percent=40"), "reserve g0 a; reserve g1 a");
  EXPECT_EQ(Live(1, "reject_percent=40"), "");
  Node("b", 2);
  EXPECT_EQ(Live(30, "reject_percent=40"), "bind g2 b; bind g0 a; bind g1 a");
  EXPECT_EQ(Live(31, "reject_percent=40"), "");
}

TEST_F(PluginsProfile, WhatWaitsTooLongLosesItsNode) {
  Node("a", 2);
  Group("g", 3);
  for (const char* pod : {"g0", "g1", "g2"}) Pod(pod, "1", {.job = "g"});
  const std::string options = "reject_percent=40,permit_timeout=10";
  EXPECT_EQ(Live(0, options), "reserve g0 a; reserve g1 a");
  EXPECT_EQ(Live(9, options), "");
  EXPECT_EQ(Live(10, options), "evict g0 a; evict g1 a");
  EXPECT_EQ(Live(11, options), "");
  for (const char* pod : {"g0", "g1"}) {
    Accept(cluster_.SetTaskStatus(pod, TaskStatus::kPending));
  }
  Node("b", 2);
  EXPECT_THAT(Live(60, options), HasSubstr("bind g2"));
}

TEST_F(PluginsProfile, GroupsGoByTheirAge) {
  Node("a", 2);
  Group("late", 1, {.created = 9});
  Group("early", 1, {.created = 3});
  Pod("x", "2", {.job = "late"});
  Pod("y", "2", {.job = "early"});
  EXPECT_EQ(Plan(), "bind y a");
  EXPECT_EQ(Plan("order=time"), "bind x a");
}

TEST_F(PluginsProfile, AGroupThatFailedGoesBehindNewerOnes) {
  Node("a", 1);
  Group("big", 1, {.created = 1});
  Group("small", 1, {.created = 50});
  Pod("big0", "1", {.job = "big"});
  Pod("blocker", "1", {.node = "a"});
  EXPECT_EQ(Live(60), "");
  Pod("small0", "1", {.job = "small"});
  Accept(cluster_.RemoveTask("blocker"));
  EXPECT_EQ(Live(100), "bind small0 a");
}

TEST_F(PluginsProfile, AGroupIsNotTriedWithoutRoomForItsLeastAmounts) {
  Node("a", 4);
  Group("g", 2, {.min_resources = Resources{{"cpu", 5}}});
  Pod("g0", "1", {.job = "g"});
  Pod("g1", "1", {.job = "g"});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("g0"),
              HasSubstr("0/1 nodes are available: resource gap: map[cpu:{{1000 -3} {<nil>}  "
                        "DecimalSI}]. 0/1 nodes are available: 1 Preemption is not helpful for "
                        "scheduling., PodGroup default/g gets rejected"));
}

TEST_F(PluginsProfile, APodWhoseGroupIsMissingIsRefused) {
  Node("a", 4);
  TaskSpec task;
  task.shape.labels = {{"scheduling.x-k8s.io/pod-group", "none"}};
  Pod("p", "1", task);
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Why("p"), "0/1 nodes are available: 1 PodGroup not found.");
  EXPECT_EQ(Plan("coscheduling=off"), "bind p a");
}

TEST_F(PluginsProfile, AFailedGroupBacksOff) {
  Node("a", 1);
  Group("g", 2);
  Pod("g0", "1", {.job = "g"});
  Pod("g1", "1", {.job = "g"});
  EXPECT_EQ(Live(0, "group_backoff=100"), "");
  Node("b", 1);
  EXPECT_EQ(Live(50, "group_backoff=100"), "");
  // Only pods and groups that come wake it, or the longest wait of 300 seconds.
  Node("c", 1);
  EXPECT_EQ(Live(150, "group_backoff=100"), "");
  EXPECT_THAT(Live(400, "group_backoff=100"), HasSubstr("bind g0"));
}

// --- capacity scheduling

// Two quotas of 4 and 2 cores, both up to 6.
class Quotas : public PluginsProfile {
 protected:
  void SetUp() override {
    const Resources most = {{"cpu", 6}, {"memory", "64Gi"}};
    Accept(cluster_.AddQueue({.name = "vision",
                              .guaranteed = Resources{{"cpu", 4}, {"memory", "64Gi"}},
                              .limit = most}));
    Accept(cluster_.AddQueue({.name = "speech",
                              .guaranteed = Resources{{"cpu", 2}, {"memory", "64Gi"}},
                              .limit = most}));
    Accept(cluster_.AddJob({.name = "v", .queue = "vision"}));
    Accept(cluster_.AddJob({.name = "s", .queue = "speech"}));
  }
};

TEST_F(Quotas, AQuotaBorrowsWhatOthersDoNotUse) {
  Node("a", 10);
  Pod("s0", "6", {.job = "s"});
  EXPECT_EQ(Plan(), "bind s0 a");
  Pod("v0", "1", {.job = "v", .priority = 1});
  EXPECT_EQ(Plan(), "bind v0 a");
  EXPECT_THAT(Why("s0"), HasSubstr("0/1 nodes are available: Pod default/s0 is rejected in "
                                   "PreFilter because total ElasticQuota used is more than min. "));
}

TEST_F(Quotas, NoQuotaGoesBeyondItsMaximum) {
  Node("a", 10);
  Pod("s0", "7", {.job = "s"});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("s0"), HasSubstr("Pod default/s0 is rejected in PreFilter because ElasticQuota "
                                   "speech is more than Max. "));
  EXPECT_EQ(Plan("capacity=off"), "bind s0 a");
}

// Vision is within its minimum, and speech above its own: priorities do not matter.
TEST_F(Quotas, ABorrowerGivesBackWhateverThePriorities) {
  Node("a", 6);
  Pod("s0", "2", {.job = "s", .node = "a", .priority = 100});
  Pod("s1", "2", {.job = "s", .node = "a", .priority = 90});
  Pod("s2", "2", {.job = "s", .node = "a", .priority = 80});
  Pod("v0", "2", {.job = "v"});
  EXPECT_EQ(Plan(), "evict s2 a; nominate v0 a");
  // As recorded: what victims use still counts for the sum.
  EXPECT_EQ(Plan("quotas_follow=off"), "");
  EXPECT_THAT(Why("v0", "quotas_follow=off"),
              HasSubstr(". 0/1 nodes are available: 1 global quota max exceeded."));
}

TEST_F(Quotas, AboveItsMinimumAQuotaEvictsItsOwnLessImportantPodsAlone) {
  Node("a", 6);
  Pod("s0", "2", {.job = "s", .node = "a", .priority = 1});
  Pod("v0", "4", {.job = "v", .node = "a"});
  Pod("s1", "2", {.job = "s", .priority = 9});
  EXPECT_EQ(Plan(), "evict s0 a; nominate s1 a");
}

TEST_F(Quotas, PodsOutsideOfQuotasPreemptOneAnotherAlone) {
  Node("a", 4);
  Pod("v0", "2", {.job = "v", .node = "a"});
  Pod("low", "2", {.node = "a"});
  Pod("high", "2", {.priority = 5});
  EXPECT_EQ(Plan(), "evict low a; nominate high a");
  Pod("higher", "4", {.priority = 7});
  EXPECT_THAT(Why("higher"), HasSubstr("Insufficient cpu"));
}

TEST_F(Quotas, APodWithoutAJobBelongsToTheQuotaOfItsNamespace) {
  Node("a", 10);
  TaskSpec task;
  task.shape.name_space = "speech";
  Pod("speech/p", "7", task);
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("speech/p"), HasSubstr("Pod speech/p is rejected in PreFilter because "
                                         "ElasticQuota speech is more than Max"));
}

TEST_F(Quotas, NothingIsTriedWhileVictimsLeave) {
  Node("a", 6);
  for (const char* pod : {"s0", "s1", "s2"}) Pod(pod, "2", {.job = "s", .node = "a"});
  Pod("v0", "2", {.job = "v"});
  EXPECT_THAT(Live(0), HasSubstr("nominate v0 a"));
  EXPECT_EQ(Live(400), "");
}

// --- preemption toleration

TEST_F(PluginsProfile, AClassMayBeSparedForAWhile) {
  Node("a", 2);
  Pod("low", "2", {.node = "a", .priority_class = "batch", .started = 0});
  Pod("high", "2", {.priority = 50});
  const std::string options = "capacity=off,minimum.batch=100,toleration.batch=60";
  EXPECT_EQ(Plan(options, 30), "");
  EXPECT_EQ(Plan(options, 60), "evict low a; nominate high a");
  EXPECT_EQ(Plan("capacity=off,minimum.batch=50,toleration.batch=60", 30),
            "evict low a; nominate high a");
  EXPECT_EQ(Plan("capacity=off,minimum.batch=100,toleration.batch=-1", 9999), "");
  EXPECT_THAT(Why("high", options), HasSubstr("No victims found on node a for preemptor pod high"));
  const absl::StatusOr<muster::Plan> both =
      Schedule(cluster_.Freeze(), Spec("minimum.batch=100"), {});
  EXPECT_THAT(both.status().message(), HasSubstr("capacity=on has preemption of its own"));
}

// Where these plug-ins preempt, any less important pod that is terminating blocks the preemptor;
// where default preemption does, only one that a preemption evicted.
TEST_F(PluginsProfile, ATerminatingPodBlocksAPreemptorByPlugin) {
  Node("a", 1);
  Node("b", 1);
  TaskSpec leaving{.name = "v", .status = TaskStatus::kReleasing, .node = "a", .priority = 5};
  leaving.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
  Accept(cluster_.AddTask(leaving));
  Pod("w", "1", {.node = "b"});
  Pod("p", "1", {.nominated_node = "a", .priority = 10});
  EXPECT_EQ(Plan("capacity=off"), "evict w b; nominate p b");
  const std::string why = "not eligible due to a terminating pod on the nominated node.";
  for (const char* options : {"capacity=on", "capacity=off,minimum.batch=100"}) {
    EXPECT_EQ(Plan(options), "") << options;
    EXPECT_THAT(Why("p", options), HasSubstr(why));
  }
}

// --- what nodes set

// Of equal loads the steadier node is the better one.
TEST_F(PluginsProfile, ADeviationIsARisk) {
  const NodeUsage usage{.cpu = 40, .memory = 40};
  Node("a", 4, {.usage = usage, .settings = {{"scheduler-plugins/cpu_deviation", "36"}}});
  Node("b", 4, {.usage = usage});
  Pod("p", "1");
  const std::string options = "load_variation_weight=100";
  EXPECT_EQ(Plan(options), "bind p b");
  Accept(cluster_.UpdateNode({.name = "b",
                              .capacity = {{"cpu", 4}, {"memory", "8Gi"}, {"pods", 10}},
                              .usage = usage,
                              .settings = {{"scheduler-plugins/memory_deviation", "90"}}}));
  EXPECT_EQ(Plan(options), "bind p a");
}

// Of equal loads the node of less growth in power is the better one. It has none without a model.
TEST_F(PluginsProfile, TheNodeThatNeedsLessPowerMoreIsBetter) {
  const NodeUsage usage{.cpu = 40, .memory = 40};
  const auto node = [&](const char* k1) {
    return NodeSpec{
        .usage = usage,
        .settings = {{"scheduler-plugins/power_k1", k1}, {"scheduler-plugins/power_k2", "-0.07"}}};
  };
  Node("a", 4, node("-91.5"));
  Node("b", 4, node("-9.15"));
  Pod("p", "1");
  const std::string options = "power_weight=100";
  EXPECT_EQ(Plan(options), "bind p b");
  NodeSpec unknown{.name = "a", .usage = usage};
  unknown.capacity = {{"cpu", 4}, {"memory", "8Gi"}, {"pods", 10}};
  Accept(cluster_.UpdateNode(unknown));
  EXPECT_EQ(Plan(options), "bind p a");
}

TEST_F(PluginsProfile, AMarkScoresNodes) {
  const auto node = [](const char* rank, const char* mark) {
    return NodeSpec{.labels = {{"example.com/rank", rank}},
                    .settings = {{"scheduler-plugins/mark", mark}}};
  };
  Node("none", 4);
  Node("a", 4, node("1", "30"));
  Node("b", 4, node("3.9", "20"));
  Node("c", 4, node("word", "10"));
  Pod("p", "1");
  const std::string label = "mark_weight=100,mark_label=example.com/rank";
  EXPECT_EQ(Plan(label), "bind p b");
  EXPECT_EQ(Plan(label + ",mark=lowest"), "bind p a");
  EXPECT_EQ(Plan("mark_weight=100"), "bind p a");
  EXPECT_EQ(Plan("mark_weight=100,mark=lowest"), "bind p c");
}

// One zone more costs 100 over the zones that the node could have.
TEST_F(PluginsProfile, ANodeHasItsOwnNumberOfZones) {
  const auto zoned = [](Labels settings) {
    NodeSpec node;
    node.zones = {{.name = "node-0", .capacity = {{"cpu", 4}, {"memory", "8Gi"}}}};
    node.alignment = Alignment::kSingleNumaNode;
    node.settings = std::move(settings);
    return node;
  };
  Node("a", 4, zoned({{"scheduler-plugins/most_zones", "2"}}));
  Node("b", 4, zoned({}));
  TaskSpec pod;
  pod.shape.guaranteed_qos = true;
  Pod("p", "1", pod);
  const std::string options = "zone_strategy=fewest,zone_weight=100";
  EXPECT_EQ(Plan(options), "bind p b");
  Node("c", 4, zoned({{"scheduler-plugins/most_zones", "20"}}));
  EXPECT_EQ(Plan(options), "bind p c");
}

// The first container gets the zone of the smallest number, wherever the report lists it.
TEST_F(PluginsProfile, ZonesHaveTheNumbersOfTheirNames) {
  NodeSpec node;
  node.zones = {{.name = "node-7", .capacity = {{"cpu", 3}, {"memory", "4Gi"}}},
                {.name = "node-2", .capacity = {{"cpu", 1}, {"memory", "4Gi"}}}};
  node.alignment = Alignment::kSingleNumaNode;
  node.alignment_scope = AlignmentScope::kContainer;
  Node("a", 4, node);
  TaskSpec pod;
  pod.shape.guaranteed_qos = true;
  pod.shape.containers = {{.request = {{"cpu", 1}, {"memory", "512Mi"}}},
                          {.request = {{"cpu", 3}, {"memory", "512Mi"}}}};
  Pod("p", "4", pod);
  EXPECT_EQ(Plan(), "bind p a");
  std::swap(node.zones[0].name, node.zones[1].name);
  node.name = "a";
  node.capacity = {{"cpu", 4}, {"memory", "8Gi"}, {"pods", 10}};
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(Plan(), "");
}

TEST_F(PluginsProfile, RefusesSettingsOfNodesThatMeanNothing) {
  const auto error = [&](const char* key, const char* value) {
    Cluster cluster;
    Accept(cluster.AddNode({.name = "a", .settings = {{key, value}}}));
    return std::string(Schedule(cluster.Freeze(), "scheduler-plugins").status().message());
  };
  EXPECT_EQ(
      error("scheduler-plugins/most_zones", "1"),
      "node \"a\", setting \"scheduler-plugins/most_zones\": is \"1\"; must be a whole number "
      "from 2 to 1024");
  EXPECT_THAT(error("scheduler-plugins/cpu_deviation", "-1"), HasSubstr("cpu_deviation"));
  EXPECT_THAT(error("scheduler-plugins/most_zone", "4"), HasSubstr("did you mean \"most_zones\""));
  EXPECT_EQ(error("scheduler-plugins/mark", "high"),
            "node \"a\", setting \"scheduler-plugins/mark\": is \"high\"; must be a number of 64 "
            "bits");
  EXPECT_THAT(error("scheduler-plugins/power_k1", "x"), HasSubstr("power_k1"));
}

// --- the order by service

TEST_F(PluginsProfile, GuaranteedPodsGoFirst) {
  Node("a", 2);
  Pod("burstable", "2");
  TaskSpec task;
  task.shape.guaranteed_qos = true;
  Pod("guaranteed", "2", task);
  EXPECT_EQ(Plan("order=service"), "bind guaranteed a");
  EXPECT_EQ(Plan("order=time"), "bind burstable a");
}

// --- nodes

TEST_F(PluginsProfile, SmallNodesAreBestByAllocatable) {
  Node("small", 2);
  Node("large", 8);
  Pod("p", "1");
  EXPECT_EQ(Plan(), "bind p large");
  EXPECT_EQ(Plan("allocatable_weight=10"), "bind p small");
  EXPECT_EQ(Plan("allocatable_weight=10,allocatable=most"), "bind p large");
}

TEST_F(PluginsProfile, NodesThatPodsLeaveAreBestByPodState) {
  Node("a", 8);
  Node("b", 4);
  Accept(cluster_.AddTask({.name = "q", .status = TaskStatus::kReleasing, .node = "b"}));
  Pod("p", "1");
  EXPECT_EQ(Plan(), "bind p a");
  EXPECT_EQ(Plan("pod_state_weight=10"), "bind p b");
}

NodeSpec Used(int percent) {
  NodeSpec node;
  node.usage = NodeUsage{.cpu = percent, .memory = percent, .measured = 0};
  return node;
}

// With 1500m on top of 20, 0 and 80 percent of 8 cores: 38.75, 18.75 and 98.75.
TEST_F(PluginsProfile, MeasuredLoadDecidesByTrimaran) {
  Node("middle", 8, Used(20));
  Node("idle", 8, Used(0));
  Node("busy", 8, Used(80));
  Pod("p", "1");
  EXPECT_EQ(Plan("target_load_weight=100,fit_weight=0,balanced_weight=0"), "bind p middle");
  EXPECT_EQ(Plan("load_variation_weight=100,fit_weight=0,balanced_weight=0"), "bind p idle");
  // What is measured counts as a risk where pods may use what others requested.
  for (const char* node : {"middle", "idle", "busy"}) {
    Pod(std::string("q-") + node, "1", {.node = node});
  }
  EXPECT_EQ(Plan("low_risk_weight=100,fit_weight=0,balanced_weight=0"), "bind p idle");
}

TEST_F(PluginsProfile, NodesAlignPodsWithZones) {
  NodeSpec aligned;
  aligned.alignment = Alignment::kSingleNumaNode;
  aligned.zones = {{.name = "node-0", .capacity = {{"cpu", 2}, {"memory", "4Gi"}}},
                   {.name = "node-1", .capacity = {{"cpu", 2}, {"memory", "4Gi"}}}};
  Node("a", 4, aligned);
  TaskSpec task;
  task.shape.guaranteed_qos = true;
  Pod("p", "3", task);
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("p"), HasSubstr("0/1 nodes are available: 1 cannot align container. "));
  EXPECT_EQ(Plan("zones=off"), "bind p a");
  Accept(cluster_.RemoveTask("p"));
  Pod("q", "2", task);
  Pod("r", "2", task);
  // It is unknown which zone q takes: r finds none that is free for sure.
  EXPECT_EQ(Plan(), "bind q a");
}

TEST_F(PluginsProfile, WrongArgumentsAreRefused) {
  const auto refusal = [&](const std::string& options) {
    return std::string(Schedule(cluster_.Freeze(), Spec(options), {}).status().message());
  };
  EXPECT_THAT(refusal("allocatable_resources=cpu:0"),
              HasSubstr("resource weight of cpu should be a positive value, got :0"));
  EXPECT_THAT(refusal("zone_resources=cpu:x"), HasSubstr("a weight must be 1 or more"));
}

// --- the network of applications

constexpr char kNetwork[] =
    "network_weight=100,dependencies=shop:web:db:10,zone_costs=z2:z1:5+z3:z1:2+z4:z1:50";

NodeSpec InZone(const char* name) {
  NodeSpec node;
  node.labels = {{"topology.kubernetes.io/region", "west"}, {"topology.kubernetes.io/zone", name}};
  return node;
}

TaskSpec OfShop(const char* workload, const char* node = "") {
  TaskSpec task;
  task.node = node;
  task.shape.labels = {{"appgroup.diktyo.x-k8s.io", "shop"},
                       {"appgroup.diktyo.x-k8s.io.workload", workload}};
  return task;
}

TEST_F(PluginsProfile, PodsGoNearToWhatTheyDependOn) {
  Node("n1", 1, InZone("z1"));
  Node("n2", 8, InZone("z2"));
  Node("n3", 8, InZone("z3"));
  Pod("db", "1", OfShop("db", "n1"));
  Pod("web", "1", OfShop("web"));
  EXPECT_EQ(Plan(kNetwork), "bind web n3");
}

// A cost that is not tolerated. What depends on nothing does not mind.
TEST_F(PluginsProfile, PodsDoNotGoTooFar) {
  Node("n1", 1, InZone("z1"));
  Node("n4", 8, InZone("z4"));
  Pod("db", "1", OfShop("db", "n1"));
  Pod("web", "1", OfShop("web"));
  Pod("api", "1", OfShop("api"));
  EXPECT_EQ(Plan(kNetwork), "bind api n4");
  EXPECT_THAT(Why("web", kNetwork), HasSubstr("1 Node n4 does not meet several network "
                                              "requirements from Workload dependencies: Satisfied: "
                                              "0 Violated: 1"));
  EXPECT_EQ(Plan("network_weight=0,dependencies=shop:web:db:10"), "bind api n4; bind web n4");
}

// A pod that a plan binds counts for the next one.
TEST_F(PluginsProfile, PodsOfOnePlanAreKnownToOneAnother) {
  Node("n1", 1, InZone("z1"));
  Node("n2", 1, InZone("z2"));
  Node("n4", 8, InZone("z4"));
  Pod("db", "1", OfShop("db", "n1"));
  TaskSpec first = OfShop("web");
  first.priority = 2;
  Pod("web", "1", first);
  Pod("front", "1", OfShop("front"));
  const std::string options =
      absl::StrCat("network_weight=1,dependencies=shop:web:db:10+shop:front:web:10,",
                   "zone_costs=z2:z1:5+z4:z1:50+z4:z2:50");
  EXPECT_EQ(Plan(options), "bind web n2");
}

TEST_F(PluginsProfile, TextsOfTheNetworkAreChecked) {
  const auto refusal = [&](const std::string& options) {
    const auto plan = Schedule(cluster_.Freeze(), Spec(options), {});
    return std::string(plan.status().message());
  };
  EXPECT_THAT(refusal("dependencies=shop:web:db"),
              HasSubstr("dependencies: \"shop:web:db\" is not 3 names and a cost of 0 to"));
  EXPECT_THAT(refusal("zone_costs=a:b:-1"), HasSubstr("zone_costs: \"a:b:-1\" is not 2 names"));
  EXPECT_THAT(refusal("region_costs=a::1"), HasSubstr("region_costs: \"a::1\" is not 2 names"));
}

}  // namespace
}  // namespace muster::testing
