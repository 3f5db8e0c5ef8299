// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pieces of work on executors that keep their promise and on some that do not.
#include "lib/base/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/advice/smallest.h"
#include "lib/replay/futures_ahead.h"

namespace muster {
namespace {

using Piece = std::function<void(int64_t)>;

// Runs pieces as it is told to, on the calling thread.
class Odd : public Executor {
 public:
  explicit Odd(std::function<void(int64_t, const Piece&)> run, int64_t width = 4)
      : run_(std::move(run)), width_(width) {}
  int64_t width() const override { return width_; }
  void Run(int64_t count, const Piece& piece) override {
    ++runs;
    run_(count, piece);
  }
  int64_t runs = 0;

 private:
  const std::function<void(int64_t, const Piece&)> run_;
  const int64_t width_;
};

std::vector<int> Squares(Executor* executor, size_t count) {
  std::vector<int> squares(count);
  RunPieces(executor, count, [&](size_t i) { squares[i] += static_cast<int>(i * i); });
  return squares;
}

TEST(Pieces, EachRunsOnceWhateverTheExecutorDoes) {
  const std::vector<int> alone = Squares(nullptr, 20);
  EXPECT_EQ(alone[19], 361);
  for (const int64_t width : {1, 2, 3, 8, 16}) {
    EXPECT_EQ(Squares(MakeThreads(width).get(), 20), alone) << width;
  }
  Odd backwards([](int64_t count, const Piece& piece) {
    while (count-- > 0) piece(count);
  });
  EXPECT_EQ(Squares(&backwards, 20), alone);
  Odd lazy([](int64_t count, const Piece& piece) { piece(count / 2); });
  EXPECT_EQ(Squares(&lazy, 20), alone);
  Odd eager([](int64_t count, const Piece& piece) {
    for (int64_t i = -1; i <= count; ++i) piece(i);
    for (int64_t i = -1; i <= count; ++i) piece(i);
  });
  EXPECT_EQ(Squares(&eager, 20), alone);
}

TEST(Pieces, AnExecutorIsAskedOnlyWhereItHelps) {
  Odd one([](int64_t, const Piece&) {}, 1), two([](int64_t, const Piece&) {}, 2);
  EXPECT_EQ(Squares(&one, 3), Squares(nullptr, 3));
  EXPECT_EQ(Squares(&two, 1), Squares(nullptr, 1));
  EXPECT_EQ(one.runs + two.runs, 0);
  Squares(&two, 2);
  EXPECT_EQ(two.runs, 1);
}

// As a loop would end: with the first failure, and with all that lies before it done.
TEST(Pieces, TheFirstFailureInOrderCounts) {
  Odd backwards([](int64_t count, const Piece& piece) {
    while (count-- > 0) piece(count);
  });
  const std::unique_ptr<Executor> threads = MakeThreads(4);
  for (Executor* executor :
       {static_cast<Executor*>(nullptr), static_cast<Executor*>(&backwards), threads.get()}) {
    std::vector<int> ran(12);
    std::string caught;
    try {
      RunPieces(executor, ran.size(), [&](size_t i) {
        if (i == 5 || i == 9) throw std::runtime_error(std::to_string(i));
        ran[i] = 1;
      });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    EXPECT_EQ(caught, "5");
    EXPECT_EQ(std::vector<int>(ran.begin(), ran.begin() + 5), std::vector<int>(5, 1));
  }
}

TEST(Pieces, WhatLiesBehindAFailureIsNotBegun) {
  Odd in_order([](int64_t count, const Piece& piece) {
    for (int64_t i = 0; i < count; ++i) piece(i);
  });
  size_t ran = 0;
  EXPECT_THROW(RunPieces(&in_order, 9,
                         [&](size_t i) {
                           ++ran;
                           if (i == 2) throw std::bad_alloc();
                         }),
               std::bad_alloc);
  EXPECT_EQ(ran, 3u);
}

TEST(Pieces, AFailureOfTheExecutorItselfEndsTheCall) {
  Odd broken([](int64_t, const Piece&) { throw std::runtime_error("no threads"); });
  EXPECT_THROW(Squares(&broken, 3), std::runtime_error);
  Odd later([](int64_t, const Piece& piece) {
    piece(0);
    piece(1);
    throw std::runtime_error("no threads left");
  });
  std::vector<int> ran(3);
  EXPECT_THROW(RunPieces(&later, 3, [&](size_t i) { ran[i] = 1; }), std::runtime_error);
  EXPECT_EQ(ran, (std::vector<int>{1, 1, 0}));
  // A piece that failed before counts no more: the executor's failure is the one that is known.
  EXPECT_THROW(RunPieces(&later, 3, [](size_t) { throw std::bad_alloc(); }), std::runtime_error);
}

// Its width is `first` when it is asked for the first time, and `then` from then on.
class Shrinking : public Executor {
 public:
  Shrinking(int64_t first, int64_t then) : next_(first), then_(then) {}
  int64_t width() const override { return std::exchange(next_, then_); }
  void Run(int64_t count, const Piece& piece) override {
    most = std::max(most, count);
    for (int64_t i = 0; i < count; ++i) piece(i);
  }
  int64_t most = 0;  // pieces of one call

 private:
  mutable int64_t next_;
  const int64_t then_;
};

constexpr int64_t kOddWidths[] = {-1, 0, 1, 2, int64_t{1} << 62, INT64_MAX};

TEST(Widths, ASearchEndsWhateverTheyAre) {
  const auto helps = [](int64_t n) { return n >= 700; };
  for (const int64_t first : kOddWidths) {
    for (const int64_t then : kOddWidths) {
      Shrinking executor(first, then);
      EXPECT_EQ(Smallest(1024, helps, &executor), 700) << first << ", " << then;
      EXPECT_LE(executor.most, 16);
    }
  }
}

TEST(Widths, FuturesArePlayedWhateverTheyAre) {
  const auto play = [](int64_t i, int64_t* events) {
    *events += 2;
    return absl::StatusOr<int64_t>(i * i);
  };
  for (const int64_t first : kOddWidths) {
    for (const int64_t then : kOddWidths) {
      Shrinking executor(first, then);
      constexpr int64_t kCount = 3000;
      FuturesAhead<int64_t> futures(&executor, kCount, 2 * kCount + 1, play);
      int64_t events = 0;
      for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(*futures.Play(i, &events), i * i);
      EXPECT_EQ(events, 2 * kCount) << first << ", " << then;
      EXPECT_LE(executor.most, 4 * kMostThreads);
    }
  }
}

// A host's thread may round up; what is computed there may not.
TEST(Pieces, RoundToNearestOnEveryThread) {
  Odd upward([](int64_t count, const Piece& piece) {
    std::thread other([&] {
      std::fesetround(FE_UPWARD);
      for (int64_t i = 0; i < count; ++i) piece(i);
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
    });
    other.join();
  });
  std::vector<int> modes(2);
  RunPieces(&upward, 2, [&](size_t i) { modes[i] = std::fegetround(); });
  EXPECT_EQ(modes, std::vector<int>(2, FE_TONEAREST));
}

TEST(Threads, WidthsAreHeldToTheirRange) {
  EXPECT_EQ(MakeThreads(0)->width(), 1);
  EXPECT_EQ(MakeThreads(-5)->width(), 1);
  EXPECT_EQ(MakeThreads(3)->width(), 3);
  EXPECT_EQ(MakeThreads(100'000)->width(), 256);
}

TEST(Threads, PiecesRunAtOnce) {
  const std::unique_ptr<Executor> threads = MakeThreads(3);
  if (threads->width() < 3) GTEST_SKIP() << "the system has no three threads to give";
  std::atomic<int> inside = 0;
  RunPieces(threads.get(), 3, [&](size_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();  // hangs if one has to wait for another
  });
  EXPECT_EQ(inside, 3);
}

TEST(Threads, RoundsFollowOneAnother) {
  const std::unique_ptr<Executor> threads = MakeThreads(4);
  for (size_t round = 0; round < 500; ++round) {
    ASSERT_EQ(Squares(threads.get(), round % 7), Squares(nullptr, round % 7));
  }
}

// While one call has the threads, others stay on their own: none waits for another.
TEST(Threads, SeveralCallsAtOnce) {
  const std::unique_ptr<Executor> threads = MakeThreads(2);
  const std::vector<int> alone = Squares(nullptr, 50);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) wrong += Squares(threads.get(), 50) != alone;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace muster
