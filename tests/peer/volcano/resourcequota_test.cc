// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kQuotaProfile[] = "volcano:actions=admit,tiers=resourcequota+predicates";

void Wanting(Cluster& cluster, const std::string& job, const Resources& minimum) {
  Accept(cluster.AddJob({.name = job, .min_resources = minimum}));
}

Cluster WithQuotas(const std::vector<QuotaSpec>& quotas) {
  Cluster cluster;
  Accept(cluster.SetNamespace({.name = "a", .quotas = quotas}));
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 1000}, {"memory", "1Ti"}}}));
  return cluster;
}

TEST(ResourceQuota, WhatIsUsedAndWhatTheCycleAdmitsCountTogether) {
  Cluster cluster = WithQuotas({{.name = "q", .hard = {{"cpu", 10}}, .used = {{"cpu", 3}}}});
  Wanting(cluster, "a/first", {{"cpu", 4}});
  Wanting(cluster, "a/second", {{"cpu", "3001m"}});
  Wanting(cluster, "a/third", {{"cpu", 3}});
  EXPECT_EQ(Decide(cluster, kQuotaProfile), "admit a/first; admit a/third");
}

TEST(ResourceQuota, OnlyDimensionsThatBothNameAreCompared) {
  Cluster cluster = WithQuotas({{.name = "q", .hard = {{"cpu", 1}}, .used = {{"cpu", 5}}}});
  Wanting(cluster, "a/memory", {{"memory", "100Gi"}});
  Wanting(cluster, "a/cpu", {{"cpu", 0}});
  EXPECT_EQ(Decide(cluster, kQuotaProfile), "admit a/memory");
}

TEST(ResourceQuota, EveryQuotaOfTheNamespaceHolds) {
  Cluster cluster = WithQuotas({{.name = "q", .hard = {{"cpu", 10}}},
                                {.name = "r", .hard = {{"cpu", 20}, {"memory", "1Gi"}}}});
  Wanting(cluster, "a/one", {{"cpu", 10}, {"memory", "2Gi"}});
  Wanting(cluster, "a/two", {{"cpu", 11}});
  Wanting(cluster, "a/three", {{"cpu", 10}, {"memory", "1Gi"}});
  EXPECT_EQ(Decide(cluster, kQuotaProfile), "admit a/three");
}

TEST(ResourceQuota, OtherNamespacesAndJobsWithoutMinimumAreFree) {
  Cluster cluster = WithQuotas({{.name = "q", .hard = {{"cpu", 0}}}});
  Accept(
      cluster.SetNamespace({.name = "default", .quotas = {{.name = "q", .hard = {{"cpu", 1}}}}}));
  Wanting(cluster, "b/job", {{"cpu", 7}});
  Wanting(cluster, "nowhere", {{"cpu", 2}});  // of the namespace default
  Accept(cluster.AddJob({.name = "a/any"}));
  EXPECT_EQ(Decide(cluster, kQuotaProfile), "admit b/job; admit a/any");
}

}  // namespace
}  // namespace muster::testing
