// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules for ties: which of equal queues, jobs and nodes goes first, by the spec string.
#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "muster/policy.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

class Ties : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* node : {"n2", "n1", "n0"}) {
      Accept(cluster_.AddNode({.name = node, .capacity = {{"cpu", 2}, {"pods", 9}}}));
    }
    for (const char* queue : {"c", "a", "b"}) {
      Accept(cluster_.AddQueue({.name = queue}));
      const std::string job = "of-" + std::string(queue);
      AddJob(cluster_, {.name = job, .queue = queue, .phase = JobPhase::kAdmitted}, 1,
             {{"cpu", 1}});
    }
  }
  // The tasks bound, in order, with their nodes.
  std::string Binds(const std::string& ties, uint64_t seed = 0) {
    ScheduleOptions options;
    options.seed = seed;
    const std::string profile = "volcano:actions=allocate,tiers=gang/predicates" + ties;
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    EXPECT_EQ(Schedule(cluster_.Freeze(), profile, options)->Digest(), plan->Digest());
    plan_ = *plan;
    std::string words;
    for (const Bind& d : plan->binds()) {
      if (!words.empty()) words += " ";
      words += std::string(plan->task_name(d.task)).substr(3) + "@" +
               std::string(plan->node_name(d.node));
    }
    return words;
  }
  void Apply() { EXPECT_TRUE(cluster_.Apply(plan_).ok()); }
  void AddOne(const std::string& queue, const std::string& job) {
    AddJob(cluster_, {.name = "of-" + job, .queue = queue, .phase = JobPhase::kAdmitted}, 1,
           {{"cpu", 1}});
  }

  Cluster cluster_;
  Plan plan_;
};

TEST_F(Ties, QueuesByInsertionAndByName) {
  EXPECT_EQ(Binds(""), "c0@n2 a0@n2 b0@n1");
  EXPECT_EQ(Binds(",queue_ties=insertion"), "c0@n2 a0@n2 b0@n1");
  EXPECT_EQ(Binds(",queue_ties=name"), "a0@n2 b0@n2 c0@n1");
}

TEST_F(Ties, NodesByName) {
  EXPECT_EQ(Binds(",node_ties=name"), "c0@n0 a0@n0 b0@n1");
  EXPECT_EQ(Binds(",node_ties=name,queue_ties=name"), "a0@n0 b0@n0 c0@n1");
}

TEST_F(Ties, BySeed) {
  std::set<std::string> of_queues, of_nodes;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    of_queues.insert(Binds(",queue_ties=seed", seed));
    of_nodes.insert(Binds(",node_ties=seed", seed));
    EXPECT_EQ(Binds(",queue_ties=seed", seed), Binds(",queue_ties=seed", seed));
  }
  EXPECT_EQ(of_queues.size(), 6u) << "every order of three queues";
  EXPECT_EQ(of_nodes.size(), 6u);
}

TEST_F(Ties, JobsOfAQueue) {
  AddOne("a", "z");
  AddOne("a", "y");
  const std::string one = ",queue_ties=name";
  EXPECT_EQ(Binds(one).substr(0, 5), "a0@n2");
  EXPECT_EQ(Binds(",queue_ties=name,job_ties=name").substr(0, 5), "a0@n2");
  Accept(cluster_.RemoveJob("of-a"));
  const auto order = [](const std::string& binds) { return binds.find('z') < binds.find('y'); };
  EXPECT_TRUE(order(Binds(one)));
  EXPECT_FALSE(order(Binds(",queue_ties=name,job_ties=name")));
  std::set<bool> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) orders.insert(order(Binds(",job_ties=seed", seed)));
  EXPECT_EQ(orders.size(), 2u);
}

TEST_F(Ties, TheQueueThatWasServedLongestAgo) {
  const std::string rule = ",queue_ties=least-recent";
  EXPECT_EQ(Binds(rule), "c0@n2 a0@n2 b0@n1") << "none was served";
  Apply();
  AddOne("a", "A");
  EXPECT_EQ(Binds(rule), "A0@n1");
  Apply();
  // Now c was served longest ago, then b, then a.
  AddOne("a", "1");
  AddOne("b", "2");
  AddOne("c", "3");
  EXPECT_EQ(Binds(rule), "30@n0 20@n0");
  EXPECT_EQ(Binds(""), "30@n0 10@n0");
  // A queue that is gone is forgotten when the next one is served.
  ASSERT_NE(cluster_.memory().Find("ties")->Find("queue/b"), nullptr);
  Accept(cluster_.RemoveJob("of-b"));
  Accept(cluster_.RemoveJob("of-2"));
  Accept(cluster_.RemoveQueue("b"));
  Binds(rule);
  Apply();
  EXPECT_EQ(cluster_.memory().Find("ties")->Find("queue/b"), nullptr);
}

