// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a cycle is asked: the next decisions of every preset are how its whole cycle begins;
// heartbeats in two orders give two plans; actions refuse what they do not serve.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "muster/policy.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

void FillCluster(Cluster& cluster) {
  for (int n = 0; n < 3; ++n) {
    Accept(cluster.AddNode(
        {.name = "n" + std::to_string(n), .capacity = {{"cpu", 4}, {"memory", 64}, {"pods", 9}}}));
  }
  for (const char* job : {"a", "b", "c"}) {
    AddJob(cluster, {.name = job, .min_available = 2, .phase = JobPhase::kAdmitted}, 2,
           {{"cpu", 2}, {"memory", 1}});
  }
}

std::vector<Decision> Made(const Plan& plan) {
  std::vector<Decision> made;
  for (const Decision& d : plan.decisions()) {
    if (d.kind != DecisionKind::kPhase) made.push_back(d);
  }
  return made;
}

TEST(Turn, TheNextDecisionsAreHowAWholeCycleBegins) {
  Cluster cluster;
  FillCluster(cluster);
  for (const ProfileInfo& profile : Profiles()) {
    // Queues without quota admit nothing; the least container of YARN is larger than the nodes.
    if (profile.name == "kueue" || profile.name.substr(0, 4) == "yarn") continue;
    if (profile.name == "htcondor") continue;  // a node serves one task a cycle
    // Its jobs are no broker's bundles; a round of armada starts the gang alone.
    if (profile.name == "pulsar" || profile.name == "armada") continue;
    const absl::StatusOr<Plan> whole = cluster.Schedule(profile.name);
    ASSERT_TRUE(whole.ok()) << profile.name << ": " << whole.status();
    const std::vector<Decision> all = Made(*whole);
    ASSERT_GE(all.size(), 6u) << profile.name;
    size_t fewest = all.size();
    for (const int64_t count : {1, 2, 3, 5, 100}) {
      ScheduleOptions options;
      options.turn = NextDecisions{count};
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile.name, options);
      ASSERT_TRUE(plan.ok()) << profile.name << ": " << plan.status();
      EXPECT_TRUE(plan->complete()) << profile.name;
      const std::vector<Decision> made = Made(*plan);
      ASSERT_GE(made.size(), std::min<size_t>(static_cast<size_t>(count), all.size()))
          << profile.name;
      ASSERT_LE(made.size(), all.size());
      EXPECT_TRUE(std::equal(made.begin(), made.end(), all.begin())) << profile.name;
      fewest = std::min(fewest, made.size());
    }
    EXPECT_LT(fewest, all.size()) << profile.name << ": ends before all gangs are placed";
  }
}

// Gives each node that reports the first waiting task that fits.
void RunHeartbeats(Workbench& bench, const Options&) {
  for (const NodeIndex node : bench.cycle().heartbeats()) {
    if (bench.ShouldStop()) return;
    const Workbench::Savepoint before = bench.Save();
    bool given = false;
    for (const JobIndex job : bench.waiting()) {
      for (const TaskIndex task : bench.PendingTasks(job)) {
        if (!given) given = bench.PlaceOn(task, node);
      }
    }
    bench.Commit(before);
  }
}

class Heartbeat : public ::testing::Test {
 protected:
  void SetUp() override {
    FillCluster(cluster_);
    auto extensions = std::make_shared<Extensions>();
    extensions->actions.push_back({.name = "beat",
                                   .summary = "node by node",
                                   .run = RunHeartbeats,
                                   .turns = {TurnKind::kHeartbeats}});
    options_.extensions = extensions;
  }
  absl::StatusOr<Plan> Beat(std::vector<std::string> nodes) {
    options_.turn = Heartbeats{std::move(nodes)};
    return cluster_.Schedule("muster:actions=beat,tiers=predicates", options_);
  }
  std::string Binds(std::vector<std::string> nodes) {
    const absl::StatusOr<Plan> plan = Beat(nodes);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const absl::StatusOr<Plan> frozen =
        Schedule(cluster_.Freeze(), "muster:actions=beat,tiers=predicates", options_);
    EXPECT_EQ(frozen->Digest(), plan->Digest());
    std::string words;
    for (const Bind& d : plan->binds()) {
      words +=
          std::string(plan->task_name(d.task)) + "@" + std::string(plan->node_name(d.node)) + " ";
    }
    return words;
  }

  Cluster cluster_;
  ScheduleOptions options_;
};

TEST_F(Heartbeat, TwoOrdersGiveTwoPlans) {
  EXPECT_EQ(Binds({"n2", "n0"}), "a0@n2 a1@n0 ");
  EXPECT_EQ(Binds({"n0", "n2"}), "a0@n0 a1@n2 ");
  EXPECT_EQ(Binds({"n1", "n1", "n1"}), "a0@n1 a1@n1 ") << "a node is full";
  EXPECT_EQ(Binds({}), "");
}

TEST_F(Heartbeat, WhatCannotBeIsRefused) {
  EXPECT_EQ(Beat({"n0", "gone"}).status().message(),
            "options: turn: nodes[1]: no node is named \"gone\"");
  options_.turn = WholeCycle();
  EXPECT_EQ(cluster_.Schedule("muster:actions=beat", options_).status().message(),
            "options: turn: action \"beat\" of profile \"muster:actions=beat\" does not serve "
            "cycle; it serves heartbeats");
  options_.turn = Heartbeats{{"n0"}};
  EXPECT_EQ(cluster_.Schedule("kube-batch", options_).status().message(),
            "options: turn: action \"allocate\" of profile \"kube-batch\" does not serve "
            "heartbeats; it serves cycle, decisions");
  options_.turn = OneEvent();
  for (const ProfileInfo& profile : Profiles()) {
    const std::string words(cluster_.Schedule(profile.name, options_).status().message());
    EXPECT_TRUE(words.starts_with("options: turn: action \"")) << words;
    EXPECT_NE(words.find("\" of profile \"" + profile.name +
                         "\" does not serve event; it serves cycle, decisions"),
              words.npos)
        << words;
  }
  options_.turn = NextDecisions{0};
  EXPECT_EQ(cluster_.Schedule("muster", options_).status().message(),
            "options: turn: count is 0; must be 1 or more");
}

}  // namespace
}  // namespace muster::testing
