// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/scoreboard.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace muster {
namespace {

constexpr double kNever = Scoreboard::kNoScore;
constexpr double kNoHead = std::numeric_limits<double>::infinity();
constexpr size_t kSweep = 1024;  // states scored at once: their parts stay in the nearest cache

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
constexpr size_t kRows = 2;  // of lanes: each comparison waits for the one before it in its row

// The highest score of a state that has nodes, and among equals the oldest head. Each lane keeps its own winner.
MUSTER_KERNEL void FindBest(const double* score, const double* head, size_t count, Winner* winner) {
  const Lanes never = {kNever, kNever, kNever, kNever};
  const Lanes no_head = {kNoHead, kNoHead, kNoHead, kNoHead};
  Lanes best[kRows] = {never, never}, oldest[kRows] = {no_head, no_head};
  size_t i = 0;
  for (; i + kRows * kLanes <= count; i += kRows * kLanes) {
    for (size_t row = 0; row < kRows; ++row) {
      Lanes s, h;
      std::memcpy(&s, score + i + row * kLanes, sizeof s);
      std::memcpy(&h, head + i + row * kLanes, sizeof h);
      s = h < no_head ? s : never;
      const auto better = (s > best[row]) | ((s == best[row]) & (h < oldest[row]));
      best[row] = better ? s : best[row];
      oldest[row] = better ? h : oldest[row];
    }
  }
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t k = 0; k < kLanes; ++k) {
      if (Beats(best[row][k], oldest[row][k], *winner)) *winner = {best[row][k], oldest[row][k]};
    }
  }
  for (; i < count; ++i) {
    if (head[i] < kNoHead && Beats(score[i], head[i], *winner)) *winner = {score[i], head[i]};
  }
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
      keep(columns.room, fits);
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

MUSTER_KERNEL void KeepInhabited(const double* head, size_t begin, size_t end,
                                 uint8_t* __restrict fits) {
  for (size_t i = begin; i < end; ++i) fits[i] &= static_cast<uint8_t>(head[i] < kNoHead);
}

// Adds begin <= i < end with fits[i], which is 0 or 1.
void Collect(const uint8_t* fits, size_t begin, size_t end, std::vector<uint32_t>* slots) {
  size_t i = begin;
  for (; i + 64 <= end; i += 64) {
    uint64_t word = 0;
    for (size_t k = 0; k < 8; ++k) {
      uint64_t eight;
      std::memcpy(&eight, fits + i + 8 * k, sizeof eight);
      // The product moves the lowest bits of eight bytes, first byte first, into the highest byte.
      word |= (eight * 0x0102040810204080) >> 56 << (8 * k);
    }
    for (; word != 0; word &= word - 1) {
      slots->push_back(static_cast<uint32_t>(i + static_cast<size_t>(std::countr_zero(word))));
    }
  }
  for (; i < end; ++i) {
    if (fits[i]) slots->push_back(static_cast<uint32_t>(i));
  }
}

// The columns of `slots` alone, side by side.
void Gather(const StateColumns& columns, std::span<const uint32_t> slots, bool free,
            StateColumns* to) {
  for (const auto part : StateColumns::kFree) (to->*part).resize((columns.*part).size());
  for (const auto part : StateColumns::kHeld) (to->*part).resize((columns.*part).size());
  to->size = slots.size();
  StateColumns::ForEach(
      free,
      [&](const auto& from, auto& cells) {
        if (cells.size() < kSweep) cells.resize(kSweep);
        const auto* source = from.data();
        auto* target = cells.data();
        for (size_t i = 0; i < slots.size(); ++i) target[i] = source[slots[i]];
      },
      columns, *to);
}

}  // namespace

void Scoreboard::Retarget(ClassIndex c, Want want) {
  class_ = c;
  want_ = want;
  epoch_ = 0;
}

void Scoreboard::Reserve(size_t slots, bool keep) {
  const size_t blocks = (slots + kBlock - 1) / kBlock;
  if (!keep) std::fill(open_.begin(), open_.end(), 0);
  if (blocks > blocks_) {
    const size_t room = std::max(blocks, blocks_ + blocks_ / 2);
    auto score = std::make_unique_for_overwrite<double[]>(room * kBlock);
    open_.reserve(room);
    for (size_t block = 0; block < open_.size(); ++block) {
      if (open_[block]) std::copy_n(&score_[block * kBlock], kBlock, &score[block * kBlock]);
    }
    score_ = std::move(score);
    blocks_ = room;
  }
  open_.resize(blocks, 0);
  winner_score_.resize(blocks, kNoScore);
  winner_head_.resize(blocks, kNoHead);
  winner_slot_.resize(blocks, kNone);
}

