// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile htcondor on clusters: what its rows become, what its plans do to them, and what it keeps
// from cycle to cycle.
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class HtCondorProfile : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpus, Labels settings = {}) {
    Accept(cluster_.AddNode({.name = name,
                             .capacity = {{"cpu", cpus}, {"memory", "8Gi"}, {"pods", 20}},
                             .settings = std::move(settings)}));
  }
  // A job of the user with tasks NAME0, NAME1, ... of one cpu each.
  void Job(const std::string& name, const std::string& user, int tasks, Labels settings = {},
           const std::string& queue = "default", int32_t priority = 0) {
    JobSpec job{.name = name, .queue = queue, .priority = priority};
    job.created = ++clock_;
    job.owner = JobOwner{.user = user};
    job.settings = std::move(settings);
    AddJob(cluster_, job, tasks, {{"cpu", 1}, {"memory", "1Gi"}});
  }
  void Pool(Labels settings) {
    Accept(cluster_.UpdateQueue({.name = "default", .settings = std::move(settings)}));
  }
  // Decides, compares a living with a frozen cluster, and follows the plan.
  std::string Live(const std::string& profile = "htcondor", int64_t now = 0) {
    const std::string words = Decide(cluster_, profile, now);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.now = now});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const absl::StatusOr<Plan> frozen = Schedule(cluster_.Freeze(), profile, {.now = now});
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return words;
  }
  std::string Error(const std::string& profile = "htcondor") {
    return std::string(Schedule(cluster_.Freeze(), profile).status().message());
  }
  std::string Why(const std::string& job, const std::string& profile = "htcondor") {
    const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan->Explain(job).value_or("nothing");
  }

  Cluster cluster_;
  int64_t clock_ = 0;
};

constexpr const char* kDivided = "htcondor:negotiate(consumption=on)";
constexpr const char* kDividedFree = "htcondor:negotiate(consumption=on,preemption=off)";

// A partitionable slot without consumption policy is matched once a cycle, as a whole.
TEST_F(HtCondorProfile, ANodeServesOneJobInACycle) {
  Node("n", 4);
  Job("j", "ann", 2);
  EXPECT_EQ(Live(), "bind j0 n");
  EXPECT_EQ(Live(), "bind j1 n");
  EXPECT_EQ(Live(), "");
}

TEST_F(HtCondorProfile, AConsumptionPolicyDividesIt) {
  Node("n", 3);
  Job("j", "ann", 4);
  EXPECT_EQ(Live(kDivided), "bind j0 n; bind j1 n; bind j2 n");
  EXPECT_EQ(Why("j", kDivided),
            "j: no node fits\n  1 node: reject the job because of their own requirements (no match "
            "found)\n");
}

// Three users of priority 500, 1000, 2000 get 4, 2 and 1 of seven slots.
TEST_F(HtCondorProfile, SlotsAreDividedByUserPriority) {
  Pool({{"htcondor/factors", "ann@pool:500,bob@pool:1000,eve@pool:2000"}});
  for (int n = 0; n < 7; ++n) Node("n" + std::to_string(n), 1);
  for (const char* const user : {"eve", "bob", "ann"}) Job(user, user, 7);
  EXPECT_EQ(Live("htcondor:negotiate(preemption=off)"),
            "bind ann0 n0; bind ann1 n1; bind ann2 n2; bind ann3 n3; bind bob0 n4; bind bob1 n5; "
            "bind eve0 n6");
}

