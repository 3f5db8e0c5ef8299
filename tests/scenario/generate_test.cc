// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Generated clusters: the same everywhere, as the knobs are set, and sound.
#include "lib/scenario/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "lib/base/digest.h"
#include "lib/scenario/mixes.h"
#include "tests/scenario/any_spec.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

Scenario Make(const GenerateOptions& options) {
  absl::StatusOr<Scenario> scenario = Generate(options);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return scenario.ok() ? *std::move(scenario) : Scenario();
}

std::string DigestOf(const GenerateOptions& options) {
  Digest digest;
  digest.Add(WriteScenario(Make(options)));
  return digest.Hex();
}

int64_t PendingTasks(const Scenario& scenario) {
  int64_t tasks = 0;
  for (const JobSpec& job : scenario.cluster.jobs) {
    for (const GroupSpec& group : job.groups) tasks += group.count;
  }
  return tasks;
}

// "500m" and "3" in thousandths, "12Mi" in MiB.
int64_t Amount(const Resources& resources, std::string_view name) {
  for (const auto& [key, quantity] : resources) {
    if (key != name) continue;
    const int64_t digits = std::stoll(quantity.text);
    const char last = quantity.text.back();
    return last == 'm' || last == 'i' ? digits : digits * 1000;
  }
  return 0;
}

GenerateOptions Everything() {
  GenerateOptions options;
  options.nodes = 60;
  options.seed = 5;
  options.load = 1.5;
  options.depth = 3;
  options.queues = 20;
  options.types = 6;
  options.classes = 40;
  options.gpu = 0.4;
  options.gpu_share = 0.5;
  options.occupancy = 0.7;
  options.priorities = 4;
  options.selectors = options.taints = options.affinity = options.spread = 0.3;
  return options;
}

// The files of these knobs, pinned: a change of the generator changes all random clusters.
TEST(Generate, IsTheSameEverywhere) {
  EXPECT_EQ(DigestOf({}), "47c5155123ab627b85ddb1f10a2aaed9");
  EXPECT_EQ(DigestOf(Everything()), "080419c8bc0cc0949d3ccba7b07cd633");
  EXPECT_EQ(DigestOf({.mix = "openb", .nodes = 1213}), "f0412d5ef8b6075940a581a5434dd257");
  EXPECT_EQ(DigestOf({.mix = "philly", .nodes = 352}), "db8a8dbd12be5be3a3ae7694097ef0dd");
  EXPECT_EQ(DigestOf({.mix = "hpc", .nodes = 144, .occupancy = 0.5}),
            "e0c77cccbc6e3b9124d525c320393384");
}

TEST(Generate, SeedsDiffer) {
  std::set<std::string> digests;
  for (uint64_t seed = 0; seed < 50; ++seed) digests.insert(DigestOf({.seed = seed}));
  EXPECT_EQ(digests.size(), 50u);
}

TEST(Generate, RoundTrips) {
  for (const GenerateOptions& options :
       {GenerateOptions(), Everything(), GenerateOptions{.mix = "openb"},
        GenerateOptions{.mix = "philly"}, GenerateOptions{.mix = "hpc"}}) {
    const Scenario scenario = Make(options);
    const absl::StatusOr<Scenario> back = ParseScenario(WriteScenario(scenario));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(Same(scenario, *back));
  }
}

TEST(Generate, OpenbOf1213NodesIsThePublishedOne) {
  const Scenario scenario = Make({.mix = "openb", .nodes = 1213});
  int64_t gpus = 0, cpu = 0, memory = 0;
  std::map<std::string, int> kinds;
  for (const NodeSpec& node : scenario.cluster.nodes) {
    gpus += Amount(node.capacity, "nvidia.com/gpu") / 1000;
    cpu += Amount(node.capacity, "cpu");
    memory += Amount(node.capacity, "memory");
    ++kinds[node.name.substr(0, node.name.find('-'))];
  }
  EXPECT_EQ(gpus, 6212);
  EXPECT_EQ(cpu, 107018000);
  EXPECT_EQ(memory, 503828480);
  EXPECT_EQ(kinds.size(), 15u);
  EXPECT_EQ(kinds["g2"], 549);
}

