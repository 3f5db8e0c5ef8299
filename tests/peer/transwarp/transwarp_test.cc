// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The transwarp profile in small worlds: how much queues borrow, what lenders take back, the order
// in leaves, and gangs of several groups.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/model/words.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

Resources Cpu(int amount) { return {{"cpu", amount}}; }

// One node of eight cores.
Cluster EightCores(std::initializer_list<QueueSpec> queues) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", 8}, {"pods", 99}}}));
  for (const QueueSpec& queue : queues) Accept(cluster.AddQueue(queue));
  return cluster;
}

// Jobs of one core a task; those that run are `name`, the others wait.
void AddTasks(Cluster& cluster, const std::string& name, const std::string& queue, int count,
              bool runs) {
  AddJob(cluster, {.name = name, .queue = queue, .min_available = 1}, count, Cpu(1));
  for (int i = 0; runs && i < count; ++i) testing::Run(cluster, name + std::to_string(i), "n");
}

struct Counts {
  size_t binds = 0, evictions = 0;
};
Counts Plan1(const Cluster& cluster, const std::string& profile = "transwarp") {
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  return {plan->binds().size(), plan->evictions().size()};
}

// The default queue stands beside the others everywhere: with weight 0 it deserves nothing.
QueueSpec Beside() { return {.name = "default", .weight = 0}; }

Cluster TwoQueues(QueueSpec a, QueueSpec b) {
  a.name = "a";
  b.name = "b";
  Cluster cluster = EightCores({a, b});
  Accept(cluster.UpdateQueue(Beside()));
  return cluster;
}

TEST(Borrowing, IdleSiblingsLendAllUnlessTheySayOtherwise) {
  const auto bound = [](QueueSpec a, QueueSpec b) {
    Cluster cluster = TwoQueues(std::move(a), std::move(b));
    AddTasks(cluster, "j", "a", 8, false);
    return Plan1(cluster).binds;
  };
  EXPECT_EQ(bound({}, {}), 8u);
  EXPECT_EQ(bound({.borrow_limit = Cpu(2)}, {}), 6u);
  EXPECT_EQ(bound({.borrow_limit = Cpu(0)}, {}), 4u);
  EXPECT_EQ(bound({.limit = Cpu(5)}, {}), 5u);
  EXPECT_EQ(bound({.limit = Cpu(5), .borrow_limit = Cpu(0)}, {.weight = 7}), 1u);
  EXPECT_EQ(bound({}, {.lend_limit = Cpu(1)}), 5u);
  EXPECT_EQ(bound({}, {.lend_limit = Cpu(0)}), 4u);
  EXPECT_EQ(bound({}, {.weight = 3, .lend_limit = Cpu(1)}), 3u);
  EXPECT_EQ(bound({}, {.guaranteed = Cpu(6), .lend_limit = Cpu(0)}), 2u);
}

TEST(Borrowing, WhatIsKeptIsForItsOwner) {
  Cluster cluster = TwoQueues({}, {.lend_limit = Cpu(0)});
  AddTasks(cluster, "a", "a", 8, false);
  AddTasks(cluster, "b", "b", 8, false);
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "transwarp");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 8u);
  EXPECT_EQ(plan->shares()[cluster.Freeze().FindQueue("b").value()].allocated_after[kCpu], 4000);
}

TEST(Borrowing, LimitsHoldOnTheWayUp) {
  const auto bound = [](const QueueSpec& lab) {
    Cluster cluster = EightCores({lab,
                                  {.name = "shop"},
                                  {.name = "a", .parent = "lab"},
                                  {.name = "b", .parent = "lab", .lend_limit = Cpu(0)}});
    Accept(cluster.UpdateQueue(Beside()));
    AddTasks(cluster, "j", "a", 8, false);
    return Plan1(cluster).binds;
  };
  // b keeps its 2 of the 4 of lab; the shop lends its 4.
  EXPECT_EQ(bound({.name = "lab"}), 6u);
  EXPECT_EQ(bound({.name = "lab", .borrow_limit = Cpu(2)}), 4u);
  EXPECT_EQ(bound({.name = "lab", .limit = Cpu(7)}), 5u);
}

TEST(Borrowing, LendersTakeBackWhatIsTheirs) {
  Cluster cluster = TwoQueues({}, {});
  AddTasks(cluster, "a", "a", 8, true);
  AddTasks(cluster, "b", "b", 6, false);
  EXPECT_EQ(Decide(cluster, "transwarp"),
            "evict a7 n; nominate b0 n; evict a6 n; nominate b1 n; evict a5 n; nominate b2 n; "
            "evict a4 n; nominate b3 n");
}

