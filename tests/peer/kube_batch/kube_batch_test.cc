// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch's quirks, one small world each, and plans in words: "bind a0 n0; nominate ...; evict
// ...", then what was left undecided: "hold a0 n0" on idle resources, "wait a0 n0" on those being
// released.
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/muster.h"

namespace muster {
namespace {

void Accept(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

class World {
 public:
  void Nodes(int64_t count, const Resources& capacity) {
    Accept(cluster_.AddNodes(count, {.name = "n", .capacity = capacity}));
  }
  void Node(const NodeSpec& node) { Accept(cluster_.AddNode(node)); }
  void Queue(const std::string& name, int64_t weight = 1) {
    Accept(cluster_.AddQueue({.name = name, .weight = weight}));
  }
  // A job of equal tasks <name>0, <name>1, ...
  void Job(const JobSpec& job, int64_t count, const TaskShape& shape) {
    Accept(cluster_.AddJob(job));
    for (int64_t i = 0; i < count; ++i) {
      Accept(cluster_.AddTask({.name = job.name + std::to_string(i),
                               .job = job.name,
                               .shape = shape,
                               .priority = job.priority}));
    }
  }
  void Job(const JobSpec& job, int64_t count, const Resources& request) {
    TaskShape shape;
    shape.request = request;
    Job(job, count, shape);
  }
  void Task(const TaskSpec& task) { Accept(cluster_.AddTask(task)); }
  void Run(const std::string& task, const std::string& node) {
    Accept(cluster_.SetTaskStatus(task, TaskStatus::kRunning, node));
  }
  void Release(const std::string& task, const std::string& node) {
    Run(task, node);
    Accept(cluster_.SetTaskStatus(task, TaskStatus::kReleasing));
  }

  Plan MakePlan(const std::string& items, const ScheduleOptions& options = {}) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("kube-batch:" + items, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan : Plan();
  }
  std::string Decide(const std::string& items) {
    const Plan plan = MakePlan(items);
    std::string out;
    const auto add = [&](const char* word, TaskIndex task, NodeIndex node) {
      if (!out.empty()) out += "; ";
      out += std::string(word) + " " + std::string(plan.task_name(task)) + " " +
             std::string(plan.node_name(node));
    };
    for (const Decision& d : plan.decisions()) {
      if (d.kind == DecisionKind::kBind) add("bind", d.task, d.node);
      if (d.kind == DecisionKind::kNominate) add("nominate", d.task, d.node);
      if (d.kind == DecisionKind::kEvict) add("evict", d.task, d.node);
    }
    for (const Tentative& t : plan.tentative()) add(t.nominated ? "wait" : "hold", t.task, t.node);
    return out;
  }

 private:
  Cluster cluster_;
};

Resources Cpu(const char* amount) { return {{"cpu", amount}}; }

// --- allocate

TEST(KubeBatchAllocate, AGangThatCannotCompleteKeepsWhatItGot) {
  World world;
  world.Nodes(1, Cpu("3"));
  world.Job({.name = "a", .min_available = 4}, 4, Cpu("1"));
  world.Job({.name = "b", .min_available = 1}, 1, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "hold a0 n0; hold a1 n0; hold a2 n0");
  const Plan plan = world.MakePlan("actions=allocate,tiers=gang");
  EXPECT_THAT(*plan.Explain("a"), ::testing::HasSubstr("3 of 4"));
}

TEST(KubeBatchAllocate, AGangIsBoundWhenItIsReadyAndThenTaskByTask) {
  World world;
  world.Nodes(1, Cpu("8"));
  world.Job({.name = "a", .min_available = 2}, 4, Cpu("1"));
  world.Job({.name = "b", .min_available = 1}, 2, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"),
            "bind a0 n0; bind a1 n0; bind b0 n0; bind a2 n0; bind a3 n0; bind b1 n0");
}

TEST(KubeBatchAllocate, SharesOfJobsAreLookedAtBetweenAnyTwoTasks) {
  World world;
  world.Nodes(1, {{"cpu", 8}, {"pods", 110}});
  world.Job({.name = "a", .min_available = 1}, 3, Cpu("1"));
  world.Job({.name = "b", .min_available = 1}, 3, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang/drf"),
            "bind a0 n0; bind b0 n0; bind a1 n0; bind b1 n0; bind a2 n0; bind b2 n0");
}

TEST(KubeBatchAllocate, TenMilliCoresMoreThanThereIsDoNotFit) {
  World world;
  world.Nodes(1, Cpu("1"));
  world.Job({.name = "a", .min_available = 1}, 1, Cpu("1010m"));
  world.Job({.name = "b", .min_available = 1}, 1, Cpu("1009m"));
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "bind b0 n0");
}

TEST(KubeBatchAllocate, TenMebibytesMoreThanThereIsDoNotFit) {
  World world;
  world.Nodes(1, {{"memory", "100Mi"}});
  world.Job({.name = "a", .min_available = 1}, 1, Resources{{"memory", "110Mi"}});
  world.Job({.name = "b", .min_available = 1}, 1, Resources{{"memory", 110 * 1024 * 1024 - 1}});
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "bind b0 n0");
}

TEST(KubeBatchAllocate, WhatIsReleasedCountsByItself) {
  World world;
  world.Nodes(1, Cpu("4"));
  world.Job({.name = "old"}, 1, Cpu("2"));
  world.Release("old0", "n0");
  // Neither two idle nor two released cores are enough for `a`. One task of `b` takes what is idle
  // and waits for the gang, the other is nominated at once.
  world.Job({.name = "a", .min_available = 1}, 1, Cpu("3"));
  world.Job({.name = "b", .min_available = 2}, 2, Cpu("2"));
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "nominate b1 n0; hold b0 n0");
}

