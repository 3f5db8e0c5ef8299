// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's admit, allocate and backfill on worlds small enough to work out by hand, quirk by
// quirk.
#include "build.h"
#include "gtest/gtest.h"

namespace muster::testing {
namespace {

JobSpec Gang(const std::string& name, int64_t min_available, const std::string& queue = "default") {
  JobSpec job;
  job.name = name;
  job.queue = queue;
  job.min_available = min_available;
  return job;
}

TEST(Allocate, AGangIsBoundWholeOrNotAtAll) {
  Cluster cluster;
  Nodes(cluster, 2, {{"cpu", 2}});
  Job(cluster, Gang("a", 3), 3, {{"cpu", 1}});
  Job(cluster, Gang("b", 2), 2, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang/predicates")),
            "bind a0 n0; bind a1 n0; bind a2 n1");
}

// The paper's two users on 9 cores and 18 GB: the one with the smaller dominant share goes next.
TEST(Allocate, DrfServesTheSmallestDominantShare) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 9}, {"memory", 18}});
  Job(cluster, Gang("a", 0), 9, {{"cpu", 1}, {"memory", 4}});
  Job(cluster, Gang("b", 0), 9, {{"cpu", 3}, {"memory", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "drf")),
            "bind a0 n0; bind b0 n0; bind a1 n0; bind b1 n0; bind a2 n0");
}

TEST(Allocate, DrfWithTheOtherUserFirst) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 9}, {"memory", 18}});
  Job(cluster, Gang("b", 0), 9, {{"cpu", 3}, {"memory", 1}});
  Job(cluster, Gang("a", 0), 9, {{"cpu", 1}, {"memory", 4}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "drf")),
            "bind b0 n0; bind a0 n0; bind a1 n0; bind b1 n0; bind a2 n0");
}

TEST(Allocate, DrfOverThreeResources) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 10}, {"memory", 20}, {"x/c", 30}});
  Job(cluster, Gang("a", 0), 9, {{"cpu", 1}, {"memory", 2}, {"x/c", 1}});
  Job(cluster, Gang("b", 0), 9, {{"cpu", 1}, {"memory", 1}, {"x/c", 3}});
  Job(cluster, Gang("c", 0), 9, {{"cpu", 2}, {"memory", 1}, {"x/c", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "drf")),
            "bind a0 n0; bind b0 n0; bind c0 n0; bind a1 n0; bind b1 n0; bind a2 n0; bind b2 n0; "
            "bind c1 n0");
}

TEST(Allocate, OneTaskATurnOnceTheGangIsReady) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 6}});
  Job(cluster, Gang("a", 2), 4, {{"cpu", 1}});
  Job(cluster, Gang("b", 2), 4, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang drf")),
            "bind a0 n0; bind a1 n0; bind b0 n0; bind b1 n0; bind a2 n0; bind b2 n0");
}

TEST(Allocate, WhatWaitsForReleasedResourcesKeepsHoldingTheRest) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 4}});
  Job(cluster, Gang("old", 0), 1, {{"cpu", 2}});
  Releasing(cluster, "old0", "n0");
  Job(cluster, Gang("a", 4), 4, {{"cpu", 1}});
  Job(cluster, Gang("b", 1), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang")),
            "hold a0 n0; hold a1 n0; wait a2 n0; wait a3 n0");
}

