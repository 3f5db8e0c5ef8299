// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The best node for one task class, remembered between placements.
//
// A scoreboard keeps the class's score of every state, and the winner (the higher score; of equal
// ones the state with the oldest node) of every 16 states and, of these winners, of every 16
// again. Refresh reads the states' journal since the last time, scores again the states that are
// new, and asks about each changed state: does it beat the winner of its 16, or was it the winner
// and is no longer? Only then is the winner there replaced, or looked for again. The best of the
// winners is what a scan of all nodes, in order, would choose.
//
// Cost. For a class that is new, or was not used for long, a sweep. It compares requests with all
// states, in vector loops over the columns. The few states that fit (most nodes of a busy cluster
// are full) are brought side by side and scored in vector loops, too. Then a comparison a change,
// and a look at some 40 states and winners a placement.
// Where scores are compared across candidates before they count (KindScore), a winner depends on
// the other fitting states; then the board keeps the parts of the scores, and Best scans the
// states.
#ifndef MUSTER_SEARCH_SCOREBOARD_H_
#define MUSTER_SEARCH_SCOREBOARD_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "lib/extension/dispatcher.h"
#include "lib/extension/node_answers.h"
#include "lib/search/node_kinds.h"
#include "lib/search/node_states.h"
#include "lib/search/search_meter.h"
#include "muster/policy/columns.h"
#include "muster/schedule.h"

namespace muster {

// Which free resources a placement may count on.
enum class Want : uint8_t {
  kNow,       // fits what is idle (and stays within what will be)
  kLater,     // fits what will be idle, but not yet
  kEither,    // fits what is idle or what is being released, each alone
  kAnywhere,  // resources aside, every other fit holds
  kEvicting,  // the eviction of tasks on the node might cure everything that fails
};
inline constexpr int kWants = 5;

// What a class needs of nodes, found before any node is looked at.
struct ClassNeeds {
  bool ready = false;
  uint64_t cycle = 0;  // when cluster_fit and cluster_score were found
  uint32_t row = 0;    // in NodeKinds
  bool cluster_fit = false, cluster_score = false;
  bool uniform = true;     // the score is a number of the state alone
  double constant = 0;     // what KindScores add to it then
  bool reads_free = true;  // some policy does; see Policy::ReadsFree
  std::vector<const PolicyEntry*> fit_policies, score_policies;  // that look at a node's own books
  std::vector<FitPolicy*> pick_policies;                         // that pick parts of nodes
  std::vector<DimensionIndex> compared;                          // dimensions to compare
  std::vector<double> amount, slack;  // request, and by how much it may exceed what is there
  // Answers of scope kCluster about a node stay as they are until the node changes; a placement can
  // make a node fit that did not. See lib/extension/node_answers.h.
  bool by_node = false, fit_improves = false;
  const PolicyEntry* by_level = nullptr;  // the policy that scores by level, where by_node
  NodeAnswers* levels = nullptr;          // of that policy
};

// Room for the parts of one sweep and for the blocks that changed, kept between sweeps.
struct SweepRoom {
  std::vector<uint8_t> fits;
  std::vector<double> order, batch;
  std::vector<StateIndex> slots;  // to be scored, ascending
  StateColumns columns;           // of such slots, side by side
  // By block: which of its states are others now, or have not been looked at; which changed at all.
  std::vector<uint64_t> content, touched;
  std::vector<uint32_t> blocks;  // that changed
};

// The tools that every board uses.
struct ScoringContext {
  const Dispatcher& dispatcher;
  const NodeKinds& kinds;
  const NodeStates& states;
  const SpeedOptions& speed;
  SweepRoom& room;
  SearchMeter* meter;  // null: nothing is measured
};

// Returns a raw kind score, weighted, brought to 0..top over candidates with `largest` as the
// largest raw score.
inline double Normalized(const KindScore& score, int64_t raw, int64_t largest) {
  if (largest <= 0) return score.weight * static_cast<double>(score.reversed ? score.top : raw);
  const int64_t scaled = score.top * raw / largest;
  return score.weight * static_cast<double>(score.reversed ? score.top - scaled : scaled);
}

class Scoreboard {
 public:
  Scoreboard(ClassIndex c, Want want) : class_(c), want_(want) {}
  // Forgets everything but its memory, for another class.
  void Retarget(ClassIndex c, Want want);
  // Returns whether it can follow the states. Otherwise it has to sweep, which any other board
  // could do as well.
  bool Follows(const NodeStates& states) const;

  // Returns the oldest node of the best state; kNone: no state fits.
  NodeIndex Best(const ScoringContext& context, const ClassNeeds& needs);

  // Follows the states. Until they change again, these hold:
  void Refresh(const ScoringContext& context, const ClassNeeds& needs);
  bool fits(StateIndex slot) const { return score(slot) != kNoScore; }
  double score(StateIndex slot) const {  // kNoScore: it does not fit
    return open_[slot / kBlock] && score_[slot] > kNoScore ? score_[slot] : kNoScore;
  }
  double order(StateIndex slot) const {
    return order_[slot];
  }  // only where the score is not uniform
  double batch(StateIndex slot) const { return batch_[slot]; }

  static constexpr double kNoScore = -std::numeric_limits<double>::infinity();

 private:
  static constexpr size_t kBlock = 64;  // states: the bits of a word
  static constexpr size_t kGroup = 16;  // states among which there is a winner; winners likewise

  void Reserve(size_t slots, bool keep);  // room for so many states; keep: what is there
  void Open(size_t block);
  void Sweep(const ScoringContext& context, const ClassNeeds& needs);
  void ListFitting(const ScoringContext& context, const ClassNeeds& needs);
  static void ListByAmounts(const NodeStates& states, const ClassNeeds& needs,
                            std::vector<StateIndex>* slots);
  void ReadJournal(const ScoringContext& context, const ClassNeeds& needs,
                   std::span<const StateChange> unread);
  void ScoreSlots(const ScoringContext& context, const ClassNeeds& needs, bool resources_fit);
  void ScoreRange(const ScoringContext& context, const ClassNeeds& needs,
                  const StateColumns& columns, size_t begin, size_t count,
                  std::span<const StateIndex> slots, bool resources_fit);
  void ReadFew(const ScoringContext& context, const ClassNeeds& needs,
               std::span<const StateChange> unread);
  void Replay(const NodeStates& states, StateIndex slot);
  void FindWinner(const NodeStates& states, size_t group);
  void FindUpper(size_t upper);
  void FindWinners(const NodeStates& states, std::span<const StateIndex> fitting);
  bool Raise(const NodeStates& states, StateIndex slot);
  NodeIndex ScanNormalized(const ScoringContext& context, const ClassNeeds& needs) const;

  ClassIndex class_;
  Want want_;
  bool winners_ = false;  // whether there are winners
  uint64_t epoch_ = 0;
  uint64_t position_ = 0;  // in the states' journal
  size_t fitting_ = 0;     // states that fitted at the last sweep
  // Blocks without a fitting state are closed: they have no cells. In an open block, a cell that is
  // not a number belongs to a state that did not fit or had no node when the block was opened. It
  // is looked at when the state changes.
  std::unique_ptr<double[]> score_;
  size_t blocks_ = 0;                  // that there is room for
  std::vector<uint8_t> open_;          // per block
  std::vector<double> order_, batch_;  // only where scores are normalized
  // Of groups of kGroup states or winners: the winners' scores and nodes.
  struct Winners {
    std::vector<double> score, head;
    void Resize(size_t groups);
    void Clear();
  };
  Winners lower_, upper_;
};

}  // namespace muster

#endif  // MUSTER_SEARCH_SCOREBOARD_H_
