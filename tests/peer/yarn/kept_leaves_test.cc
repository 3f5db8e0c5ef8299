// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the leaves of profile yarn-capacity keep from cycle to cycle: running sums of floats, and
// the limits by which applications become active.
#include "lib/peer/yarn/kept_leaves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/rng.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "muster/muster.h"

namespace muster::yarn {
namespace {

constexpr int kUsers = 4;
const Resource kTotal{9'973, 9'967};

// A leaf with little guarantee, in which four users hold containers.
CapacityScheduler NewScheduler() {
  CapacitySettings settings{
      .calculator = Calculator::kDominant, .min_allocation = {1, 1}, .max_allocation = kTotal};
  const PartitionSettings whole{.is_accessible = true, .capacity = 1};
  settings.queues.push_back({.path = "root", .partitions = {whole}});
  for (const auto& [path, capacity] : {std::pair("root.a", 0.01F), std::pair("root.b", 0.99F)}) {
    QueueSettings queue{.path = path, .user_limit_percent = 25, .user_limit_factor = -1};
    queue.partitions = {{.is_accessible = true, .capacity = capacity, .master_percent = 1}};
    settings.queues.push_back(std::move(queue));
  }
  absl::StatusOr<CapacityScheduler> scheduler = CapacityScheduler::Make(std::move(settings));
  EXPECT_TRUE(scheduler.ok()) << scheduler.status();
  scheduler->AddNode({.name = "n", .rack = "/r", .total = kTotal});
  for (uint32_t user = 0; user < kUsers; ++user) {
    const absl::StatusOr<AppIndex> app = scheduler->Submit({.id = user + 1,
                                                            .queue = "root.a",
                                                            .user = "u" + std::to_string(user),
                                                            .started = user + 1,
                                                            .before = AppState::kActive});
    EXPECT_TRUE(app.ok()) << app.status();
    scheduler->Ask(*app, 1, {{kAnyPlace, {{1, 1}, 1}}});
  }
  return *std::move(scheduler);
}

std::vector<Resource> LimitsOf(CapacityScheduler& scheduler) {
  const QueueIndex leaf = *scheduler.FindQueue("root.a");
  std::vector<Resource> limits;
  for (const App& app : scheduler.apps()) {
    limits.push_back(scheduler.UserLimit(leaf, app.user, kDefaultPartition, true));
  }
  return limits;
}

// The same containers in another scheduler.
CapacityScheduler Recovered(const CapacityScheduler& from) {
  CapacityScheduler scheduler = NewScheduler();
  for (AppIndex app = 0; app < kUsers; ++app) {
    for (const ContainerIndex c : from.apps()[app].live) {
      scheduler.Recover(app, 0, from.containers()[c].size, 1);
    }
  }
  return scheduler;
}

TEST(KeptLeaves, LimitsOfUsersGoOnWithTheRunningSums) {
  int fresh_differ = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    CapacityScheduler lives = NewScheduler();
    const QueueIndex leaf = *lives.FindQueue("root.a");
    const auto change = [&] {
      const auto app = static_cast<AppIndex>(rng.Below(kUsers));
      const std::vector<ContainerIndex>& live = lives.apps()[app].live;
      if (!live.empty() && rng.Chance(0.4)) {
        lives.EndContainer(live[rng.Below(live.size())]);
      } else {
        const auto size = static_cast<int64_t>(1 + rng.Below(90));
        lives.Recover(app, 0, {size, static_cast<int64_t>(1 + rng.Below(size))}, 1);
      }
    };
    for (int i = 0; i < 60; ++i) change();
    CapacityScheduler fresh = Recovered(lives), kept = Recovered(lives);
    // By way of the memory.
    MemorySlot slot;
    slot.Set("root.a", RowOf(lives.PastOf(leaf), {""}));
    const std::optional<LeafPast> past = KeptLeafOf(slot, "root.a", {""});
    ASSERT_TRUE(past.has_value());
    EXPECT_FALSE(kept.IsOutdated(leaf, *past));
    kept.SetSums(leaf, *past);
    const std::vector<Resource> limits = LimitsOf(lives);
    EXPECT_EQ(LimitsOf(kept), limits) << "seed " << seed;
    fresh_differ += LimitsOf(fresh) != limits;
    // A container that ended since takes its part off the sum.
    for (AppIndex app = 0; app < kUsers; ++app) {
      if (lives.apps()[app].live.empty()) continue;
      lives.EndContainer(lives.apps()[app].live.back());
      break;
    }
    CapacityScheduler later = Recovered(lives);
    later.SetSums(leaf, *past);
    EXPECT_EQ(LimitsOf(later), LimitsOf(lives)) << "seed " << seed;
  }
  EXPECT_GT(fresh_differ, 0);
}

TEST(KeptLeaves, AnotherTotalEndsThem) {
  CapacityScheduler lives = NewScheduler();
  const QueueIndex leaf = *lives.FindQueue("root.a");
  lives.Recover(0, 0, {7, 7}, 1);
  const LeafPast past = lives.PastOf(leaf);
  EXPECT_FALSE(lives.IsOutdated(leaf, past));
  lives.AddNode({.name = "m", .rack = "/r", .total = {10, 10}});
  EXPECT_TRUE(lives.IsOutdated(leaf, past));
}

TEST(KeptLeaves, WrongCellsAreRead) {
  MemorySlot slot;
  slot.Set("root.a", {int64_t{1}, 2.5, std::string("x")});
  std::optional<LeafPast> past = KeptLeafOf(slot, "root.a", {"", "gpu"});
  ASSERT_TRUE(past.has_value());
  EXPECT_EQ(past->guaranteed.memory, 1);
  EXPECT_EQ(past->guaranteed.vcores, 0);
  EXPECT_EQ(past->sums.size(), 2u);
  MemoryRow row = RowOf({.sums = {{}, {.sum = 0.5F, .ratios = {{"ann", 0.5F}}}}}, {"", "gpu"});
  for (size_t cell = 0; cell < row.size(); ++cell) {
    MemoryRow wrong = row;
    wrong[cell] = cell % 2 == 0 ? MemoryCell(int64_t{1} << 62) : MemoryCell(std::string("x"));
    slot.Set("root.a", wrong);
    past = KeptLeafOf(slot, "root.a", {"", "gpu"});
    ASSERT_TRUE(past.has_value());
    // All amounts are within bounds.
    EXPECT_LE(past->guaranteed.memory, int64_t{1} << 55) << cell;
    for (const RatioSum& sum : past->sums) EXPECT_LE(std::fabs(sum.sum), 64) << cell;
  }
  row[0] = MemoryCell(int64_t{1} << 62);
  slot.Set("root.a", row);
  EXPECT_EQ(KeptLeafOf(slot, "root.a", {"", "gpu"})->guaranteed.memory, int64_t{1} << 55);
  slot.Set("root.a", row);
  past = KeptLeafOf(slot, "root.a", {"", "gpu"});
  EXPECT_EQ(past->sums[1].sum, 0.5F);
  EXPECT_EQ(past->sums[1].ratios, (std::vector<std::pair<std::string, float>>{{"ann", 0.5F}}));
  past = KeptLeafOf(slot, "root.a", {""});  // the label is gone
  EXPECT_TRUE(past->sums[0].ratios.empty());
}

}  // namespace
}  // namespace muster::yarn

