// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/smallest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "lib/base/rng.h"

namespace muster::testing {
namespace {

TEST(Smallest, IsFound) {
  for (int64_t least = 1; least <= 40; ++least) {
    EXPECT_EQ(Smallest(40, [&](int64_t n) { return n >= least; }), least);
  }
  EXPECT_EQ(Smallest(40, [](int64_t) { return false; }), std::nullopt);
  EXPECT_EQ(Smallest(1, [](int64_t) { return true; }), 1);
}

// Also where more helps less, so that the answer depends on what was asked: threads ask for more
// numbers, and go by the same ones.
TEST(Smallest, ThreadsFindWhatOneFinds) {
  std::vector<std::unique_ptr<Executor>> executors;
  for (const int64_t width : {2, 3, 8, 16}) executors.push_back(MakeThreads(width));
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const auto most = static_cast<int64_t>(1 + rng.Below(300));
    std::vector<uint8_t> helps(static_cast<size_t>(most) + 1);
    for (size_t n = 0; n < helps.size(); ++n) helps[n] = rng.Below(helps.size()) < n ? 1 : 0;
    const auto ask = [&](int64_t n) { return helps.at(static_cast<size_t>(n)) != 0; };
    const std::optional<int64_t> alone = Smallest(most, ask);
    for (const auto& executor : executors) {
      ASSERT_EQ(Smallest(most, ask, executor.get()), alone)
          << "seed " << seed << ", width " << executor->width();
    }
  }
}

// Two threads take fewer rounds, and no number is asked for twice.
TEST(Smallest, ThreadsAskInFewerRounds) {
  class Counted : public Executor {
   public:
    int64_t width() const override { return 2; }
    void Run(int64_t count, const std::function<void(int64_t)>& piece) override {
      ++rounds;
      for (int64_t i = 0; i < count; ++i) piece(i);
    }
    int rounds = 0;
  } executor;
  std::vector<int> asked(1025);
  const auto ask = [&](int64_t n) {
    ++asked[static_cast<size_t>(n)];
    return n >= 700;
  };
  EXPECT_EQ(Smallest(1024, ask), 700);
  int alone = 0;
  for (const int times : asked) alone += times;
  asked.assign(1025, 0);
  EXPECT_EQ(Smallest(1024, ask, &executor), 700);
  EXPECT_LT(executor.rounds, alone * 3 / 4);
  for (const int times : asked) EXPECT_LE(times, 1);
}

}  // namespace
}  // namespace muster::testing
