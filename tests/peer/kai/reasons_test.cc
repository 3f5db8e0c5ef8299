// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why jobs of profile kai wait, in words.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KaiReasons : public ::testing::Test {
 protected:
  KaiReasons() {
    Accept(cluster_.AddQueue({.name = "top"}));
    Queue("q", 4);
    Queue("r", 0);
    NodeSpec node{.name = "n", .capacity = {{"cpu", 4}, {"pods", 100}}};
    node.labels = {{"rack", "r0"}};
    Accept(cluster_.AddNode(node));
  }
  void Queue(const std::string& name, int64_t cpus) {
    QueueSpec queue{.name = name, .parent = "top"};
    queue.deserved = Resources{{"cpu", cpus}};
    queue.rules = QueueRules();
    queue.rules->over_quota_weight = {{"cpu", 0}};
    Accept(cluster_.AddQueue(queue));
  }
  // A job of so many tasks with one cpu each, of which the gang needs all.
  JobSpec Job(const std::string& name, const std::string& queue, int32_t priority = 50) {
    return {.name = name, .queue = queue, .priority = priority, .min_available = 1};
  }
  void Runs(JobSpec job, int count) {
    AddJob(cluster_, job, count, {{"cpu", 1}});
    for (int i = 0; i < count; ++i) {
      ::muster::testing::Run(cluster_, job.name + std::to_string(i), "n");
    }
  }
  std::string Why(const std::string& job, const std::string& profile = "kai", int64_t now = 0) {
    ScheduleOptions options;
    options.now = now;
    const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->evictions().empty());
    return *plan->Explain(job);
  }

  Cluster cluster_;
};

TEST_F(KaiReasons, AGangWithTooFewTasks) {
  JobSpec job = Job("j", "q");
  job.min_available = 3;
  AddJob(cluster_, job, 2, {{"cpu", 1}});
  EXPECT_EQ(Why("j"), "j: has 2 of 3 tasks it needs\n");
}

TEST_F(KaiReasons, AQueueThatIsNoLeaf) {
  AddJob(cluster_, Job("j", "top"), 1, {{"cpu", 1}});
  EXPECT_EQ(Why("j"),
            "j: can have no place: queue \"top\" has queues below it; only leaves run jobs\n");
}

TEST_F(KaiReasons, ATaskInNoSubGroup) {
  JobSpec job = Job("j", "q");
  job.sub_groups = {{.name = "s", .min_available = 1}};
  Accept(cluster_.AddJob(job));
  TaskSpec task{.name = "j0", .job = "j", .shape = {.request = {{"cpu", 1}}}};
  task.sub_group = "s";
  Accept(cluster_.AddTask(task));
  task.name = "j1";
  task.sub_group = "";
  Accept(cluster_.AddTask(task));
  EXPECT_THAT(Why("j1"), HasSubstr("the task is in no sub-group of its job that has tasks"));
}

TEST_F(KaiReasons, ATopologyOrALevelThatIsNotThere) {
  FlavorSpec flavor{.name = "t"};
  flavor.topology = FlavorTopology{.name = "t", .levels = {"rack"}};
  Accept(cluster_.SetFlavor(flavor));
  const auto job = [&](const std::string& name, const std::string& topology,
                       const std::string& level) {
    JobSpec spec = Job(name, "q");
    spec.gang = GangRules();
    spec.gang->levels = TopologyLevels{.topology = topology, .required = level};
    AddJob(cluster_, spec, 1, {{"cpu", 1}});
  };
  job("a", "none", "rack");
  job("b", "t", "zone");
  EXPECT_EQ(Why("a"), "a: can have no place: Requested topology none does not exist\n");
  EXPECT_THAT(Why("b"), HasSubstr("b: can have no place: "));
  EXPECT_THAT(Why("b"), HasSubstr("the topology tree 't' does not contain a level with this name"));
}

// The rack with less room is tried first, and has no host for all tasks. The other one has, but the
// host admits none: the reason is about the host, not about the topology.
TEST_F(KaiReasons, ATopologyThatALaterSetSatisfiesIsNotNamed) {
  FlavorSpec flavor{.name = "t"};
  flavor.topology = FlavorTopology{.name = "t", .levels = {"row", "host"}};
  Accept(cluster_.SetFlavor(flavor));
  const auto host = [&](const std::string& name, const std::string& row, int64_t cpus) {
    NodeSpec node{.name = name, .capacity = {{"cpu", cpus}, {"pods", 100}}};
    node.labels = {{"row", row}, {"host", name}};
    if (row == "b") node.taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}};
    Accept(cluster_.AddNode(node));
  };
  host("a0", "a", 2);
  host("a1", "a", 2);
  host("b0", "b", 5);
  JobSpec job = Job("j", "q");
  job.min_available = 3;
  job.gang = GangRules();
  job.gang->levels = TopologyLevels{.topology = "t", .required = "row"};
  job.sub_groups = {{.name = "s", .min_available = 3}};
  job.sub_groups[0].place = SubGroupPlace();
  job.sub_groups[0].place->levels = TopologyLevels{.topology = "t", .required = "host"};
  Accept(cluster_.AddJob(job));
  for (const char* name : {"j0", "j1", "j2"}) {
    TaskSpec task{.name = name, .job = "j", .shape = {.request = {{"cpu", 1}}}};
    task.sub_group = "s";
    Accept(cluster_.AddTask(task));
  }
  EXPECT_THAT(Why("j"), HasSubstr("1 node: taint"));
  EXPECT_THAT(Why("j"), Not(HasSubstr("node-group")));
}

