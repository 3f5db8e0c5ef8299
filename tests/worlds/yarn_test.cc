// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profiles yarn-capacity and yarn-fair on random worlds: what every plan keeps, cycle after cycle,
// and that a living cluster and its snapshot decide alike.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

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

// Profiles that are still waiting at the end of a cycle: for preferred nodes, or with reservations.
constexpr const char* kKeepingSpecs[] = {
    "yarn-capacity:heartbeat(rounds=1,min_memory=1,node_locality_delay=2)",
    "yarn-capacity:actions=preempt(max_wait=0,per_round=1,natural_termination=1,reserved=on,"
    "min_memory=1)+heartbeat(min_memory=1,max_off_switch=100)",
    "yarn-capacity:actions=preempt(max_wait=0,per_round=1,natural_termination=1,reserved=on,"
    "calculator=memory,min_memory=1)+heartbeat(calculator=memory,min_memory=1,rounds=1)",
    "yarn-capacity:actions=preempt(max_wait=0,per_round=1,priorities=on,priorities_delay=0,"
    "move_reservations=on,min_memory=1)+heartbeat(min_memory=1,rounds=1)",
    "yarn-fair:heartbeat(rounds=1,min_memory=1,increment_memory=1,node_locality_threshold=0.5,"
    "rack_locality_threshold=0.5)",
};

// Racks of two nodes, and tasks that prefer some nodes or a rack.
void AddYarnWishes(Rng& rng, ClusterSpec* world) {
  if (world->nodes.empty()) return;
  for (size_t n = 0; n < world->nodes.size(); ++n) {
    world->nodes[n].labels.emplace_back("yarn.apache.org/rack", "r" + std::to_string(n / 2));
  }
  for (JobSpec& job : world->jobs) {
    for (GroupSpec& group : job.groups) {
      if (rng.Chance(0.5)) continue;
      NodeTerm term;
      if (rng.Chance(0.3)) {
        term.match_expressions = {
            {.key = "yarn.apache.org/rack", .op = RequirementOp::kIn, .values = {"r0"}}};
      } else {
        const std::string& node = world->nodes[rng.Below(world->nodes.size())].name;
        term.match_fields = {{.key = "metadata.name", .op = RequirementOp::kIn, .values = {node}}};
      }
      group.shape.preferred_node_affinity = {{.weight = 1, .term = term}};
    }
  }
}

// Labels of some nodes and jobs; every queue has access, and equal parts by weight.
void AddYarnLabels(Rng& rng, ClusterSpec* world) {
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.4)) node.settings.emplace_back("yarn-capacity/node-label", "gpu");
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.4)) job.settings.emplace_back("yarn-capacity/node-label-expression", "gpu");
  }
  for (QueueSpec& queue : world->queues) {
    if (queue.name == "root") continue;
    queue.settings.emplace_back("yarn-capacity/accessible-node-labels.gpu.capacity", "1w");
  }
}

// Rules that place jobs, and queues that are made for them, in a tree below "root".
void AddYarnMappings(Rng& rng, ClusterSpec* world) {
  constexpr const char* kMatches[] = {"u:%user:", "u:ann:", "g:dev:", "a:%application:"};
  constexpr const char* kParts[] = {"%user", "%primary_group", "%application", "root", "q0", "q1"};
  constexpr const char* kEnds[] = {"", ":skip", ":reject", ":existing:skip"};
  std::string rules;
  for (uint64_t rule = 1 + rng.Below(4); rule > 0; --rule) {
    std::string place = OneOf(kParts, rng);
    for (uint64_t more = rng.Below(3); more > 0; --more) {
      place += "." + std::string(OneOf(kParts, rng));
    }
    rules +=
        std::string(rules.empty() ? "" : ",") + OneOf(kMatches, rng) + place + OneOf(kEnds, rng);
  }
  for (QueueSpec& queue : world->queues) {
    if (queue.name == "root") {
      queue.settings.emplace_back("yarn-capacity/queue-mappings", rules);
      if (rng.Chance(0.5)) {
        queue.settings.emplace_back("yarn-capacity/queue-mappings-override.enable", "true");
      }
      queue.settings.emplace_back("yarn-capacity/*.auto-queue-creation-v2.template.capacity", "2w");
      if (rng.Chance(0.5)) {
        queue.settings.emplace_back("yarn-capacity/ordering-policy", "priority-utilization");
      }
    } else if (rng.Chance(0.3)) {
      queue.priority = static_cast<int32_t>(rng.Below(3));
    }
    if (rng.Chance(0.5)) {
      queue.settings.emplace_back("yarn-capacity/auto-queue-creation-v2.enabled", "true");
    }
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.5)) job.queue = "default";
    if (rng.Chance(0.7)) job.owner = JobOwner{.user = "ann", .groups = {"dev", "q1"}};
    if (rng.Chance(0.2)) job.settings.emplace_back("yarn-capacity/queue", "root.q1.made");
  }
}