TEST_F(Ties, TheNodeThatWasUsedLongestAgo) {
  const std::string rule = ",node_ties=least-recent";
  EXPECT_EQ(Binds(rule), "c0@n2 a0@n1 b0@n0");
  Apply();
  AddOne("a", "1");
  EXPECT_EQ(Binds(rule), "10@n2");
  Apply();
  AddOne("a", "2");
  EXPECT_EQ(Binds(rule), "20@n1");
  EXPECT_EQ(Binds(""), "20@n1") << "n2 is full";
}

TEST_F(Ties, UnknownRule) {
  const absl::StatusOr<Plan> plan = cluster_.Schedule("volcano:queue_ties=age");
  EXPECT_EQ(
      plan.status().message(),
      "profile: unknown queue_ties \"age\", expected one of insertion, name, seed, least-recent");
}

// Queues that have taken least in this cycle go first; of equal ones, that with the smaller head
// job.
class FewestTaken : public Policy, public OrderPolicy {
 public:
  std::string_view name() const override { return "fewest-taken"; }
  PointSet points() const override { return {Point::kQueueOrder}; }
  OrderPolicy* order() override { return this; }
  Traits traits() const override {
    Traits traits;
    traits.orders_by_turn = true;
    return traits;
  }
  void Open(const Cycle& cycle) override { cycle_ = &cycle; }
  int CompareQueueTurns(const QueueTurn& a, const QueueTurn& b) override {
    if (a.taken(kCpu) != b.taken(kCpu)) return a.taken(kCpu) < b.taken(kCpu) ? -1 : 1;
    return Sign(TasksOf(a.head) - TasksOf(b.head));
  }

 private:
  int64_t TasksOf(JobIndex job) const {
    return job == kNone ? 0 : static_cast<int64_t>(cycle_->tasks_of(job).size());
  }
  const Cycle* cycle_ = nullptr;
};

// The binds on one node of 9 cpus, where queues take turns by FewestTaken.
class QueueTurns : public ::testing::Test {
 protected:
  void SetUp() override {
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 9}, {"pods", 99}}}));
  }
  void Add(const std::string& queue, const std::string& job, int tasks, int cpu) {
    AddJob(cluster_,
           {.name = job, .queue = queue, .min_available = tasks, .phase = JobPhase::kAdmitted},
           tasks, {{"cpu", cpu}});
  }
  std::string Binds(const std::string& profile) {
    auto extensions = std::make_shared<Extensions>();
    extensions->policies.push_back({.name = "fewest-taken", .make = [](const Options&) {
                                      return std::make_unique<FewestTaken>();
                                    }});
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.extensions = extensions});
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::string words;
    if (!plan.ok()) return words;
    for (const Bind& d : plan->binds()) words += std::string(plan->task_name(d.task)) + " ";
    return words;
  }

  Cluster cluster_;
};

TEST_F(QueueTurns, AnOrderMayDependOnTheTurn) {
  for (const char* queue : {"p", "q"}) Accept(cluster_.AddQueue({.name = queue}));
  Add("p", "p1-", 2, 1);
  Add("p", "p2-", 1, 1);
  Add("q", "q1-", 1, 3);
  Add("q", "q2-", 1, 1);
  // q's head is the smaller gang. Then q has taken 3, so that p goes until it has as much.
  EXPECT_EQ(Binds("volcano:actions=allocate,tiers=fewest-taken+gang/predicates"),
            "q1-0 p1-0 p1-1 p2-0 q2-0 ");
}

// Inner queues take turns by the head and the amounts of all that is below them.
TEST_F(QueueTurns, DownATree) {
  for (const char* queue : {"b", "a"}) Accept(cluster_.AddQueue({.name = queue}));
  for (const char* queue : {"a1", "a2"}) {
    Accept(cluster_.AddQueue({.name = queue, .parent = "a"}));
  }
  Add("b", "b1-", 2, 2);
  Add("b", "b2-", 1, 1);
  Add("a1", "x-", 2, 1);
  Add("a2", "y-", 1, 1);
  // The head below a is the smaller gang, y. Then a has taken 1 and b nothing; then a 1 and b 4.
  EXPECT_EQ(Binds("muster:actions=allocate,tiers=fewest-taken+gang/predicates"),
            "y-0 b1-0 b1-1 x-0 x-1 b2-0 ");
}

}  // namespace
}  // namespace muster::testing
