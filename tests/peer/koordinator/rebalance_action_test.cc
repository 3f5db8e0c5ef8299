// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Action rebalance on clusters: what moves where, what is remembered, and what refuses a cycle.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/koordinator/rebalance/duplicates.h"
#include "lib/peer/koordinator/rebalance/rebalance_options.h"
#include "lib/share/resource_names.h"
#include "muster/muster.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kAlone[] = "koordinator:actions=rebalance,rebalance";

class Rebalancing : public ::testing::Test {
 protected:
  // A node of ten cores, of which `cpu` percent are used.
  void Node(const std::string& name, int cpu, Labels labels = {}, int64_t measured = 0) {
    NodeSpec node{.name = name,
                  .capacity = {{"cpu", 10}, {"memory", "10Gi"}, {"pods", 100}},
                  .labels = std::move(labels)};
    node.usage = NodeUsage{.cpu = cpu, .memory = 10, .measured = measured};
    Accept(cluster_.AddNode(node));
    nodes_[name] = node;
  }
  void Workload(const std::string& name, Labels settings = {}) {
    JobSpec job{.name = name};
    job.settings = std::move(settings);
    Accept(cluster_.AddJob(job));
  }
  // A running task that requests one core and uses `usage`.
  void Task(const std::string& job, const std::string& name, const std::string& node,
            const std::string& usage = "1", TaskShape shape = {}) {
    shape.request = {{"cpu", 1}, {"memory", "1Mi"}};
    TaskSpec task{
        .name = name, .job = job, .shape = shape, .status = TaskStatus::kRunning, .node = node};
    if (!usage.empty()) task.usage = TaskUsage{.amounts = {{"cpu", usage}, {"memory", "1Mi"}}};
    Accept(cluster_.AddTask(task));
  }
  // "t>n " for a move, "-t " for an eviction. The plan is applied.
  std::string Cycle(const std::string& options = "abnormal=1,replicas=off", int64_t now = 0) {
    ScheduleOptions given;
    given.now = now;
    const std::string profile = absl::StrCat(kAlone, "(", options, ")");
    const absl::StatusOr<Plan> frozen = Schedule(cluster_.Freeze(), profile, given);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, given);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return plan.status().ToString();
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    EXPECT_EQ(plan->memory(), frozen->memory());
    std::string words;
    for (const Decision& d : plan->decisions()) {
      const std::string task(plan->task_name(d.task));
      if (d.kind == DecisionKind::kMove) {
        absl::StrAppend(&words, task, ">", std::string(plan->node_name(d.node)), " ");
      }
      if (d.kind == DecisionKind::kEvict) absl::StrAppend(&words, "-", task, " ");
    }
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return words;
  }
  std::string Refusal(const std::string& options) {
    const auto plan = cluster_.Schedule(absl::StrCat(kAlone, "(", options, ")"));
    return plan.ok() ? "" : std::string(plan.status().message());
  }
  // The task runs on its new node.
  void Arrive(const std::string& task, const std::string& node) {
    Accept(cluster_.SetTaskStatus(task, TaskStatus::kRunning, node));
  }
  const MemorySlot* Slot(const std::string& name) { return cluster_.memory().Find(name); }

  Cluster cluster_;
  std::map<std::string, NodeSpec> nodes_;
};

TEST_F(Rebalancing, ABusyNodeGivesUpTasksUntilItIsNoLongerOver) {
  Node("hot", 80);
  Node("cool", 10);
  Workload("w");
  // The system uses five of the eight cores. One task more than enough would leave nothing to do.
  for (const char* name : {"a", "b", "c"}) Task("w", name, "hot");
  // The limit of a node is two; the workload may lack one of three.
  EXPECT_EQ(
      Cycle("abnormal=1,replicas=off,unavailable_of_workload=3,migrating_of_workload=3,pace=0"),
      "a>cool b>cool ");
}

