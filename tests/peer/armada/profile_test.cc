// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile armada on clusters: what its rows become, what its plans do to them, and what one round
// hands to the next.
#include <cstdint>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

// One preemptible class, and no rates.
constexpr char kFree[] = "armada:round(classes=p:1:preemptible,burst=0,queue_burst=0)";

class ArmadaProfile : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpu, Labels labels = {}, std::vector<Taint> taints = {},
            const std::string& pool = "") {
    NodeSpec node{.name = name, .capacity = {{"cpu", cpu}}};
    node.labels = std::move(labels);
    node.taints = std::move(taints);
    if (!pool.empty()) node.settings = {{"armada/pool", pool}};
    Accept(cluster_.AddNode(node));
  }
  void Queue(const std::string& name, Labels settings = {}) {
    Accept(cluster_.AddQueue({.name = name, .settings = std::move(settings)}));
  }
  // Tasks NAME0, NAME1, ... with one cpu each; a gang if `gang`.
  void Job(const std::string& name, const std::string& queue, int tasks, bool gang = false,
           Labels settings = {}, int cpu = 1) {
    JobSpec job{.name = name, .queue = queue, .min_available = gang ? tasks : 0};
    job.created = ++clock_;
    job.settings = std::move(settings);
    AddJob(cluster_, job, tasks, {{"cpu", cpu}});
  }
  void RunAll(const std::string& job, int tasks, const std::string& node) {
    for (int i = 0; i < tasks; ++i) testing::Run(cluster_, job + std::to_string(i), node);
  }
  // Returns the plan in words, and carries it out. The living cluster, a snapshot and a cluster
  // that was read from a saved state decide alike.
  std::string Live(const std::string& profile = kFree, int64_t now = 0) {
    const std::string words = Decide(cluster_, profile, now);
    absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const absl::StatusOr<Plan> frozen = Schedule(cluster_.Freeze(), profile, {.now = now});
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    const absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan);
    EXPECT_TRUE(report.ok() && report->refused.empty());
    plan_ = *std::move(plan);
    return words;
  }
  std::string Why(const std::string& name) {
    const absl::StatusOr<std::string> words = plan_.Explain(name);
    return words.ok() ? *words : words.status().ToString();
  }
  std::string Refusal(const std::string& profile) {
    return std::string(cluster_.Schedule(profile).status().message());
  }

  Cluster cluster_;
  Plan plan_;
  int64_t clock_ = 0;
};

TEST_F(ArmadaProfile, QueuesTakeTurnsByTheirCost) {
  Node("n", 4);
  Queue("a");
  Queue("b");
  Job("x", "a", 4);
  Job("y", "b", 4);
  EXPECT_EQ(Live(), "bind x0 n; bind x1 n; bind y0 n; bind y1 n");
  EXPECT_EQ(Why("x"),
            "x: placed 2 of 4; no node fits\n  1 node: cpu (job does not fit on any node)\n");
}

TEST_F(ArmadaProfile, APriorityFactorDividesTheWeight) {
  Node("n", 3);
  Queue("a", {{"armada/priority_factor", "2"}});
  Queue("b");
  Job("x", "a", 3);
  Job("y", "b", 3);
  EXPECT_EQ(Live(), "bind x0 n; bind y0 n; bind y1 n");
}

TEST_F(ArmadaProfile, TheFullestNodeThatFitsIsTaken) {
  Node("large", 8);
  Node("small", 2);
  Queue("a");
  Job("x", "a", 1, false, {}, 2);
  EXPECT_EQ(Live(), "bind x0 small");
}

TEST_F(ArmadaProfile, AQueueAboveItsShareLosesItsNewestJobs) {
  Node("n", 4);
  Queue("a");
  Queue("b");
  Job("x", "a", 4);
  RunAll("x", 4, "n");
  Job("y", "b", 4);
  EXPECT_EQ(Live(), "evict x2 n; evict x3 n; nominate y0 n; nominate y1 n");
  ASSERT_EQ(plan_.evictions().size(), 2u);
  EXPECT_EQ(plan_.task_name(plan_.evictions()[0].beneficiary), "y1");
  EXPECT_EQ(plan_.task_name(plan_.evictions()[1].beneficiary), "y0");
  // The places are leased: neither a's jobs nor b's others get them while the victims leave.
  EXPECT_EQ(Live(), "nominate y0 n; nominate y1 n");
  Accept(cluster_.RemoveTask("x2"));
  EXPECT_EQ(Live(), "bind y0 n; nominate y1 n");
  Accept(cluster_.RemoveTask("x3"));
  EXPECT_EQ(Live(), "bind y1 n");
  EXPECT_EQ(Live(), "");
}

