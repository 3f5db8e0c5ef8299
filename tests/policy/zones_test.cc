// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NUMA zones through a whole cycle: what is refused and why, what is taken from zones, scores, and
// what reports change.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/strings.h"
#include "lib/model/words.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

std::string Profile(const std::string& options = "") {
  return "volcano:actions=allocate,tiers=gang/predicates+zones" +
         (options.empty() ? "" : "(" + options + ")");
}

// Zones of 4 cpu and 8Gi each, without a report.
NodeSpec Aligned(const std::string& name, int zones = 2) {
  NodeSpec node{.name = name,
                .capacity = {{"cpu", 4 * zones},
                             {"memory", std::to_string(8 * zones) + "Gi"},
                             {"nvidia.com/gpu", zones},
                             {"pods", 99}}};
  node.alignment = Alignment::kSingleNumaNode;
  for (int z = 0; z < zones; ++z) {
    node.zones.push_back(
        {.name = "z" + std::to_string(z), .capacity = {{"cpu", 4}, {"memory", "8Gi"}}});
  }
  return node;
}

TaskShape Wants(const Resources& request, bool guaranteed = true) {
  return {.request = request, .guaranteed_qos = guaranteed};
}

void Job(Cluster& cluster, const std::string& name, const TaskShape& shape, int count = 1,
         int32_t priority = 0) {
  Accept(cluster.AddJob(
      {.name = name, .priority = priority, .min_available = 1, .phase = JobPhase::kAdmitted}));
  for (int i = 0; i < count; ++i) {
    Accept(cluster.AddTask(
        {.name = name + std::to_string(i), .job = name, .shape = shape, .priority = priority}));
  }
}

// What a single task gets: the node, or why it gets none.
std::string Fate(Cluster& cluster, const TaskShape& shape, const std::string& profile) {
  Job(cluster, "t", shape);
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::string words = plan->binds().empty() ? *plan->Explain("t0")
                                            : std::string(plan->node_name(plan->binds()[0].node));
  if (plan->binds().empty()) {
    words = words.substr(words.find("\n  ") + 3);
    words.pop_back();
  }
  Accept(cluster.RemoveJob("t"));
  return words;
}

std::string Fate(const NodeSpec& node, const TaskShape& shape,
                 const std::string& profile = Profile()) {
  Cluster cluster;
  Accept(cluster.AddNode(node));
  return Fate(cluster, shape, profile);
}

TEST(Zones, OneZoneMustHaveAllThatAGuaranteedTaskAsksFor) {
  NodeSpec node = Aligned("n");
  EXPECT_EQ(Fate(node, Wants({{"cpu", 4}, {"memory", "8Gi"}})), "n");
  EXPECT_EQ(Fate(node, Wants({{"cpu", 5}})), "1 node: no zone has enough cpu");
  EXPECT_EQ(Fate(node, Wants({{"cpu", 4}, {"memory", "9Gi"}})),
            "1 node: no zone has enough memory");
  EXPECT_EQ(Fate(node, Wants({{"cpu", 5}}, /*guaranteed=*/false)), "n");
  EXPECT_EQ(Fate(node, Wants({{"cpu", 5}}), Profile("without=fit")), "n");
  for (const Alignment alignment :
       {Alignment::kRestricted, Alignment::kBestEffort, Alignment::kNone, Alignment::kUnset}) {
    node.alignment = alignment;
    EXPECT_EQ(Fate(node, Wants({{"cpu", 5}})), "n") << Word(alignment);
  }
  node.alignment = Alignment::kSingleNumaNode;
  node.zones.clear();
  EXPECT_EQ(Fate(node, Wants({{"cpu", 5}})), "n");
}

TEST(Zones, ContainersComeAfterOneAnother) {
  NodeSpec node = Aligned("n");
  TaskShape shape = Wants({{"cpu", 8}});
  const auto containers = [&](const std::vector<int>& cpus) {
    shape.containers.clear();
    for (int cpu : cpus) shape.containers.push_back({.request = {{"cpu", cpu}}});
  };
  containers({3, 2, 3});
  EXPECT_EQ(Fate(node, shape), "1 node: no zone has enough cpu for containers[2]");
  containers({3, 2, 1, 2});
  EXPECT_EQ(Fate(node, shape), "n");
  node.alignment_scope = AlignmentScope::kPod;
  EXPECT_EQ(Fate(node, shape), "1 node: no zone has enough cpu");
  node.alignment_scope = AlignmentScope::kContainer;
  // Those that run before the others take nothing, whichever place they have; a sidecar is one of
  // them.
  containers({4, 4, 4});
  EXPECT_EQ(Fate(node, shape), "1 node: no zone has enough cpu for containers[2]");
  shape.containers[1].init = true;
  EXPECT_EQ(Fate(node, shape), "n");
  shape.containers[0].sidecar = true;
  EXPECT_EQ(Fate(node, shape), "n");
  shape.containers[0].request = {{"cpu", 5}};
  EXPECT_EQ(Fate(node, shape), "1 node: no zone has enough cpu for containers[0]");
  // What it needs to start counts by pod.
  shape.containers.clear();
  shape.request = {{"cpu", 4}};
  shape.initial_request = Resources{{"cpu", 5}};
  EXPECT_EQ(Fate(node, shape), "n");
  node.alignment_scope = AlignmentScope::kPod;
  EXPECT_EQ(Fate(node, shape), "1 node: no zone has enough cpu");
}

