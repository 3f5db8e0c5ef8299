// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/node_board.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

size_t Groups(size_t members, size_t group) { return (members + group - 1) / group; }

// Returns the place of the first of `count` numbers that is the highest.
size_t FirstHighest(const double* numbers, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; ++i) best = numbers[i] > numbers[best] ? i : best;
  return best;
}

}  // namespace

void NodeBoard::Reset(size_t nodes, LevelScore level_score) {
  level_score_ = std::move(level_score);
  level_score_of_ = {};
  population_ = {};
  highest_ = top_ = 0;
  order_.resize(nodes);
  batch_.resize(nodes);
  level_.resize(nodes);
  candidate_.assign(nodes, 0);
  const size_t groups = Groups(nodes, kGroup), uppers = Groups(groups, kGroup);
  total_.assign(uppers * kGroup * kGroup, kNoScore);
  lower_.assign(uppers * kGroup, kNoScore);
  upper_.assign(uppers, kNoScore);
  is_dirty_.assign(groups, 0);
  dirty_.clear();
  if (level_score_) level_score_of_[0] = level_score_(0, 0);
}

void NodeBoard::Touch(NodeIndex n) {
  const size_t group = n / kGroup;
  if (is_dirty_[group]) return;
  is_dirty_[group] = 1;
  dirty_.push_back(static_cast<uint32_t>(group));
}

void NodeBoard::Set(NodeIndex n, double order, double batch, uint8_t level) {
  if (candidate_[n]) --population_[level_[n]];
  candidate_[n] = 1;
  order_[n] = order;
  batch_[n] = batch;
  level_[n] = level;
  ++population_[level];
  top_ = std::max<size_t>(top_, level);
  Touch(n);
}

void NodeBoard::Clear(NodeIndex n) {
  if (!candidate_[n]) return;
  candidate_[n] = 0;
  --population_[level_[n]];
  Touch(n);
}

void NodeBoard::FollowHighest() {
  if (!level_score_) return;
  while (top_ > 0 && population_[top_] == 0) --top_;
  if (top_ == highest_) return;
  highest_ = top_;
  for (size_t level = 0; level <= highest_; ++level) {
    level_score_of_[level] =
        level_score_(static_cast<uint8_t>(level), static_cast<uint8_t>(highest_));
  }
  for (size_t n = 0; n < candidate_.size(); n += kGroup) Touch(NodeIndex(n));
}

void NodeBoard::FindWinner(size_t group) {
  const size_t begin = group * kGroup, end = std::min(begin + kGroup, candidate_.size());
  double best = kNoScore;
  for (size_t n = begin; n < end; ++n) {
    const double total = order_[n] + (batch_[n] + level_score_of_[level_[n]]);
    total_[n] = candidate_[n] ? total : kNoScore;
    best = std::max(best, total_[n]);
  }
  lower_[group] = best;
}

void NodeBoard::FindUpper(size_t upper) {
  const double* winners = &lower_[upper * kGroup];
  upper_[upper] = winners[FirstHighest(winners, kGroup)];
}

NodeIndex NodeBoard::Best() {
  FollowHighest();
  for (const uint32_t group : dirty_) {
    is_dirty_[group] = 0;
    FindWinner(group);
  }
  for (const uint32_t group : dirty_) FindUpper(group / kGroup);
  dirty_.clear();
  if (upper_.empty()) return kNone;
  const size_t upper = FirstHighest(upper_.data(), upper_.size());
  if (upper_[upper] == kNoScore) return kNone;
  const size_t group = upper * kGroup + FirstHighest(&lower_[upper * kGroup], kGroup);
  return NodeIndex(group * kGroup + FirstHighest(&total_[group * kGroup], kGroup));
}

}  // namespace muster