TEST_F(ArmadaProfile, TheProtectedFractionAndClassesKeepJobs) {
  Node("n", 2);
  Queue("a");
  Queue("b");
  Job("x", "a", 2);
  RunAll("x", 2, "n");
  Job("y", "b", 1);
  EXPECT_EQ(Live("armada:round(classes=p:1:preemptible,protected=2)"), "");
  EXPECT_EQ(Live("armada:round(classes=p:1)"), "");
  // The default class is not preemptible either.
  EXPECT_EQ(Live("armada"), "");
  EXPECT_EQ(Live(), "evict x1 n; nominate y0 n");
}

TEST_F(ArmadaProfile, ATaskThatIsNotPreemptableStays) {
  Node("n", 2);
  Queue("a");
  Queue("b");
  Job("x", "a", 1);
  RunAll("x", 1, "n");
  Accept(cluster_.AddTask({.name = "kept",
                           .job = "x",
                           .shape = {.request = {{"cpu", 1}}},
                           .status = TaskStatus::kRunning,
                           .node = "n",
                           .preemptable = false}));
  Job("y", "b", 2);
  EXPECT_EQ(Live(), "evict x0 n; nominate y0 n");
}

TEST_F(ArmadaProfile, AnUrgentJobDisplacesALowerPriority) {
  const std::string profile =
      "armada:round(classes=low:1:preemptible+high:2:preemptible,burst=0,queue_burst=0)";
  Node("n", 2);
  Queue("a");
  Queue("b");
  Job("x", "a", 1);
  Job("y", "b", 1);
  RunAll("x", 1, "n");
  RunAll("y", 1, "n");
  Job("z", "b", 1, false, {{"armada/class", "high"}}, 2);
  EXPECT_EQ(Live(profile), "evict x0 n; evict y0 n; nominate z0 n");
}

TEST_F(ArmadaProfile, AGangIsPlacedAndEvictedAsAWhole) {
  Node("n0", 2);
  Node("n1", 2);
  Queue("a");
  Queue("b");
  Job("five", "a", 5, true);
  Job("four", "a", 4, true);
  EXPECT_EQ(Live(), "bind four0 n0; bind four1 n0; bind four2 n1; bind four3 n1");
  EXPECT_THAT(Why("five"), HasSubstr("no node fits"));
  ASSERT_FALSE(plan_.reasons().empty());
  EXPECT_EQ(plan_.reasons()[0].where, "unable to schedule gang since minimum cardinality not met");
  EXPECT_EQ(Why("five"),
            "five: no node fits\n  2 nodes: cpu (unable to schedule gang since minimum cardinality "
            "not met)\n");
  Accept(cluster_.RemoveJob("five"));
  for (int i = 0; i < 4; ++i) {
    testing::Run(cluster_, "four" + std::to_string(i), i < 2 ? "n0" : "n1");
  }
  Job("y", "b", 1);
  EXPECT_EQ(Live(),
            "evict four0 n0; evict four1 n0; evict four2 n1; evict four3 n1; "
            "nominate y0 n1");
}

TEST_F(ArmadaProfile, ANodeMayHaveRoomForOneOfAGang) {
  Node("n", 2);
  Queue("a");
  Job("three", "a", 3, true);
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(Why("three"),
            "three: no node fits\n  1 node: has room for one task of the gang (unable to schedule "
            "gang since minimum cardinality not met)\n");
}

TEST_F(ArmadaProfile, AGangWithTooFewTasksIsInvalid) {
  Node("n", 3);
  Queue("a");
  JobSpec job{.name = "x", .queue = "a", .min_available = 3};
  AddJob(cluster_, job, 1, {{"cpu", 1}});
  // Alone, there is nothing for a round to do.
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(Why("x"), "x: has fewer tasks than it needs\n");
  Job("y", "a", 1);
  EXPECT_EQ(Live(), "bind y0 n");
  EXPECT_EQ(Why("x"), "x: has fewer tasks than it needs\n");
}

