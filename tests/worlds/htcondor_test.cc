// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile htcondor on random worlds with owners, quotas, expressions and past usage: its plans keep
// the invariants of a cluster, and a living cluster decides as a fresh and as a frozen one.
#include <string>
#include <vector>

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

template <size_t N>
std::string One(const char* const (&texts)[N], Rng& rng) {
  return texts[rng.Below(N)];
}

void AddNodeSettings(Rng& rng, NodeSpec* node) {
  constexpr const char* kStarts[] = {"true", "TARGET.RequestCpus < 4", "TARGET.Owner != \"ann\"",
                                     "TARGET.Department =?= \"hep\"", "1 / 0 == 1"};
  constexpr const char* kRanks[] = {"0.0", "TARGET.JobPrio", "TARGET.Owner == \"bob\""};
  if (rng.Chance(0.3)) node->settings.emplace_back("htcondor/START", One(kStarts, rng));
  if (rng.Chance(0.3)) node->settings.emplace_back("htcondor/RANK", One(kRanks, rng));
  if (rng.Chance(0.1)) node->settings.emplace_back("htcondor/SLOT_WEIGHT", "2 * Cpus");
  if (rng.Chance(0.3))
    node->settings.emplace_back("htcondor/+KFlops", std::to_string(rng.Below(3)));
}

void AddJobSettings(Rng& rng, JobSpec* job) {
  constexpr const char* kUsers[] = {"ann", "bob", "eve@far"};
  constexpr const char* kRequirements[] = {"true", "TARGET.Memory > 0", "TARGET.KFlops > 0",
                                           "TARGET.KFlops =?= undefined || MY.JobPrio > 0",
                                           "TARGET.zone == \"a\""};
  constexpr const char* kRanks[] = {"0.0", "TARGET.Memory", "TARGET.KFlops", "-TARGET.Cpus"};
  if (rng.Chance(0.8)) job->owner = JobOwner{.user = One(kUsers, rng)};
  const auto add = [&](const char* key, std::string value, double chance) {
    if (rng.Chance(chance)) job->settings.emplace_back(key, std::move(value));
  };
  add("htcondor/requirements", One(kRequirements, rng), 0.3);
  add("htcondor/rank", One(kRanks, rng), 0.3);
  add("htcondor/concurrency_limits", rng.Chance(0.5) ? "lic" : "lic:2, db.big", 0.3);
  add("htcondor/+Department", "\"hep\"", 0.3);
  add("htcondor/nice_user", "true", 0.1);
  add("htcondor/post_job_prio1", std::to_string(rng.Below(3)), 0.1);
}

void AddQueueSettings(Rng& rng, QueueSpec* queue) {
  if (queue->name == "default") return;
  const auto add = [&](const char* key, std::string value, double chance) {
    if (rng.Chance(chance)) queue->settings.emplace_back(key, std::move(value));
  };
  add("htcondor/quota", std::to_string(rng.Below(12)), 0.3);
  add("htcondor/quota_dynamic", "0.3", 0.2);
  add("htcondor/accept_surplus", rng.Chance(0.7) ? "true" : "false", 0.4);
  add("htcondor/autoregroup", rng.Chance(0.7) ? "true" : "false", 0.2);
  add("htcondor/prio_factor", "10", 0.2);
  if (rng.Chance(0.3)) {
    queue->history = UsageHistory{
        .as_of = 5, .entries = {{.user = "ann", .priority = Quantity("7.25"), .factor = 10}}};
  }
}

