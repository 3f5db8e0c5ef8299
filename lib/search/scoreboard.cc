// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/scoreboard.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "lib/base/grow.h"

namespace muster {
namespace {

constexpr double kNever = Scoreboard::kNoScore;
constexpr size_t kSweep = 1024;  // states scored at once: their parts stay in the nearest cache

struct Winner {
  double score = kNever;
  double head = kNoHead;
};

inline bool Beats(double score, double head, const Winner& than) {
  return (score > than.score) | ((score == than.score) & (head < than.head));
}

// Four doubles side by side, which both compilers keep in the registers of the machine.
using Lanes = double __attribute__((vector_size(32)));
constexpr size_t kLanes = 4;
constexpr size_t kRows = 2;  // of lanes: each comparison waits for the one before it in its row

// Finds the highest score of a state that has nodes, and among equal ones the oldest head. Each
// lane keeps its own winner.
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
  return winner.score == kNever ? kNone : NodeIndex(static_cast<uint32_t>(winner.head));
}

// Kernels over `count` states: columns and results begin at the first of them.
MUSTER_KERNEL void KeepAtLeast(const double* have, double need, size_t count,
                               uint8_t* __restrict fits) {
  for (size_t i = 0; i < count; ++i) fits[i] &= static_cast<uint8_t>(have[i] >= need);
}

MUSTER_KERNEL void KeepBelow(const double* have, double need, size_t count, uint8_t* any) {
  for (size_t i = 0; i < count; ++i) any[i] |= static_cast<uint8_t>(have[i] < need);
}

// Whether the request of a class fits the amounts of states in a range: fits[i] is about state
// begin + i.
class ResourceFit {
 public:
  ResourceFit(const StateColumns& columns, const ClassNeeds& needs, ClassIndex c, size_t begin,
              size_t end)
      : columns_(columns), needs_(needs), class_(c), begin_(begin), end_(end) {}

  void Keep(Want want, uint8_t* fits) const {
    switch (want) {
      case Want::kAnywhere:
      case Want::kEvicting:
        return;
      case Want::kNow:
        KeepAmounts(columns_.room, fits);
        KeepPicks(/*later=*/false, fits);
        return;
      case Want::kLater:
        KeepLater(fits);
        return;
      case Want::kEither: {
        std::vector<uint8_t> released(fits, fits + count());
        KeepAmounts(columns_.idle, fits);
        KeepPicks(/*later=*/false, fits);
        KeepAmounts(columns_.releasing, released.data());
        KeepPicks(/*later=*/true, released.data());
        for (size_t i = 0; i < count(); ++i) fits[i] |= released[i];
        return;
      }
    }
  }

 private:
  size_t count() const { return end_ - begin_; }
  double Need(size_t k) const { return needs_.amount[k] - needs_.slack[k]; }

  void KeepAmounts(const std::vector<std::vector<double>>& account, uint8_t* fits) const {
    for (size_t k = 0; k < needs_.compared.size(); ++k) {
      KeepAtLeast(account[needs_.compared[k]].data() + begin_, Need(k), count(), fits);
    }
  }

  void KeepPicks(bool later, uint8_t* fits) const {
    for (FitPolicy* policy : needs_.pick_policies) {
      policy->PickStates(class_, later, columns_, begin_, end_, fits);
    }
  }

  // Keeps what fits once the releasing tasks have gone, and not before.
  void KeepLater(uint8_t* fits) const {
    KeepAmounts(columns_.future_idle, fits);
    KeepPicks(/*later=*/true, fits);
    std::vector<uint8_t> waits(count(), 0);
    for (size_t k = 0; k < needs_.compared.size(); ++k) {
      KeepBelow(columns_.idle[needs_.compared[k]].data() + begin_, Need(k), count(), waits.data());
    }
    if (!needs_.pick_policies.empty()) {
      std::vector<uint8_t> picks(count(), 1);
      KeepPicks(/*later=*/false, picks.data());
      for (size_t i = 0; i < count(); ++i) waits[i] |= !picks[i];
    }
    for (size_t i = 0; i < count(); ++i) fits[i] &= waits[i];
  }

