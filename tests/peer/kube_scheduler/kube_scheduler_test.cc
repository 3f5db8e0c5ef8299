// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kube-scheduler, one small cluster a rule. Decisions in words: "bind p n".
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/plan/memory_json.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class KubeScheduler : public ::testing::Test {
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
  std::string Plan(const std::string& options = "") {
    return Decide(cluster_,
                  options.empty() ? "kube-scheduler" : "kube-scheduler:schedule(" + options + ")");
  }
  // One plan on the living cluster, which keeps its memory.
  std::string Live(int64_t now, const std::string& options = "") {
    const std::string profile =
        options.empty() ? "kube-scheduler" : "kube-scheduler:schedule(" + options + ")";
    const absl::StatusOr<muster::Plan> plan = cluster_.Schedule(profile, {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    std::string words;
    for (const Bind& bind : plan->binds()) {
      words += std::string(plan->task_name(bind.task)) + " " +
               std::string(plan->node_name(bind.node)) + ";";
    }
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return words;
  }
  std::string Why(const std::string& task) {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), "kube-scheduler");
    EXPECT_TRUE(plan.ok()) << plan.status();
    for (const PendingTask& pending : plan->pending()) {
      if (plan->task_name(pending.task) == task) return plan->reasons()[pending.reason].where;
    }
    return "not pending";
  }

  Cluster cluster_;
};

TEST_F(KubeScheduler, BindsPodsWithoutAJobToTheEmptiestNode) {
  Node("a", 4);
  Node("b", 8);
  Pod("p", "1");
  EXPECT_EQ(Plan(), "bind p b");
  EXPECT_EQ(Plan("strategy=most"), "bind p a");
}

TEST_F(KubeScheduler, TheMoreImportantPodGoesFirst) {
  Node("a", 1);
  Pod("low", "1");
  Pod("high", "1", {.priority = 5});
  EXPECT_EQ(Plan(), "bind high a");
}

// A cycle of the scheduler is a unit of work. In one plan, time stands still.
TEST_F(KubeScheduler, WhatFailsWithoutABackoffIsTriedOnceAPlan) {
  Accept(cluster_.AddJob({.name = "g", .min_available = 2, .pod_group = PodGroupTraits{}}));
  Pod("p", "1");
  for (const char* name : {"g0", "g1"}) Pod(name, "1", {.job = "g"});
  for (const char* options : {"longest_backoff=0", "longest_backoff=0,groups=off"}) {
    for (const bool has_node : {false, true}) {
      Cluster cluster = cluster_.Clone();
      if (has_node) Accept(cluster.AddNode({.name = "full", .capacity = {{"cpu", 0}}}));
      for (int64_t now : {int64_t{0}, int64_t{0}, int64_t{1}, 1 - (int64_t{1} << 62)}) {
        const absl::StatusOr<muster::Plan> plan =
            cluster.Schedule("kube-scheduler:schedule(" + std::string(options) + ")",
                             {.now = now, .work_budget = 20});
        ASSERT_TRUE(plan.ok()) << plan.status();
        EXPECT_TRUE(plan->complete()) << options << " at " << now;
        EXPECT_EQ(plan->pending().size(), 3u);
        Accept(cluster.Apply(*plan).status());
      }
    }
  }
}

// Sums 1, 1, 5, 5: the heap has the fourth at its root.
TEST_F(KubeScheduler, TheWinnerOfATieIsTheRootOfAHeap) {
  Node("a", 4);
  Node("b", 4);
  Node("c", 8);
  Node("d", 8);
  Pod("p", "1");
  EXPECT_EQ(Plan(), "bind p d");
}

