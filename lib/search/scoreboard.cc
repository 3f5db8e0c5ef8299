// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/scoreboard.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "lib/search/lanes.h"

namespace muster {
namespace {

constexpr size_t kCopyCosts = 4;  // copying the columns of a state, in scorings of a state
constexpr size_t kFew = 8;        // changes that are read one by one
constexpr size_t kSweep = 1024;   // states scored at once: their parts stay in the nearest cache

// Kernels over `count` states: columns and results begin at the first of them.
MUSTER_KERNEL void KeepAtLeast(const double* have, double need, size_t count,
                               uint8_t* __restrict fits) {
  for (size_t i = 0; i < count; ++i) fits[i] &= static_cast<uint8_t>(have[i] >= need);
}

MUSTER_KERNEL void KeepBelow(const double* have, double need, size_t count, uint8_t* any) {
  for (size_t i = 0; i < count; ++i) any[i] |= static_cast<uint8_t>(have[i] < need);
}

// Keeps the bits of states that have at least `need`: bit k of word w is about state 64 w + k.
MUSTER_KERNEL void KeepWordsAtLeast(const double* have, double need, size_t words,
                                    uint64_t* __restrict fits) {
  const Lanes least = {need, need, need, need};
  for (size_t w = 0; w < words; ++w) {
    if (fits[w] == 0) continue;
    LaneBits bit = {1, 2, 4, 8}, kept = {0, 0, 0, 0};
    for (size_t k = 0; k < 64; k += kLanes) {
      Lanes h;
      std::memcpy(&h, have + 64 * w + k, sizeof h);
      kept |= (LaneBits)(h >= least) & bit;
      bit <<= kLanes;
    }
    fits[w] &= kept[0] | kept[1] | kept[2] | kept[3];
  }
}

// Keeps the bits of states that have nodes.
MUSTER_KERNEL void KeepWordsInhabited(const double* head, size_t words, uint64_t* __restrict fits) {
  const Lanes no_head = {kNoHead, kNoHead, kNoHead, kNoHead};
  for (size_t w = 0; w < words; ++w) {
    LaneBits bit = {1, 2, 4, 8}, kept = {0, 0, 0, 0};
    for (size_t k = 0; k < 64; k += kLanes) {
      Lanes h;
      std::memcpy(&h, head + 64 * w + k, sizeof h);
      kept |= (LaneBits)(h < no_head) & bit;
      bit <<= kLanes;
    }
    fits[w] &= kept[0] | kept[1] | kept[2] | kept[3];
  }
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

// Appends begin + k for each bit k of the word.
inline void CollectBits(uint64_t word, size_t begin, std::vector<StateIndex>* slots) {
  for (; word != 0; word &= word - 1) {
    slots->emplace_back(begin + static_cast<size_t>(std::countr_zero(word)));
  }
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
    CollectBits(word, begin + i, slots);
  }
  for (; i < count; ++i) {
    if (fits[i]) slots->emplace_back(begin + i);
  }
}

// Returns whether kind and resources of the state fit, where no parts of nodes are picked.
bool FitsNow(const ScoringContext& context, const ClassNeeds& needs, StateIndex slot) {
  const StateColumns& columns = context.states.columns();
  bool enough = context.kinds.fits(needs.row, context.states.kind(slot));
  for (size_t k = 0; k < needs.compared.size(); ++k) {
    enough &= columns.room[needs.compared[k]][slot] >= needs.amount[k] - needs.slack[k];
  }
  return enough;
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
  lower_.Resize(blocks * (kBlock / kGroup));
  upper_.Resize((lower_.score.size() + kGroup - 1) / kGroup);
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
    // Where many of the states between the first and the last are to be scored, all of them are, in
    // place: to score a state costs less than to copy its columns.
    const size_t first = room.slots[next];
    size_t count = 1;
    while (next + count < room.slots.size() && room.slots[next + count] < first + most) ++count;
    const size_t range = room.slots[next + count - 1] - first + 1;
    const bool in_place = range <= kCopyCosts * count;
    if (!in_place) count = std::min(most, room.slots.size() - next);
    const std::span<const StateIndex> slots(&room.slots[next], count);
    next += count;
    if (!in_place) {
      Gather(states.columns(), slots, !resources_fit || needs.reads_free, &room.columns);
    }
    const StateColumns& columns = in_place ? states.columns() : room.columns;
    const size_t begin = in_place ? first : 0, swept = in_place ? range : count;
    ScoreRange(context, needs, columns, begin, swept, slots, resources_fit);
    const uint8_t* fits = room.fits.data();
    const double* order = room.order.data();
    const double* batch = room.batch.data();
    double* score = score_.get();
    for (size_t i = 0; i < count; ++i) {
      const size_t at = in_place ? slots[i] - first : i;
      const double sum = order[at] + batch[at];
      score[slots[i]] = fits[at] ? sum : kNoScore;
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
  room.slots.clear();
  const bool amounts_alone = want_ == Want::kNow && needs.pick_policies.empty() &&
                             context.kinds.all_fit(needs.row) && context.speed.vector_kernels;
  if (amounts_alone) {
    ListByAmounts(context.states, needs, &room.slots);
  } else {
    ListFitting(context, needs);
  }
  fitting_ = room.slots.size();
  for (size_t i = 0; i < fitting_; ++i) {
    const size_t block = room.slots[i] / kBlock;
    if (i == 0 || block != room.slots[i - 1] / kBlock) Open(block);
  }
  ScoreSlots(context, needs, /*resources_fit=*/true);
}

// Lists the states of which kind and resources fit, in the room.
void Scoreboard::ListFitting(const ScoringContext& context, const ClassNeeds& needs) {
  SweepRoom& room = context.room;
  const NodeStates& states = context.states;
  room.fits.resize(kSweep);
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
}

// Does the same where the kinds of all nodes fit and no parts of nodes are picked. What is out of
// one column is not looked up in the next: most states of a busy cluster are full.
void Scoreboard::ListByAmounts(const NodeStates& states, const ClassNeeds& needs,
                               std::vector<StateIndex>* slots) {
  constexpr size_t kWords = kSweep / 64;
  const StateColumns& columns = states.columns();
  for (size_t begin = 0; begin < states.slots(); begin += kSweep) {
    const size_t count = std::min(kSweep, states.slots() - begin), words = count / 64;
    uint64_t fits[kWords];
    std::fill_n(fits, words, ~uint64_t{0});
    for (size_t k = 0; k < needs.compared.size(); ++k) {
      KeepWordsAtLeast(columns.room[needs.compared[k]].data() + begin,
                       needs.amount[k] - needs.slack[k], words, fits);
    }
    KeepWordsInhabited(columns.head.data() + begin, words, fits);
    for (size_t w = 0; w < words; ++w) CollectBits(fits[w], begin + 64 * w, slots);
    for (size_t i = begin + 64 * words; i < begin + count; ++i) {
      bool enough = columns.head[i] < kNoHead;
      for (size_t k = 0; k < needs.compared.size(); ++k) {
        enough &= columns.room[needs.compared[k]][i] >= needs.amount[k] - needs.slack[k];
      }
      if (enough) slots->emplace_back(i);
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
  const bool winners = context.speed.block_winners && needs.uniform;
  const bool follows = winners == winners_ && Follows(states);
  winners_ = winners;
  if (!follows || states.slots() > open_.size() * kBlock) Reserve(states.slots(), follows);
  if (!follows) {
    Sweep(context, needs);
    if (winners) FindWinners(states, context.room.slots);
    epoch_ = states.epoch();
  } else if (position_ != states.journal_end()) {
    const auto unread = states.journal().subspan(position_ - states.journal_start());
    if (unread.size() <= kFew) {
      ReadFew(context, needs, unread);
    } else {
      ReadJournal(context, needs, unread);
    }
  }
  position_ = states.journal_end();
}

// The changes of a placement or two: too few to gather them by block.
void Scoreboard::ReadFew(const ScoringContext& context, const ClassNeeds& needs,
                         std::span<const StateChange> unread) {
  std::vector<StateIndex>& slots = context.room.slots;
  slots.clear();
  const bool amounts_alone = want_ == Want::kNow && needs.pick_policies.empty();
  for (const StateChange change : unread) {
    const StateIndex slot(change.slot);
    Open(slot / kBlock);
    if (!change.content && !std::isnan(score_[slot])) continue;
    if (amounts_alone && !FitsNow(context, needs, slot)) {
      score_[slot] = kNoScore;
    } else {
      slots.push_back(slot);
    }
  }
  if (slots.size() > 1) std::sort(slots.begin(), slots.end());
  if (!slots.empty()) ScoreSlots(context, needs, /*resources_fit=*/amounts_alone);
  for (const StateChange change : unread) {
    if (winners_) Replay(context.states, StateIndex(change.slot));
  }
}

void Scoreboard::ReadJournal(const ScoringContext& context, const ClassNeeds& needs,
                             std::span<const StateChange> unread) {
  SweepRoom& room = context.room;
  if (room.content.size() < open_.size()) {
    room.content.resize(open_.size(), 0);
    room.touched.resize(open_.size(), 0);
  }
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
    for (uint64_t left = room.touched[block]; winners_ && left != 0; left &= left - 1) {
      Replay(context.states, StateIndex(block * kBlock + std::countr_zero(left)));
    }
    room.touched[block] = 0;
  }
  room.blocks.clear();
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
