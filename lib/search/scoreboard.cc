// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/scoreboard.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

namespace muster {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kNoHead = std::numeric_limits<double>::infinity();
constexpr size_t kBlock = 64;  // states: the bits of a word
constexpr size_t kSweep =
    1024;  // states scored at once: the parts of their scores stay in the nearest cache

struct Winner {
  double score = kNever;
  double head = kNoHead;
};

inline bool Beats(double score, double head, const Winner& than) {
  return (score > than.score) | ((score == than.score) & (head < than.head));
}

// Four doubles side by side, which both compilers keep in registers of what width there is.
using Lanes = double __attribute__((vector_size(32)));
constexpr size_t kLanes = 4;

// The highest score of a state that has nodes, and among equals the oldest head. Each lane keeps its own winner.
MUSTER_KERNEL void FindBest(const double* score, const double* head, size_t count, Winner* winner) {
  const Lanes never = {kNever, kNever, kNever, kNever};
  const Lanes no_head = {kNoHead, kNoHead, kNoHead, kNoHead};
  Lanes best = never, oldest = no_head;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes s, h;
    std::memcpy(&s, score + i, sizeof s);
    std::memcpy(&h, head + i, sizeof h);
    s = h < no_head ? s : never;
    const auto better = (s > best) | ((s == best) & (h < oldest));
    best = better ? s : best;
    oldest = better ? h : oldest;
  }
  for (size_t k = 0; k < kLanes; ++k) {
    if (Beats(best[k], oldest[k], *winner)) *winner = {best[k], oldest[k]};
  }
  for (; i < count; ++i) {
    if (head[i] < kNoHead && Beats(score[i], head[i], *winner)) *winner = {score[i], head[i]};
  }
}

Winner FindBest(std::span<const double> score, const double* head) {
  Winner winner;
  FindBest(score.data(), head, score.size(), &winner);
  return winner;
}

NodeIndex NodeOf(const Winner& winner) {
  return winner.score == kNever ? kNone : static_cast<NodeIndex>(winner.head);
}

MUSTER_KERNEL void KeepAtLeast(const double* have, double need, size_t begin, size_t end,
                               uint8_t* __restrict fits) {
  for (size_t i = begin; i < end; ++i) fits[i] &= static_cast<uint8_t>(have[i] >= need);
}

MUSTER_KERNEL void KeepBelow(const double* have, double need, size_t begin, size_t end,
                             uint8_t* any) {
  for (size_t i = begin; i < end; ++i) any[i] |= static_cast<uint8_t>(have[i] < need);
}

MUSTER_KERNEL void Total(const uint8_t* fits, const double* order, const double* batch,
                         size_t begin, size_t end, double* __restrict score) {
  for (size_t i = begin; i < end; ++i) {
    score[i] = fits[i] ? order[i] + batch[i] : -std::numeric_limits<double>::infinity();
  }
}

void FitResources(const StateColumns& columns, const ClassProfile& profile, ClassIndex c, Want want,
                  size_t begin, size_t end, uint8_t* fits) {
  const size_t count = profile.needs.size();
  auto keep_parts = [&](bool later, uint8_t* out) {
    for (Policy* policy : profile.part_policies)
      policy->FitParts(c, later, columns, begin, end, out);
  };
  auto keep = [&](const std::vector<std::vector<double>>& account, uint8_t* out) {
    for (size_t k = 0; k < count; ++k) {
      KeepAtLeast(account[profile.needs[k]].data(), profile.amount[k] - profile.slack[k], begin,
                  end, out);
    }
  };
  switch (want) {
    case Want::kAnywhere:
    case Want::kEvicting:
      return;
    case Want::kNow:
      keep(columns.idle, fits);
      keep(columns.future_idle, fits);
      keep_parts(/*later=*/false, fits);
      return;
    case Want::kLater: {
      keep(columns.future_idle, fits);
      keep_parts(/*later=*/true, fits);
      std::vector<uint8_t> short_of(end - begin, 0);
      uint8_t* later = short_of.data() - begin;
      for (size_t k = 0; k < count; ++k) {
        KeepBelow(columns.idle[profile.needs[k]].data(), profile.amount[k] - profile.slack[k],
                  begin, end, later);
      }
      if (!profile.part_policies.empty()) {
        std::vector<uint8_t> parts(end - begin, 1);
        keep_parts(/*later=*/false, parts.data() - begin);
        for (size_t i = begin; i < end; ++i) later[i] |= !parts[i - begin];
      }
      for (size_t i = begin; i < end; ++i) fits[i] &= later[i];
      return;
    }
    case Want::kEither: {
      std::vector<uint8_t> released(fits + begin, fits + end);
      keep(columns.idle, fits);
      keep_parts(/*later=*/false, fits);
      keep(columns.releasing, released.data() - begin);
      keep_parts(/*later=*/true, released.data() - begin);
      for (size_t i = begin; i < end; ++i) fits[i] |= released[i - begin];
      return;
    }
  }
}

}  // namespace

void EvaluateStates(const ScoringContext& context, const ClassProfile& profile, ClassIndex c,
                    Want want, size_t begin, size_t end, uint8_t* fits, double* order,
                    double* batch) {
  const StateColumns& columns = context.states.columns();
  if (context.kinds.all_fit(profile.row)) {
    std::fill(fits + begin, fits + end, 1);
  } else {
    for (size_t i = begin; i < end; ++i) {
      fits[i] = context.kinds.fits(profile.row, context.states.kind(static_cast<uint32_t>(i)));
    }
  }
  FitResources(columns, profile, c, want, begin, end, fits);
  for (Policy* policy : profile.fit_policies) {
    if (want != Want::kEvicting || policy->TellsNodesApart()) {
      policy->FitStates(c, columns, begin, end, fits);
    }
  }
  std::fill(order + begin, order + end, 0.0);
  std::fill(batch + begin, batch + end, profile.constant);
  for (Policy* policy : profile.score_policies) {
    policy->ScoreStates(c, columns, begin, end, order, batch);
  }
}