namespace muster {
namespace {

void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

JobSpec WithMaster(const std::string& name, int64_t created) {
  JobSpec job{.name = name, .queue = "b", .created = created};
  job.groups = {{.name = "m", .count = 1, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}}};
  job.settings = {{"yarn-capacity/master", "m"}};
  return job;
}

void AddRunning(const std::string& name, const std::string& job, const std::string& group,
                Cluster* cluster) {
  Must(cluster->AddTask({.name = name,
                         .job = job,
                         .group = group,
                         .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                         .status = TaskStatus::kRunning,
                         .node = "n"}));
}

size_t BindsOf(Cluster& cluster) {
  const absl::StatusOr<Plan> plan = cluster.Schedule("yarn-capacity");
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return 0;
  Must(cluster.Apply(*plan).status());
  return plan->binds().size();
}

// Queue a holds four of sixteen, so b was told twelve. Half of that is for masters: one runs, and
// five more applications become active. Of the whole cluster there would be seven.
TEST(YarnKeptLimits, MastersOfNewApplicationsAreLimitedByWhatTheLeafWasToldLast) {
  Cluster cluster;
  Must(cluster.AddNode({.name = "n", .capacity = {{"cpu", 16}, {"memory", "16Gi"}, {"pods", 99}}}));
  Must(cluster.AddQueue({.name = "root"}));
  for (const char* name : {"a", "b"}) {
    Must(cluster.AddQueue({.name = name,
                           .parent = "root",
                           .settings = {{"yarn-capacity/capacity", "50"},
                                        {"yarn-capacity/maximum-am-resource-percent", "0.5"},
                                        {"yarn-capacity/user-limit-factor", "4"}}}));
  }
  Must(cluster.AddJob({.name = "old", .queue = "a", .created = 1}));
  for (int i = 0; i < 4; ++i) AddRunning("old" + std::to_string(i), "old", "", &cluster);
  JobSpec first = WithMaster("first", 2);
  first.groups[0].count = 0;
  first.groups.push_back(
      {.name = "w", .count = 1, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}});
  Must(cluster.AddJob(first));
  AddRunning("master", "first", "m", &cluster);
  EXPECT_EQ(BindsOf(cluster), 1u);
  for (int i = 0; i < 8; ++i) {
    Must(cluster.AddJob(WithMaster("new" + std::to_string(i), 3 + i)));
  }
  EXPECT_EQ(BindsOf(cluster), 5u);
  // A node that comes makes all of it anew: b may hold 28 of 32 now.
  Must(cluster.AddNode({.name = "o", .capacity = {{"cpu", 16}, {"memory", "16Gi"}, {"pods", 99}}}));
  EXPECT_EQ(BindsOf(cluster), 3u);
}

}  // namespace
}  // namespace muster
