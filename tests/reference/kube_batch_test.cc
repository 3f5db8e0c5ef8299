// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where kube-batch differs from its successor.
#include "build.h"
#include "gtest/gtest.h"

namespace muster::testing {
namespace {

JobSpec KubeBatchJob(const std::string& name, int64_t min_available,
                     const std::string& queue = "default", int32_t priority = 0) {
  JobSpec job;
  job.name = name;
  job.queue = queue;
  job.min_available = min_available;
  job.priority = priority;
  return job;
}

TEST(KubeBatch, AGangThatCannotCompleteKeepsWhatItGot) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 3}, {"memory", 0}});
  Job(cluster, KubeBatchJob("a", 4), 4, {{"cpu", 1}});
  Job(cluster, KubeBatchJob("b", 1), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("allocate", "gang")),
            "hold a0 n0; hold a1 n0; hold a2 n0");
}

TEST(KubeBatch, TenMilliCoresMoreThanThereIsStillFit) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  Job(cluster, KubeBatchJob("a", 1), 1, {{"cpu", "1009m"}});
  Job(cluster, KubeBatchJob("b", 1), 1, {{"cpu", "1010m"}});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("allocate", "gang")), "bind a0 n0");
}

TEST(KubeBatch, WhatIsReleasedCountsByItself) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 4}});
  Job(cluster, KubeBatchJob("old", 0), 1, {{"cpu", 2}});
  Releasing(cluster, "old0", "n0");
  Job(cluster, KubeBatchJob("a", 1), 1,
      {{"cpu", 3}});  // neither two idle nor two released cores are enough
  Job(cluster, KubeBatchJob("b", 2), 2, {{"cpu", 2}});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("allocate", "gang")), "nominate b1 n0; hold b0 n0");
}

TEST(KubeBatch, RequestsOfInitContainersCountOnlyForTheFit) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 4}});
  TaskShape shape;
  shape.request = {{"cpu", 1}};
  shape.initial_request = Resources{{"cpu", 3}};
  JobOf(cluster, shape, KubeBatchJob("a", 0), 4);
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("allocate", "gang")), "bind a0 n0; bind a1 n0");
}

TEST(KubeBatch, BackfillTakesTheFirstNodeThatPasses) {
  Cluster cluster;
  Nodes(cluster, 2, {{"cpu", 1}, {"pods", 1}});
  Job(cluster, KubeBatchJob("a", 0), 3, Resources{});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("backfill", "gang/predicates")),
            "bind a0 n0; bind a1 n1");
}

TEST(KubeBatch, PreemptDoesNotLookAtIdleResources) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 3}});
  Job(cluster, KubeBatchJob("low", 0), 2, {{"cpu", 1}});
  Running(cluster, "low0", "n0");
  Running(cluster, "low1", "n0");
  Job(cluster, KubeBatchJob("high", 1, "default", 9), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("preempt", "priority gang")),
            "evict low1 n0; nominate high0 n0");
}

TEST(KubeBatch, VictimsStillCountForThePodLimit) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 2}, {"pods", 3}});
  Job(cluster, KubeBatchJob("low", 0), 2, {{"cpu", 1}});
  Running(cluster, "low0", "n0");
  Running(cluster, "low1", "n0");
  Job(cluster, KubeBatchJob("high", 1, "default", 9), 2, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("preempt", "priority gang/predicates")),
            "evict low1 n0; nominate high0 n0");
}

TEST(KubeBatch, TerminatingTasksHaveNoAffinity) {
  Cluster cluster;
  Node(cluster, {.name = "n0", .capacity = {{"cpu", 1}}, .labels = {{"host", "n0"}}});
  TaskShape shape;
  shape.request = {{"cpu", 1}};
  shape.labels = {{"app", "a"}};
  shape.required_anti_affinity = {
      {.topology_key = "host", .selector = Selector{.match_labels = {{"app", "a"}}}}};
  JobOf(cluster, shape, KubeBatchJob("a", 0), 2);
  Releasing(cluster, "a0", "n0");
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("allocate", "gang/predicates")), "nominate a1 n0");
  EXPECT_EQ(Decide(cluster, Profile("allocate", "gang predicates")), "");
}

TEST(KubeBatch, ReclaimServesOneTaskOfAJob) {
  Cluster cluster;
  Queue(cluster, {.name = "p", .weight = 1});
  Queue(cluster, {.name = "q", .weight = 1});
  Nodes(cluster, 1, {{"cpu", 4}, {"memory", "4Gi"}});
  Job(cluster, KubeBatchJob("a", 0, "p"), 4, {{"cpu", 1}, {"memory", "1Gi"}});
  for (const char* task : {"a0", "a1", "a2", "a3"}) Running(cluster, task, "n0");
  Job(cluster, KubeBatchJob("b", 1, "q"), 2, {{"cpu", 1}, {"memory", "1Gi"}});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("reclaim", "gang proportion")),
            "evict a0 n0; nominate b0 n0");
}

TEST(KubeBatch, AnOverfullNodeIsLeftOut) {
  Cluster cluster;
  Node(cluster, {.name = "full", .capacity = {{"cpu", 2}, {"x/gpu", 9}}});
  Job(cluster, KubeBatchJob("old", 0), 1, {{"cpu", 3}});
  Running(cluster, "old0", "full");
  Job(cluster, KubeBatchJob("a", 0), 1, {{"x/gpu", 1}});
  EXPECT_EQ(Decide(cluster, KubeBatchProfile("allocate", "gang")), "");
}

}  // namespace
}  // namespace muster::testing