TEST(Allocate, IdleNodesComeBeforeNodesThatWillBe) {
  Cluster cluster;
  Nodes(cluster, 2, {{"cpu", 4}});
  Job(cluster, Gang("old", 0), 1, {{"cpu", 4}});
  Releasing(cluster, "old0", "n0");
  Job(cluster, Gang("a", 1), 1, {{"cpu", 4}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang")), "bind a0 n1");
}

TEST(Allocate, TheWishedNodeComesFirstWhileItAccepts) {
  Cluster cluster;
  Nodes(cluster, 2, {{"cpu", 1}});
  for (int i = 0; i < 2; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    Job(cluster, Gang(name, 1), 0, Resources{});
    TaskSpec task;
    task.name = name + "0";
    task.job = name;
    task.shape.request = {{"cpu", 1}};
    task.nominated_node = "n1";
    Task(cluster, task);
  }
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang")), "bind a0 n1; bind b0 n0");
}

TEST(Allocate, ATaskThatDoesNotFitEndsTheTurnOfAGangThatNeedsAll) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 3}});
  Job(cluster, Gang("a", 2), 0, Resources{});
  for (int i = 0; i < 3; ++i) {
    TaskSpec task;
    task.name = "a" + std::to_string(i);
    task.job = "a";
    task.ordinal = i;
    task.shape.request = {{"cpu", i == 0 ? 4 : 1}};
    Task(cluster, task);
  }
  // Three tasks, two needed: the two small ones do.
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang")), "bind a1 n0; bind a2 n0");
}

TEST(Allocate, AJobThatCannotEverBeCompleteIsNotTried) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 9}});
  Job(cluster, Gang("a", 3), 2, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang")), "");
}

TEST(Allocate, RolesHaveMinimaOfTheirOwn) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 3}});
  JobSpec job = Gang("a", 3);
  TaskShape small;
  small.request = {{"cpu", 1}};
  job.groups.push_back({.name = "ps", .count = 2, .min_available = 2, .shape = small});
  job.groups.push_back({.name = "w", .count = 2, .min_available = 1, .shape = small});
  Job(cluster, job, 0, Resources{});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang")),
            "bind a-ps-0 n0; bind a-w-0 n0; bind a-ps-1 n0");
}

TEST(Allocate, HigherPriorityThenOlderThenFirst) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 3}});
  JobSpec low = Gang("low", 1), young = Gang("young", 1), high = Gang("high", 1);
  low.created = 1;
  young.created = 5;
  high.created = 9;
  high.priority = 10;
  Job(cluster, young, 1, {{"cpu", 1}});
  Job(cluster, low, 1, {{"cpu", 1}});
  Job(cluster, high, 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "priority gang")),
            "bind high0 n0; bind low0 n0; bind young0 n0");
}

TEST(Allocate, ProportionSharesByWeightOneTaskAtATime) {
  Cluster cluster;
  Queue(cluster, {.name = "p", .weight = 1});
  Queue(cluster, {.name = "q", .weight = 2});
  Nodes(cluster, 1, {{"cpu", 6}, {"memory", 6}});
  Job(cluster, Gang("a", 0, "p"), 6, {{"cpu", 1}, {"memory", 1}});
  Job(cluster, Gang("b", 0, "q"), 6, {{"cpu", 1}, {"memory", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "proportion")),
            "bind a0 n0; bind b0 n0; bind b1 n0; bind a1 n0; bind b2 n0; bind b3 n0");
}

TEST(Allocate, AClosedQueueGetsNothing) {
  Cluster cluster;
  Queue(cluster, {.name = "p", .state = QueueState::kClosed});
  Nodes(cluster, 1, {{"cpu", 6}});
  Job(cluster, Gang("a", 0, "p"), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("allocate", "proportion")), "");
}

TEST(Allocate, GatedTasksAreLeftAlone) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 6}});
  Job(cluster, Gang("a", 0), 0, Resources{});
  TaskSpec task;
  task.name = "a0";
  task.job = "a";
  task.shape.request = {{"cpu", 1}};
  task.gates = {"later"};
  Task(cluster, task);
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang")), "");
}

TEST(Backfill, PlacesTasksThatAskForNothingAndReadiesTheirGang) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  Job(cluster, Gang("a", 2), 2, {{"cpu", 1}});
  Job(cluster, Gang("b", 1), 1, Resources{});
  EXPECT_EQ(Decide(cluster, Profile("allocate backfill", "gang predicates")), "bind b0 n0");
}