TEST_F(ArmadaProfile, TasksBeyondTheMinimumFollowOneByOne) {
  Node("n", 3);
  Queue("a");
  JobSpec job{.name = "x", .queue = "a", .min_available = 2};
  AddJob(cluster_, job, 4, {{"cpu", 1}});
  EXPECT_EQ(Live(), "bind x0 n; bind x1 n");
  EXPECT_EQ(Live(), "bind x2 n");
}

TEST_F(ArmadaProfile, AUniformGangStaysWithinOneValue) {
  const std::string profile = "armada:round(burst=0,queue_burst=0,indexed_labels=zone)";
  Node("a0", 1, {{"zone", "a"}});
  Node("b0", 1, {{"zone", "b"}});
  Node("b1", 1, {{"zone", "b"}});
  Queue("q");
  Job("x", "q", 2, true, {{"armada/uniformity", "zone"}});
  EXPECT_EQ(Live(profile), "bind x0 b0; bind x1 b1");
  Job("y", "q", 2, true, {{"armada/uniformity", "rack"}});
  EXPECT_EQ(Live(profile), "");
  ASSERT_FALSE(plan_.reasons().empty());
  EXPECT_EQ(plan_.reasons()[0].where, "uniformity label rack is not indexed");
}

TEST_F(ArmadaProfile, TokensComeBackWithTime) {
  const std::string profile = "armada:round(rate=1,burst=3,queue_rate=2,queue_burst=2)";
  Node("n", 9);
  Queue("a");
  Queue("b");
  Job("x", "a", 9);
  EXPECT_EQ(Live(profile, 10), "bind x0 n; bind x1 n");
  EXPECT_EQ(Why("x"), "x: placed 2 of 9; not admitted: queue scheduling rate limit exceeded\n");
  Job("y", "b", 9);
  EXPECT_EQ(Live(profile, 10), "bind y0 n");
  EXPECT_THAT(Why("y"), HasSubstr("global scheduling rate limit exceeded"));
  EXPECT_EQ(Live(profile, 10), "");
  EXPECT_EQ(Live(profile, 12), "bind x2 n; bind y1 n");
  const MemorySlot* tokens = plan_.memory().Find("armada-tokens");
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->Real("round"), 0.0);
  EXPECT_EQ(tokens->Integer("round", 1), 12);
  EXPECT_EQ(tokens->Real("queue/a"), 1.0);
}

TEST_F(ArmadaProfile, ARateOfZeroBringsNothingBack) {
  const std::string profile = "armada:round(rate=0,burst=1)";
  Node("n", 9);
  Queue("a");
  Job("x", "a", 2);
  EXPECT_EQ(Live(profile, 0), "bind x0 n");
  EXPECT_EQ(Live(profile, 1'000'000), "");
}

TEST_F(ArmadaProfile, ARoundExceedsItsLimitByOneGang) {
  Node("n", 4);
  Queue("a");
  Job("x", "a", 4);
  EXPECT_EQ(Live("armada:round(round_limit=cpu:0.25)"), "bind x0 n; bind x1 n");
  EXPECT_THAT(Why("x"), HasSubstr("maximum resources scheduled"));
}

TEST_F(ArmadaProfile, LimitsOfQueuesHoldForEachClass) {
  const std::string classes = "armada:round(classes=p:1:preemptible+q:1:preemptible";
  Node("n", 8);
  Queue("a", {{"armada/class_limits", "p/cpu:0.25"}});
  Job("x", "a", 3);
  Job("y", "a", 3, false, {{"armada/class", "q"}});
  EXPECT_EQ(Live(classes + ",class_limits=p/cpu:0.5+q/cpu:0.125)"),
            "bind x0 n; bind x1 n; bind y0 n");
  EXPECT_EQ(Why("y"),
            "y: placed 1 of 3; queue \"a\" would exceed its limit in cpu "
            "(armada: resource limit exceeded)\n");
}

