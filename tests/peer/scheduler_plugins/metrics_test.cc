// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Metrics of nodes, and what their pods request and may use, by hand.
#include "lib/peer/scheduler_plugins/load/metrics.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "lib/peer/scheduler_plugins/load/recent_pods.h"
#include "lib/peer/scheduler_plugins/node_scores.h"

namespace muster::scheduler_plugins {
namespace {

using Part = ZonedTask::Part;
constexpr MetricKind kCpu = MetricKind::kCpu, kMemory = MetricKind::kMemory;

TEST(Metrics, TheAverageIsPreferredToOtherValues) {
  std::vector<Metric> metrics = {{kCpu, MetricValue::kUnstated, 10},
                                 {kCpu, MetricValue::kLatest, 20}};
  EXPECT_EQ(MeasuredLoad(metrics, kCpu, 1000, 0)->mean, 200);
  metrics.push_back({kCpu, MetricValue::kAverage, 30});
  metrics.push_back({kCpu, MetricValue::kLatest, 90});
  EXPECT_EQ(MeasuredLoad(metrics, kCpu, 1000, 0)->mean, 300);
  EXPECT_EQ(MeasuredLoad(metrics, kCpu, 1000, 0)->deviation, 0);
  metrics.push_back({kCpu, MetricValue::kDeviation, 5});
  const std::optional<ResourceLoad> load = MeasuredLoad(metrics, kCpu, 1000, 70);
  EXPECT_EQ(load->deviation, 50);
  EXPECT_EQ(load->request, 70);
  EXPECT_EQ(load->capacity, 1000);
  EXPECT_FALSE(MeasuredLoad(metrics, kMemory, 1000, 70).has_value());
}

TEST(Metrics, ADeviationOrAnotherValueAloneMeasuresNothing) {
  const std::vector<Metric> metrics = {{kMemory, MetricValue::kDeviation, 5},
                                       {kMemory, MetricValue::kOther, 50}};
  EXPECT_FALSE(MeasuredLoad(metrics, kMemory, 1000, 0).has_value());
}

TEST(Metrics, MemoryCountsInMebibytes) {
  const std::vector<Metric> metrics = {{kMemory, MetricValue::kAverage, 25}};
  const std::optional<ResourceLoad> load = MeasuredLoad(metrics, kMemory, 4 << 20, 1 << 20);
  EXPECT_EQ(load->capacity, 4);
  EXPECT_EQ(load->request, 1);
  EXPECT_EQ(load->mean, 1);
}

TEST(Metrics, ScoresOfNodes) {
  const std::vector<Metric> metrics = {{kCpu, MetricValue::kLatest, 50},
                                       {kCpu, MetricValue::kUnstated, 90},
                                       {kCpu, MetricValue::kAverage, 20},
                                       {kMemory, MetricValue::kLatest, 70}};
  const TargetLoad load = {.capacity = 1000, .used_percent = 100, .pod = 100, .missing = 100};
  EXPECT_EQ(TargetLoadNodeScore(metrics, load, 40), 100);  // the last: 20, and 20 of pods
  EXPECT_EQ(TargetLoadNodeScore({}, load, 40), 0);
  EXPECT_EQ(TargetLoadNodeScore(std::span(metrics).subspan(3), load, 40), 0);
  const PowerModel model = {.k1 = -90, .k2 = -0.07};
  EXPECT_EQ(PowerNodeScore(metrics, model, 1000, 100), PowerScore(model, 50, 60));
  EXPECT_EQ(PowerNodeScore(std::span(metrics).subspan(3), model, 1000, 100), 0);
  EXPECT_EQ(PowerNodeScore(metrics, model, 0, 100), 0);
  EXPECT_EQ(LoadVariationNodeScore(metrics, {1000, 1 << 20}, {100, 0}, {}), 65);  // memory: 70
  EXPECT_EQ(LoadVariationNodeScore({}, {1000, 1 << 20}, {100, 0}, {}), 0);
}

PodView Pod(int64_t cpu, int64_t memory, int64_t cpu_limit, int64_t memory_limit) {
  return {.containers = {{Part::kMain,
                          {{"cpu", cpu}, {"memory", memory}},
                          {{"cpu", cpu_limit}, {"memory", memory_limit}}}}};
}

TEST(Metrics, ContainersBeforeTheMainOnesCountInCpuAndMemoryAlone) {
  PodView pod = Pod(1000, 20, 2000, 10);
  pod.containers.push_back({Part::kInit, {{"cpu", 1500}, {"memory", 5}}, {{"memory", 30}}});
  pod.containers.push_back({Part::kMain, {{"cpu", 100}}, {}});
  pod.overhead = {{"cpu", 7}};
  EXPECT_EQ(LoadRequest(pod), (CpuMemory{1507, 20}));
  EXPECT_EQ(LoadLimit(pod), (CpuMemory{2007, 30}));
}

TEST(Metrics, BooksCapRequestsAndRaiseLimits) {
  const std::vector<PodView> on_node = {Pod(1000, 20, 500, 100), Pod(3000, 0, 0, 0)};
  const NodeBooks books = BooksOf(Pod(1000, 10, 2000, 5), on_node, {3500, 25});
  EXPECT_EQ(books.cpu.request_without, 3500);
  EXPECT_EQ(books.cpu.limit_without, 4000);
  EXPECT_EQ(books.cpu.request, 3500);
  EXPECT_EQ(books.cpu.limit, 6000);
  EXPECT_EQ(books.memory.request_without, 20);
  EXPECT_EQ(books.memory.request, 25);
  EXPECT_EQ(books.memory.limit_without, 100);
  EXPECT_EQ(books.memory.limit, 110);
  EXPECT_EQ(books.memory.capacity, 25);
}

TEST(Metrics, LowRiskOfAPodWithoutRequestsIsNotScored) {
  const std::vector<Metric> metrics = {{kCpu, MetricValue::kAverage, 50}};
  EXPECT_EQ(LowRiskNodeScore(metrics, {1000, 1000}, {}, {}, {}), 0);
  EXPECT_EQ(LowRiskNodeScore({}, {1000, 1000}, Pod(1, 1, 1, 1), {}, {}), 0);
  EXPECT_EQ(LowRiskNodeScore(metrics, {1000, 1000}, Pod(1, 1, 1, 1), {}, {}), 100);
  // The load exceeds what others requested, which is half of the risk.
  const std::vector<PodView> on_node = {Pod(200, 1, 400, 1)};
  EXPECT_EQ(LowRiskNodeScore(metrics, {1000, 1000}, Pod(1, 1, 1, 1), on_node, {}), 50);
  // And the node has nothing of what its pods may use beyond their requests.
  EXPECT_EQ(LowRiskNodeScore(metrics, {1000, 1000}, Pod(1000, 1, 2000, 1), on_node, {}), 0);
}

TEST(RecentPods, MissingPodsCameAfterTheMeasurementOrJustBefore) {
  RecentPods pods;
  pods.Place("a", 1, 100);
  pods.Place("b", 10, 150);
  pods.Place("c", 100, 200);
  EXPECT_EQ(pods.Missing(160), 110);  // a came 60 seconds before
  EXPECT_EQ(pods.Missing(159), 111);
  EXPECT_EQ(pods.Missing(500), 0);
  pods.Forget(159);
  EXPECT_EQ(pods.placed().size(), 3u);
  pods.Forget(160);
  ASSERT_EQ(pods.placed().size(), 2u);
  EXPECT_EQ(pods.placed()[0].pod, "b");
  pods.Forget(1000);  // all: none is dropped
  EXPECT_EQ(pods.placed().size(), 2u);
}

TEST(Marks, NumbersLoseTheirFraction) {
  EXPECT_EQ(NumberMark("12.9", false), 12);
  EXPECT_EQ(NumberMark("-12.9", false), -12);
  EXPECT_EQ(NumberMark("12", true), -12);
  for (const char* text : {"", " 1", "1 ", "x", "1x", "9223372036854775808", "-1e19", "nan"}) {
    EXPECT_FALSE(NumberMark(text, false).has_value()) << text;
  }
  EXPECT_EQ(TimeMark(100, 160.9, false), 60);
  EXPECT_EQ(TimeMark(100, 160.9, true), -60);
}

TEST(Marks, SettingsOfOtherWordsAreRefused) {
  const MarkSettings good = {"key", "Label", "Number", "Lowest"};
  EXPECT_TRUE(CheckMarks(good).ok());
  EXPECT_TRUE(CheckMarks({"key", "Annotation", "Timestamp", "Oldest"}).ok());
  EXPECT_EQ(CheckMarks({"", "Label", "Number", "Lowest"}).message(),
            "metadataKey: must not be empty");
  EXPECT_EQ(CheckMarks({"key", "label", "Number", "Lowest"}).message(),
            "metadataSource: \"label\" is neither Label nor Annotation");
  EXPECT_EQ(CheckMarks({"key", "Label", "Text", "Lowest"}).message(),
            "metadataType: \"Text\" is neither Number nor Timestamp");
  EXPECT_EQ(CheckMarks({"key", "Label", "Number", "Newest"}).message(),
            "scoringStrategy: \"Newest\" is neither Highest nor Lowest");
  EXPECT_EQ(CheckMarks({"key", "Label", "Timestamp", "Lowest"}).message(),
            "scoringStrategy: \"Lowest\" is neither Newest nor Oldest");
}

TEST(Allocatable, WeightsMustBePositive) {
  const std::vector<NamedWeight> weights = {{"memory", 1}, {"cpu", 0}};
  EXPECT_EQ(CheckAllocatable(weights).message(),
            "resources[1].weight: Invalid value: 0: resource weight of cpu should be a positive "
            "value, got :0");
  EXPECT_TRUE(CheckAllocatable(std::span(weights).subspan(0, 1)).ok());
}

}  // namespace
}  // namespace muster::scheduler_plugins
