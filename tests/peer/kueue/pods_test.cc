// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where the pods of admitted jobs go: labels and tolerations of flavors, under allocate and under
// kube-scheduler's rules.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/kueue/places_fixture.h"
#include "tests/peer/kueue/profile_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kAllocate[] = "kueue:+allocate";
constexpr char kSchedule[] = "kueue:+schedule";

class KueuePods : public KueueProfile {
 protected:
  void SetUp() override {
    KueueProfile::SetUp();
    FlavorSpec flavor{.name = "spot", .node_labels = {{"pool", "spot"}}};
    flavor.tolerations = {{.key = "spot", .op = TolerationOp::kExists}};
    Accept(cluster_.SetFlavor(flavor));
  }
  void AddNode(const std::string& name, int cpu, const Labels& labels = {}, bool tainted = false) {
    NodeSpec node{.name = name, .capacity = {{"cpu", cpu}, {"pods", 10}}, .labels = labels};
    if (tainted) node.taints = {{.key = "spot", .effect = TaintEffect::kNoSchedule}};
    Accept(cluster_.AddNode(node));
  }
  void SpotNode(const std::string& name, int cpu, bool tainted = false) {
    AddNode(name, cpu, {{"pool", "spot"}}, tainted);
  }
  std::string Words(const std::string& profile, const std::string& name) {
    return *cluster_.Schedule(profile)->Explain(name);
  }
};

TEST_F(KueuePods, AllocateKeepsTasksToNodesOfTheirFlavor) {
  Queue("a", 3);
  AddNode("plain", 9);
  Job("j", "a", 2);
  EXPECT_EQ(Decide(cluster_, kAllocate), "admit j");
  EXPECT_THAT(Words(kAllocate, "j0"), HasSubstr("no node has the labels of flavor spot"));
  SpotNode("n", 1);
  Job("small", "a", 1);
  EXPECT_EQ(Live(kAllocate), "admit j; admit small; bind small0 n");
  EXPECT_THAT(Words(kAllocate, "j0"), HasSubstr("no room on nodes of flavor spot"));
  SpotNode("m", 2);
  EXPECT_EQ(Live(kAllocate), "bind j0 m; bind j1 m");
}

TEST_F(KueuePods, KubeSchedulerPlacesPodsOfAdmittedJobsAlone) {
  Queue("a", 2);
  SpotNode("n", 9);
  Job("j", "a", 2);
  Job("next", "a", 1);
  Accept(cluster_.AddTask({.name = "lone", .shape = {.request = {{"cpu", 1}}}}));
  EXPECT_EQ(Live(kSchedule), "admit j; bind j0 n; bind j1 n");
  EXPECT_THAT(Words(kSchedule, "next"), HasSubstr("not admitted: "));
  EXPECT_EQ(Live(kSchedule), "");
  Accept(cluster_.RemoveJob("j"));
  EXPECT_EQ(Live(kSchedule), "admit next; bind next0 n");
}

TEST_F(KueuePods, UnderKubeSchedulerPodsHaveLabelsAndTolerationsOfTheirFlavor) {
  Queue("a", 4);
  AddNode("plain", 9);
  SpotNode("tainted", 9, /*tainted=*/true);
  Job("j", "a", 2);
  EXPECT_EQ(Decide(cluster_, kAllocate), "admit j");
  EXPECT_EQ(Live(kSchedule), "admit j; bind j0 tainted; bind j1 tainted");
  // A pod that its job gets later, too.
  Accept(cluster_.AddTask({.name = "j2", .job = "j", .shape = {.request = {{"cpu", 1}}}}));
  EXPECT_EQ(Live(kSchedule), "bind j2 tainted");
}

TEST_F(KueuePods, APodWithoutANodeHasTheSchedulersWords) {
  Queue("a", 2);
  AddNode("plain", 9);
  Job("j", "a", 1);
  const std::string at_once = "kueue:+schedule(longest_backoff=0)";
  EXPECT_THAT(Words(at_once, "j0"), HasSubstr("didn't match Pod's node affinity/selector"));
  EXPECT_EQ(Live(at_once), "admit j");
  SpotNode("n", 1);
  EXPECT_EQ(Live(at_once), "bind j0 n");
}

TEST_F(KueuePods, PodsOfAVictimLeaveBeforeOthersStart) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  Queue("a", 2, rules);
  SpotNode("n", 2);
  Job("low", "a", 2);
  EXPECT_EQ(Live(kSchedule), "admit low; bind low0 n; bind low1 n");
  testing::Run(cluster_, "low0", "n");
  testing::Run(cluster_, "low1", "n");
  Job("high", "a", 2, /*priority=*/5);
  EXPECT_EQ(Live(kSchedule), "evict low0 n; evict low1 n");
  EXPECT_EQ(Live(kSchedule), "");
  for (const char* task : {"low0", "low1"}) {
    Accept(cluster_.SetTaskStatus(task, TaskStatus::kPending));
  }
  EXPECT_EQ(Live(kSchedule), "admit high; bind high0 n; bind high1 n");
}

