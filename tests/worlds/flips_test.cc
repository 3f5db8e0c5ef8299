// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What must not change a plan: how fast it is made, whether the cluster has been scheduled before,
// and in which order rows came where orders are total.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/base/strings.h"
#include "lib/scenario/generate.h"
#include "muster/schedule.h"
#include "tests/support/plan_words.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_devices.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/shrink.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

const std::vector<std::pair<std::string, SpeedOptions>>& Flips() {
  static const std::vector<std::pair<std::string, SpeedOptions>> flips = {
      {"block_winners", {.block_winners = false}},
      {"share_equal_states", {.share_equal_states = false}},
      {"infeasibility_memory", {.infeasibility_memory = false}},
      {"vector_kernels", {.vector_kernels = false}},
      {"all", {false, false, false, false, 0}},
      {"memory_limit 0", {.memory_limit = 0}},
      {"memory_limit 2000", {.memory_limit = 2000}},
      {"states without winners", {.block_winners = false, .vector_kernels = false}},
      {"trees without states", {.share_equal_states = false, .memory_limit = 5000}},
  };
  return flips;
}

// All profiles as they come, and volcano with what evicts.
const std::vector<std::string>& Specs() {
  static const std::vector<std::string> specs = [] {
    std::vector<std::string> names = {
        "volcano:+preempt,+reclaim", "volcano:actions=reclaim+allocate+preempt+backfill",
        "volcano:-proportion,binpack(weight=3),actions=allocate+preempt",
        "volcano:-proportion,+capacity(hierarchy=on,ancestor_reclaim_level=1),+reclaim"};
    for (const ProfileInfo& info : Profiles()) {
      names.push_back(info.name);
      const std::vector<std::string>& actions = info.actions;
      const auto lacks = [&](const char* action) {
        return std::find(actions.begin(), actions.end(), action) == actions.end();
      };
      if (info.name == "kube-batch" && lacks("preempt"))
        names.push_back("kube-batch:+preempt,+reclaim");
    }
    return names;
  }();
  return specs;
}

// Without the profiles with loops of their own, which read no speed option: small worlds show it.
std::vector<std::string> SpecsThatReadSpeedOptions() {
  std::vector<std::string> specs = Specs();
  std::erase_if(specs, [](const std::string& spec) {
    return spec == "armada" || spec == "kai" || spec == "kube-scheduler" || spec == "koordinator" ||
           spec == "scheduler-plugins";
  });
  return specs;
}

std::string Digest(const Snapshot& snapshot, const std::string& profile,
                   const SpeedOptions& speed) {
  ScheduleOptions options;
  options.speed = speed;
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, options);
  return plan.ok() ? plan->Digest() : plan.status().ToString();
}

// The first flip that changes the plan; empty: none.
std::string FlipThatMatters(const Snapshot& snapshot, const std::string& profile) {
  const std::string expected = Digest(snapshot, profile, {});
  for (const auto& [name, speed] : Flips()) {
    if (Digest(snapshot, profile, speed) != expected) return name;
  }
  return "";
}

TEST(Flips, NoSpeedOptionChangesAPlan) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const std::string& profile = Specs()[seed % Specs().size()];
    const WorldKnobs large{.nodes = 40, .queues = 4, .jobs = 12, .tasks = 12};
    const ClusterSpec world = RandomWorld(seed, seed % 3 == 0 ? large : WorldKnobs{});
    const std::string flip = FlipThatMatters(MakeCluster(world).Freeze(), profile);
    if (flip.empty()) continue;
    const ClusterSpec small = Shrink(world, [&](const ClusterSpec& candidate) {
      const std::optional<Cluster> cluster = TryCluster(candidate);
      return cluster.has_value() && !FlipThatMatters(cluster->Freeze(), profile).empty();
    });
    FAIL() << "seed " << seed << ": " << FlipThatMatters(MakeCluster(small).Freeze(), profile)
           << " under " << profile << "\n"
           << AsScenario(small, profile);
  }
}

TEST(Flips, NoSpeedOptionChangesAPlanWithDevices) {
  const std::string profiles[] = {"muster", "muster:devices(strategy=spread)",
                                  "muster:devices(strategy=best-fit),actions=allocate",
                                  "volcano:+devices,+preempt"};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::string& profile = profiles[seed % std::size(profiles)];
    Rng rng(seed);
    ClusterSpec world = RandomWorld(rng.Next());
    AddDevices(rng, &world);
    ASSERT_EQ(FlipThatMatters(MakeCluster(world).Freeze(), profile), "")
        << "seed " << seed << " under " << profile << "\n"
        << AsScenario(world, profile);
  }
}