void Scoreboard::Open(size_t block) {
  if (open_[block]) return;
  open_[block] = 1;
  std::fill_n(&score_[block * kBlock], kBlock, std::numeric_limits<double>::quiet_NaN());
}

// Scores the slots in the room. `resources_fit`: that was found out, and that their kinds fit.
void Scoreboard::ScoreSlots(const ScoringContext& context, const ClassProfile& profile,
                            bool resources_fit) {
  SweepRoom& room = context.room;
  const NodeStates& states = context.states;
  room.fits.resize(kSweep);
  room.order.resize(kSweep);
  room.batch.resize(kSweep);
  if (!profile.uniform) {
    order_.resize(states.slots());
    batch_.resize(states.slots());
  }
  const size_t most = context.speed.vector_kernels ? kSweep : 1;
  for (size_t next = 0; next < room.slots.size();) {
    const size_t count = std::min(most, room.slots.size() - next);
    const std::span<const uint32_t> slots(&room.slots[next], count);
    next += count;
    // Where most states between the first and the last are to be scored, all of them are, in place.
    const size_t first = slots.front(), range = slots.back() - first + 1;
    const bool in_place = range <= kSweep && range <= 2 * count;
    if (!in_place) {
      Gather(states.columns(), slots, !resources_fit || profile.reads_free, &room.columns);
    }
    const StateColumns& columns = in_place ? states.columns() : room.columns;
    const size_t begin = in_place ? first : 0, end = in_place ? first + range : count;
    uint8_t* fits = room.fits.data() - begin;
    double* order = room.order.data() - begin;
    double* batch = room.batch.data() - begin;
    std::fill(fits + begin, fits + end, 1);
    if (!resources_fit) {
      FitResources(columns, profile, class_, want_, begin, end, fits);
      for (size_t i = 0; !context.kinds.all_fit(profile.row) && i < count; ++i) {
        fits[in_place ? slots[i] : i] &= context.kinds.fits(profile.row, states.kind(slots[i]));
      }
    }
    for (Policy* policy : profile.fit_policies) {
      if (want_ != Want::kEvicting || policy->TellsNodesApart()) {
        policy->FitStates(class_, columns, begin, end, fits);
      }
    }
    std::fill(order + begin, order + end, 0.0);
    std::fill(batch + begin, batch + end, profile.constant);
    for (Policy* policy : profile.score_policies) {
      policy->ScoreStates(class_, columns, begin, end, order, batch);
    }
    for (size_t i = 0; i < count; ++i) {
      const size_t at = in_place ? slots[i] : i;
      score_[slots[i]] = fits[at] ? order[at] + batch[at] : kNoScore;
    }
    for (size_t i = 0; !profile.uniform && i < count; ++i) {
      const size_t at = in_place ? slots[i] : i;
      order_[slots[i]] = order[at];
      batch_[slots[i]] = batch[at];
    }
  }
}

void Scoreboard::Sweep(const ScoringContext& context, const ClassProfile& profile) {
  SweepRoom& room = context.room;
  const NodeStates& states = context.states;
  room.fits.resize(kSweep);
  room.slots.clear();
  const size_t step = context.speed.vector_kernels ? kSweep : 1;
  for (size_t begin = 0; begin < states.slots(); begin += step) {
    const size_t end = std::min(begin + step, states.slots());
    uint8_t* fits = room.fits.data() - begin;
    std::fill(fits + begin, fits + end, 1);
    for (size_t i = begin; !context.kinds.all_fit(profile.row) && i < end; ++i) {
      fits[i] = context.kinds.fits(profile.row, states.kind(static_cast<uint32_t>(i)));
    }
    KeepInhabited(states.columns().head.data(), begin, end, fits);
    FitResources(states.columns(), profile, class_, want_, begin, end, fits);
    Collect(fits, begin, end, &room.slots);
  }
  std::fill(winner_score_.begin(), winner_score_.end(), kNoScore);
  std::fill(winner_head_.begin(), winner_head_.end(), kNoHead);
  std::fill(winner_slot_.begin(), winner_slot_.end(), kNone);
  fitting_ = room.slots.size();
  for (const uint32_t slot : room.slots) Open(slot / kBlock);
  ScoreSlots(context, profile, /*resources_fit=*/true);
}

void Scoreboard::FindWinner(const NodeStates& states, size_t block) {
  const size_t begin = block * kBlock;
  const size_t count = std::min(kBlock, states.slots() - begin);
  Winner winner;
  FindBest(&score_[begin], states.columns().head.data() + begin, count, &winner);
  winner_score_[block] = winner.score;
  winner_head_[block] = winner.head;
  winner_slot_[block] = NodeOf(winner) == kNone ? kNone : states.state(NodeOf(winner));
}

