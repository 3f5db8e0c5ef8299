// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

// One core, and jobs of one task of one core each.
Cluster OneCore(std::initializer_list<JobSpec> jobs) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1}, {"pods", 9}}}));
  for (JobSpec job : jobs) {
    job.min_available = 1;
    AddJob(cluster, job, 1, {{"cpu", 1}});
  }
  return cluster;
}

TEST(Sla, WhoIsDueFirstGoesFirst) {
  const std::string profile = "volcano:actions=allocate,tiers=sla/gang/predicates";
  Cluster cluster = OneCore({{.name = "never", .created = 0},
                             {.name = "late", .created = 1, .waiting_time = 100},
                             {.name = "soon", .created = 50, .waiting_time = 10}});
  EXPECT_EQ(Decide(cluster, profile), "bind soon0 n");
}

TEST(Sla, TheOptionSpeaksForJobsThatDoNot) {
  Cluster cluster = OneCore(
      {{.name = "own", .created = 0, .waiting_time = 30}, {.name = "other", .created = 10}});
  EXPECT_EQ(Decide(cluster, "volcano:actions=allocate,tiers=sla(waiting_time=10)/gang/predicates"),
            "bind other0 n");
  EXPECT_EQ(Decide(cluster, "volcano:actions=allocate,tiers=sla(waiting_time=25)/gang/predicates"),
            "bind own0 n");
}

TEST(Sla, ATimeOfZeroIsNone) {
  Cluster cluster = OneCore(
      {{.name = "zero", .created = 0, .waiting_time = 0}, {.name = "some", .waiting_time = 1000}});
  EXPECT_EQ(Decide(cluster, "volcano:actions=allocate,tiers=sla/gang/predicates"), "bind some0 n");
}

TEST(Sla, WhoHasWaitedLongEnoughIsAdmittedAgainstLaterTiersAlone) {
  Cluster cluster = OneCore({{.name = "big",
                              .min_resources = Resources{{"cpu", 50}},
                              .created = 100,
                              .waiting_time = 60}});
  const std::string before = "volcano:actions=admit,tiers=sla/overcommit+predicates";
  EXPECT_EQ(Decide(cluster, before, 159), "");
  EXPECT_EQ(Decide(cluster, before, 160), "admit big");
  EXPECT_EQ(Decide(cluster, "volcano:actions=admit,tiers=sla+overcommit/predicates", 160), "");
  EXPECT_EQ(Decide(cluster, "volcano:actions=admit,tiers=overcommit/sla/predicates", 160), "");
}

}  // namespace
}  // namespace muster::testing
