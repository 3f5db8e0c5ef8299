// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Measured loads within the cycles of the profile: thresholds, production, statistics, estimates.
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(KoordinatorProfile, BusyNodesAreRefusedAndQuietOnesPreferred) {
  Node("busy", 8, {.usage = NodeUsage{"60", "10", 90}});
  Node("old", 8, {.usage = NodeUsage{"0", "0", -80}});
  Node("quiet", 8, {.usage = NodeUsage{"10", "10", 90}});
  Node("warm", 8, {.usage = NodeUsage{"40", "10", 90}});
  Pod("p", "1");
  EXPECT_EQ(Plan("fit_weight=0,balanced_weight=0", 100), "bind p quiet");
  EXPECT_EQ(Plan("load_expired=pass,load_cpu=0,load_memory=0,load_dominant=1", 100),
            "bind p quiet");
  Pod("large", "6");
  EXPECT_EQ(Why("large", "", 100),
            "0/4 nodes are available: 1 node(s) nodeMetric expired, 3 node(s) cpu usage exceed "
            "threshold. 0/4 nodes are available: 1 No victims found on node busy for preemptor pod "
            "large, 1 No victims found on node old for preemptor pod large, 1 No victims found on "
            "node quiet for preemptor pod large, 1 No victims found on node warm for preemptor pod "
            "large.");
  EXPECT_THAT(Plan("load=off", 100), HasSubstr("bind large"));
}

TEST_F(KoordinatorProfile, TasksOfDaemonsGoUnderAnyLoad) {
  Node("a", 10, {.usage = NodeUsage{90, 0, 0}});
  Accept(cluster_.AddJob({.name = "d", .settings = {{"koordinator/owner_kind", "DaemonSet"}}}));
  Accept(cluster_.AddJob({.name = "j", .settings = {{"koordinator/owner_kind", "ReplicaSet"}}}));
  Pod("p", "1", {.job = "d"});
  Pod("q", "1", {.job = "j"});
  EXPECT_EQ(Plan(), "bind p a");
}

// With amounts a measurement is one of tasks, too.
TEST_F(KoordinatorProfile, WhatWasMeasuredOfATaskIsPartOfItsEstimate) {
  const auto plan_with = [&](bool is_detailed, int64_t started, std::optional<TaskUsage> usage) {
    cluster_ = Cluster();
    NodeSpec node;
    node.usage = NodeUsage{50, 0, 100};
    if (is_detailed) node.usage->detail = UsageDetail{.amounts = {{"cpu", 5}}, .interval = 60};
    Node("a", 10, node);
    TaskSpec task{.node = "a"};
    task.started = started;
    if (usage) task.usage = *usage;
    Pod("y", "6", task);
    Pod("p", "1");
    return Plan("", 100);
  };
  const TaskUsage most{.amounts = {{"cpu", 5}}};
  // 5 and 5.1 less 5, and 0.85: 59 % of ten.
  EXPECT_EQ(plan_with(true, 90, most), "bind p a");
  EXPECT_EQ(plan_with(true, 90, TaskUsage{.amounts = {{"cpu", 4}}}), "");
  EXPECT_EQ(plan_with(true, 0, TaskUsage{.amounts = {{"cpu", 4}}}), "bind p a") << "all is seen";
  EXPECT_EQ(plan_with(true, 0, std::nullopt), "") << "it was not measured";
  EXPECT_EQ(plan_with(false, 0, std::nullopt), "bind p a") << "no task was measured";
  EXPECT_EQ(plan_with(false, 90, most), "") << "the percentages are all there is";
}

