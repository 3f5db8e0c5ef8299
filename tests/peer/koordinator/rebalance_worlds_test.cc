// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Action rebalance on random worlds: invariants recounted from the rows alone, one plan living,
// frozen and loaded, and whole rounds cut at each place.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/quantity.h"
#include "tests/support/plan_words.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"

namespace muster::testing {
namespace {

int64_t MilliOf(const Resources& amounts, std::string_view name) {
  for (const auto& [key, amount] : amounts) {
    if (key == name) return ParseQuantity(amount.text, Unit::kMilli).value_or(0);
  }
  return 0;
}

int64_t Small(Rng& rng, uint64_t bound) { return static_cast<int64_t>(rng.Below(bound)); }

// Rows that few rules keep apart, so that much moves: nodes of ten cores with running tasks.
ClusterSpec BusyWorld(Rng& rng) {
  ClusterSpec world;
  const size_t nodes = 2 + rng.Below(5);
  for (size_t n = 0; n < nodes; ++n) {
    NodeSpec node{.name = absl::StrCat("n", n),
                  .capacity = {{"cpu", 10}, {"memory", "10Gi"}, {"pods", 6 + Small(rng, 6)}}};
    node.labels = {{"kubernetes.io/hostname", node.name}};
    if (rng.Chance(0.1)) node.unschedulable = true;
    if (rng.Chance(0.1)) node.ready = false;
    if (rng.Chance(0.15)) {
      node.taints = {{.key = "only", .effect = TaintEffect::kNoSchedule}};
    }
    world.nodes.push_back(node);
  }
  world.queues.push_back({.name = "default"});
  const Selector web{{{"app", "web"}}, {}};
  for (size_t j = 0; j < 2 + rng.Below(8); ++j) {
    JobSpec job{.name = absl::StrCat("j", j)};
    TaskShape shape{
        .request = {{"cpu", 1 + Small(rng, 3)}, {"memory", absl::StrCat(rng.Below(3), "Gi")}},
        .name_space = absl::StrCat("space", rng.Below(2))};
    if (rng.Chance(0.4)) shape.labels = {{"app", "web"}};
    if (rng.Chance(0.1)) {
      shape.required_anti_affinity = {{.topology_key = "kubernetes.io/hostname", .selector = web}};
    }
    if (rng.Chance(0.1)) {
      shape.spread = {{.topology_key = "kubernetes.io/hostname", .max_skew = 2, .selector = web}};
    }
    if (rng.Chance(0.2)) shape.node_selector = {{"zone", absl::StrCat("z", rng.Below(2))}};
    if (rng.Chance(0.1)) shape.tolerations = {{.op = TolerationOp::kExists}};
    world.jobs.push_back(job);
    for (size_t t = 0; t < 1 + rng.Below(5); ++t) {
      TaskSpec task{.name = absl::StrCat(job.name, "-", t), .job = job.name, .shape = shape};
      task.preemptable = rng.Chance(0.9);
      if (rng.Chance(0.1)) task.protected_until = 30;
      if (rng.Chance(0.9)) {
        task.status = rng.Chance(0.9) ? TaskStatus::kRunning : TaskStatus::kReleasing;
        task.node = absl::StrCat("n", rng.Below(std::min<uint64_t>(nodes, 1 + rng.Below(nodes))));
      }
      world.tasks.push_back(task);
    }
  }
  for (size_t s = 0; s < 2; ++s) {
    if (!rng.Chance(0.4)) continue;
    DisruptionBudgetSpec budget{.name = "b", .name_space = absl::StrCat("space", s)};
    budget.selector = web;
    budget.allowed = static_cast<int64_t>(rng.Below(3));
    world.budgets.push_back(budget);
  }
  return world;
}

// A world with measured nodes and running tasks, in few sizes so that ties are common.
ClusterSpec MeasuredWorld(uint64_t seed) {
  Rng rng(SplitMix64(seed));
  ClusterSpec world = seed % 4 == 0
                          ? RandomWorld(seed, {.nodes = 7, .jobs = 14, .extremes = seed % 7 == 0})
                          : BusyWorld(rng);
  for (size_t n = 0; n < world.nodes.size(); ++n) {
    NodeSpec& node = world.nodes[n];
    std::erase_if(node.labels, [](const auto& label) { return label.first == "zone"; });
    node.labels.emplace_back("zone", absl::StrCat("z", n % 2));
    if (!rng.Chance(0.9)) continue;
    const auto percent = [&] { return static_cast<int64_t>(rng.Below(9) * 10); };
    node.usage = NodeUsage{.cpu = percent(), .memory = percent() / 2, .measured = 0};
    if (rng.Chance(0.3)) {
      UsageDetail detail;
      detail.system = {{"cpu", absl::StrCat(rng.Below(3000), "m")}, {"memory", "100Mi"}};
      node.usage->detail = detail;
    }
  }
  for (JobSpec& job : world.jobs) {
    if (rng.Chance(0.2)) job.settings.emplace_back("koordinator/owner_kind", "Job");
    if (rng.Chance(0.2)) job.settings.emplace_back("koordinator/eviction_cost", "3");
    if (rng.Chance(0.1)) job.settings.emplace_back("koordinator/evict", "true");
  }
  static constexpr const char* kClasses[] = {"koord-prod", "koord-mid", "koord-batch"};
  for (TaskSpec& task : world.tasks) {
    if (rng.Chance(0.5)) {
      task.shape.labels.emplace_back("koordinator.sh/priority-class", kClasses[rng.Below(3)]);
    }
    if (!rng.Chance(0.9)) continue;
    task.usage = TaskUsage{.amounts = {{"cpu", absl::StrCat(rng.Below(5) * 300, "m")},
                                       {"memory", absl::StrCat(rng.Below(4) * 200, "Mi")}}};
  }
  return world;
}

// Loads of a node, counted from rows: what the system and the tasks use, in thousandths.
struct Recount {
  int64_t cpu = 0, memory = 0, cpu_capacity = 0, memory_capacity = 0;
};

// The loads of measured nodes after the plan. Moved tasks count where they go.
std::map<std::string, Recount> LoadsAfter(const ClusterSpec& world, const Plan& plan) {
  std::map<std::string, std::string> moved;
  for (const Move& move : plan.moves()) {
    moved[std::string(plan.task_name(move.task))] = std::string(plan.node_name(move.to));
  }
  std::map<std::string, Recount> loads;
  for (const NodeSpec& node : world.nodes) {
    if (!node.usage) continue;
    Recount& load = loads[node.name];
    const Resources& has = node.allocatable.has_value() ? *node.allocatable : node.capacity;
    load.cpu_capacity = MilliOf(has, "cpu");
    load.memory_capacity = MilliOf(has, "memory");
    int64_t cpu = 0, memory = 0;
    for (const TaskSpec& task : world.tasks) {
      if (task.node != node.name || !task.usage) continue;
      cpu += MilliOf(task.usage->amounts, "cpu");
      memory += MilliOf(task.usage->amounts, "memory");
    }
    const auto part = [&](const Quantity& percent, std::string_view resource) {
      return ParseQuantity(percent.text, Unit::kWhole).value_or(0) *
             (MilliOf(node.capacity, resource) / 100);
    };
    if (node.usage->detail) {
      load.cpu = MilliOf(node.usage->detail->system, "cpu") + cpu;
      load.memory = MilliOf(node.usage->detail->system, "memory") + memory;
    } else {
      load.cpu = std::max(part(node.usage->cpu, "cpu"), cpu);
      load.memory = std::max(part(node.usage->memory, "memory"), memory);
    }
  }
  for (const TaskSpec& task : world.tasks) {
    const auto to = moved.find(task.name);
    if (to == moved.end() || !task.usage) continue;
    const int64_t cpu = MilliOf(task.usage->amounts, "cpu");
    const int64_t memory = MilliOf(task.usage->amounts, "memory");
    if (const auto from = loads.find(task.node); from != loads.end()) {
      from->second.cpu -= cpu;
      from->second.memory -= memory;
    }
    if (const auto target = loads.find(to->second); target != loads.end()) {
      target->second.cpu += cpu;
      target->second.memory += memory;
    }
  }
  return loads;
}

// Decisions without phases, which follow when a plan closes.
std::vector<Decision> Choices(const Plan& plan) {
  std::vector<Decision> choices(plan.decisions().begin(), plan.decisions().end());
  std::erase_if(choices, [](const Decision& d) { return d.kind == DecisionKind::kPhase; });
  return choices;
}

TEST(RebalanceWorlds, KeepTheInvariantsAndDecideAlikeLivingFrozenAndLoaded) {
  int64_t moves = 0, evictions = 0;
  for (uint64_t seed = 0; seed < 800; ++seed) {
    const std::string profile = kRebalanceSpecs[seed % std::size(kRebalanceSpecs)];
    const ClusterSpec world = MeasuredWorld(seed);
    Cluster cluster = MakeCluster(world);
    for (int64_t cycle = 0; cycle < 3; ++cycle) {
      ScheduleOptions options;
      options.now = cycle * 60;
      const Snapshot snapshot = cluster.Freeze();
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
      ASSERT_TRUE(plan.ok()) << plan.status() << AsScenario(world, profile);
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, options);
      ASSERT_EQ(plan->Digest(), frozen->Digest()) << seed << AsScenario(world, profile);
      Invariants kept = InvariantsOf(profile);
      kept.budgets = true;
      ASSERT_THAT(Violations(snapshot, *plan, kept), ::testing::IsEmpty())
          << "seed " << seed << " cycle " << cycle << AsScenario(world, profile);
      moves += static_cast<int64_t>(plan->moves().size());
      evictions += static_cast<int64_t>(plan->evictions().size());
      // Another process that has the memory as text decides the same.
      const absl::StatusOr<Memory> memory = Memory::Parse(plan->memory().ToText());
      ASSERT_TRUE(memory.ok());
      ASSERT_EQ(*memory, plan->memory());
      options.turn = NextDecisions{1};
      const absl::StatusOr<Plan> first = Schedule(snapshot, profile, options);
      ASSERT_TRUE(first.ok()) << first.status();
      const std::vector<Decision> head = Choices(*first), all = Choices(*plan);
      ASSERT_LE(head.size(), all.size());
      ASSERT_TRUE(std::equal(head.begin(), head.end(), all.begin()))
          << "seed " << seed << AsScenario(world, profile);
      ASSERT_TRUE(cluster.Apply(*plan).ok());
    }
  }
  EXPECT_GT(moves, 100);
  EXPECT_GT(evictions, 5);
}

TEST(RebalanceWorlds, NoNodeThatReceivesIsAboveAHighThreshold) {
  int64_t received = 0;
  const std::string profile =
      "koordinator:actions=rebalance,rebalance(abnormal=1,replicas=off,pace=0,node_fit=off,"
      "low=cpu:40;memory:40,high=cpu:60;memory:60,migrating_of_node=0,"
      "unavailable_of_workload=100%,migrating_of_workload=100%)";
  for (uint64_t seed = 1000; seed < 1400; ++seed) {
    if (seed % 7 == 0) continue;  // amounts near 2^53 have no thousandths here
    const ClusterSpec world = MeasuredWorld(seed);
    const absl::StatusOr<Plan> plan = Schedule(MakeCluster(world).Freeze(), profile);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::map<std::string, Recount> loads = LoadsAfter(world, *plan);
    for (const Move& move : plan->moves()) {
      const auto load = loads.find(std::string(plan->node_name(move.to)));
      if (load == loads.end()) continue;
      ++received;
      EXPECT_LE(load->second.cpu * 100, load->second.cpu_capacity * 60 + 100)
          << "seed " << seed << " " << load->first << AsScenario(world, profile);
      EXPECT_LE(load->second.memory / 100, load->second.memory_capacity / 10'000 * 60 + 1000)
          << "seed " << seed << " " << load->first << AsScenario(world, profile);
    }
  }
  EXPECT_GT(received, 30);
}

TEST(RebalanceWorlds, LimitsPerNodeAndNamespaceHold) {
  int64_t most_of_node = 0, most = 0;
  for (uint64_t seed = 2000; seed < 2300; ++seed) {
    const ClusterSpec world = MeasuredWorld(seed);
    const std::string profile =
        "koordinator:actions=rebalance,rebalance(abnormal=1,replicas=off,pace=0,duplicates=on,"
        "fragmentation=on,migrating_of_node=1,migrating_of_namespace=3,migrating=4,"
        "unavailable_of_workload=100%,migrating_of_workload=100%)";
    Cluster cluster = MakeCluster(world);
    std::map<std::string, int64_t> of_node, of_namespace;
    int64_t total = 0;
    // Nothing ends, so what was decided in both cycles is under way together.
    for (int64_t cycle = 0; cycle < 2; ++cycle) {
      ScheduleOptions options;
      options.now = cycle;
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      for (const Move& move : plan->moves()) {
        const std::string name(plan->task_name(move.task));
        const auto task = std::ranges::find(world.tasks, name, &TaskSpec::name);
        // A mark that permits eviction outweighs the limits.
        const auto job = std::ranges::find(world.jobs, task->job, &JobSpec::name);
        const bool marked = std::ranges::count(job->settings, std::pair<std::string, std::string>(
                                                                  "koordinator/evict", "true")) > 0;
        if (marked) continue;
        ++of_node[std::string(plan->node_name(move.from))];
        ++of_namespace[task->shape.name_space];
        ++total;
      }
      ASSERT_TRUE(cluster.Apply(*plan).ok());
    }
    for (const auto& [node, count] : of_node) {
      EXPECT_LE(count, 1) << seed << " " << node;
      most_of_node = std::max(most_of_node, count);
    }
    for (const auto& [space, count] : of_namespace) EXPECT_LE(count, 3) << seed << " " << space;
    EXPECT_LE(total, 4) << seed;
    most = std::max(most, total);
  }
  EXPECT_EQ(most_of_node, 1);
  EXPECT_GE(most, 3);
}

TEST(RebalanceWorlds, ARoundThatIsCutChangesNoMemory) {
  for (uint64_t seed = 3000; seed < 3060; ++seed) {
    const ClusterSpec world = MeasuredWorld(seed);
    const std::string profile = kRebalanceSpecs[seed % std::size(kRebalanceSpecs)];
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const absl::StatusOr<Plan> whole = Schedule(snapshot, profile);
    ASSERT_TRUE(whole.ok());
    const std::vector<Decision> all = Choices(*whole);
    for (int64_t budget = 1; budget < whole->work(); ++budget) {
      ScheduleOptions options;
      options.work_budget = budget;
      const absl::StatusOr<Plan> cut = Schedule(snapshot, profile, options);
      ASSERT_TRUE(cut.ok());
      EXPECT_FALSE(cut->complete());
      EXPECT_TRUE(cut->memory().empty());
      const std::vector<Decision> some = Choices(*cut);
      ASSERT_LE(some.size(), all.size());
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << seed << " " << budget;
    }
  }
}

}  // namespace
}  // namespace muster::testing
