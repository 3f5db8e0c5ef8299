// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From a scenario to a cluster: order of rows, parents behind children, errors with their place,
// nothing half done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/scenario/generate.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

absl::Status FillText(std::string_view text, Cluster* cluster) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(text);
  return scenario.ok() ? Fill(*scenario, cluster) : scenario.status();
}

std::string FillError(std::string_view text) {
  Cluster cluster;
  const uint64_t version = cluster.version();
  const absl::Status status = FillText(text, &cluster);
  EXPECT_EQ(cluster.version(), version) << "an error changes nothing";
  return std::string(status.message());
}

TEST(Fill, RowsStandInTheOrderOfTheFile) {
  Cluster cluster;
  const absl::Status status = FillText(
      R"({"muster": 1, "queues": [{"name": "b", "parent": "z"}, {"name": "z"}, {"name": "default"}, {"name": "a"}],
          "nodes": [{"name": "y"}, {"name": "x", "count": 2}],
          "tasks": [{"name": "t", "job": "k"}],
          "jobs": [{"name": "k", "groups": [{"name": "w", "count": 2}]}, {"name": "j"}]})",
      &cluster);
  ASSERT_TRUE(status.ok()) << status;
  const Snapshot snapshot = cluster.Freeze();
  EXPECT_LT(*snapshot.FindQueue("b"), *snapshot.FindQueue("z"));
  EXPECT_LT(*snapshot.FindQueue("z"), *snapshot.FindQueue("default"));
  EXPECT_LT(*snapshot.FindQueue("default"), *snapshot.FindQueue("a"));
  EXPECT_EQ(TablesOf(snapshot).queues.parent[*snapshot.FindQueue("b")], *snapshot.FindQueue("z"));
  EXPECT_EQ(snapshot.node_name(0), "y");
  EXPECT_EQ(snapshot.node_name(2), "x1");
  EXPECT_EQ(snapshot.job_name(0), "k");
  EXPECT_EQ(snapshot.task_name(0), "k-w-0");
  EXPECT_EQ(snapshot.task_name(2), "t");
}

TEST(Fill, DomainsMayStandBeforeTheirParents) {
  Cluster cluster;
  const absl::Status status = FillText(
      R"({"muster": 1, "domains": [{"name": "r0", "parent": "b0"}, {"name": "r1", "parent": "b0"},
          {"name": "b0", "tier": 2, "parent": "top"}, {"name": "top", "tier": 3}],
          "nodes": [{"name": "n", "domain": "r1"}]})",
      &cluster);
  ASSERT_TRUE(status.ok()) << status;
  const Tables& tables = TablesOf(cluster.Freeze());
  EXPECT_EQ(tables.domains.names.live_size(), 4u);
}

TEST(Fill, ReplacesWhatWasThere) {
  Cluster cluster;
  ASSERT_TRUE(FillText(R"({"muster": 1, "nodes": [{"name": "old"}]})", &cluster).ok());
  ASSERT_TRUE(FillText(R"({"muster": 1, "nodes": [{"name": "new"}]})", &cluster).ok());
  EXPECT_FALSE(cluster.Freeze().FindNode("old").has_value());
  EXPECT_TRUE(cluster.Freeze().FindNode("new").has_value());
}

TEST(Fill, ErrorsNameThePlaceAndChangeNothing) {
  EXPECT_THAT(FillError(R"({"muster": 1, "nodes": [{"name": "a"}, {"name": "a"}]})"),
              HasSubstr("scenario: nodes[1]: "));
  EXPECT_THAT(FillError(R"({"muster": 1, "nodes": [{"name": "a", "capacity": {"cpu": "-1"}}]})"),
              HasSubstr("scenario: nodes[0]: "));
  EXPECT_THAT(
      FillError(R"({"muster": 1, "nodes": [{"name": "a", "capacity": {"cpu": "5 lightyears"}}]})"),
      HasSubstr("5 lightyears"));
  EXPECT_THAT(FillError(R"({"muster": 1, "queues": [{"name": "a", "parent": "b"}]})"),
              HasSubstr("scenario: queues[0]: "));
  EXPECT_THAT(
      FillError(
          R"({"muster": 1, "queues": [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]})"),
      HasSubstr("scenario: queues[0]: "));
  EXPECT_THAT(FillError(R"({"muster": 1, "queues": [{"name": "a", "parent": "a"}]})"),
              HasSubstr("scenario: queues[0]: "));
  EXPECT_THAT(
      FillError(
          R"({"muster": 1, "domains": [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]})"),
      HasSubstr("scenario: domains[0]: domain \"a\": its parents form a cycle"));
  EXPECT_THAT(FillError(R"({"muster": 1, "domains": [{"name": "a", "parent": "no"}]})"),
              HasSubstr("scenario: domains[0]: "));
  EXPECT_THAT(FillError(R"({"muster": 1, "jobs": [{"name": "a", "queue": "no"}]})"),
              HasSubstr("scenario: jobs[0]: "));
  EXPECT_THAT(FillError(R"({"muster": 1, "jobs": [{"name": "a", "groups": [{"count": -1}]}]})"),
              HasSubstr("scenario: jobs[0]: "));
  EXPECT_THAT(
      FillError(R"({"muster": 1, "tasks": [{"name": "a", "status": "running", "node": "no"}]})"),
      HasSubstr("scenario: tasks[0]: "));
}

TEST(Fill, GeneratedScenariosFill) {
  for (const char* mix : {"uniform", "openb", "philly", "hpc"}) {
    GenerateOptions options{.mix = mix, .nodes = 200, .depth = 2, .occupancy = 0.6};
    options.selectors = options.taints = options.affinity = options.spread = 0.2;
    const absl::StatusOr<Scenario> scenario = Generate(options);
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    Cluster cluster;
    const absl::Status status = Fill(*scenario, &cluster);
    ASSERT_TRUE(status.ok()) << mix << ": " << status;
    EXPECT_EQ(cluster.Freeze().node_count(), 200u);
  }
}

TEST(Fill, WhatAClusterDescribesFillsAnEqualCluster) {
  GenerateOptions options{.nodes = 50, .depth = 2, .occupancy = 0.5};
  options.selectors = options.taints = options.affinity = options.spread = 0.3;
  const absl::StatusOr<Scenario> scenario = Generate(options);
  ASSERT_TRUE(scenario.ok());
  Cluster cluster;
  ASSERT_TRUE(Fill(*scenario, &cluster).ok());
  Scenario described;
  described.cluster = cluster.Describe();
  const std::string text = WriteScenario(described);
  Cluster again;
  const absl::Status status = FillText(text, &again);
  ASSERT_TRUE(status.ok()) << status;
  Scenario twice;
  twice.cluster = again.Describe();
  EXPECT_EQ(text, WriteScenario(twice));
}

}  // namespace
}  // namespace muster
