// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kueue on clusters with topologies: places that are requested, assigned and held.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/kueue/places_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

// Queue "both": 4 CPUs of one flavor, and memory of another one.
void AddQueueOfTwoTopologies(Cluster& cluster) {
  FlavorSpec second{.name = "also"};
  second.topology = FlavorTopology{.name = "default", .levels = {"rack", kHost}};
  Accept(cluster.SetFlavor(second));
  QueueRules rules;
  rules.groups = {
      {.resources = {"cpu"}, .flavors = {{.flavor = "tas", .nominal = {{"cpu", 4}}}}},
      {.resources = {"memory"}, .flavors = {{.flavor = "also", .nominal = {{"memory", 100}}}}}};
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  QueueSpec queue{.name = "both"};
  queue.rules = rules;
  Accept(cluster.AddQueue(queue));
}

TEST_F(KueuePlaces, OneDomainOfARequiredLevelHoldsAllTasks) {
  Job("a", 3, {{kRequired, "rack"}});
  Job("b", 4, {{kRequired, "rack"}});
  Job("c", 2, {{kRequired, "rack"}});
  const Plan plan = Cycle();
  EXPECT_THAT(plan.ToText(), HasSubstr("admit a with 3 (cpu from tas) in n0: 2 and n1: 1\n"));
  EXPECT_EQ(PlacesOf("b"), "n2: 2, n3: 2");
  EXPECT_EQ(PlacesOf("c"), "waits");
  EXPECT_THAT(*plan.Explain("c"), HasSubstr("couldn't assign flavors to pod set main: topology "
                                            "\"default\" allows to fit only 1 out of 2 pod(s)"));
}

TEST_F(KueuePlaces, WhyThereAreNoPlacesIsSaidOnce) {
  JobSpec job{.name = "a", .queue = "q", .min_available = 1};
  job.settings = {{kRequired, "rack"}};
  AddJob(cluster_, job, 1, {{"cpu", 3}});
  EXPECT_EQ(
      *Cycle().Explain("a"),
      "a: not admitted: couldn't assign flavors to pod set main: topology \"default\" doesn't "
      "allow to fit any of 1 pod(s). Total nodes: 4; excluded: resource \"cpu\": 4\n");
}

TEST_F(KueuePlaces, APodSetWithTwoTopologiesIsAFaultThatIsNamedAlone) {
  AddQueueOfTwoTopologies(cluster_);
  JobSpec job{.name = "a", .queue = "both", .min_available = 1};
  job.settings = {{kRequired, "rack"}};
  AddJob(cluster_, job, 1, {{"cpu", 1}, {"memory", 1}});
  EXPECT_EQ(*Cycle().Explain("a"),
            "a: not admitted: failed to assign flavors to pod set main: more than one TAS flavor "
            "assigned: also, tas\n");
}

TEST_F(KueuePlaces, AFaultIsNamedAloneWhereAnotherPodSetLacksQuota) {
  AddQueueOfTwoTopologies(cluster_);
  JobSpec holder{.name = "holder", .queue = "both", .min_available = 1};
  holder.settings = {{kRequired, "rack"}};
  AddJob(cluster_, holder, 2, {{"cpu", 1}});
  Cycle();
  JobSpec job = Grouped({{"first", 1}, {"second", 3}}, {{kRequired, "rack"}});
  job.queue = "both";
  job.priority = 1;
  job.groups[0].shape.request = {{"cpu", 1}, {"memory", 1}};
  Accept(cluster_.AddJob(job));
  EXPECT_EQ(*Cycle().Explain("j"),
            "j: not admitted: failed to assign flavors to pod set first: more than one TAS flavor "
            "assigned: also, tas\n");
}

TEST_F(KueuePlaces, WhatIsHeldCountsInLaterCycles) {
  Job("a", 3, {{kRequired, "rack"}});
  Cycle();
  Job("b", 2, {{kRequired, kHost}});
  Cycle();
  EXPECT_EQ(PlacesOf("b"), "n2: 2");
  Job("c", 2, {{kRequired, kHost}});
  Job("d", 2, {{kRequired, kHost}});
  Cycle();
  EXPECT_EQ(PlacesOf("c"), "n3: 2");
  EXPECT_EQ(PlacesOf("d"), "waits");
  Accept(cluster_.RemoveJob("a"));
  Cycle();
  EXPECT_EQ(PlacesOf("d"), "n0: 2");
}

