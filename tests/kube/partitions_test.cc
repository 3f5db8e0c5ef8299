// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/partitions.h"

#include <gtest/gtest.h>

#include "lib/model/access.h"
#include "muster/cluster.h"

namespace muster {
namespace {

TEST(Partitions, ANodeIsInTheFirstThatListsOrSelectsIt) {
  Cluster cluster;
  for (const char* name : {"a", "b", "c", "d"}) {
    NodeSpec node{.name = name};
    if (*name != 'd') node.labels = {{"pool", *name == 'b' ? "cpu" : "gpu"}};
    ASSERT_TRUE(cluster.AddNode(node).ok());
  }
  const auto pool = [](const char* value) { return Selector{.match_labels = {{"pool", value}}}; };
  ASSERT_TRUE(cluster.SetPartition({.name = "none", .nodes = {"gone"}}).ok());
  ASSERT_TRUE(cluster.SetPartition({.name = "listed", .nodes = {"c", "x"}}).ok());
  ASSERT_TRUE(cluster.SetPartition({.name = "gpu", .selector = pool("gpu")}).ok());
  ASSERT_TRUE(cluster.SetPartition({.name = "all", .selector = Selector{}}).ok());
  const auto of_nodes = [&] { return PartitionsOfNodes(TablesOf(cluster.Freeze())); };
  EXPECT_EQ(of_nodes(), (std::vector<uint32_t>{2, 3, 1, 3}));
  ASSERT_TRUE(cluster.RemovePartition("all").ok());
  EXPECT_EQ(of_nodes(), (std::vector<uint32_t>{2, kNone, 1, kNone}));
  ASSERT_TRUE(cluster.RemovePartition("listed").ok());
  ASSERT_TRUE(cluster.RemoveNode("a").ok());
  EXPECT_EQ(of_nodes(), (std::vector<uint32_t>{kNone, kNone, 2, kNone}));
}

}  // namespace
}  // namespace muster
