// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Action colocate: limits and orders by hand, rooms and evictions on clusters, random worlds.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/koordinator/colocation/suppress.h"
#include "muster/muster.h"
#include "muster/quantity.h"
#include "tests/support/plan_words.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"

namespace muster::testing {
namespace {

using koordinator::BatchPressure;
using koordinator::SuppressedTask;
using ::testing::HasSubstr;

TEST(KoordinatorSuppress, OthersAndTheSystemComeFirst) {
  const koordinator::SuppressedNode node{
      .capacity = 16'000, .used_by_others = 8'000, .system = 1'000};
  EXPECT_EQ(SuppressedCpu(node, 65, std::nullopt), 1'400);
  EXPECT_EQ(SuppressedCpu(node, 65, 10), 1'600);
  EXPECT_EQ(SuppressedCpu(node, 50, std::nullopt), -1'000);
  EXPECT_EQ(SuppressedCpu(node, 50, 0), 0);
}

TEST(KoordinatorSuppress, SatisfactionReleasesWhatIsMissing) {
  const BatchPressure pressure{.requested = 4'000, .limit = 1'400, .used = 1'390};
  EXPECT_EQ(ReleaseBySatisfaction(pressure, {60, 80}), 1'800);
  EXPECT_EQ(ReleaseBySatisfaction(pressure, {35, 80}), 1'800);  // at the threshold
  EXPECT_EQ(ReleaseBySatisfaction(pressure, {34, 80}), 0);
  EXPECT_EQ(ReleaseBySatisfaction(pressure, {60, 35}), 0);
  EXPECT_EQ(koordinator::ReleaseBySatisfaction({.requested = 0, .limit = 1}, {60, 80}), 0);
  EXPECT_TRUE(IsUsageHigh(pressure, 99));
  EXPECT_FALSE(IsUsageHigh(pressure, 100));
  EXPECT_TRUE(koordinator::IsUsageHigh({.limit = 999, .used = 0}, 90));  // less than a core
  EXPECT_FALSE(koordinator::IsUsageHigh({.limit = 0, .used = 9}, 0));
}

TEST(KoordinatorSuppress, UsageIsCutToWholePercents) {
  EXPECT_EQ(koordinator::ReleaseByUsage(7'099, 10'000, 70, 68), 200);
  EXPECT_EQ(koordinator::ReleaseByUsage(6'999, 10'000, 70, 68), 0);
  EXPECT_EQ(koordinator::ReleaseByUsage(7'100, 10'000, 70, 60), 1'100);
  EXPECT_EQ(koordinator::ReleaseByUsage(1, 0, 0, 0), 0);
}

TEST(KoordinatorSuppress, OrdersOfTasks) {
  const std::vector<SuppressedTask> tasks = {
      {.priority = 5, .name = "a", .requested = 10, .used = 5},
      {.priority = 5, .name = "b", .requested = 10, .used = 9},
      {.priority = 4, .name = "c", .requested = 10, .used = 0},
      {.priority = 5, .name = "d", .requested = 2, .used = 2},
      {.priority = 5, .name = "e"},
      {.priority = 5, .name = "f"}};
  EXPECT_EQ(OrderBySatisfaction(tasks), (std::vector<size_t>{2, 3, 1, 0, 4, 5}));
  EXPECT_EQ(OrderByUse(tasks), (std::vector<size_t>{2, 1, 0, 3, 5, 4}));
}

class Colocating : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpu, int memory, Labels settings = {},
            int64_t measured = 0) {
    NodeSpec node{.name = name,
                  .capacity = {{"cpu", 10},
                               {"memory", "10Gi"},
                               {"pods", 100},
                               {"kubernetes.io/batch-cpu", 4000},
                               {"kubernetes.io/batch-memory", "4Gi"}}};
    node.usage = NodeUsage{.cpu = cpu, .memory = memory, .measured = measured};
    node.settings = std::move(settings);
    nodes_[name] = node;
    Accept(cluster_.AddNode(node));
  }
  void Task(const std::string& name, const std::string& node, const TaskSpec& like) {
    TaskSpec task = like;
    task.name = name;
    task.job = "w";
    task.node = node;
    task.status = TaskStatus::kRunning;
    Accept(cluster_.AddTask(task));
  }
  static TaskSpec BestEffort(const std::string& batch, const std::string& cpu,
                             const std::string& memory = "1Mi") {
    TaskSpec task{.shape = {.request = {{"kubernetes.io/batch-cpu", batch}},
                            .labels = {{"koordinator.sh/qosClass", "BE"}}}};
    task.priority = 5500;
    task.usage = TaskUsage{.amounts = {{"cpu", cpu}, {"memory", memory}}};
    return task;
  }
  static TaskSpec Production(const std::string& request, const std::string& cpu) {
    TaskSpec task{.shape = {.request = {{"cpu", request}, {"memory", "1Gi"}}}};
    task.priority = 9500;
    task.usage = TaskUsage{.amounts = {{"cpu", cpu}, {"memory", "1Gi"}}};
    return task;
  }
  // "n:2500/7168Mi " for an offered room of batch work, "-t " for an eviction.
  std::string Cycle(const std::string& options = "", int64_t now = 0) {
    ScheduleOptions given;
    given.now = now;
    const std::string profile = absl::StrCat("koordinator:actions=colocate",
                                             options.empty() ? "" : ",colocate(" + options + ")");
    const absl::StatusOr<Plan> frozen = Schedule(cluster_.Freeze(), profile, given);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, given);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return plan.status().ToString();
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    EXPECT_EQ(plan->memory(), frozen->memory());
    std::string words;
    for (const Decision& d : plan->decisions()) {
      if (d.kind == DecisionKind::kEvict) {
        absl::StrAppend(&words, "-", std::string(plan->task_name(d.task)), " ");
      }
      if (d.kind != DecisionKind::kOffer) continue;
      const Offer& offer = plan->offers()[d.index];
      EXPECT_EQ(offer.job, kNone);
      EXPECT_EQ(offer.queue, kNone);
      int64_t cpu = -1, memory = -1;
      for (DimensionIndex i = 0; i < offer.amounts.size(); ++i) {
        if (plan->dimension_name(i) == "kubernetes.io/batch-cpu") cpu = offer.amounts[i];
        if (plan->dimension_name(i) == "kubernetes.io/batch-memory") memory = offer.amounts[i];
      }
      absl::StrAppend(&words, std::string(plan->node_name(offer.node)), ":", cpu / 1000, "/",
                      memory / 1000 / (1 << 20), "Mi ");
    }
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return words;
  }
  std::string Refusal(const std::string& options) {
    const auto plan =
        cluster_.Schedule(absl::StrCat("koordinator:actions=colocate,colocate(", options, ")"));
    return plan.ok() ? "" : std::string(plan.status().message());
  }

  void SetUp() override { Accept(cluster_.AddJob({.name = "w"})); }

  Cluster cluster_;
  std::map<std::string, NodeSpec> nodes_;
};

TEST_F(Colocating, RoomIsWhatProductionAndTheMarginLeave) {
  Node("n", 50, 20);
  Task("p", "n", Production("2", "3"));
  // 10 cores less 4 of margin, 2 of the system, 3 of production; 10 GiB less 3584 MiB, 1 and 1.
  EXPECT_EQ(Cycle(), "n:1000/4608Mi ");
  EXPECT_EQ(Cycle("", 100), "");  // nothing changed
  EXPECT_EQ(Cycle("", 300), "");
  EXPECT_EQ(Cycle("", 301), "n:1000/4608Mi ");  // an update is due
}

TEST_F(Colocating, PoliciesCountRequests) {
  Node("n", 50, 20);
  Task("p", "n", Production("4", "3"));
  EXPECT_EQ(Cycle("cpu_policy=larger,memory_policy=request"), "n:0/5632Mi ");
  EXPECT_EQ(Cycle("most_cpu=5", 400), "n:500/4608Mi ");
}

TEST_F(Colocating, SettingsReserveAndAmplify) {
  Node("n", 0, 0, {{"koordinator/reserved_cpu", "2"}, {"koordinator/cpu_ratio", "1.5"}});
  EXPECT_EQ(Cycle(), "n:6000/6656Mi ");  // 4 cores, amplified
}

// What is reserved may be missing from what is allocatable already; the larger of the mark and what
// the kubelet keeps counts.
TEST_F(Colocating, ReservedAmountsMayBeTrimmedAlready) {
  Node("n", 0, 0, {{"koordinator/reserved_cpu", "2"}});
  NodeSpec node = nodes_.at("n");
  node.allocatable = node.capacity;
  for (auto& [name, amount] : *node.allocatable) {
    if (name == "cpu") amount = 7;  // of 10
  }
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(Cycle(), "n:3000/6656Mi ");
  node.settings.emplace_back("koordinator/trimmed", "true");
  Accept(cluster_.UpdateNode(node));
  EXPECT_EQ(Cycle("", 400), "n:4000/6656Mi ");
}

TEST_F(Colocating, AnOldMeasurementLeavesNoRoom) {
  Node("n", 0, 0, {}, 0);
  EXPECT_EQ(Cycle("", 900), "n:6000/6656Mi ");
  EXPECT_EQ(Cycle("", 901), "n:0/0Mi ");
}

TEST_F(Colocating, SmallChangesAreNotOffered) {
  Node("n", 0, 0);
  EXPECT_EQ(Cycle(), "n:6000/6656Mi ");
  nodes_.at("n").usage->cpu = 6;  // a tenth of 6000
  Accept(cluster_.UpdateNode(nodes_.at("n")));
  EXPECT_EQ(Cycle("", 1), "");
  nodes_.at("n").usage->cpu = 7;
  Accept(cluster_.UpdateNode(nodes_.at("n")));
  EXPECT_EQ(Cycle("", 2), "n:5300/6656Mi ");
}

TEST_F(Colocating, UnsatisfiedBestEffortTasksGo) {
  Node("n", 65, 20);
  Task("p", "n", Production("4", "4"));
  // Suppressed to 6.5 - 4 - 0.5 cores, of four requested.
  Task("a", "n", BestEffort("2000", "1500m"));
  Task("b", "n", BestEffort("2000", "500m"));
  EXPECT_EQ(Cycle("update=1000000,satisfaction_low=60,satisfaction_high=80,busy=99"),
            "n:1500/4610Mi -a ");
}

TEST_F(Colocating, SatisfiedOrIdleBestEffortTasksStay) {
  Node("n", 65, 20);
  Task("p", "n", Production("4", "4"));
  Task("a", "n", BestEffort("2000", "1500m"));
  Task("b", "n", BestEffort("2000", "500m"));
  const std::string base = "satisfaction_high=80,";
  EXPECT_EQ(Cycle(base + "satisfaction_low=49,busy=99"), "n:1500/4610Mi ");
  EXPECT_EQ(Cycle(base + "satisfaction_low=60,busy=100,suppress=70", 1), "");
  EXPECT_EQ(Cycle(base + "satisfaction_low=0", 2), "");
}

TEST_F(Colocating, SatisfactionByTheNodesBatchRoom) {
  Node("n", 65, 20);
  nodes_.at("n").capacity[3].second = 1000;
  Accept(cluster_.UpdateNode(nodes_.at("n")));
  Task("a", "n", BestEffort("2000", "1500m"));
  EXPECT_EQ(Cycle("satisfaction_low=60,satisfaction_high=80,limit=allocatable"),
            "n:1000/4609Mi -a ");
}

TEST_F(Colocating, MemoryAboveItsThresholdEvictsTheLargest) {
  Node("n", 10, 75);
  Task("a", "n", BestEffort("100", "10m", "1Gi"));
  Task("b", "n", BestEffort("100", "10m", "2Gi"));
  Task("c", "n", Production("1", "1"));
  // From 75 to 68 percent of 10 GiB is 716 MiB.
  EXPECT_EQ(Cycle("degrade=100,cooling=0"), "n:5000/2048Mi -b ");
  EXPECT_EQ(Cycle("degrade=100,memory_evict_low=20", 1), "");  // it rests
  EXPECT_EQ(Cycle("degrade=100,memory_evict_low=20", 4), "-a ");
  EXPECT_EQ(Cycle("degrade=100,memory_evict=-1", 8), "");
}

TEST_F(Colocating, CpuAboveItsThresholdEvictsLowPriorities) {
  Node("n", 90, 10);
  Task("p", "n", Production("1", "4"));
  Task("a", "n", BestEffort("100", "1"));
  Task("b", "n", BestEffort("100", "2"));
  // From 90 to 70 percent are two cores.
  EXPECT_EQ(Cycle("cpu_evict=80,cpu_evict_low=70,update=1"), "n:0/5632Mi -b ");
}

TEST_F(Colocating, ANodeMaySetItsOwnThresholds) {
  Node("a", 10, 75, {{"koordinator/memory_evict", "80"}});
  Node("b", 10, 75);
  Task("a0", "a", BestEffort("100", "10m", "1Gi"));
  Task("b0", "b", BestEffort("100", "10m", "1Gi"));
  EXPECT_THAT(Cycle(), ::testing::AllOf(HasSubstr("-b0 "), ::testing::Not(HasSubstr("-a0 "))));
  nodes_.at("a").settings = {{"koordinator/memory_evict", "most"}};
  Accept(cluster_.UpdateNode(nodes_.at("a")));
  EXPECT_THAT(Refusal("busy=1"), HasSubstr("node \"a\", action colocate: option \"memory_evict\""));
  nodes_.at("a").settings = {{"koordinator/memory_evict_low", "70"}};
  Accept(cluster_.UpdateNode(nodes_.at("a")));
  EXPECT_THAT(Refusal("busy=1"), HasSubstr("node \"a\": action colocate: option "
                                           "\"memory_evict_low\": lower percent(70) should less"));
}

TEST_F(Colocating, BudgetsAndProtectedTasksHold) {
  Node("n", 10, 90);
  TaskSpec task = BestEffort("100", "10m", "1Gi");
  task.shape.labels.emplace_back("app", "a");
  Task("a", "n", task);
  TaskSpec kept = BestEffort("100", "10m", "2Gi");
  kept.preemptable = false;
  Task("b", "n", kept);
  DisruptionBudgetSpec budget{.name = "a", .selector = Selector{{{"app", "a"}}, {}}};
  Accept(cluster_.SetDisruptionBudget(budget));
  EXPECT_THAT(Cycle(), ::testing::Not(HasSubstr("-")));
  budget.allowed = 1;
  Accept(cluster_.SetDisruptionBudget(budget));
  EXPECT_THAT(Cycle("", 1), HasSubstr("-a "));
}

TEST_F(Colocating, WrongOptionsAndSettingsRefuseTheCycle) {
  EXPECT_EQ(Refusal("satisfaction_low=61"),
            "action colocate: option \"satisfaction_low\": "
            "CPUEvictBESatisfactionLowerPercent(61) is not valid! must (0,60]");
  EXPECT_THAT(Refusal("satisfaction_low=60,satisfaction_high=100"),
              HasSubstr("CPUEvictBESatisfactionUpperPercent(100) is not valid,must (0,100)"));
  EXPECT_THAT(Refusal("satisfaction_low=60,satisfaction_high=59"),
              HasSubstr("CPUEvictBESatisfactionUpperPercent(59) < "
                        "CPUEvictBESatisfactionLowerPercent(60)"));
  EXPECT_THAT(Refusal("memory_evict=70,memory_evict_low=70"),
              HasSubstr("lower percent(70) should less than threshold percent(70)"));
  EXPECT_THAT(Refusal("cpu_reclaim=101"), HasSubstr("must be a whole number from 0 to 100"));
  Node("n", 0, 0, {{"koordinator/reserved_cpu", "two"}});
  EXPECT_THAT(
      Refusal("busy=1"),
      HasSubstr("setting \"koordinator/reserved_cpu\": is \"two\"; must be an amount of 0"));
  nodes_.at("n").settings = {{"koordinator/ratio", "2"}};
  Accept(cluster_.UpdateNode(nodes_.at("n")));
  EXPECT_THAT(Refusal("busy=1"), HasSubstr("\"koordinator/ratio\": is not known"));
}

constexpr const char* kColocateSpecs[] = {
    "koordinator:actions=colocate",
    "koordinator:actions=colocate,colocate(satisfaction_low=60,busy=10,memory_evict=30)",
    "koordinator:actions=colocate,colocate(cpu_policy=larger,memory_policy=request,cpu_evict=20,"
    "cooling=0,cpu_evict_priority=9999)",
    "koordinator:actions=colocate,colocate(mid=static,mid_static_cpu=50,limit=allocatable,"
    "satisfaction_low=60,update=1,change=0)",
    "koordinator:+colocate(memory_evict=20,mid_unallocated=50)",
    "koordinator:+rebalance(abnormal=1,replicas=off),+colocate(memory_evict=20)",
};

ClusterSpec ColocatedWorld(uint64_t seed) {
  Rng rng(SplitMix64(seed));
  ClusterSpec world = RandomWorld(
      seed, {.nodes = 5, .jobs = 12, .between_tasks = false, .extremes = seed % 5 == 0});
  for (NodeSpec& node : world.nodes) {
    node.ready = true;
    if (rng.Chance(0.5)) {
      node.capacity.emplace_back("kubernetes.io/batch-cpu", static_cast<int64_t>(rng.Below(9000)));
    }
    node.allocatable.reset();
    if (!rng.Chance(0.9)) continue;
    node.usage = NodeUsage{.cpu = static_cast<int64_t>(rng.Below(10) * 10),
                           .memory = static_cast<int64_t>(rng.Below(10) * 10)};
    if (rng.Chance(0.2)) node.settings.emplace_back("koordinator/reclaimable_cpu", "1500m");
  }
  for (TaskSpec& task : world.tasks) {
    if (rng.Chance(0.6)) {
      task.shape.labels.emplace_back("koordinator.sh/qosClass", rng.Chance(0.7) ? "BE" : "LSE");
    }
    if (!rng.Chance(0.8)) continue;
    task.usage = TaskUsage{.amounts = {{"cpu", absl::StrCat(rng.Below(4) * 200, "m")},
                                       {"memory", absl::StrCat(rng.Below(4) * 100, "Mi")}}};
  }
  return world;
}

TEST(ColocateWorlds, KeepTheInvariantsAndDecideAlikeLivingAndFrozen) {
  int64_t evictions = 0, offers = 0;
  for (uint64_t seed = 0; seed < 360; ++seed) {
    const std::string profile = kColocateSpecs[seed % std::size(kColocateSpecs)];
    const ClusterSpec world = ColocatedWorld(seed);
    Cluster cluster = MakeCluster(world);
    for (int64_t cycle = 0; cycle < 3; ++cycle) {
      ScheduleOptions options;
      options.now = cycle * 30;
      const Snapshot snapshot = cluster.Freeze();
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
      ASSERT_TRUE(plan.ok()) << plan.status() << AsScenario(world, profile);
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, options);
      ASSERT_EQ(plan->Digest(), frozen->Digest()) << seed << AsScenario(world, profile);
      Invariants kept = InvariantsOf(profile);
      kept.budgets = true;
      ASSERT_THAT(Violations(snapshot, *plan, kept), ::testing::IsEmpty())
          << "seed " << seed << AsScenario(world, profile);
      const absl::StatusOr<Memory> memory = Memory::Parse(plan->memory().ToText());
      ASSERT_TRUE(memory.ok());
      ASSERT_EQ(*memory, plan->memory());
      evictions += static_cast<int64_t>(plan->evictions().size());
      offers += static_cast<int64_t>(plan->offers().size());
      for (const Offer& offer : plan->offers()) {
        for (const int64_t amount : offer.amounts) {
          ASSERT_TRUE(amount == kAbsent || amount >= 0) << seed;
        }
      }
      ASSERT_TRUE(cluster.Apply(*plan).ok());
    }
  }
  EXPECT_GT(evictions, 20);
  EXPECT_GT(offers, 100);
}

// The room of batch CPU, recounted from the rows: capacity less 40 percent, less the system, less
// the usage, or else the request, of all that is above batch.
TEST(ColocateWorlds, BatchCpuIsTheRecountOfTheRows) {
  int64_t rooms = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    if (seed % 5 == 0) continue;  // amounts near 2^53
    const ClusterSpec world = ColocatedWorld(seed);
    const absl::StatusOr<Plan> plan =
        Schedule(MakeCluster(world).Freeze(), "koordinator:actions=colocate");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const MemorySlot* const slot = plan->memory().Find("koordinator-rooms");
    for (const NodeSpec& node : world.nodes) {
      const auto milli = [](const Resources& amounts, std::string_view name) {
        for (const auto& [key, amount] : amounts) {
          if (key == name) return ParseQuantity(amount.text, Unit::kMilli).value_or(0);
        }
        return int64_t{0};
      };
      int64_t tasks = 0, above = 0;
      for (const TaskSpec& task : world.tasks) {
        const bool is_on =
            task.node == node.name && task.status != TaskStatus::kPending &&
            task.status != TaskStatus::kNominated && task.status != TaskStatus::kWaiting &&
            task.status != TaskStatus::kSucceeded && task.status != TaskStatus::kFailed;
        if (!is_on) continue;
        const int64_t used = task.usage ? milli(task.usage->amounts, "cpu") : 0;
        const int64_t asked = milli(task.shape.request, "cpu");
        tasks += used;
        // Priorities of these worlds are in no band: the class decides.
        const bool labelled = !task.shape.labels.empty();
        const auto label = std::ranges::find(task.shape.labels, "koordinator.sh/qosClass",
                                             &std::pair<std::string, std::string>::first);
        const bool is_known = labelled && label != task.shape.labels.end();
        const bool asks_nothing = std::ranges::all_of(task.shape.request, [&](const auto& r) {
          return milli(task.shape.request, r.first) == 0;
        });
        const bool is_batch =
            is_known ? label->second == "BE"
                     : !task.shape.guaranteed_qos && asks_nothing && task.shape.devices.empty();
        if (is_batch) continue;
        const bool is_exclusive = is_known && label->second == "LSE";
        above += !task.usage || is_exclusive ? asked : used;
      }
      const int64_t capacity = milli(node.capacity, "cpu");
      const int64_t measured =
          node.usage ? ParseQuantity(node.usage->cpu.text, Unit::kMilli).value_or(0) : 0;
      const int64_t system = std::max<int64_t>(capacity * measured / 100'000 - tasks, 0);
      const int64_t margin = capacity * 40 / 100;
      const int64_t room =
          node.usage ? std::max<int64_t>(capacity - margin - system - above, 0) : 0;
      EXPECT_EQ(slot->Integer(absl::StrCat("room ", node.name)), room * 1000)
          << seed << " " << node.name << AsScenario(world, "koordinator:actions=colocate");
      rooms += room > 0;
    }
  }
  EXPECT_GT(rooms, 100);
}

}  // namespace
}  // namespace muster::testing