TEST(Borrowing, TheSecondCycleEvictsNobody) {
  Cluster cluster = TwoQueues({.weight = 2}, {});
  AddTasks(cluster, "a", "a", 8, true);
  AddTasks(cluster, "b", "b", 6, false);
  const absl::StatusOr<Plan> plan = cluster.Schedule("transwarp");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->evictions().size(), 2u);  // 8/3 of the cores are 2 whole ones
  ASSERT_TRUE(cluster.Apply(*plan).ok());
  EXPECT_EQ(Decide(cluster, "transwarp"), "nominate b0 n; nominate b1 n");
  for (const Eviction& d : plan->evictions()) Accept(cluster.RemoveTask(plan->task_name(d.task)));
  EXPECT_EQ(Decide(cluster, "transwarp"), "bind b0 n; bind b1 n");
}

TEST(Borrowing, NobodyFallsBelowHisGuarantee) {
  Cluster cluster = TwoQueues({.guaranteed = Cpu(6)}, {});
  AddTasks(cluster, "a", "a", 8, true);
  AddTasks(cluster, "b", "b", 6, false);
  EXPECT_EQ(Plan1(cluster).evictions, 2u);
}

TEST(Borrowing, OnlyBorrowersGive) {
  Cluster cluster = EightCores({{.name = "lab"},
                                {.name = "shop"},
                                {.name = "a", .parent = "lab"},
                                {.name = "b", .parent = "lab"}});
  Accept(cluster.UpdateQueue(Beside()));
  AddTasks(cluster, "b", "b", 2, true);  // all it deserves
  AddTasks(cluster, "a", "a", 6, true);  // with that of the shop
  AddTasks(cluster, "s", "shop", 8, false);
  EXPECT_EQ(Decide(cluster, "transwarp"),
            "evict a5 n; nominate s0 n; evict a4 n; nominate s1 n; evict a3 n; nominate s2 n; "
            "evict a2 n; nominate s3 n");
}

TEST(Borrowing, WhoIsBelowHisGuaranteeGoesFirst) {
  Cluster cluster = TwoQueues({.weight = 9}, {.weight = 1, .guaranteed = Cpu(3)});
  AddTasks(cluster, "a", "a", 9, false);
  AddTasks(cluster, "b", "b", 9, false);
  const std::string plan = Decide(cluster, "transwarp:actions=allocate");
  EXPECT_EQ(plan.substr(0, 41), "bind b0 n; bind b1 n; bind b2 n; bind a0 ");
}

TEST(Borrowing, SaysWhyNot) {
  Cluster cluster = TwoQueues({.borrow_limit = Cpu(0)}, {});
  AddTasks(cluster, "j", "a", 8, false);
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "transwarp");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_NE(plan->Explain("j7")->find("queue \"a\" would hold more than it deserves in cpu"),
            std::string::npos)
      << *plan->Explain("j7");
}

TEST(Borrowing, NamesTheQueueAboveThatRefuses) {
  const auto explained = [](const QueueSpec& lab) {
    Cluster cluster = EightCores({lab, {.name = "a", .parent = "lab"}, {.name = "b"}});
    AddTasks(cluster, "j", "a", 8, false);
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "transwarp");
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan->Explain("j7") : "";
  };
  const std::string limited = explained({.name = "lab", .limit = Cpu(2)});
  EXPECT_NE(limited.find("queue \"a\" would exceed the limit of queue \"lab\" in cpu (borrowing)"),
            std::string::npos)
      << limited;
  const std::string lender = explained({.name = "lab", .borrow_limit = Cpu(1)});
  EXPECT_NE(lender.find("queue \"a\" would hold more than it deserves in cpu, and more than is for "
                        "queue \"lab\" (borrowing)"),
            std::string::npos)
      << lender;
}

// --- orders in a leaf

std::string First(const std::string& order) {
  Cluster cluster = EightCores({{.name = "q", .job_order = *ParseWord<JobOrder>(order)}});
  AddJob(cluster, {.name = "wide", .queue = "q", .min_available = 1, .created = 3}, 2, Cpu(1));
  AddJob(cluster, {.name = "deep", .queue = "q", .min_available = 1, .created = 2}, 1, Cpu(5));
  testing::Run(cluster, "wide0", "n");
  testing::Run(cluster, "wide1", "n");
  testing::Run(cluster, "deep0", "n");
  AddJob(cluster, {.name = "vip", .queue = "q", .priority = 5, .min_available = 1, .created = 9}, 1,
         Cpu(1));
  for (const char* job : {"wide", "deep"}) {
    Accept(cluster.AddTask(
        {.name = std::string(job) + "9", .job = job, .shape = {.request = Cpu(1)}}));
  }
  return Decide(cluster, "transwarp:actions=allocate");
}

TEST(LeafOrder, EachQueueHasItsOwn) {
  EXPECT_EQ(First("fifo"), "bind deep9 n");
  EXPECT_EQ(First(""), "bind deep9 n");
  EXPECT_EQ(First("priority"), "bind vip0 n");
  EXPECT_EQ(First("fair"), "bind vip0 n");
  EXPECT_EQ(First("drf"), "bind vip0 n");
}