TEST_F(KueuePlaces, PreferredAndUnconstrainedRequestsUseSeveralDomains) {
  Job("a", 5, {{kPreferred, "rack"}});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n0: 2, n1: 2, n2: 1");
  Accept(cluster_.RemoveJob("a"));
  Job("b", 5, {{kUnconstrained, "true"}});
  Job("c", 3, {});  // all flavors of the queue have topologies: places are counted all the same
  Cycle();
  EXPECT_NE(PlacesOf("b"), "waits");
  EXPECT_EQ(PlacesOf("c"), "n2: 1, n3: 2");
}

TEST_F(KueuePlaces, TasksOfNoWorkloadCountWhereTheyRun) {
  Accept(cluster_.AddTask({.name = "other",
                           .shape = {.request = {{"cpu", 1}}},
                           .status = TaskStatus::kRunning,
                           .node = "n0"}));
  Job("a", 4, {{kRequired, "rack"}});
  Job("b", 4, {{kRequired, "rack"}});
  const Plan plan = Cycle();
  EXPECT_EQ(PlacesOf("a"), "n2: 2, n3: 2");
  EXPECT_THAT(*plan.Explain("b"), HasSubstr("allows to fit only 3 out of 4 pod(s)"));
}

TEST_F(KueuePlaces, TasksThatRunInTheirPlacesCountOnce) {
  Job("a", 3, {{kRequired, "rack"}});
  Cycle();
  testing::Run(cluster_, "a0", "n0");
  testing::Run(cluster_, "a1", "n0");
  testing::Run(cluster_, "a2", "n1");
  Job("b", 5, {{kPreferred, kHost}});
  Cycle();
  EXPECT_EQ(PlacesOf("b"), "n1: 1, n2: 2, n3: 2");
}

TEST_F(KueuePlaces, NodesThatTakeNoTasksHaveNoPlaces) {
  NodeSpec node = NodeAt(0);
  node.unschedulable = true;
  Accept(cluster_.UpdateNode(node));
  node = NodeAt(2);
  node.ready = false;
  Accept(cluster_.UpdateNode(node));
  node = NodeAt(3);
  node.taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}};
  Accept(cluster_.UpdateNode(node));
  Job("a", 3, {{kUnconstrained, "true"}});
  const Plan plan = Cycle();
  EXPECT_THAT(*plan.Explain("a"), HasSubstr("allows to fit only 2 out of 3 pod(s). Total nodes: 2; "
                                            "excluded: taint \"k:NoSchedule\": 1"));
}

TEST_F(KueuePlaces, SlicesStayInOneDomain) {
  Job("a", 4,
      {{kPreferred, "rack"},
       {"kueue/podset-slice-required-topology", kHost},
       {"kueue/podset-slice-size", "2"}});
  Accept(cluster_.AddTask({.name = "other",
                           .shape = {.request = {{"cpu", 1}}},
                           .status = TaskStatus::kRunning,
                           .node = "n0"}));
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n2: 2, n3: 2");
  Accept(cluster_.RemoveJob("a"));
  Job("b", 4,
      {{kRequired, "rack"},
       {"kueue/podset-slice-required-topology-constraints", "rack=4," + kHost + "=2"}});
  Cycle();
  EXPECT_EQ(PlacesOf("b"), "n2: 2, n3: 2");
}

TEST_F(KueuePlaces, LeaderAndWorkersArePlacedTogether) {
  Accept(cluster_.AddTask({.name = "other",
                           .shape = {.request = {{"cpu", 1}}},
                           .status = TaskStatus::kRunning,
                           .node = "n0"}));
  const Labels rack = {{kRequired, "rack"}};
  Accept(cluster_.AddJob(Grouped({{"leader", 1}, {"worker", 3}}, rack)));
  Cycle();
  // Alone, the leader goes where it fits best.
  EXPECT_EQ(PlacesOf("j", "leader"), "n0: 1");
  Accept(cluster_.RemoveJob("j"));
  Accept(cluster_.AddJob(
      Grouped({{"leader", 1}, {"worker", 3}}, {{kRequired, "rack"}, {kTogether, "g"}})));
  Cycle();
  EXPECT_EQ(PlacesOf("j", "leader"), "n2: 1");
  EXPECT_EQ(PlacesOf("j", "worker"), "n2: 1, n3: 2");
}