// The states at the bits of `touched` are others, or others of their nodes are the oldest.
void Scoreboard::CompareWithWinner(const NodeStates& states, size_t block, uint64_t touched) {
  const uint32_t slot = winner_slot_[block];
  if (slot != kNone && (touched >> (slot % kBlock) & 1)) {
    FindWinner(states, block);
    return;
  }
  Winner winner{winner_score_[block], winner_head_[block]};
  for (; touched != 0; touched &= touched - 1) {
    const size_t i = block * kBlock + static_cast<size_t>(std::countr_zero(touched));
    const double head = states.columns().head[i];
    if (!(score_[i] > kNever) || head == kNoHead || !Beats(score_[i], head, winner)) continue;
    winner = {score_[i], head};
    winner_slot_[block] = static_cast<uint32_t>(i);
  }
  winner_score_[block] = winner.score;
  winner_head_[block] = winner.head;
}

bool Scoreboard::Follows(const NodeStates& states) const {
  // A sweep compares all states with the request, many at once, and scores those that fit; most changes are scored, too.
  constexpr size_t kComparedAtOnce = 8;
  const size_t worth = states.slots() / kComparedAtOnce + 2 * fitting_;
  return epoch_ == states.epoch() && position_ >= states.journal_start() &&
         states.journal_end() - position_ < worth;
}

void Scoreboard::Refresh(const ScoringContext& context, const ClassProfile& profile) {
  const NodeStates& states = context.states;
  const bool winners = context.speed.block_winners && profile.uniform;
  const bool follows = winners == winners_ && Follows(states);
  winners_ = winners;
  Reserve(states.slots(), follows);
  if (follows) {
    ReadJournal(context, profile);
  } else {
    Sweep(context, profile);
    for (size_t block = 0; winners && block < open_.size(); ++block) {
      if (open_[block]) FindWinner(states, block);
    }
  }
  epoch_ = states.epoch();
  position_ = states.journal_end();
}

void Scoreboard::ReadJournal(const ScoringContext& context, const ClassProfile& profile) {
  SweepRoom& room = context.room;
  if (room.content.size() < open_.size()) {
    room.content.resize(open_.size(), 0);
    room.touched.resize(open_.size(), 0);
  }
  const auto unread = context.states.journal().subspan(position_ - context.states.journal_start());
  for (const StateChange change : unread) {
    const uint32_t block = change.slot / kBlock;
    if (room.touched[block] == 0) {
      room.blocks.push_back(block);
      Open(block);
    }
    room.touched[block] |= uint64_t{1} << (change.slot % kBlock);
    const bool unknown = std::isnan(score_[change.slot]);
    room.content[block] |= uint64_t{change.content || unknown} << (change.slot % kBlock);
  }
  room.slots.clear();
  std::sort(room.blocks.begin(), room.blocks.end());
  for (const uint32_t block : room.blocks) {
    for (uint64_t left = room.content[block]; left != 0; left &= left - 1) {
      room.slots.push_back(block * kBlock + static_cast<uint32_t>(std::countr_zero(left)));
    }
    room.content[block] = 0;
  }
  ScoreSlots(context, profile, /*resources_fit=*/false);
  for (const uint32_t block : room.blocks) {
    if (winners_) CompareWithWinner(context.states, block, room.touched[block]);
    room.touched[block] = 0;
  }
  room.blocks.clear();
}

NodeIndex Scoreboard::Best(const ScoringContext& context, const ClassProfile& profile) {
  Refresh(context, profile);
  if (!profile.uniform) return ScanNormalised(context, profile);
  Winner winner;
  if (winners_) {
    FindBest(winner_score_.data(), winner_head_.data(), open_.size(), &winner);
    return NodeOf(winner);
  }
  const NodeStates& states = context.states;
  for (size_t block = 0; block < open_.size(); ++block) {
    const size_t begin = block * kBlock;
    if (!open_[block]) continue;
    FindBest(&score_[begin], states.columns().head.data() + begin,
             std::min(kBlock, states.slots() - begin), &winner);
  }
  return NodeOf(winner);
}

NodeIndex Scoreboard::ScanNormalised(const ScoringContext& context,
                                     const ClassProfile& profile) const {
  const NodeStates& states = context.states;
  const auto kind_scores = context.kinds.scores();
  std::vector<int64_t> largest(kind_scores.size(), 0);
  for (uint32_t s = 0; s < states.slots(); ++s) {
    if (!fits(s) || states.head(s) == kNone) continue;
    for (size_t k = 0; k < largest.size(); ++k) {
      largest[k] = std::max(largest[k], context.kinds.raw(profile.row, k, states.kind(s)));
    }
  }
  uint32_t best = kNone;
  double best_score = kNoScore;
  for (uint32_t s = 0; s < states.slots(); ++s) {
    if (!fits(s) || states.head(s) == kNone) continue;
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
