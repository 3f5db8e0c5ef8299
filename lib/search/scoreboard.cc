// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/scoreboard.h"

#include <algorithm>
#include <limits>

namespace muster {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

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

void FitResources(const StateColumns& columns, const ClassProfile& profile, Want want, size_t begin,
                  size_t end, uint8_t* fits) {
  const size_t count = profile.needs.size();
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
      return;
    case Want::kLater: {
      keep(columns.future_idle, fits);
      std::vector<uint8_t> short_of(end - begin, 0);
      uint8_t* later = short_of.data() - begin;
      for (size_t k = 0; k < count; ++k) {
        KeepBelow(columns.idle[profile.needs[k]].data(), profile.amount[k] - profile.slack[k],
                  begin, end, later);
      }
      for (size_t i = begin; i < end; ++i) fits[i] &= later[i];
      return;
    }
    case Want::kEither: {
      std::vector<uint8_t> released(fits + begin, fits + end);
      keep(columns.idle, fits);
      keep(columns.releasing, released.data() - begin);
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
  for (size_t i = begin; i < end; ++i) {
    fits[i] = context.kinds.fits(profile.row, context.states.kind(static_cast<uint32_t>(i)));
  }
  FitResources(columns, profile, want, begin, end, fits);
  if (want != Want::kEvicting) {
    for (Policy* policy : profile.fit_policies) policy->FitStates(c, columns, begin, end, fits);
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

void Scoreboard::Score(const ScoringContext& context, const ClassProfile& profile, size_t begin,
                       size_t end) {
  const size_t slots = context.states.slots();
  SweepRoom& room = context.room;
  if (room.fits.size() < end - begin) {
    room.fits.resize(end - begin);
    room.order.resize(end - begin);
    room.batch.resize(end - begin);
  }
  uint8_t* fits = room.fits.data() - begin;
  double* order = room.order.data() - begin;
  double* batch = room.batch.data() - begin;
  if (context.speed.vector_kernels) {
    EvaluateStates(context, profile, class_, want_, begin, end, fits, order, batch);
  } else {
    for (size_t i = begin; i < end; ++i) {
      EvaluateStates(context, profile, class_, want_, i, i + 1, fits, order, batch);
    }
  }
  if (score_.size() < slots) {
    score_.resize(slots, kNever);
    stamp_.resize(slots, 0);
  }
  Total(fits, order, batch, begin, end, score_.data());
  if (!profile.uniform) {
    order_.resize(slots);
    batch_.resize(slots);
    std::copy(order + begin, order + end, order_.begin() + begin);
    std::copy(batch + begin, batch + end, batch_.begin() + begin);
  }
  for (size_t i = begin; i < end; ++i) stamp_[i] = context.states.stamp(static_cast<uint32_t>(i));
}

bool Scoreboard::fits(uint32_t slot) const { return score_[slot] != kNever; }

uint32_t Scoreboard::Better(const NodeStates& states, uint32_t a, uint32_t b) const {
  if (a == kNone) return b;
  if (b == kNone) return a;
  if (score_[a] != score_[b]) return score_[a] > score_[b] ? a : b;
  return states.head(a) <= states.head(b) ? a : b;
}

void Scoreboard::BuildTree(const NodeStates& states) {
  size_t leaves = 1;
  while (leaves < score_.size()) leaves *= 2;
  leaves_ = leaves;
  tree_.assign(2 * leaves, kNone);
  for (uint32_t s = 0; s < score_.size(); ++s) {
    if (score_[s] != kNever && states.head(s) != kNone) tree_[leaves + s] = s;
  }
  for (size_t i = leaves - 1; i >= 1; --i) {
    tree_[i] = Better(states, tree_[2 * i], tree_[2 * i + 1]);
  }
}

void Scoreboard::UpdateLeaf(const NodeStates& states, uint32_t slot) {
  size_t i = leaves_ + slot;
  tree_[i] = score_[slot] != kNever && states.head(slot) != kNone ? slot : kNone;
  for (i /= 2; i >= 1; i /= 2) {
    const uint32_t winner = Better(states, tree_[2 * i], tree_[2 * i + 1]);
    if (winner == tree_[i] && winner != slot) return;  // nothing above has heard of `slot`
    tree_[i] = winner;
  }
}

void Scoreboard::Refresh(const ScoringContext& context, const ClassProfile& profile) {
  const NodeStates& states = context.states;
  const bool tree = context.speed.winner_trees && profile.uniform;
  const size_t slots = states.slots();
  const uint64_t unread = states.journal_end() - position_;
  const bool afresh = epoch_ != states.epoch() || position_ < states.journal_start() ||
                      unread > slots / 4 + 8 || (tree && slots > leaves_);
  if (afresh) {
    if (epoch_ != states.epoch()) {
      score_.clear();
      stamp_.clear();
      epoch_ = states.epoch();
    }
    size_t stale = 0;
    for (size_t s = 0; s < slots; ++s) {
      stale += s >= stamp_.size() || stamp_[s] != states.stamp(static_cast<uint32_t>(s));
    }
    if (stale * 4 > slots) {
      Score(context, profile, 0, slots);
    } else {
      for (size_t s = 0; s < slots && stale > 0; ++s) {
        if (s < stamp_.size() && stamp_[s] == states.stamp(static_cast<uint32_t>(s))) continue;
        Score(context, profile, s, s + 1);
        --stale;
      }
    }
    if (tree) BuildTree(states);
  } else {
    const auto journal = states.journal();
    for (uint64_t p = position_; p < states.journal_end(); ++p) {
      const uint32_t slot = journal[p - states.journal_start()];
      if (slot >= stamp_.size() || stamp_[slot] != states.stamp(slot)) {
        Score(context, profile, slot, slot + 1);
      }
      if (tree) UpdateLeaf(states, slot);
    }
  }
  position_ = states.journal_end();
}

uint32_t Scoreboard::Best(const ScoringContext& context, const ClassProfile& profile) {
  Refresh(context, profile);
  if (!profile.uniform) return ScanNormalised(context, profile);
  if (context.speed.winner_trees) return tree_.size() > 1 ? tree_[1] : kNone;
  return ScanUniform(context.states);
}

uint32_t Scoreboard::ScanUniform(const NodeStates& states) const {
  uint32_t best = kNone;
  for (uint32_t s = 0; s < score_.size(); ++s) {
    if (score_[s] != kNever && states.head(s) != kNone) best = Better(states, best, s);
  }
  return best;
}

uint32_t Scoreboard::ScanNormalised(const ScoringContext& context,
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
  return best;
}

size_t Scoreboard::bytes() const {
  return sizeof(*this) + (score_.capacity() + order_.capacity() + batch_.capacity()) * 8 +
         (stamp_.capacity() + tree_.capacity()) * 4;
}

}  // namespace muster