TEST_F(KueuePlaces, AGroupMayRequestForItself) {
  Accept(cluster_.AddJob(
      Grouped({{"a", 2}, {"b", 3}}, {{kRequired, "rack"}, {kRequired + "/a", kHost}})));
  Cycle();
  EXPECT_EQ(PlacesOf("j", "a"), "n0: 2");
  EXPECT_EQ(PlacesOf("j", "b"), "n2: 2, n3: 1");
}

TEST_F(KueuePlaces, LevelsThatATopologyLacks) {
  Job("a", 1, {{kRequired, "row"}});
  EXPECT_THAT(*Cycle().Explain("a"), HasSubstr("flavor tas does not contain the requested level"));
  Flavor({"row", kHost});  // no node has a label for it
  EXPECT_THAT(*Cycle().Explain("a"), HasSubstr("no topology domains at level: row"));
  Accept(cluster_.SetFlavor({.name = "tas"}));
  EXPECT_THAT(*Cycle().Explain("a"),
              HasSubstr("flavor tas does not support TopologyAwareScheduling"));
  FlavorSpec bare{.name = "tas"};
  bare.topology = FlavorTopology{.name = "default"};
  EXPECT_FALSE(cluster_.SetFlavor(bare).ok());
}

TEST_F(KueuePlaces, RoomIsMadeInOneDomain) {
  Job("low", 4, {{kRequired, "rack"}});
  Cycle();
  Job("mid", 4, {{kRequired, "rack"}}, /*priority=*/5);
  Cycle();
  Job("high", 4, {{kRequired, "rack"}}, /*priority=*/9);
  Cycle();
  EXPECT_EQ(PlacesOf("high"), "waits");  // it evicted `low`, which had no task on a node
  Cycle();
  EXPECT_EQ(PlacesOf("high"), "n0: 2, n1: 2");
  EXPECT_EQ(PlacesOf("low"), "waits");
}

TEST_F(KueuePlaces, TasksByCountAreRowsInTheSamePlaces) {
  JobSpec job{.name = "sweep", .queue = "q", .min_available = 1};
  job.settings = {{kPreferred, "rack"}};
  job.groups = {{.name = "w",
                 .shape = {.request = {{"cpu", 1}}},
                 .by_count = ByCount{.count = 20, .min_count = 6}}};
  Accept(cluster_.AddJob(job));
  Job("late", 1, {});
  Cycle();
  EXPECT_EQ(PlacesOf("sweep", "w"), "n0: 2, n1: 2, n2: 2, n3: 2");
  Accept(cluster_.MakeTasks("sweep", "w", 5));
  Cycle();
  EXPECT_EQ(PlacesOf("late"), "waits");
  testing::Run(cluster_, "sweep-w-0", "n3");
  Cycle();
  EXPECT_EQ(PlacesOf("late"), "waits");
}

TEST_F(KueuePlaces, TasksThatLeaveCountOnceWithThePlacesOfTheirJob) {
  for (int n = 0; n < 4; ++n) Job(absl::StrCat("low", n), 2, {{kRequired, kHost}});
  Cycle();
  for (int n = 0; n < 4; ++n) {
    const std::string node = absl::StrCat("n", n);
    EXPECT_EQ(PlacesOf(absl::StrCat("low", n)), absl::StrCat(node, ": 2"));
    testing::Run(cluster_, absl::StrCat("low", n, "0"), node);
    testing::Run(cluster_, absl::StrCat("low", n, "1"), node);
  }
  Job("high", 2, {{kRequired, kHost}}, /*priority=*/9);
  const Plan plan = Cycle();
  ASSERT_EQ(plan.evictions().size(), 2u);
  EXPECT_TRUE(Cycle().evictions().empty());
  for (const Eviction& eviction : plan.evictions()) {
    Accept(cluster_.SetTaskStatus(plan.task_name(eviction.task), TaskStatus::kPending));
  }
  EXPECT_EQ(Cycle().admissions().size(), 1u);
}

