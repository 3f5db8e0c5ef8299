// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/policy/class_counts.h"
#include "lib/reference/peer/fgd/gpu_packing.h"
#include "muster/muster.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

const char kFragments[] =
    "volcano:actions=allocate,tiers=priority+gang/predicates+devices(weight=0)+fragmentation";

NodeSpec GpuNode(const std::string& name, int64_t cpu, int gpus, const std::string& model = "a") {
  NodeSpec node{.name = name, .capacity = {{"cpu", cpu}, {"memory", 1000}, {"pods", 99}}};
  for (int i = 0; i < gpus; ++i) {
    node.devices.push_back({.name = "gpu" + std::to_string(i), .kind = "gpu", .model = model});
  }
  return node;
}

// A job of one task, which requests a share of so many GPUs each.
void AddPod(Cluster& cluster, const std::string& name, int64_t cpu, int64_t gpus, int64_t milli,
            const std::vector<std::string>& models = {}) {
  TaskShape shape{.request = {{"cpu", cpu}}};
  if (gpus > 0) {
    shape.devices = {{.kind = "gpu", .count = gpus, .milli = milli, .models = models}};
  }
  Accept(cluster.AddJob({.name = name, .min_available = 1, .phase = JobPhase::kAdmitted}));
  Accept(cluster.AddTask({.name = name, .job = name, .shape = shape}));
}

TEST(Fragmentation, AShareGoesWhereAWholeGpuStaysFree) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("empty", 8, 1)));
  Accept(cluster.AddNode(GpuNode("begun", 8, 1)));
  Accept(cluster.AddJob({.name = "half", .phase = JobPhase::kRunning}));
  Accept(cluster.AddTask({.name = "half",
                          .job = "half",
                          .shape = {.devices = {{.kind = "gpu", .milli = 500}}},
                          .status = TaskStatus::kRunning,
                          .node = "begun",
                          .devices = {{.device = "gpu0", .milli = 500}}}));
  AddPod(cluster, "next", 1, 1, 500);
  for (const char* whole : {"w0", "w1", "w2"}) {
    AddPod(cluster, whole, 1, 1, 1000);
  }
  EXPECT_EQ(Decide(cluster, kFragments), "bind next begun; bind w0 empty");
}

TEST(Fragmentation, CpuBesideFreeGpusIsSpared) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("gpu", 8, 1)));
  Accept(cluster.AddNode(GpuNode("plain", 8, 0)));
  AddPod(cluster, "cpu", 4, 0, 0);
  for (const char* whole : {"w0", "w1", "w2"}) {
    AddPod(cluster, whole, 6, 1, 1000);
  }
  EXPECT_EQ(Decide(cluster, kFragments), "bind cpu plain; bind w0 gpu");
}

// 120 of 126 tasks request no GPU. Node b scores trunc(67.97), as 5 tasks request a whole GPU,
// and node a trunc(68.83); without those 5 both are equal, and the first one is b.
TEST(Fragmentation, RareTasksCount) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("b", 8, 1, "b")));
  Accept(cluster.AddNode(GpuNode("a", 8, 1, "a")));
  AddPod(cluster, "next", 1, 1, 800);
  for (int i = 0; i < 120; ++i) AddPod(cluster, "wide" + std::to_string(i), 9, 0, 0);
  for (int i = 0; i < 5; ++i) AddPod(cluster, "rare" + std::to_string(i), 1, 1, 1000, {"b"});
  EXPECT_EQ(Decide(cluster, kFragments), "bind next a; bind rare0 b");
}

TEST(Fragmentation, NothingChangesWithoutDevices) {
  Cluster cluster;
  Accept(cluster.AddNode(GpuNode("n0", 8, 0)));
  Accept(cluster.AddNode(GpuNode("n1", 8, 0)));
  AddPod(cluster, "a", 4, 0, 0);
  AddPod(cluster, "b", 4, 0, 0);
  EXPECT_EQ(Schedule(cluster.Freeze(), "muster")->Digest(),
            Schedule(cluster.Freeze(), "muster:+fragmentation(weight=1000)")->Digest());
}

