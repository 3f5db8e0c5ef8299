// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/koordinator/elastic_quota.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kProfile[] = "volcano:actions=allocate,tiers=elastic-quota+predicates+gang";

Cluster QuotasOn(int cores) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", cores}, {"pods", 999}}}));
  return cluster;
}

void AddQueue(Cluster& cluster, const std::string& name, int guaranteed, int limit,
              const std::string& parent = "", int weight = 1) {
  Accept(cluster.AddQueue({.name = name,
                           .parent = parent,
                           .weight = weight,
                           .guaranteed = Resources{{"cpu", guaranteed}},
                           .limit = Resources{{"cpu", limit}}}));
}

// `name`0, `name`1, ...: tasks of one core, each as good as alone.
void Running(Cluster& cluster, const std::string& name, const std::string& queue, int count) {
  AddJob(cluster, {.name = name, .queue = queue, .phase = JobPhase::kRunning}, count, {{"cpu", 1}});
  for (int i = 0; i < count; ++i) Run(cluster, name + std::to_string(i), "n");
}
void Waiting(Cluster& cluster, const std::string& name, const std::string& queue, int count) {
  AddJob(cluster, {.name = name, .queue = queue, .min_available = 1, .phase = JobPhase::kAdmitted},
         count, {{"cpu", 1}});
}

Plan PlanOf(Cluster& cluster, const std::string& profile = kProfile) {
  absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *plan;
}

std::map<std::string, int> Binds(const Cluster& cluster, const Plan& plan) {
  std::map<std::string, int> binds;
  for (const Decision& d : plan.decisions()) {
    if (d.kind != DecisionKind::kBind) continue;
    const std::string task(plan.task_name(d.task));
    ++binds[task.substr(0, task.find_first_of("0123456789"))];
  }
  return binds;
}

TEST(ElasticQuota, BorrowsWhatOthersDoNotAskFor) {
  Cluster cluster = QuotasOn(10);
  AddQueue(cluster, "a", 6, 10);
  AddQueue(cluster, "b", 4, 10);
  Waiting(cluster, "x", "a", 12);
  Waiting(cluster, "y", "b", 1);
  const Plan plan = PlanOf(cluster);
  auto binds = Binds(cluster, plan);
  EXPECT_EQ(binds["x"], 9);
  EXPECT_EQ(binds["y"], 1);
  EXPECT_NE(plan.Explain("x").value_or("").find("queue \"a\""), std::string::npos);
  EXPECT_NE(plan.Explain("x").value_or("").find("in cpu (elastic-quota)"), std::string::npos)
      << plan.Explain("x").value_or("");
}

TEST(ElasticQuota, WhoHoldsTooMuchTakesNothing) {
  Cluster cluster = QuotasOn(10);
  AddQueue(cluster, "a", 4, 10);
  AddQueue(cluster, "b", 6, 10);
  Running(cluster, "x", "a", 7);
  Waiting(cluster, "y", "a", 1);
  Waiting(cluster, "z", "b", 9);
  auto binds = Binds(cluster, PlanOf(cluster));
  EXPECT_EQ(binds["y"], 0);
  EXPECT_EQ(binds["z"], 3);  // the node is full
  // Held to its limit alone it may.
  binds = Binds(cluster, PlanOf(cluster,
                                "volcano:actions=allocate,tiers=elastic-quota(runtime=off)"
                                "+predicates+gang"));
  EXPECT_EQ(binds["y"], 1);
}

TEST(ElasticQuota, TasksThatCannotBePreemptedStayWithinTheMinimum) {
  Cluster cluster = QuotasOn(10);
  AddQueue(cluster, "a", 2, 10);
  Accept(cluster.AddJob(
      {.name = "x", .queue = "a", .min_available = 1, .phase = JobPhase::kAdmitted}));
  for (int i = 0; i < 4; ++i) {
    Accept(cluster.AddTask({.name = "x" + std::to_string(i),
                            .job = "x",
                            .shape = {.request = {{"cpu", 1}}},
                            .preemptable = false}));
  }
  Waiting(cluster, "y", "a", 4);
  auto binds = Binds(cluster, PlanOf(cluster));
  EXPECT_EQ(binds["x"], 2);
  EXPECT_EQ(binds["y"], 4);
}

TEST(ElasticQuota, QueuesAboveAreHeldToTheirsOnDemand) {
  Cluster cluster = QuotasOn(20);
  AddQueue(cluster, "p", 0, 6);
  AddQueue(cluster, "a", 4, 9, "p");
  AddQueue(cluster, "b", 0, 9, "p");
  // b holds more than what is left for it beside a's minimum.
  Running(cluster, "x", "b", 5);
  Waiting(cluster, "y", "a", 4);
  const std::string parents =
      "volcano:actions=allocate,tiers=elastic-quota(parents=on)+predicates+gang";
  EXPECT_EQ(Binds(cluster, PlanOf(cluster))["y"], 4);
  EXPECT_EQ(Binds(cluster, PlanOf(cluster, parents))["y"], 1);
}