TEST(Generate, CountsAreAsAsked) {
  EXPECT_EQ(PendingTasks(Make({.tasks = 1234})), 1234);
  const Scenario jobs = Make({.jobs = 50});
  EXPECT_EQ(jobs.cluster.jobs.size(), 50u);
  const Scenario both = Make({.tasks = 103, .jobs = 10});
  EXPECT_EQ(both.cluster.jobs.size(), 10u);
  EXPECT_EQ(PendingTasks(both), 103);
  for (const JobSpec& job : both.cluster.jobs) {
    EXPECT_GE(job.groups[0].count, 10);
    EXPECT_LE(job.groups[0].count, 11);
  }
  const Scenario empty = Make({.nodes = 0});
  EXPECT_TRUE(empty.cluster.nodes.empty());
  EXPECT_TRUE(empty.cluster.jobs.empty());
  EXPECT_EQ(PendingTasks(Make({.nodes = 0, .tasks = 5})), 5);
  EXPECT_EQ(PendingTasks(Make({.tasks = 0})), 0);
}

TEST(Generate, LoadIsAShareOfTheScarcestDimension) {
  for (const double load : {0.1, 1.0, 2.5}) {
    const Scenario scenario = Make({.nodes = 500, .load = load});
    double most = 0;
    for (const char* dimension : {"cpu", "memory", "nvidia.com/gpu"}) {
      int64_t capacity = 0, asked = 0;
      for (const NodeSpec& node : scenario.cluster.nodes)
        capacity += Amount(node.capacity, dimension);
      for (const JobSpec& job : scenario.cluster.jobs) {
        asked += Amount(job.groups[0].shape.request, dimension) * job.groups[0].count;
      }
      if (capacity > 0)
        most = std::max(most, static_cast<double>(asked) / static_cast<double>(capacity));
    }
    EXPECT_GE(most, load);
    EXPECT_LT(most, load + 0.1);
  }
}

TEST(Generate, ClassesAreDifferentAndAsManyAsAsked) {
  for (const char* mix : {"uniform", "openb", "philly", "hpc"}) {
    for (const int64_t classes : {1, 3, 100, 2000}) {
      const Scenario scenario =
          Make({.mix = mix, .nodes = 100, .tasks = 100000, .classes = classes});
      std::set<std::pair<std::string, std::string>> requests;
      for (const JobSpec& job : scenario.cluster.jobs) {
        const Resources& request = job.groups[0].shape.request;
        requests.insert({request[0].second.text + "/" + request[1].second.text,
                         request.size() > 2 ? request[2].second.text : ""});
      }
      EXPECT_LE(requests.size(), static_cast<size_t>(classes)) << mix;
      if (classes > 100) continue;
      EXPECT_GT(requests.size(), static_cast<size_t>(classes) / 2) << mix;
    }
  }
}

