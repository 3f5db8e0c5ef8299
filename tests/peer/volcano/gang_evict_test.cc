// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// gangpreempt and gangreclaim, one small world a rule. Plans in words: "evict v0; nominate g0 n0".
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "muster/muster.h"

namespace muster {
namespace {

void Accept(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

// Nodes of four cores; tasks of one core each.
class GangEvict : public ::testing::Test {
 protected:
  void SetUp() override {
    Accept(cluster_.AddQueue({.name = "q"}));
    Accept(cluster_.AddQueue({.name = "other"}));
  }
  void Nodes(int64_t count) {
    Accept(cluster_.AddNodes(count, {.name = "n", .capacity = {{"cpu", "4"}, {"pods", 100}}}));
  }
  void Job(JobSpec job) {
    if (job.phase == JobPhase::kPending) job.phase = JobPhase::kRunning;
    Accept(cluster_.AddJob(job));
  }
  // Tasks <job><first>, ... of the job, running on the node, or pending where there is none.
  void Tasks(const std::string& job, int first, int count, const std::string& node = "",
             TaskSpec task = {}) {
    for (int i = first; i < first + count; ++i) {
      task.name = job + std::to_string(i);
      task.job = job;
      if (task.shape.request.empty()) task.shape.request = {{"cpu", "1"}};
      task.node = node;
      task.status = node.empty() ? TaskStatus::kPending : TaskStatus::kRunning;
      Accept(cluster_.AddTask(task));
    }
  }
  Plan MakePlan(const std::string& items) {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("volcano:" + items);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *plan : Plan();
  }
  std::string Decide(const std::string& items) {
    const Plan plan = MakePlan(items);
    std::string out;
    for (const Decision& d : plan.decisions()) {
      if (d.kind == DecisionKind::kPhase) continue;
      if (!out.empty()) out += "; ";
      const bool evict = d.kind == DecisionKind::kEvict;
      out += std::string(evict ? "evict " : "nominate ") + std::string(plan.task_name(d.task));
      if (!evict) absl::StrAppend(&out, " ", std::string(plan.node_name(d.node)));
    }
    return out;
  }

  static constexpr char kPreempt[] =
      "actions=gangpreempt,tiers=priority+gang+conformance/predicates+nodeorder";
  static constexpr char kReclaim[] =
      "actions=gangreclaim,tiers=priority+gang+conformance/predicates+nodeorder";
  Cluster cluster_;
};

TEST_F(GangEvict, ASparedSetGoesWhole) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 1});
  Tasks("v", 0, 4, "n0");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kPreempt), "evict v0; evict v1; evict v2; nominate g0 n0");
}

TEST_F(GangEvict, LeastPriorityOfAGangIsSpared) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 2});
  Tasks("v", 0, 1, "n0", {.priority = 9});
  Tasks("v", 1, 2, "n0", {.priority = 3});
  Tasks("v", 3, 1, "n0", {.priority = 5});
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 2});
  Tasks("g", 0, 2);
  EXPECT_EQ(Decide(kPreempt), "evict v1; evict v2; nominate g0 n0; nominate g1 n0");
}

TEST_F(GangEvict, SparedTasksOfAllGoBeforeAnyGangIsTakenApart) {
  Nodes(2);
  Job({.name = "u", .queue = "q", .priority = 0, .min_available = 3});
  Tasks("u", 0, 4, "n0");
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 3});
  Tasks("v", 0, 4, "n1");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 2});
  Tasks("g", 0, 2);
  // The job that is last in order gives first.
  EXPECT_EQ(Decide(kPreempt), "evict u0; evict v0; nominate g0 n0; nominate g1 n1");
}

