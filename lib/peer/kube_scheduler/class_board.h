// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The best node for the next pod of a class, from scores that are kept from pod to pod.
//
//   if (ClassBoard::Serves(world, c, state)) {
//     ClassBoard board(world, settings, c, &state);
//     NodeIndex node = board.Choose(&start, wanted);      // kNone: no node is feasible
//   }
//
// The answer is that of PodCycle (Search, then Best), which is the slow twin: a plan with a trace
// goes there for every pod.
//
// Idea. Scores are kept by node, and found again where a node changed. The choice is the root of a
// heap that is built bottom-up over the feasible nodes in the order of the search. Sinking moves
// the better child up, the left one of equals, and nothing past an equal parent: so the root is the
// first of the best ones in the order in which a heap's places are visited from the root down, left
// before right. Where all nodes are searched again and again, every place of the heap has the
// winner below it, and a node that changes its score changes the winners above it alone. Spread and
// affinity between pods are asked for each node on top.
//
// Most nodes are like others. Where all of them are searched and feasible, the best state is the
// answer: its first node in that order (nodes_by_state.h).
//
// Elsewhere the first pod of a class, often the only one, finds its node by one pass over the
// states of nodes, with one score for nodes of equal books.
//
// Cost. O(states) where they are the answer. Elsewhere the first Choose is O(nodes), a few
// instructions each, and so is the second. Then O(window) where the search ends early or other pods
// matter. Else O(log nodes) for each node that changed since the last call, or O(nodes) if one
// became feasible or no longer is.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_CLASS_BOARD_H_
#define MUSTER_PEER_KUBE_SCHEDULER_CLASS_BOARD_H_

#include <cstdint>
#include <vector>

#include "lib/peer/kube_scheduler/settings.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

struct ClassState;

class ClassBoard {
 public:
  // Returns whether nodes differ for the class by nothing but their books, what refuses them
  // altogether, and other pods.
  static bool Serves(const World& world, ClassIndex c, const ClassState& state);

  // All must outlive this. REQUIRES: Serves.
  ClassBoard(World& world, const Settings& settings, ClassIndex c, ClassState* state);

  // Returns the node that a search from number `*start` of the order chooses, and moves `*start`
  // on. Returns kNone, and changes nothing, if no node is feasible.
  NodeIndex Choose(uint64_t* start, size_t wanted);

 private:
  using Place = uint32_t;  // in the world's order

  // Return the sum of the scores, or kUnfit.
  template <class Amounts>
  int64_t ScoreOf(const Amounts& amounts, int64_t* evenness) const;
  int64_t ScoreOfNode(NodeIndex n) const;
  int64_t ScoreOfState(uint32_t state) const;
  // Scores all nodes, unless that is done.
  void Build();
  void Follow();
  // Returns kNone if there are too many states, or one that is not feasible.
  NodeIndex ChooseAmongStates(uint64_t start);
  NodeIndex ChooseByState(uint64_t* start, size_t wanted) const;
  NodeIndex ChooseByScan(uint64_t* start, size_t wanted) const;
  NodeIndex ChooseAmongPods(uint64_t* start, size_t wanted);
  void AddScoresOfPods();
  void BuildTree(uint64_t start);
  uint32_t WinnerAt(uint32_t i) const;
  // Finds the winners at place i of the heap, and above it, again.
  void Repair(uint32_t i);

  static constexpr int64_t kUnfit = -1, kUnknown = -2;
  World& world_;
  const Settings& settings_;
  const PodClass& pod_;
  ClassState& state_;
  std::vector<int64_t> of_state_;  // scores, by state of the epoch
  uint64_t epoch_ = 0;             // of the world
  bool asked_ = false;
  bool built_ = false;
  size_t position_ = 0;         // in the world's journal, once built
  std::vector<int64_t> score_;  // by place, once built
  // For searches over all nodes from tree_start_ on:
  bool tree_valid_ = false;
  bool scanned_ = false;  // a tree pays off from the second search on
  uint64_t tree_start_ = 0;
  std::vector<uint32_t> entry_of_;  // by place, of feasible ones: where in entries_
  std::vector<Place> entries_;      // feasible places in the order of the search
  std::vector<uint32_t> winner_;    // by place of the heap: an entry
  std::vector<uint8_t> refused_;    // by place, for other pods on the nodes; empty: none is
  // For searches in which other pods matter to scores or spread: feasible nodes and their sums.
  std::vector<NodeIndex> feasible_;
  std::vector<int64_t> totals_;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_CLASS_BOARD_H_