TEST(Backfill, RespectsThePodLimit) {
  Cluster cluster;
  Nodes(cluster, 2, {{"cpu", 1}, {"pods", 1}});
  Job(cluster, Gang("b", 0), 3, Resources{});
  EXPECT_EQ(Decide(cluster, Profile("backfill", "gang predicates")), "bind b0 n0; bind b1 n1");
}

TEST(Backfill, ReadyByItsBestEffortTasksAloneStillPlacesTheOthers) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  Job(cluster, Gang("a", 2), 1, {{"cpu", 1}});
  TaskSpec task;
  task.name = "a1";
  task.job = "a";
  Task(cluster, task);
  EXPECT_EQ(Decide(cluster, Profile("allocate backfill", "gang predicates")),
            "bind a0 n0; bind a1 n0");
}

JobSpec Waiting(const std::string& name, const Resources& needs,
                const std::string& queue = "default") {
  JobSpec job = Gang(name, 1, queue);
  job.min_resources = needs;
  return job;
}

TEST(Admit, OvercommitLetsInAFifthMoreThanThereIs) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 10}});
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_TRUE(cluster.AddJob(Waiting(name, {{"cpu", 4}})).ok());
  }
  EXPECT_EQ(Decide(cluster, Profile("admit", "overcommit")), "admit a; admit b; admit c");
}

TEST(Admit, ARefusedJobDoesNotBlockTheNext) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 10}});
  EXPECT_TRUE(cluster.AddJob(Waiting("a", {{"cpu", 13}})).ok());
  EXPECT_TRUE(cluster.AddJob(Waiting("b", {{"cpu", 12}})).ok());
  EXPECT_EQ(Decide(cluster, Profile("admit", "overcommit")), "admit b");
}

TEST(Admit, ProportionKeepsWithinTheLimitWhereOvercommitWouldNot) {
  Cluster cluster;
  Queue(cluster, {.name = "p", .limit = Resources{{"cpu", 4}}});
  Nodes(cluster, 1, {{"cpu", 10}});
  EXPECT_TRUE(cluster.AddJob(Waiting("a", {{"cpu", 5}}, "p")).ok());
  EXPECT_TRUE(cluster.AddJob(Waiting("b", {{"cpu", 4}}, "p")).ok());
  EXPECT_EQ(Decide(cluster, Profile("admit", "overcommit proportion")), "admit b");
  // A yes of the first tier ends the question.
  EXPECT_EQ(Decide(cluster, Profile("admit", "overcommit/proportion")), "admit a; admit b");
}

TEST(Admit, WithoutMinResourcesNobodyIsAsked) {
  Cluster cluster;
  Queue(cluster, {.name = "p", .state = QueueState::kClosed});
  EXPECT_TRUE(cluster.AddJob(Gang("a", 1, "p")).ok());
  EXPECT_EQ(Decide(cluster, Profile("admit", "proportion")), "admit a");
}

TEST(Admit, AllocateWaitsForAdmissionOnlyWhereThereIsOne) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  JobSpec job = Waiting("a", {{"cpu", 13}});
  job.groups.push_back({.name = "w", .count = 1, .shape = {.request = {{"cpu", 1}}}});
  EXPECT_TRUE(cluster.AddJob(job).ok());
  EXPECT_EQ(Decide(cluster, Profile("admit allocate", "overcommit gang")), "");
  EXPECT_EQ(Decide(cluster, Profile("allocate", "overcommit gang")), "bind a-w-0 n0");
}

TEST(Phases, FollowScheduledTasksNotThoseJustBound) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 9}});
  Job(cluster, Gang("bound", 1), 1, {{"cpu", 1}});
  Job(cluster, Gang("up", 1), 1, {{"cpu", 1}});
  Running(cluster, "up0", "n0");
  Job(cluster, Gang("short", 2), 2, {{"cpu", 9}});
  Running(cluster, "short0", "n0");
  Job(cluster, Gang("empty", 0), 0, Resources{});
  EXPECT_EQ(Phases(cluster, Profile("allocate", "gang")),
            "up running; short degraded; empty completed");
}

}  // namespace
}  // namespace muster::testing
