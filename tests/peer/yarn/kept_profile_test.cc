// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What profiles yarn-capacity and yarn-fair keep from cycle to cycle: delays of localities,
// reservations, and applications that were activated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "muster/muster.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kCapacityDelays =
    "yarn-capacity:heartbeat(node_locality_delay=1,rack_locality_additional_delay=1)";
constexpr const char* kFairDelays =
    "yarn-fair:heartbeat(node_locality_threshold=0.5,rack_locality_threshold=0.5)";

class YarnKept : public ::testing::Test {
 protected:
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  void AddNode(const std::string& name, const std::string& rack) {
    Must(cluster_.AddNode({.name = name,
                           .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}},
                           .labels = {{"yarn.apache.org/rack", rack}}}));
  }
  // Equal queues below the root.
  void AddQueues(const std::vector<std::string>& names) {
    Must(cluster_.AddQueue({.name = "root"}));
    for (const std::string& name : names) {
      Must(cluster_.AddQueue({.name = name,
                              .parent = "root",
                              .settings = {{"yarn-capacity/user-limit-factor", "10"}}}));
    }
  }
  void AddRunning(const std::string& name, const std::string& queue, const std::string& node,
                  const char* memory) {
    Must(cluster_.AddJob({.name = name, .queue = queue}));
    Must(cluster_.AddTask({.name = name + "-0",
                           .job = name,
                           .shape = {.request = {{"cpu", 1}, {"memory", memory}}},
                           .status = TaskStatus::kRunning,
                           .node = node}));
  }
  static GroupSpec Group(int64_t count, const char* memory) {
    return {.count = count, .shape = {.request = {{"cpu", 1}, {"memory", memory}}}};
  }
  // Queue a has job x, of one task that prefers n0, which is full. n1 is in its rack, n2 is not.
  void AddJobWithWish(std::vector<Requirement> expressions) {
    AddNode("n0", "r0");
    AddNode("n1", "r0");
    AddNode("n2", "r1");
    AddQueues({"a", "b"});
    AddRunning("full", "b", "n0", "8Gi");
    GroupSpec group = Group(1, "1Gi");
    PreferredNodeTerm wish;
    if (expressions.empty()) {
      wish.term.match_fields = {
          {.key = "metadata.name", .op = RequirementOp::kIn, .values = {"n0"}}};
    } else {
      wish.term.match_expressions = std::move(expressions);
    }
    group.shape.preferred_node_affinity = {wish};
    Must(cluster_.AddJob({.name = "x", .queue = "a", .groups = {group}}));
  }

  // What starts when nodes report, as "task node". A snapshot decides the same and remembers the
  // same. The cluster goes on with the plan.
  std::vector<std::string> Report(const std::vector<std::string>& nodes,
                                  const char* profile = "yarn-capacity") {
    ScheduleOptions options;
    options.turn = Heartbeats{nodes};
    return Run(options, profile);
  }
  std::vector<std::string> Run(const ScheduleOptions& options, const char* profile) {
    const Snapshot snapshot = cluster_.Freeze();
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, options);
    EXPECT_TRUE(frozen.ok()) << frozen.status();
    std::vector<std::string> binds;
    if (!plan.ok() || !frozen.ok()) return binds;
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    EXPECT_EQ(plan->memory(), frozen->memory());
    for (const Bind& bind : plan->binds()) {
      binds.push_back(std::string(plan->task_name(bind.task)) + " " +
                      std::string(plan->node_name(bind.node)));
    }
    const absl::StatusOr<std::string> why = plan->Explain("x");
    why_ = why.ok() ? *why : "";
    Must(cluster_.Apply(*plan).status());
    return binds;
  }

  Cluster cluster_;
  std::string why_;  // of job x in the last cycle
};

TEST_F(YarnKept, ARequestGoesOffSwitchAfterEnoughReports) {
  AddJobWithWish({});
  EXPECT_THAT(Report({"n2"}, kCapacityDelays), IsEmpty());
  EXPECT_THAT(why_, HasSubstr("waits for nodes that it prefers: missed 1 reports of others, and "
                              "takes any node after 2"));
  EXPECT_THAT(Report({"n2"}, kCapacityDelays), IsEmpty());
  EXPECT_THAT(Report({"n2"}, kCapacityDelays), ElementsAre("x-0 n2"));
}

TEST_F(YarnKept, ARequestGoesToTheRackBeforeThat) {
  AddJobWithWish({});
  EXPECT_THAT(Report({"n1"}, kCapacityDelays), IsEmpty());
  EXPECT_THAT(Report({"n1"}, kCapacityDelays), ElementsAre("x-0 n1"));
}