// Checks the running tasks; returns the share of all cores that they hold.
double CoresHeldByRunningTasks(const GenerateOptions& options) {
  const Scenario scenario = Make(options);
  std::map<std::string, Resources> capacity;
  std::set<std::string> jobs;
  for (const NodeSpec& node : scenario.cluster.nodes) capacity[node.name] = node.capacity;
  for (const JobSpec& job : scenario.cluster.jobs) jobs.insert(job.name);
  EXPECT_EQ(capacity.size(), static_cast<size_t>(options.nodes));
  EXPECT_EQ(jobs.size(), scenario.cluster.jobs.size());
  std::map<std::pair<std::string, std::string>, int64_t> used;
  for (const TaskSpec& task : scenario.cluster.tasks) {
    EXPECT_EQ(task.status, TaskStatus::kRunning);
    EXPECT_TRUE(jobs.contains(task.job)) << task.job;
    EXPECT_TRUE(capacity.contains(task.node)) << task.node;
    for (const char* dimension : {"cpu", "memory", "nvidia.com/gpu"}) {
      used[{task.node, dimension}] += Amount(task.shape.request, dimension);
    }
  }
  int64_t cpu_used = 0, cpu = 0;
  for (const auto& [name, resources] : capacity) {
    for (const char* dimension : {"cpu", "memory", "nvidia.com/gpu"}) {
      EXPECT_LE(static_cast<double>(used[{name, dimension}]),
                static_cast<double>(Amount(resources, dimension)) * options.occupancy);
    }
    cpu_used += used[{name, "cpu"}];
    cpu += Amount(resources, "cpu");
  }
  return static_cast<double>(cpu_used) / static_cast<double>(cpu);
}

TEST(Generate, RunningTasksFitTheirNodesAndKnowTheirJobs) {
  EXPECT_GT(CoresHeldByRunningTasks(Everything()), 0.1);
  EXPECT_GT(CoresHeldByRunningTasks({.occupancy = 0.7}), 0.4);
  EXPECT_GT(CoresHeldByRunningTasks({.mix = "openb", .occupancy = 0.9}), 0.4);
  EXPECT_GT(CoresHeldByRunningTasks({.mix = "hpc", .occupancy = 1}), 0.99);
  EXPECT_EQ(CoresHeldByRunningTasks({}), 0);
}

TEST(Generate, ConstraintsAreOnTheirShareOfShapes) {
  GenerateOptions options = Everything();
  options.tasks = 20000;
  options.classes = 500;
  const Scenario scenario = Make(options);
  std::set<std::string> seen;
  int64_t all = 0, selectors = 0, tolerations = 0, affinities = 0, spreads = 0;
  for (const JobSpec& job : scenario.cluster.jobs) {
    const TaskShape& shape = job.groups.empty() ? TaskShape() : job.groups[0].shape;
    if (job.groups.empty()) continue;
    ++all;
    selectors += !shape.node_selector.empty();
    tolerations += !shape.tolerations.empty();
    affinities += !shape.required_affinity.empty() || !shape.required_anti_affinity.empty() ||
                  !shape.preferred_affinity.empty() || !shape.preferred_anti_affinity.empty();
    spreads += !shape.spread.empty();
  }
  for (const int64_t count : {selectors, tolerations, affinities, spreads}) {
    EXPECT_NEAR(static_cast<double>(count) / static_cast<double>(all), 0.3, 0.1);
  }
  int64_t tainted = 0;
  std::set<std::string> zones;
  for (const NodeSpec& node : scenario.cluster.nodes) {
    tainted += !node.taints.empty();
    for (const auto& [key, value] : node.labels) {
      if (key == "zone") zones.insert(value);
    }
  }
  EXPECT_NEAR(static_cast<double>(tainted), 18, 8);
  EXPECT_EQ(zones.size(), 4u);
}

TEST(Generate, QueueTreesAreAsDeepAsAskedAndJobsAreInLeaves) {
  const Scenario scenario = Make({.queues = 20, .depth = 3});
  std::map<std::string, std::string> parents;
  std::set<std::string> inner;
  for (const QueueSpec& queue : scenario.cluster.queues) {
    EXPECT_TRUE(queue.parent.empty() || parents.contains(queue.parent)) << "parents stand first";
    parents[queue.name] = queue.parent;
    inner.insert(queue.parent);
  }
  int64_t leaves = 0;
  for (const auto& [name, parent] : parents) {
    if (inner.contains(name)) continue;
    ++leaves;
    int depth = 1;
    for (std::string up = parent; !up.empty(); up = parents[up]) ++depth;
    EXPECT_EQ(depth, 3) << name;
  }
  EXPECT_EQ(leaves, 20);
  for (const JobSpec& job : scenario.cluster.jobs) {
    EXPECT_TRUE(parents.contains(job.queue));
    EXPECT_FALSE(inner.contains(job.queue));
  }
}