// The larger of request and limit is expected, less than the limit.
TEST_F(KoordinatorProfile, LimitsAreEstimatedWhereTheyAreAboveRequests) {
  const auto plan_with = [&](const std::string& limits, const std::string& request = "1") {
    cluster_ = Cluster();
    Node("a", 10, {.usage = NodeUsage{50, 0, 0}});
    TaskSpec task;
    if (!limits.empty()) task.shape.labels = {{"koordinator/limits", limits}};
    Pod("p", request.c_str(), task);
    return Plan("numa=off");
  };
  EXPECT_EQ(plan_with(""), "bind p a");
  // 5 and 85 % of the limit, of ten: at most 65 %.
  EXPECT_EQ(plan_with("cpu=1800m"), "bind p a");
  EXPECT_EQ(plan_with("cpu=1900m"), "");
  EXPECT_EQ(plan_with("memory=1Gi"), "bind p a");
  EXPECT_EQ(plan_with("memory=20Gi"), "") << "70 % of it is more than 95 % of the node";
  EXPECT_EQ(plan_with("kubernetes.io/batch-cpu=9000"), "bind p a") << "it is of production";
  cluster_ = Cluster();
  TaskSpec task;
  task.shape.labels = {{"koordinator/limits", "cpu"}};
  Pod("p", "1", task);
  EXPECT_EQ(Refused("load=off"), "");
  EXPECT_THAT(Refused(), HasSubstr("task \"p\", label koordinator/limits: must be "));
}

TEST_F(KoordinatorProfile, PodsThatWarmUpCountWithTheirEstimate) {
  NodeSpec node;
  node.usage = NodeUsage{50, 0, 100};
  node.usage->detail = UsageDetail{.amounts = {{"cpu", 5}}, .interval = 10};
  Node("a", 10, node);
  TaskSpec task{.node = "a"};
  task.started = 40;
  task.usage = TaskUsage{.amounts = {{"cpu", 1}}};
  Pod("y", "3", task);
  Pod("p", "1");
  // 5 and 0.85; 2.55 less 1 more while it warms up.
  EXPECT_EQ(Plan("load_warm_up=60", 100), "bind p a");
  EXPECT_EQ(Plan("load_warm_up=61", 100), "");
}

TEST_F(KoordinatorProfile, NodesMayHaveThresholdsAndAmountsOfTheirOwn) {
  const auto plan_with = [&](const Labels& settings) {
    cluster_ = Cluster();
    Node("a", 20, {.usage = NodeUsage{10, 0, 0}, .settings = settings});
    Pod("p", "1");
    return Plan();
  };
  EXPECT_EQ(plan_with({}), "bind p a");
  EXPECT_EQ(plan_with({{"koordinator/cpu_threshold", "13"}}), "") << "2 and 0.85 are 14 %";
  EXPECT_EQ(plan_with({{"koordinator/cpu_threshold", "14"}}), "bind p a");
  EXPECT_EQ(plan_with({{"koordinator/raw_cpu", "4"}}), "") << "71 %";
  EXPECT_EQ(plan_with({{"koordinator/raw_cpu", "4"}, {"koordinator/cpu_threshold", "0"}}),
            "bind p a");
  for (const char* key : {"cpu_threshold", "memory_threshold", "raw_cpu", "raw_memory"}) {
    cluster_ = Cluster();
    Node("a", 20, {.settings = {{std::string("koordinator/") + key, "-1"}}});
    EXPECT_THAT(Refused(), HasSubstr(key));
  }
}

// Thresholds that are all 0 refuse nothing, however old the measurement.
TEST_F(KoordinatorProfile, WithoutThresholdsNoMeasurementIsTooOld) {
  Node("a", 10, {.usage = NodeUsage{90, 0, 0}});
  Pod("p", "1");
  EXPECT_EQ(Plan("memory_threshold=0", 1000), "");
  EXPECT_EQ(Plan("cpu_threshold=0,memory_threshold=0", 1000), "bind p a");
  EXPECT_EQ(Plan("load_filter=off", 1000), "bind p a");
}

