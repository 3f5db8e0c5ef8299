// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeOrder against a sorted set, through thousands of changes.
#include "lib/peer/yunikorn/node_order.h"

#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster::yunikorn {
namespace {

TEST(YuniKornNodeOrder, ListsNodesAsASortedSetDoes) {
  constexpr Index kNodes = 900;
  Rng rng(1);
  const Node node;
  NodeOrder order;
  std::vector<double> scores(kNodes, -1);  // -1: the node is not there
  std::set<std::pair<double, Index>> sorted;
  for (int round = 0; round < 30'000; ++round) {
    // Of all nodes at first, later of few, which empties blocks and splits others.
    const Index n = static_cast<Index>(rng.Below(round < 20'000 ? kNodes : kNodes / 30));
    if (scores[n] >= 0) {
      ASSERT_TRUE(order.Take(scores[n], n));
      sorted.erase({scores[n], n});
    }
    ASSERT_FALSE(order.Take(scores[n], n));
    scores[n] = rng.Chance(0.1) ? -1 : static_cast<double>(rng.Below(8)) / 7;
    if (scores[n] < 0) continue;
    order.Put({scores[n], n, n}, node);
    sorted.insert({scores[n], n});
    if (round % 100 != 0) continue;
    std::vector<Index> wanted;
    for (const auto& [score, index] : sorted) wanted.push_back(index);
    ASSERT_EQ(order.Nodes(), wanted) << round;
  }
}

}  // namespace
}  // namespace muster::yunikorn