TEST(Generate, RefusesKnobsOutOfRangeByName) {
  const auto error = [](const GenerateOptions& options) {
    return std::string(Generate(options).status().message());
  };
  EXPECT_THAT(error({.mix = "opnb"}),
              HasSubstr("mix: unknown mix \"opnb\", did you mean \"openb\"?"));
  EXPECT_THAT(error({.mix = ""}), HasSubstr("expected one of uniform, openb, philly, hpc"));
  EXPECT_THAT(error({.nodes = -1}), HasSubstr("nodes: expected between 0 and 1000000, got -1"));
  EXPECT_THAT(error({.tasks = -1}), HasSubstr("tasks: "));
  EXPECT_THAT(error({.load = 1e9}), HasSubstr("load: "));
  EXPECT_THAT(error({.load = std::nan("")}), HasSubstr("load: "));
  EXPECT_THAT(error({.tasks = 5, .jobs = 0}), HasSubstr("jobs: "));
  EXPECT_THAT(error({.gang = 0}), HasSubstr("gang: "));
  EXPECT_THAT(error({.priorities = 0}), HasSubstr("priorities: "));
  EXPECT_THAT(error({.queues = 0}), HasSubstr("queues: "));
  EXPECT_THAT(error({.depth = 0}), HasSubstr("depth: "));
  EXPECT_THAT(error({.types = 0}), HasSubstr("types: "));
  EXPECT_THAT(error({.classes = 0}), HasSubstr("classes: "));
  EXPECT_THAT(error({.gpu = 1.5}), HasSubstr("gpu: "));
  EXPECT_THAT(error({.gpu_share = -0.1}), HasSubstr("gpu-share: "));
  EXPECT_THAT(error({.occupancy = 2}), HasSubstr("occupancy: "));
  EXPECT_THAT(error({.selectors = 2}), HasSubstr("selectors: "));
  EXPECT_THAT(error({.taints = 2}), HasSubstr("taints: "));
  EXPECT_THAT(error({.affinity = 2}), HasSubstr("affinity: "));
  EXPECT_THAT(error({.spread = 2}), HasSubstr("spread: "));
}

TEST(Mixes, AreSound) {
  for (const std::string_view name : ClusterMixNames()) {
    if (name == "uniform") continue;
    const ClusterMix mix = NamedClusterMix(name);
    EXPECT_FALSE(mix.nodes.empty());
    for (const TaskType& task : mix.tasks) {
      bool fits = false;
      for (const NodeType& node : mix.nodes) {
        fits = fits || (task.cpu_milli <= node.cpu_milli && task.memory_mib <= node.memory_mib &&
                        task.gpu_milli <= node.gpus * 1000);
      }
      EXPECT_TRUE(fits) << name << ": " << task.cpu_milli << "m";
    }
    for (const GangType& gang : mix.gangs) {
      EXPECT_LT(gang.task_type, static_cast<int32_t>(mix.tasks.size()));
      EXPECT_GT(gang.size, 0);
    }
  }
  EXPECT_TRUE(NamedClusterMix("no").nodes.empty());
  int64_t shares[5] = {};  // without, part of one, one, two to four, eight
  for (const TaskType& task : NamedClusterMix("openb").tasks) {
    const int64_t milli = task.gpu_milli;
    shares[milli == 0      ? 0
           : milli < 1000  ? 1
           : milli == 1000 ? 2
           : milli < 8000  ? 3
                           : 4] += task.weight;
  }
  EXPECT_EQ(shares[0], 1088);
  EXPECT_EQ(shares[1], 3078);
  EXPECT_EQ(shares[2], 3911);
  EXPECT_EQ(shares[3], 31);
  EXPECT_EQ(shares[4], 44);
}

}  // namespace
}  // namespace muster