// Another rule takes the place of the heap. Which node a seed chooses is the same in every cycle.
TEST_F(KubeScheduler, OfTheBestNodesARuleChooses) {
  for (const char* name : {"d", "c", "b", "a", "e", "f"}) Node(name, 4);
  Node("full", 1);
  Pod("p", "1");
  const auto place = [&](const std::string& rule, uint64_t seed, bool trace) {
    const std::string profile =
        "kube-scheduler:node_ties=" + rule + (trace ? ",schedule(trace=on)" : "");
    const absl::StatusOr<muster::Plan> fresh = Schedule(cluster_.Freeze(), profile, {.seed = seed});
    Cluster clone = cluster_.Clone();
    const absl::StatusOr<muster::Plan> living = clone.Schedule(profile, {.seed = seed});
    EXPECT_TRUE(fresh.ok() && living.ok()) << fresh.status();
    if (!fresh.ok() || !living.ok() || fresh->binds().empty()) return std::string();
    EXPECT_EQ(fresh->Digest(), living->Digest());
    return std::string(fresh->node_name(fresh->binds()[0].node));
  };
  EXPECT_EQ(place("insertion", 0, false), "d");
  EXPECT_EQ(place("name", 0, false), "a");
  std::set<std::string> chosen;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string node = place("seed", seed, false);
    EXPECT_EQ(node, place("seed", seed, true));
    EXPECT_NE(node, "full");
    chosen.insert(node);
  }
  EXPECT_GT(chosen.size(), 3u);
  Pod("q", "1");
  EXPECT_EQ(Decide(cluster_, "kube-scheduler:node_ties=least-recent"), "bind p d; bind q c");
}

TEST_F(KubeScheduler, SaysWhyInThePeersWords) {
  NodeSpec tainted;
  tainted.taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  Node("a", 4, tainted);
  Node("b", 1);
  Node("c", 2);
  Pod("q", "2", {.node = "c"});
  Pod("p", "2");
  EXPECT_EQ(Why("p"),
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. "
            "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, "
            "2 Preemption is not helpful for scheduling.");
}

// The peer's words leave out which taints and labels: the library's own name them.
TEST_F(KubeScheduler, NamesTaintsAndLabels) {
  NodeSpec tainted, labeled;
  tainted.taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  labeled.labels = {{"zone", "a"}, {"disk", "hdd"}};
  Node("t0", 4, tainted);
  Node("t1", 4, tainted);
  Node("b", 4);
  Node("l", 4, labeled);
  TaskSpec task{.name = "p"};
  task.shape.request = {{"cpu", 1}};
  task.shape.node_selector = {{"zone", "a"}};
  task.shape.required_node_affinity.emplace(
      1, NodeTerm{.match_expressions = {{"disk", RequirementOp::kIn, {"ssd", "nvme"}}}});
  ASSERT_TRUE(cluster_.AddTask(task).ok());
  const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), "kube-scheduler");
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string text = *plan->Explain("p");
  EXPECT_THAT(text, HasSubstr("2 nodes: taint gpu=only; "));
  EXPECT_THAT(text, HasSubstr("1 node: node selector or affinity disk in (ssd, nvme); "));
  EXPECT_THAT(text, HasSubstr("1 node: node selector or affinity zone=a"));
}

TEST_F(KubeScheduler, EvictsTheLeastImportantPodsThatMakeRoom) {
  Node("a", 4);
  Pod("low", "2", {.node = "a", .priority = 1});
  Pod("mid", "2", {.node = "a", .priority = 2});
  Pod("high", "2", {.priority = 3});
  EXPECT_EQ(Plan(), "evict low a; nominate high a");
}

// A plug-in that is off refuses no node, and its hints wake no pod.
TEST_F(KubeScheduler, PluginsThatAreOffRefuseNoNode) {
  NodeSpec odd;
  odd.unschedulable = true;
  odd.taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  Node("a", 2, odd);
  TaskSpec task;
  task.shape.node_selector = {{"disk", "ssd"}};
  task.shape.required_anti_affinity = {
      {.topology_key = "host", .selector = Selector{.match_labels = {{"app", "db"}}}}};
  task.shape.spread = {{.topology_key = "zone", .selector = Selector{}}};
  task.shape.host_ports = {{.port = 80}};
  task.shape.labels = {{"app", "db"}};
  TaskSpec old = task;
  old.node = "a";
  Pod("old", "2", old);
  Pod("p", "2", task);
  const std::string all =
      "NodeUnschedulable+TaintToleration+NodeAffinity+NodePorts+NodeResourcesFit+PodTopologySpread";
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Plan("off=" + all), "bind p a");
  EXPECT_EQ(Plan("trace=on,off=" + all), "bind p a");
  EXPECT_EQ(Live(1, "off=" + all), "p a;");
  // Each of them alone is a reason.
  for (const char* name : {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
                           "NodeResourcesFit", "PodTopologySpread"}) {
    std::string others = all;
    const size_t at = others.find(name);
    others.erase(at, std::string(name).size() + (at + std::string(name).size() < others.size()));
    if (others.ends_with('+')) others.pop_back();
    Cluster fresh = cluster_.Clone();
    Accept(fresh.RemoveTask("p"));
    task.name = "q";
    task.shape.request = {{"cpu", 2}, {"memory", "1Gi"}};
    Accept(fresh.AddTask(task));
    EXPECT_EQ(Decide(fresh, "kube-scheduler:schedule(off=" + others + ")"), "") << name;
    EXPECT_EQ(Decide(fresh, "kube-scheduler:schedule(trace=on,off=" + others + ")"), "") << name;
  }
}

