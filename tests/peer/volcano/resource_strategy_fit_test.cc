// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

std::string StrategyProfile(const std::string& options) {
  return "volcano:actions=allocate,tiers=gang/predicates+resource-strategy-fit" +
         (options.empty() ? "" : "(" + options + ")");
}

void StrategyNode(Cluster& cluster, const std::string& name, const Resources& capacity,
                  const Resources& used = {}) {
  Resources all = capacity;
  all.emplace_back("pods", 99);
  Accept(cluster.AddNode({.name = name, .capacity = all}));
  if (used.empty()) return;
  Accept(cluster.AddTask({.name = "on-" + name,
                          .shape = {.request = used},
                          .status = TaskStatus::kRunning,
                          .node = name}));
}

std::string Choice(Cluster& cluster, const Resources& request, const std::string& options) {
  AddJob(cluster, {.name = "j", .phase = JobPhase::kAdmitted}, 1, request);
  const std::string words = Decide(cluster, StrategyProfile(options));
  Accept(cluster.RemoveJob("j"));
  return words;
}

TEST(ResourceStrategyFit, EmptyOrFullByDimension) {
  Cluster cluster;
  StrategyNode(cluster, "full", {{"cpu", 8}, {"memory", 80}, {"gpu", 8}},
               {{"cpu", 4}, {"memory", 40}, {"gpu", 4}});
  StrategyNode(cluster, "empty", {{"cpu", 8}, {"memory", 80}, {"gpu", 8}});
  const Resources request = {{"cpu", 1}, {"memory", 10}, {"gpu", 1}};
  EXPECT_EQ(Choice(cluster, request, ""), "bind j0 empty");
  EXPECT_EQ(Choice(cluster, request, "most.cpu=1"), "bind j0 full");
  EXPECT_EQ(Choice(cluster, request, "least.cpu=1,most.gpu=2"), "bind j0 full");
  EXPECT_EQ(Choice(cluster, request, "least.cpu=2,most.gpu=1"), "bind j0 empty");
  EXPECT_EQ(Choice(cluster, {{"cpu", 1}}, "least.cpu=1,most.gpu=2"), "bind j0 empty");
}

TEST(ResourceStrategyFit, TheMostExactNameSpeaks) {
  Cluster cluster;
  StrategyNode(cluster, "full", {{"cpu", 8}, {"x/a", 8}}, {{"x/a", 4}});
  StrategyNode(cluster, "empty", {{"cpu", 8}, {"x/a", 8}});
  EXPECT_EQ(Choice(cluster, {{"x/a", 1}}, "least.x*=1,most.x/*=1"), "bind j0 full");
  EXPECT_EQ(Choice(cluster, {{"x/a", 1}}, "least.x/a=1,most.x/*=1"), "bind j0 empty");
}

TEST(ResourceStrategyFit, ScarceResourcesAreKept) {
  Cluster cluster;
  StrategyNode(cluster, "gpu", {{"cpu", 8}, {"gpu", 8}});
  StrategyNode(cluster, "fpga", {{"cpu", 8}, {"fpga", 8}});
  StrategyNode(cluster, "plain", {{"cpu", 8}}, {{"cpu", 4}});
  const std::string scarce = "weight=0,scarce_weight=1,scarce.gpu=3,scarce.fpga=1";
  EXPECT_EQ(Choice(cluster, {{"cpu", 1}}, scarce), "bind j0 plain");
  EXPECT_EQ(Choice(cluster, {{"cpu", 5}}, scarce), "bind j0 fpga");
  // Without that weight only how empty they are counts.
  EXPECT_EQ(Choice(cluster, {{"cpu", 1}}, "weight=1,scarce_weight=0,scarce.gpu=1"), "bind j0 gpu");
}

TEST(ResourceStrategyFit, ReservesKeepWhatIdleResourcesNeed) {
  Cluster cluster;
  StrategyNode(cluster, "n", {{"cpu", 10}, {"memory", "100M"}, {"gpu", 2}});
  // Two idle GPUs need four cores each: two of the ten may go.
  const std::string reserve = "reserve_cpu.gpu=4,reserve_memory.gpu=0";
  EXPECT_EQ(Choice(cluster, {{"cpu", 2}}, reserve), "bind j0 n");
  EXPECT_EQ(Choice(cluster, {{"cpu", "2001m"}}, reserve), "");
  EXPECT_EQ(Choice(cluster, {{"cpu", 9}, {"gpu", 1}}, reserve), "bind j0 n");
  EXPECT_EQ(Choice(cluster, {{"cpu", 1}, {"memory", 1}}, "reserve_memory.gpu=0.05"), "");
  EXPECT_EQ(Choice(cluster, {{"cpu", 1}}, "reserve_memory.gpu=0.05"), "bind j0 n");
}

}  // namespace
}  // namespace muster::testing
