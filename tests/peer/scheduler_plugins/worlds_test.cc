// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile scheduler-plugins on random worlds: what every plan keeps, cycle after cycle, and that a
// living cluster, a snapshot and a cluster built anew decide alike.
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"
#include "tests/support/checked_plan.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// Quotas for some queues, and least amounts for some jobs.
void AddPluginObjects(Rng& rng, ClusterSpec* world) {
  for (QueueSpec& queue : world->queues) {
    queue.guaranteed.reset();
    queue.limit.reset();
    if (rng.Chance(0.7)) {
      queue.guaranteed = Resources{{"cpu", static_cast<int64_t>(rng.Below(12))},
                                   {"memory", absl::StrCat(rng.Below(40), "Gi")}};
    }
    if (rng.Chance(0.6)) {
      queue.limit = Resources{{"cpu", static_cast<int64_t>(1 + rng.Below(20))},
                              {"memory", absl::StrCat(8 + rng.Below(60), "Gi")}};
    }
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.2)) {
      job.min_resources = Resources{{"cpu", static_cast<int64_t>(rng.Below(12))}};
    }
  }
}

// Returns a group that got a bind, and of which fewer pods than its least number have or had nodes
// once the plan is carried out; empty: there is none.
std::string BrokenGroup(const Plan& plan, const ClusterSpec& after) {
  std::map<std::string, int64_t> holders;
  for (const TaskSpec& task : after.tasks) {
    holders[task.job] += !task.node.empty() || task.status == TaskStatus::kSucceeded ||
                         task.status == TaskStatus::kFailed;
  }
  for (const Decision& decision : plan.decisions()) {
    if (decision.kind != DecisionKind::kBind || decision.job == kNone) continue;
    for (const JobSpec& job : after.jobs) {
      if (job.name == plan.job_name(decision.job) && holders[job.name] < job.min_available) {
        return job.name;
      }
    }
  }
  return "";
}

struct Counts {
  int64_t binds = 0, reservations = 0, evictions = 0;
};

// Five cycles of a random world, with edits between them.
void Live(uint64_t seed, Counts* counts) {
  Rng rng(seed);
  const std::string profile = OneOf(kSchedulerPluginsSpecs, rng);
  const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 8, .tasks = 5};
  ClusterSpec world = RandomWorld(rng.Next(), knobs);
  AddPluginObjects(rng, &world);
  Cluster cluster = MakeCluster(world);
  RandomEdits edits(cluster, rng, knobs);
  for (int64_t cycle = 0; cycle < 5; ++cycle) {
    const absl::StatusOr<Plan> plan = CheckedPlan(&cluster, profile, cycle);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::string before = AsScenario(cluster.Describe(), profile);
    counts->binds += static_cast<int64_t>(plan->binds().size());
    counts->reservations += static_cast<int64_t>(plan->reservations().size());
    counts->evictions += static_cast<int64_t>(plan->evictions().size());
    const absl::StatusOr<ApplyReport> report = cluster.Apply(*plan);
    ASSERT_TRUE(report.ok());
    EXPECT_TRUE(report->refused.empty()) << report->refused[0];
    if (profile.find("coscheduling=off") == std::string::npos) {
      EXPECT_EQ(BrokenGroup(*plan, cluster.Describe()), "");
    }
    ASSERT_FALSE(::testing::Test::HasFailure())
        << "seed " << seed << ", cycle " << cycle << ", " << profile << "\n"
        << before << plan->ToText();
    for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
  }
}

TEST(SchedulerPluginsWorlds, PlansKeepTheirPromisesCycleAfterCycle) {
  Counts counts;
  for (uint64_t seed = 0; seed < WorldCount(1'500); ++seed) {
    Live(seed, &counts);
    if (HasFailure()) return;
  }
  EXPECT_GT(counts.binds, 1000);
  EXPECT_GT(counts.reservations, 100);
  EXPECT_GT(counts.evictions, 100);
}

// A pod that is nominated twice in one plan, and one of which a more important pod takes the place.
TEST(SchedulerPluginsWorlds, FoundOnes) {
  Counts counts;
  Live(2153, &counts);
  Live(5784, &counts);
}

}  // namespace
}  // namespace muster::testing