TEST_F(Rebalancing, ANodeIsOverForFiveRoundsBeforeItActs) {
  Node("hot", 80);
  Node("cool", 10);
  Workload("w");
  for (const char* name : {"a", "b", "c"}) Task("w", name, "hot");
  for (int64_t round = 0; round < 5; ++round) {
    EXPECT_EQ(Cycle("replicas=off", round), "") << round;
    EXPECT_EQ(Slot("koordinator-anomalies")->Integer("all hot", 4), round + 1);
  }
  EXPECT_EQ(Cycle("replicas=off", 5), "a>cool ");
}

TEST_F(Rebalancing, AMeasurementThatIsTooOldDecidesNothing) {
  Node("hot", 80, {}, 0);
  Node("cool", 10, {}, 100);
  Workload("w");
  for (const char* name : {"a", "b", "c"}) Task("w", name, "hot");
  EXPECT_EQ(Cycle("abnormal=1,replicas=off", 180), "");
  EXPECT_EQ(Cycle("abnormal=1,replicas=off,expiration=0", 180), "a>cool ");
}

TEST_F(Rebalancing, ANodeIsNeverPutAboveItsHighThreshold) {
  Node("hot", 80);
  Node("cool", 20);
  Workload("w");
  Task("w", "t", "hot", "3.5");
  // Nothing checks targets before, so the choice of the node alone keeps the threshold of five.
  EXPECT_EQ(Cycle("abnormal=1,replicas=off,node_fit=off"), "");
  nodes_.at("cool").usage->cpu = 15;
  Accept(cluster_.UpdateNode(nodes_.at("cool")));
  EXPECT_EQ(Cycle("abnormal=1,replicas=off,node_fit=off"), "t>cool ");
}

TEST_F(Rebalancing, BatchTasksLeaveBeforeProduction) {
  Node("hot", 80);
  Node("cool", 10);
  Workload("w");
  Task("w", "production", "hot", "2",
       {.labels = {{"koordinator.sh/priority-class", "koord-prod"}}});
  Task("w", "batch", "hot", "2", {.labels = {{"koordinator.sh/priority-class", "koord-batch"}}});
  EXPECT_EQ(Cycle("abnormal=1,replicas=off"), "batch>cool ");
}

TEST_F(Rebalancing, TheLeastLoadedNodeReceives) {
  Node("hot", 80);
  Node("b", 15);
  Node("c", 10);
  Workload("w");
  Task("w", "t", "hot");
  EXPECT_EQ(Cycle(), "t>c ");
}

TEST_F(Rebalancing, ModeEvictNamesNoNode) {
  Node("hot", 80);
  Node("cool", 10);
  Workload("w");
  for (const char* name : {"a", "b"}) Task("w", name, "hot");
  EXPECT_EQ(Cycle("abnormal=1,replicas=off,mode=evict"), "-a ");
}

TEST_F(Rebalancing, PoolsHaveThresholdsOfTheirOwn) {
  Node("gold-hot", 60, {{"tier", "gold"}});
  Node("gold-cool", 10, {{"tier", "gold"}});
  Node("silver-hot", 60, {{"tier", "silver"}});
  Node("silver-cool", 10, {{"tier", "silver"}});
  for (const char* job : {"g", "s"}) Workload(job);
  Task("g", "of-gold", "gold-hot");
  Task("s", "of-silver", "silver-hot");
  // The place may be in another pool: it is the scheduler's.
  EXPECT_EQ(Cycle("abnormal=1,replicas=off,"
                  "pools=select:tier=gold&high:cpu:70;memory:90|select:tier=silver"),
            "of-silver>gold-cool ");
}