TEST_F(KaiReasons, LimitsHaveThePeersNumbers) {
  QueueSpec queue{.name = "small", .parent = "top"};
  queue.limit = Resources{{"cpu", 1}};
  Accept(cluster_.AddQueue(queue));
  AddJob(cluster_, Job("j", "small"), 1, {{"cpu", 2}});
  EXPECT_EQ(Why("j"),
            "j: queue \"small\" would exceed its limit in cpu (kai-rules: small quota has reached "
            "the allowable limit of CPU cores. Limit is 1 cores, currently 0 cores allocated and "
            "workload requested 2 cores)\n");
  AddJob(cluster_, Job("k", "r", 100), 1, {{"cpu", 1}});
  EXPECT_THAT(Why("k"), HasSubstr("queue \"r\" would hold more than it deserves in cpu (kai-rules: "
                                  "Non-preemptible workload is over quota."));
}

TEST_F(KaiReasons, AReclaimThatIsRefused) {
  Runs(Job("v", "q"), 4);
  AddJob(cluster_, Job("j", "r"), 1, {{"cpu", 1}});
  EXPECT_THAT(Why("j"), HasSubstr("reclaim: queue \"r\" would exceed its fair share"));
}

TEST_F(KaiReasons, VictimsByTheRuleThatKeepsThem) {
  Queue("s", 4);
  Runs(Job("fixed", "q", 100), 1);
  Runs(Job("equal", "s", 60), 2);
  Runs(Job("within", "q", 50), 1);
  AddJob(cluster_, Job("j", "s", 60), 1, {{"cpu", 1}});
  const std::string why = Why("j");
  EXPECT_THAT(why, HasSubstr("reclaim: 2 jobs of other queues: 1 not preemptible, 1 in a queue "
                             "within its share"));
  EXPECT_THAT(why, HasSubstr("preempt: 1 job of its queue: 1 not less important"));
}

TEST_F(KaiReasons, AQueueAtTheTopRunsNoJobsWithoutTheHierarchy) {
  AddJob(cluster_, Job("j", "top"), 1, {{"cpu", 1}});
  EXPECT_EQ(Why("j", "kai:kai-rules(full_hierarchy=off)"),
            "j: can have no place: queue \"top\" is at the top; it runs no jobs\n");
}

TEST_F(KaiReasons, AJobThatWasNotTriedIsNotSearchedFor) {
  for (const char* name : {"fixed0", "fixed1"}) Runs(Job(name, "q", 100), 1);
  for (const char* name : {"low0", "low1"}) Runs(Job(name, "q", 40), 1);
  for (const char* name : {"a", "b"}) AddJob(cluster_, Job(name, "q", 60), 1, {{"cpu", 3}});
  const std::string counts = "preempt: 4 jobs of its queue: 2 not preemptible, 2 considered, but ";
  EXPECT_THAT(Why("a"), HasSubstr(counts + "no eviction makes room"));
  EXPECT_THAT(Why("b"), HasSubstr(counts + "no eviction made room for a job like it"));
  EXPECT_THAT(Why("b", "kai:kai-rules(signatures=off)"), HasSubstr("no eviction makes room"));
  EXPECT_THAT(Why("b", "kai:actions=allocate+preempt(depth=1)"),
              HasSubstr(counts + "the job was not tried: depth of the queue or budget of work"));
}

// The first job may not be near `fixed`, which no eviction moves. It is unlike the second one.
TEST_F(KaiReasons, TermsAboutOtherTasksAreConstraintsToo) {
  Accept(cluster_.AddJob(Job("fixed", "q", 100)));
  TaskShape shape{.request = {{"cpu", 1}}, .labels = {{"app", "x"}}};
  Accept(cluster_.AddTask({.name = "fixed0", .job = "fixed", .shape = shape}));
  ::muster::testing::Run(cluster_, "fixed0", "n");
  Runs(Job("low", "q", 40), 3);
  Accept(cluster_.AddJob(Job("a", "q", 60)));
  shape.labels = {};
  shape.required_anti_affinity = {
      {.topology_key = "rack", .selector = Selector{.match_labels = {{"app", "x"}}}}};
  Accept(cluster_.AddTask({.name = "a0", .job = "a", .shape = shape}));
  AddJob(cluster_, Job("b", "q", 60), 1, {{"cpu", 1}});
  EXPECT_EQ(Decide(cluster_, "kai"), "evict low2 n; nominate b0 n");
}

// An elastic job is no victim of itself.
TEST_F(KaiReasons, AJobThatRunsInPartDoesNotCountItself) {
  Runs(Job("like", "q", 60), 1);
  Runs(Job("j", "q", 60), 3);
  Accept(cluster_.AddTask({.name = "j3", .job = "j", .shape = {.request = {{"cpu", 1}}}}));
  EXPECT_THAT(Why("j"), HasSubstr("preempt: 1 job of its queue: 1 not less important"));
}

TEST_F(KaiReasons, AMinimumRunTimeAndADelay) {
  JobSpec low = Job("low", "q", 40);
  low.min_available = 4;
  low.gang = GangRules();
  low.gang->started = 10;
  Runs(low, 4);
  JobSpec high = Job("high", "q", 60);
  AddJob(cluster_, high, 1, {{"cpu", 1}});
  EXPECT_THAT(Why("high", "kai:kai-rules(preempt_min_runtime=100)", 20),
              HasSubstr("preempt: 1 job of its queue: 1 within the minimum run time"));
  JobSpec late = Job("late", "q", 60);
  late.gang = GangRules();
  late.gang->preemption_delay = 300;
  AddJob(cluster_, late, 1, {{"cpu", 1}});
  Accept(cluster_.RemoveJob("high"));
  const std::string why = Why("late", "kai", 20);
  EXPECT_THAT(why, HasSubstr("1 node: cpu"));
  EXPECT_THAT(why, HasSubstr("cores. no victims for 280 s more: preemption delay)"));
}

}  // namespace
}  // namespace muster::testing