TEST_F(KubeScheduler, PodsThatRepelOneAnotherShareANodeWhereThatIsOff) {
  Node("a", 4, {.labels = {{"host", "a"}}});
  TaskSpec task;
  task.shape.labels = {{"app", "db"}};
  task.shape.required_anti_affinity = {
      {.topology_key = "host", .selector = Selector{.match_labels = {{"app", "db"}}}}};
  Pod("p", "1", task);
  Pod("q", "1", task);
  EXPECT_EQ(Plan(), "bind p a");
  EXPECT_EQ(Plan("off=InterPodAffinity"), "bind p a; bind q a");
}

TEST_F(KubeScheduler, WithoutDefaultPreemptionNothingIsEvicted) {
  Node("a", 2);
  Pod("old", "2", {.node = "a"});
  Pod("p", "2", {.priority = 5});
  Accept(cluster_.AddJob(
      {.name = "g", .priority = 7, .min_available = 1, .pod_group = PodGroupTraits{}}));
  Pod("g0", "2", {.job = "g", .priority = 7});
  EXPECT_THAT(Plan(), HasSubstr("evict old"));
  EXPECT_EQ(Plan("off=DefaultPreemption"), "");
  const absl::StatusOr<muster::Plan> plan =
      Schedule(cluster_.Freeze(), "kube-scheduler:schedule(off=DefaultPreemption)");
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const Reason& reason : plan->reasons()) {
    EXPECT_EQ(reason.where, "0/1 nodes are available: 1 Insufficient cpu.");
  }
}

TEST_F(KubeScheduler, RefusesOptionsThatMeanNothing) {
  const auto error = [&](const std::string& options) {
    return std::string(
        Schedule(cluster_.Freeze(), "kube-scheduler:schedule(" + options + ")").status().message());
  };
  EXPECT_EQ(error("off=NodeResourceFit"),
            "action schedule: off: \"NodeResourceFit\" is none of NodeUnschedulable, "
            "TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit, PodTopologySpread, "
            "InterPodAffinity, GangScheduling, DefaultPreemption");
  const std::string without_groups = error("groups=off,off=GangScheduling");
  EXPECT_THAT(without_groups, HasSubstr("off: \"GangScheduling\" is none of"));
  EXPECT_THAT(without_groups, HasSubstr("InterPodAffinity, DefaultPreemption"));
  EXPECT_EQ(error("resources=cpu:0"),
            "action schedule: resources: \"cpu\" must be a name with a weight of 1 to 100");
  EXPECT_EQ(error("strategy=ratio"),
            "action schedule: shape: strategy ratio needs at least one point");
}

TEST_F(KubeScheduler, PolicyNeverEvictsNothing) {
  Node("a", 2);
  Pod("low", "2", {.node = "a"});
  Pod("high", "2", {.priority = 3, .never_preempts = true});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("high"), HasSubstr("preemption: not eligible due to preemptionPolicy=Never."));
}