TEST_F(ArmadaProfile, AClosedQueueIsCordoned) {
  Node("n", 2);
  Accept(cluster_.AddQueue({.name = "a"}));
  Job("x", "a", 1);
  Accept(cluster_.UpdateQueue({.name = "a", .state = QueueState::kClosed}));
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(Why("x"), "x: queue \"a\" is closed (armada: queue cordoned)\n");
}

TEST_F(ArmadaProfile, NodesOfACordonedExecutorTakeNoJobs) {
  for (const char* name : {"n0", "n1"}) {
    NodeSpec node{.name = name, .capacity = {{"cpu", 4}}};
    node.settings = {{"armada/executor", name[1] == '0' ? "east" : "west"}};
    Accept(cluster_.AddNode(node));
  }
  Queue("a");
  Queue("b");
  Job("x", "a", 3);
  RunAll("x", 3, "n0");
  Job("y", "a", 4);
  Job("z", "b", 4);
  const std::string profile =
      "armada:round(classes=p:1:preemptible,burst=0,queue_burst=0,cordoned=east+other)";
  // The jobs there stay, and count for their queue: a gets one of the four cpu.
  EXPECT_EQ(Live(profile), "bind y0 n1; bind z0 n1; bind z1 n1; bind z2 n1");
  EXPECT_EQ(Live(kFree), "bind z3 n0");
}

TEST_F(ArmadaProfile, LimitsOfOnePoolGoBeforeThoseOfAll) {
  Node("na", 8, {}, {}, "a");
  Node("nb", 8, {}, {}, "b");
  Queue("q", {{"armada/class_limits", "p/cpu:0.5"}, {"armada/pool_class_limits", "b:p/cpu:0.125"}});
  Job("x", "q", 8);
  EXPECT_EQ(Live("armada:actions=round(pool=b,classes=p:1)+round(pool=a,classes=p:1)"),
            "bind x0 nb; bind x1 na; bind x2 na; bind x3 na; bind x4 na");
}

TEST_F(ArmadaProfile, TheOptimiserKeepsToTheSizesOfJobs) {
  const std::string profile =
      "armada:round(classes=p:1:preemptible,burst=0,queue_burst=0,optimiser=on,optimiser_gain=0,"
      "protected=9,optimiser_jobs=9";
  const auto placed = [&](const std::string& options) {
    cluster_ = Cluster();
    Node("n", 4);
    Queue("a");
    Queue("b");
    Job("x", "a", 4);
    RunAll("x", 4, "n");
    Job("y", "b", 1, false, {}, 2);
    return Live(profile + options);
  };
  const std::string traded = placed(")");
  EXPECT_THAT(traded, HasSubstr("nominate y0 n"));
  EXPECT_EQ(placed(",optimiser_smallest=cpu:2,optimiser_largest=cpu:1)"), traded);
  EXPECT_EQ(placed(",optimiser_smallest=cpu:3)"), "");
  EXPECT_EQ(placed(",optimiser_largest=cpu:500m)"), "");
  EXPECT_EQ(placed(",optimiser_limit=cpu:0.25)"), "");
}

TEST_F(ArmadaProfile, JobsGoAwayAtALowerPriorityAndLeaveFirst) {
  const std::string profile =
      "armada:round(classes=home:5:preemptible+guest:5:preemptible:gpu@3,burst=0,queue_burst=0,"
      "node_types=gpu:gpu:*)";
  Node("g", 2, {}, {{"gpu", "yes", TaintEffect::kNoSchedule}});
  Queue("a");
  Queue("b");
  Job("x", "a", 2, false, {{"armada/class", "guest"}});
  EXPECT_EQ(Live(profile), "bind x0 g; bind x1 g");
  EXPECT_EQ(plan_.memory().Find("armada-runs")->Integer("x0", 1), 3);
  RunAll("x", 2, "g");
  EXPECT_EQ(Live(profile), "");
  // A job at home has a higher priority there, whatever the shares.
  Job("y", "a", 1, false, {{"armada/class", "home"}});
  Accept(
      cluster_.AddTask({.name = "y1",
                        .job = "y",
                        .shape = {.request = {{"cpu", 2}},
                                  .tolerations = {{.key = "gpu", .op = TolerationOp::kExists}}}}));
  EXPECT_EQ(Live(profile), "evict x0 g; evict x1 g; nominate y1 g");
  EXPECT_EQ(plan_.memory().Find("armada-runs")->Find("x0"), nullptr);
}