TEST(Flips, NoSpeedOptionChangesAPlanOfALargerCluster) {
  const std::vector<std::string> specs = SpecsThatReadSpeedOptions();
  for (uint64_t seed = 0; seed < 12; ++seed) {
    GenerateOptions options;
    options.mix = seed % 2 == 0 ? "uniform" : "openb";
    options.nodes = 50 + static_cast<int64_t>(seed) * 12;
    options.seed = seed;
    options.load = seed % 3 == 0 ? 1.5 : 0.7;
    options.priorities = 3;
    options.depth = 1 + static_cast<int64_t>(seed % 2);
    options.occupancy = seed % 4 == 1 ? 0.8 : 0.2;
    options.selectors = options.taints = 0.2;
    if (seed % 4 == 2) options.affinity = options.spread = 0.1;
    const absl::StatusOr<Scenario> scenario = Generate(options);
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    Cluster cluster;
    ASSERT_TRUE(Fill(*scenario, &cluster).ok());
    const std::string& profile = specs[seed % specs.size()];
    EXPECT_EQ(FlipThatMatters(cluster.Freeze(), profile), "")
        << "seed " << seed << " under " << profile;
  }
}

// --- a cluster that lives on

TEST(LivingCluster, SchedulesAsItsFrozenSelf) {
  int64_t applied = 0;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{
        .nodes = 10, .queues = 4, .jobs = 6, .tasks = 5, .rooted = seed % 4 == 0};
    Cluster cluster = MakeCluster(RandomWorld(seed, knobs));
    RandomEdits edits(cluster, rng, knobs);
    for (int cycle = 0; cycle < 12; ++cycle) {
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
      const std::string& profile = Specs()[(seed + rng.Below(2)) % Specs().size()];
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", cycle ", cycle, ", ", profile));
      ScheduleOptions options;
      options.now = cycle;
      if (seed % 5 == 0) options.speed = Flips()[rng.Below(Flips().size())].second;
      const absl::StatusOr<Plan> living = cluster.Schedule(profile, options);
      ASSERT_TRUE(living.ok()) << living.status();
      const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), profile, options);
      ASSERT_TRUE(frozen.ok()) << frozen.status();
      ASSERT_EQ(living->Digest(), frozen->Digest())
          << "living:\n"
          << living->ToText() << "frozen:\n"
          << frozen->ToText() << AsScenario(cluster.Describe(), profile);
      const absl::StatusOr<Plan> again = cluster.Schedule(profile, options);
      ASSERT_TRUE(again.ok());
      ASSERT_EQ(again->Digest(), frozen->Digest()) << "asked twice";
      if (!rng.Chance(0.6)) continue;
      const absl::StatusOr<ApplyReport> report = cluster.Apply(*living);
      ASSERT_TRUE(report.ok()) << report.status();
      for (const std::string& refused : report->refused) {
        // Offers and splits change no row: Apply leaves them to the caller, in these words.
        EXPECT_TRUE(refused.ends_with(": the caller carries it out")) << refused;
      }
      applied += report->applied;
    }
  }
  EXPECT_GT(applied, 1000) << "nothing happens in these clusters";
}

template <size_t N>
void AddAll(const char* const (&table)[N], std::vector<std::string>* specs) {
  specs->insert(specs->end(), std::begin(table), std::end(table));
}

// Every spec that random worlds are scheduled under, of profiles and of policies that none has.
std::vector<std::string> AllSpecs() {
  std::vector<std::string> specs = Specs();
  specs.push_back("volcano:+devices(weight=0),+fragmentation");
  specs.push_back("muster:devices(weight=0),-binpack,-nodeorder,+fragmentation");
  AddAll(kVolcanoSpecs, &specs);
  AddAll(kKubeBatchSpecs, &specs);
  AddAll(kMusterSpecs, &specs);
  AddAll(kSpendingSpecs, &specs);
  AddAll(kElasticSpecs, &specs);
  AddAll(kTranswarpSpecs, &specs);
  AddAll(kDeviceSpecs, &specs);
  AddAll(kCpuSpecs, &specs);
  AddAll(kZoneSpecs, &specs);
  AddAll(kDomainSpecs, &specs);
  AddAll(kRaySpecs, &specs);
  AddAll(kArmadaSpecs, &specs);
  AddAll(kHtCondorSpecs, &specs);
  AddAll(kYuniKornSpecs, &specs);
  AddAll(kSchedulerPluginsSpecs, &specs);
  AddAll(kKoordinatorSpecs, &specs);
  AddAll(kYarnSpecs, &specs);
  AddAll(kPromiseSpecs, &specs);
  AddAll(kJobOrderSpecs, &specs);
  AddAll(kMesosSpecs, &specs);
  AddAll(kPulsarSpecs, &specs);
  AddAll(kRebalanceSpecs, &specs);
  return specs;
}