class KueueDelays : public KueuePlaces {
 protected:
  void SetChecks(const std::vector<AdmissionCheck>& checks, const Labels& controllers) {
    for (QueueSpec queue : cluster_.Describe().queues) {
      if (queue.name != "q") continue;
      queue.rules->checks = checks;
      queue.settings = controllers;
      Accept(cluster_.UpdateQueue(queue));
    }
  }
  void SetCheck(const std::string& job, const char* state) {
    for (JobSpec spec : cluster_.Describe().jobs) {
      if (spec.name != job) continue;
      spec.settings = {{kRequired, "rack"}, {"kueue/admission-check/m", state}};
      Accept(cluster_.UpdateJob(spec));
    }
  }
};

// No rack has room for 5 tasks before two nodes come.
TEST_F(KueueDelays, PlacesAreFoundOnceNodesAreProvisioned) {
  profile_ = "kueue:+allocate";
  SetChecks({{.name = "m"}}, {{"kueue/check-controller/m", "provisioning-request"}});
  Job("a", 5, {{kRequired, "rack"}});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "");
  SetCheck("a", "Pending");
  EXPECT_EQ(Decide(cluster_, profile_), "");
  SetCheck("a", "Ready");
  EXPECT_EQ(Decide(cluster_, profile_), "");
  EXPECT_THAT(*cluster_.Schedule(profile_)->Explain("a0"),
              HasSubstr("its job has quota and waits for places"));
  NodeSpec node = NodeAt(4);
  node.capacity = {{"cpu", 5}, {"pods", 10}};
  Accept(cluster_.AddNode(node));
  EXPECT_THAT(Decide(cluster_, profile_), HasSubstr("bind a0 n4"));
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n4: 5");
  EXPECT_EQ(Decide(cluster_, profile_), "");
}

// Two jobs of 3 tasks leave no rack with room for 4.
TEST_F(KueueDelays, AJobWithQuotaEvictsForItsPlaces) {
  for (const char* job : {"b", "c"}) Job(job, 3, {{kRequired, "rack"}});
  Cycle();
  Cycle();
  EXPECT_EQ(PlacesOf("b") + "; " + PlacesOf("c"), "n0: 2, n1: 1; n2: 2, n3: 1");
  SetChecks({{.name = "m"}}, {{"kueue/check-controller/m", "provisioning-request"}});
  Job("a", 4, {}, /*priority=*/9);
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "");
  SetCheck("a", "Ready");
  const Cluster before = cluster_.Clone();
  EXPECT_THAT(*cluster_.Schedule("kueue:+allocate")->Explain("a0"),
              HasSubstr("its job has quota and waits for places: couldn't assign flavors to pod "
                        "set main: topology \"default\" allows to fit only 1 out of 4 pod(s). "
                        "Total nodes: 4; excluded: resource \"cpu\": 2. Pending the preemption of "
                        "1 workload(s)"));
  EXPECT_THAT(*Cycle().Explain("b"),
              HasSubstr("InClusterQueue: Preempted to accommodate workload a due to "
                        "prioritization in the ClusterQueue"));
  EXPECT_EQ(PlacesOf("b") + "; " + PlacesOf("c"), "waits; n2: 2, n3: 1");
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n0: 2, n1: 2");

  // Quota for all three, but not for `a` a second time beside one of the others.
  cluster_ = before.Clone();
  for (QueueSpec queue : cluster_.Describe().queues) {
    if (queue.name != "q") continue;
    queue.rules->groups[0].flavors[0].nominal = {{"cpu", 10}};
    Accept(cluster_.UpdateQueue(queue));
  }
  Cycle();
  EXPECT_EQ(PlacesOf("b") + "; " + PlacesOf("c"), "waits; waits");
}

TEST_F(KueueDelays, PlacesOfAnotherClusterAreNotSearched) {
  SetChecks({{.name = "m"}}, {{"kueue/check-controller/m", "multikueue"}});
  Job("a", 5, {{kRequired, "rack"}});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "");
  SetCheck("a", "Ready");
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "");
}