TEST(KubeBatchAllocate, InitContainersCountForTheFitAlone) {
  World world;
  world.Nodes(1, Cpu("4"));
  TaskShape shape;
  shape.request = Cpu("1");
  shape.initial_request = Cpu("3");
  world.Job({.name = "a"}, 4, shape);
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "bind a0 n0; bind a1 n0");
}

TEST(KubeBatchAllocate, TurnsThatTryNoTaskAreNoWork) {
  World world;
  world.Nodes(1, Cpu("4"));
  world.Queue("q");
  world.Job({.name = "a"}, 1, Cpu("1"));
  // Their tasks are backfill's: the turns of these jobs come after the work, and are idle.
  world.Job({.name = "b"}, 1, TaskShape());
  world.Job({.name = "c", .queue = "q"}, 1, TaskShape());
  const std::string items = "actions=allocate,tiers=gang";
  const Plan whole = world.MakePlan(items);
  EXPECT_TRUE(whole.complete());
  EXPECT_GT(whole.work(), 0);
  ScheduleOptions options;
  options.work_budget = whole.work();
  const Plan enough = world.MakePlan(items, options);
  EXPECT_TRUE(enough.complete());
  EXPECT_EQ(enough.Digest(), whole.Digest());
  --*options.work_budget;
  EXPECT_EQ(world.MakePlan(items, options).work(), whole.work());  // a turn is not cut in two
  options.work_budget = 0;
  EXPECT_FALSE(world.MakePlan(items, options).complete());
}

TEST(KubeBatchAllocate, TheFirstTaskWithoutANodeEndsItsJobsPart) {
  World world;
  world.Nodes(1, Cpu("4"));
  TaskShape big, small;
  big.request = Cpu("5");
  small.request = Cpu("1");
  world.Job({.name = "a"}, 1, big);
  world.Task({.name = "z", .job = "a", .shape = small, .uid_rank = 1});
  world.Job({.name = "b"}, 1, small);
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "bind b0 n0");
}

