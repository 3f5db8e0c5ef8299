// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Quota for queues without groups: option plain_queues of action admit.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kPlain[] = "kueue:plain_queues=on";

class PlainQueues : public ::testing::Test {
 protected:
  void SetUp() override {
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 10}, {"pods", 100}}}));
    Accept(cluster_.RemoveQueue("default"));
  }
  void Job(const std::string& name, const std::string& queue, int cpu) {
    JobSpec job{.name = name, .queue = queue, .min_available = 1};
    job.created = ++clock_;
    AddJob(cluster_, job, 1, {{"cpu", cpu}});
  }
  // What is admitted of the largest jobs that ask for quota in turn: "a: 6".
  bool Admits(const std::string& queue, int cpu) {
    Job("probe", queue, cpu);
    const bool admits = Decide(cluster_, kPlain).find("admit probe") != std::string::npos;
    Accept(cluster_.RemoveJob("probe"));
    return admits;
  }

  Cluster cluster_;
  int64_t clock_ = 0;
};

TEST_F(PlainQueues, WithoutTheOptionTheyAdmitNothing) {
  Accept(cluster_.AddQueue({.name = "a"}));
  Job("j", "a", 1);
  EXPECT_EQ(Decide(cluster_, "kueue"), "");
  EXPECT_EQ(Decide(cluster_, kPlain), "admit j");
}

// "a" is guaranteed 6 of 10, and "b" and "c" divide the rest by 1 to 3.
TEST_F(PlainQueues, GuaranteesAreQuotaAndWeightsDivideTheRest) {
  QueueSpec a{.name = "a", .guaranteed = Resources{{"cpu", 6}}, .limit = Resources{{"cpu", 8}}};
  Accept(cluster_.AddQueue(a));
  Accept(cluster_.AddQueue({.name = "b", .weight = 1, .limit = Resources{{"cpu", 1}}}));
  Accept(cluster_.AddQueue({.name = "c", .weight = 3, .limit = Resources{{"cpu", 0}}}));
  EXPECT_TRUE(Admits("a", 8));
  EXPECT_FALSE(Admits("a", 9));
  EXPECT_TRUE(Admits("b", 1));
  EXPECT_FALSE(Admits("b", 2));
  EXPECT_TRUE(Admits("c", 3));
  EXPECT_FALSE(Admits("c", 4));
}

TEST_F(PlainQueues, WithoutALimitTheyBorrowWhatOthersLeave) {
  Accept(cluster_.AddQueue({.name = "a"}));
  Accept(cluster_.AddQueue({.name = "b"}));
  EXPECT_TRUE(Admits("a", 10));
  EXPECT_FALSE(Admits("a", 11));
  Job("j", "b", 4);
  Accept(cluster_.Apply(*cluster_.Schedule(kPlain)).status());
  EXPECT_TRUE(Admits("a", 6));
  EXPECT_FALSE(Admits("a", 7));
}

// "p" has 4 of its own beyond the 2 of its child, which takes part of it up to its limit.
TEST_F(PlainQueues, AParentLendsItsShareToItsChildren) {
  Accept(cluster_.AddQueue(
      {.name = "p", .guaranteed = Resources{{"cpu", 6}}, .limit = Resources{{"cpu", 6}}}));
  Accept(cluster_.AddQueue({.name = "x",
                            .parent = "p",
                            .guaranteed = Resources{{"cpu", 2}},
                            .limit = Resources{{"cpu", 5}}}));
  Accept(cluster_.AddQueue({.name = "y", .parent = "p", .guaranteed = Resources{{"cpu", 0}}}));
  EXPECT_TRUE(Admits("x", 5));
  EXPECT_FALSE(Admits("x", 6));
  EXPECT_TRUE(Admits("y", 6));
  EXPECT_FALSE(Admits("y", 7));
}

TEST_F(PlainQueues, QueuesWithGroupsKeepTheirs) {
  Accept(cluster_.SetFlavor({.name = "plain"}));
  QueueSpec queue{.name = "q"};
  queue.rules.emplace();
  queue.rules->groups = {
      {.resources = {"cpu"}, .flavors = {{.flavor = "plain", .nominal = {{"cpu", 2}}}}}};
  Accept(cluster_.AddQueue(queue));
  Accept(cluster_.AddQueue({.name = "all"}));
  EXPECT_TRUE(Admits("q", 2));
  EXPECT_FALSE(Admits("q", 3));
  EXPECT_TRUE(Admits("all", 10));
}

}  // namespace
}  // namespace muster::testing