TEST_F(YarnKept, ARequestGoesToTheNodeAtOnce) {
  AddJobWithWish({});
  EXPECT_THAT(Report({"n2"}, kCapacityDelays), IsEmpty());
  Must(cluster_.RemoveJob("full"));
  EXPECT_THAT(Report({"n0"}, kCapacityDelays), ElementsAre("x-0 n0"));
}

// A container at a preferred node begins the count anew, and what the rack gave does not.
TEST_F(YarnKept, TheCountOutlivesItsTasks) {
  AddJobWithWish({});
  constexpr const char* kNoReset =
      "yarn-capacity:heartbeat(node_locality_delay=1,rack_locality_additional_delay=1,"
      "rack_locality_full_reset=off)";
  EXPECT_THAT(Report({"n1", "n1"}, kNoReset), ElementsAre("x-0 n1"));
  TaskSpec second{.name = "x-1", .job = "x", .shape = Group(1, "1Gi").shape};
  second.shape.preferred_node_affinity = {
      {.term = {.match_fields = {
                    {.key = "metadata.name", .op = RequirementOp::kIn, .values = {"n0"}}}}}};
  Must(cluster_.AddTask(second));
  EXPECT_THAT(Report({"n2"}, kNoReset), ElementsAre("x-1 n2"));
}

TEST_F(YarnKept, ATermAboutRacksIsARequestForThem) {
  AddJobWithWish({{.key = "yarn.apache.org/rack", .op = RequirementOp::kIn, .values = {"r0"}}});
  EXPECT_THAT(Report({"n1"}, kCapacityDelays), IsEmpty());
  EXPECT_THAT(Report({"n1"}, kCapacityDelays), ElementsAre("x-0 n1"));
}

// A whole cycle goes on until no later report could give anything.
TEST_F(YarnKept, AWholeCycleWaitsForNoLaterOne) {
  AddJobWithWish({});
  EXPECT_THAT(Run({}, "yarn-capacity"), ElementsAre("x-0 n1"));
}

TEST_F(YarnKept, OneRoundACycleIsOneReportOfEachNode) {
  AddJobWithWish({});
  constexpr const char* kOneRound =
      "yarn-capacity:heartbeat(rounds=1,node_locality_delay=3,rack_locality_additional_delay=0)";
  EXPECT_THAT(Run({}, kOneRound), IsEmpty());
  EXPECT_THAT(Run({}, kOneRound), ElementsAre("x-0 n2"));
}

TEST_F(YarnKept, TheFairSchedulerRelaxesLevelByLevel) {
  AddJobWithWish({});
  for (int report = 1; report < 4; ++report) {
    EXPECT_THAT(Report({"n2"}, kFairDelays), IsEmpty()) << report;
  }
  EXPECT_THAT(Report({"n2"}, kFairDelays), ElementsAre("x-0 n2"));
}

TEST_F(YarnKept, TheFairSchedulerGoesToTheRackBeforeThat) {
  AddJobWithWish({});
  EXPECT_THAT(Report({"n1"}, kFairDelays), IsEmpty());
  EXPECT_THAT(Report({"n1"}, kFairDelays), ElementsAre("x-0 n1"));
}

TEST_F(YarnKept, AWholeCycleOfTheFairSchedulerWaitsForNoLaterOne) {
  AddJobWithWish({});
  EXPECT_THAT(Run({}, kFairDelays), ElementsAre("x-0 n1"));
}

// n0 has room for two gibibytes, and n1 for three. Job x requests four; y, of a higher priority,
// comes later and would fit.
class YarnReservations : public YarnKept {
 protected:
  void SetUp() override {
    AddNode("n0", "r0");
    AddNode("n1", "r0");
    AddQueues({"a", "b", "c"});
    AddRunning("full", "c", "n0", "6Gi");
    AddRunning("half", "c", "n1", "5Gi");
    Must(cluster_.AddJob({.name = "x", .queue = "b", .groups = {Group(1, "4Gi")}}));
  }
  void AddSmallJob() {
    Must(cluster_.AddJob({.name = "y", .queue = "a", .priority = 9, .groups = {Group(1, "1Gi")}}));
  }
};

TEST_F(YarnReservations, AReservationIsFulfilledInALaterCycleAndBlocksUntilThen) {
  for (const char* profile : {"yarn-capacity", "yarn-fair"}) {
    cluster_ = Cluster();
    SetUp();
    EXPECT_THAT(Report({"n0"}, profile), IsEmpty());
    EXPECT_THAT(why_, HasSubstr("node \"n0\" is reserved, and has no room yet for "
                                "<memory:4096, vCores:1>"));
    AddSmallJob();
    EXPECT_THAT(Report({"n0"}, profile), IsEmpty()) << profile;
    Must(cluster_.RemoveJob("full"));
    EXPECT_THAT(Report({"n0"}, profile), ElementsAre("x-0 n0")) << profile;
    EXPECT_THAT(Report({"n0"}, profile), ElementsAre("y-0 n0")) << profile;
  }
}

