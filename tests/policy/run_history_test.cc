// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Guesses from jobs that have ended, by hand; the twin of whole replays is in pool_test.cc.
#include "lib/policy/run_history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/policy/due_order.h"
#include "muster/types.h"

namespace muster {
namespace {

constexpr RunHistory::Kind kLong = {.user = 1, .estimate = 3600, .processors = 8};

TEST(RunHistory, WithoutJobsHalfOfTheEstimateIsGuessed) {
  // 1800 s, and an inverse of 2 / 3600.
  EXPECT_DOUBLE_EQ(RunHistory().Length(kLong), 1800);
  // The inverse of an estimate below ten seconds is that of ten.
  EXPECT_DOUBLE_EQ(RunHistory().Length({.user = 1, .estimate = 4, .processors = 1}),
                   std::sqrt(2 / 0.2));
}

TEST(RunHistory, EachKeyPullsTowardsItsMean) {
  RunHistory history;
  history.Learn(kLong, 100);
  // All five keys know one job of 100 s; the first weighs what was guessed so far by a tenth.
  double run = 1800, inverse = 2.0 / 3600;
  for (const double weight : {0.1, 1.0, 1.0, 1.0, 1.0}) {
    run = (100 + weight * run) / (1 + weight);
    inverse = (0.01 + weight * inverse) / (1 + weight);
  }
  EXPECT_DOUBLE_EQ(history.Length(kLong), std::sqrt(run / inverse));
  // Another user's job of another magnitude is like it by the first key alone.
  const RunHistory::Kind other = {.user = 2, .estimate = 360, .processors = 1};
  EXPECT_DOUBLE_EQ(history.Length(other),
                   std::sqrt((100 + 0.1 * 180) / 1.1 / ((0.01 + 0.1 * 2 / 360) / 1.1)));
}

TEST(RunHistory, JobsThatEndAtOnceCountAsShorterThanTheirMean) {
  RunHistory often_short, even;
  for (int i = 0; i < 40; ++i) {
    often_short.Learn(kLong, i % 2 == 0 ? 10 : 1990);
    even.Learn(kLong, 1000);
  }
  EXPECT_LT(often_short.Length(kLong), even.Length(kLong) / 3);
}

TEST(RunHistory, UsersThatAreNotKnownAreNotOneUser) {
  RunHistory history;
  history.Learn({.user = kNone, .estimate = 3600, .processors = 8}, 10);
  RunHistory same;
  same.Learn({.user = 2, .estimate = 3600, .processors = 8}, 10);
  EXPECT_DOUBLE_EQ(history.Length(kLong), same.Length(kLong));
}

TEST(DueOrder, NothingIsOvertakenUntilAJobHasWaited) {
  DueOrder order({.scale = 200, .cap = 0.5});
  const RunHistory::Kind shorter = {.user = 1, .estimate = 2, .processors = 8};
  EXPECT_LT(order.Key(kLong, 7), order.Key(shorter, 8));
  order.Started(1000);
  // Long jobs are due half of the longest wait after their submission, short ones sooner.
  EXPECT_EQ(order.Key(kLong, 7), 7000 + 500000);
  EXPECT_EQ(order.Key(kLong, 0) - order.Key(kLong, 1), -1000);
  DueOrder small({.scale = 1, .cap = 0.5});
  small.Started(1000);
  EXPECT_LT(small.Key(shorter, 8), small.Key(kLong, 7));
  small.Started(10);  // the longest counts
  EXPECT_EQ(small.Key(kLong, 7), 7000 + 500000);
}

}  // namespace
}  // namespace muster