TEST(Zones, DevicesThatZonesListHoldEverybody) {
  NodeSpec node = Aligned("n");
  const Resources both = {{"cpu", 1}, {"nvidia.com/gpu", 2}};
  EXPECT_EQ(Fate(node, Wants(both)), "n");  // of the machine, as far as zones have it
  for (ZoneSpec& zone : node.zones) zone.capacity.emplace_back("nvidia.com/gpu", 1);
  EXPECT_EQ(Fate(node, Wants(both)), "1 node: no zone has enough nvidia.com/gpu");
  EXPECT_EQ(Fate(node, Wants(both, false)), "1 node: no zone has enough nvidia.com/gpu");
  EXPECT_EQ(Fate(node, Wants({{"nvidia.com/gpu", 1}}, false)), "n");
  // A resource that Kubernetes has itself is of zones alone.
  node.capacity.emplace_back("hugepages-2Mi", "1Gi");
  EXPECT_EQ(Fate(node, Wants({{"hugepages-2Mi", "2Mi"}})),
            "1 node: no zone has enough hugepages-2Mi");
  EXPECT_EQ(Fate(node, Wants({{"hugepages-2Mi", "2Mi"}}, false)), "n");
  node.capacity.emplace_back("ephemeral-storage", "1Gi");
  EXPECT_EQ(Fate(node, Wants({{"ephemeral-storage", "2Mi"}})), "n");
  // What only a container requests no node has.
  TaskShape shape = Wants({{"cpu", 1}});
  shape.containers = {{.request = {{"vendor.com/x", 1}}}};
  EXPECT_EQ(Fate(node, shape), "1 node: no zone has enough vendor.com/x for containers[0]");
}

TEST(Zones, WhatIsPlacedIsTakenFromEveryZone) {
  Cluster cluster;
  Accept(cluster.AddNode(Aligned("n")));
  Job(cluster, "j", Wants({{"cpu", 2}}), 3);
  // 4 of 8 cpu are idle, in an unknown zone.
  EXPECT_EQ(Decide(cluster, Profile()), "bind j0 n; bind j1 n");
  EXPECT_EQ(Decide(cluster, Profile("without=fit")), "bind j0 n; bind j1 n; bind j2 n");
  // Tasks without alignment take theirs, too.
  Job(cluster, "k", Wants({{"cpu", 1}}, false), 1, /*priority=*/9);
  EXPECT_EQ(Decide(cluster, "volcano:actions=allocate,tiers=priority+gang/predicates+zones"),
            "bind k0 n; bind j0 n");
}

TEST(Zones, ReportsSayWhatRunningTasksLeft) {
  NodeSpec node = Aligned("n");
  const auto fate = [&](TaskStatus status, std::optional<int64_t> started) {
    Cluster cluster;
    Accept(cluster.AddNode(node));
    Accept(cluster.AddTask({.name = "r",
                            .shape = Wants({{"cpu", 3}}),
                            .status = status,
                            .node = "n",
                            .started = started}));
    return Fate(cluster, Wants({{"cpu", 2}}), Profile());
  };
  const std::string no = "1 node: no zone has enough cpu";
  // The node was not measured: all that is there counts.
  for (const TaskStatus status :
       {TaskStatus::kRunning, TaskStatus::kBound, TaskStatus::kReleasing, TaskStatus::kUnknown}) {
    EXPECT_EQ(fate(status, 1), no);
  }
  node.zones[0].available = Resources{{"cpu", 1}, {"memory", "8Gi"}};
  EXPECT_EQ(fate(TaskStatus::kRunning, std::nullopt), "n");  // the other zone has all of its own
  EXPECT_EQ(fate(TaskStatus::kReleasing, std::nullopt), "n");
  EXPECT_EQ(fate(TaskStatus::kBound, 1), no);
  EXPECT_EQ(fate(TaskStatus::kBinding, 1), no);
  node.zones_measured = 100;
  EXPECT_EQ(fate(TaskStatus::kRunning, 99), "n");
  EXPECT_EQ(fate(TaskStatus::kRunning, 100), no);
  EXPECT_EQ(fate(TaskStatus::kRunning, std::nullopt), no);
  node.zones[1].available = Resources{{"memory", "8Gi"}};
  EXPECT_EQ(fate(TaskStatus::kRunning, 99), no);
}

