// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's preempt and reclaim, and how the tiers' answers about victims are combined.
#include "build.h"
#include "gtest/gtest.h"

namespace muster::testing {
namespace {

JobSpec Spec(const std::string& name, int32_t priority, int64_t min_available,
             const std::string& queue = "default") {
  JobSpec job;
  job.name = name;
  job.queue = queue;
  job.priority = priority;
  job.min_available = min_available;
  return job;
}

// `count` tasks of one core run on the node.
void RunningJob(Cluster& cluster, const JobSpec& job, int64_t count, const std::string& node) {
  Job(cluster, job, count, {{"cpu", 1}});
  for (int64_t i = 0; i < count; ++i) Running(cluster, job.name + std::to_string(i), node);
}

TEST(Preempt, TakesTheLastTasksOfTheLowestPriority) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 3}});
  RunningJob(cluster, Spec("low", 1, 0), 2, "n0");
  RunningJob(cluster, Spec("mid", 5, 0), 1, "n0");
  Job(cluster, Spec("high", 9, 1), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang")),
            "evict low1 n0; nominate high0 n0");
}

TEST(Preempt, ANodeWithRoomIsTakenWithoutEvicting) {
  Cluster cluster;
  Nodes(cluster, 2, {{"cpu", 1}});
  RunningJob(cluster, Spec("low", 1, 0), 1, "n0");
  Job(cluster, Spec("high", 9, 1), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang")),
            "evict low0 n0; nominate high0 n0");
  Cluster roomy;
  Nodes(roomy, 1, {{"cpu", 2}});
  RunningJob(roomy, Spec("low", 1, 0), 1, "n0");
  Job(roomy, Spec("high", 9, 1), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(roomy, Profile("preempt", "priority gang")), "nominate high0 n0");
}

TEST(Preempt, AnIncompleteGangEvictsNobody) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  RunningJob(cluster, Spec("low", 1, 0), 1, "n0");
  Job(cluster, Spec("high", 9, 2), 2, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang")), "");
}

TEST(Preempt, GangProtectsItsMinimum) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 3}});
  RunningJob(cluster, Spec("low", 1, 2), 3, "n0");
  Job(cluster, Spec("high", 9, 2), 2, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang")), "");
  Cluster one;
  Nodes(one, 1, {{"cpu", 3}});
  RunningJob(one, Spec("low", 1, 2), 3, "n0");
  Job(one, Spec("high", 9, 1), 2, {{"cpu", 1}});
  EXPECT_EQ(Decide(one, Profile("preempt", "priority gang")), "evict low0 n0; nominate high0 n0");
}

// Without gang in its tier, priority lets a job preempt also for tasks beyond its minimum.
TEST(Preempt, ElasticTasksPreemptOnlyWhenGangIsNotAskedFirst) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 2}});
  RunningJob(cluster, Spec("low", 1, 0), 1, "n0");
  Job(cluster, Spec("high", 9, 1), 2, {{"cpu", 1}});
  Running(cluster, "high0", "n0");
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang")), "");
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority/gang")),
            "evict low0 n0; nominate high1 n0");
}

TEST(Preempt, InsideAJobByTaskPriority) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  Job(cluster, Spec("a", 5, 1), 1, {{"cpu", 1}});
  Running(cluster, "a0", "n0");
  TaskSpec task;
  task.name = "a1";
  task.job = "a";
  task.priority = 7;
  task.shape.request = {{"cpu", 1}};
  Task(cluster, task);
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority")), "evict a0 n0; nominate a1 n0");
}

TEST(Preempt, NeverAndNotPreemptable) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  Job(cluster, Spec("low", 1, 0), 0, Resources{});
  TaskSpec task;
  task.name = "low0";
  task.job = "low";
  task.shape.request = {{"cpu", 1}};
  task.status = TaskStatus::kRunning;
  task.node = "n0";
  task.preemptable = false;
  Task(cluster, task);
  Job(cluster, Spec("high", 9, 1), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang")), "");
}

TEST(Preempt, TheFirstTierThatNamesAnybodyDecidesAlone) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 1}});
  RunningJob(cluster, Spec("same", 5, 0), 1, "n0");
  Job(cluster, Spec("a", 5, 1), 1, {{"cpu", 1}});
  // priority refuses an equal, and the whole tier with it; conformance of the next tier is asked
  // afresh.
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang")), "");
  EXPECT_EQ(Decide(cluster, Profile("preempt", "priority gang/conformance")),
            "evict same0 n0; nominate a0 n0");
}

