// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A session that explains nothing decides as one that explains everything, on random clusters that
// live on.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/profile/profile.h"
#include "lib/session/session.h"
#include "muster/schedule.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

class Silent : public ::testing::TestWithParam<const char*> {};

TEST_P(Silent, DecidesAlike) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(GetParam());
  ASSERT_TRUE(config.ok()) << config.status();
  int64_t decided = 0, waited = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 10, .tasks = 4};
    Cluster cluster = MakeCluster(RandomWorld(seed, knobs));
    RandomEdits edits(cluster, rng, knobs);
    Session talks(TablesOf(cluster), *config, SpeedOptions());
    Session silent(TablesOf(cluster), *config, SpeedOptions());
    for (int cycle = 0; cycle < 8; ++cycle) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cycle " + std::to_string(cycle));
      for (uint64_t round = rng.Below(4); round > 0; --round) edits.Step();
      const Tables& tables = TablesOf(cluster);
      ScheduleOptions options;
      options.now = cycle;
      const bool explains = rng.Chance(0.2);  // it may change its mind between cycles
      silent.set_explains(explains);
      const PlanData plan = silent.Run(tables, options);
      auto expected = std::make_shared<PlanData>(talks.Run(tables, options));
      ASSERT_EQ(plan.decisions, expected->decisions);
      ASSERT_EQ(plan.tentative, expected->tentative);
      ASSERT_LE(plan.work, expected->work);  // turns that do nothing may be left out
      ASSERT_EQ(plan.memory, expected->memory);
      ASSERT_EQ(plan.pending.size(), explains ? expected->pending.size() : 0);
      ASSERT_EQ(plan.reasons.size(), explains ? expected->reasons.size() : 0);
      decided += static_cast<int64_t>(expected->decisions.size());
      waited += static_cast<int64_t>(expected->pending.size());
      if (rng.Chance(0.3)) continue;
      expected->names = CopyNames(tables, *expected);
      const absl::StatusOr<ApplyReport> report = cluster.Apply(PlanOf(expected));
      ASSERT_TRUE(report.ok()) << report.status();
    }
  }
  EXPECT_GT(decided, 300);
  EXPECT_GT(waited, 300);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Silent,
                         ::testing::Values("muster", "volcano:+preempt,+reclaim", "kube-batch",
                                           "easy", "conservative", "fcfs", "transwarp", "kai",
                                           "ray", "mesos", "kube-scheduler"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name = name.substr(0, name.find(':'));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace muster::testing