TEST(LeafOrder, FairCountsTasksAndDrfResources) {
  const auto first = [](const std::string& order) {
    Cluster cluster = EightCores({{.name = "q", .job_order = *ParseWord<JobOrder>(order)}});
    AddJob(cluster, {.name = "wide", .queue = "q", .min_available = 1}, 3, Cpu(1));
    AddJob(cluster, {.name = "deep", .queue = "q", .min_available = 1}, 2, Cpu(5));
    testing::Run(cluster, "wide0", "n");
    testing::Run(cluster, "wide1", "n");
    testing::Run(cluster, "deep0", "n");
    Accept(cluster.RemoveTask("deep1"));
    Accept(cluster.AddTask({.name = "deep1", .job = "deep", .shape = {.request = Cpu(1)}}));
    return Decide(cluster, "transwarp:actions=allocate");
  };
  EXPECT_EQ(first("fair"), "bind deep1 n");
  EXPECT_EQ(first("drf"), "bind wide2 n");
}

TEST(LeafOrder, OnlyPriorityTakesFromLesserJobs) {
  for (const std::string order : {"", "fifo", "fair", "drf", "priority"}) {
    Cluster cluster = EightCores({{.name = "q", .job_order = *ParseWord<JobOrder>(order)}});
    AddTasks(cluster, "low", "q", 8, true);
    AddJob(cluster, {.name = "high", .queue = "q", .priority = 1, .min_available = 1}, 1, Cpu(1));
    EXPECT_EQ(Decide(cluster, "transwarp"),
              order == "priority" ? "evict low7 n; nominate high0 n" : "");
  }
}

// --- bindings

Cluster WithBinding(const QueueBindingSpec& binding) {
  Cluster cluster = EightCores({{.name = "lab"}, {.name = "a", .parent = "lab"}, {.name = "b"}});
  Accept(cluster.SetNamespace({.name = "team", .bindings = {binding}}));
  for (const char* queue : {"a", "b"}) {
    const std::string job = std::string("team/") + queue;
    Accept(cluster.AddJob({.name = job, .queue = queue, .min_available = 1}));
    for (int i = 0; i < 3; ++i) {
      TaskShape shape{.request = Cpu(1), .name_space = "team"};
      shape.labels = {{"user", i == 0 ? "ann" : "bob"}};
      Accept(cluster.AddTask({.name = job + std::to_string(i), .job = job, .shape = shape}));
    }
  }
  AddTasks(cluster, "other", "b", 1, false);
  return cluster;
}

TEST(Bindings, CapATenantInSeveralQueuesAtOnce) {
  const auto bound = [](const QueueBindingSpec& binding) {
    return Plan1(WithBinding(binding)).binds;
  };
  EXPECT_EQ(bound({.name = "x", .queues = {"a", "b"}, .limit = Cpu(9)}), 7u);
  EXPECT_EQ(bound({.name = "x", .queues = {"a", "b"}, .limit = Cpu(4)}), 5u);
  EXPECT_EQ(bound({.name = "x", .queues = {"lab", "a", "b"}, .limit = Cpu(4)}), 5u);
  EXPECT_EQ(bound({.name = "x", .queues = {"lab"}, .limit = Cpu(2)}), 6u);
  EXPECT_EQ(bound({.name = "x", .queues = {"b"}, .limit = Cpu(0)}), 4u);
  QueueBindingSpec bob{.name = "x", .queues = {"a", "b"}, .limit = Cpu(1)};
  bob.selector.match_labels = {{"user", "bob"}};
  EXPECT_EQ(bound(bob), 4u);
}

TEST(Bindings, SayWhyNot) {
  const Cluster cluster = WithBinding({.name = "x", .queues = {"a", "b"}, .limit = Cpu(0)});
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "transwarp");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_NE(plan->Explain("team/a0")->find(
                "queue \"a\" would exceed the limit of binding \"x\" in cpu (bindings)"),
            std::string::npos)
      << *plan->Explain("team/a0");
}