TEST(Zones, Scores) {
  Cluster cluster;
  NodeSpec full = Aligned("full"), empty = Aligned("empty");
  for (ZoneSpec& zone : full.zones) zone.available = Resources{{"cpu", 2}, {"memory", "8Gi"}};
  Accept(cluster.AddNode(full));
  Accept(cluster.AddNode(empty));
  Accept(cluster.AddNode(
      {.name = "plain", .capacity = {{"cpu", 8}, {"memory", "16Gi"}, {"pods", 99}}}));
  const TaskShape shape = Wants({{"cpu", 2}, {"memory", "4Gi"}});
  // Of cpu and memory are left: 0 and 50 percent, 50 and 50, and the plain node has no zones.
  EXPECT_EQ(Fate(cluster, shape, Profile()), "empty");
  EXPECT_EQ(Fate(cluster, shape, Profile("strategy=most")), "full");       // 75 and 50
  EXPECT_EQ(Fate(cluster, shape, Profile("strategy=balanced")), "empty");  // 87 and 100
  EXPECT_EQ(Fate(cluster, shape, Profile("strategy=fewest")), "full");     // equal: the first
  EXPECT_EQ(Fate(cluster, shape, Profile("weight=0")), "full");
  EXPECT_EQ(Fate(cluster, Wants(shape.request, false), Profile()), "full");
}

TEST(Zones, WeightsOfResources) {
  Cluster cluster;
  for (const char* name : {"memory", "cpu"}) {
    NodeSpec node = Aligned(name);
    for (ZoneSpec& zone : node.zones) {
      zone.available = Resources{{"cpu", 2}, {"memory", "8Gi"}};
      if (node.name == "cpu") zone.available = Resources{{"cpu", 4}, {"memory", "4Gi"}};
    }
    Accept(cluster.AddNode(node));
  }
  // Left of cpu and memory: 50 and 75 percent, and 75 and 50.
  const TaskShape shape = Wants({{"cpu", 1}, {"memory", "2Gi"}});
  EXPECT_EQ(Fate(cluster, shape, Profile()), "memory");
  EXPECT_EQ(Fate(cluster, shape, Profile("cpu=3")), "cpu");
  EXPECT_EQ(Fate(cluster, shape, Profile("memory=3")), "memory");
  EXPECT_EQ(Fate(cluster, shape, Profile("memory=3,strategy=most")), "cpu");
  EXPECT_EQ(Fate(cluster, shape, Profile("cpu=3,memory=5")), "memory");
}

TEST(Zones, FewestZonesOnNodesThatOnlyTry) {
  Cluster cluster;
  NodeSpec two = Aligned("two"), near = Aligned("near", 4), one = Aligned("one", 1);
  for (NodeSpec* node : {&two, &near, &one}) node->alignment = Alignment::kBestEffort;
  for (ZoneSpec& zone : near.zones) {
    for (const ZoneSpec& to : near.zones) {
      const bool pair = (zone.name < "z2") == (to.name < "z2");
      zone.distances.emplace_back(to.name, zone.name == to.name ? 10 : pair ? 12 : 32);
    }
  }
  near.zones[0].available = near.zones[2].available = Resources{{"cpu", 0}, {"memory", "8Gi"}};
  Accept(cluster.AddNode(near));
  const std::string fewest = Profile("strategy=fewest");
  EXPECT_EQ(Fate(cluster, Wants({{"cpu", 8}}), fewest), "near");
  // Two zones there are far from one another: 76, where `two` has no others, 82. A single zone: 94
  // on all.
  Accept(cluster.AddNode(two));
  EXPECT_EQ(Fate(cluster, Wants({{"cpu", 8}}), fewest), "two");
  EXPECT_EQ(Fate(cluster, Wants({{"cpu", 4}}), fewest), "near");
  Accept(cluster.AddNode(one));
  EXPECT_EQ(Fate(cluster, Wants({{"cpu", 4}}), fewest), "near");
  EXPECT_EQ(Fate(cluster, Wants({{"cpu", 8}}), Profile()), "near");  // ignores such nodes
  // With two zones at most, a second one costs half.
  EXPECT_EQ(Fate(cluster, Wants({{"cpu", 8}}), Profile("strategy=fewest,most_zones=2")), "two");
}