TEST_F(KoordinatorProfile, AnExpirationOf0IsNever) {
  Node("a", 10, {.usage = NodeUsage{10, 0, 0}});
  Pod("p", "1");
  EXPECT_EQ(Plan("", 1000), "");
  EXPECT_EQ(Plan("load_expiration=0", 1000), "bind p a");
  EXPECT_THAT(Refused("load_expiration=0.5"), HasSubstr("load_expiration"));
  Node("b", 10, {.usage = NodeUsage{0, 0, 0}});
  EXPECT_EQ(Plan("load_expiration=0,fit_weight=0,balanced_weight=0", 1000), "bind p b")
      << "it is scored by its measurement";
}

TEST_F(KoordinatorProfile, ProductionHasThresholdsOfItsOwn) {
  const auto plan_with = [&](const std::string& options, TaskSpec task, const Labels& labels = {},
                             const Labels& settings = {}) {
    cluster_ = Cluster();
    NodeSpec node{.usage = NodeUsage{0, 0, 100}, .settings = settings};
    node.usage->detail = UsageDetail{.amounts = {{"cpu", 8}}, .system = {{"cpu", 2}}};
    Node("a", 10, node);
    // Of 8 cores production uses 3, batch work 3, and the rest belongs to no pod.
    TaskSpec there{.node = "a", .priority = 9500, .started = 0};
    there.shape.labels = labels;
    there.usage = TaskUsage{.amounts = {{"cpu", 3}}};
    Pod("there", "4", there);
    TaskSpec batch{.node = "a", .priority = 5500, .started = 0};
    batch.usage = TaskUsage{.amounts = {{"cpu", 3}}};
    Pod("batch", "0", batch);
    Pod("p", "1", task);
    return Plan("fit_weight=0" + options, 100);
  };
  const TaskSpec production{.priority = 9000}, mid{.priority = 7000};
  // 8.85 of ten, or 3.85 of production.
  EXPECT_EQ(plan_with("", production), "");
  EXPECT_EQ(plan_with(",production_cpu_threshold=39", production), "bind p a");
  EXPECT_EQ(plan_with(",production_cpu_threshold=38", production), "") << "39 %";
  EXPECT_EQ(plan_with(",production_memory_threshold=50", production), "bind p a");
  EXPECT_EQ(plan_with(",production_cpu_threshold=39", mid), "") << "it is held as others are";
  EXPECT_EQ(plan_with(",production_cpu_threshold=58,production_system=on", production), "");
  EXPECT_EQ(plan_with(",production_cpu_threshold=59,production_system=on", production), "bind p a");
  // Measured as work of another band it counts with its estimate, 85 % of 4.
  const Labels as_mid = {{"koordinator/measured-as", "koord-mid"}};
  EXPECT_EQ(plan_with(",production_cpu_threshold=42", production, as_mid), "") << "43 %";
  EXPECT_EQ(plan_with(",production_cpu_threshold=43", production, as_mid), "bind p a");
  const Labels own = {{"koordinator/production_cpu_threshold", "38"}};
  EXPECT_EQ(plan_with(",production_cpu_threshold=39", production, {}, own), "");
  EXPECT_EQ(plan_with("", production, {}, {{"koordinator/production_cpu_threshold", "39"}}),
            "bind p a");
}

// Without amounts of tasks, all that production is known to use are its estimates.
TEST_F(KoordinatorProfile, ProductionThatIsNotMeasuredIsEstimated) {
  Node("a", 10, {.usage = NodeUsage{90, 0, 100}});
  Pod("there", "4", {.node = "a", .priority = 9500, .started = 0});
  Pod("p", "1", {.priority = 9000});
  EXPECT_EQ(Plan("production_cpu_threshold=43", 100), "bind p a") << "3.4 and 0.85 of ten";
  EXPECT_EQ(Plan("production_cpu_threshold=42", 100), "");
}

