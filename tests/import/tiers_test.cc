// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Configurations of schedulers as profiles.
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Import Configured(const std::string& configuration,
                  ImportOptions options = {.profile = "volcano"}) {
  options.configuration = configuration;
  return Imported({}, options);
}

std::string ProfileOf(const std::string& configuration) {
  const Import import = Configured(configuration);
  EXPECT_THAT(Lines(import), IsEmpty());
  return import.scenario.profile;
}

std::string Plugin(const std::string& name, const std::string& arguments) {
  return absl::StrCat(R"({"tiers": [{"plugins": [{"name": ")", name, R"(", "arguments": )",
                      arguments, "}]}]}");
}

TEST(Tiers, AConfigurationFileBecomesAProfile) {
  EXPECT_EQ(ProfileOf(R"({"actions": "enqueue, allocate, preempt",
      "tiers": [
        {"plugins": [{"name": "priority"}, {"name": "gang", "enablePreemptable": false}]},
        {"plugins": [
          {"name": "overcommit", "arguments": {"overcommit-factor": 0.5}},
          {"name": "binpack", "arguments": {
            "binpack.weight": 10, "binpack.cpu": -4,
            "binpack.resources": "nvidia.com/gpu, example.com/x",
            "binpack.resources.nvidia.com/gpu": 2}}]}],
      "configurations": [
        {"name": "preempt", "arguments": {"enableTopologyAwarePreemption": true}}]})"),
            "volcano:actions=admit+allocate+preempt(topology_aware=on),"
            "tiers=priority+gang(without=preemptable)/overcommit(factor=1.2)+"
            "binpack(weight=10,cpu=1,resource.nvidia.com/gpu=2,resource.example.com/x=1)");
  EXPECT_EQ(ProfileOf("{}"), "volcano");
  EXPECT_EQ(ProfileOf(R"({"actions": ["allocate"]})"), "volcano:actions=allocate");
}

TEST(Tiers, ActionsForGangsShareASwitchOfAllocate) {
  const Import import = Configured(R"({"actions": "allocate, gangpreempt, gangreclaim",
      "configurations": [
        {"name": "allocate", "arguments": {"predicateErrorCacheEnable": false}},
        {"name": "gangreclaim", "arguments": {"allowWholeBundle": "False", "maxDomains": 4}}]})");
  EXPECT_EQ(import.scenario.profile,
            "volcano:actions=allocate(error_cache=off)+gangpreempt(error_cache=off)+"
            "gangreclaim(error_cache=off,whole_gangs=off)");
  EXPECT_THAT(Lines(import), ElementsAre("scheduler configuration: "
                                         "configurations[1].arguments.maxDomains: not considered"));
}

TEST(Tiers, SwitchesThatAreNotSetAreOffInTiersMadeByHand) {
  const Import import =
      Configured(R"({"tiers": [{"plugins": [{"name": "gang", "enableJobReady": true}]}]})",
                 {.profile = "kube-batch", .unset_switches_on = false});
  EXPECT_EQ(import.scenario.profile,
            "kube-batch:tiers=gang(best_effort_counts=off,count_down_victims=off,"
            "without=job_order|pipelined|task_order|preemptable|reclaimable|queue_order|fit|score|"
            "valid)");
}

TEST(Tiers, WhatAProfileCannotHoldIsReported) {
  const Import import = Configured(R"({"actions": "allocate",
      "tiers": [{"plugins": [
        {"name": "drf", "enableHierarchy": true, "enableMagic": true},
        {"name": "sla", "arguments": {"sla-waiting-time": "1h"}}]}],
      "configurations": [{"name": "reclaim", "arguments": {"x": 1}}]})");
  EXPECT_EQ(import.scenario.profile,
            "volcano:actions=allocate,tiers=drf(hierarchy=on)+sla(waiting_time=3600)");
  EXPECT_THAT(
      Lines(import),
      ElementsAre("scheduler configuration: configurations[0].arguments: the action does not run",
                  "scheduler configuration: tiers[0].plugins[0].enableMagic: not considered"));
}