// Weights of options are made whole; what a pool states itself stays as it is.
TEST(RebalanceOptions, PoolsHaveTheWeightsOfOptionsOrTheirOwn) {
  const auto weights_of = [](const OptionValues& words) {
    const auto options = Options::Check("action rebalance", koordinator::RebalanceOptions(), words);
    EXPECT_TRUE(options.ok()) << options.status();
    const auto rules = koordinator::ReadRebalanceRules(*options);
    EXPECT_TRUE(rules.ok()) << rules.status();
    return rules.ok() ? rules->load.pools.back().weights : NamedAmounts();
  };
  const NamedAmounts whole = {{"memory", 3}, {"x", 0}, {"y", 1}, {"cpu", 1}, {"z", 1}};
  const OptionValues given = {
      {"weights", "memory:3;x:0;y:0"}, {"low", "y:1"}, {"high", "z:1"}, {"production_high", "u:1"}};
  EXPECT_EQ(weights_of(given), whole);
  const auto with_pool = [&](const char* pool) {
    OptionValues words = given;
    words.emplace_back("pools", pool);
    return weights_of(words);
  };
  EXPECT_EQ(with_pool("high:w:5"), whole);
  EXPECT_EQ(with_pool("weights:y:0;memory:2"), (NamedAmounts{{"y", 0}, {"memory", 2}}));
}

TEST_F(Rebalancing, SelectorsChooseAmongValuesAndTasksByOneOfSeveral) {
  const auto moved = [&](const std::string& options) {
    cluster_ = Cluster();
    Node("hot", 80, {{"tier", "gold"}});
    Node("cool", 10, {{"tier", "silver"}});
    for (const char* app : {"web", "etl"}) {
      Workload(app);
      Task(app, app, "hot", "3", {.labels = {{"app", app}}});
    }
    return Cycle("abnormal=1,replicas=off,pace=0," + options);
  };
  EXPECT_EQ(moved("migrating_of_node=1"), "web>cool ");
  EXPECT_EQ(moved("select=app=etl"), "etl>cool ");
  EXPECT_EQ(moved("select=app=etl+none"), "etl>cool ");
  EXPECT_EQ(moved("select=app!=web+none"), "etl>cool ");
  EXPECT_EQ(moved("select=app=none"), "");
  EXPECT_EQ(moved("select=!app"), "");
  EXPECT_EQ(moved("select=app=none|app=etl"), "etl>cool ");
  EXPECT_EQ(moved("select=app=*;app!=web"), "etl>cool ");
  EXPECT_EQ(moved("select=app=etl,pools=select:tier=gold+silver"), "etl>cool ");
  EXPECT_EQ(moved("select=app=etl,pools=select:tier!=gold"), "");
  EXPECT_THAT(Refusal("select=app"), HasSubstr("\"app\" is not LABEL=VALUE"));
  EXPECT_THAT(Refusal("select=!=a"), HasSubstr("is not LABEL=VALUE"));
  EXPECT_THAT(Refusal("select=app!=*"), HasSubstr("\"app!=*\" is not LABEL=VALUE"));
  EXPECT_THAT(Refusal("select=a=b|"), HasSubstr("a selector is empty"));
}

TEST_F(Rebalancing, LimitsHoldUntilAMigrationHasEnded) {
  Node("hot", 90);
  Node("cool", 10);
  for (const char* job : {"u", "v", "w"}) Workload(job);
  Task("u", "a", "hot");
  Task("v", "b", "hot");
  Task("w", "c", "hot");
  const std::string options = "abnormal=1,replicas=off,migrating_of_node=1,pace=0";
  EXPECT_EQ(Cycle(options), "a>cool ");
  EXPECT_EQ(Cycle(options, 1), "");  // under way
  EXPECT_EQ(Slot("koordinator-migrations")->rows().size(), 3u);
  Arrive("a", "cool");
  EXPECT_EQ(Cycle(options, 2), "b>cool ");
}

TEST_F(Rebalancing, AMigrationThatTakesTooLongIsGivenUp) {
  Node("hot", 90);
  Node("cool", 10);
  for (const char* job : {"u", "v"}) Workload(job);
  Task("u", "a", "hot");
  Task("v", "b", "hot");
  const std::string options = "abnormal=1,replicas=off,migrating=1,pace=0,load=on,ttl=100";
  EXPECT_EQ(Cycle(options), "a>cool ");
  EXPECT_EQ(Cycle(options, 99), "");
  EXPECT_EQ(Cycle(options, 100), "b>cool ");
}