// Only a pod that a preemption evicted blocks the preemptor on its node.
TEST_F(KubeScheduler, AVictimThatIsTerminatingBlocksItsPreemptor) {
  Node("a", 1);
  Node("b", 1);
  TaskSpec leaving{.name = "v", .status = TaskStatus::kReleasing, .node = "a", .priority = 5};
  leaving.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
  Accept(cluster_.AddTask(leaving));
  Pod("w", "1", {.node = "b"});
  Pod("p", "1", {.nominated_node = "a", .priority = 10});
  EXPECT_EQ(Plan(), "evict w b; nominate p b");
  leaving.shape.labels = {{"kube-scheduler/preempted", "true"}};
  Accept(cluster_.UpdateTask(leaving));
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("p"), HasSubstr("not eligible due to a terminating pod on the nominated node."));
  leaving.priority = 10;
  Accept(cluster_.UpdateTask(leaving));
  EXPECT_EQ(Plan(), "evict w b; nominate p b");
}

TEST_F(KubeScheduler, AVictimThatIsTerminatingBlocksItsGroup) {
  Node("a", 1);
  Node("b", 1);
  Accept(cluster_.AddJob(
      {.name = "g", .priority = 10, .min_available = 2, .pod_group = PodGroupTraits{}}));
  TaskSpec leaving{.name = "v", .status = TaskStatus::kReleasing, .node = "a", .priority = 5};
  leaving.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
  Accept(cluster_.AddTask(leaving));
  Pod("w", "1", {.node = "b"});
  Pod("g0", "1", {.job = "g", .nominated_node = "a", .priority = 10});
  Pod("g1", "1", {.job = "g", .priority = 10});
  EXPECT_EQ(Plan(), "evict w b; nominate g0 a; nominate g1 b");
  leaving.shape.labels = {{"kube-scheduler/preempted", "true"}};
  Accept(cluster_.UpdateTask(leaving));
  EXPECT_EQ(Plan(), "nominate g0 a");  // as before
}

// The memory has what a plan evicted, without a label.
TEST_F(KubeScheduler, OwnVictimsAreKnownUntilTheyAreGone) {
  Node("a", 1);
  Node("b", 2);
  Pod("v", "1", {.node = "a"});
  Pod("w", "1500m", {.node = "b", .priority = 5});
  Pod("x", "100m", {.node = "b", .priority = 5});
  Pod("p", "1", {.priority = 10});
  EXPECT_EQ(Plan(), "evict v a; nominate p a");
  Live(0);
  Accept(cluster_.RemoveTask("x"));  // which wakes p
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("p"), HasSubstr("not eligible due to a terminating pod on the nominated node."));
  Live(100);
  Accept(cluster_.RemoveTask("v"));
  Pod("v", "1", {.node = "a"});
  TaskSpec again{.name = "v", .status = TaskStatus::kReleasing, .node = "a", .priority = 7};
  again.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
  Accept(cluster_.UpdateTask(again));
  EXPECT_EQ(Plan(), "evict w b; nominate p b");
}

TEST_F(KubeScheduler, TheMarkOfAVictimIsNoLabelToBudgets) {
  Node("a", 1);
  Node("b", 1);
  TaskSpec leaving{.name = "v", .status = TaskStatus::kReleasing, .node = "a", .priority = 5};
  leaving.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
  leaving.shape.labels = {{"kube-scheduler/preempted", "true"}};
  Accept(cluster_.AddTask(leaving));
  TaskSpec kept{.node = "b"};
  kept.shape.labels = {{"app", "db"}};
  Pod("kept", "1", kept);
  Accept(cluster_.SetDisruptionBudget(
      {.name = "all", .selector = Selector{{}, {{"none", RequirementOp::kDoesNotExist, {}}}}}));
  Pod("p", "1", {.priority = 10});
  EXPECT_EQ(Plan(), "nominate p a");
}

TEST_F(KubeScheduler, ABudgetProtectsItsPods) {
  Node("a", 2);
  Node("b", 2);
  TaskSpec kept{.node = "a", .priority = 0};
  kept.shape.labels = {{"app", "db"}};
  Pod("kept", "2", kept);
  Pod("other", "2", {.node = "b", .priority = 1});
  Accept(cluster_.SetDisruptionBudget({.name = "db", .selector = Selector{{{"app", "db"}}, {}}}));
  Pod("high", "2", {.priority = 3});
  EXPECT_EQ(Plan(), "evict other b; nominate high b");
}