// Pods that come one by one get the machines and GPUs of the slow twin, which is told the same
// usual tasks. Numbers of tasks below 16 are counted as they are.
TEST(Fragmentation, DecidesAsTheSlowTwin) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Cluster cluster;
    std::vector<reference::Packing::Machine> machines;
    for (int n = 0; n < 6; ++n) {
      const auto gpus = static_cast<int>(rng.Below(4));
      const std::string model = rng.Below(2) == 0 ? "a" : "b";
      const auto cpu = static_cast<int64_t>(4 + rng.Below(12));
      Accept(cluster.AddNode(GpuNode("n" + std::to_string(n), cpu, gpus, model)));
      machines.push_back({.cpu = 1000 * cpu,
                          .memory = 1'000'000,
                          .left = std::vector<int64_t>(static_cast<size_t>(gpus), 1000),
                          .model = model});
    }
    std::vector<reference::PackingTask> list;
    for (int t = 0; t < 15; ++t) {
      const auto gpus = static_cast<int64_t>(rng.Below(3));
      const int64_t milli = gpus == 1 && rng.Below(2) == 0 ? 100 * int64_t(1 + rng.Below(9)) : 1000;
      const auto cpu = static_cast<int64_t>(1 + rng.Below(3));
      std::vector<std::string> models;
      if (gpus > 0 && rng.Below(3) == 0) models = {rng.Below(2) == 0 ? "a" : "b"};
      AddPod(cluster, "p" + std::to_string(100 + t), cpu, gpus, milli, models);
      list.push_back(
          {.cpu = 1000 * cpu, .milli = gpus == 0 ? 0 : milli, .gpus = gpus, .models = models});
    }
    reference::Packing twin("fgd", machines, list, 0);
    std::string expected;
    for (size_t t = 0; t < list.size(); ++t) {
      const auto answer = twin.Place(list[t]);
      if (!answer) continue;
      expected += (expected.empty() ? "" : "; ") + std::string("bind p") + std::to_string(100 + t) +
                  " n" + std::to_string(answer->machine);
    }
    EXPECT_EQ(Decide(cluster, kFragments), expected);
  }
}

TEST(Fragmentation, ALivingClusterDecidesAsAFreshOne) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Cluster cluster;
    for (int n = 0; n < 5; ++n) {
      Accept(cluster.AddNode(
          GpuNode("n" + std::to_string(n), 16, 1 + static_cast<int>(rng.Below(4)))));
    }
    for (int round = 0; round < 30; ++round) {
      const int64_t milli = rng.Below(2) == 0 ? 1000 : 100 * int64_t(1 + rng.Below(9));
      const std::string name = "p" + std::to_string(round);
      AddPod(cluster, name, int64_t(1 + rng.Below(2)), 1, milli);
      if (round > 4 && rng.Below(3) == 0) {
        Accept(cluster.RemoveJob("p" + std::to_string(round - 3)));
      }
      const absl::StatusOr<Plan> fresh = Schedule(cluster.Freeze(), kFragments);
      const absl::StatusOr<Plan> living = cluster.Schedule(kFragments);
      ASSERT_TRUE(fresh.ok() && living.ok());
      ASSERT_EQ(living->ToText(), fresh->ToText());
      ASSERT_EQ(living->Digest(), fresh->Digest());
      Accept(cluster.Apply(*living).status());
    }
  }
}

// The usual tasks change from cycle to cycle, and with them the score of nodes that stay as they
// were.
TEST(Fragmentation, ALivingClusterScoresAnewWhatStayedAsItWas) {
  Rng rng(46);
  Cluster cluster;
  for (int n = 0; n < 12; ++n) {
    Accept(cluster.AddNode(GpuNode("n" + std::to_string(n), 64, 2)));
  }
  for (int round = 0; round < 60; ++round) {
    constexpr int64_t kShares[] = {320, 470, 650, 810};
    AddPod(cluster, "p" + std::to_string(round), 1, 1, kShares[rng.Below(4)]);
    const absl::StatusOr<Plan> fresh = Schedule(cluster.Freeze(), kFragments);
    const absl::StatusOr<Plan> living = cluster.Schedule(kFragments);
    ASSERT_TRUE(fresh.ok() && living.ok());
    ASSERT_EQ(living->ToText(), fresh->ToText()) << round;
    Accept(cluster.Apply(*living).status());
  }
}

TEST(ClassCounts, RoundsToFourDigits) {
  EXPECT_EQ(ClassCounts::Rounded(0), 0);
  EXPECT_EQ(ClassCounts::Rounded(15), 15);
  EXPECT_EQ(ClassCounts::Rounded(17), 16);
  EXPECT_EQ(ClassCounts::Rounded(1000), 960);
}

}  // namespace
}  // namespace muster::testing