TEST_F(Rebalancing, AWorkloadMovesOnePortionInItsPace) {
  Node("hot", 90);
  Node("cool", 10);
  Workload("w", {{"koordinator/replicas", "3"}});
  for (const char* name : {"a", "b", "c"}) Task("w", name, "hot");
  const std::string options = "abnormal=1,replicas=off,pace=100";
  EXPECT_EQ(Cycle(options), "a>cool ");
  Arrive("a", "cool");
  EXPECT_EQ(Cycle(options, 99), "");
  EXPECT_EQ(Cycle(options, 100), "b>cool ");
}

TEST_F(Rebalancing, WorkloadsWithoutSpareReplicasStay) {
  Node("hot", 90);
  Node("cool", 10);
  Workload("one");
  Task("one", "a", "hot");
  EXPECT_EQ(Cycle("abnormal=1"), "");
  EXPECT_EQ(Cycle("abnormal=1,replicas=off"), "a>cool ");
}

TEST_F(Rebalancing, ABudgetWithoutRoomMakesAMigrationWait) {
  Node("hot", 90);
  Node("cool", 10);
  for (const char* job : {"u", "v"}) Workload(job);
  const TaskShape shape{.labels = {{"app", "web"}}};
  Task("u", "a", "hot", "1", shape);
  Task("v", "b", "hot", "1", shape);
  DisruptionBudgetSpec budget{.name = "web", .selector = Selector{{{"app", "web"}}, {}}};
  budget.allowed = 1;
  Accept(cluster_.SetDisruptionBudget(budget));
  EXPECT_EQ(Cycle(), "a>cool ");
  budget.allowed = 0;
  Accept(cluster_.SetDisruptionBudget(budget));
  EXPECT_EQ(Cycle("abnormal=1,replicas=off", 1), "");
  budget.allowed = 1;
  Accept(cluster_.SetDisruptionBudget(budget));
  EXPECT_EQ(Cycle("abnormal=1,replicas=off", 2), "b>cool ");
}

TEST_F(Rebalancing, SomeTasksStayWhateverTheLoad) {
  Node("hot", 90);
  Node("cool", 10);
  Workload("daemons", {{"koordinator/owner_kind", "DaemonSet"}});
  Workload("bare", {{"koordinator/owner_kind", "none"}});
  Workload("data", {{"koordinator/local_data", "true"}});
  Workload("other");
  Workload("dear", {{"koordinator/eviction_cost", "2147483647"}, {"koordinator/evict", "true"}});
  Task("dear", "c", "hot");
  Task("daemons", "d", "hot");
  Task("bare", "b", "hot");
  Task("data", "l", "hot");
  Task("other", "o", "hot", "1", {.name_space = "kube-system"});
  const std::string options = "abnormal=1,replicas=off,exclude=kube-system";
  EXPECT_EQ(Cycle(options), "");
  EXPECT_EQ(Cycle(options + ",bare=on", 1), "b>cool ");
  EXPECT_EQ(Cycle(options + ",local_data=on,migrating_of_node=9", 2), "l>cool ");
}

TEST_F(Rebalancing, TasksLeaveNodesThatNoLongerSuitThem) {
  Node("a", 30, {{"disk", "hdd"}});
  Node("b", 30, {{"disk", "ssd"}});
  Workload("w");
  Task("w", "t", "a", "", {.node_selector = {{"disk", "ssd"}}});
  EXPECT_EQ(Cycle("load=off,replicas=off"), "");
  EXPECT_EQ(Cycle("load=off,replicas=off,node_affinity=on"), "t>b ");
  Workload("u");
  Task("u", "s", "b", "");
  NodeSpec tainted = nodes_.at("b");
  tainted.taints = {{.key = "gone", .effect = TaintEffect::kNoSchedule}};
  Accept(cluster_.UpdateNode(tainted));
  EXPECT_EQ(Cycle("load=off,replicas=off,taints=on", 1), "s>a ");
}