TEST_F(KoordinatorProfile, ProductionMayBeScoredByWhatItUses) {
  const auto node = [](const Quantity& all, const Quantity& production) {
    NodeSpec node{.usage = NodeUsage{0, 0, 100}};
    node.usage->detail = UsageDetail{.amounts = {{"cpu", all}}, .system = {{"cpu", production}}};
    return node;
  };
  Node("a", 10, node(2, 1));
  Node("b", 10, node(4, "500m"));
  Pod("p", "1", {.priority = 9000});
  const std::string alone = "fit_weight=0,balanced_weight=0,production_system=on";
  EXPECT_EQ(Plan(alone, 100), "bind p a");
  EXPECT_EQ(Plan(alone + ",production_score=on", 100), "bind p b");
}

TEST_F(KoordinatorProfile, StatisticsOfUseHaveThresholdsAndScores) {
  const auto node = [](const Quantity& use, std::vector<UsageWindow> windows,
                       Labels settings = {}) {
    NodeSpec node{.usage = NodeUsage{0, 0, 100}, .settings = std::move(settings)};
    node.usage->detail = UsageDetail{.amounts = {{"cpu", use}}, .windows = std::move(windows)};
    return node;
  };
  const std::vector<UsageWindow> windows = {
      {.seconds = 600, .p95 = {{"cpu", 8}}, .p99 = {{"cpu", 3}}},
      {.seconds = 300, .average = {{"cpu", 1}}, .p95 = {{"cpu", 4}}}};
  const auto plan_with = [&](const std::string& options, Labels settings = {}) {
    cluster_ = Cluster();
    Node("a", 10, node(9, windows, std::move(settings)));
    TaskSpec seen{.node = "a", .started = 0};
    seen.usage = TaskUsage{.amounts = {{"cpu", "100m"}}};
    Pod("seen", "2", seen);
    Pod("p", "1");
    return Plan(options, 100);
  };
  EXPECT_EQ(plan_with(""), "") << "of 9 and 0.85 cores";
  // The longest window with the statistic counts, or the one of the named length.
  EXPECT_EQ(plan_with("load_statistic=p95,statistic_cpu_threshold=88"), "") << "8.85 of ten";
  EXPECT_EQ(plan_with("load_statistic=p95,statistic_cpu_threshold=89"), "bind p a");
  EXPECT_EQ(plan_with("load_statistic=p95,load_window=300,statistic_cpu_threshold=49"), "bind p a");
  EXPECT_EQ(plan_with("load_statistic=p95,load_window=300,statistic_cpu_threshold=48"), "");
  EXPECT_EQ(plan_with("load_statistic=avg,statistic_cpu_threshold=19"), "bind p a");
  EXPECT_EQ(plan_with("load_statistic=p95"), "") << "it has no thresholds, use has";
  EXPECT_EQ(plan_with("", {{"koordinator/load_statistic", "p95"}}), "") << "nor has it there";
  // No window has it: the node's use, or where the length is named, the estimates of all tasks.
  EXPECT_EQ(plan_with("load_statistic=p50,statistic_cpu_threshold=90"), "") << "98.5 %";
  EXPECT_EQ(plan_with("load_statistic=p50,load_window=60,statistic_cpu_threshold=26"), "bind p a")
      << "1.7 and 0.85";
  EXPECT_EQ(plan_with("load_statistic=p50,load_window=60,statistic_cpu_threshold=25"), "");
  const Labels own = {{"koordinator/load_statistic", "p99"},
                      {"koordinator/statistic_cpu_threshold", "39"}};
  EXPECT_EQ(plan_with("load_statistic=p95,load_window=300,statistic_cpu_threshold=10", own),
            "bind p a");
  plan_with("");
  EXPECT_THAT(Why("p", "", 100), HasSubstr("node(s) cpu usage exceed threshold"));
  EXPECT_THAT(Why("p", "load_statistic=p95,statistic_cpu_threshold=1", 100),
              HasSubstr("node(s) cpu aggregated usage exceed threshold"));
  EXPECT_THAT(Why("p", "load_statistic=p50,load_window=60,statistic_memory_threshold=1", 100),
              HasSubstr("node(s) memory aggregated usage exceed threshold"));
  cluster_ = Cluster();
  Node("a", 10, {.settings = {{"koordinator/load_statistic", "p42"}}});
  EXPECT_THAT(Refused(), HasSubstr("load_statistic"));
  cluster_ = Cluster();
  Node("a", 10, node(2, {{.seconds = 300, .p90 = {{"cpu", 5}}}}));
  Node("b", 10, node(4, {{.seconds = 300, .p90 = {{"cpu", 3}}}}));
  Pod("p", "1");
  const std::string alone = "fit_weight=0,balanced_weight=0";
  EXPECT_EQ(Plan(alone, 100), "bind p a");
  EXPECT_EQ(Plan(alone + ",score_statistic=p90", 100), "bind p b");
  EXPECT_EQ(Plan(alone + ",score_statistic=p90,score_window=60", 100), "bind p a") << "both are 0";
}

