// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many nodes are wanted, and which are found when a search begins where the last one ended.
#include <string>

#include "gtest/gtest.h"
#include "lib/policy/policies.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

TEST(Sampling, HowManyAreWanted) {
  const struct {
    const char *percent, *least_percent, *least_nodes;
    size_t nodes, wanted;
  } rows[] = {
      {"0", "5", "100", 10, 10},     {"0", "5", "100", 100, 100},
      {"0", "5", "100", 101, 100},   {"0", "5", "100", 1000, 420},  // 50 - 8 percent
      {"0", "5", "100", 5000, 500},  {"0", "5", "100", 6000, 300},
      {"0", "5", "100", 10000, 500}, {"0", "30", "100", 10000, 3000},
      {"40", "5", "100", 1000, 400}, {"40", "5", "100", 6000, 2400},
      {"40", "5", "100", 200, 100},  {"100", "5", "100", 6000, 6000},
      {"1", "50", "1", 99, 1},       {"33", "5", "2", 7, 2},
  };
  const PolicyDecl decl = SamplingPolicy();
  for (const auto& row : rows) {
    const auto options = Options::Check("policy sampling", decl.options,
                                        {{"percent", row.percent},
                                         {"least_percent", row.least_percent},
                                         {"least_nodes", row.least_nodes}});
    ASSERT_TRUE(options.ok()) << options.status();
    const std::unique_ptr<Policy> policy = decl.make(*options);
    EXPECT_EQ(policy->fit()->NodesToFind(row.nodes), row.wanted)
        << row.percent << " percent of " << row.nodes;
  }
}

// Five nodes; the fuller one scores higher.
class Sample : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int n = 0; n < 5; ++n) {
      Accept(cluster_.AddNode(
          {.name = "n" + std::to_string(n), .capacity = {{"cpu", 10 - n}, {"pods", 99}}}));
    }
  }
  static constexpr char kTwo[] = "sampling(percent=1,least_nodes=2)";
  std::string Profile(const std::string& actions) {
    return "volcano:actions=" + actions + ",tiers=priority+gang/predicates+binpack+" + kTwo;
  }
  Cluster cluster_;
};

TEST_F(Sample, TheBestOfThoseFoundAndOnFromThere) {
  AddJob(cluster_, {.name = "j", .min_available = 1, .phase = JobPhase::kAdmitted}, 3,
         {{"cpu", 1}});
  // Found n0 and n1, and ended when n2 turned out to fit, too; then n3 and n4, and n0; then n1 and
  // n2. Of two the smaller one is the fuller one, or the one that has a task.
  EXPECT_EQ(Decide(cluster_, Profile("allocate")), "bind j0 n1; bind j1 n4; bind j2 n1");
  EXPECT_EQ(Decide(cluster_, "volcano:actions=allocate,tiers=gang/predicates+binpack"),
            "bind j0 n4; bind j1 n4; bind j2 n4");
}

TEST_F(Sample, NodesThatRefuseAreLookedAtInVain) {
  AddJob(cluster_, {.name = "j", .min_available = 1, .phase = JobPhase::kAdmitted}, 1,
         {{"cpu", 9}});
  EXPECT_EQ(Decide(cluster_, Profile("allocate")), "bind j0 n1");
  AddJob(cluster_, {.name = "k", .min_available = 1, .phase = JobPhase::kAdmitted}, 1,
         {{"cpu", 5}});
  // All five were looked at for the first, so the second begins with n0 again.
  EXPECT_EQ(Decide(cluster_, Profile("allocate")), "bind j0 n1; bind k0 n2");
}

TEST_F(Sample, PreemptBeginsWhereTheLastSearchEnded) {
  for (int n = 0; n < 5; ++n) {
    const std::string job = "r" + std::to_string(n);
    Accept(cluster_.AddJob({.name = job, .phase = JobPhase::kRunning}));
    Accept(cluster_.AddTask({.name = job,
                             .job = job,
                             .shape = {.request = {{"cpu", 10 - n}}},
                             .status = TaskStatus::kRunning,
                             .node = "n" + std::to_string(n)}));
  }
  AddJob(cluster_, {.name = "j", .priority = 1, .min_available = 2, .phase = JobPhase::kAdmitted},
         2, {{"cpu", 6}});
  EXPECT_EQ(Decide(cluster_, Profile("preempt")),
            "evict r0 n0; nominate j0 n0; evict r3 n3; nominate j1 n3");
}

TEST_F(Sample, ACycleGoesOnWhereTheLastOneEnded) {
  AddJob(cluster_, {.name = "j", .min_available = 1, .phase = JobPhase::kAdmitted}, 1,
         {{"cpu", 1}});
  const auto profile = [](const std::string& remember) {
    return "volcano:actions=allocate,tiers=priority+gang/predicates+binpack+sampling(percent=1,"
           "least_nodes=2,remember=" +
           remember + ")";
  };
  const auto next = [&] {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile("on"));
    EXPECT_TRUE(plan.ok()) << plan.status();
    // The same from a frozen snapshot, and from one that has only been told the memory.
    const Snapshot frozen = cluster_.Freeze();
    EXPECT_EQ(Schedule(frozen, profile("on"))->Digest(), plan->Digest());
    ScheduleOptions options;
    options.memory = *Memory::Parse(cluster_.memory().ToText());
    cluster_.SetMemory(Memory());
    EXPECT_EQ(Schedule(cluster_.Freeze(), profile("on"), options)->Digest(), plan->Digest());
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    EXPECT_TRUE(cluster_.SetTaskStatus("j0", TaskStatus::kPending).ok());
    return std::string(plan->node_name(plan->binds()[0].node)) + " next " +
           std::to_string(cluster_.memory().Find("sampling")->Integer("next"));
  };
  EXPECT_EQ(next(), "n1 next 3");
  EXPECT_EQ(next(), "n4 next 1");
  EXPECT_EQ(next(), "n2 next 4");
  EXPECT_EQ(Decide(cluster_, profile("off")), "bind j0 n1") << "begins with n0";
  const absl::StatusOr<Plan> off = cluster_.Schedule(profile("off"));
  EXPECT_TRUE(off->memory() == cluster_.memory()) << "and carries over what it does not use";
}

}  // namespace
}  // namespace muster::testing
