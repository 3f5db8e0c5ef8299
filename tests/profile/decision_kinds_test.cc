// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Each kind of decision, from an action of the caller's through the plan, its texts and Apply; and
// what plans report of a task that one cycle evicts and places again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "muster/cluster.h"
#include "muster/policy.h"
#include "tests/support/every_kind.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Plan PlanWith(Cluster& cluster, const std::string& profile, const CustomAction& action) {
  auto extensions = std::make_shared<Extensions>();
  extensions->actions.push_back(action);
  const absl::StatusOr<Plan> plan = cluster.Schedule(profile, {.extensions = extensions});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : Plan();
}

class DecisionKinds : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(FillForEveryKind(&cluster_).ok()); }
  TaskSpec Task(const std::string& name) const {
    for (const TaskSpec& task : cluster_.Describe().tasks) {
      if (task.name == name) return task;
    }
    ADD_FAILURE() << "no task " << name;
    return {};
  }
  Cluster cluster_;
};

TEST_F(DecisionKinds, EachHasASpanOfItsOwn) {
  const Plan plan = PlanWith(cluster_, "muster:actions=every-kind", EveryKind());
  const TaskIndex leaver = 0, mover = 1, bound = 2, held = 3, promised = 4;
  const JobIndex gang = 1;
  EXPECT_THAT(plan.admissions(),
              ElementsAre(Admission{gang,
                                    {{.group = "w",
                                      .count = 3,
                                      .flavors = {{kCpu, "spot"}},
                                      .places = {{{"b1", "r7"}, 2}, {{"b1", "r8"}, 1}}}}}));
  ASSERT_EQ(plan.binds().size(), 1u);
  EXPECT_EQ(plan.binds()[0].task, bound);
  ASSERT_EQ(plan.reservations().size(), 1u);
  EXPECT_EQ(plan.reservations()[0].task, held);
  EXPECT_EQ(plan.reservations()[0].until, 600);
  EXPECT_EQ(plan.reservations()[0].waiting_group, "together");
  ASSERT_EQ(plan.nominations().size(), 1u);
  EXPECT_EQ(plan.nominations()[0].task, promised);
  EXPECT_THAT(plan.evictions(), ElementsAre(Eviction{leaver, 0, kNone}));
  EXPECT_THAT(plan.moves(), ElementsAre(Move{mover, 0, 1, /*nominated=*/true, promised}));
  EXPECT_THAT(plan.offers(), ElementsAre(Offer{.queue = 0, .node = 2, .amounts = {1000}}));
  EXPECT_THAT(plan.resizes(), ElementsAre(Resize{.job = gang, .group = "w", .count = 5}));
  EXPECT_THAT(plan.splits(), ElementsAre(Split{bound, 3}));
  std::vector<int> seen(kDecisionKindCount, 0);
  for (const Decision& decision : plan.decisions()) {
    EXPECT_EQ(decision.index, seen[static_cast<int>(decision.kind)]++);
  }
  EXPECT_THAT(plan.pending(), ::testing::IsEmpty());
}

TEST_F(DecisionKinds, AreWrittenAsTextAndJson) {
  const Plan plan = PlanWith(cluster_, "muster:actions=every-kind", EveryKind());
  for (const char* words :
       {"admit gang with 3 of w (cpu from spot) in b1/r7: 2 and b1/r8: 1\n",
        "move mover from n0 to n1 once released for gang-w-2\n",
        " for gang-w-1 until 600 with together\n", "offer default on n2: cpu 1000\n",
        "resize gang group w to 5\n", "split gang-w-0 into 3\n"}) {
    EXPECT_THAT(plan.ToText(), HasSubstr(words));
  }
  EXPECT_EQ(*plan.Explain("mover"),
            "mover:\n  move mover from n0 to n1 once released for gang-w-2\n");
  const nlohmann::json json = nlohmann::json::parse(plan.ToJson());
  const auto row = [&](const char* kind) {
    for (const nlohmann::json& decision : json["decisions"]) {
      if (decision["kind"] == kind) return decision;
    }
    return nlohmann::json();
  };
  EXPECT_EQ(row("admit"), nlohmann::json::parse(R"json({"kind": "admit", "job": "gang",
      "assignment": [{"group": "w", "count": 3, "flavors": {"cpu": "spot"},
      "places": [{"values": ["b1", "r7"], "count": 2}, {"values": ["b1", "r8"], "count": 1}]}]})json"));
  EXPECT_EQ(row("move"), nlohmann::json::parse(R"json({"kind": "move", "task": "mover",
      "job": "old", "from": "n0", "node": "n1", "beneficiary": "gang-w-2", "nominated": true})json"));
  EXPECT_EQ(row("reserve")["until"], 600);
  EXPECT_EQ(row("reserve")["waiting_group"], "together");
  EXPECT_EQ(row("offer"), nlohmann::json::parse(R"json({"kind": "offer", "node": "n2",
      "queue": "default", "amounts": {"cpu": 1000}})json"));
  EXPECT_EQ(row("resize"), nlohmann::json::parse(R"json({"kind": "resize", "job": "gang",
      "group": "w", "count": 5})json"));
  EXPECT_EQ(row("split"), nlohmann::json::parse(R"json({"kind": "split", "task": "gang-w-0",
      "job": "gang", "parts": 3})json"));
}