// Ten slots for one half-life: 0.5, 5.25, 7.625, 8.8125.
TEST_F(HtCondorProfile, UsageIsRememberedAndDecays) {
  for (int n = 0; n < 10; ++n) Node("n" + std::to_string(n), 1);
  Job("j", "ann", 10);
  const std::string profile = "htcondor:negotiate(half_life=100)";
  Live(profile, 1'000);
  const double expected[] = {5.25, 7.625, 8.8125};
  for (int step = 0; step < 3; ++step) {
    Live(profile, 1'100 + 100 * step);
    const MemorySlot* slot = cluster_.memory().Find("htcondor-accountant");
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->Real("u/ann@pool"), expected[step]);
  }
}

TEST_F(HtCondorProfile, PastUsageComesFromTheHistoryOfTheQueue) {
  Node("n", 1);
  Accept(cluster_.UpdateQueue(
      {.name = "default",
       .history =
           UsageHistory{.entries = {{.user = "ann", .priority = Quantity("8"), .factor = 2},
                                    {.user = "bob", .priority = Quantity("3"), .factor = 2}}}}));
  Job("a", "ann", 1);
  Job("b", "bob", 1);
  EXPECT_EQ(Live(), "bind b0 n");
}

TEST_F(HtCondorProfile, RequirementsAndRanksOfBothSidesDecide) {
  Accept(cluster_.AddNode(
      {.name = "ssd", .capacity = {{"cpu", 1}, {"memory", "8Gi"}}, .labels = {{"disk", "ssd"}}}));
  Node("open", 1, {{"htcondor/+KFlops", "20"}});
  Node("fast", 1, {{"htcondor/+KFlops", "90"}});
  Node("hep", 1, {{"htcondor/START", "TARGET.Department =?= \"hep\""}});
  Job("disk", "ann", 1, {{"htcondor/requirements", "TARGET.disk == \"ssd\""}});
  Job("flops", "ann", 1, {{"htcondor/rank", "TARGET.KFlops"}});
  Job("physics", "ann", 1,
      {{"htcondor/+Department", "\"hep\""}, {"htcondor/rank", "TARGET.Machine == \"hep\""}});
  Job("error", "ann", 1, {{"htcondor/requirements", "1 / 0 == 1"}});
  Pool({{"htcondor/NEGOTIATOR_PRE_JOB_RANK", "0"}});
  EXPECT_EQ(Live(), "bind disk0 ssd; bind flops0 fast; bind physics0 hep");
}

// The reason has the words of the peer, and the number of slots that refuse.
TEST_F(HtCondorProfile, ReasonsNameTheSideThatRefuses) {
  Node("a", 2, {{"htcondor/START", "false"}});
  Node("b", 2);
  Node("c", 2);
  Job("j", "ann", 1, {{"htcondor/requirements", "TARGET.Cpus > 2"}});
  EXPECT_EQ(Why("j"),
            "j: no node fits\n  2 nodes: rejected by the job's requirements; 1 node: reject the "
            "job because of their own requirements (no match found)\n");
  const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), "htcondor");
  ASSERT_EQ(plan->reasons().size(), 1u);
  EXPECT_EQ(plan->reasons()[0].where, "no match found");
}

TEST_F(HtCondorProfile, ATaintAndACordonArePartOfTheRequirements) {
  Accept(cluster_.AddNode({.name = "tainted",
                           .capacity = {{"cpu", 1}, {"memory", "8Gi"}},
                           .taints = {{.key = "gpu", .effect = TaintEffect::kNoSchedule}}}));
  Accept(cluster_.AddNode(
      {.name = "shut", .capacity = {{"cpu", 1}, {"memory", "8Gi"}}, .unschedulable = true}));
  Accept(cluster_.AddNode(
      {.name = "mute", .capacity = {{"cpu", 1}, {"memory", "8Gi"}}, .ready = false}));
  Job("j", "ann", 1);
  EXPECT_EQ(Live(), "");
  EXPECT_THAT(Why("j"), HasSubstr("1 node: unschedulable; 1 node: taint gpu"));
}

TEST_F(HtCondorProfile, ConcurrencyLimitsCountWhatRunsToo) {
  Pool({{"htcondor/concurrency_limits", "lic:3"}});
  for (int n = 0; n < 4; ++n) Node("n" + std::to_string(n), 1);
  Job("j", "ann", 3, {{"htcondor/concurrency_limits", "LIC:2"}});
  EXPECT_EQ(Live(), "bind j0 n0");
  EXPECT_EQ(Live(), "");
  EXPECT_THAT(Why("j"), HasSubstr("concurrency limit reached"));
}

TEST_F(HtCondorProfile, ASubmitterLimitIsAReason) {
  Node("n", 4);
  Node("m", 4);
  Job("a", "ann", 5);
  Job("b", "bob", 5);
  // What is left of a slot goes back into the list before the first that is better, not worse.
  EXPECT_EQ(
      Live(kDividedFree),
      "bind a0 n; bind a1 m; bind a2 n; bind a3 m; bind b0 n; bind b1 m; bind b2 n; bind b3 m");
  Accept(cluster_.AddNode({.name = "o", .capacity = {{"cpu", 1}, {"memory", "8Gi"}}}));
  Pool({{"htcondor/ceilings", "ann@pool:4"}});
  EXPECT_EQ(Live(kDividedFree), "bind b4 o");
  EXPECT_THAT(Why("a", kDividedFree), HasSubstr("its ceiling or the quota of its group"));
}

