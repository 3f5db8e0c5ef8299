// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Futures of one forecast, several at a time on an executor, as if one after another.
//
//   FuturesAhead<Times> futures(executor, 32, budget, [&](int64_t i, int64_t* events) {
//     return Play(i, events);  // adds to *events, and stops at work_budget
//   });
//   for (int64_t i = 0; i < 32; ++i) absl::StatusOr<Times> times = futures.Play(i, &events);
//
// Idea. One after another, a future is cut where the events of all before it and its own reach the
// budget. Here each is played with the whole budget to itself, before it is known what those before
// it leave. If the sum stays below the budget, nothing was cut, and it is what it would have been.
// If not, it is played once more, with what is left.
#ifndef MUSTER_REPLAY_FUTURES_AHEAD_H_
#define MUSTER_REPLAY_FUTURES_AHEAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/pieces.h"

namespace muster {

template <class Times>
class FuturesAhead {
 public:
  // Plays one future and adds its events. It is called on the executor's threads at once.
  using OneFuture = std::function<absl::StatusOr<Times>(int64_t number, int64_t* events)>;

  // `executor` may be null: futures are then played when they are asked for.
  FuturesAhead(Executor* executor, int64_t count, int64_t budget, OneFuture play)
      : executor_(executor),
        width_(WidthOf(executor)),
        count_(count),
        budget_(budget),
        play_(std::move(play)) {}

  // REQUIRES: numbers are asked for in order, from 0 on.
  absl::StatusOr<Times> Play(int64_t number, int64_t* events) {
    if (width_ == 1) return play_(number, events);
    if (number >= first_ + static_cast<int64_t>(played_.size())) PlayFrom(number);
    Played& played = played_[static_cast<size_t>(number - first_)];
    if (*events >= budget_ || played.events >= budget_ - *events) return play_(number, events);
    *events += played.events;
    return *std::move(played.times);
  }

 private:
  struct Played {
    int64_t events = 0;
    std::optional<absl::StatusOr<Times>> times = {};
  };

  void PlayFrom(int64_t number) {
    constexpr int64_t kEach = 4;  // futures differ in length
    first_ = number;
    played_.clear();
    played_.resize(static_cast<size_t>(std::min(count_ - number, kEach * width_)));
    RunPieces(executor_, played_.size(), [this](size_t i) {
      played_[i].times = play_(first_ + static_cast<int64_t>(i), &played_[i].events);
    });
  }

  Executor* const executor_;
  const int64_t width_, count_, budget_;
  const OneFuture play_;
  int64_t first_ = 0;
  std::vector<Played> played_;  // from `first_` on
};

}  // namespace muster

#endif  // MUSTER_REPLAY_FUTURES_AHEAD_H_
