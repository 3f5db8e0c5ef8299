// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// States that SaveState did not write, with a right digest: what they remember of events must be
// possible, because later events rely on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

std::string StateOf(const std::vector<std::string>& fields) {
  std::string text = "muster state 1\n";
  for (const std::string& field : fields) absl::StrAppend(&text, field.size(), ":", field, "\n");
  Digest digest;
  digest.Add(text);
  return absl::StrCat(text, "32:", digest.Hex(), "\n");
}

constexpr char kRows[] = R"({"muster": 1, "queues": [{"name": "default"}],
  "jobs": [{"name": "a", "groups": [{"name": "w", "count": 0}]}],
  "tasks": [{"name": "t", "job": "a", "group": "w"}]})";

// The rows above, and what is remembered of events: fields from the generations on.
absl::Status Load(const std::vector<std::string>& memory, const Limits& limits = {}) {
  std::vector<std::string> fields = {"0", kRows, "0"};
  fields.insert(fields.end(), memory.begin(), memory.end());
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "kept"}).ok());
  const absl::Status status = LoadState(StateOf(fields), &cluster, limits);
  if (!status.ok()) EXPECT_EQ(cluster.Describe().nodes.size(), 1u) << "a refused state changed it";
  return status;
}

void ExpectRefused(const std::vector<std::string>& memory, const std::string& words) {
  const absl::Status status = Load(memory);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(words));
}

std::string Waits(const std::string& row) { return "{\"muster\": 1, " + row + "}"; }

TEST(HostileState, WhatIsPossibleIsLoaded) {
  EXPECT_TRUE(Load({"1", "an0", "7", "1", "a", "1", "1", "3", "1",
                    Waits(R"("tasks": [{"name": "late", "job": "no"}])"), "cno", "2"})
                  .ok());
}

TEST(HostileState, GenerationsAreOfRowsThatThereCanBe) {
  for (const std::string& key : {std::string("a"), std::string(), std::string("zn0"),
                                 std::string("a\xFF"), "a" + std::string(5000, 'x')}) {
    ExpectRefused({"1", key, "7", "0", "0", "0"}, "a generation of a row that there cannot be");
  }
}

TEST(HostileState, RowsThatWaitAreNotThere) {
  ExpectRefused({"0", "0", "1", "1", Waits(R"("tasks": [{"name": "t", "job": "no"}])"), "cno", "1"},
                "a row waits that is there");
}

TEST(HostileState, RowsWaitForRowsThatThereCanBe) {
  for (const char* missing : {"c", "", "c\xFF"}) {
    ExpectRefused(
        {"0", "0", "1", "1", Waits(R"("tasks": [{"name": "u", "job": "no"}])"), missing, "1"},
        "a row waits for one that there cannot be");
  }
}

TEST(HostileState, RowsThatWaitKeepTheirRules) {
  ExpectRefused(
      {"0", "0", "1", "1",
       Waits(R"("nodes": [{"name": "n", "domain": "d", "capacity": {"cpu": "x"}}])"), "ed", "1"},
      "node \"n\", capacity \"cpu\"");
}

TEST(HostileState, TurnsCanBeCountedOn) {
  ExpectRefused({"0", "0", "18446744073709551615", "0"}, "turns are out of range");
}

TEST(HostileState, CountsAreWithinTheBudget) {
  const absl::Status status = Load({"0", "1", "a", "1", "100", "0", "0"}, {.rows = 99});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("counts of 100 tasks; at most 99"));
}

}  // namespace
}  // namespace muster