TEST_F(KubeScheduler, AGroupIsPlacedWholeOrNotAtAll) {
  Node("a", 3);
  JobSpec group{.name = "g", .min_available = 2};
  group.pod_group.emplace();
  Accept(cluster_.AddJob(group));
  Pod("g0", "2", {.job = "g"});
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Why("g0"), "waiting for minCount pods from a gang to appear in scheduling queue");
  Pod("g1", "2", {.job = "g"});
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("g0"), HasSubstr("minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"));
  Node("b", 3);
  EXPECT_EQ(Plan(), "bind g0 a; bind g1 b");
}

// A minimum holds a group back before it is tried, and undoes it afterwards.
TEST_F(KubeScheduler, WithoutGangSchedulingAGroupHasNoMinimum) {
  constexpr char kOff[] = "off=GangScheduling";
  Node("a", 4);
  Accept(cluster_.AddJob({.name = "g", .min_available = 4, .pod_group = PodGroupTraits{}}));
  Pod("g0", "2", {.job = "g"});
  Pod("g1", "2", {.job = "g"});
  TaskSpec gated{.job = "g", .gates = {"hold"}};
  Pod("g2", "2", gated);
  EXPECT_EQ(Plan(), "");
  const char* const lacks = "waiting for minCount pods from a gang to appear in scheduling queue";
  EXPECT_EQ(Why("g0"), lacks);
  EXPECT_EQ(Why("g1"), lacks);
  EXPECT_NE(Why("g2"), lacks) << "it has a gate of its own";
  Accept(cluster_.RemoveTask("g2"));
  Pod("g2", "2", {.job = "g"});
  EXPECT_EQ(Plan(kOff), "bind g0 a; bind g1 a");
  Pod("g3", "2", {.job = "g"});
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Plan(kOff), "bind g0 a; bind g1 a");
  EXPECT_EQ(Live(1, kOff), "g0 a;g1 a;");
  Node("b", 2);
  EXPECT_EQ(Live(60, kOff), "g2 b;");
}

TEST_F(KubeScheduler, AGroupWithoutNodesWaitsForOne) {
  JobSpec group{.name = "g", .min_available = 2};
  group.pod_group.emplace();
  Accept(cluster_.AddJob(group));
  Pod("g0", "2", {.job = "g"});
  Pod("g1", "2", {.job = "g"});
  EXPECT_EQ(Plan(), "");
  EXPECT_EQ(Why("g1"), "no nodes available to schedule pods");
  EXPECT_EQ(Live(1), "");
  Node("a", 4);
  EXPECT_EQ(Live(60), "g0 a;g1 a;");
}

// Gates are looked at once a pod. Cubic work would take hours.
TEST_F(KubeScheduler, AGroupOfManyPodsIsPlaced) {
  constexpr int kPods = 10'000;
  Accept(cluster_.AddNode({.name = "a", .capacity = {{"cpu", kPods}, {"pods", kPods}}}));
  JobSpec group{.name = "g", .min_available = kPods};
  group.groups = {{.name = "w", .count = kPods, .shape = {.request = {{"cpu", 1}}}}};
  group.pod_group.emplace();
  Accept(cluster_.AddJob(group));
  const absl::StatusOr<muster::Plan> plan = cluster_.Schedule("kube-scheduler", {.now = 1});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), kPods);
}

// A pod that comes to a group with open gates is looked at itself: one with a gate closes them.
TEST_F(KubeScheduler, AGroupWaitsForItsLastGate) {
  Node("a", 8);
  JobSpec group{.name = "g", .min_available = 2};
  group.pod_group.emplace();
  Accept(cluster_.AddJob(group));
  for (const char* pod : {"g0", "g1", "g2"}) Pod(pod, "1", {.job = "g"});
  Pod("g3", "1", {.job = "g", .gates = {"x"}});
  EXPECT_EQ(Live(1), "");
  TaskSpec free{.job = "g"};
  free.name = "g3";
  free.shape.request = {{"cpu", "1"}, {"memory", "1Gi"}};
  Accept(cluster_.UpdateTask(free));
  EXPECT_EQ(Live(2), "g0 a;g1 a;g2 a;g3 a;");
}