TEST(KubeBatchAllocate, PodsAreOnlyALimit) {
  World world;
  world.Nodes(1, {{"cpu", 4}, {"pods", 1}});
  world.Job({.name = "a"}, 2, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang/predicates"), "bind a0 n0");
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "bind a0 n0; bind a1 n0");
}

TEST(KubeBatchAllocate, JobsThatNobodyAdmittedTakePart) {
  World world;
  world.Nodes(1, Cpu("1"));
  world.Job({.name = "a", .phase = JobPhase::kPending}, 1, Cpu("1"));
  EXPECT_EQ(world.Decide("tiers=gang"), "bind a0 n0");
}

TEST(KubeBatchAllocate, AnOverfullNodeIsOutOfSightAndOutOfTheTotal) {
  World world;
  world.Node({.name = "full", .capacity = {{"cpu", 2}, {"x/gpu", 9}}});
  world.Node({.name = "free", .capacity = {{"cpu", 1}, {"memory", "1Gi"}}});
  world.Job({.name = "old"}, 1, Cpu("3"));
  world.Run("old0", "full");
  world.Job({.name = "a"}, 1, {{"x/gpu", 1}});
  world.Job({.name = "b"}, 1, Resources{});
  EXPECT_EQ(world.Decide("tiers=gang"), "bind b0 free");
  const Plan plan = world.MakePlan("tiers=gang/proportion");
  ASSERT_EQ(plan.shares().size(), 1u);
  EXPECT_EQ(plan.shares()[0].deserved[kCpu], 1000);
}

// --- backfill

TEST(KubeBatchBackfill, TheFirstNodeThatPassesWhateverItsScore) {
  World world;
  world.Nodes(2, {{"cpu", 4}, {"pods", 3}});
  world.Job({.name = "old"}, 1, Cpu("3"));
  world.Run("old0", "n0");
  world.Job({.name = "a"}, 3, Resources{});
  EXPECT_EQ(world.Decide("actions=backfill,tiers=gang/predicates+nodeorder"),
            "bind a0 n0; bind a1 n0; bind a2 n1");
}

TEST(KubeBatchBackfill, LessThanTheLeastAmountIsNothing) {
  World world;
  world.Nodes(1, Cpu("4"));
  world.Job({.name = "a"}, 1, {{"cpu", "9m"}, {"memory", "9Mi"}});
  world.Job({.name = "b"}, 1, Cpu("10m"));
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "bind b0 n0");
  EXPECT_EQ(world.Decide("actions=backfill,tiers=gang"), "bind a0 n0");
}

TEST(KubeBatchBackfill, InitContainersThatRequestKeepATaskOutOfBothActions) {
  World world;
  world.Nodes(1, Cpu("4"));
  TaskShape shape;
  shape.initial_request = Cpu("1");
  world.Job({.name = "a"}, 1, shape);
  EXPECT_EQ(world.Decide("tiers=gang"), "");
}

TEST(KubeBatchBackfill, ATaskThatCompletesTheGangBindsWhatAllocateHeld) {
  World world;
  world.Nodes(1, Cpu("4"));
  world.Job({.name = "a", .min_available = 2}, 1, Cpu("1"));
  world.Task({.name = "z", .job = "a", .uid_rank = 1});
  EXPECT_EQ(world.Decide("actions=allocate,tiers=gang"), "hold a0 n0");
  EXPECT_EQ(world.Decide("tiers=gang"), "bind a0 n0; bind z n0");
}

// --- preempt

TEST(KubeBatchPreempt, IdleResourcesDoNotCount) {
  World world;
  world.Nodes(1, Cpu("3"));
  world.Job({.name = "low"}, 2, Cpu("1"));
  world.Run("low0", "n0");
  world.Run("low1", "n0");
  world.Job({.name = "high", .priority = 9, .min_available = 1}, 1, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang"),
            "evict low1 n0; nominate high0 n0");
}

