// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where the pods of admitted jobs go: labels of flavors.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/kueue/profile_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kAllocate[] = "kueue:+allocate";

class KueuePods : public KueueProfile {
 protected:
  void SetUp() override {
    KueueProfile::SetUp();
    FlavorSpec flavor{.name = "spot", .node_labels = {{"pool", "spot"}}};
    flavor.tolerations = {{.key = "spot", .op = TolerationOp::kExists}};
    Accept(cluster_.SetFlavor(flavor));
  }
  void AddNode(const std::string& name, int cpu, const Labels& labels = {}, bool tainted = false) {
    NodeSpec node{.name = name, .capacity = {{"cpu", cpu}, {"pods", 10}}, .labels = labels};
    if (tainted) node.taints = {{.key = "spot", .effect = TaintEffect::kNoSchedule}};
    Accept(cluster_.AddNode(node));
  }
  void SpotNode(const std::string& name, int cpu, bool tainted = false) {
    AddNode(name, cpu, {{"pool", "spot"}}, tainted);
  }
  std::string Words(const std::string& profile, const std::string& name) {
    return *cluster_.Schedule(profile)->Explain(name);
  }
};

TEST_F(KueuePods, AllocateKeepsTasksToNodesOfTheirFlavor) {
  Queue("a", 3);
  AddNode("plain", 9);
  Job("j", "a", 2);
  EXPECT_EQ(Decide(cluster_, kAllocate), "admit j");
  EXPECT_THAT(Words(kAllocate, "j0"), HasSubstr("no node has the labels of flavor spot"));
  SpotNode("n", 1);
  Job("small", "a", 1);
  EXPECT_EQ(Live(kAllocate), "admit j; admit small; bind small0 n");
  EXPECT_THAT(Words(kAllocate, "j0"), HasSubstr("no room on nodes of flavor spot"));
  SpotNode("m", 2);
  EXPECT_EQ(Live(kAllocate), "bind j0 m; bind j1 m");
}

}  // namespace
}  // namespace muster::testing