ClusterSpec CondorWorld(uint64_t seed, Rng& rng, const WorldKnobs& knobs = {}) {
  ClusterSpec world = RandomWorld(seed, knobs);
  if (rng.Chance(0.2)) return world;
  for (NodeSpec& node : world.nodes) AddNodeSettings(rng, &node);
  for (JobSpec& job : world.jobs) AddJobSettings(rng, &job);
  for (QueueSpec& queue : world.queues) AddQueueSettings(rng, &queue);
  QueueSpec pool{.name = "default"};
  const auto add = [&](const char* key, const char* value, double chance) {
    if (rng.Chance(chance)) pool.settings.emplace_back(key, value);
  };
  add("htcondor/PREEMPTION_REQUIREMENTS", "RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2", 0.3);
  add("htcondor/PREEMPTION_REQUIREMENTS", "true", pool.settings.empty() ? 0.3 : 0);
  add("htcondor/NEGOTIATOR_PRE_JOB_RANK", "0", 0.2);
  add("htcondor/concurrency_limits", "lic:3,db.*:1", 0.5);
  add("htcondor/ceilings", "ann@pool:3", 0.2);
  add("htcondor/floors", "bob@pool:2", 0.2);
  std::erase_if(world.queues, [](const QueueSpec& queue) { return queue.name == "default"; });
  world.queues.insert(world.queues.begin(), pool);
  return world;
}

std::string Words(const std::vector<std::string>& list) {
  std::string words;
  for (const std::string& word : list) absl::StrAppend(&words, word, "\n");
  return words;
}

TEST(CondorWorlds, PlansKeepWhatAClusterNeeds) {
  int64_t binds = 0, nominations = 0, evictions = 0;
  for (uint64_t seed = FirstSeed(0), end = seed + WorldCount(2'000); seed < end; ++seed) {
    Rng rng(seed);
    const ClusterSpec world = CondorWorld(seed, rng);
    const std::string profile = OneOf(kHtCondorSpecs, rng);
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, {.now = 100});
    ASSERT_TRUE(plan.ok()) << "seed " << seed << ": " << plan.status();
    const std::vector<std::string> violations = Violations(snapshot, *plan, InvariantsOf(profile));
    ASSERT_TRUE(violations.empty()) << "seed " << seed << "\n"
                                    << Words(violations) << AsScenario(world, profile);
    // The next decisions alone are how the plan begins, and repeating them ends with the same ones.
    ScheduleOptions two;
    two.now = 100;
    two.turn = NextDecisions{2};
    const absl::StatusOr<Plan> start = Schedule(snapshot, profile, two);
    ASSERT_TRUE(start.ok()) << start.status();
    ASSERT_LE(start->binds().size(), plan->binds().size());
    for (size_t i = 0; i < start->binds().size(); ++i) {
      ASSERT_EQ(start->binds()[i], plan->binds()[i]) << "seed " << seed;
    }
    binds += static_cast<int64_t>(plan->binds().size());
    nominations += static_cast<int64_t>(plan->nominations().size());
    evictions += static_cast<int64_t>(plan->evictions().size());
  }
  EXPECT_GT(binds, 2'000);
  EXPECT_GT(nominations, 100);
  EXPECT_GT(evictions, 100);
}

TEST(CondorWorlds, LivingFreshAndFrozenClustersDecideAlike) {
  for (uint64_t seed = 0; seed < (WorldCount(2'000) + 19) / 20; ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 10, .queues = 3, .jobs = 8, .tasks = 6};
    Cluster cluster = MakeCluster(CondorWorld(seed, rng, knobs));
    RandomEdits edits(cluster, rng, knobs);
    const std::string profile = OneOf(kHtCondorSpecs, rng);
    for (int64_t cycle = 0; cycle < 8; ++cycle) {
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
      const ScheduleOptions options{.now = 100 + 600 * cycle};
      const absl::StatusOr<Plan> living = cluster.Schedule(profile, options);
      const Snapshot snapshot = cluster.Freeze();
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, options);
      ASSERT_TRUE(living.ok()) << living.status();
      ASSERT_EQ(living->Digest(), frozen->Digest()) << "seed " << seed << ", cycle " << cycle;
      ASSERT_EQ(living->memory(), frozen->memory());
      Cluster fresh = cluster.Clone();
      const absl::StatusOr<Plan> third = fresh.Schedule(profile, options);
      ASSERT_EQ(living->Digest(), third->Digest()) << "seed " << seed << ", cycle " << cycle;
      const std::vector<std::string> violations =
          Violations(snapshot, *living, InvariantsOf(profile));
      ASSERT_TRUE(violations.empty()) << "seed " << seed << ", cycle " << cycle << "\n"
                                      << Words(violations);
      ASSERT_TRUE(cluster.Apply(*living).ok());
    }
  }
}

}  // namespace
}  // namespace muster::testing