  const StateColumns& columns_;
  const ClassNeeds& needs_;
  const ClassIndex class_;
  const size_t begin_, end_;
};

MUSTER_KERNEL void KeepInhabited(const double* head, size_t count, uint8_t* __restrict fits) {
  for (size_t i = 0; i < count; ++i) fits[i] &= static_cast<uint8_t>(head[i] < kNoHead);
}

// Appends begin + i for each i < count with fits[i], which is 0 or 1.
void Collect(const uint8_t* fits, size_t begin, size_t count, std::vector<StateIndex>* slots) {
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    uint64_t word = 0;
    for (size_t k = 0; k < 8; ++k) {
      uint64_t eight;
      std::memcpy(&eight, fits + i + 8 * k, sizeof eight);
      // The product moves the lowest bits of eight bytes, first byte first, into the highest byte.
      word |= (eight * 0x0102040810204080) >> 56 << (8 * k);
    }
    for (; word != 0; word &= word - 1) {
      slots->emplace_back(begin + i + static_cast<size_t>(std::countr_zero(word)));
    }
  }
  for (; i < count; ++i) {
    if (fits[i]) slots->emplace_back(begin + i);
  }
}

// Copies the columns of `slots` alone, side by side.
void Gather(const StateColumns& columns, std::span<const StateIndex> slots, bool free,
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
  bound_score_.resize(blocks, kNoScore);
  bound_head_.resize(blocks, kNoHead);
}

void Scoreboard::Open(size_t block) {
  if (open_[block]) return;
  open_[block] = 1;
  std::fill_n(&score_[block * kBlock], kBlock, std::numeric_limits<double>::quiet_NaN());
}

// Scores the slots in the room. `resources_fit`: it is known that their resources and kinds fit.
void Scoreboard::ScoreSlots(const ScoringContext& context, const ClassNeeds& needs,
                            bool resources_fit) {
  SweepRoom& room = context.room;
  const NodeStates& states = context.states;
  room.fits.resize(kSweep);
  room.order.resize(kSweep);
  room.batch.resize(kSweep);
  if (!needs.uniform) {
    order_.resize(states.slots());
    batch_.resize(states.slots());
  }
  const size_t most = context.speed.vector_kernels ? kSweep : 1;
  for (size_t next = 0; next < room.slots.size();) {
    const size_t count = std::min(most, room.slots.size() - next);
    const std::span<const StateIndex> slots(&room.slots[next], count);
    next += count;
    // Where most states between the first and the last are to be scored, all of them are, in place.
    const size_t first = slots.front(), range = slots.back() - first + 1;
    const bool in_place = range <= kSweep && range <= 2 * count;
    if (!in_place) {
      Gather(states.columns(), slots, !resources_fit || needs.reads_free, &room.columns);
    }
    const StateColumns& columns = in_place ? states.columns() : room.columns;
    const size_t begin = in_place ? first : 0, swept = in_place ? range : count;
    ScoreRange(context, needs, columns, begin, swept, slots, resources_fit);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = in_place ? slots[i] - first : i;
      score_[slots[i]] = room.fits[at] ? room.order[at] + room.batch[at] : kNoScore;
    }
    for (size_t i = 0; !needs.uniform && i < count; ++i) {
      const size_t at = in_place ? slots[i] - first : i;
      order_[slots[i]] = room.order[at];
      batch_[slots[i]] = room.batch[at];
    }
  }
}