TEST(KubeBatchPreempt, AJobGoesOnGrowingBeyondItsGang) {
  World world;
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "low"}, 2, Cpu("1"));
  world.Run("low0", "n0");
  world.Run("low1", "n0");
  world.Job({.name = "high", .priority = 9, .min_available = 1}, 3, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang"),
            "evict low1 n0; nominate high0 n0; evict low0 n0; nominate high1 n0");
}

TEST(KubeBatchPreempt, AGangThatIsNotPipelinedTakesNothing) {
  World world;
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "low"}, 2, Cpu("1"));
  world.Run("low0", "n0");
  world.Run("low1", "n0");
  world.Job({.name = "high", .priority = 9, .min_available = 3}, 3, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang"), "");
  EXPECT_THAT(*world.MakePlan("actions=preempt,tiers=priority+gang").Explain("high"),
              ::testing::HasSubstr("2 of 3"));
}

TEST(KubeBatchPreempt, EqualScoresGoToTheLastName) {
  World world;
  for (const char* name : {"b", "c", "a"}) world.Node({.name = name, .capacity = Cpu("1")});
  world.Job({.name = "low"}, 3, Cpu("1"));
  world.Run("low0", "b");
  world.Run("low1", "c");
  world.Run("low2", "a");
  world.Job({.name = "high", .priority = 9, .min_available = 1}, 1, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang/nodeorder"),
            "evict low1 c; nominate high0 c");
}

TEST(KubeBatchPreempt, ATaskThatRequestsNothingEvictsOne) {
  World world;
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "low"}, 2, Cpu("1"));
  world.Run("low0", "n0");
  world.Run("low1", "n0");
  world.Job({.name = "high", .priority = 9, .min_available = 1}, 1, Resources{});
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang"),
            "evict low1 n0; nominate high0 n0");
}

TEST(KubeBatchPreempt, OnlyRunningTasksAreVictims) {
  World world;
  world.Nodes(1, Cpu("1"));
  world.Job({.name = "low"}, 1, Cpu("1"));
  world.Task({.name = "bound",
              .job = "low",
              .shape = {.request = Cpu("1")},
              .status = TaskStatus::kBound,
              .node = "n0"});
  world.Job({.name = "high", .priority = 9, .min_available = 1}, 1, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang"), "");
}

TEST(KubeBatchPreempt, WhatOnePhaseTriedTheOtherDoesNot) {
  World world;
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "a"}, 1, Cpu("1"));
  world.Run("a0", "n0");
  world.Task({.name = "z", .job = "a", .shape = {.request = Cpu("1")}});
  EXPECT_EQ(world.Decide("actions=preempt,tiers=conformance"), "");
  // The phase within jobs follows the turn of each queue, and looks at jobs of queues that are yet
  // to have theirs.
  world.Queue("late");
  world.Job({.name = "b", .queue = "late"}, 2, Cpu("1"));
  world.Run("b0", "n0");
  EXPECT_EQ(world.Decide("actions=preempt,tiers=conformance"), "evict b0 n0; nominate b1 n0");
}

TEST(KubeBatchPreempt, NoTaskGoesForOneOfItsOwnJobWherePriorityHasASay) {
  World world;
  world.Queue("late");
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "early"}, 1, Cpu("1"));
  world.Run("early0", "n0");
  world.Job({.name = "a", .queue = "late"}, 1, Cpu("1"));
  world.Run("a0", "n0");
  world.Task({.name = "z", .job = "a", .shape = {.request = Cpu("1")}, .priority = 9});
  EXPECT_EQ(world.Decide("actions=preempt,tiers=conformance"), "evict a0 n0; nominate z n0");
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+conformance"), "");
}

TEST(KubeBatchPreempt, AGangOfOneMayLoseAll) {
  World world;
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "low", .min_available = 1}, 1, Cpu("2"));
  world.Run("low0", "n0");
  world.Job({.name = "high", .priority = 9, .min_available = 1}, 1, Cpu("2"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang"),
            "evict low0 n0; nominate high0 n0");
}

