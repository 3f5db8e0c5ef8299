// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The best node for one task class where policies of scope kCluster refuse or score, remembered
// between placements.
//
//   NodeBoard board;
//   board.Reset(nodes, level_score);
//   board.Set(n, order, batch, level);  board.Clear(n);    // for nodes that changed
//   NodeIndex best = board.Best();
//
// A Scoreboard knows states; such policies may tell nodes of one state apart. Here each node has a
// cell: the two sums of its score and its level (lib/extension/node_answers.h). The total is
// order + (batch + score of the level), in that order, as a scan adds them. Of every 16 nodes the
// winner is kept, and of every 16 of these winners.
//
// Cost. Set, Clear: O(1). Best: 16 totals and 32 comparisons for each group of 16 that changed, and
// one comparison for each 256 nodes. All groups count as changed when the highest level of any
// candidate is another one.
#ifndef MUSTER_SEARCH_NODE_BOARD_H_
#define MUSTER_SEARCH_NODE_BOARD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "muster/types.h"

namespace muster {

class NodeBoard {
 public:
  // Returns what a level is worth where `highest` is the highest of any candidate.
  using LevelScore = std::function<double(uint8_t level, uint8_t highest)>;

  static constexpr size_t kBytesPerNode = 28;

  // Forgets all candidates. Null: levels are worth nothing.
  void Reset(size_t nodes, LevelScore level_score);
  void Set(NodeIndex n, double order, double batch, uint8_t level);
  void Clear(NodeIndex n);
  // Returns the candidate of the highest total, and of equal ones the oldest; kNone: there is none.
  NodeIndex Best();

 private:
  static constexpr size_t kGroup = 16;
  static constexpr double kNoScore = -std::numeric_limits<double>::infinity();

  void Touch(NodeIndex n);
  void FollowHighest();
  void FindWinner(size_t group);
  void FindUpper(size_t upper);

  LevelScore level_score_;
  std::array<double, 256> level_score_of_ = {};
  std::array<uint32_t, 256> population_ = {};  // candidates of each level
  size_t highest_ = 0;                         // by which totals were formed
  size_t top_ = 0;                             // no candidate has a higher level
  std::vector<double> order_, batch_;
  std::vector<uint8_t> level_, candidate_;
  std::vector<double> total_;  // kNoScore: no candidate. Whole groups; of a dirty one not yet right
  // The highest total of each group of nodes, and of each group of these groups.
  std::vector<double> lower_, upper_;
  std::vector<uint8_t> is_dirty_;
  std::vector<uint32_t> dirty_;  // groups to look at
};

}  // namespace muster

#endif  // MUSTER_SEARCH_NODE_BOARD_H_
