// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The winners of a scoreboard: how they are found, and kept while states change.
#include <algorithm>
#include <cstring>
#include <span>

#include "lib/search/lanes.h"
#include "lib/search/scoreboard.h"

namespace muster {
namespace {

constexpr double kNoWinner = Scoreboard::kNoScore;

struct Winner {
  double score = kNoWinner;
  double head = kNoHead;
};

inline bool Beats(double score, double head, const Winner& than) {
  return (score > than.score) | ((score == than.score) & (head < than.head));
}

constexpr size_t kRows = 2;  // of lanes: each comparison waits for the one before it in its row

// Finds the highest score of a state that has nodes, and among equal ones the oldest head. Each
// lane keeps its own winner.
MUSTER_KERNEL void FindBest(const double* score, const double* head, size_t count, Winner* winner) {
  const Lanes never = {kNoWinner, kNoWinner, kNoWinner, kNoWinner};
  const Lanes no_head = {kNoHead, kNoHead, kNoHead, kNoHead};
  Lanes best[kRows] = {never, never}, oldest[kRows] = {no_head, no_head};
  const auto keep_better = [](const Lanes& s, const Lanes& h, Lanes* best_of, Lanes* oldest_of) {
    const auto better = (s > *best_of) | ((s == *best_of) & (h < *oldest_of));
    *best_of = better ? s : *best_of;
    *oldest_of = better ? h : *oldest_of;
  };
  size_t i = 0;
  for (; i + kRows * kLanes <= count; i += kRows * kLanes) {
    for (size_t row = 0; row < kRows; ++row) {
      Lanes s, h;
      std::memcpy(&s, score + i + row * kLanes, sizeof s);
      std::memcpy(&h, head + i + row * kLanes, sizeof h);
      keep_better(h < no_head ? s : never, h, &best[row], &oldest[row]);
    }
  }
  if (i > 0) {
    // The rows, then the halves of a row, then their halves.
    keep_better(best[1], oldest[1], &best[0], &oldest[0]);
    Lanes s = best[0], h = oldest[0];
    keep_better(__builtin_shufflevector(s, s, 2, 3, 0, 1),
                __builtin_shufflevector(h, h, 2, 3, 0, 1), &best[0], &oldest[0]);
    s = best[0], h = oldest[0];
    keep_better(__builtin_shufflevector(s, s, 1, 0, 3, 2),
                __builtin_shufflevector(h, h, 1, 0, 3, 2), &best[0], &oldest[0]);
    if (Beats(best[0][0], oldest[0][0], *winner)) *winner = {best[0][0], oldest[0][0]};
  }
  for (; i < count; ++i) {
    if (head[i] < kNoHead && Beats(score[i], head[i], *winner)) *winner = {score[i], head[i]};
  }
}

NodeIndex NodeOf(const Winner& winner) {
  return winner.score == kNoWinner ? kNone : NodeIndex(static_cast<uint32_t>(winner.head));
}

}  // namespace

void Scoreboard::Winners::Resize(size_t groups) {
  score.resize(groups, kNoScore);
  head.resize(groups, kNoHead);
}

void Scoreboard::Winners::Clear() {
  std::fill(score.begin(), score.end(), kNoScore);
  std::fill(head.begin(), head.end(), kNoHead);
}

void Scoreboard::FindWinner(const NodeStates& states, size_t group) {
  const size_t begin = group * kGroup;
  Winner winner;
  if (begin < states.slots()) {
    FindBest(&score_[begin], states.columns().head.data() + begin,
             std::min(kGroup, states.slots() - begin), &winner);
  }
  lower_.score[group] = winner.score;
  lower_.head[group] = winner.head;
}

void Scoreboard::FindUpper(size_t upper) {
  const size_t begin = upper * kGroup;
  Winner winner;
  FindBest(&lower_.score[begin], &lower_.head[begin], std::min(kGroup, lower_.score.size() - begin),
           &winner);
  upper_.score[upper] = winner.score;
  upper_.head[upper] = winner.head;
}

// Finds all winners after a sweep. Few states that fit are held against one another one by one.
void Scoreboard::FindWinners(const NodeStates& states, std::span<const StateIndex> fitting) {
  lower_.Clear();
  upper_.Clear();
  if (fitting.size() < kGroup / 8 * lower_.score.size()) {
    for (const StateIndex slot : fitting) Raise(states, slot);
    return;
  }
  for (size_t block = 0; block < open_.size(); ++block) {
    constexpr size_t kGroups = kBlock / kGroup;
    for (size_t i = 0; open_[block] && i < kGroups; ++i) FindWinner(states, block * kGroups + i);
  }
  for (size_t upper = 0; upper < upper_.score.size(); ++upper) FindUpper(upper);
}

// Makes the state the winner of its group if it beats the one that is. Returns whether it did.
bool Scoreboard::Raise(const NodeStates& states, StateIndex slot) {
  const size_t group = slot / kGroup, upper = group / kGroup;
  const double score = score_[slot], head = states.columns().head[slot];
  if (!(score > kNoWinner) || !(head < kNoHead)) return false;
  if (!Beats(score, head, {lower_.score[group], lower_.head[group]})) return false;
  lower_.score[group] = score;
  lower_.head[group] = head;
  if (Beats(score, head, {upper_.score[upper], upper_.head[upper]})) {
    upper_.score[upper] = score;
    upper_.head[upper] = head;
  }
  return true;
}

// The state is another now, or another of its nodes is the oldest. If it was the winner, it may be
// so no longer.
void Scoreboard::Replay(const NodeStates& states, StateIndex slot) {
  if (Raise(states, slot)) return;
  const size_t group = slot / kGroup, upper = group / kGroup;
  const Winner before{lower_.score[group], lower_.head[group]};
  const NodeIndex node = NodeOf(before);
  if (node == kNone) return;
  const StateIndex winner = states.state(node);
  const bool still = winner != kNone && winner / kGroup == group &&
                     score_[winner] == before.score && states.columns().head[winner] == before.head;
  if (still) return;
  FindWinner(states, group);
  const Winner above{upper_.score[upper], upper_.head[upper]};
  if (above.score == before.score && above.head == before.head) {
    FindUpper(upper);
  } else if (Beats(lower_.score[group], lower_.head[group], above)) {
    upper_.score[upper] = lower_.score[group];
    upper_.head[upper] = lower_.head[group];
  }
}

NodeIndex Scoreboard::Best(const ScoringContext& context, const ClassNeeds& needs) {
  Refresh(context, needs);
  if (!needs.uniform) return ScanNormalized(context, needs);
  const NodeStates& states = context.states;
  Winner winner;
  if (winners_) {
    FindBest(upper_.score.data(), upper_.head.data(), upper_.score.size(), &winner);
    return NodeOf(winner);
  }
  for (size_t block = 0; block < open_.size(); ++block) {
    const size_t begin = block * kBlock;
    if (!open_[block]) continue;
    FindBest(&score_[begin], states.columns().head.data() + begin,
             std::min(kBlock, states.slots() - begin), &winner);
  }
  return NodeOf(winner);
}

}  // namespace muster