TEST(KubeBatchPreempt, SeveralOfAGangMayGoBelowItsMinimum) {
  World world;
  world.Nodes(1, Cpu("3"));
  world.Job({.name = "low", .min_available = 2}, 3, Cpu("1"));
  for (const char* task : {"low0", "low1", "low2"}) world.Run(task, "n0");
  world.Job({.name = "high", .priority = 9, .min_available = 1}, 1, Cpu("3"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority+gang"),
            "evict low2 n0; evict low1 n0; evict low0 n0; nominate high0 n0");
}

TEST(KubeBatchPreempt, AFirstTierWithoutVictimsLeavesNoneToTheSecond) {
  World world;
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "low"}, 2, Cpu("1"));
  world.Run("low0", "n0");
  world.Run("low1", "n0");
  world.Job({.name = "same", .min_available = 1}, 1, Cpu("1"));
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority/drf"), "");
  EXPECT_EQ(world.Decide("actions=preempt,tiers=priority(without=preemptable)/gang+drf"),
            "evict low0 n0; nominate same0 n0");
}

// --- reclaim

class Reclaim : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.Queue("p");
    world_.Queue("q");
    world_.Nodes(1, {{"cpu", 4}, {"memory", "4Gi"}});
    world_.Job({.name = "a", .queue = "p"}, 4, kUnit);
    for (const char* task : {"a0", "a1", "a2", "a3"}) world_.Run(task, "n0");
  }
  const Resources kUnit = {{"cpu", 1}, {"memory", "1Gi"}};
  World world_;
};

TEST_F(Reclaim, ServesOneTaskOfAJob) {
  world_.Job({.name = "b", .queue = "q", .min_available = 1}, 2, kUnit);
  EXPECT_EQ(world_.Decide("actions=reclaim,tiers=gang+proportion"), "evict a0 n0; nominate b0 n0");
}

TEST_F(Reclaim, LeavesAQueueWhatItDeserves) {
  for (const char* name : {"b", "c", "d"}) world_.Job({.name = name, .queue = "q"}, 1, kUnit);
  EXPECT_EQ(world_.Decide("actions=reclaim,tiers=gang+proportion"),
            "evict a0 n0; nominate b0 n0; evict a1 n0; nominate c0 n0");
}

TEST_F(Reclaim, EvictsForAGangThatCannotComplete) {
  world_.Job({.name = "b", .queue = "q", .min_available = 4}, 4, kUnit);
  EXPECT_EQ(world_.Decide("actions=reclaim,tiers=gang+proportion"), "evict a0 n0; nominate b0 n0");
}

TEST_F(Reclaim, AFailedTryIsTheQueuesLast) {
  world_.Job({.name = "b", .queue = "q", .priority = 1}, 1, {{"cpu", 3}, {"memory", "3Gi"}});
  world_.Job({.name = "c", .queue = "q"}, 1, kUnit);
  EXPECT_EQ(world_.Decide("actions=reclaim,tiers=priority+gang+proportion"), "");
}

// --- phases

TEST(KubeBatchPhase, FollowsTheTasksThatHoldResources) {
  World world;
  world.Nodes(1, Cpu("2"));
  world.Job({.name = "a", .min_available = 2}, 2, Cpu("1"));
  world.Job({.name = "b", .min_available = 2, .phase = JobPhase::kRunning, .created = 1}, 2,
            Cpu("1"));
  const Plan plan = world.MakePlan("tiers=gang");
  std::string phases;
  for (const Decision& d : plan.decisions()) {
    if (d.kind != DecisionKind::kPhase) continue;
    phases += std::string(plan.job_name(d.job)) + " " + std::string(JobPhaseName(d.phase)) + "; ";
  }
  EXPECT_EQ(phases, "a running; b pending; ");
}

}  // namespace
}  // namespace muster