TEST(Zones, EvictionsAreNoCure) {
  for (const std::string profile :
       {"volcano:actions=allocate+preempt,tiers=priority+gang/predicates+zones", "muster"}) {
    Cluster cluster;
    Accept(cluster.AddNode(Aligned("n", 1)));
    Accept(cluster.AddJob({.name = "low", .min_available = 0, .phase = JobPhase::kRunning}));
    Accept(cluster.AddTask({.name = "r",
                            .job = "low",
                            .shape = Wants({{"cpu", 3}}),
                            .status = TaskStatus::kRunning,
                            .node = "n"}));
    Job(cluster, "high", Wants({{"cpu", 2}}), 1, /*priority=*/9);
    EXPECT_EQ(Decide(cluster, profile), "") << profile;
    const std::string without = profile + (profile == "muster" ? ":-zones" : ",-zones");
    EXPECT_EQ(Decide(cluster, without), "evict r n; nominate high0 n") << profile;
  }
}

TEST(Zones, ProfileMusterAsks) {
  EXPECT_EQ(Fate(Aligned("n"), Wants({{"cpu", 5}}), "muster"), "1 node: no zone has enough cpu");
  EXPECT_EQ(Fate(Aligned("n"), Wants({{"cpu", 4}}), "muster"), "n");
}

TEST(Zones, ALivingClusterFollowsReports) {
  Cluster cluster;
  NodeSpec node = Aligned("n");
  Accept(cluster.AddNode(node));
  Job(cluster, "j", Wants({{"cpu", 3}}), 2);
  const auto cycle = [&] {
    const absl::StatusOr<Plan> plan = cluster.Schedule(Profile());
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::string words;
    for (const Bind& bind : plan->binds()) {
      absl::StrAppend(&words, ToAbsl(plan->task_name(bind.task)), " ",
                      ToAbsl(plan->node_name(bind.node)));
    }
    EXPECT_TRUE(cluster.Apply(*plan).ok());
    return words;
  };
  EXPECT_EQ(cycle(), "j0 n");
  EXPECT_EQ(cycle(), "");
  // It runs, and the node has its zone.
  Accept(cluster.SetTaskStatus("j0", TaskStatus::kRunning, "n"));
  EXPECT_EQ(cycle(), "");
  node.zones[1].available = Resources{{"cpu", 1}, {"memory", "8Gi"}};
  Accept(cluster.UpdateNode(node));
  EXPECT_EQ(cycle(), "j1 n");
  // A node that comes, and one that gets zones.
  Job(cluster, "k", Wants({{"cpu", 5}}));
  EXPECT_EQ(cycle(), "");
  NodeSpec more = Aligned("more");
  Accept(cluster.AddNode(more));
  EXPECT_EQ(cycle(), "");
  more.zones.clear();
  Accept(cluster.UpdateNode(more));
  EXPECT_EQ(cycle(), "k0 more");
  Job(cluster, "l", Wants({{"cpu", 1}, {"memory", "9Gi"}}));
  more.zones = Aligned("more").zones;
  Accept(cluster.UpdateNode(more));
  EXPECT_EQ(cycle(), "");
  Accept(cluster.SetTaskStatus("k0", TaskStatus::kSucceeded));
  Accept(cluster.RemoveNode("more"));
  Accept(
      cluster.AddNode({.name = "more", .capacity = {{"cpu", 9}, {"memory", "9Gi"}, {"pods", 9}}}));
  EXPECT_EQ(cycle(), "l0 more");
}

TEST(Zones, BadOptionsAreRefused) {
  EXPECT_EQ(Schedule(Cluster().Freeze(), Profile("strategy=best")).status().message(),
            "policy zones: option \"strategy\" is \"best\"; must be one of "
            "least|most|balanced|fewest");
  EXPECT_EQ(Schedule(Cluster().Freeze(), Profile("cpu=0")).status().message(),
            "policy zones: option \"cpu\" is \"0\"; must be a number from 1 to 1000000000");
  EXPECT_EQ(Schedule(Cluster().Freeze(), Profile("most_zones=1")).status().message(),
            "policy zones: option \"most_zones\" is \"1\"; must be a whole number from 2 to 1024");
}

}  // namespace
}  // namespace muster::testing