// The application still has a task that runs, so only the report of the node ends the reservation.
TEST_F(YarnReservations, AReservationWithoutARequestEndsWhenTheNodeReports) {
  Must(cluster_.AddTask({.name = "x-r",
                         .job = "x",
                         .shape = Group(1, "1Gi").shape,
                         .status = TaskStatus::kRunning,
                         .node = "n0"}));
  EXPECT_THAT(Report({"n0"}), IsEmpty());
  AddSmallJob();
  Must(cluster_.RemoveTask("x-0"));
  EXPECT_THAT(Report({"n0"}), IsEmpty());
  EXPECT_THAT(Report({"n0"}), ElementsAre("y-0 n0"));
}

TEST_F(YarnReservations, AReservationEndsWithItsJobOrNode) {
  for (const char* profile : {"yarn-capacity", "yarn-fair"}) {
    for (const bool loses_node : {false, true}) {
      cluster_ = Cluster();
      SetUp();
      EXPECT_THAT(Report({"n0"}, profile), IsEmpty());
      AddSmallJob();
      if (loses_node) {
        NodeSpec lost{.name = "n0",
                      .capacity = {{"cpu", 8}, {"memory", "8Gi"}, {"pods", 100}},
                      .labels = {{"yarn.apache.org/rack", "r0"}}};
        lost.ready = false;
        Must(cluster_.UpdateNode(lost));
        EXPECT_THAT(Report({"n0"}, profile), IsEmpty());
        lost.ready = true;
        Must(cluster_.UpdateNode(lost));
      } else {
        Must(cluster_.RemoveJob("x"));
      }
      EXPECT_THAT(Report({"n0"}, profile), ElementsAre("y-0 n0")) << profile;
    }
  }
}

// Four nodes with room for two gibibytes each, and a job of four tasks of four. Those that it has
// not reserved take small tasks.
class YarnFairReservations : public YarnKept {
 protected:
  std::vector<std::string> NodesOfSmallTasks(const char* profile) {
    cluster_ = Cluster();
    AddQueues({"a", "b", "c"});
    std::vector<std::string> nodes;
    for (int n = 0; n < 4; ++n) {
      nodes.push_back("n" + std::to_string(n));
      AddNode(nodes[n], n < 2 ? "r0" : "r1");
      AddRunning("full" + std::to_string(n), "c", nodes[n].c_str(), "6Gi");
    }
    Must(cluster_.AddJob({.name = "x", .queue = "b", .groups = {Group(4, "4Gi")}}));
    EXPECT_THAT(Report(nodes, profile), IsEmpty());
    Must(cluster_.AddJob({.name = "y", .queue = "a", .groups = {Group(4, "1Gi")}}));
    return Report(nodes, profile);
  }
};

TEST_F(YarnFairReservations, AnApplicationReservesAPartOfTheNodes) {
  EXPECT_THAT(NodesOfSmallTasks("yarn-fair"), ElementsAre("y-0 n1", "y-1 n2", "y-2 n3"));
  EXPECT_THAT(NodesOfSmallTasks("yarn-fair:heartbeat(reservable_nodes=0.25)"),
              ElementsAre("y-0 n1", "y-1 n2", "y-2 n3"));
  EXPECT_THAT(NodesOfSmallTasks("yarn-fair:heartbeat(reservable_nodes=0.26)"),
              ElementsAre("y-0 n2", "y-1 n3"));
  EXPECT_THAT(NodesOfSmallTasks("yarn-fair:heartbeat(reservable_nodes=0)"),
              ElementsAre("y-0 n0", "y-1 n1", "y-2 n2", "y-3 n3"));
}

TEST_F(YarnFairReservations, SmallRequestsReserveNothing) {
  EXPECT_THAT(NodesOfSmallTasks("yarn-fair:heartbeat(reservation_threshold=4)"),
              ElementsAre("y-0 n1", "y-1 n2", "y-2 n3"));
  EXPECT_THAT(NodesOfSmallTasks("yarn-fair:heartbeat(reservation_threshold=4.5)"),
              ElementsAre("y-0 n0", "y-1 n1", "y-2 n2", "y-3 n3"));
}

// What is reserved counts for the queue: its maximum is reached.
TEST_F(YarnReservations, AReservationCountsForItsQueue) {
  Must(cluster_.UpdateQueue({.name = "b",
                             .parent = "root",
                             .settings = {{"yarn-capacity/maximum-capacity", "30"},
                                          {"yarn-capacity/user-limit-factor", "10"}}}));
  EXPECT_THAT(Report({"n0"}, "yarn-capacity:heartbeat(continue_looking=off)"), IsEmpty());
  EXPECT_THAT(Report({"n1"}, "yarn-capacity:heartbeat(continue_looking=off)"), IsEmpty());
  EXPECT_THAT(why_, HasSubstr("queue \"root.b\" would exceed its maximum"));
}

