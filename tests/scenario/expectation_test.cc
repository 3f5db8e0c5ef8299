// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// CheckExpectation over plans made by hand: silent when all is as expected, one line for each
// difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/model/access.h"
#include "lib/plan/plan_data.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ExpectationTest : public ::testing::Test {
 protected:
  ExpectationTest() {
    Cluster cluster;
    const Scenario scenario = *ParseScenario(
        R"({"muster": 1, "nodes": [{"name": "n", "count": 3}], "queues": [{"name": "q"}],
            "jobs": [{"name": "j", "groups": [{"name": "w", "count": 4}]}, {"name": "k", "phase": "running"}]})");
    EXPECT_TRUE(Fill(scenario, &cluster).ok());
    snapshot_ = cluster.Freeze();
    data_.names = NamesOf(SharedTablesOf(snapshot_));
    const JobIndex job = *snapshot_.FindJob("j");
    const auto task = [&](const char* name) { return *snapshot_.FindTask(name); };
    data_.decisions = {
        {.kind = DecisionKind::kAdmit, .job = job},
        {.kind = DecisionKind::kBind, .task = task("j-w-1"), .node = 1, .job = job},
        {.kind = DecisionKind::kBind, .task = task("j-w-0"), .node = 0, .job = job},
        {.kind = DecisionKind::kNominate, .task = task("j-w-2"), .node = 2, .job = job},
        {.kind = DecisionKind::kEvict, .task = task("j-w-3"), .node = 2, .job = job},
        {.kind = DecisionKind::kPhase, .job = job, .phase = JobPhase::kRunning},
    };
    data_.tentative = {{.task = task("j-w-3"), .node = 0, .nominated = false}};
    data_.reasons = {
        {.kind = ReasonKind::kNoNode, .refusals = {{.code = RefusalCode::kPodLimit, .nodes = 3}}}};
    data_.pending = {{task("j-w-3"), 0}};
    data_.shares = {
        {.queue = *snapshot_.FindQueue("q"), .deserved = {4500, 1.0 / 3}, .share_after = 0.25}};
  }

  std::vector<std::string> Check(const std::string& expect) {
    const absl::StatusOr<Scenario> scenario =
        ParseScenario(R"({"muster": 1, "expect": )" + expect + "}");
    EXPECT_TRUE(scenario.ok()) << scenario.status();
    if (!scenario.ok()) return {"bad test"};
    PlanData data = data_;
    ListByKind(&data);
    const Plan plan = PlanOf(std::make_shared<const PlanData>(std::move(data)));
    return CheckExpectation(plan, snapshot_, scenario->expect);
  }

  Snapshot snapshot_;
  PlanData data_;
};

TEST_F(ExpectationTest, SilentWhenAllIsAsExpected) {
  EXPECT_THAT(Check("{}"), IsEmpty());
  EXPECT_THAT(Check(R"json({"binds": {"j-w-0": "n0", "j-w-1": "n1"}, "nominations": {"j-w-2": "n2"},
                            "tentative": {"j-w-3": "n0"}, "evictions": ["j-w-3"], "admitted": ["j"],
                            "phases": {"k": "running", "j": "running"},
                            "shares": {"q": {"deserved": {"memory": 0.3333333333, "cpu": 4500}, "share": 0.25}},
                            "reasons": {"j": "3 nodes: pods", "j-w-3": "no node fits"}})json"),
              IsEmpty());
}

TEST_F(ExpectationTest, OneLineForEachDifference) {
  EXPECT_THAT(Check(R"({"binds": {"j-w-0": "n1", "x": "n0"}})"),
              ElementsAre("bind of \"j-w-0\": expected \"n1\", got \"n0\"",
                          "bind of \"j-w-1\": not expected, got \"n1\"",
                          "bind of \"x\": expected \"n0\", got none"));
  EXPECT_THAT(Check(R"({"nominations": {}})"),
              ElementsAre("nomination of \"j-w-2\": not expected, got \"n2\""));
  EXPECT_THAT(Check(R"({"tentative": {}})"),
              ElementsAre("tentative place of \"j-w-3\": not expected, got \"n0\""));
  EXPECT_THAT(Check(R"({"evictions": []})"),
              ElementsAre("eviction of \"j-w-3\": not expected, got it"));
  EXPECT_THAT(Check(R"({"evictions": ["j-w-3", "j-w-3"]})"),
              ElementsAre("eviction of \"j-w-3\": expected, got none"));
  EXPECT_THAT(Check(R"({"admitted": ["j", "k"]})"),
              ElementsAre("admission of \"k\": expected, got none"));
}

TEST_F(ExpectationTest, PhasesAreThoseAfterTheCycle) {
  EXPECT_THAT(Check(R"({"phases": {"j": "running"}})"), IsEmpty());
  EXPECT_THAT(Check(R"({"phases": {}})"),
              ElementsAre("phase of \"j\": not expected, got \"running\""));
  EXPECT_THAT(Check(R"({"phases": {"j": "admitted", "k": "pending", "x": "running"}})"),
              ElementsAre("phase of \"j\": expected \"admitted\", got \"running\"",
                          "phase of \"k\": expected \"pending\", got \"running\"",
                          "phase of \"x\": expected \"running\", got none"));
  data_.decisions.pop_back();
  EXPECT_THAT(Check(R"({"phases": {"j": "admitted"}})"), IsEmpty());
}

TEST_F(ExpectationTest, SharesAreNumbers) {
  EXPECT_THAT(
      Check(
          R"({"shares": {"q": {"share": 0.250001, "deserved": {"cpu": 4501, "disk": 1}}, "x": {}}})"),
      ElementsAre("share of \"q\": expected 0.250001, got 0.25",
                  "deserved cpu of \"q\": expected 4501, got 4500",
                  "deserved disk of \"q\": expected 1, the plan has none",
                  "share of \"x\": expected, the plan has none"));
}

TEST_F(ExpectationTest, ReasonsMustContainTheWords) {
  const std::vector<std::string> lines = Check(R"({"reasons": {"j": "cpu", "x": "y"}})");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("reason of \"j\": expected \"cpu\", got \"j: placed 2 of 4"));
  EXPECT_THAT(lines[1], HasSubstr("the plan has no job or task \"x\""));
}

}  // namespace
}  // namespace muster