// Nine jobs with a task each, by turns on two nodes. Five sets are enough in sum and seven or eight
// in place, more than are listed at first.
TEST_F(GangEvict, SetsJoinUntilThereIsRoomInOnePlace) {
  Nodes(2);
  for (int v = 0; v < 8; ++v) {
    const std::string name = "v" + std::to_string(v);
    Job({.name = name, .queue = "q", .priority = 1, .min_available = 0, .created = v});
    Tasks(name, 0, 1, v % 2 == 0 ? "n0" : "n1");
  }
  for (const char* name : {"g", "h"}) {
    Job({.name = name, .queue = "q", .priority = 2, .min_available = 1, .created = 9});
    Tasks(name, 0, 1, "", {.shape = {.request = {{"cpu", "4"}}}});
  }
  EXPECT_EQ(Decide(kPreempt),
            "evict v70; evict v60; evict v50; evict v40; evict v30; evict v20; evict v10; "
            "nominate g0 n1; evict v00; nominate h0 n0");
}

// The first trial places no task, the last one places one: it gives the reason.
TEST_F(GangEvict, TheLastTrialGivesTheReason) {
  Nodes(3);
  for (int v = 0; v < 8; ++v) {
    const std::string name = "v" + std::to_string(v);
    Job({.name = name, .queue = "q", .priority = 1, .min_available = 0, .created = v});
    Tasks(name, 0, 1, v < 4 ? "n0" : v < 6 ? "n1" : "n2");
  }
  Job({.name = "w", .queue = "other", .min_available = 0});
  Tasks("w", 0, 2, "n1");
  Tasks("w", 2, 2, "n2");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 2});
  Tasks("g", 0, 2, "", {.shape = {.request = {{"cpu", "3"}}}});
  const Plan plan = MakePlan(kPreempt);
  ASSERT_EQ(plan.pending().size(), 2u);
  const Reason& reason = plan.reasons()[plan.pending()[0].reason];
  EXPECT_EQ(reason.policy, "gangpreempt");
  EXPECT_EQ(reason.placed, 1);
  EXPECT_EQ(reason.needed, 2);
}

TEST_F(GangEvict, WholeGangsCanBeLeftOut) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 4});
  Tasks("v", 0, 4, "n0");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kPreempt), "evict v0; evict v1; evict v2; evict v3; nominate g0 n0");
  EXPECT_EQ(
      Decide("actions=gangpreempt(whole_gangs=off),tiers=priority+gang+conformance/predicates"),
      "");
}

TEST_F(GangEvict, AWholeGangWithOneCriticalTaskStays) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 4});
  Tasks("v", 0, 3, "n0");
  Tasks("v", 3, 1, "n0", {.priority_class = "system-node-critical"});
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kPreempt), "");
}

TEST_F(GangEvict, AllPendingTasksNeedAPlace) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 0});
  Tasks("v", 0, 4, "n0");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 4});
  Tasks("g", 0, 5);
  EXPECT_EQ(Decide(kPreempt), "");
}

TEST_F(GangEvict, EnoughInSumIsNotEnoughInPlace) {
  Nodes(2);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 2});
  for (int i = 0; i < 4; ++i) Tasks("v", i, 1, absl::StrCat("n", i % 2));
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1, "", {.shape = {.request = {{"cpu", "4"}}}});
  // Without what can be spared there are three cores on each node: tried, undone, and the rest
  // follows.
  EXPECT_EQ(Decide(kPreempt), "evict v0; evict v1; evict v2; evict v3; nominate g0 n0");
}

TEST_F(GangEvict, RolesKeepTheirMinimum) {
  Nodes(1);
  Job({.name = "v",
       .queue = "q",
       .priority = 1,
       .min_available = 2,
       .groups = {{.name = "a", .min_available = 1}, {.name = "b", .min_available = 1}}});
  Tasks("v", 0, 1, "n0", {.group = "a"});
  Tasks("v", 1, 3, "n0", {.group = "b"});
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kPreempt), "evict v1; evict v2; nominate g0 n0");
}

TEST_F(GangEvict, AJobMayRefuse) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 0, .preemptable = false});
  Tasks("v", 0, 4, "n0");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kPreempt), "");
}

TEST_F(GangEvict, EqualPriorityIsNoVictim) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 2, .min_available = 0});
  Tasks("v", 0, 4, "n0");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kPreempt), "");
}

