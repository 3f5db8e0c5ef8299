// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// rescheduling and the action that calls it, shuffle. Nodes have ten cores and ten units of memory.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kHalf[] =
    "volcano:actions=shuffle,tiers=rescheduling(cpu_low=50,memory_low=50,cpu_high=50,"
    "memory_high=50)";

class Rescheduling : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpu, int memory, bool unschedulable = false) {
    NodeSpec node{.name = name, .capacity = {{"cpu", 10}, {"memory", 1000}, {"pods", 99}}};
    node.unschedulable = unschedulable;
    node.usage = NodeUsage{cpu, memory, 0};
    Accept(cluster_.AddNode(node));
  }
  // A job of one running task.
  void Task(const std::string& name, const std::string& node, int priority,
            const Resources& request, TaskStatus status = TaskStatus::kRunning) {
    Accept(cluster_.AddJob({.name = name, .min_available = 1, .phase = JobPhase::kRunning}));
    Accept(cluster_.AddTask({.name = name,
                             .job = name,
                             .shape = {.request = request},
                             .status = status,
                             .node = node,
                             .priority = priority}));
  }
  Cluster cluster_;
};

TEST_F(Rescheduling, LowestPriorityLeavesUntilTheNodeIsBelow) {
  Node("busy", 80, 10);
  Node("idle", 0, 0);
  Task("first", "busy", 3, {{"cpu", 2}});
  Task("second", "busy", 1, {{"cpu", 2}});
  Task("third", "busy", 2, {{"cpu", "1500m"}});
  // 80 - 20 = 60, and 60 - 15 = 45 is below.
  EXPECT_EQ(Decide(cluster_, kHalf), "evict second busy; evict third busy");
}

TEST_F(Rescheduling, AtTheMarkIsNotBelow) {
  Node("busy", 70, 10);
  Node("idle", 0, 0);
  Task("a", "busy", 1, {{"cpu", 2}});
  Task("b", "busy", 2, {{"cpu", 1}});
  Task("c", "busy", 3, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster_, kHalf), "evict a busy; evict b busy");
}

TEST_F(Rescheduling, WhoAsksForNothingMeasuredLeavesFirstOfEquals) {
  Node("busy", 60, 10);
  Node("idle", 0, 0);
  Task("worker", "busy", 1, {{"cpu", 2}});
  Task("idler", "busy", 1, {});
  EXPECT_EQ(Decide(cluster_, kHalf), "evict worker busy; evict idler busy");
}

TEST_F(Rescheduling, RoomThatIsUsedUpStopsAll) {
  Node("busy", 100, 10);
  Node("low", 0, 0);
  Task("a", "busy", 1, {{"cpu", 5}});
  Task("b", "busy", 2, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster_, kHalf), "evict a busy");
}

TEST_F(Rescheduling, RoomThatIsOverdrawnDoesNotStopAnybody) {
  Node("busy", 100, 10);
  Node("busier", 100, 20);
  Node("low", 0, 0);
  Task("a", "busy", 1, {{"cpu", 6}});
  Task("b", "busier", 1, {{"cpu", 6}});
  EXPECT_EQ(Decide(cluster_, kHalf), "evict a busy; evict b busier");
}

TEST_F(Rescheduling, TheBusiestNodeGivesFirst) {
  Node("busy", 60, 10);
  Node("busier", 60, 20);
  Node("low", 0, 0);
  Task("a", "busy", 1, {{"cpu", 5}});
  Task("b", "busier", 1, {{"cpu", 5}});
  EXPECT_EQ(Decide(cluster_, kHalf), "evict b busier");  // the five cores of `low` are used up
}

TEST_F(Rescheduling, NobodyGoesWhereThereIsNoBetterPlaceOrNoNeed) {
  Node("busy", 80, 10);
  Task("a", "busy", 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster_, kHalf), "");
  Node("closed", 0, 0, /*unschedulable=*/true);
  EXPECT_EQ(Decide(cluster_, kHalf), "");
  Node("low", 0, 0);
  EXPECT_EQ(Decide(cluster_, kHalf), "evict a busy");
  EXPECT_EQ(Decide(cluster_, "volcano:actions=shuffle,tiers=rescheduling"), "");  // all are low
  EXPECT_EQ(Decide(cluster_, "volcano:actions=shuffle,tiers=rescheduling(without=victims)"), "");
}

TEST_F(Rescheduling, OnlyRunningTasksLeave) {
  Node("busy", 80, 10);
  Node("low", 0, 0);
  Task("a", "busy", 1, {{"cpu", 1}}, TaskStatus::kBound);
  EXPECT_EQ(Decide(cluster_, kHalf), "");
}

TEST_F(Rescheduling, TheExplanationNamesNoBeneficiary) {
  Node("busy", 80, 10);
  Node("low", 0, 0);
  Task("a", "busy", 1, {{"cpu", 1}});
  const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), kHalf);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->evictions().size(), 1u);
  EXPECT_EQ(plan->evictions()[0].beneficiary, kNone);
}

}  // namespace
}  // namespace muster::testing