TEST(ElasticQuota, TheKoordinatorProfileHasIt) {
  Cluster cluster = QuotasOn(10);
  AddQueue(cluster, "a", 6, 7);
  Waiting(cluster, "x", "a", 12);
  EXPECT_EQ(Binds(cluster, PlanOf(cluster, "koordinator"))["x"], 7);
}

TEST(ElasticQuota, ALivingClusterSeesEveryChange) {
  Cluster cluster = QuotasOn(10);
  AddQueue(cluster, "a", 0, 10);
  AddQueue(cluster, "b", 0, 10);
  Waiting(cluster, "x", "a", 10);
  const auto binds = [&](const std::string& name) {
    absl::StatusOr<Plan> plan = cluster.Schedule(kProfile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? Binds(cluster, *plan)[name] : -1;
  };
  EXPECT_EQ(binds("x"), 10);
  Waiting(cluster, "y", "b", 10);
  EXPECT_EQ(binds("x"), 5);
  EXPECT_EQ(binds("y"), 5);
  Accept(cluster.UpdateQueue({.name = "b", .weight = 4, .limit = Resources{{"cpu", 10}}}));
  EXPECT_EQ(binds("x"), 2);
  Accept(cluster.UpdateNode({.name = "n", .capacity = {{"cpu", 20}, {"pods", 999}}}));
  EXPECT_EQ(binds("x"), 10);
}

// --- random worlds

TEST(ElasticQuota, HoldsQueuesToWhatItsTwinGivesThem) {
  Rng rng(41);
  for (int world = 0; world < 150; ++world) {
    SCOPED_TRACE(world);
    const int cores = 4 + static_cast<int>(rng.Below(40));
    Cluster cluster = QuotasOn(cores);
    reference::QuotaWorld twin{.total = {{"cpu", cores * 1000}}};
    std::vector<std::string> leaves;
    int running = 0;
    std::map<std::string, int> held, wants;
    const auto add = [&](const std::string& name, const std::string& parent) {
      const int limit = static_cast<int>(rng.Below(25));
      const int guaranteed = static_cast<int>(rng.Below(static_cast<uint64_t>(limit) + 1));
      const int weight = 1 + static_cast<int>(rng.Below(5));
      AddQueue(cluster, name, guaranteed, limit, parent, weight);
      twin.groups.push_back({.name = name,
                             .parent = parent,
                             .max = {{"cpu", limit * 1000}},
                             .min = {{"cpu", guaranteed * 1000}},
                             .weight = {{"cpu", weight}}});
    };
    for (uint64_t i = 0, n = 1 + rng.Below(4); i < n; ++i) {
      const std::string top(1, static_cast<char>('a' + i));
      add(top, "");
      const uint64_t children = rng.Below(4);
      for (uint64_t k = 0; k < children; ++k) {
        leaves.push_back(top + static_cast<char>('a' + k));
        add(leaves.back(), top);
      }
      if (children == 0) leaves.push_back(top);
    }
    for (const std::string& leaf : leaves) {
      const int runs = static_cast<int>(rng.Below(8)), waits = static_cast<int>(rng.Below(12));
      held[leaf] = std::min(runs, cores - running);
      running += held[leaf];
      wants[leaf] = waits;
      if (held[leaf] > 0) Running(cluster, leaf + "r", leaf, held[leaf]);
      if (waits > 0) Waiting(cluster, leaf + "w", leaf, waits);
      twin.tasks.push_back({leaf, {{"cpu", held[leaf] * 1000}}, true});
      twin.tasks.push_back({leaf, {{"cpu", waits * 1000}}, false});
    }
    auto settled = reference::SettledQuota(twin);
    const Plan plan = PlanOf(cluster);
    for (const QueueShare& share : plan.shares()) {
      const std::string queue(plan.queue_name(share.queue));
      if (!settled.contains(queue)) continue;  // the default queue
      ASSERT_FALSE(share.deserved.empty()) << queue;
      ASSERT_EQ(static_cast<int64_t>(share.deserved[0]), settled[queue].runtime["cpu"]) << queue;
    }
    auto binds = Binds(cluster, plan);
    int free = cores - running;
    for (const std::string& leaf : leaves) free -= binds[leaf + "w"];
    for (const std::string& leaf : leaves) {
      const int room = static_cast<int>(settled[leaf].runtime["cpu"] / 1000) - held[leaf];
      const int right = std::max(0, std::min(wants[leaf], room));
      if (free > 0) {
        EXPECT_EQ(binds[leaf + "w"], right) << leaf;
      } else {
        EXPECT_LE(binds[leaf + "w"], right) << leaf;
      }
    }
  }
}

}  // namespace
}  // namespace muster::testing