TEST_F(Rebalancing, TasksThatShallBeApartPart) {
  for (const char* name : {"a", "b"}) Node(name, 30);
  Workload("u");
  Workload("v");
  const Selector web{{{"app", "web"}}, {}};
  TaskShape shape{.labels = {{"app", "web"}}};
  shape.required_anti_affinity = {{.topology_key = "kubernetes.io/hostname", .selector = web}};
  for (const char* name : {"a", "b"}) {
    NodeSpec node = nodes_.at(name);
    node.labels = {{"kubernetes.io/hostname", name}};
    Accept(cluster_.UpdateNode(node));
  }
  Task("u", "t0", "a", "", shape);
  Task("v", "t1", "a", "", shape);
  EXPECT_EQ(Cycle("load=off,replicas=off,anti_affinity=on"), "t0>b ");
}

TEST_F(Rebalancing, CopiesSpreadEvenly) {
  for (const char* name : {"a", "b", "c"}) Node(name, 30);
  Workload("w");
  for (const char* name : {"t0", "t1", "t2"}) Task("w", name, "a", "");
  EXPECT_EQ(Cycle("load=off,duplicates=on,replicas=off,pace=0,unavailable_of_workload=3,"
                  "migrating_of_workload=3"),
            "t1>b t2>c ");
}

TEST_F(Rebalancing, UnevenRequestsEvenOut) {
  Node("a", 30);
  Node("b", 30);
  Workload("w");
  for (const char* name : {"t0", "t1", "t2", "t3"}) Task("w", name, "a", "");
  // Four of ten cores and no memory: a deviation of 0.2.
  EXPECT_EQ(Cycle("load=off,fragmentation=on,replicas=off"), "t0>b ");
  EXPECT_EQ(Cycle("load=off,fragmentation=on,replicas=off,imbalance=0.3", 500), "");
}

TEST_F(Rebalancing, LevelsBecomeEmptyFromDearToCheap) {
  Node("dear", 30, {{"tier", "gold"}});
  Node("cheap", 30, {{"tier", "silver"}});
  Node("none", 10);
  for (const char* job : {"u", "v"}) Workload(job);
  Task("u", "a", "dear", "");
  Task("v", "b", "cheap", "");
  EXPECT_EQ(Cycle("load=off,replicas=off,levels=gold:tier=gold|silver:tier=silver"), "a>cheap ");
}

TEST_F(Rebalancing, WrongOptionsAndSettingsRefuseTheCycle) {
  EXPECT_EQ(
      Refusal("low=cpu:60"),
      "action rebalance: option \"low\": cpu is 60; low percentage must be less than or equal "
      "to highThresholds");
  EXPECT_EQ(
      Refusal("high=cpu:-1"),
      "action rebalance: option \"high\": cpu is -1; percentage must be greater than or equal "
      "to 0");
  EXPECT_EQ(Refusal("high=cpu"),
            "action rebalance: option \"high\": \"cpu\" is not RESOURCE:PERCENT");
  EXPECT_THAT(Refusal("high=cpu:nan"), HasSubstr("is not RESOURCE:PERCENT"));
  EXPECT_THAT(Refusal("high=cpu:1;cpu:2"), HasSubstr("\"cpu\" is listed twice"));
  EXPECT_THAT(Refusal("weights=cpu:0.5"), HasSubstr("\"cpu\" has no whole weight"));
  EXPECT_THAT(Refusal("pools=select:a"),
              HasSubstr("\"a\" is not LABEL=VALUE+..., LABEL!=VALUE+..., LABEL=* or !LABEL"));
  EXPECT_THAT(Refusal("pools=gold"), HasSubstr("\"gold\" is not FIELD:VALUE"));
  EXPECT_THAT(Refusal("pools=color:red"), HasSubstr("\"color\" is no field of a pool"));
  EXPECT_THAT(Refusal("pools=abnormal:0"), HasSubstr("\"0\" is not a number from 1 to 1000000000"));
  EXPECT_THAT(Refusal("pools=distance:yes"), HasSubstr("\"yes\" is neither on nor off"));
  EXPECT_THAT(Refusal("include=a,exclude=b"),
              HasSubstr("only one of Include/Exclude namespaces can be set"));
  EXPECT_THAT(Refusal("resources=cpu;cpu"), HasSubstr("\"cpu\" is listed twice"));
  EXPECT_THAT(Refusal("resources="), HasSubstr("resources must not be empty"));
  EXPECT_THAT(Refusal("levels=one:a=b"), HasSubstr("option \"levels\": "));
  EXPECT_THAT(Refusal("migrating_of_workload=half"),
              HasSubstr("\"half\" is neither a number of tasks nor a percentage"));
  EXPECT_THAT(Refusal("below_priority=2000000001"), HasSubstr("is above 2000000000"));
  EXPECT_THAT(Refusal("abnormal=0"), HasSubstr("must be a whole number from 1 to 1000000000"));
  EXPECT_THAT(Refusal("mode=later"), HasSubstr("mode"));
  Workload("w", {{"koordinator/owners", "x"}});
  EXPECT_THAT(Refusal("load=on"), HasSubstr("did you mean \"owner\"?"));
}