TEST_F(DecisionKinds, SnapshotsAndLivingClustersAgree) {
  auto extensions = std::make_shared<Extensions>();
  extensions->actions.push_back(EveryKind());
  const absl::StatusOr<Plan> frozen =
      Schedule(cluster_.Freeze(), "muster:actions=every-kind", {.extensions = extensions});
  ASSERT_TRUE(frozen.ok());
  const Plan living = PlanWith(cluster_, "muster:actions=every-kind", EveryKind());
  EXPECT_EQ(frozen->ToJson(), living.ToJson());
  CustomAction other = EveryKind();
  other.run = [run = other.run](Workbench& bench, const Options& options) {
    run(bench, options);
    bench.Decide(Split{.task = 2, .parts = 4});
  };
  EXPECT_NE(PlanWith(cluster_, "muster:actions=every-kind", other).Digest(), living.Digest());
}

TEST_F(DecisionKinds, ApplyFollowsThoseAboutPlaces) {
  const Plan plan = PlanWith(cluster_, "muster:actions=every-kind", EveryKind());
  const absl::StatusOr<ApplyReport> report = cluster_.Apply(plan);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->refused, ElementsAre("offer of \"n2\": the caller carries it out",
                                           "resize \"gang\": the caller carries it out",
                                           "split \"gang-w-0\": the caller carries it out"));
  EXPECT_EQ(Task("leaver").status, TaskStatus::kReleasing);
  EXPECT_EQ(Task("mover").status, TaskStatus::kReleasing);
  EXPECT_EQ(Task("mover").node, "n0");
  EXPECT_EQ(Task("mover").nominated_node, "n1");
  const TaskSpec held = Task("gang-w-1");
  EXPECT_EQ(held.status, TaskStatus::kWaiting);
  EXPECT_EQ(held.waits_until, 600);
  EXPECT_EQ(held.waiting_group, "together");
  EXPECT_EQ(Task("gang-w-2").nominated_node, plan.node_name(plan.nominations()[0].node));
  // A task that waits no longer has neither.
  ASSERT_TRUE(cluster_.SetTaskStatus("gang-w-1", TaskStatus::kRunning).ok());
  EXPECT_EQ(Task("gang-w-1").waits_until, std::nullopt);
  EXPECT_EQ(Task("gang-w-1").waiting_group, "");
}

TEST_F(DecisionKinds, ALogThatEvictsAndNominatesIsFollowed) {
  const Plan plan = PlanWith(cluster_, "volcano:actions=every-kind", EveryKind());
  EXPECT_THAT(plan.moves(), ::testing::IsEmpty());
  EXPECT_THAT(plan.evictions(), ElementsAre(Eviction{0, 0, kNone}, Eviction{1, 0, 4}));
  ASSERT_TRUE(cluster_.Apply(plan).ok());
  EXPECT_EQ(Task("mover").status, TaskStatus::kReleasing);
  EXPECT_EQ(Task("mover").nominated_node, "n1");
}

// Evicts both running tasks: one stays after all, the other is to come back to its node.
CustomAction ThereAndBack() {
  return {.name = "back", .summary = "", .run = [](Workbench& bench, const Options&) {
            const Workbench::Savepoint before = bench.Save();
            bench.Evict(0, kNone);
            bench.Return(0);
            bench.MoveTo(1, 0, kNone);
            bench.Commit(before);
          }};
}

TEST_F(DecisionKinds, TheNetChangeLeavesOutWhatReturns) {
  const Plan net = PlanWith(cluster_, "muster:actions=back", ThereAndBack());
  EXPECT_THAT(net.evictions(), ::testing::IsEmpty());
  EXPECT_THAT(net.moves(), ::testing::IsEmpty());
  EXPECT_THAT(net.nominations(), ::testing::IsEmpty());
  const Plan log = PlanWith(cluster_, "volcano:actions=back", ThereAndBack());
  EXPECT_THAT(log.evictions(), ElementsAre(Eviction{0, 0, kNone}, Eviction{1, 0, kNone}));
  EXPECT_THAT(log.nominations(), ElementsAre(Nomination{1, 0}));
}

}  // namespace
}  // namespace muster::testing