TEST_F(GangEvict, WhatFitsWithoutEvictionIsNotItsBusiness) {
  Nodes(1);
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kPreempt), "");
}

TEST_F(GangEvict, ReclaimTakesFromOtherQueuesOnly) {
  Nodes(2);
  Job({.name = "v", .queue = "other", .priority = 5, .min_available = 3});
  Tasks("v", 0, 4, "n0");
  Job({.name = "u", .queue = "q", .priority = 0, .min_available = 0});
  Tasks("u", 0, 4, "n1");
  Job({.name = "g", .queue = "q", .priority = 1, .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kReclaim), "evict v0; nominate g0 n0");
}

TEST_F(GangEvict, ReclaimLeavesQueuesThatAreNotReclaimable) {
  Nodes(1);
  Accept(cluster_.AddQueue({.name = "fixed", .reclaimable = false}));
  Job({.name = "v", .queue = "fixed", .min_available = 0});
  Tasks("v", 0, 4, "n0");
  Job({.name = "g", .queue = "q", .min_available = 1});
  Tasks("g", 0, 1);
  EXPECT_EQ(Decide(kReclaim), "");
}

TEST_F(GangEvict, ReclaimTakesTheGangApartThatIsWorthMost) {
  Nodes(2);
  Job({.name = "u", .queue = "other", .min_available = 4});
  Tasks("u", 0, 4, "n0");
  // A smaller gang loses less for the same need.
  Job({.name = "v", .queue = "other", .min_available = 1});
  Tasks("v", 0, 1, "n1", {.shape = {.request = {{"cpu", "4"}}}});
  Job({.name = "g", .queue = "q", .min_available = 1});
  Tasks("g", 0, 1, "", {.shape = {.request = {{"cpu", "4"}}}});
  EXPECT_EQ(Decide(kReclaim), "evict v0; nominate g0 n1");
}

TEST_F(GangEvict, AQueueMustDeserveAllItsGangAsksFor) {
  Nodes(2);
  Job({.name = "v", .queue = "other", .min_available = 0});
  Tasks("v", 0, 4, "n0");
  Tasks("v", 4, 4, "n1");
  Job({.name = "g", .queue = "q", .min_available = 1});
  Tasks("g", 0, 5);
  const std::string items =
      "actions=gangreclaim,tiers=priority+gang+conformance/predicates+proportion";
  EXPECT_EQ(Decide(items), "");  // each queue deserves four
  const Plan plan = MakePlan(items);
  ASSERT_EQ(plan.pending().size(), 5u);
  const Reason& reason = plan.reasons()[plan.pending()[0].reason];
  EXPECT_EQ(reason.kind, ReasonKind::kQueueDeserved);
  EXPECT_EQ(reason.policy, "proportion");
}

TEST_F(GangEvict, SaysHowFarItCame) {
  Nodes(1);
  Job({.name = "v", .queue = "q", .priority = 1, .min_available = 0});
  Tasks("v", 0, 4, "n0");
  Job({.name = "g", .queue = "q", .priority = 2, .min_available = 2});
  Tasks("g", 0, 1);
  Tasks("g", 1, 1, "", {.shape = {.request = {{"cpu", "2"}}, .node_selector = {{"zone", "a"}}}});
  const Plan plan = MakePlan(kPreempt);
  ASSERT_EQ(plan.pending().size(), 2u);
  const Reason& reason = plan.reasons()[plan.pending()[0].reason];
  EXPECT_EQ(reason.kind, ReasonKind::kGangUndone);
  EXPECT_EQ(reason.policy, "gangpreempt");
  EXPECT_EQ(reason.placed, 1);
  EXPECT_EQ(reason.needed, 2);
  ASSERT_EQ(reason.refusals.size(), 1u);
  EXPECT_EQ(reason.refusals[0].code, RefusalCode::kNodeAffinity);
}

