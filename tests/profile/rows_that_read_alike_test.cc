// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows that an adapter could take for others: two jobs of one pod group, two labels of one
// attribute, a resource named as one of the peer's own, a request that is larger at the start, a
// gang that counts promised tasks.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/scenario/scenario.h"
#include "muster/schedule.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

void FillWith(const std::string& rows, Cluster* cluster) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(R"({"muster": 1, )" + rows + "}");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const absl::Status filled = Fill(*scenario, cluster);
  ASSERT_TRUE(filled.ok()) << filled;
}

std::string WordsOf(const std::string& rows, const std::string& profile) {
  Cluster cluster;
  FillWith(rows, &cluster);
  return Decide(cluster, profile);
}

TEST(RowsThatReadAlike, AGangStartsByTasksThatHoldANode) {
  // Two of three fit, and the third was promised a node that is full.
  const std::string rows = R"(
      "nodes": [{"name": "full", "capacity": {"cpu": 1, "pods": 9}},
                {"name": "n", "capacity": {"cpu": 2, "pods": 9}}],
      "jobs": [{"name": "old"},
               {"name": "short", "min_available": 3,
                "groups": [{"name": "w", "count": 2, "shape": {"request": {"cpu": 1}}}]}],
      "tasks": [{"name": "o", "job": "old", "status": "running", "node": "full",
                 "shape": {"request": {"cpu": 1}}},
                {"name": "z0", "job": "short", "status": "nominated", "node": "full",
                 "shape": {"request": {"cpu": 1}}}])";
  for (const char* profile : {"muster", "transwarp", "volcano", "kube-batch"}) {
    EXPECT_THAT(WordsOf(rows, profile), Not(HasSubstr("bind"))) << profile;
  }
}

TEST(RowsThatReadAlike, TwoJobsOfOnePodGroupAreRefused) {
  const auto gang = [](const std::string& name, int count) {
    return absl::StrCat(R"({"name": ")", name, R"(", "groups": [{"name": "w", "count": )", count,
                        R"(, "shape": {"namespace": "a", "request": {"cpu": 1}}}]})");
  };
  Cluster cluster;
  FillWith(absl::StrCat(R"("nodes": [{"name": "n", "capacity": {"cpu": 8, "pods": 20}}],)",
                        R"("jobs": [)", gang("a/x", 3), ", ", gang("x", 1), "]"),
           &cluster);
  const auto plan = cluster.Schedule("scheduler-plugins");
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("job \"x\": is the pod group \"a/x\", as job \"a/x\" is"));
  EXPECT_TRUE(cluster.Schedule("koordinator").ok());
}

TEST(RowsThatReadAlike, OfLabelsOfOneAttributeTheSmallestKeyCounts) {
  const auto rows = [](const std::string& labels) {
    return absl::StrCat(
        R"("nodes": [{"name": "n", "capacity": {"cpu": 4}, "labels": )", labels, "}],",
        R"("jobs": [{"name": "j", "owner": {"user": "u"},)",
        R"("settings": {"htcondor/requirements": "TARGET.a_b == \"1\""},)",
        R"("groups": [{"name": "w", "count": 1, "shape": {"request": {"cpu": 1}}}]}])");
  };
  EXPECT_EQ(WordsOf(rows(R"({"a-b": "1", "a.b": "2"})"), "htcondor"), "bind j-w-0 n");
  EXPECT_EQ(WordsOf(rows(R"({"a.b": "2", "a-b": "1"})"), "htcondor"), "bind j-w-0 n");
  EXPECT_THAT(WordsOf(rows(R"({"a-b": "2", "a.b": "1"})"), "htcondor"), IsEmpty());
}

TEST(RowsThatReadAlike, AResourceNamedDiskIsCountedInItsOwnUnit) {
  const std::string rows = R"(
      "nodes": [{"name": "n", "capacity": {"cpu": 4, "memory": "8Gi", "Disk": 4}}],
      "jobs": [{"name": "j", "owner": {"user": "u"}, "groups": [
          {"name": "w", "count": 1, "shape": {"request": {"cpu": 1, "Disk": 1}}}]}])";
  for (const char* mode : {"off", "on"}) {
    EXPECT_EQ(WordsOf(rows, absl::StrCat("htcondor:negotiate(consumption=", mode, ")")),
              "bind j-w-0 n");
  }
}

TEST(RowsThatReadAlike, ATaskNeedsRoomForItsLargerRequest) {
  const auto rows = [](int initial) {
    return absl::StrCat(
        R"("nodes": [{"name": "n", "capacity": {"cpu": 4, "memory": "8Gi", "pods": 20}}],)",
        R"("jobs": [{"name": "j", "owner": {"user": "u"}, "groups": [)",
        R"({"name": "w", "count": 1, "shape": {"request": {"cpu": 1, "memory": "1Gi"},)",
        R"("initial_request": {"cpu": )", initial, R"(, "memory": "1Gi"}}}]}])");
  };
  for (const char* profile :
       {"armada", "yarn-capacity", "yarn-fair", "htcondor", "volcano", "muster"}) {
    EXPECT_THAT(WordsOf(rows(3), profile), HasSubstr("bind j-w-0 n")) << profile;
    EXPECT_THAT(WordsOf(rows(5), profile), Not(HasSubstr("bind"))) << profile;
  }
}

}  // namespace
}  // namespace muster::testing
