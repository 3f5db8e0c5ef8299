// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What proportion finds each queue deserves.
#include "build.h"
#include "gtest/gtest.h"

namespace muster::testing {
namespace {

void Demand(Cluster& cluster, const std::string& queue, int64_t cpu) {
  JobSpec job;
  job.name = "of-" + queue;
  job.queue = queue;
  Job(cluster, job, 1, {{"cpu", cpu}});
}

std::vector<double> DeservedCpu(Cluster& cluster, const ReferenceProfile& profile) {
  std::vector<double> out;
  for (const QueueShare& share : RunPlan(cluster, profile).shares) {
    out.push_back(share.deserved.empty() ? -1 : share.deserved[kCpu]);
  }
  return out;
}

const ReferenceProfile kNothing = Profile("", "proportion");

TEST(Proportion, WhatOneDoesNotNeedGoesToTheOthersByWeight) {
  Cluster cluster;
  Queue(cluster, {.name = "a", .weight = 1});
  Queue(cluster, {.name = "b", .weight = 2});
  Queue(cluster, {.name = "c", .weight = 3});
  Nodes(cluster, 1, {{"cpu", 12}});
  Demand(cluster, "a", 100);
  Demand(cluster, "b", 1);
  Demand(cluster, "c", 100);
  // First round 2, 1 of 4, 6; the three that b leaves go 3/4 and 9/4. The default queue has no job.
  EXPECT_EQ(DeservedCpu(cluster, kNothing), (std::vector<double>{-1, 2750, 1000, 8250}));
}

TEST(Proportion, GuaranteesAndLimitsBound) {
  Cluster cluster;
  Queue(cluster, {.name = "a", .weight = 1, .limit = Resources{{"cpu", 3}}});
  Queue(cluster, {.name = "b", .weight = 1, .guaranteed = Resources{{"cpu", 2}}});
  Nodes(cluster, 1, {{"cpu", 12}});
  Demand(cluster, "a", 100);
  Demand(cluster, "b", 1);
  EXPECT_EQ(DeservedCpu(cluster, kNothing), (std::vector<double>{-1, 3000, 2000}));
}

TEST(Proportion, AQueueIsOverusedOnlyInAllDimensions) {
  Cluster cluster;
  Queue(cluster, {.name = "a", .weight = 1});
  Queue(cluster, {.name = "b", .weight = 1});
  Nodes(cluster, 1, {{"cpu", 4}, {"memory", 4}});
  JobSpec job{.name = "j", .queue = "a"};
  Job(cluster, job, 3, {{"cpu", 1}, {"memory", 1}});
  Job(cluster, {.name = "k", .queue = "b"}, 4, {{"cpu", 1}});
  Running(cluster, "j0", "n0");
  Running(cluster, "j1", "n0");
  // a deserves two cores and, as b requests no memory, three bytes: not overused, but the third
  // core is refused.
  EXPECT_EQ(Decide(cluster, Profile("allocate", "proportion")), "bind k0 n0; bind k1 n0");
}

TEST(Proportion, KubeBatchCutsOnlyQueuesThatNeedLessInEverything) {
  Cluster cluster;
  Queue(cluster, {.name = "a", .weight = 1});
  Queue(cluster, {.name = "b", .weight = 1});
  Nodes(cluster, 1, {{"cpu", 12}});
  Demand(cluster, "a", 1);
  Demand(cluster, "b", 100);
  // No queue requests less memory than the none that there is, so that a is never cut to what it
  // needs.
  EXPECT_EQ(DeservedCpu(cluster, KubeBatchProfile("", "proportion")),
            (std::vector<double>{-1, 6000, 6000}));
}

}  // namespace
}  // namespace muster::testing
