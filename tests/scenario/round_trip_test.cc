// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is written reads back equal: for random scenarios with every member of every struct set or
// unset.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "lib/scenario/scenario.h"
#include "tests/scenario/any_spec.h"

namespace muster {
namespace {

TEST(RoundTrip, RandomScenariosComeBackEqual) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Scenario scenario;
    AnySpec(seed).Fill(&scenario);
    const std::string text = WriteScenario(scenario);
    const absl::StatusOr<Scenario> back = ParseScenario(text);
    ASSERT_TRUE(back.ok()) << "seed " << seed << ": " << back.status() << "\n" << text;
    ASSERT_TRUE(Same(scenario, *back)) << "seed " << seed << "\n"
                                       << text << "\n"
                                       << WriteScenario(*back);
    ASSERT_EQ(text, WriteScenario(*back)) << "seed " << seed;
  }
}

TEST(RoundTrip, TheComparisonSeesEveryDifference) {
  // Change one scenario a little, many times: equal specs have equal texts and different ones
  // different texts.
  int different = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Scenario a, b;
    AnySpec(seed).Fill(&a);
    AnySpec(seed / 2).Fill(&b);
    EXPECT_EQ(Same(a, b), WriteScenario(a) == WriteScenario(b));
    different += !Same(a, b);
  }
  EXPECT_GT(different, 250);
}

TEST(RoundTrip, AnEmptyScenarioIsTheVersionAlone) {
  EXPECT_EQ(WriteScenario(Scenario()), "{\n  \"muster\": 1\n}\n");
}

TEST(Write, UnsetMembersAreLeftOut) {
  Scenario scenario;
  scenario.cluster.nodes.push_back({.name = "n", .capacity = {{"cpu", "8"}, {"memory", "16Gi"}}});
  scenario.cluster.jobs.push_back(
      {.name = "j",
       .min_available = 2,
       .groups = {{.name = "w", .count = 2, .shape = {.request = {{"cpu", "500m"}}}}}});
  EXPECT_EQ(WriteScenario(scenario),
            "{\n  \"muster\": 1,\n"
            "  \"nodes\": [\n    {\"name\": \"n\", \"capacity\": {\"cpu\": 8, \"memory\": "
            "\"16Gi\"}}\n  ],\n"
            "  \"jobs\": [\n    {\"name\": \"j\", \"min_available\": 2, \"groups\": [{\"name\": "
            "\"w\", \"count\": 2, "
            "\"shape\": {\"request\": {\"cpu\": \"500m\"}}}]}\n  ]\n}\n");
}

TEST(Write, SharedShapesAndRunsOfNodesAreFolded) {
  Scenario scenario;
  const TaskShape shape{.request = {{"cpu", 1}}};
  for (int i = 0; i < 12; ++i) {
    scenario.cluster.nodes.push_back({.name = "n" + std::to_string(i), .capacity = {{"cpu", 4}}});
  }
  scenario.cluster.nodes[5].unschedulable = true;
  scenario.cluster.tasks.push_back({.name = "t", .shape = shape});
  scenario.cluster.jobs.push_back({.name = "j", .groups = {{.count = 5, .shape = shape}}});
  const std::string text = WriteScenario(scenario);
  EXPECT_NE(text.find("\"shapes\": {\n    \"s0\": {\"request\": {\"cpu\": 1}}\n  }"), text.npos)
      << text;
  EXPECT_NE(text.find("{\"name\": \"t\", \"shape\": \"s0\"}"), text.npos) << text;
  EXPECT_NE(text.find("{\"name\": \"n\", \"capacity\": {\"cpu\": 4}, \"count\": 5}"), text.npos)
      << text;
  EXPECT_NE(text.find("{\"name\": \"n5\", \"capacity\": {\"cpu\": 4}, \"unschedulable\": true}"),
            text.npos)
      << text;
  const absl::StatusOr<Scenario> back = ParseScenario(text);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(Same(scenario, *back));
}

TEST(Write, AHundredThousandTasksInGroupsTakeWellUnderASecond) {
  Scenario scenario;
  for (int i = 0; i < 10000; ++i) {
    const TaskShape shape{.request = {{"cpu", 1 + i % 100}, {"memory", "4Gi"}}};
    scenario.cluster.jobs.push_back({.name = "j" + std::to_string(i),
                                     .min_available = 10,
                                     .groups = {{.name = "w", .count = 10, .shape = shape}}});
    scenario.cluster.nodes.push_back({.name = "n" + std::to_string(i), .capacity = {{"cpu", 64}}});
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string text = WriteScenario(scenario);
  const auto written = std::chrono::steady_clock::now();
  ASSERT_TRUE(ParseScenario(text).ok());
  const auto read = std::chrono::steady_clock::now();
  // Bounds that hold under sanitizers too; an optimized build takes some hundredths of a second.
  EXPECT_LT(written - start, std::chrono::seconds(5));
  EXPECT_LT(read - written, std::chrono::seconds(5));
  RecordProperty("write_us",
                 std::chrono::duration_cast<std::chrono::microseconds>(written - start).count());
  RecordProperty("read_us",
                 std::chrono::duration_cast<std::chrono::microseconds>(read - written).count());
  EXPECT_LT(text.size(), 1500000u);
}

}  // namespace
}  // namespace muster
