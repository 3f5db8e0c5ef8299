// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bounds on run times by hand, and what they promise; the twin of whole replays is in pool_test.cc.
#include "lib/policy/run_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "muster/types.h"

namespace muster {
namespace {

constexpr RunKind kMine = {.user = 1, .estimate = 3600, .processors = 8};
constexpr int64_t kNineInTen = RunBounds::kWhole * 9 / 10;

TEST(RunBounds, IsTheRankOfItsQuantile) {
  RunBounds runs;
  for (int64_t i = 1; i <= 8; ++i) runs.Learn(kMine, 10 * i);
  // Nine jobs are the fewest of which the tenth stays below the longest nine times in ten.
  EXPECT_EQ(runs.Bound(kMine, kNineInTen, 0), std::nullopt);
  EXPECT_EQ(runs.Bound(kMine, RunBounds::kWhole / 2, 0), 50);
  runs.Learn(kMine, 90);
  EXPECT_EQ(runs.Bound(kMine, kNineInTen, 0), 90);
  runs.Learn(kMine, 100);
  EXPECT_EQ(runs.Bound(kMine, kNineInTen, 0), 100);
  EXPECT_EQ(runs.Bound(kMine, RunBounds::kWhole / 10, 0), 20);
}

TEST(RunBounds, LooksAtJobsThatRanLonger) {
  RunBounds runs;
  for (int64_t i = 1; i <= 10; ++i) runs.Learn(kMine, 10 * i);
  EXPECT_EQ(runs.Bound(kMine, RunBounds::kWhole / 2, 70), 90);
  EXPECT_EQ(runs.Bound(kMine, RunBounds::kWhole / 2, 80), std::nullopt);
}

TEST(RunBounds, GoesToWiderKeysInProportion) {
  RunBounds runs;
  for (int64_t i = 1; i <= 10; ++i) runs.Learn(kMine, 36 * i);
  // Another user knows them by the key of all jobs alone.
  const RunKind other = {.user = 2, .estimate = 100, .processors = 1};
  EXPECT_EQ(runs.Bound(other, kNineInTen, 0), 10);
  // Three of its own decide where they are enough.
  for (int i = 0; i < 3; ++i) runs.Learn(other, 77);
  EXPECT_EQ(runs.Bound(other, RunBounds::kWhole / 2, 0), 77);
  EXPECT_EQ(runs.Bound(kMine, RunBounds::kWhole / 2, 0), 216);
  EXPECT_EQ(runs.Bound({.user = kNone, .estimate = 3600, .processors = 8}, kNineInTen, 0), 360);
}

TEST(RunBounds, ForgetsOldJobs) {
  RunBounds runs;
  for (int i = 0; i < 64; ++i) runs.Learn(kMine, 5);
  for (int i = 0; i < 64; ++i) runs.Learn(kMine, 7);
  EXPECT_EQ(runs.Bound(kMine, RunBounds::kWhole / 100, 0), 7);
}

// Of jobs drawn alike, as many as promised keep their bound.
TEST(RunBounds, HoldsForThePartItNames) {
  Rng rng(7);
  for (const int64_t percent : {10, 50, 80, 95}) {
    RunBounds runs;
    int held = 0;
    constexpr int kJobs = 4000;
    for (int i = 0; i < kJobs; ++i) {
      const auto run = static_cast<int64_t>(1 + rng.Exponential(1000));
      const std::optional<int64_t> bound = runs.Bound(kMine, RunBounds::kWhole / 100 * percent, 0);
      held += run <= bound.value_or(kMine.estimate);
      runs.Learn(kMine, run);
    }
    const double part = 100.0 * held / kJobs;
    EXPECT_GE(part, static_cast<double>(percent) - 2);
    EXPECT_LE(part, static_cast<double>(percent) + 4);
  }
}

TEST(RunBounds, DrawsWhatEnded) {
  RunBounds runs;
  for (int64_t i = 1; i <= 4; ++i) runs.Learn(kMine, 100 * i);
  Rng rng(3);
  std::map<int64_t, int> drawn;
  RunBounds::Draws beyond(runs, kMine, 150, 3600);
  for (int i = 0; i < 4000; ++i) ++drawn[beyond.Next(rng)];
  int others = 0;
  for (const auto& [run, count] : drawn) {
    EXPECT_GT(run, 150);
    EXPECT_LE(run, 3600);
    if (run != 200 && run != 300 && run != 400) others += count;
  }
  // Each key passes one in four on, and there are five.
  EXPECT_NEAR(drawn[200], 1332, 120);
  EXPECT_NEAR(drawn[400], 1332, 120);
  EXPECT_LT(others, 20);
  // Nothing is above the cap, and nothing not beyond.
  EXPECT_EQ(RunBounds::Draws(runs, kMine, 150, 180).Next(rng), 180);
  EXPECT_EQ(RunBounds::Draws(runs, kMine, 3600, 3600).Next(rng), 3601);
  for (int i = 0; i < 100; ++i) {
    const int64_t run = RunBounds::Draws(runs, kMine, 1000, 1200).Next(rng);
    EXPECT_GT(run, 1000);
    EXPECT_LE(run, 1200);
  }
}

}  // namespace
}  // namespace muster
