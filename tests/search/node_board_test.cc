// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The board against a scan of all its cells, over random changes and levels.
#include "lib/search/node_board.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

struct Cell {
  double order, batch;
  uint8_t level;
};

double LevelScore(uint8_t level, uint8_t highest) {
  return highest == 0 ? 7 : 7 - 7.0 * level / highest;
}

NodeIndex BestOfScan(const std::vector<std::optional<Cell>>& cells, bool by_level) {
  uint8_t highest = 0;
  for (const auto& cell : cells) {
    if (cell) highest = std::max(highest, cell->level);
  }
  NodeIndex best = kNone;
  double most = 0;
  for (NodeIndex n = 0; n < cells.size(); ++n) {
    if (!cells[n]) continue;
    const double level = by_level ? LevelScore(cells[n]->level, highest) : 0;
    const double total = cells[n]->order + (cells[n]->batch + level);
    if (best == kNone || total > most) {
      best = n;
      most = total;
    }
  }
  return best;
}

TEST(NodeBoard, NamesTheBestOfAScan) {
  int64_t found = 0, none = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    const size_t nodes = 1 + rng.Below(rng.Chance(0.3) ? 900 : 40);
    const bool by_level = rng.Chance(0.7);
    NodeBoard board;
    for (int life = 0; life < 3; ++life) {
      board.Reset(nodes, by_level ? LevelScore : NodeBoard::LevelScore());
      std::vector<std::optional<Cell>> cells(nodes);
      for (int step = 0; step < 120; ++step) {
        const double kept = rng.Unit();
        for (uint64_t n = rng.Below(step == 0 ? 2 * nodes : 4); n > 0; --n) {
          const NodeIndex node(rng.Below(nodes));
          if (rng.Chance(kept)) {
            cells[node] =
                Cell{static_cast<double>(rng.Below(3)), 0.1 * static_cast<int>(rng.Below(4)),
                     static_cast<uint8_t>(rng.Below(1 + rng.Below(4)))};
            board.Set(node, cells[node]->order, cells[node]->batch, cells[node]->level);
          } else {
            cells[node].reset();
            board.Clear(node);
          }
        }
        const NodeIndex right = BestOfScan(cells, by_level);
        ASSERT_EQ(board.Best(), right) << "seed " << seed << ", step " << step;
        found += right != kNone;
        none += right == kNone;
      }
    }
  }
  EXPECT_GT(found, 10000);
  EXPECT_GT(none, 100);
}

// 0.1 + 0.2 is not 0.3: the level's score goes to `batch` before `order` is added, as in a scan.
TEST(NodeBoard, AddsAsAScanAdds) {
  NodeBoard board;
  board.Reset(2, [](uint8_t, uint8_t) { return 0.1; });
  board.Set(0, 0.3, 0.2, 1);
  board.Set(1, 0.3 + (0.2 + 0.1), -0.1, 1);
  EXPECT_EQ(board.Best(), NodeIndex(0));
  board.Set(1, 0.7, -0.1, 1);
  EXPECT_EQ(board.Best(), NodeIndex(1));
}

TEST(NodeBoard, AClusterWithoutNodesHasNoBest) {
  NodeBoard board;
  board.Reset(0, nullptr);
  EXPECT_EQ(board.Best(), NodeIndex(kNone));
}

}  // namespace
}  // namespace muster
