// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Enums with a number that no value has: they are refused as wrong words of a file are.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "muster/cluster.h"
#include "muster/event.h"
#include "muster/policy/point.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

template <class E>
constexpr E kWrong = static_cast<E>(99);

class BadEnums : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 4}}}).ok());
    ASSERT_TRUE(cluster_.AddJob({.name = "j", .groups = {{.name = "w", .count = 1}}}).ok());
    rows_ = Dump(cluster_);
  }
  void Refuses(const absl::Status& status, const std::string& message) {
    EXPECT_EQ(std::string(status.message()), message);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Dump(cluster_), rows_) << message;
    EXPECT_EQ(Contradiction(cluster_), "") << message;
  }
  void RefusesShape(const TaskShape& shape, const std::string& rest) {
    Refuses(cluster_.AddTask({.name = "t", .shape = shape}), "task \"t\"" + rest);
    Refuses(cluster_.AddJob({.name = "k", .groups = {{.name = "g", .shape = shape}}}),
            "job \"k\", group \"g\"" + rest);
  }
  void RefusesRules(const QueueRules& rules, const std::string& rest) {
    Refuses(cluster_.AddQueue({.name = "q", .rules = rules}), "queue \"q\": " + rest);
  }

  Cluster cluster_;
  std::map<std::string, std::string> rows_;
};

TEST_F(BadEnums, OfTasks) {
  const std::string rule = "status is number 99; must be 0 to 10";
  const TaskSpec task = {.name = "t", .job = "j", .status = kWrong<TaskStatus>, .node = "n"};
  Refuses(cluster_.AddTask(task), "task \"t\": " + rule);
  Refuses(cluster_.ApplyDelta({1, task}).status(), "task \"t\": " + rule);
  Refuses(cluster_.SetTaskStatus("j-w-0", kWrong<TaskStatus>, "n"), "task \"j-w-0\": " + rule);
}

TEST_F(BadEnums, OfShapes) {
  RefusesShape({.tolerations = {{.key = "k", .op = kWrong<TolerationOp>}}},
               ", toleration \"k\": operator is number 99; must be 0 to 1");
  RefusesShape({.tolerations = {{.key = "k", .effect = kWrong<TaintEffect>}}},
               ", toleration \"k\": effect is number 99; must be 0 to 3");
  RefusesShape(
      {.required_node_affinity = {{{.match_expressions = {{"k", kWrong<RequirementOp>, {"v"}}}}}}},
      ", node affinity \"k\": operator is number 99; must be 0 to 6");
  RefusesShape({.host_ports = {{.protocol = kWrong<Protocol>, .port = 80}}},
               ", host port \"80\": protocol is number 99; must be 0 to 2");
  RefusesShape({.devices = {{.kind = "gpu", .same = kWrong<SamePart>}}},
               ", device request \"gpu\": same is number 99; must be 0 to 2");
  RefusesShape({.alignment = kWrong<Alignment>}, ": alignment is number 99; must be 0 to 4");
}

TEST_F(BadEnums, OfNodesJobsAndReservations) {
  Refuses(cluster_.AddNode({.name = "m", .taints = {{.key = "k", .effect = kWrong<TaintEffect>}}}),
          "node \"m\", taint \"k\": effect is number 99; must be 0 to 3");
  Refuses(cluster_.AddNode({.name = "m", .alignment = kWrong<Alignment>}),
          "node \"m\": alignment is number 99; must be 0 to 4");
  Refuses(cluster_.AddNode({.name = "m", .alignment_scope = kWrong<AlignmentScope>}),
          "node \"m\": alignment_scope is number 99; must be 0 to 1");
  Refuses(cluster_.AddJob({.name = "k", .phase = kWrong<JobPhase>}),
          "job \"k\": phase is number 99; must be 0 to 4");
  Refuses(cluster_.AddJob({.name = "k", .bundle_strategy = kWrong<BundleStrategy>}),
          "job \"k\": bundle_strategy is number 99; must be 0 to 4");
  Refuses(cluster_.SetReservation({.name = "r", .phase = kWrong<ReservationPhase>}),
          "reservation \"r\": phase is number 99; must be 0 to 3");
  Refuses(cluster_.SetReservation({.name = "r", .policy = kWrong<ReservationPolicy>}),
          "reservation \"r\": policy is number 99; must be 0 to 1");
}

TEST_F(BadEnums, OfQueues) {
  Refuses(cluster_.AddQueue({.name = "q", .state = kWrong<QueueState>}),
          "queue \"q\": state is number 99; must be 0 to 1");
  Refuses(cluster_.AddQueue({.name = "q", .job_order = kWrong<JobOrder>}),
          "queue \"q\": job_order is number 99; must be 0 to 4");
  RefusesRules({.strategy = kWrong<QueueingStrategy>}, "strategy is number 99; must be 0 to 1");
  RefusesRules({.stop = kWrong<StopPolicy>}, "stop policy is number 99; must be 0 to 2");
  RefusesRules({.flavor_search = {.when_borrowing = kWrong<FlavorSearch>}},
               "search is number 99; must be 0 to 1");
  RefusesRules({.flavor_search = {.when_preempting = kWrong<FlavorSearch>}},
               "search is number 99; must be 0 to 1");
  RefusesRules({.flavor_search = {.preference = kWrong<FlavorPreference>}},
               "preference is number 99; must be 0 to 1");
  RefusesRules({.preemption = {.within_queue = kWrong<VictimScope>}},
               "victim scope is number 99; must be 0 to 3");
  RefusesRules({.preemption = {.reclaim = kWrong<VictimScope>}},
               "victim scope is number 99; must be 0 to 3");
  RefusesRules({.preemption = {.while_borrowing = kWrong<VictimScope>}},
               "victim scope is number 99; must be 0 to 3");
  RefusesRules({.preemption = {.fence = kWrong<PreemptionFence>}},
               "fence is number 99; must be 0 to 2");
}

TEST_F(BadEnums, OfRemovals) {
  const Delta delta = {1, Removal{kWrong<Removal::Kind>, "n"}};
  Refuses(cluster_.ApplyDelta(delta).status(), "removal \"n\": kind is number 99; must be 0 to 9");
  const std::vector<Delta> deltas = {delta, {2, NodeSpec{.name = "n", .capacity = {{"cpu", 4}}}}};
  const std::vector<DeltaResult> results = cluster_.ApplyDeltas(deltas);
  EXPECT_EQ(results[0].outcome, DeltaOutcome::kRefused);
  EXPECT_EQ(results[0].refusal, "removal \"n\": kind is number 99; must be 0 to 9");
  EXPECT_EQ(results[1].outcome, DeltaOutcome::kApplied);
  EXPECT_TRUE(cluster_.Freeze().FindNode("n").has_value());
}

// There is no word for them, and none of other memory either.
TEST(BadEnumsTest, HaveNoWords) {
  EXPECT_EQ(TaskStatusName(kWrong<TaskStatus>), "");
  EXPECT_EQ(JobPhaseName(kWrong<JobPhase>), "");
  EXPECT_EQ(QueueStateName(kWrong<QueueState>), "");
  EXPECT_EQ(ClusterEventKindName(kWrong<ClusterEventKind>), "");
  EXPECT_EQ(EventAspectName(99), "");
  EXPECT_EQ(TurnKindName(kWrong<TurnKind>), "");
  EXPECT_EQ(PointName(kWrong<Point>), "");
}

}  // namespace
}  // namespace muster