TEST(Bindings, BadOnesAreRefused) {
  Cluster cluster = EightCores({{.name = "a"}});
  const auto refusal = [&](const QueueBindingSpec& binding) {
    return std::string(
        cluster.SetNamespace({.name = "team", .bindings = {binding, binding}}).message());
  };
  EXPECT_EQ(refusal({.queues = {"a"}}), "namespace \"team\", binding \"\": the name is empty");
  EXPECT_EQ(refusal({.name = "x"}), "namespace \"team\", binding \"x\": names no queue");
  EXPECT_EQ(refusal({.name = "x", .queues = {"a", "a"}}),
            "namespace \"team\", queue \"a\": is listed twice");
  EXPECT_EQ(refusal({.name = "x", .queues = {"a"}}),
            "namespace \"team\", binding \"x\": is listed twice");
  const auto alone = [&](const QueueBindingSpec& binding) {
    return std::string(cluster.SetNamespace({.name = "team", .bindings = {binding}}).message());
  };
  EXPECT_EQ(alone({.name = "x", .queues = {"b"}}),
            "namespace \"team\", binding \"x\": queue \"b\" does not exist");
  EXPECT_NE(alone({.name = "x", .queues = {"a"}, .limit = {{"cpu", "-1"}}}), "");
  EXPECT_EQ(alone({.name = "x", .queues = {"a"}, .limit = Cpu(1)}), "");
  EXPECT_EQ(cluster.RemoveQueue("a").message(), "queue \"a\": still has 1 binding");
}

TEST(Bindings, AQueueThatEventsTakeAwayCountsAgainWhenItIsBack) {
  Cluster cluster = EightCores({{.name = "a"}, {.name = "b"}});
  Accept(cluster.SetNamespace(
      {.name = "team", .bindings = {{.name = "x", .queues = {"a", "b"}, .limit = Cpu(1)}}}));
  const auto queues = [&] { return cluster.Describe().namespaces[0].bindings[0].queues; };
  const Removal removal{Removal::Kind::kQueue, "b"};
  EXPECT_TRUE(cluster.ApplyDelta({.generation = 1, .object = removal}).ok());
  EXPECT_EQ(queues(), std::vector<std::string>{"a"});
  EXPECT_TRUE(cluster.ApplyDelta({.generation = 2, .object = QueueSpec{.name = "b"}}).ok());
  EXPECT_EQ(queues(), (std::vector<std::string>{"a", "b"}));
}

// --- gangs of several groups

// A driver or parameter servers, and executors or workers, of one core each.
std::string Started(const std::string& first, int first_count, const std::string& second,
                    int second_count, int second_minimum, int cores) {
  Cluster cluster;
  Accept(cluster.AddNode({.name = "n", .capacity = {{"cpu", cores}, {"pods", 99}}}));
  Accept(cluster.AddJob({.name = "j",
                         .groups = {{.name = first,
                                     .count = first_count,
                                     .min_available = first_count,
                                     .shape = {.request = Cpu(1)}},
                                    {.name = second,
                                     .count = second_count,
                                     .min_available = second_minimum,
                                     .shape = {.request = Cpu(1)}}}}));
  return Decide(cluster, "transwarp");
}

TEST(Gangs, SparkStartsItsDriverAndGrows) {
  const auto spark = [](int minimum, int cores) {
    return Started("driver", 1, "executor", 4, minimum, cores);
  };
  EXPECT_EQ(spark(0, 1), "bind j-driver-0 n");
  EXPECT_EQ(spark(0, 2), "bind j-driver-0 n; bind j-executor-0 n");
  EXPECT_EQ(spark(2, 2), "");
  EXPECT_EQ(spark(2, 3), "bind j-driver-0 n; bind j-executor-0 n; bind j-executor-1 n");
  EXPECT_EQ(spark(2, 9),
            "bind j-driver-0 n; bind j-executor-0 n; bind j-executor-1 n; bind j-executor-2 n; "
            "bind j-executor-3 n");
}

TEST(Gangs, TensorFlowWaitsForEachGroup) {
  const auto tensorflow = [](int cores) { return Started("ps", 2, "worker", 4, 3, cores); };
  EXPECT_EQ(tensorflow(4), "");
  EXPECT_EQ(tensorflow(5),
            "bind j-ps-0 n; bind j-worker-0 n; bind j-ps-1 n; bind j-worker-1 n; "
            "bind j-worker-2 n");
}

TEST(Gangs, LendersTakeElasticTasksFirst) {
  Cluster cluster = TwoQueues({}, {});
  const GroupSpec driver{
      .name = "driver", .count = 1, .min_available = 1, .shape = {.request = Cpu(1)}};
  const GroupSpec executor{
      .name = "executor", .count = 7, .min_available = 2, .shape = {.request = Cpu(1)}};
  Accept(cluster.AddJob({.name = "s", .queue = "a", .groups = {executor, driver}}));
  testing::Run(cluster, "s-driver-0", "n");
  for (int i = 0; i < 7; ++i) testing::Run(cluster, "s-executor-" + std::to_string(i), "n");
  AddTasks(cluster, "b", "b", 4, false);
  // Were they all alike, the driver would be the youngest.
  EXPECT_EQ(Decide(cluster, "transwarp"),
            "evict s-executor-6 n; nominate b0 n; evict s-executor-5 n; nominate b1 n; "
            "evict s-executor-4 n; nominate b2 n; evict s-executor-3 n; nominate b3 n");
}

}  // namespace
}  // namespace muster::testing