TEST(Preempt, TopologyAwareSparesWhoCanStayAndNeedsAVictim) {
  Cluster cluster;
  Nodes(cluster, 2, {{"cpu", 4}});
  Job(cluster, Spec("low", 1, 0), 2, {{"cpu", 1}});
  Running(cluster, "low0", "n0");
  Running(cluster, "low1", "n0");
  Job(cluster, Spec("big", 2, 0), 1, {{"cpu", 3}});
  Running(cluster, "big0", "n1");
  Job(cluster, Spec("high", 9, 1), 1, {{"cpu", 3}});
  ReferenceProfile profile = Profile("preempt", "priority gang");
  profile.action_options["preempt"]["topology_aware"] = "on";
  EXPECT_EQ(Decide(cluster, profile), "evict low1 n0; nominate high0 n0");
}

// The gang of three evicts both, finds no third, and takes it all back. The node is full again, but
// its pod limit no longer sees the two.
TEST(Preempt, VictimsThatWereSparedAreForgottenByThePodLimit) {
  Cluster cluster;
  Nodes(cluster, 1, {{"cpu", 2}, {"pods", 2}});
  RunningJob(cluster, Spec("low", 1, 0), 2, "n0");
  Job(cluster, Spec("b", 0, 0), 1, Resources{});
  const ReferenceProfile profile = Profile("preempt backfill", "priority gang predicates");
  EXPECT_EQ(Decide(cluster, profile), "");
  Job(cluster, Spec("high", 9, 3), 3, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, profile), "bind b0 n0");
}

// --- reclaim

struct TwoQueues {
  Cluster cluster;
  TwoQueues() {
    Queue(cluster, {.name = "p", .weight = 1});
    Queue(cluster, {.name = "q", .weight = 1});
    Nodes(cluster, 1, {{"cpu", 4}});
    RunningJob(cluster, Spec("a", 0, 0, "p"), 4, "n0");
  }
};

TEST(Reclaim, TakesBackUpToWhatIsDeserved) {
  TwoQueues world;
  Job(world.cluster, Spec("b", 0, 3, "q"), 3, {{"cpu", 1}});
  EXPECT_EQ(Decide(world.cluster, Profile("reclaim", "gang/proportion")),
            "");  // only two are deserved
  TwoQueues smaller;
  Job(smaller.cluster, Spec("b", 0, 2, "q"), 3, {{"cpu", 1}});
  EXPECT_EQ(Decide(smaller.cluster, Profile("reclaim", "gang proportion")),
            "evict a3 n0; nominate b0 n0; evict a2 n0; nominate b1 n0");
}

TEST(Reclaim, ConformanceInAnEarlierTierHidesProportion) {
  TwoQueues world;
  RunningJob(world.cluster, Spec("c", 0, 0, "q"), 0, "n0");
  Job(world.cluster, Spec("b", 0, 1, "q"), 1, {{"cpu", 2}});
  // proportion would stop after two cores; conformance does not mind a third, which here is not
  // needed.
  EXPECT_EQ(Decide(world.cluster, Profile("reclaim", "gang conformance/proportion")),
            "evict a3 n0; evict a2 n0; nominate b0 n0");
}

TEST(Reclaim, QueuesMayRefuse) {
  Cluster cluster;
  Queue(cluster, {.name = "p", .weight = 1, .reclaimable = false});
  Queue(cluster, {.name = "q", .weight = 1});
  Nodes(cluster, 1, {{"cpu", 4}});
  RunningJob(cluster, Spec("a", 0, 0, "p"), 4, "n0");
  Job(cluster, Spec("b", 0, 1, "q"), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster, Profile("reclaim", "gang proportion")), "");
}

TEST(Reclaim, ANodeWithoutSomebodyToTakeFromIsNotUsed) {
  Cluster cluster;
  Queue(cluster, {.name = "p", .weight = 1});
  Queue(cluster, {.name = "q", .weight = 1});
  Nodes(cluster, 2, {{"cpu", 4}});
  RunningJob(cluster, Spec("a", 0, 0, "p"), 1, "n1");
  Job(cluster, Spec("b", 0, 1, "q"), 1, {{"cpu", 1}});
  // n0 is empty and passed over; on n1 there is room, so no task has to go.
  EXPECT_EQ(Decide(cluster, Profile("reclaim", "gang conformance")), "nominate b0 n1");
}

}  // namespace
}  // namespace muster::testing
