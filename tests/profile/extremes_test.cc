// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Every profile at times far away, and with rows in its memory that it never wrote.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/strings.h"
#include "lib/model/memory_data.h"
#include "lib/profile/profile.h"
#include "muster/cluster.h"
#include "muster/schedule.h"

namespace muster {
namespace {

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
// The farthest time.
constexpr int64_t kFar = (int64_t{1} << 62) - 1;

// Two nodes, one of them full; a task that fits, and one that fits nowhere.
Cluster Small() {
  Cluster cluster;
  for (const char* node : {"n0", "n1"}) {
    EXPECT_TRUE(cluster.AddNode({.name = node, .capacity = {{"cpu", 4}, {"pods", 9}}}).ok());
  }
  EXPECT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  for (const auto& [name, cpu] : {std::pair("old", 4), {"fits", 1}, {"never", 9}}) {
    EXPECT_TRUE(cluster.AddJob({.name = name, .queue = "q"}).ok());
    TaskSpec task{.name = name, .job = name, .shape = {.request = {{"cpu", cpu}}}};
    if (cpu == 4) {
      task.status = TaskStatus::kRunning;
      task.node = "n0";
    }
    EXPECT_TRUE(cluster.AddTask(task).ok());
  }
  return cluster;
}

// Plans at each time, and then once more on what the cluster remembers.
void PlanAt(const std::string& profile, Cluster cluster, const std::vector<int64_t>& times) {
  for (const int64_t now : times) {
    SCOPED_TRACE(absl::StrCat(profile, " at ", now));
    ScheduleOptions options;
    options.now = now;
    options.work_budget = 100'000;
    const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_TRUE(cluster.Apply(*plan).ok());
  }
}

TEST(Extremes, TimesFarAway) {
  for (const ProfileInfo& profile : Profiles()) {
    const std::string name(profile.name);
    PlanAt(name, Small(), {kFar, kFar});
    PlanAt(name, Small(), {kFar - 1, kFar});
    PlanAt(name, Small(), {-kFar, -kFar + 1});
    PlanAt(name, Small(), {-kFar, 0, kFar});
    PlanAt(name, Small(), {kFar, -kFar});
  }
}

TEST(Extremes, TimesBeyondTheFarthestAreRefused) {
  for (const ProfileInfo& profile : Profiles()) {
    for (const int64_t now : {kFirst, -kFar - 1, kFar + 1, kLast}) {
      EXPECT_EQ(Small().Schedule(profile.name, {.now = now}).status().message(),
                absl::StrCat("options: now is ", now, "; must be ", -kFar, " to ", kFar));
    }
  }
}

// A gang that needs more tasks than 32 bits count is like one that needs a thousand: its task
// starts alone under neither, or under both.
TEST(Extremes, MinimaBeyondAnyNumberOfTasks) {
  const auto binds = [](std::string_view profile, int64_t minimum, bool by_group) {
    Cluster cluster;
    EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}, {"pods", 9}}}).ok());
    EXPECT_TRUE(cluster.AddQueue({.name = "q"}).ok());
    JobSpec job{.name = "j", .queue = "q", .min_available = by_group ? 1 : minimum};
    job.groups = {{.name = "w", .count = 1, .shape = {.request = {{"cpu", 1}}}}};
    if (by_group) job.groups[0].min_available = minimum;
    EXPECT_TRUE(cluster.AddJob(job).ok());
    const absl::StatusOr<Plan> plan = cluster.Schedule(profile);
    return plan.ok() ? static_cast<int>(plan->binds().size()) : -1;
  };
  for (const ProfileInfo& profile : Profiles()) {
    for (const bool by_group : {false, true}) {
      const int usual = binds(profile.name, 1000, by_group);
      for (const int64_t minimum : {(int64_t{1} << 31) + 1, (int64_t{1} << 32) + 1, kLast}) {
        EXPECT_EQ(binds(profile.name, minimum, by_group), usual) << profile.name << " " << minimum;
      }
    }
  }
}

TEST(Extremes, RowsOfMemoryThatNoProfileWrote) {
  const std::vector<MemoryRow> odd = {{},
                                      {int64_t{1}},
                                      {kFirst, kLast, kFirst, kLast},
                                      {kLast, kFirst, kLast, kFirst, kLast, kFirst, kLast, kFirst},
                                      {kFirst, kFirst, kFirst, kFirst, kFirst, kFirst, kFirst},
                                      {kLast, kLast, kLast, kLast, kLast, kLast, kLast, kLast},
                                      {std::string("x"), 1.5, int64_t{-1}},
                                      {0.5, std::string(), std::string("q")}};
  int64_t slots = 0;
  for (const Preset& preset : Presets()) {
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(preset.name);
    ASSERT_TRUE(config.ok());
    for (const MemoryDecl& decl : config->memory) {
      ++slots;
      for (const MemoryRow& row : odd) {
        MemorySlot slot;
        for (const char* key : {"", "zz", "/", "a/b/c", "bundle", "queue/q", "q", "old", "n0"}) {
          slot.Set(key, row);
        }
        internal::MemoryData data;
        internal::MemoryData::Slot& odd_slot = data.slots[std::string(decl.slot)];
        odd_slot.version = decl.version;
        odd_slot.rows = internal::SharedRows(slot);
        Cluster cluster = Small();
        ScheduleOptions options;
        options.memory = internal::MakeMemory(std::move(data));
        options.work_budget = 100'000;
        for (const int64_t now : {int64_t{0}, kFar, -kFar}) {
          SCOPED_TRACE(
              absl::StrCat(ToAbsl(preset.name), ", slot ", ToAbsl(decl.slot), " at ", now));
          options.now = now;
          const absl::StatusOr<Plan> plan = cluster.Schedule(preset.name, options);
          ASSERT_TRUE(plan.ok()) << plan.status();
        }
      }
    }
  }
  EXPECT_GT(slots, 30);
}

}  // namespace
}  // namespace muster
