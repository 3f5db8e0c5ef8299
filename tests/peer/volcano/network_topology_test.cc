// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs in a tree of domains: four racks of two nodes in two blocks, each node of four cpu. Racks
// are listed in another order than that of their names, and ties go by name.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

constexpr char kNetworkProfile[] =
    "volcano:actions=allocate,tiers=priority+gang/predicates+network-topology-aware";

class NetworkTopology : public ::testing::Test {
 protected:
  NetworkTopology() {
    for (const char* block : {"b0", "b1"}) {
      Accept(cluster_.AddDomain({.name = block, .tier = 2, .tier_name = "block"}));
    }
    for (const char* rack : {"r3", "r1", "r2", "r0"}) {
      Accept(cluster_.AddDomain(
          {.name = rack, .parent = rack[1] < '2' ? "b0" : "b1", .tier = 1, .tier_name = "rack"}));
    }
    for (int n = 0; n < 8; ++n) {
      Accept(cluster_.AddNode({.name = "n" + std::to_string(n),
                               .capacity = {{"cpu", 4}, {"pods", 99}},
                               .domain = "r" + std::to_string(n / 2)}));
    }
  }
  void Job(const std::string& name, int count, int cpu, const std::optional<TopologyWish>& wish) {
    JobSpec job{.name = name, .min_available = count, .phase = JobPhase::kAdmitted};
    job.topology = wish;
    AddJob(cluster_, job, count, {{"cpu", cpu}});
  }
  // "j: r0; j/p-0: r1", or the reason why it waits.
  std::string Chosen(const std::string& profile = kNetworkProfile) {
    const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::string out;
    for (const ChosenDomain& chosen : plan->domains()) {
      out += (out.empty() ? "" : "; ") + std::string(plan->job_name(chosen.job)) +
             (chosen.sub_group.empty() ? "" : "/" + chosen.sub_group) + ": " +
             (chosen.domain.empty() ? "everywhere" : chosen.domain);
    }
    return out.empty() ? *plan->Explain("j") : out;
  }
  Cluster cluster_;
};

TEST_F(NetworkTopology, ChoosesTheFullestOfTheNarrowestDomains) {
  Job("other", 1, 1, std::nullopt);
  ::muster::testing::Run(cluster_, "other0", "n7");
  Job("j", 2, 3, TopologyWish{.highest_tier = 1});
  // r3 would be 7/8 full, the others 6/8.
  EXPECT_EQ(Chosen(), "j: r3");
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "bind j0 n6; bind j1 n7");
  // Without that score all are equal, and the first by name is taken.
  EXPECT_EQ(Chosen("volcano:actions=allocate,tiers=priority+gang/predicates+"
                   "network-topology-aware(without=domain_score)"),
            "j: r0");
}

TEST_F(NetworkTopology, GoesAsHighAsItMayAndNoHigher) {
  Job("j", 3, 4, TopologyWish{.highest_tier = 2});
  EXPECT_EQ(Chosen(), "j: b0");
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "bind j0 n0; bind j1 n1; bind j2 n2");
  Job("k", 3, 4, TopologyWish{.highest_tier_name = "rack"});
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "bind j0 n0; bind j1 n1; bind j2 n2");
}

TEST_F(NetworkTopology, SaysWhichTierWasTooSmall) {
  Job("j", 3, 4, TopologyWish{.highest_tier_name = "rack"});
  EXPECT_EQ(Chosen(), "j: no domain up to tier 1 (rack) has room\n");
  Accept(cluster_.RemoveJob("j"));
  Job("j", 1, 5, TopologyWish{.highest_tier = 2});
  EXPECT_EQ(Chosen(), "j: no domain up to tier 2 (block) has room\n  8 nodes: cpu\n");
}

TEST_F(NetworkTopology, ASoftWishPrefersTheNarrowest) {
  Job("j", 2, 4, TopologyWish{.hard = false});
  EXPECT_EQ(Chosen(), "j: r0");
  Accept(cluster_.RemoveJob("j"));
  Job("j", 5, 4, TopologyWish{.hard = false});
  EXPECT_EQ(Chosen(), "j: everywhere");
}

TEST_F(NetworkTopology, StaysNearWhatRuns) {
  Job("j", 2, 2, TopologyWish{.highest_tier = 2});
  ::muster::testing::Run(cluster_, "j0", "n5");
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "bind j1 n4");
  EXPECT_EQ(Chosen(), "j: r2");
}

TEST_F(NetworkTopology, SubGroupsEachChooseWithinTheJobsDomain) {
  JobSpec job{.name = "j", .min_available = 4, .phase = JobPhase::kAdmitted};
  job.topology = TopologyWish{.highest_tier = 2};
  job.sub_group_policies = {{.name = "p", .min_sub_groups = 2}};
  for (const char* name : {"p-0", "p-1", "p-2"}) {
    job.sub_groups.push_back({.name = name,
                              .policy = "p",
                              .min_available = 2,
                              .topology = TopologyWish{.highest_tier = 1}});
  }
  Accept(cluster_.AddJob(job));
  for (int t = 0; t < 6; ++t) {
    Accept(cluster_.AddTask({.name = "j" + std::to_string(t),
                             .job = "j",
                             .sub_group = job.sub_groups[t / 2].name,
                             .shape = {.request = {{"cpu", 4}}}}));
  }
  // Two of three are needed, and a block has room for no more.
  EXPECT_EQ(Chosen(), "j: b0; j/p-0: r0; j/p-1: r1");
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "bind j0 n0; bind j1 n1; bind j2 n2; bind j3 n3");
  // Three are more than a block holds.
  job.sub_group_policies[0].min_sub_groups = 3;
  Accept(cluster_.UpdateJob(job));
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "");
  // Without the policy that counts them the job is ready with any four tasks.
  EXPECT_EQ(Decide(cluster_,
                   "volcano:actions=allocate,tiers=priority+gang(sub_groups=off)/predicates+"
                   "network-topology-aware"),
            "bind j0 n0; bind j1 n1; bind j2 n2; bind j3 n3");
}

TEST_F(NetworkTopology, TasksWithoutAWishFillDomains) {
  Job("other", 1, 1, std::nullopt);
  ::muster::testing::Run(cluster_, "other0", "n7");
  Job("j", 1, 1, std::nullopt);
  // n6 and n7 are in the fuller rack.
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "bind j0 n6");
  EXPECT_EQ(Decide(cluster_,
                   "volcano:actions=allocate,tiers=gang/predicates+"
                   "network-topology-aware(normal_tasks=off)"),
            "bind j0 n0");
}

TEST_F(NetworkTopology, ANodeInNoDomainIsUnderTheRootAlone) {
  Accept(cluster_.AddNode({.name = "lone", .capacity = {{"cpu", 64}, {"pods", 99}}}));
  Job("j", 3, 8, TopologyWish{.highest_tier = 2});
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "");
  Job("k", 3, 8, TopologyWish{.highest_tier = 3});
  EXPECT_EQ(Decide(cluster_, kNetworkProfile), "bind k0 lone; bind k1 lone; bind k2 lone");
}

}  // namespace
}  // namespace muster::testing