TEST_F(Rebalancing, AMemoryOfNonsenseIsRead) {
  Node("hot", 90);
  Node("cool", 10);
  Workload("w");
  Task("w", "t", "hot");
  const absl::StatusOr<Memory> memory = Memory::Parse(
      R"({"version": 1, "slots": {
        "koordinator-anomalies": {"version": 1, "generation": 0,
          "rows": {"all hot": ["x"], "some hot": [1]}},
        "koordinator-migrations": {"version": 1, "generation": 0,
          "rows": {"t": [9223372036854775807, 99, 7, 1, 1, 1, 1, "nowhere", "gone", "u"],
                   "gone": [-9223372036854775807, -5, 0, 0, 0, 0, 0, "hot", "", ""]}},
        "koordinator-eviction-rates": {"version": 1, "generation": 0,
          "rows": {"w": [-1.0, 0.0, 1e300, 9223372036854775807]}}}})");
  ASSERT_TRUE(memory.ok()) << memory.status();
  ScheduleOptions options;
  options.memory = *memory;
  const auto plan = Schedule(cluster_.Freeze(), absl::StrCat(kAlone, "(replicas=off)"), options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->moves().size(), 0u);
}

TEST_F(Rebalancing, AMigrationOfANodeThatIsNotReadyWaits) {
  Node("down", 90);
  Node("cool", 10);
  NodeSpec down;
  for (const NodeSpec& node : cluster_.Describe().nodes) {
    if (node.name == "down") down = node;
  }
  down.ready = false;
  ASSERT_TRUE(cluster_.UpdateNode(down).ok());
  Workload("w");
  Task("w", "t", "down");
  for (const int cause : {2, 6}) {
    const absl::StatusOr<Memory> memory = Memory::Parse(absl::StrCat(
        R"({"version": 1, "slots": {"koordinator-migrations": {"version": 1, "generation": 0,
            "rows": {"t": [0, )",
        cause, R"(, 0, 1, 0, 0, 0, "down", "", ""]}}}})"));
    ASSERT_TRUE(memory.ok()) << memory.status();
    ScheduleOptions options;
    options.memory = *memory;
    const auto plan = Schedule(cluster_.Freeze(), absl::StrCat(kAlone, "(replicas=off)"), options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->moves().size(), 0u) << cause;
  }
}

TEST(KoordinatorDuplicates, CopiesBeyondAnEvenPartLeave) {
  using koordinator::ExcessCopies;
  using koordinator::WorkloadCopy;
  const std::vector<WorkloadCopy> copies = {{0}, {0}, {1}, {0}, {0, false}};
  EXPECT_EQ(ExcessCopies(copies, 2), (std::vector<size_t>{3}));
  EXPECT_EQ(ExcessCopies(copies, 4), (std::vector<size_t>{1, 3}));
  EXPECT_EQ(ExcessCopies(copies, 1), (std::vector<size_t>{}));
  EXPECT_EQ(ExcessCopies({}, 3), (std::vector<size_t>{}));
}

}  // namespace
}  // namespace muster::testing
