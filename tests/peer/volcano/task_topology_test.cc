// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Groups that are to be together or apart. Nodes hold four tasks; of equal scores the first node
// wins.
#include <string>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kTaskTopologyProfile[] =
    "volcano:actions=allocate,tiers=gang/predicates+task-topology";

class TaskTopology : public ::testing::Test {
 protected:
  void Nodes(int count, int cpu) {
    for (int n = 0; n < count; ++n) {
      Accept(cluster_.AddNode(
          {.name = "n" + std::to_string(n), .capacity = {{"cpu", cpu}, {"pods", 99}}}));
    }
  }
  void Job(int64_t min_available, const GroupTopology& wishes) {
    JobSpec job{.name = "j", .min_available = min_available, .phase = JobPhase::kAdmitted};
    for (const char* group : {"a", "b"}) job.groups.push_back({.name = group});
    job.group_topology = wishes;
    Accept(cluster_.AddJob(job));
  }
  void Task(const std::string& name, const std::string& group, const std::string& node = "") {
    Accept(cluster_.AddTask({.name = name,
                             .job = "j",
                             .group = group,
                             .shape = {.request = {{"cpu", 1}}},
                             .status = node.empty() ? TaskStatus::kPending : TaskStatus::kRunning,
                             .node = node}));
  }
  Cluster cluster_;
};

TEST_F(TaskTopology, TogetherGoesWhereTheWholeBucketFits) {
  Nodes(1, 2);
  Accept(cluster_.AddNode({.name = "large", .capacity = {{"cpu", 4}, {"pods", 99}}}));
  Job(3, {.together = {{"a", "b"}}});
  Task("a0", "a");
  Task("b0", "b");
  Task("b1", "b");
  // On n0 two of three, on `large` three of three.
  EXPECT_EQ(Decide(cluster_, kTaskTopologyProfile), "bind a0 large; bind b0 large; bind b1 large");
  EXPECT_EQ(Decide(cluster_, "volcano:actions=allocate,tiers=gang/predicates"),
            "bind a0 n0; bind b0 n0; bind b1 large");
}

TEST_F(TaskTopology, ApartOpensABucketEach) {
  Nodes(2, 4);
  Job(2, {.apart = {{"a"}}});
  Task("a0", "a");
  Task("a1", "a");
  // a0 sits on n0, where a1 finds a foe.
  EXPECT_EQ(Decide(cluster_, kTaskTopologyProfile), "bind a0 n0; bind a1 n1");
}

TEST_F(TaskTopology, ThoseThatRunDrawTheirFriends) {
  Nodes(3, 4);
  Job(2, {.together = {{"a", "b"}}});
  Task("a0", "a", "n2");
  Task("b0", "b");
  EXPECT_EQ(Decide(cluster_, kTaskTopologyProfile), "bind b0 n2");
}

TEST_F(TaskTopology, OrderAndRankOfGroups) {
  Nodes(1, 9);
  Job(4, {.together = {{"a", "b"}}, .order = {"b"}});
  Task("a0", "a");
  Task("a1", "a");
  Task("b0", "b");
  Task("nobodys", "");
  EXPECT_EQ(Decide(cluster_, kTaskTopologyProfile),
            "bind b0 n0; bind a0 n0; bind a1 n0; bind nobodys n0");
}

TEST_F(TaskTopology, WishesAboutNobodyAreVoid) {
  Nodes(2, 4);
  for (const GroupTopology& wishes :
       {GroupTopology{.apart = {{"a"}, {"c"}}}, GroupTopology{.apart = {{"a"}, {"a", "a"}}},
        GroupTopology{.apart = {{"a"}}, .order = {"b"}}}) {
    Cluster fresh;
    cluster_ = std::move(fresh);
    Nodes(2, 4);
    Job(2, wishes);
    Task("a0", "a");
    Task("a1", "a");
    EXPECT_EQ(Decide(cluster_, kTaskTopologyProfile), "bind a0 n0; bind a1 n0");
  }
}

}  // namespace
}  // namespace muster::testing