TEST_F(HtCondorProfile, JobsOfASubmitterGoByTheirOrders) {
  Node("n", 1);
  Job("old", "ann", 1);
  Job("important", "ann", 1, {}, "default", /*priority=*/5);
  Job("first", "ann", 1, {{"htcondor/pre_job_prio1", "1"}});
  EXPECT_EQ(Live(), "bind first0 n");
}

TEST_F(HtCondorProfile, GroupsKeepTheirQuotas) {
  Accept(cluster_.AddQueue({.name = "hep", .settings = {{"htcondor/quota", "1"}}}));
  Accept(cluster_.AddQueue({.name = "bio", .deserved = Resources{{"cpu", 2}}}));
  Node("n", 4);
  Job("h", "ann", 4, {}, "hep");
  Job("b", "ann", 4, {}, "bio");
  EXPECT_EQ(Live(kDividedFree), "bind b0 n; bind b1 n; bind h0 n");
  EXPECT_EQ(Live(kDividedFree), "");
  Accept(cluster_.UpdateQueue(
      {.name = "hep", .settings = {{"htcondor/quota", "1"}, {"htcondor/accept_surplus", "true"}}}));
  EXPECT_EQ(Live(kDividedFree), "bind h1 n");
}

// By weight, where a queue sets no quota: 3 of 4 and 1 of 4.
TEST_F(HtCondorProfile, WeightsAreDynamicQuotas) {
  Accept(cluster_.AddQueue({.name = "large", .weight = 3}));
  Accept(cluster_.AddQueue({.name = "small"}));
  Node("n", 4);
  Job("l", "ann", 4, {}, "large");
  Job("s", "ann", 4, {}, "small");
  EXPECT_EQ(Live(kDividedFree), "bind l0 n; bind l1 n; bind l2 n; bind s0 n");
}

// PREEMPTION_REQUIREMENTS is false unless the pool sets it.
TEST_F(HtCondorProfile, AUserOfBetterPriorityEvictsIfTheRuleAllowsIt) {
  Node("n", 1);
  Job("low", "ann", 1);
  EXPECT_EQ(Live(), "bind low0 n");
  testing::Run(cluster_, "low0", "n");
  Job("high", "bob", 1);
  Labels settings = {{"htcondor/factors", "ann@pool:1000,bob@pool:10"}};
  Pool(settings);
  EXPECT_EQ(Live(), "");
  EXPECT_THAT(Why("high"), HasSubstr("PREEMPTION_REQUIREMENTS == False"));
  settings.emplace_back("htcondor/PREEMPTION_REQUIREMENTS",
                        "RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2");
  Pool(settings);
  EXPECT_EQ(Live("htcondor:negotiate(preemption=off)"), "");
  EXPECT_EQ(Live(), "evict low0 n; nominate high0 n");
  // The claim is kept while the other leaves.
  EXPECT_EQ(Live(), "nominate high0 n");
  Accept(cluster_.RemoveTask("low0"));
  EXPECT_EQ(Live(), "bind high0 n");
}

TEST_F(HtCondorProfile, AMachineThatPrefersTheJobEvictsByRank) {
  Node("n", 1, {{"htcondor/RANK", "TARGET.Owner == \"bob\""}});
  Job("other", "ann", 1);
  EXPECT_EQ(Live(), "bind other0 n");
  testing::Run(cluster_, "other0", "n");
  Job("own", "bob", 1);
  const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), "htcondor");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->evictions().size(), 1u);
  EXPECT_EQ(plan->task_name(plan->evictions()[0].beneficiary), "own0");
  EXPECT_EQ(Live(), "evict other0 n; nominate own0 n");
}

TEST_F(HtCondorProfile, TasksThatMayNotBePreemptedAreNotOffered) {
  Node("n", 1, {{"htcondor/RANK", "TARGET.Owner == \"bob\""}});
  JobSpec job{.name = "kept"};
  Accept(cluster_.AddJob(job));
  TaskSpec task{.name = "kept0",
                .job = "kept",
                .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}},
                .status = TaskStatus::kRunning,
                .node = "n",
                .preemptable = false};
  Accept(cluster_.AddTask(task));
  Job("own", "bob", 1);
  EXPECT_EQ(Live(), "");
  Accept(cluster_.RemoveTask("kept0"));
  task.preemptable = true;
  task.protected_until = 50;  // a retirement time of 50 seconds
  Accept(cluster_.AddTask(task));
  EXPECT_EQ(Live(), "");
  EXPECT_EQ(Live("htcondor:negotiate(early_preemption=on)"), "evict kept0 n; nominate own0 n");
}