TEST_F(KubeScheduler, AGatedPodWaits) {
  Node("a", 4);
  Pod("p", "1", {.gates = {"x"}});
  EXPECT_EQ(Live(0), "");
  EXPECT_EQ(Live(1000), "");
  TaskSpec open{.name = "p"};
  open.shape.request = {{"cpu", 1}, {"memory", "1Gi"}};
  Accept(cluster_.UpdateTask(open));
  EXPECT_EQ(Live(1000), "p a;");
}

// A pod that is bound wakes it as little as time does; a node that fits it does.
TEST_F(KubeScheduler, AnUnschedulablePodWaitsForItsEvent) {
  Node("a", 1);
  Pod("p", "2");
  EXPECT_EQ(Live(0), "");
  Pod("small", "1");
  EXPECT_EQ(Live(1), "small a;");
  Node("b", 4);
  EXPECT_EQ(Live(2), "p b;");
}

// What the memory has of pods goes with them, their victims' names among it.
TEST_F(KubeScheduler, ALifeOfEverNewKindsKeepsASmallMemory) {
  Node("a", 1);
  const auto size = [&] {
    std::string text;
    AppendJson(cluster_.memory(), &text);
    return text.size();
  };
  size_t early = 0;
  for (int i = 1000; i < 1200; ++i) {
    TaskSpec task;
    task.shape.labels = {{"kind", std::to_string(i)}};
    task.node = "a";
    Pod("old" + std::to_string(i), "1", task);
    task.node.clear();
    task.priority = 9;
    Pod("new" + std::to_string(i), (std::to_string(900 + i % 100) + "m").c_str(), task);
    EXPECT_EQ(Plan(), absl::StrCat("evict old", i, " a; nominate new", i, " a"));
    Live(100 * i);
    Accept(cluster_.RemoveTask("old" + std::to_string(i)));
    EXPECT_EQ(Live(100 * i + 50), absl::StrCat("new", i, " a;"));
    Accept(cluster_.RemoveTask("new" + std::to_string(i)));
    if (i == 1020) early = size();
  }
  EXPECT_LE(size(), early + 64);
}

// The rows of nodes and pods that are gone are kept in the tables for a while, next to many others.
TEST_F(KubeScheduler, TheNodesThatAreLeftOfManyStay) {
  constexpr int kGone = 2100, kOthers = 3500;
  for (int i = 0; i < kOthers; ++i) Accept(cluster_.AddQueue({.name = "q" + std::to_string(i)}));
  for (int i = 0; i < kGone; ++i) {
    Node("n" + std::to_string(i), 1);
    Pod("gone" + std::to_string(i), "1");
  }
  Node("a", 4);
  Pod("p", "1");
  for (int i = 0; i < kGone; ++i) {
    Accept(cluster_.RemoveNode("n" + std::to_string(i)));
    Accept(cluster_.RemoveTask("gone" + std::to_string(i)));
  }
  EXPECT_EQ(Live(0), "p a;");
  Pod("q", "1");
  EXPECT_EQ(Live(1), "q a;");
}

// A bind that was not carried out is told once, however often it is decided.
TEST_F(KubeScheduler, PlansThatAreDecidedAgainHaveTheSameMemory) {
  Node("a", 4);
  Pod("p", "1");
  Pod("q", "1", {.priority = 5});
  ScheduleOptions options;
  std::string told;
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<muster::Plan> plan =
        Schedule(cluster_.Freeze(), "kube-scheduler", options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->binds().size(), 2u);
    told = std::string(plan->memory().Find("kube-cycle")->Text("told"));
    EXPECT_EQ(told, "1:p1:q") << i;
    options.memory = plan->memory();
  }
}

TEST_F(KubeScheduler, NoCyclesOnlyFollowTheEvents) {
  Node("a", 1);
  Pod("p", "1");
  EXPECT_EQ(Live(0, "cycles=0"), "");
  EXPECT_EQ(Live(0), "p a;");
}

}  // namespace
}  // namespace muster::testing