TEST_F(ArmadaProfile, PoolsLendNodesAndTakeThemBack) {
  const std::string profile =
      "armada:actions=round(pool=a,away=a:b,classes=p:1:preemptible,burst=0,queue_burst=0)+"
      "round(pool=b,away=a:b,classes=p:1:preemptible,burst=0,queue_burst=0)";
  Node("na", 1, {}, {}, "a");
  Node("nb", 1, {}, {}, "b");
  Queue("q");
  Job("x", "q", 2, false, {{"armada/pools", "a"}});
  EXPECT_EQ(Live(profile), "bind x0 na; bind x1 nb");
  RunAll("x", 1, "na");
  testing::Run(cluster_, "x1", "nb");
  Job("y", "q", 1, false, {{"armada/pools", "b"}});
  EXPECT_EQ(Live(profile), "evict x1 nb; nominate y0 nb");
}

TEST_F(ArmadaProfile, AGangStaysWithinOnePool) {
  const std::string profile =
      "armada:actions=round(pool=a,classes=p:1:preemptible)+round(pool=b,classes=p:1:preemptible)";
  Node("na", 2, {}, {}, "a");
  Node("nb", 3, {}, {}, "b");
  Queue("q");
  Job("wide", "q", 4, true, {{"armada/pools", "a+b"}});
  Job("fits", "q", 3, true, {{"armada/pools", "a+b"}});
  EXPECT_EQ(Live(profile), "bind fits0 nb; bind fits1 nb; bind fits2 nb");
  EXPECT_THAT(Why("wide"), HasSubstr("minimum cardinality not met"));
}

TEST_F(ArmadaProfile, APriorityFactorOfZeroIsThatOfOne) {
  Node("n", 4);
  Queue("a", {{"armada/priority_factor", "0"}});
  Queue("b", {{"armada/priority_factor", "1"}});
  Job("x", "a", 4);
  Job("y", "b", 4);
  EXPECT_EQ(Live(), "bind x0 n; bind x1 n; bind y0 n; bind y1 n");
}

TEST_F(ArmadaProfile, AMarketGoesByBids) {
  Node("n", 2);
  Queue("a");
  Queue("b");
  Job("x", "a", 2, false, {{"armada/bid", "1"}, {"armada/running_bid", "1"}});
  Job("y", "b", 2, false, {{"armada/bid", "2"}});
  const std::string profile = "armada:round(classes=p:1:preemptible,market=on)";
  EXPECT_EQ(Live(profile), "bind y0 n; bind y1 n");
  EXPECT_EQ(plan_.reasons()[0].where,
            "job does not fit on any node; a node would have room from a bid of 2");
}

TEST_F(ArmadaProfile, ShortJobsCountAgainstTheirQueueUntilTheCutoff) {
  const std::string free = "armada:round(classes=p:1:preemptible,burst=0,queue_burst=0";
  Node("n", 1);
  Queue("a");
  Queue("b");
  Accept(cluster_.AddJob({.name = "short", .queue = "a"}));
  Accept(cluster_.AddTask({.name = "short0",
                           .job = "short",
                           .shape = {.request = {{"cpu", 1}}},
                           .status = TaskStatus::kSucceeded,
                           .started = 100}));
  Job("x", "a", 1);
  Job("y", "b", 1);
  EXPECT_EQ(Decide(cluster_, free + ")", 110), "bind x0 n");
  EXPECT_EQ(Decide(cluster_, free + ",short_job_cutoff=60)", 160), "bind x0 n");
  EXPECT_EQ(Live(free + ",short_job_cutoff=60)", 110), "bind y0 n");
  const MemorySlot* slot = plan_.memory().Find("armada-short-jobs");
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->Text("short0", 0), "a");
  EXPECT_EQ(slot->Integer("short0", 1), 160);
  Accept(cluster_.RemoveTask("short0"));
  Live(free + ",short_job_cutoff=60)", 159);
  EXPECT_EQ(plan_.memory().Find("armada-short-jobs")->rows().size(), 1u);
  Live(free + ",short_job_cutoff=60)", 160);
  EXPECT_TRUE(plan_.memory().Find("armada-short-jobs")->rows().empty());
}