void Scoreboard::Retarget(ClassIndex c, Want want) {
  class_ = c;
  want_ = want;
  epoch_ = 0;
}

void Scoreboard::Fit(const NodeStates& states) {
  const size_t slots = states.slots();
  score_.resize(slots, kNever);
  winner_score_.resize((slots + kBlock - 1) / kBlock, kNever);
  winner_head_.resize(winner_score_.size(), kNoHead);
}

void Scoreboard::Score(const ScoringContext& context, const ClassProfile& profile, size_t begin,
                       size_t end) {
  SweepRoom& room = context.room;
  if (room.fits.size() < kSweep) {
    room.fits.resize(kSweep);
    room.order.resize(kSweep);
    room.batch.resize(kSweep);
  }
  if (!profile.uniform) {
    order_.resize(context.states.slots());
    batch_.resize(context.states.slots());
  }
  const size_t step = context.speed.vector_kernels ? kSweep : 1;
  for (; begin < end; begin += step) {
    const size_t until = std::min(begin + step, end);
    uint8_t* fits = room.fits.data() - begin;
    double* order = room.order.data() - begin;
    double* batch = room.batch.data() - begin;
    EvaluateStates(context, profile, class_, want_, begin, until, fits, order, batch);
    Total(fits, order, batch, begin, until, score_.data());
    if (!profile.uniform) {
      std::copy(order + begin, order + until, order_.begin() + begin);
      std::copy(batch + begin, batch + until, batch_.begin() + begin);
    }
  }
}

bool Scoreboard::fits(uint32_t slot) const { return score_[slot] != kNever; }

void Scoreboard::FindWinner(const NodeStates& states, size_t block) {
  const size_t begin = block * kBlock;
  const size_t count = std::min(kBlock, score_.size() - begin);
  const Winner winner =
      FindBest({score_.data() + begin, count}, states.columns().head.data() + begin);
  winner_score_[block] = winner.score;
  winner_head_[block] = winner.head;
}

void Scoreboard::Refresh(const ScoringContext& context, const ClassProfile& profile) {
  const NodeStates& states = context.states;
  const bool winners = context.speed.block_winners && profile.uniform;
  const bool follows = epoch_ == states.epoch() && position_ >= states.journal_start() &&
                       winners == winners_ && states.journal_end() - position_ < states.slots();
  Fit(states);
  if (follows) {
    ReadJournal(context, profile);
  } else {
    Score(context, profile, 0, states.slots());
    for (size_t block = 0; winners && block < winner_score_.size(); ++block) {
      FindWinner(states, block);
    }
  }
  epoch_ = states.epoch();
  winners_ = winners;
  position_ = states.journal_end();
}

void Scoreboard::ReadJournal(const ScoringContext& context, const ClassProfile& profile) {
  SweepRoom& room = context.room;
  if (room.content.size() < winner_score_.size()) {
    room.content.resize(winner_score_.size(), 0);
    room.changed.resize(winner_score_.size(), 0);
  }
  const auto unread = context.states.journal().subspan(position_ - context.states.journal_start());
  for (const StateChange change : unread) {
    const uint32_t block = change.slot / kBlock;
    if (!room.changed[block]) {
      room.changed[block] = 1;
      room.blocks.push_back(block);
    }
    room.content[block] |= uint64_t{change.content} << (change.slot % kBlock);
  }
  for (const uint32_t block : room.blocks) {
    const uint64_t content = room.content[block];
    // All from the first to the last of them: a few more in one go cost less than two goes.
    if (content != 0) {
      Score(context, profile, block * kBlock + static_cast<size_t>(std::countr_zero(content)),
            (block + 1) * kBlock - static_cast<size_t>(std::countl_zero(content)));
    }
    if (winners_) FindWinner(context.states, block);
    room.changed[block] = 0;
    room.content[block] = 0;
  }
  room.blocks.clear();
}

NodeIndex Scoreboard::Best(const ScoringContext& context, const ClassProfile& profile) {
  Refresh(context, profile);
  if (!profile.uniform) return ScanNormalised(context, profile);
  if (winners_) {
    return NodeOf(FindBest(winner_score_, winner_head_.data()));
  }
  return NodeOf(FindBest(score_, context.states.columns().head.data()));
}

NodeIndex Scoreboard::ScanNormalised(const ScoringContext& context,
                                     const ClassProfile& profile) const {
  const NodeStates& states = context.states;
  const auto kind_scores = context.kinds.scores();
  std::vector<int64_t> largest(kind_scores.size(), 0);
  for (uint32_t s = 0; s < score_.size(); ++s) {
    if (score_[s] == kNever || states.head(s) == kNone) continue;
    for (size_t k = 0; k < largest.size(); ++k) {
      largest[k] = std::max(largest[k], context.kinds.raw(profile.row, k, states.kind(s)));
    }
  }
  uint32_t best = kNone;
  double best_score = kNever;
  for (uint32_t s = 0; s < score_.size(); ++s) {
    if (score_[s] == kNever || states.head(s) == kNone) continue;
    double batch = batch_[s];
    for (size_t k = 0; k < largest.size(); ++k) {
      batch +=
          Normalised(kind_scores[k], context.kinds.raw(profile.row, k, states.kind(s)), largest[k]);
    }
    const double score = order_[s] + batch;
    if (best == kNone || score > best_score ||
        (score == best_score && states.head(s) < states.head(best))) {
      best = s;
      best_score = score;
    }
  }
  return best == kNone ? kNone : states.head(best);
}

}  // namespace muster