// Fills the fits, order and batch of the room for `count` states of `columns` from `begin` on.
// Columns of the room hold the states at `slots` side by side; those of the states hold them at
// their slots.
void Scoreboard::ScoreRange(const ScoringContext& context, const ClassNeeds& needs,
                            const StateColumns& columns, size_t begin, size_t count,
                            std::span<const StateIndex> slots, bool resources_fit) {
  SweepRoom& room = context.room;
  const size_t end = begin + count;
  const bool in_place = &columns != &room.columns;
  std::fill_n(room.fits.begin(), count, uint8_t{1});
  if (!resources_fit) {
    ResourceFit(columns, needs, class_, begin, end).Keep(want_, room.fits.data());
    for (size_t i = 0; !context.kinds.all_fit(needs.row) && i < slots.size(); ++i) {
      room.fits[in_place ? slots[i] - begin : i] &=
          context.kinds.fits(needs.row, context.states.kind(slots[i]));
    }
  }
  for (const PolicyEntry* entry : needs.fit_policies) {
    if (want_ != Want::kEvicting || entry->traits.tells_nodes_apart) {
      Measured(context.meter, *entry, count,
               [&] { entry->fit->FitStates(class_, columns, begin, end, room.fits.data()); });
    }
  }
  std::fill_n(room.order.begin(), count, 0.0);
  std::fill_n(room.batch.begin(), count, needs.constant);
  for (const PolicyEntry* entry : needs.score_policies) {
    Measured(context.meter, *entry, count, [&] {
      entry->score->ScoreStates(class_, columns, begin, end, room.order.data(), room.batch.data());
    });
  }
}

void Scoreboard::Sweep(const ScoringContext& context, const ClassNeeds& needs) {
  SweepRoom& room = context.room;
  const NodeStates& states = context.states;
  room.fits.resize(kSweep);
  room.slots.clear();
  const size_t step = context.speed.vector_kernels ? kSweep : 1;
  for (size_t begin = 0; begin < states.slots(); begin += step) {
    const size_t end = std::min(begin + step, states.slots());
    const size_t count = end - begin;
    std::fill_n(room.fits.begin(), count, uint8_t{1});
    for (size_t i = 0; !context.kinds.all_fit(needs.row) && i < count; ++i) {
      room.fits[i] = context.kinds.fits(needs.row, states.kind(StateIndex(begin + i)));
    }
    KeepInhabited(states.columns().head.data() + begin, count, room.fits.data());
    ResourceFit(states.columns(), needs, class_, begin, end).Keep(want_, room.fits.data());
    Collect(room.fits.data(), begin, count, &room.slots);
  }
  std::fill(bound_score_.begin(), bound_score_.end(), kNoScore);
  std::fill(bound_head_.begin(), bound_head_.end(), kNoHead);
  fitting_ = room.slots.size();
  for (const StateIndex slot : room.slots) Open(slot / kBlock);
  ScoreSlots(context, needs, /*resources_fit=*/true);
}

void Scoreboard::FindBound(const NodeStates& states, size_t block) {
  const size_t begin = block * kBlock;
  const size_t count = std::min(kBlock, states.slots() - begin);
  Winner winner;
  FindBest(&score_[begin], states.columns().head.data() + begin, count, &winner);
  bound_score_[block] = winner.score;
  bound_head_[block] = winner.head;
}

void Scoreboard::RaiseBound(const NodeStates& states, StateIndex slot) {
  const size_t block = slot / kBlock;
  const double head = states.columns().head[slot], score = score_[slot];
  if (!(score > kNever) || head == kNoHead) return;
  if (!Beats(score, head, {bound_score_[block], bound_head_[block]})) return;
  bound_score_[block] = score;
  bound_head_[block] = head;
}

NodeIndex Scoreboard::BestBound(const NodeStates& states) {
  for (;;) {
    Winner best;
    FindBest(bound_score_.data(), bound_head_.data(), open_.size(), &best);
    const NodeIndex node = NodeOf(best);
    if (node == kNone) return kNone;
    const StateIndex slot = states.state(node);
    if (slot != kNone && score(slot) == best.score && states.columns().head[slot] == best.head) {
      return node;
    }
    for (size_t block = 0; block < open_.size(); ++block) {
      if (bound_score_[block] == best.score && bound_head_[block] == best.head) {
        FindBound(states, block);
      }
    }
  }
}