// Whether queues lie below "root", and it below none; else it is a queue like others.
bool HasRoot(const Cluster& cluster) {
  const std::vector<QueueSpec> queues = cluster.Describe().queues;
  return std::ranges::any_of(queues, [](const auto& queue) { return queue.parent == "root"; }) &&
         std::ranges::none_of(queues, [](const auto& queue) {
           return queue.name == "root" && !queue.parent.empty();
         });
}

void AddYarnSettings(Rng& rng, ClusterSpec* world) {
  for (QueueSpec& queue : world->queues) {
    if (rng.Chance(0.3) && queue.name != "root") {
      queue.settings.emplace_back("yarn-capacity/maximum-capacity",
                                  std::to_string(20 * rng.Below(6)));
    }
    if (rng.Chance(0.3)) queue.settings.emplace_back("yarn-capacity/user-limit-factor", "3");
    if (rng.Chance(0.2)) queue.settings.emplace_back("yarn-capacity/max-parallel-apps", "2");
    if (rng.Chance(0.1)) queue.settings.emplace_back("yarn-capacity/disable_preemption", "true");
    if (rng.Chance(0.5)) {
      queue.settings.emplace_back("yarn-capacity/maximum-am-resource-percent", "1");
    }
    if (rng.Chance(0.2)) queue.settings.emplace_back("yarn-fair/maxRunningApps", "2");
    if (rng.Chance(0.3)) queue.settings.emplace_back("yarn-fair/weight", "2.5");
    if (rng.Chance(0.2)) {
      queue.settings.emplace_back("yarn-fair/maxResources", "64 mb, 3 vcores");
    }
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.3)) {
      const std::string group = job.groups.empty() ? "" : job.groups.back().name;
      job.settings.emplace_back("yarn-capacity/master", group);
    }
    if (rng.Chance(0.5)) job.owner = JobOwner{.user = rng.Chance(0.5) ? "ann" : "bob"};
  }
}

TEST(YarnWorlds, PlansKeepTheirPromisesCycleAfterCycle) {
  int64_t binds = 0, waiting = 0, evicted = 0;
  for (uint64_t seed = 0; seed < WorldCount(1'000); ++seed) {
    Rng rng(seed);
    const bool keeps = rng.Chance(0.3);
    const std::string profile = keeps ? OneOf(kKeepingSpecs, rng) : OneOf(kYarnSpecs, rng);
    const uint64_t nodes = rng.Chance(0.5) ? 8 : 2;
    const bool is_mapped = rng.Chance(0.25) && profile.starts_with("yarn-capacity");
    const WorldKnobs knobs{.nodes = nodes,
                           .queues = 4,
                           .jobs = 8,
                           .tasks = 5,
                           .between_tasks = false,
                           .rooted = is_mapped};
    ClusterSpec world = RandomWorld(rng.Next(), knobs);
    AddYarnSettings(rng, &world);
    if (is_mapped) AddYarnMappings(rng, &world);
    if (!is_mapped && rng.Chance(0.3)) AddYarnLabels(rng, &world);
    if (keeps || rng.Chance(0.3)) AddYarnWishes(rng, &world);
    Cluster cluster = MakeCluster(world);
    RandomEdits edits(cluster, rng, knobs);
    for (int64_t cycle = 0; cycle < 3; ++cycle) {
      if (is_mapped && !HasRoot(cluster)) break;
      const Snapshot snapshot = cluster.Freeze();
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, {.now = cycle});
      ASSERT_TRUE(plan.ok()) << plan.status();
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, {.now = cycle});
      ASSERT_TRUE(frozen.ok()) << frozen.status();
      EXPECT_EQ(plan->Digest(), frozen->Digest());
      EXPECT_EQ(plan->memory(), frozen->memory());
      for (const std::string& words : Violations(snapshot, *plan, InvariantsOf(profile))) {
        ADD_FAILURE() << words;
      }
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "seed " << seed << ", cycle " << cycle << ", " << profile << "\n"
          << AsScenario(cluster.Describe(), profile);
      binds += static_cast<int64_t>(plan->binds().size());
      waiting += static_cast<int64_t>(plan->pending().size());
      evicted += static_cast<int64_t>(plan->evictions().size());
      ASSERT_TRUE(cluster.Apply(*plan).ok());
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
    }
  }
  EXPECT_GT(binds, static_cast<int64_t>(WorldCount(1'000) / 2));
  EXPECT_GT(waiting, static_cast<int64_t>(WorldCount(1'000) / 2));
  EXPECT_GT(evicted, static_cast<int64_t>(WorldCount(1'000) / 100));
}

}  // namespace
}  // namespace muster::testing