// Two racks of two nodes each, full of tasks of v; a gang of two that has to be in one rack.
class GangEvictByDomain : public GangEvict {
 protected:
  void SetUp() override {
    GangEvict::SetUp();
    Accept(cluster_.AddDomain({.name = "row", .tier = 2}));
    for (const std::string rack : {"r0", "r1"}) {
      Accept(cluster_.AddDomain({.name = rack, .parent = "row", .tier = 1}));
      for (const std::string node : {"a", "b"}) {
        Accept(cluster_.AddNode(
            {.name = rack + node, .capacity = {{"cpu", "1"}, {"pods", 100}}, .domain = rack}));
      }
    }
  }
  void Victims(const std::string& job, const std::vector<std::string>& nodes,
               int64_t min_available = 1) {
    Job({.name = job, .queue = "q", .priority = 1, .min_available = min_available});
    for (size_t i = 0; i < nodes.size(); ++i) Tasks(job, static_cast<int>(i), 1, nodes[i]);
  }
  void Gang(std::optional<TopologyWish> wish) {
    Job({.name = "g", .queue = "q", .priority = 2, .min_available = 2, .topology = wish});
    Tasks("g", 0, 2);
  }
  static constexpr char kByDomain[] =
      "actions=gangpreempt,tiers=priority+gang+conformance/"
      "predicates+nodeorder+network-topology-aware";
};

TEST_F(GangEvictByDomain, VictimsAndPlacesAreOfOneDomain) {
  // v can spare one task in each rack: over the whole cluster they would do, in no rack alone.
  Victims("v", {"r0a", "r1a"}, 0);
  Job({.name = "k", .queue = "q", .priority = 9});
  Tasks("k", 0, 1, "r0b");
  Victims("x", {"r1b"}, 0);
  Gang(TopologyWish{.highest_tier = 1});
  EXPECT_EQ(Decide(kByDomain), "evict x0; evict v1; nominate g0 r1a; nominate g1 r1b");
}

TEST_F(GangEvictByDomain, WiderDomainsAreLookedIntoFirst) {
  Victims("v", {"r0a", "r1a"}, 0);
  Victims("w", {"r0b", "r1b"}, 2);
  Gang(TopologyWish{.highest_tier = 2});
  // In the row as a whole, though the gang may also be in one rack; the sub-group goes to the
  // widest it may be in.
  EXPECT_EQ(Decide(kByDomain), "evict v0; evict v1; nominate g0 r0a; nominate g1 r1a");
}

TEST_F(GangEvictByDomain, NoDomainHasEnoughVictims) {
  Victims("v", {"r0a", "r1a"}, 0);
  Job({.name = "k", .queue = "q", .priority = 9, .min_available = 0});
  Tasks("k", 0, 1, "r0b");
  Tasks("k", 1, 1, "r1b");
  Gang(TopologyWish{.highest_tier = 1});
  EXPECT_EQ(Decide(kByDomain), "");
  // Without a policy for domains the peer looks at the whole cluster.
  EXPECT_EQ(Decide(kPreempt), "evict v0; evict v1; nominate g0 r0a; nominate g1 r1a");
}

TEST_F(GangEvictByDomain, MaxDomainsEndsTheSearch) {
  Victims("v", {"r0a", "r0b"}, 0);
  Job({.name = "k", .queue = "q", .priority = 9, .min_available = 0});
  Tasks("k", 0, 1, "r1a");
  Tasks("k", 1, 1, "r1b");
  Gang(TopologyWish{.highest_tier = 1});
  EXPECT_EQ(Decide(kByDomain), "evict v0; evict v1; nominate g0 r0a; nominate g1 r0b");
  // The policy's own limit keeps the last by name, the action's the first.
  const std::string limited =
      "actions=gangpreempt,tiers=priority+gang+conformance/"
      "predicates+nodeorder+network-topology-aware(evict_domains=1)";
  EXPECT_EQ(Decide(limited), "");
  EXPECT_EQ(Decide("actions=gangpreempt(max_domains=1),tiers=priority+gang+conformance/"
                   "predicates+nodeorder+network-topology-aware"),
            "evict v0; evict v1; nominate g0 r0a; nominate g1 r0b");
}

}  // namespace
}  // namespace muster