class KueueChecks : public KueuePods {
 protected:
  void SetUp() override {
    KueuePods::SetUp();
    Accept(cluster_.SetFlavor({.name = "other"}));
    SpotNode("n", 9);
  }
  // A queue of two flavors: check "all" is for both, "late" for the second.
  void CheckedQueue() {
    QueueSpec queue{.name = "a"};
    queue.rules.emplace();
    queue.rules->groups = {{.resources = {"cpu"},
                            .flavors = {{.flavor = "spot", .nominal = {{"cpu", 2}}},
                                        {.flavor = "other", .nominal = {{"cpu", 9}}}}}};
    queue.rules->checks = {{.name = "all"}, {.name = "late", .flavors = {"other"}}};
    Accept(cluster_.AddQueue(queue));
  }
};

TEST_F(KueueChecks, TasksStartOnceTheChecksOfTheirFlavorsArePassed) {
  for (const char* const profile : {kAllocate, kSchedule}) {
    CheckedQueue();
    Job("j", "a", 2);
    Job("k", "a", 1);
    EXPECT_EQ(Decide(cluster_, profile), "admit j; admit k");
    EXPECT_EQ(Live("kueue"), "admit j; admit k");
    EXPECT_EQ(Decide(cluster_, profile), "");
    EXPECT_THAT(Words(profile, "j0"),
                HasSubstr("its job has quota and waits for admission check all"));
    EXPECT_THAT(Words(profile, "k0"), HasSubstr("waits for admission checks all, late"));
    SetJobSettings("j", {{"kueue/admission-check/all", "Ready"}});
    SetJobSettings(
        "k", {{"kueue/admission-check/all", "Ready"}, {"kueue/admission-check/late", "Pending"}});
    EXPECT_EQ(Live(profile), "bind j0 n; bind j1 n");
    SetJobSettings(
        "k", {{"kueue/admission-check/all", "Ready"}, {"kueue/admission-check/late", "Ready"}});
    EXPECT_EQ(Live(profile), "bind k0 n");
    for (const char* const job : {"j", "k"}) Accept(cluster_.RemoveJob(job));
    Accept(cluster_.RemoveQueue("a"));
  }
}

TEST_F(KueueChecks, AJobMayBeAdmittedWhateverItsChecksAre) {
  CheckedQueue();
  Job("j", "a", 1);
  EXPECT_EQ(Live(kAllocate), "admit j");
  SetJobSettings("j", {{"kueue/admitted", "true"}});
  EXPECT_EQ(Decide(cluster_, kAllocate), "bind j0 n");
  SetJobSettings("j", {{"kueue/admitted", "false"}, {"kueue/admission-check/all", "Ready"}});
  EXPECT_EQ(Decide(cluster_, kAllocate), "");
  EXPECT_THAT(Words(kAllocate, "j0"), HasSubstr("its job has quota and is not admitted yet"));
  SetJobSettings("j", {{"kueue/admitted", "true"}, {"kueue/evicted", "true"}});
  EXPECT_EQ(Decide(cluster_, kAllocate), "");
  EXPECT_THAT(Words(kAllocate, "j0"), HasSubstr("its job is evicted"));
}

TEST_F(KueueChecks, AQueueOnHoldTakesBackQuotaOfJobsWithoutAStateOfItsChecks) {
  CheckedQueue();
  Job("j", "a", 1);
  EXPECT_EQ(Live(), "admit j");
  for (QueueSpec queue : cluster_.Describe().queues) {
    if (queue.name != "a") continue;
    queue.rules->stop = StopPolicy::kHold;
    Accept(cluster_.UpdateQueue(queue));
  }
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(JobNamed("j").phase, JobPhase::kPending);
}

class KueuePodPlaces : public KueuePlaces {};

// Rack r1 is the only one with room for both, and its nodes have one place each.
TEST_F(KueuePodPlaces, PodsGoToTheirPlaces) {
  profile_ = kSchedule;
  AddJob(cluster_, {.name = "full", .min_available = 1}, 1, {{"cpu", 1}});
  testing::Run(cluster_, "full0", "n0");
  Job("a", 4, {{kRequired, "rack"}});
  EXPECT_EQ(Decide(cluster_, kSchedule), "admit a; bind a0 n2; bind a1 n2; bind a2 n3; bind a3 n3");
}

}  // namespace
}  // namespace muster::testing
