// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic jobs in random worlds: the engine agrees with its slow twin, no job runs with fewer tasks
// than its gang needs or with more than it may grow to, nodes hold no more than they have, and
// living, fresh and frozen clusters decide alike.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/schedule.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_jobs.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

ClusterSpec ElasticWorld(uint64_t seed, Rng& rng, WorldKnobs knobs = {.extremes = false}) {
  knobs.between_tasks = rng.Chance(0.2);
  ClusterSpec world = RandomWorld(seed, knobs);
  AddElasticSizes(rng, &world);
  return world;
}

struct JobSize {
  int64_t before = 0, after = 0, given_up = 0;
};

// How many tasks of each job hold a node before the plan and once it is carried out, and how many
// it evicts.
std::map<JobIndex, JobSize> SizesOf(const Tables& tables, const Plan& plan) {
  std::map<JobIndex, JobSize> sizes;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || !IsAllocated(tables.tasks.status[t])) continue;
    ++sizes[tables.tasks.job[t]].before;
    ++sizes[tables.tasks.job[t]].after;
  }
  for (const Bind& bind : plan.binds()) ++sizes[tables.tasks.job[bind.task]].after;
  for (const Eviction& eviction : plan.evictions()) {
    --sizes[tables.tasks.job[eviction.task]].after;
    ++sizes[tables.tasks.job[eviction.task]].given_up;
  }
  return sizes;
}

// What the plan breaks of the rules of elastic jobs. `shrinks_alone`: no other action evicts.
std::vector<std::string> ElasticViolations(const Tables& tables, const Plan& plan,
                                           bool shrinks_alone) {
  std::vector<std::string> broken;
  const std::map<JobIndex, JobSize> sizes = SizesOf(tables, plan);
  for (const auto& [job, size] : sizes) {
    if (job == kNone) continue;
    const JobSpec& spec = tables.jobs.spec[job];
    const bool elastic =
        spec.gang && spec.gang->elastic && spec.sub_groups.empty() && !spec.topology;
    const std::string name(tables.jobs.names.name(job));
    if (shrinks_alone && size.given_up > 0) {
      if (!elastic) broken.push_back(absl::StrCat(name, " is not elastic and loses tasks"));
      if (size.before - size.given_up < spec.min_available) {
        broken.push_back(absl::StrCat(name, " is left with less than its gang"));
      }
      if (elastic && size.before - size.given_up < spec.gang->elastic->least.value_or(0)) {
        broken.push_back(absl::StrCat(name, " is left with less than its least size"));
      }
    }
    if (!elastic || size.after <= size.before) continue;
    int64_t gang = spec.min_available;  // groups may need more
    int64_t of_groups = 0;
    for (const GroupRow& group : tables.jobs.groups[job]) {
      of_groups += std::max<int64_t>(group.min_available, 0);
    }
    gang = std::max(gang, of_groups);
    const int64_t most = std::max(spec.gang->elastic->most.value_or(INT64_MAX), gang);
    if (size.after > most) broken.push_back(absl::StrCat(name, " grows beyond its most"));
  }
  for (const Resize& resize : plan.resizes()) {
    int64_t all = 0;
    for (const Resize& other : plan.resizes()) all += other.job == resize.job ? other.count : 0;
    const auto size = sizes.find(resize.job);
    if (size == sizes.end() || all > size->second.after) {
      broken.push_back(absl::StrCat(std::string(tables.jobs.names.name(resize.job)),
                                    " is resized to more than it runs with"));
    }
  }
  return broken;
}

TEST(ElasticWorlds, EngineAndTwinAgree) {
  ExpectAgreement(WorldCount(4000), [](uint64_t seed) {
    Rng rng(seed);
    ClusterSpec world = ElasticWorld(rng.Next(), rng);
    return ComparedWorld{std::move(world), OneOf(kElasticSpecs, rng)};
  });
}

TEST(ElasticWorlds, SizesStayWithinTheirBounds) {
  int64_t grown = 0, shrunk = 0;
  for (uint64_t seed = FirstSeed(0), end = seed + WorldCount(3000); seed < end; ++seed) {
    Rng rng(seed);
    const ClusterSpec world = ElasticWorld(rng.Next(), rng);
    const std::string profile = OneOf(kElasticBoundSpecs, rng);
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, {.now = 2});
    ASSERT_TRUE(plan.ok()) << "seed " << seed << ": " << plan.status();
    std::vector<std::string> broken = ElasticViolations(TablesOf(snapshot), *plan, true);
    const std::vector<std::string> more = Violations(snapshot, *plan, InvariantsOf(profile));
    broken.insert(broken.end(), more.begin(), more.end());
    ASSERT_TRUE(broken.empty()) << "seed " << seed << ", " << profile << "\n"
                                << absl::StrJoin(broken, "\n") << "\n"
                                << plan->ToText() << AsScenario(world, profile);
    for (const auto& [job, size] : SizesOf(TablesOf(snapshot), *plan)) {
      grown += size.after > size.before && size.before > 0;
      shrunk += size.given_up > 0;
    }
  }
  const auto worlds = static_cast<int64_t>(WorldCount(3000));
  EXPECT_GT(grown, worlds / 15);
  EXPECT_GT(shrunk, worlds / 60);
}

TEST(ElasticWorlds, LivingFreshAndFrozenClustersDecideAlike) {
  int64_t resizes = 0;
  for (uint64_t seed = 0; seed < (WorldCount(2000) + 9) / 10; ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 6, .queues = 3, .jobs = 8, .tasks = 6, .extremes = false};
    Cluster cluster = MakeCluster(ElasticWorld(seed, rng, knobs));
    RandomEdits edits(cluster, rng, knobs);
    const std::string profile = OneOf(kElasticSpecs, rng);
    for (int64_t cycle = 0; cycle < 6; ++cycle) {
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
      const ScheduleOptions options{.now = 2 + cycle};
      const absl::StatusOr<Plan> living = cluster.Schedule(profile, options);
      ASSERT_TRUE(living.ok()) << living.status();
      const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), profile, options);
      ASSERT_EQ(living->Digest(), frozen->Digest()) << "seed " << seed << ", cycle " << cycle;
      Cluster fresh = cluster.Clone();
      const absl::StatusOr<Plan> third = fresh.Schedule(profile, options);
      ASSERT_EQ(living->Digest(), third->Digest()) << "seed " << seed << ", cycle " << cycle;
      resizes += static_cast<int64_t>(living->resizes().size());
      ASSERT_TRUE(cluster.Apply(*living).ok());
    }
  }
  EXPECT_GT(resizes, static_cast<int64_t>(WorldCount(2000)) / 40);
}

}  // namespace
}  // namespace muster::testing
