// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeOrder against a sorted set, and its bounds against all nodes of a block, through thousands of
// changes.
#include "lib/peer/yunikorn/node_order.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster::yunikorn {
namespace {

// With bounds of their own, in the resource, and on the heap.
constexpr int kTypes[] = {0, 1, 2, 7};

Resource RandomAmounts(Rng& rng, Quantity least) {
  Resource amounts;
  for (const int type : kTypes) {
    if (rng.Chance(0.8)) amounts.Set(type, least + static_cast<Quantity>(rng.Below(20)));
  }
  return amounts;
}

void Change(Rng& rng, Node* node) {
  node->schedulable = rng.Chance(0.8);
  node->total = RandomAmounts(rng, 0);
  node->available = RandomAmounts(rng, -5);
}

// What the node has free, or in total.
Resource Has(const Node& node, bool free) {
  if (!free) return node.total;
  return node.schedulable ? node.available : Resource();
}

bool MayHave(const NodeOrder& order, size_t i, const Resource& ask, bool free) {
  return free ? order.MayHaveFree(i, ask) : order.MayHaveTotal(i, ask);
}

void ExpectBoundsHold(const NodeOrder& order, size_t i, const std::vector<Node>& nodes,
                      const Resource& ask, bool free) {
  const bool fits = std::ranges::any_of(order.entries(i), [&](const NodeOrder::Entry& entry) {
    return FitsIn(Has(nodes[entry.node], free), ask);
  });
  if (fits) EXPECT_TRUE(MayHave(order, i, ask, free)) << "block " << i << ", free: " << free;
}

void ExpectBoundsAreMaxima(const NodeOrder& order, size_t i, const std::vector<Node>& nodes,
                           bool free) {
  for (const int type : kTypes) {
    Quantity most = 0;
    for (const NodeOrder::Entry& entry : order.entries(i)) {
      most = std::max(most, Has(nodes[entry.node], free).Get(type));
    }
    Resource ask;
    ask.Set(type, most);
    EXPECT_TRUE(MayHave(order, i, ask, free)) << "type " << type << ", free: " << free;
    ask.Set(type, most + 1);
    EXPECT_FALSE(MayHave(order, i, ask, free)) << "type " << type << ", free: " << free;
  }
}

void ExpectBounds(Rng& rng, const std::vector<Node>& nodes, NodeOrder* order) {
  for (size_t i = 0; i < order->blocks(); ++i) {
    for (const bool free : {false, true}) {
      ExpectBoundsHold(*order, i, nodes, RandomAmounts(rng, 0), free);
      // What one of the nodes has.
      const auto entries = order->entries(i);
      const Node& node = nodes[entries[rng.Below(entries.size())].node];
      ExpectBoundsHold(*order, i, nodes, Has(node, free), free);
    }
    if (!rng.Chance(0.3)) continue;
    order->Tighten(i, nodes);
    ExpectBoundsAreMaxima(*order, i, nodes, false);
    ExpectBoundsAreMaxima(*order, i, nodes, true);
  }
}

TEST(YuniKornNodeOrder, ListsNodesAsASortedSetDoes) {
  constexpr Index kNodes = 900;
  Rng rng(1);
  std::vector<Node> nodes(kNodes);
  NodeOrder order;
  std::vector<double> scores(kNodes, -1);  // -1: the node is not there
  std::set<std::pair<double, Index>> sorted;
  for (int round = 0; round < 30'000; ++round) {
    // Of all nodes at first, later of few, which empties blocks and splits others.
    const Index n = static_cast<Index>(rng.Below(round < 20'000 ? kNodes : kNodes / 30));
    if (scores[n] >= 0 && rng.Chance(0.3)) {
      Change(rng, &nodes[n]);
      order.Widen(scores[n], n, nodes[n]);
      continue;
    }
    if (scores[n] >= 0) {
      ASSERT_TRUE(order.Take(scores[n], n));
      sorted.erase({scores[n], n});
    }
    ASSERT_FALSE(order.Take(scores[n], n));
    scores[n] = rng.Chance(0.1) ? -1 : static_cast<double>(rng.Below(8)) / 7;
    if (scores[n] < 0) continue;
    Change(rng, &nodes[n]);
    order.Put({scores[n], n, n}, nodes[n]);
    sorted.insert({scores[n], n});
    if (round % 100 != 0) continue;
    std::vector<Index> wanted;
    for (const auto& [score, index] : sorted) wanted.push_back(index);
    ASSERT_EQ(order.Nodes(), wanted) << round;
    ExpectBounds(rng, nodes, &order);
    ASSERT_FALSE(::testing::Test::HasFailure()) << round;
  }
}

TEST(YuniKornNodeOrder, BlocksStayFewWhenNodesLeave) {
  constexpr Index kNodes = 900;
  Rng rng(2);
  std::vector<Node> nodes(kNodes);
  NodeOrder order;
  std::vector<Index> here;
  for (Index n = 0; n < kNodes; ++n) {
    Change(rng, &nodes[n]);
    order.Put({0, n, n}, nodes[n]);
    here.push_back(n);
  }
  while (!here.empty()) {
    const auto at = here.begin() + static_cast<std::ptrdiff_t>(rng.Below(here.size()));
    ASSERT_TRUE(order.Take(0, *at));
    here.erase(at);
    ASSERT_LE(order.blocks(), 4 * here.size() / NodeOrder::kBlock + 1) << here.size() << " nodes";
    if (here.size() % 20 != 0) continue;
    ASSERT_EQ(order.Nodes(), here);
    ExpectBounds(rng, nodes, &order);
    ASSERT_FALSE(::testing::Test::HasFailure()) << here.size() << " nodes";
  }
  EXPECT_EQ(order.blocks(), 0);
}

}  // namespace
}  // namespace muster::yunikorn
