// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Answers that depend on what a class asks for and on the state of a node's devices alone, kept
// from cycle to cycle.
//
//   StateAnswers<std::vector<DeviceRequest>, Answer> answers;
//   answers.Open(book->states().generation());                     // before each cycle
//   const size_t row = answers.RowOf(c, [&] { return tables.classes.shape[c].devices; });
//   Answer& answer = answers.At(row, book->state(node));           // default: not known yet
//
// Classes with equal wishes share a row. A class keeps its wish for as long as the policy lives.
// Cost. RowOf: O(1), and O(rows) for a class that comes for the first time. At: O(1) amortised.
#ifndef MUSTER_POLICY_STATE_ANSWERS_H_
#define MUSTER_POLICY_STATE_ANSWERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/ledger/device_states.h"
#include "muster/index.h"

namespace muster {

template <typename Wish, typename Answer>
class StateAnswers {
 public:
  // Forgets all answers where states have been numbered anew, or where too many are kept.
  void Open(uint64_t generation) {
    size_t kept = 0;
    for (const Row& row : rows_) kept += row.answers.size();
    if (generation_ == generation && kept < kMostKept) return;
    generation_ = generation;
    for (Row& row : rows_) row.answers.clear();
  }

  // `wish()` returns what the class asks for.
  template <typename WishOf>
  size_t RowOf(ClassIndex c, const WishOf& wish_of) {
    if (c >= row_of_.size()) row_of_.resize(c + 1, kNoRow);
    if (row_of_[c] != kNoRow) return row_of_[c];
    Wish wish = wish_of();
    const auto row = std::ranges::find(rows_, wish, &Row::wish);
    row_of_[c] = static_cast<uint32_t>(row - rows_.begin());
    if (row == rows_.end()) rows_.push_back({std::move(wish), {}});
    return row_of_[c];
  }

  // Holds until the next call.
  Answer& At(size_t row, DeviceStateIndex state) {
    std::vector<Answer>& answers = rows_[row].answers;
    if (state >= answers.size()) answers.resize(std::max<size_t>(2 * size_t{state}, 64));
    return answers[state];
  }

 private:
  static constexpr size_t kMostKept = size_t{1} << 22;
  static constexpr uint32_t kNoRow = ~uint32_t{0};

  struct Row {
    Wish wish;
    std::vector<Answer> answers;  // by state
  };

  std::vector<uint32_t> row_of_;  // by class
  std::vector<Row> rows_;
  uint64_t generation_ = 0;
};

}  // namespace muster

#endif  // MUSTER_POLICY_STATE_ANSWERS_H_