TEST_F(HtCondorProfile, ASettingThatIsWrongRefusesTheCycle) {
  Pool({{"htcondor/START", "1 +"}});
  EXPECT_EQ(Error(),
            "queue \"default\", setting \"htcondor/START\": is \"1 +\"; expression, byte 3: an "
            "operand is expected");
  Pool({{"htcondor/concurrency_limits", "lic"}});
  EXPECT_THAT(Error(), HasSubstr("must be NAME:NUMBER,..., numbers from 0 to 1e15"));
  Pool({{"htcondor/preemption_rank", "1"}});
  EXPECT_THAT(Error(), HasSubstr("setting \"htcondor/preemption_rank\": is not known"));
  Pool({{"other/key", "is not read"}});
  Node("n", 1, {{"htcondor/+Cpus", "100"}});
  EXPECT_EQ(Error(),
            "node \"n\", setting \"htcondor/+Cpus\": is \"100\"; is an attribute that the profile "
            "sets itself");
  Accept(cluster_.RemoveNode("n"));
  Job("j", "ann", 1, {{"htcondor/requirements", "regexp(\"a\", Owner)"}});
  EXPECT_THAT(Error(), HasSubstr("job \"j\", setting \"htcondor/requirements\""));
  EXPECT_THAT(Error(), HasSubstr("function regexp is not known"));
  Accept(cluster_.RemoveJob("j"));
  Accept(cluster_.AddQueue({.name = "hep"}));
  Accept(cluster_.AddQueue({.name = "HEP"}));
  EXPECT_EQ(Error(), "queue \"HEP\": accounting group \"HEP\" is that of queue \"hep\"");
  Accept(cluster_.RemoveQueue("HEP"));
  Accept(cluster_.AddQueue({.name = "a.b"}));
  EXPECT_THAT(Error(), HasSubstr("it must have no \".\" and no \"@\""));
  Accept(cluster_.RemoveQueue("a.b"));
  Accept(cluster_.UpdateQueue({.name = "hep", .settings = {{"htcondor/quota_dynamic", "2"}}}));
  EXPECT_THAT(Error(), HasSubstr("must be a number from 0 to 1"));
  EXPECT_THAT(Error("htcondor:negotiate(half_life=0)"), HasSubstr("half_life"));
}

// Names of queues below others may repeat the name above: "hep.higgs" below "hep" is one step.
TEST_F(HtCondorProfile, GroupsNestByTheTreeOfQueues) {
  Accept(cluster_.AddQueue({.name = "hep", .settings = {{"htcondor/quota", "2"}}}));
  Accept(cluster_.AddQueue(
      {.name = "hep.higgs", .parent = "hep", .settings = {{"htcondor/quota", "1"}}}));
  Accept(
      cluster_.AddQueue({.name = "susy", .parent = "hep", .settings = {{"htcondor/quota", "1"}}}));
  Node("n", 4);
  Job("h", "ann", 3, {}, "hep.higgs");
  Job("s", "ann", 3, {}, "susy");
  EXPECT_EQ(Live(kDividedFree), "bind h0 n; bind s0 n");
  const MemorySlot* slot = cluster_.memory().Find("htcondor-accountant");
  ASSERT_NE(slot, nullptr);
  EXPECT_NE(slot->Find("u/hep.higgs.ann@pool"), nullptr);
  EXPECT_NE(slot->Find("u/hep.susy.ann@pool"), nullptr);
}

// A plan of the next decisions begins the whole one, and remembers the matches that it made.
TEST_F(HtCondorProfile, NextDecisionsGoOnWhereTheyEnded) {
  Node("n", 4);
  Job("j", "ann", 4);
  ScheduleOptions next;
  next.turn = NextDecisions{1};
  std::string words;
  for (int i = 0; i < 4; ++i) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(kDivided, next);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(plan->binds().size(), 1u);
    words += std::string(plan->task_name(plan->binds()[0].task)) + " ";
    Accept(cluster_.Apply(*plan).status());
  }
  EXPECT_EQ(words, "j0 j1 j2 j3 ");
}

}  // namespace
}  // namespace muster::testing
