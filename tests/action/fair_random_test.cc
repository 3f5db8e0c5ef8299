// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What holds for every plan of the muster profile, on random worlds.
#include <map>
#include <set>
#include <string>

#include "fair_world.h"
#include "gtest/gtest.h"

namespace muster::testing {
namespace {

constexpr uint64_t kWorlds = 600;

std::map<std::string, std::string> Placed(const std::vector<Decision>& decisions,
                                          const Plan& plan) {
  std::map<std::string, std::string> placed;
  for (const Decision& d : decisions) {
    placed[std::string(plan.task_name(d.task))] = std::string(plan.node_name(d.node));
  }
  return placed;
}

TEST(FairRandom, ASecondCycleEvictsNobodyAndMovesNoNomination) {
  int64_t evictions = 0;
  for (uint64_t seed = 1; seed <= kWorlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const bool ended : {false, true}) {
      World world = RandomWorld(seed);
      const Plan first = world.Schedule();
      evictions += static_cast<int64_t>(first.evictions().size());
      world.Follow(first, ended);
      const Plan second = world.Schedule();
      EXPECT_EQ(second.evictions().size(), 0u) << Words(first) << "\n  then " << Words(second);
      auto now = Placed(second.binds(), second);
      now.merge(Placed(second.nominations(), second));
      for (const auto& [task, node] : Placed(first.nominations(), first)) {
        EXPECT_EQ(now[task], node) << task << ": " << Words(first) << "\n  then " << Words(second);
      }
    }
  }
  EXPECT_GT(evictions, 1000);  // the worlds are worth it
}

TEST(FairRandom, GangsAreWholeOrNotThere) {
  for (uint64_t seed = 1; seed <= kWorlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world = RandomWorld(seed);
    const Plan plan = world.Schedule();
    std::map<std::string, int64_t> bound, nominated, gone, there, gone_of_group, left_of_group;
    for (const Decision& d : plan.binds()) ++bound[std::string(plan.job_name(d.job))];
    for (const Decision& d : plan.nominations()) ++nominated[std::string(plan.job_name(d.job))];
    std::set<std::string> evicted;
    for (const Decision& d : plan.evictions()) {
      ++gone[std::string(plan.job_name(d.job))];
      evicted.insert(std::string(plan.task_name(d.task)));
    }
    const ClusterSpec spec = world.cluster.Describe();
    for (const TaskSpec& task : spec.tasks) there[task.job] += task.status == TaskStatus::kRunning;
    for (const JobSpec& job : spec.jobs) {
      const std::string& name = job.name;
      const int64_t left = there[name] - gone[name];
      if (bound[name] > 0) EXPECT_GE(left + bound[name], job.min_available) << name;
      if (nominated[name] > 0) {
        EXPECT_GE(left + bound[name] + nominated[name], job.min_available) << name;
      }
      if (gone[name] > 0) EXPECT_TRUE(left == 0 || left >= job.min_available) << name;
    }
  }
}

TEST(FairRandom, WhatIsPendingHasAReason) {
  for (uint64_t seed = 1; seed <= kWorlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world = RandomWorld(seed);
    const Plan plan = world.Schedule();
    std::set<std::string> known;
    for (const Decision& d : plan.decisions()) {
      if (d.task != kNone) known.insert(std::string(plan.task_name(d.task)));
    }
    for (const PendingTask& p : plan.pending()) {
      const Reason& reason = plan.reasons()[p.reason];
      EXPECT_NE(reason.kind, ReasonKind::kNotReached) << plan.task_name(p.task);
      known.insert(std::string(plan.task_name(p.task)));
    }
    for (const TaskSpec& task : world.cluster.Describe().tasks) {
      if (task.status == TaskStatus::kPending) EXPECT_TRUE(known.contains(task.name)) << task.name;
    }
    EXPECT_TRUE(plan.tentative().empty());
  }
}

TEST(FairRandom, SpeedOptionsAndLivingClustersDecideTheSame) {
  for (uint64_t seed = 1; seed <= kWorlds / 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world = RandomWorld(seed);
    const std::string digest = world.Schedule().Digest();
    ScheduleOptions slow;
    slow.speed = {.winner_trees = false,
                  .share_equal_states = false,
                  .infeasibility_memory = false,
                  .vector_kernels = false};
    const auto plan = Schedule(world.cluster.Freeze(), "muster", slow);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->Digest(), digest);
  }
}

}  // namespace
}  // namespace muster::testing