TEST(Arguments, NestedOnesBecomeOptions) {
  const Import import = Configured(Plugin("resource-strategy-fit", R"({
      "resourceStrategyFitWeight": 3,
      "resources": {"cpu": {"type": "LeastAllocated", "weight": 0},
                    "nvidia.com/*": {"type": "MostAllocated", "weight": 2},
                    "a*b": {"weight": 1}},
      "sra": {"enable": true, "resources": "x, y", "weight": 4},
      "proportional": {"enable": true, "resources": "x", "resourceProportion": {"x.cpu": 4}}})"));
  EXPECT_EQ(import.scenario.profile,
            "volcano:tiers=resource-strategy-fit(weight=3,least.cpu=1,most.nvidia.com/*=2,"
            "scarce_weight=4,scarce.x=1,scarce.y=1,reserve_cpu.x=4,reserve_memory.x=1)");
  EXPECT_THAT(Lines(import), ElementsAre(HasSubstr("resources[\"a*b\"].weight: not considered")));
}

TEST(Arguments, WhatDoesNotCountLeavesTheDefault) {
  const Import import = Configured(Plugin("usage", R"({
      "usage.weight": 2, "thresholds": {"cpu": 90.5, "mem": 101},
      "estimator": {"be_cpu": "1500m", "be_mem": 1, "burst_ratio": 0.5}})"));
  EXPECT_EQ(import.scenario.profile,
            "volcano:tiers=usage(weight=2,cpu_threshold=90.5,best_effort_cpu=1500,"
            "best_effort_memory=1048576)");
  EXPECT_THAT(Lines(import),
              ElementsAre("scheduler configuration: tiers[0].plugins[0].arguments.thresholds.mem: "
                          "101 does not count; the default does",
                          "scheduler configuration: "
                          "tiers[0].plugins[0].arguments.estimator.burst_ratio: not considered by "
                          "usage"));
}

TEST(Arguments, Rescheduling) {
  const Import import = Configured(Plugin("rescheduling", R"({"interval": "5m",
      "strategies": [{"name": "lowNodeUtilization", "params": {
        "thresholds": {"cpu": 20, "pods": 9}, "targetThresholds": {"memory": 70}}}]})"));
  EXPECT_EQ(import.scenario.profile, "volcano:tiers=rescheduling(cpu_low=20,memory_high=70)");
  const std::string place = "scheduler configuration: tiers[0].plugins[0].arguments.";
  EXPECT_THAT(Lines(import),
              ElementsAre(place + "interval: not considered by rescheduling",
                          place + "strategies[0].params.thresholds.pods: not considered"));
}

TEST(Arguments, Capacity) {
  EXPECT_EQ(ProfileOf(Plugin("capacity", R"({"ancestorReclaimLevel": 2})")),
            "volcano:tiers=capacity(ancestor_reclaim_level=2)");
  EXPECT_EQ(ProfileOf(Plugin("capacity", R"({"ancestorReclaimLevel": -2})")),
            "volcano:tiers=capacity");
  EXPECT_EQ(ProfileOf(Plugin("capacity", R"({"capacity.DynamicResourceAllocationEnable": false})")),
            "volcano:tiers=capacity");
  EXPECT_THAT(Lines(Configured(
                  Plugin("capacity", R"({"capacity.DynamicResourceAllocationEnable": true})"))),
              ElementsAre(HasSubstr("not considered by capacity")));
}