TEST_F(KoordinatorProfile, WhatIsOfAStatisticNeedsOne) {
  for (const char* option :
       {"load_window", "statistic_cpu_threshold", "statistic_memory_threshold"}) {
    EXPECT_THAT(Refused(std::string(option) + "=5"),
                HasSubstr(std::string(option) + ": needs load_statistic"));
  }
  EXPECT_THAT(Refused("score_window=5,load_statistic=p95"),
              HasSubstr("score_window: needs score_statistic"));
  const auto with = [&](const char* key, const char* options) {
    cluster_ = Cluster();
    Node("a", 10, {.settings = {{std::string("koordinator/") + key, "5"}}});
    Pod("p", "1");
    return Refused(options);
  };
  EXPECT_THAT(with("load_window", "load_statistic=p95"),
              HasSubstr("load_window\": is \"5\"; needs load_statistic of the node"));
  for (const char* key : {"statistic_cpu_threshold", "statistic_memory_threshold"}) {
    EXPECT_THAT(with(key, ""), HasSubstr("needs load_statistic, of the node or the options"));
  }
  cluster_ = Cluster();
  Node("a", 10, {.settings = {{"koordinator/statistic_cpu_threshold", "5"}}});
  Pod("p", "1");
  EXPECT_EQ(Plan("load_statistic=p95"), "bind p a") << "nothing was measured";
}

// Mid and batch work requests resources of its own.
TEST_F(KoordinatorProfile, EstimatesAreOfTheResourcesOfTheBand) {
  const auto plan_with = [&](int32_t priority, Resources request) {
    cluster_ = Cluster();
    NodeSpec node{.usage = NodeUsage{50, 0, 100}};
    node.name = "a";
    node.capacity = {{"cpu", 10},
                     {"memory", "8Gi"},
                     {"pods", 10},
                     {"kubernetes.io/batch-cpu", 9000},
                     {"kubernetes.io/mid-cpu", 9000}};
    Accept(cluster_.AddNode(node));
    TaskSpec task{.name = "p", .priority = priority};
    task.shape.request = std::move(request);
    Accept(cluster_.AddTask(task));
    return Plan("", 100);
  };
  EXPECT_EQ(plan_with(5500, {{"kubernetes.io/batch-cpu", 1700}}), "bind p a") << "64.45 %";
  EXPECT_EQ(plan_with(5500, {{"kubernetes.io/batch-cpu", 1900}}), "") << "66.15 %";
  EXPECT_EQ(plan_with(7500, {{"kubernetes.io/mid-cpu", 1900}}), "");
  EXPECT_EQ(plan_with(7500, {{"kubernetes.io/batch-cpu", 1900}}), "bind p a") << "not of its band";
  EXPECT_EQ(plan_with(3500, {{"cpu", 5}}), "bind p a") << "free work is expected to use nothing";
}

}  // namespace
}  // namespace muster::testing