TEST_F(KueueDelays, ChecksThatContradictMakeAQueueInactive) {
  const auto words = [&](const std::vector<AdmissionCheck>& checks, const Labels& controllers) {
    SetChecks(checks, controllers);
    return std::string(*cluster_.Schedule("kueue")->Explain("a"));
  };
  Job("a", 1, {});
  const Labels remote = {{"kueue/check-controller/m", "multikueue"},
                         {"kueue/check-controller/n", "multikueue"}};
  EXPECT_THAT(words({{.name = "m"}, {.name = "n"}}, remote),
              HasSubstr("Cannot use multiple MultiKueue AdmissionChecks"));
  EXPECT_THAT(words({{.name = "m"}, {.name = "n"}},
                    {remote[0], {"kueue/check-controller/n", "provisioning-request"}}),
              HasSubstr("Cannot use both MultiKueue and ProvisioningRequest"));
  Accept(cluster_.SetFlavor({.name = "other"}));
  for (QueueSpec queue : cluster_.Describe().queues) {
    if (queue.name != "q") continue;
    queue.rules->groups[0].flavors.push_back({.flavor = "other", .nominal = {{"cpu", 1}}});
    Accept(cluster_.UpdateQueue(queue));
  }
  EXPECT_THAT(words({{.name = "m", .flavors = {"other"}}}, {remote[0]}),
              HasSubstr("Cannot specify MultiKueue AdmissionCheck per flavor"));
  SetChecks({{.name = "m"}}, {{"kueue/check-controller/m", "elsewhere"}});
  EXPECT_THAT(Refused(), HasSubstr("must be one of multikueue, provisioning-request, other"));
}

TEST_F(KueuePlaces, SettingsAreChecked) {
  const auto refused = [&](const Labels& settings) {
    Accept(cluster_.AddJob(Grouped({{"a", 2}, {"b", 3}}, settings)));
    const std::string words = Refused();
    Accept(cluster_.RemoveJob("j"));
    return words;
  };
  EXPECT_THAT(refused({{"kueue/podset-required", "rack"}}),
              HasSubstr("job \"j\", setting \"kueue/podset-required\": is not known"));
  EXPECT_THAT(refused({{kRequired + "/c", "rack"}}), HasSubstr("is not known"));
  EXPECT_THAT(refused({{kRequired, ""}}), HasSubstr("must not be empty"));
  EXPECT_THAT(refused({{kRequired, "rack"}, {kPreferred, "rack"}}),
              HasSubstr("must be absent beside podset-required-topology"));
  EXPECT_THAT(refused({{kUnconstrained, "yes"}}), HasSubstr("must be one of true, false"));
  EXPECT_THAT(refused({{kUnconstrained, "true"}, {kPreferred, "rack"}}),
              HasSubstr("must be absent beside a level"));
  EXPECT_THAT(refused({{"kueue/podset-slice-size", "2"}}),
              HasSubstr("needs podset-slice-required-topology"));
  EXPECT_THAT(refused({{"kueue/podset-slice-required-topology", "rack"}}),
              HasSubstr("needs podset-slice-size"));
  EXPECT_THAT(refused({{"kueue/podset-slice-required-topology-constraints", "rack=4,host"}}),
              HasSubstr("must be levels with sizes of 1 or more"));
  EXPECT_THAT(refused({{kTogether, "g"}}), HasSubstr("needs a level that is required"));
  EXPECT_THAT(refused({{kRequired, "rack"}, {kTogether + "/a", "g"}, {kRequired + "/a", "rack"}}),
              HasSubstr("must be that of two groups, and is of 1"));
  EXPECT_THAT(refused({{kRequired, "rack"}, {kTogether, "g"}}),
              HasSubstr("the smaller has 2 tasks; must have 1"));
  for (const char* amounts : {"cpu", "=1", "cpu=x", "cpu=1,"}) {
    EXPECT_THAT(refused({{"kueue/podset-quota-request", amounts}}),
                HasSubstr("must be resources with amounts"));
  }
  EXPECT_THAT(refused({{"kueue/podset-quota-request", "cpu=1,cpu=2"}}),
              HasSubstr("must have each resource once"));
  NodeSpec node = NodeAt(0);
  node.settings = {{"kueue/x", "y"}};
  Accept(cluster_.UpdateNode(node));
  EXPECT_THAT(Refused(), HasSubstr("node \"n0\", setting \"kueue/x\": is not known"));
}

}  // namespace
}  // namespace muster::testing
