// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The budget of one text: what counts as a row, sums over tables, and that a sum is checked before
// what it stands for is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/scenario/budget.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

std::string Document(const std::string& members) {
  return absl::StrCat("{\"muster\": 1, ", absl::StrReplaceAll(members, {{"'", "\""}}), "}");
}

absl::Status Read(const std::string& members, const Limits& limits = {}) {
  return ParseScenario(Document(members), limits).status();
}

void ExpectExhausted(const absl::Status& status, const std::string& message) {
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(status.message()), message);
}

TEST(Budget, SumsStayAtTheLargestNumber) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Budget budget({.rows = kMost - 1});
  EXPECT_EQ(budget.AddRows(kMost - 1), "");
  EXPECT_EQ(budget.AddRows(kMost),
            absl::StrCat(kMost, " rows in all; at most ", kMost - 1, " are read"));
  EXPECT_NE(budget.AddRows(kMost), "");
}

TEST(ScenarioLimits, FewBytesThatStandForManyRowsAreRefusedByDefault) {
  ExpectExhausted(Read("'nodes': [{'name': 'n', 'count': 10000000}]"),
                  "scenario: nodes[0].count: 10000000 rows in all; at most 4000000 are read");
  ExpectExhausted(
      Read("'jobs': [{'name': 'j', 'groups': [{'count': 100000000}]}]"),
      "scenario: jobs[0].groups[0].count: 100000001 rows in all; at most 4000000 are read");
}

TEST(ScenarioLimits, AllTablesCountTogether) {
  const std::string text =
      "'shapes': {'s': {}}, 'nodes': [{'name': 'n', 'count': 3}, {'name': 'm'}],"
      " 'queues': [{'name': 'q'}],"
      " 'jobs': [{'name': 'j', 'groups': [{'count': 2, 'shape': 's'}, {'name': 'x'}]}],"
      " 'tasks': [{'name': 't'}]";
  // One shape, four nodes, a queue, a job, two of its tasks, and a task of its own.
  EXPECT_TRUE(Read(text, {.rows = 10}).ok());
  ExpectExhausted(Read(text, {.rows = 9}),
                  "scenario: tasks[0]: 10 rows in all; at most 9 are read");
}

TEST(ScenarioLimits, BytesAndDepth) {
  const std::string text = "'profile': 'muster'";
  const auto size = static_cast<int64_t>(Document(text).size());
  EXPECT_TRUE(Read(text, {.bytes = size}).ok());
  ExpectExhausted(
      Read(text, {.bytes = size - 1}),
      absl::StrCat("scenario: ", size, " bytes in all; at most ", size - 1, " are read"));
  const std::string nested = "'nodes': [{'name': 'n', 'labels': {'a': 'b'}}]";
  EXPECT_TRUE(Read(nested, {.depth = 4}).ok());
  EXPECT_THAT(std::string(Read(nested, {.depth = 3}).message()), HasSubstr("nested deeper than 3"));
  EXPECT_TRUE(Read(nested, {.depth = 1'000'000}).ok());
}

TEST(ScenarioLimits, QuestionsHaveThem) {
  const auto ask = [](const std::string& change) {
    return ParseChanges(absl::StrReplaceAll("{'changes': [" + change + "]}", {{"'", "\""}}))
        .status();
  };
  ExpectExhausted(ask("{'add_nodes': {'count': 4000000, 'node': {'name': 'n'}}}"),
                  "what-if: changes[0]: 4000001 rows in all; at most 4000000 are read");
  ExpectExhausted(ask("{'add_job': {'name': 'j', 'groups': [{'count': 9000000000000000000}]}}"),
                  "what-if: changes[0]: 1099511627777 rows in all; at most 4000000 are read");
  EXPECT_TRUE(ask("{'add_nodes': {'count': 2, 'node': {'name': 'n'}}}").ok());
}

TEST(ScenarioLimits, SavedStatesHaveThem) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNodes(3, {.name = "n"}).ok());
  const std::string state = SaveState(&cluster);
  Cluster standby;
  ExpectExhausted(LoadState(state, &standby, {.rows = 2}),
                  "scenario: nodes[0].count: 3 rows in all; at most 2 are read");
  ExpectExhausted(LoadState(state, &standby, {.bytes = 10}),
                  absl::StrCat("state: ", state.size(), " bytes in all; at most 10 are read"));
  EXPECT_TRUE(LoadState(state, &standby, {.rows = 4}).ok());
}

TEST(Scenario, AClusterWithoutTheDefaultQueueComesBackWithoutIt) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  ASSERT_TRUE(cluster.RemoveQueue("default").ok());
  const std::string text = WriteScenario(Describe(cluster));
  EXPECT_THAT(text, HasSubstr("\"default_queue\": false"));
  const absl::StatusOr<Scenario> read = ParseScenario(text);
  ASSERT_TRUE(read.ok()) << read.status();
  Cluster copy;
  ASSERT_TRUE(Fill(*read, &copy).ok());
  EXPECT_EQ(copy.Describe().queues.size(), 1u);
  EXPECT_EQ(WriteScenario(Describe(copy)), text);
}

TEST(Scenario, TheDefaultQueueIsNotBothThereAndAbsent) {
  EXPECT_THAT(
      std::string(Read("'default_queue': false, 'queues': [{'name': 'default'}]").message()),
      HasSubstr("queues has a row named \"default\""));
  EXPECT_TRUE(Read("'default_queue': true, 'queues': [{'name': 'default'}]").ok());
}

}  // namespace
}  // namespace muster