// What a policy keeps from cycle to cycle, of the cluster, of the books or of time, must be what it
// would find anew: one spec a life, with devices, and time goes in steps of all sizes.
TEST(LivingCluster, OfEverySpecDecidesAsItsFrozenSelf) {
  const std::vector<std::string> specs = AllSpecs();
  const uint64_t first = FirstSeed(0), lives = WorldCount(2 * specs.size());
  uint64_t refused = 0;
  int64_t applied = 0;
  for (uint64_t seed = first; seed < first + lives; ++seed) {
    Rng rng(seed);
    const std::string& profile = specs[seed % specs.size()];
    const WorldKnobs knobs{
        .nodes = 10, .queues = 4, .jobs = 6, .tasks = 5, .rooted = rng.Below(4) == 0};
    ClusterSpec world = RandomWorld(rng.Next(), knobs), pool = RandomWorld(rng.Next(), knobs);
    AddDevices(rng, &world);
    AddDevices(rng, &pool);
    Cluster cluster = MakeCluster(world);
    RandomEdits edits(cluster, rng, std::move(pool));
    ScheduleOptions options;
    for (int cycle = 0; cycle < 20; ++cycle) {
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
      options.now += static_cast<int64_t>(rng.Below(uint64_t{1} << rng.Below(14)));
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", cycle ", cycle, ", ", profile));
      const absl::StatusOr<Plan> living = cluster.Schedule(profile, options);
      const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), profile, options);
      ASSERT_EQ(living.status(), frozen.status());
      if (!living.ok()) {  // a limit of the profile, which both meet
        ++refused;
        break;
      }
      if (living->Digest() != frozen->Digest()) {
        ADD_FAILURE() << "living:\n"
                      << living->ToText() << "frozen:\n"
                      << frozen->ToText() << AsScenario(cluster.Describe(), profile);
        break;
      }
      if (!rng.Chance(0.7)) continue;
      const absl::StatusOr<ApplyReport> report = cluster.Apply(*living);
      ASSERT_TRUE(report.ok()) << report.status();
      applied += report->applied;
    }
  }
  EXPECT_LE(20 * refused, lives) << "few lives are led";
  EXPECT_GT(applied, static_cast<int64_t>(lives)) << "nothing happens in these clusters";
}

// --- rows in another order

std::vector<std::string> BindsByName(const ClusterSpec& world, const std::string& profile) {
  const Cluster cluster = MakeCluster(world);
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  if (!plan.ok()) return {plan.status().ToString()};
  std::vector<std::string> binds;
  for (const Bind& bind : plan->binds()) {
    binds.push_back(absl::StrCat(ToAbsl(plan->task_name(bind.task)), " on ",
                                 ToAbsl(plan->node_name(bind.node))));
  }
  return binds;
}

TEST(RowOrder, OfQueuesJobsAndTasksDoesNotMatterWhereOrdersAreTotal) {
  const std::string profile =
      "volcano:actions=allocate,tiers=priority+gang/drf+predicates+nodeorder+binpack";
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    ClusterSpec world = RandomWorld(seed, {.between_tasks = false, .extremes = false});
    // Uid ranks make every order total; an ordinal on some tasks alone would make theirs cyclic.
    int64_t rank = 0;
    for (QueueSpec& queue : world.queues) queue.uid_rank = ++rank;
    for (JobSpec& job : world.jobs) job.uid_rank = ++rank;
    for (TaskSpec& task : world.tasks) {
      task.uid_rank = ++rank;
      task.ordinal.reset();
      // A role remembers its first refusal of any task: only where tasks of a role are alike is
      // that nothing.
      task.group.clear();
    }
    const std::vector<std::string> expected = BindsByName(world, profile);
    ClusterSpec shuffled = world;
    rng.Shuffle(shuffled.queues);
    rng.Shuffle(shuffled.jobs);
    rng.Shuffle(shuffled.tasks);
    ASSERT_EQ(BindsByName(shuffled, profile), expected)
        << "seed " << seed << "\n"
        << AsScenario(world, profile) << AsScenario(shuffled, profile);
  }
}

}  // namespace
}  // namespace muster::testing
