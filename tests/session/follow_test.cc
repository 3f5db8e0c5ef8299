// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A session that lives with its cluster, looks only at jobs of which something changed, and is
// requested its books between cycles, against one that is made for each cycle and looks at all.
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

class Following : public ::testing::TestWithParam<const char*> {};

// What waits, and for what.
std::vector<std::pair<TaskIndex, Reason>> Waiting(const PlanData& plan) {
  std::vector<std::pair<TaskIndex, Reason>> waiting;
  for (const PendingTask& pending : plan.pending) {
    waiting.emplace_back(pending.task, plan.reasons[pending.reason]);
  }
  return waiting;
}

// A phase, a start time or an estimate that changes names jobs and tasks, and leaves all accounts
// as they are.
void ChangeNoAccount(const Tables& tables, Editor& editor, Rng& rng) {
  const auto job = static_cast<JobIndex>(rng.Below(tables.jobs.alive.size() + 1));
  if (job < tables.jobs.alive.size() && tables.jobs.alive[job]) {
    const JobPhase phases[] = {JobPhase::kPending, JobPhase::kAdmitted, JobPhase::kRunning};
    if (rng.Chance(0.5)) {
      editor.SetPhase(job, phases[rng.Below(3)]);
    } else {
      editor.SetEstimate(job, static_cast<int64_t>(rng.Below(100)));
    }
  }
  const auto task = static_cast<TaskIndex>(rng.Below(tables.tasks.alive.size() + 1));
  if (task < tables.tasks.alive.size() && tables.tasks.alive[task]) {
    editor.SetStarted(task, static_cast<int64_t>(rng.Below(100)));
  }
}

TEST_P(Following, PlansAsIfItLookedAtEverything) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(GetParam());
  ASSERT_TRUE(config.ok()) << config.status();
  int64_t applied = 0, waited = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 10, .tasks = 4};
    Cluster cluster = MakeCluster(RandomWorld(seed, knobs));
    RandomEdits edits(cluster, rng, knobs);
    Session following(TablesOf(cluster), *config, SpeedOptions());
    for (int cycle = 0; cycle < 12; ++cycle) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cycle " + std::to_string(cycle));
      for (uint64_t round = rng.Below(4); round > 0; --round) {
        edits.Step();
        if (rng.Chance(0.5)) {
          ChangeNoAccount(TablesOf(cluster), ImplOf(cluster).editor, rng);
        }
        if (rng.Chance(0.3)) (void)following.SyncedBooks(TablesOf(cluster));
      }
      const Tables& tables = TablesOf(cluster);
      ScheduleOptions options;
      options.now = cycle;
      auto plan = std::make_shared<PlanData>(following.Run(tables, options));
      const PlanData expected = Session(tables, *config, SpeedOptions()).Run(tables, options);
      ASSERT_EQ(plan->decisions, expected.decisions);
      ASSERT_EQ(plan->tentative, expected.tentative);
      ASSERT_EQ(Waiting(*plan), Waiting(expected));
      waited += static_cast<int64_t>(expected.pending.size());
      if (rng.Chance(0.3)) continue;
      plan->names = CopyNames(tables, *plan);
      const absl::StatusOr<ApplyReport> report = cluster.Apply(PlanOf(plan));
      ASSERT_TRUE(report.ok()) << report.status();
      applied += report->applied;
    }
  }
  EXPECT_GT(applied, 500);
  EXPECT_GT(waited, 500);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Following,
                         ::testing::Values("muster", "volcano:+preempt,+reclaim", "kube-batch",
                                           "easy"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name = name.substr(0, name.find(':'));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace muster::testing