bool Scoreboard::Follows(const NodeStates& states) const {
  // A sweep compares all states with the request, many at once, and scores those that fit. Most
  // changes are scored, too.
  constexpr size_t kComparedAtOnce = 8;
  const size_t worth = states.slots() / kComparedAtOnce + 2 * fitting_;
  return epoch_ == states.epoch() && position_ >= states.journal_start() &&
         states.journal_end() - position_ < worth;
}

void Scoreboard::Refresh(const ScoringContext& context, const ClassNeeds& needs) {
  const NodeStates& states = context.states;
  const bool bounds = context.speed.block_winners && needs.uniform;
  const bool follows = bounds == bounds_ && Follows(states);
  bounds_ = bounds;
  Reserve(states.slots(), follows);
  if (follows) {
    ReadJournal(context, needs);
  } else {
    Sweep(context, needs);
    for (size_t block = 0; bounds && block < open_.size(); ++block) {
      if (open_[block]) FindBound(states, block);
    }
  }
  epoch_ = states.epoch();
  position_ = states.journal_end();
}

void Scoreboard::ReadJournal(const ScoringContext& context, const ClassNeeds& needs) {
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
      room.slots.emplace_back(block * kBlock + static_cast<uint32_t>(std::countr_zero(left)));
    }
    room.content[block] = 0;
  }
  ScoreSlots(context, needs, /*resources_fit=*/false);
  for (const uint32_t block : room.blocks) {
    for (uint64_t left = room.touched[block]; bounds_ && left != 0; left &= left - 1) {
      RaiseBound(context.states, StateIndex(block * kBlock + std::countr_zero(left)));
    }
    room.touched[block] = 0;
  }
  room.blocks.clear();
}

NodeIndex Scoreboard::Best(const ScoringContext& context, const ClassNeeds& needs) {
  Refresh(context, needs);
  if (!needs.uniform) return ScanNormalized(context, needs);
  const NodeStates& states = context.states;
  if (bounds_) return BestBound(states);
  Winner winner;
  for (size_t block = 0; block < open_.size(); ++block) {
    const size_t begin = block * kBlock;
    if (!open_[block]) continue;
    FindBest(&score_[begin], states.columns().head.data() + begin,
             std::min(kBlock, states.slots() - begin), &winner);
  }
  return NodeOf(winner);
}

NodeIndex Scoreboard::BestAfterPlacement(const ScoringContext& context, const ClassNeeds& needs) {
  const NodeStates& states = context.states;
  if (states.slots() > open_.size() * kBlock) Reserve(states.slots(), /*keep=*/true);
  const auto unread = states.journal().subspan(position_ - states.journal_start());
  SweepRoom& room = context.room;
  room.slots.clear();
  for (const StateChange change : unread) {
    const StateIndex slot(change.slot);
    Open(slot / kBlock);
    if (change.content || std::isnan(score_[slot])) room.slots.push_back(slot);
  }
  if (!room.slots.empty()) {
    std::sort(room.slots.begin(), room.slots.end());
    ScoreSlots(context, needs, /*resources_fit=*/false);
  }
  for (const StateChange change : unread) RaiseBound(states, StateIndex(change.slot));
  position_ = states.journal_end();
  return BestBound(states);
}

NodeIndex Scoreboard::ScanNormalized(const ScoringContext& context, const ClassNeeds& needs) const {
  const NodeStates& states = context.states;
  const auto kind_scores = context.kinds.scores();
  std::vector<int64_t> largest(kind_scores.size(), 0);
  for (StateIndex s = 0; s < states.slots(); ++s) {
    if (!fits(s) || states.head(s) == kNone) continue;
    for (size_t k = 0; k < largest.size(); ++k) {
      largest[k] = std::max(largest[k], context.kinds.raw(needs.row, k, states.kind(s)));
    }
  }
  StateIndex best = kNone;
  double best_score = kNoScore;
  for (StateIndex s = 0; s < states.slots(); ++s) {
    if (!fits(s) || states.head(s) == kNone) continue;
    double batch = batch_[s];
    for (size_t k = 0; k < largest.size(); ++k) {
      batch +=
          Normalized(kind_scores[k], context.kinds.raw(needs.row, k, states.kind(s)), largest[k]);
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
