// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Trees of quotas beside the default one under profile koordinator.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class Trees : public KoordinatorProfile {
 protected:
  Trees() { Node("a", 10); }
  // A quota of the tree `t`.
  void Tree(const std::string& name, int guaranteed, int limit, const std::string& parent = "",
            Labels settings = {}) {
    settings.insert(settings.begin(), {"koordinator/tree", "t"});
    Quota(name, guaranteed, limit, {.parent = parent, .settings = settings});
  }
  void Jobs(const std::string& queue, int pods) {
    for (int i = 0; i < pods; ++i) {
      const std::string name = queue + std::to_string(i);
      Accept(cluster_.AddJob({.name = name, .queue = queue}));
      Pod(name, "1", {.job = name});
    }
  }
};

TEST_F(Trees, ATreeHandsOutItsTotalAndTheDefaultOneTheRest) {
  Tree("root", 4, 100, "", {{"koordinator/tree-total", "cpu=4"}});
  Tree("x", 0, 100, "root");
  Quota("y", 0, 100);
  Jobs("x", 5);
  Jobs("y", 7);
  EXPECT_EQ(Plan(),
            "bind x0 a; bind x1 a; bind x2 a; bind x3 a; bind y0 a; bind y1 a; bind y2 a; bind y3 "
            "a; bind y4 a; bind y5 a");
  EXPECT_THAT(Why("x4"), HasSubstr("Insufficient quotas, quotaName: x, runtime: cpu:4"));
  EXPECT_THAT(Why("y6"), HasSubstr("Insufficient quotas, quotaName: y, runtime: cpu:6"));
}

TEST_F(Trees, ATreeMayBeApartFromTheDefaultOne) {
  Tree("root", 4, 100, "",
       {{"koordinator/tree-total", "cpu=4"}, {"koordinator/tree-apart", "true"}});
  Quota("y", 0, 100);
  Jobs("y", 11);
  EXPECT_THAT(Why("y10"), HasSubstr("quotaName: y, runtime: cpu:10"));
}

TEST_F(Trees, ATreeWithoutATotalHandsOutNothing) {
  Tree("x", 0, 100);
  Jobs("x", 1);
  EXPECT_EQ(Plan(), "");
  EXPECT_THAT(Why("x0"), HasSubstr("quotaName: x, runtime: cpu:0"));
}

TEST_F(Trees, ATotalMayNameWhatTheClusterLacks) {
  std::string total = "cpu=1";
  for (int i = 0; i < 70; ++i) total += ",example.com/r" + std::to_string(i) + "=1";
  Tree("x", 0, 100, "", {{"koordinator/tree-total", total}});
  Jobs("x", 2);
  EXPECT_EQ(Plan(), "bind x0 a");
}

// Queues of the second tree are watched as those of the first are.
TEST_F(Trees, WhatIsAboveItsRuntimeIsRevokedInEachTree) {
  Tree("x", 0, 100, "", {{"koordinator/tree-total", "cpu=1"}});
  Quota("y", 0, 2);
  for (const char* name : {"x0", "x1", "y0"}) {
    const std::string queue(1, name[0]);
    Accept(cluster_.AddJob({.name = name, .queue = queue}));
    Pod(name, "1", {.job = name, .node = "a"});
  }
  const std::string options = "revoke=on,revoke_delay=10";
  EXPECT_EQ(Live(0, options), "");
  EXPECT_EQ(Live(11, options), "evict x1 a");
}

// Resources have other numbers in each tree.
TEST_F(Trees, PodsOfOneShapeAreChargedInTheirOwnTree) {
  NodeSpec node;
  node.name = "b";
  node.capacity = {{"cpu", 4}, {"memory", "8Gi"}, {"pods", 10}, {"nvidia.com/gpu", 4}};
  Accept(cluster_.AddNode(node));
  Accept(cluster_.AddQueue(
      {.name = "x",
       .limit = Resources{{"nvidia.com/gpu", 1}},
       .settings = {{"koordinator/tree", "t"}, {"koordinator/tree-total", "nvidia.com/gpu=2"}}}));
  Accept(cluster_.AddQueue({.name = "y", .limit = Resources{{"nvidia.com/gpu", 2}}}));
  for (const char* queue : {"x", "y"}) {
    for (int i = 0; i < 3; ++i) {
      const std::string name = queue + std::to_string(i);
      Accept(cluster_.AddJob({.name = name, .queue = queue}));
      TaskSpec task{.name = name, .job = name};
      task.shape.request = {{"nvidia.com/gpu", 1}};
      Accept(cluster_.AddTask(task));
    }
  }
  EXPECT_EQ(Plan("devices=off"), "bind x0 b; bind y0 b; bind y1 b");
}

TEST_F(Trees, WhatIsNoTreeIsRefused) {
  Tree("root", 0, 100, "", {{"koordinator/tree-total", "cpu=4"}});
  Quota("z", 0, 100, {.parent = "root"});
  EXPECT_THAT(Refused(), HasSubstr("queue \"z\": koordinator/tree is \"\", that of the queue above "
                                   "is \"t\""));
  EXPECT_EQ(Refused("quota=off"), "");
  Accept(cluster_.RemoveQueue("z"));
  Tree("other", 0, 100, "", {{"koordinator/tree-total", "cpu=4"}});
  EXPECT_THAT(Refused(), HasSubstr("tree \"t\" has its total from queue \"root\" already"));
  Accept(cluster_.RemoveQueue("other"));
  Tree("wrong", 0, 100, "root", {{"koordinator/tree-total", "4"}});
  EXPECT_THAT(Refused(), HasSubstr("must be RESOURCE=AMOUNT,..., each resource once"));
  Accept(cluster_.RemoveQueue("wrong"));
  Quota("lone", 0, 1, {.settings = {{"koordinator/tree-total", "cpu=4"}}});
  EXPECT_THAT(Refused(), HasSubstr("needs koordinator/tree"));
  Accept(cluster_.RemoveQueue("lone"));
  Accept(cluster_.UpdateQueue({.name = "default", .settings = {{"koordinator/tree", "t"}}}));
  EXPECT_THAT(Refused(), HasSubstr("queue \"default\": a group that is built in is in the default "
                                   "tree"));
}

}  // namespace
}  // namespace muster::testing
