// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

class Shards : public ::testing::Test {
 protected:
  void Node(const std::string& name, int cpu, const std::string& shard) {
    Accept(
        cluster_.AddNode({.name = name, .capacity = {{"cpu", cpu}, {"pods", 99}}, .shard = shard}));
  }
  void Runs(const std::string& job, const std::string& node, int cpu, int priority = 0) {
    Accept(cluster_.AddJob({.name = job, .priority = priority, .phase = JobPhase::kRunning}));
    Accept(cluster_.AddTask({.name = job + "0",
                             .job = job,
                             .shape = {.request = {{"cpu", cpu}}},
                             .status = TaskStatus::kRunning,
                             .node = node,
                             .priority = priority}));
  }
  void Waits(int count, int cpu, int priority = 0) {
    AddJob(cluster_,
           {.name = "j", .priority = priority, .min_available = 1, .phase = JobPhase::kAdmitted},
           count, {{"cpu", cpu}});
  }
  Cluster cluster_;
};

constexpr char kHard[] = "volcano:actions=allocate,tiers=gang/predicates+nodeorder+shards(name=a)";
constexpr char kSoft[] =
    "volcano:actions=allocate,tiers=gang/predicates+nodeorder+shards(name=a,soft=on)";

TEST_F(Shards, OthersNodesAreRefusedByName) {
  Node("theirs", 9, "b");
  Node("nobodys", 9, "");
  Waits(1, 1);
  EXPECT_EQ(Decide(cluster_, kHard), "");
  const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), kHard);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::StatusOr<std::string> why = plan->Explain("j0");
  ASSERT_TRUE(why.ok()) << why.status();
  EXPECT_NE(why->find("not in shard a"), std::string::npos) << *why;
  Node("ours", 2, "a");
  EXPECT_EQ(Decide(cluster_, kHard), "bind j0 ours");
  // Without a name the shard is that of the nodes that have none.
  EXPECT_EQ(Decide(cluster_, "volcano:actions=allocate,tiers=gang/predicates+shards"),
            "bind j0 nobodys");
}

TEST_F(Shards, SoftPrefersWhateverTheScoresAre) {
  Node("theirs", 100, "b");  // emptier
  Node("ours", 2, "a");
  Waits(3, 1);
  EXPECT_EQ(Decide(cluster_, kSoft), "bind j0 ours; bind j1 ours; bind j2 theirs");
}

TEST_F(Shards, IdleElsewhereGoesBeforeWhatWillBeIdleHere) {
  Node("ours", 1, "a");
  Node("theirs", 1, "b");
  Runs("leaving", "ours", 1);
  Accept(cluster_.SetTaskStatus("leaving0", TaskStatus::kReleasing, "ours"));
  Waits(1, 1);
  EXPECT_EQ(Decide(cluster_, kSoft), "bind j0 theirs");
}

TEST_F(Shards, PreemptAndReclaimLookAtHomeFirst) {
  Node("theirs", 1, "b");
  Node("ours", 1, "a");
  Runs("x", "theirs", 1);
  Runs("y", "ours", 1);
  Waits(1, 1, /*priority=*/5);
  const std::string preempt = "volcano:actions=preempt,tiers=priority/predicates";
  EXPECT_EQ(Decide(cluster_, preempt), "evict x0 theirs; nominate j0 theirs");
  for (const char* mode : {"", ",soft=on"}) {
    EXPECT_EQ(Decide(cluster_, preempt + "+shards(name=a" + mode + ")"),
              "evict y0 ours; nominate j0 ours");
  }
  const std::string lossless =
      "volcano:actions=preempt(topology_aware=on),tiers=priority/predicates";
  EXPECT_EQ(Decide(cluster_, lossless + "+shards(name=a,soft=on)"),
            "evict y0 ours; nominate j0 ours");
  EXPECT_EQ(Decide(cluster_, lossless + "+shards(name=c,soft=on)"),
            "evict x0 theirs; nominate j0 theirs");
}

TEST_F(Shards, ScoresAreNormalizedAmongOwnNodes) {
  for (const auto& [name, shard] : {std::pair("far", "b"), {"near", "a"}, {"empty", "a"}}) {
    Accept(cluster_.AddNode({.name = name,
                             .capacity = {{"cpu", 10}, {"pods", 99}},
                             .labels = {{"is", name}},
                             .shard = shard}));
  }
  Runs("x", "near", 5);
  Accept(cluster_.AddJob({.name = "j", .min_available = 1, .phase = JobPhase::kAdmitted}));
  TaskSpec task{.name = "j0", .job = "j", .shape = {.request = {{"cpu", 1}}}};
  const auto wish = [](const std::string& node, int weight) {
    const Requirement is{.key = "is", .op = RequirementOp::kIn, .values = {node}};
    return PreferredNodeTerm{.weight = weight, .term = {.match_expressions = {is}}};
  };
  task.shape.preferred_node_affinity = {wish("far", 100), wish("near", 1)};
  Accept(cluster_.AddTask(task));
  // 1 of 100 is worth 2 points of 200, less than what `empty` has in free cpu; 1 of 1 is worth all.
  EXPECT_EQ(Decide(cluster_, kSoft), "bind j0 near");
  EXPECT_EQ(Decide(cluster_, kHard), "bind j0 near");
  Accept(cluster_.UpdateNode({.name = "far",
                              .capacity = {{"cpu", 1}, {"pods", 1}},
                              .labels = {{"is", "far"}},
                              .shard = "a"}));
  EXPECT_EQ(Decide(cluster_, kSoft), "bind j0 far");
}

}  // namespace
}  // namespace muster::testing