TEST_F(ArmadaProfile, FloatingResourcesBelongToThePool) {
  Node("n", 8);
  Queue("a");
  JobSpec job{.name = "x", .queue = "a"};
  AddJob(cluster_, job, 3, {{"cpu", 1}, {"license", 1}});
  EXPECT_EQ(Live("armada:round(floating=license:2)"), "bind x0 n; bind x1 n");
  EXPECT_THAT(Why("x"), HasSubstr("not enough floating resource license"));
}

TEST_F(ArmadaProfile, TheNextDecisionsAreAPrefix) {
  Node("n", 4);
  Queue("a");
  Job("x", "a", 2, true);
  Job("y", "a", 1);
  ScheduleOptions options;
  options.turn = NextDecisions{1};
  const absl::StatusOr<Plan> plan =
      cluster_.Schedule("armada:round(burst=9,queue_burst=9)", options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 2u);  // the gang
  EXPECT_EQ(plan->memory().Find("armada-tokens")->Real("round"), 7.0);
}

TEST_F(ArmadaProfile, OptionsThatContradictThemselvesAreRefused) {
  Node("n", 1);
  const auto refusal = [&](const std::string& options) {
    return Refusal("armada:round(" + options + ")");
  };
  EXPECT_EQ(refusal("classes=p:-1"),
            "action round, option classes: \"p:-1\" must be NAME:PRIORITY, with a priority from 0 "
            "to 2147483647");
  EXPECT_EQ(refusal("classes=p:1+p:2"),
            "action round, option classes: \"p:2\" names a class twice");
  EXPECT_EQ(
      refusal("classes=p:1:gpu@0,node_types=gpu:gpu:*"),
      "action round, option classes: \"p:1:gpu@0\" has away nodes, so it must be preemptible");
  EXPECT_EQ(refusal("classes=p:1:preemptible:gpu@0"),
            "action round, option classes: \"gpu\" is no node type; must be one of option "
            "node_types");
  EXPECT_EQ(refusal("default_class=q"),
            "action round, option default_class: \"q\" must be one of option classes");
  EXPECT_EQ(refusal("class_limits=q/cpu:1"),
            "action round, option class_limits: \"q/cpu:1\" names no class of option classes");
  EXPECT_EQ(refusal("indexed=cpu:0"),
            "action round, option indexed: \"cpu\" must have a resolution above 0");
  EXPECT_EQ(refusal("resources=cpu:-1"),
            "action round, option resources: \"cpu:-1\" must be a resource with a number of 0 or "
            "more, NAME:NUMBER");
  EXPECT_EQ(refusal("optimiser_smallest=cpu"),
            "action round, option optimiser_smallest: \"cpu\" must be a resource with an amount, "
            "NAME:AMOUNT");
  EXPECT_EQ(refusal("market=on,preemption_burst=1"),
            "action round, option preemption_burst: \"1\" must be 0 in a market");
}

TEST_F(ArmadaProfile, SettingsThatAreWrongAreRefused) {
  Node("n", 1);
  Queue("a", {{"armada/priority", "2"}});
  EXPECT_EQ(Refusal("armada"), "queue \"a\", setting \"armada/priority\": is not known");
  Accept(
      cluster_.UpdateQueue({.name = "a", .settings = {{"armada/pool_class_limits", "p/cpu:1"}}}));
  EXPECT_EQ(
      Refusal("armada"),
      "queue \"a\", setting \"armada/pool_class_limits\": is \"p/cpu:1\"; \"p/cpu:1\" must be "
      "POOL:CLASS/RESOURCE:FRACTION");
  Accept(cluster_.UpdateQueue({.name = "a", .settings = {{"armada/priority_factor", "x"}}}));
  EXPECT_EQ(Refusal("armada"),
            "queue \"a\", setting \"armada/priority_factor\": is \"x\"; must be a number from "
            "-1000000000 to 1000000000");
  Accept(cluster_.UpdateQueue({.name = "a", .settings = {{"other/priority", "x"}}}));
  Job("x", "a", 1, false, {{"armada/class", "none"}});
  EXPECT_EQ(Refusal("armada"),
            "job \"x\", setting \"armada/class\": is \"none\"; must be a class of option classes "
            "of action round");
}

}  // namespace
}  // namespace muster::testing
