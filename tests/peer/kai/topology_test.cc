// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sets of nodes for sub-groups in a tree of two zones with two racks each, two nodes a rack.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/kai/topology_tree.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Set = std::vector<uint32_t>;

class Topology : public ::testing::Test {
 protected:
  Topology() : tree_("dc", {"zone", "rack"}) {
    static constexpr const char* kValues[][2] = {{"z1", "r1"}, {"z1", "r1"}, {"z1", "r2"},
                                                 {"z1", "r2"}, {"z2", "r3"}, {"z2", "r3"},
                                                 {"z2", "r4"}, {"z2", "r4"}};
    for (uint32_t node = 0; node < 8; ++node) {
      const std::vector<std::string_view> values = {kValues[node][0], kValues[node][1]};
      tree_.AddNode(node, values);
      idle_.push_back({8000, 8e9, 8, 10});
      all_.push_back(node);
    }
  }
  KaiSubset Ask(size_t tasks, double gpus, const KaiConstraint& constraint) {
    const std::vector<double> request = {1000, 1e9, gpus, 1};
    const std::vector<KaiTopologyTask> rows(tasks, {request, gpus > 0});
    KaiTopologyQuery query = {.tasks = rows,
                              .constraint = &constraint,
                              .nodes = all_,
                              .active = active_,
                              .name_space = "ns",
                              .job = "j",
                              .sub_group = "default"};
    static const std::vector<double> kNothing(4);
    return SubsetOfKaiNodes({&tree_, 1}, query, [&](uint32_t node) {
      return KaiNodeLeft{idle_[node], kNothing};
    });
  }
  KaiTopology tree_;
  std::vector<std::vector<double>> idle_;
  std::vector<uint32_t> all_, active_;
};

TEST_F(Topology, TightestRackFirst) {
  idle_[3][2] = 0;  // rack 2 has 8 left, the others 16
  EXPECT_THAT(Ask(1, 8, {"dc", "rack", ""}).sets,
              ElementsAre(Set{2, 3}, Set{0, 1}, Set{4, 5}, Set{6, 7}));
  EXPECT_THAT(Ask(2, 8, {"dc", "rack", ""}).sets, ElementsAre(Set{0, 1}, Set{4, 5}, Set{6, 7}));
}

TEST_F(Topology, PreferredRackWithinARequiredZone) {
  const KaiSubset subset = Ask(3, 8, {"dc", "zone", "rack"});
  EXPECT_THAT(subset.sets, ElementsAre(Set{0, 1, 2, 3}, Set{4, 5, 6, 7}));  // no rack has three
  ASSERT_THAT(subset.scores, SizeIs(8));
  EXPECT_EQ(subset.scores.front().second, 2 * 100'000);  // the first of four racks: 2.5
  EXPECT_EQ(subset.scores.back().second, 10 * 100'000);
}

TEST_F(Topology, PreferredAloneReachesUpToTheCluster) {
  EXPECT_THAT(Ask(5, 8, {"dc", "", "rack"}).sets, ElementsAre(Set{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(Topology, RunningTasksBindToTheirDomain) {
  active_ = {5};
  EXPECT_THAT(Ask(1, 1, {"dc", "zone", "rack"}).sets,
              ElementsAre(Set{4, 5}, Set{6, 7}, Set{4, 5, 6, 7}));
}

TEST_F(Topology, CandidatesNarrowTheTree) {
  all_ = {4, 5};
  const KaiSubset subset = Ask(1, 1, {"dc", "rack", ""});
  EXPECT_THAT(subset.sets, ElementsAre(Set{4, 5}));
  EXPECT_FALSE(subset.has_scores);
}

TEST_F(Topology, WhyThereIsNoSet) {
  KaiSubset subset = Ask(9, 8, {"dc", "zone", ""});
  ASSERT_THAT(subset.errors, SizeIs(1));
  EXPECT_EQ(subset.errors[0].message,
            "topology dc, requirement zone couldn't be satisfied for job <ns/j>: not enough "
            "resources in the cluster to allocate the job");
  subset = Ask(5, 8, {"dc", "zone", ""});
  ASSERT_THAT(subset.errors, SizeIs(3));
  EXPECT_EQ(subset.errors[0].message, "<z1>: node-group z1 can allocate only 4 of 5 required pods");
  EXPECT_EQ(subset.errors[2].message,
            "topology dc, requirement zone couldn't be satisfied for job <ns/j>");
  EXPECT_EQ(Ask(1, 1, {"none", "zone", ""}).errors[0].message,
            "Requested topology none does not exist");
  EXPECT_EQ(Ask(1, 1, {"dc", "row", ""}).failure,
            "topology constraint error: workload specified 'row' as the required topology "
            "constraint level, but the topology tree 'dc' does not contain a level with this name");
}

TEST_F(Topology, MixedTasksAreComparedBySum) {
  const std::vector<double> with = {1000, 1e9, 8, 1}, without = {1000, 1e9, 0, 1};
  const std::vector<KaiTopologyTask> tasks = {
      {with, true}, {with, true}, {with, true}, {without, false}};
  const KaiConstraint constraint = {"dc", "rack", ""};
  static const std::vector<double> kNothing(4);
  const auto ask = [&] {
    return SubsetOfKaiNodes({&tree_, 1}, {.tasks = tasks, .constraint = &constraint, .nodes = all_},
                            [&](uint32_t node) {
                              return KaiNodeLeft{idle_[node], kNothing};
                            });
  };
  const KaiSubset short_of_gpus = ask();
  EXPECT_THAT(short_of_gpus.sets, IsEmpty());
  EXPECT_EQ(short_of_gpus.errors[0].message,
            "<z1.r1>: z1.r1 didn't have enough resource: GPUs, requested: 24, available: 16");
  idle_[6][2] = 16;
  EXPECT_THAT(ask().sets, ElementsAre(Set{6, 7}));
}

}  // namespace
}  // namespace muster::testing
