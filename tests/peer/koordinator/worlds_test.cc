// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile koordinator on random worlds: what every plan keeps, cycle after cycle, and that a living
// cluster and a snapshot decide alike.
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

// Quotas for queues, settings and groups of gangs for jobs, loads for nodes.
void AddKoordinatorObjects(Rng& rng, ClusterSpec* world) {
  for (QueueSpec& queue : world->queues) {
    queue.guaranteed.reset();
    queue.limit.reset();
    if (rng.Chance(0.6)) {
      queue.guaranteed = Resources{{"cpu", static_cast<int64_t>(rng.Below(12))},
                                   {"memory", absl::StrCat(rng.Below(40), "Gi")}};
    }
    if (rng.Chance(0.4)) {
      queue.limit = Resources{{"cpu", static_cast<int64_t>(12 + rng.Below(20))},
                              {"memory", absl::StrCat(40 + rng.Below(60), "Gi")}};
    }
    if (rng.Chance(0.2)) queue.settings.push_back({"koordinator/lends", "false"});
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.2)) job.settings.push_back({"koordinator/mode", "NonStrict"});
    if (rng.Chance(0.1)) job.settings.push_back({"koordinator/waiting-time", "2"});
  }
  if (world->jobs.size() > 1 && rng.Chance(0.3)) {
    const std::string group = absl::StrCat(world->jobs[0].name, ",", world->jobs[1].name);
    for (int i = 0; i < 2; ++i) world->jobs[i].settings.push_back({"koordinator/groups", group});
  }
  if (rng.Chance(0.5)) return;
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.3)) continue;
    node.usage = NodeUsage{static_cast<int64_t>(rng.Below(70)), static_cast<int64_t>(rng.Below(70)),
                           rng.Chance(0.1) ? -179 : 0};
  }
}

// Schedules the living cluster and checks the plan.
absl::StatusOr<Plan> CheckedKoordinatorPlan(Cluster* cluster, const std::string& profile,
                                            int64_t now) {
  const Snapshot snapshot = cluster->Freeze();
  absl::StatusOr<Plan> living = cluster->Schedule(profile, {.now = now});
  if (!living.ok()) return living;
  const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, {.now = now});
  EXPECT_TRUE(frozen.ok()) << frozen.status();
  if (frozen.ok()) {
    EXPECT_EQ(living->Digest(), frozen->Digest());
  }
  for (const std::string& words : Violations(snapshot, *living, InvariantsOf(profile))) {
    ADD_FAILURE() << words;
  }
  return living;
}

// Returns a gang that got a bind though fewer of its pods than its least number have or had nodes
// once the plan is carried out, while no pod of it had one before; empty: there is none.
std::string BrokenGang(const Plan& plan, const ClusterSpec& before, const ClusterSpec& after) {
  const auto holders = [](const ClusterSpec& cluster) {
    std::map<std::string, int64_t> counts;
    for (const TaskSpec& task : cluster.tasks) {
      counts[task.job] += !task.node.empty() || task.status == TaskStatus::kSucceeded ||
                          task.status == TaskStatus::kFailed;
    }
    return counts;
  };
  std::map<std::string, int64_t> had = holders(before), has = holders(after);
  for (const Decision& decision : plan.decisions()) {
    if (decision.kind != DecisionKind::kBind || decision.job == kNone) continue;
    for (const JobSpec& job : after.jobs) {
      if (job.name == plan.job_name(decision.job) && had[job.name] == 0 &&
          has[job.name] < job.min_available) {
        return job.name;
      }
    }
  }
  return "";
}

TEST(KoordinatorWorlds, PlansKeepTheirPromisesCycleAfterCycle) {
  int64_t binds = 0, gangs = 0, evictions = 0, reservations = 0;
  for (uint64_t seed = 0; seed < WorldCount(1'500); ++seed) {
    Rng rng(seed);
    const std::string profile = OneOf(kKoordinatorSpecs, rng);
    const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 8, .tasks = 5};
    ClusterSpec world = RandomWorld(rng.Next(), knobs);
    AddKoordinatorObjects(rng, &world);
    Cluster cluster = MakeCluster(world);
    RandomEdits edits(cluster, rng, knobs);
    for (int64_t cycle = 0; cycle < 5; ++cycle) {
      const ClusterSpec before = cluster.Describe();
      const absl::StatusOr<Plan> plan = CheckedKoordinatorPlan(&cluster, profile, cycle);
      ASSERT_TRUE(plan.ok()) << plan.status();
      binds += static_cast<int64_t>(plan->binds().size());
      evictions += static_cast<int64_t>(plan->evictions().size());
      reservations += static_cast<int64_t>(plan->reservations().size());
      const absl::StatusOr<ApplyReport> report = cluster.Apply(*plan);
      ASSERT_TRUE(report.ok());
      EXPECT_TRUE(report->refused.empty()) << report->refused[0];
      if (cycle == 0 && profile.find("coscheduling=off") == std::string::npos) {
        EXPECT_EQ(BrokenGang(*plan, before, cluster.Describe()), "");
        for (const Decision& d : plan->decisions()) {
          gangs += d.kind == DecisionKind::kBind && d.job != kNone;
        }
      }
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "seed " << seed << ", cycle " << cycle << ", " << profile << "\n"
          << AsScenario(before, profile);
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
    }
  }
  EXPECT_GT(binds, 1000);
  EXPECT_GT(gangs, 100);
  EXPECT_GT(evictions, 100);
  EXPECT_GT(reservations, 5);
}

}  // namespace
}  // namespace muster::testing