TEST_F(YarnReservations, APreemptionRoundMakesRoomForAReservation) {
  cluster_ = Cluster();
  AddNode("n0", "r0");
  AddNode("n1", "r0");
  AddQueues({"a", "b"});
  AddRunning("older", "a", "n1", "5Gi");
  Must(cluster_.AddJob({.name = "old", .queue = "a"}));
  for (int i = 0; i < 7; ++i) {
    Must(cluster_.AddTask({.name = "old-" + std::to_string(i),
                           .job = "old",
                           .shape = Group(1, "1Gi").shape,
                           .status = TaskStatus::kRunning,
                           .node = "n0",
                           .started = i}));
  }
  Must(cluster_.AddJob({.name = "x", .queue = "b", .groups = {Group(1, "4Gi")}}));
  EXPECT_THAT(Report({"n0"}, "yarn-capacity:heartbeat(calculator=memory)"), IsEmpty());
  const auto evicted = [&](const std::string& reserved) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(
        "yarn-capacity:actions=preempt(calculator=memory,per_round=1,natural_termination=1,"
        "max_ignored=0,max_wait=0,reserved=" +
        reserved + ")+heartbeat(calculator=memory)");
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> names;
    if (!plan.ok()) return names;
    for (const Eviction& eviction : plan->evictions()) {
      names.emplace_back(plan->task_name(eviction.task));
    }
    Must(cluster_.Apply(*plan).status());
    return names;
  };
  EXPECT_THAT(evicted("off"), IsEmpty());
  EXPECT_THAT(evicted("off"), IsEmpty());
  EXPECT_THAT(evicted("on"), IsEmpty());
  EXPECT_THAT(evicted("on"), ElementsAre("old-4", "old-5", "old-6"));
}

// One application of the leaf is active at a time, by the limit of masters.
TEST_F(YarnKept, AnActiveApplicationStaysActive) {
  AddNode("n0", "r0");
  AddQueues({"a"});
  Must(cluster_.AddJob({.name = "y", .queue = "a", .groups = {Group(9, "1Gi")}, .created = 5}));
  EXPECT_THAT(Report({"n0"}), ElementsAre("y-0 n0"));
  Must(cluster_.AddJob({.name = "x", .queue = "a", .groups = {Group(9, "1Gi")}, .created = 1}));
  EXPECT_THAT(Report({"n0"}), ElementsAre("y-1 n0"));
  EXPECT_THAT(why_, HasSubstr("not yet activated"));
  Must(cluster_.RemoveJob("y"));
  EXPECT_THAT(Report({"n0"}), ElementsAre("x-0 n0"));
}

TEST_F(YarnKept, AnApplicationThatRunsStaysAboveALimitOfApplications) {
  for (const char* profile : {"yarn-capacity", "yarn-fair"}) {
    cluster_ = Cluster();
    AddNode("n0", "r0");
    Must(cluster_.AddQueue({.name = "root"}));
    Must(cluster_.AddQueue({.name = "a",
                            .parent = "root",
                            .settings = {{"yarn-capacity/max-parallel-apps", "1"},
                                         {"yarn-capacity/maximum-am-resource-percent", "1"},
                                         {"yarn-fair/maxRunningApps", "1"}}}));
    Must(cluster_.AddJob({.name = "y", .queue = "a", .groups = {Group(9, "1Gi")}, .created = 5}));
    EXPECT_THAT(Report({"n0"}, profile), ElementsAre("y-0 n0"));
    Must(cluster_.AddJob({.name = "x", .queue = "a", .groups = {Group(9, "1Gi")}, .created = 1}));
    EXPECT_THAT(Report({"n0"}, profile), ElementsAre("y-1 n0")) << profile;
    Must(cluster_.RemoveJob("y"));
    EXPECT_THAT(Report({"n0"}, profile), ElementsAre("x-0 n0")) << profile;
  }
}

// Memory of a text that does not fit reads as none.
TEST_F(YarnReservations, MemoryThatDoesNotFitIsNoReservation) {
  const absl::StatusOr<Memory> memory = Memory::Parse(
      R"({"version": 1, "slots": {
          "yarn-reservations": {"version": 1, "generation": 0,
                                "rows": {"n0": [7, "x"], "n9": ["x"]}},
          "yarn-requests": {"version": 1, "generation": 0,
                            "rows": {"x": ["", "no", -1, -1, -5, 1e300, 3]}},
          "yarn-applications": {"version": 1, "generation": 0,
                                "rows": {"x": ["root.b", 77], "y": [1]}}}})");
  ASSERT_TRUE(memory.ok()) << memory.status();
  AddSmallJob();
  ScheduleOptions options;
  options.memory = *memory;
  const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-capacity", options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 1u);
}

}  // namespace
}  // namespace muster