TEST(Arguments, SwitchesAndWindows) {
  EXPECT_EQ(ProfileOf(Plugin("nodegroup", R"({"strict": false, "enablePreferredOrder": "true"})")),
            "volcano:tiers=nodegroup(strict=off,preferred_order=on)");
  const Import import = Configured(Plugin("tdm", R"({"tdm.revocable-zone.a": " 9:05-17:30 ",
      "tdm.revocable-zone.b": "24:00-1:00", "tdm.evict.period": "1m"})"));
  EXPECT_EQ(import.scenario.profile, "volcano:tiers=tdm(from.a=545,to.a=1050,from.b=0)");
  const std::string place = "scheduler configuration: tiers[0].plugins[0].arguments";
  EXPECT_THAT(Lines(import),
              ElementsAre(place + "[\"tdm.revocable-zone.b\"]: \"24:00-1:00\" is no window; the "
                                  "zone never opens",
                          place + "[\"tdm.evict.period\"]: not considered by tdm"));
}

TEST(Arguments, OtherPlugins) {
  EXPECT_EQ(ProfileOf(Plugin("nodeorder", R"({"leastrequested.weight": "2"})")),
            "volcano:tiers=nodeorder(least_requested=2)");
  EXPECT_EQ(ProfileOf(Plugin("predicates", R"({"predicate.NodePortsEnable": "false",
                "predicate.PodAffinityEnable": true, "predicate.CacheEnable": true})")),
            "volcano:tiers=predicates(host_ports=off)");
  EXPECT_EQ(ProfileOf(Plugin("task-topology", R"({"task-topology.weight": 4})")),
            "volcano:tiers=task-topology(weight=4)");
  EXPECT_EQ(ProfileOf(Plugin("numa-aware", R"({"weight": 4})")),
            "volcano:tiers=numa-aware(weight=4)");
  EXPECT_THAT(Lines(Configured(Plugin("numa-aware", R"({"weight": -4})"))),
              ElementsAre(HasSubstr("arguments.weight: not considered by numa-aware")));
  EXPECT_EQ(ProfileOf(Plugin("network-topology-aware",
                             R"({"weight": 2, "hypernode.binpack.cpu": -1,
                "hypernode.binpack.resources": "x", "hypernode.binpack.resources.x": 3,
                "hypernode.binpack.normal-pod.enable": false,
                "hypernode.binpack.normal-pod.fading": 0.5,
                "hypernode.gradient.evict.max-hypernodes": 4})")),
            "volcano:tiers=network-topology-aware(weight=2,cpu=1,resource.x=3,normal_tasks=off,"
            "fading=0.5,evict_domains=4)");
}

TEST(Arguments, WhatIsNoneIsRefused) {
  const auto refusal = [](const std::string& configuration) {
    return std::string(ImportObjects("", {.profile = "volcano", .configuration = configuration})
                           .status()
                           .message());
  };
  EXPECT_EQ(refusal("["), "scheduler configuration: byte 1: unexpected end of input");
  EXPECT_EQ(refusal("[]"), "scheduler configuration: expected an object with actions and tiers");
  EXPECT_EQ(refusal(R"({"tiers": [{"plugins": [{}]}]})"),
            "scheduler configuration: tiers[0].plugins[0].name: missing; each plugin has a name");
  EXPECT_EQ(refusal(R"({"tiers": [{"plugins": [{"name": "gang", "enableJobReady": 1}]}]})"),
            "scheduler configuration: tiers[0].plugins[0].enableJobReady: expected true or false, "
            "got 1");
  EXPECT_EQ(refusal(Plugin("nodeorder", R"({"leastrequested.weight": 1.5})")),
            "scheduler configuration: tiers[0].plugins[0].arguments[\"leastrequested.weight\"]: "
            "expected a whole number, got 1.5");
  EXPECT_THAT(refusal(Plugin("binpack", R"({"binpack.weight": 1e300})")),
              HasSubstr("expected a number between -2^53 and 2^53, got 1e300"));
  EXPECT_THAT(refusal(Plugin("rescheduling", R"({"strategies": {}})")),
              HasSubstr("strategies: expected an array, got an object"));
  EXPECT_THAT(refusal(R"({"actions": [1]})"), HasSubstr("actions[0]: expected text, got 1"));
}

}  // namespace
}  // namespace muster
