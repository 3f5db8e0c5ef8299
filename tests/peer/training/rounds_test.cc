// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// rounds by hand: gangs on nodes of 4 GPUs, one of each type, in rounds of 360 s.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "muster/memory.h"
#include "tests/peer/training/turns.h"

namespace muster {
namespace {

// Cells of a job's row: the first type comes behind the time, 1 and the type of the round.
constexpr size_t kHadCell = 4, kOwedCell = 5, kDueCell = 6;

int64_t CellOf(Turns& turns, const std::string& job, size_t cell) {
  return turns.cluster().memory().Find("rounds")->Integer(absl::StrCat("job/", job), cell);
}

TEST(Gavel, EqualJobsTakeTurns) {
  Turns turns("gavel");
  turns.Add({.name = "a"});
  turns.Add({.name = "b", .created = 1});
  EXPECT_EQ(turns.Cycle(0), "+a");
  EXPECT_NEAR(static_cast<double>(CellOf(turns, "a", kDueCell)), 500'000, 2'500);
  EXPECT_EQ(CellOf(turns, "a", kDueCell), CellOf(turns, "b", kDueCell));
  EXPECT_EQ(turns.Cycle(359), "");
  EXPECT_EQ(turns.Cycle(360), "-a");
  EXPECT_EQ(turns.Cycle(361), "+b");
  // a had 360 s, b 359: it is b that had less.
  EXPECT_EQ(turns.Cycle(720), "");
  EXPECT_EQ(CellOf(turns, "a", kHadCell), 360);
  EXPECT_EQ(CellOf(turns, "b", kHadCell), 359);
  EXPECT_EQ(turns.Cycle(1080), "-b");
  EXPECT_EQ(turns.Cycle(1080), "+a");
}

TEST(Gavel, EachJobRunsWhereItGainsTheMost) {
  // a is four times as fast on the fast type, and b as fast on both: nothing holds the other back.
  Turns turns("gavel", std::vector<std::string>{"fast", "slow"});
  turns.Add({.name = "b"});
  turns.Add({.name = "a", .created = 1, .settings = {{"speed/fast", "4"}, {"speed/slow", "1"}}});
  EXPECT_EQ(turns.Cycle(0), "+b +a");
  EXPECT_EQ(turns.Where("a"), "fast-0");
  EXPECT_EQ(turns.Where("b"), "slow-0");
  EXPECT_EQ(CellOf(turns, "a", kDueCell), 1'000'000);
  EXPECT_EQ(turns.Cycle(360), "");
}

TEST(Gavel, AJobChangesItsTypeForOneThatRunsNowhereElse) {
  Turns turns("gavel", std::vector<std::string>{"fast", "slow"});
  turns.Add({.name = "a", .settings = {{"speed/fast", "4"}, {"speed/slow", "2"}}});
  EXPECT_EQ(turns.Cycle(0), "+a");
  EXPECT_EQ(turns.Where("a"), "fast-0");
  // The parts of a and b on the fast type: 16 x / 3 + 8 (1 - x) / 3 = 8 (1 - x), so half each.
  turns.Add({.name = "b", .created = 10, .settings = {{"speed/fast", "2"}}});
  EXPECT_EQ(turns.Cycle(10), "");
  EXPECT_EQ(turns.Cycle(360), "-a");
  EXPECT_NEAR(static_cast<double>(CellOf(turns, "a", kDueCell)), 500'000, 5'000);
  EXPECT_NEAR(static_cast<double>(CellOf(turns, "b", kDueCell)), 500'000, 5'000);
  EXPECT_EQ(turns.Cycle(361), "+a +b");
  EXPECT_EQ(turns.Where("a"), "slow-0");
  EXPECT_EQ(turns.Where("b"), "fast-0");
}

TEST(Gavel, AJobMovesToABetterTypeThoughNothingWaits) {
  Turns turns("gavel", std::vector<std::string>{"fast", "slow"});
  turns.Add({.name = "a", .settings = {{"speed/fast", "4"}, {"speed/slow", "1"}}});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 1, .settings = {{"speed/fast", "4"}, {"speed/slow", "2"}}});
  EXPECT_EQ(turns.Cycle(1), "+b");
  EXPECT_EQ(turns.Where("b"), "slow-0");
  turns.End("a");
  EXPECT_EQ(turns.Cycle(2), "");
  EXPECT_EQ(turns.Cycle(360), "-b");
  EXPECT_EQ(turns.Cycle(360), "+b");
  EXPECT_EQ(turns.Where("b"), "fast-0");
}

TEST(Gavel, WithinARoundOthersGetWhatIsLeft) {
  Turns turns("gavel");
  turns.Add({.name = "a", .gpus = 2});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 10, .gpus = 2});
  turns.Add({.name = "c", .created = 20, .gpus = 2});
  EXPECT_EQ(turns.Cycle(20), "+b");
  EXPECT_EQ(turns.Reasons(), "c-w-0: 0 of 2 undone, c-w-1: 0 of 2 undone");
  // c had nothing, and b less than a.
  EXPECT_EQ(turns.Cycle(360), "-a");
  EXPECT_EQ(turns.Reasons(), "c-w-0: 2 of 2 waits, c-w-1: 2 of 2 waits");
  EXPECT_EQ(turns.Cycle(361), "+c");
}

// Dues change in each round, and time had is forgotten: what is owed decides.
TEST(Gavel, WhatIsOwedIsNotForgotten) {
  Turns turns("gavel:rounds(reset=0)");
  for (const char* name : {"a", "b", "c"}) turns.Add({.name = name});
  std::string order;
  for (int64_t round = 0; round < 6; ++round) {
    const std::string other = absl::StrCat("x", round);
    turns.Add({.name = other.c_str(), .created = 5, .gpus = 1, .each = 8});  // fits nowhere
    turns.Cycle(360 * round);
    const std::string started = turns.Cycle(360 * round);
    absl::StrAppend(&order, started.empty() ? "=" : started);
    EXPECT_EQ(CellOf(turns, "a", kHadCell), 0);
    turns.End(other);
  }
  EXPECT_EQ(order, "=+b+c+a+b+c");
  // At 1800 s, a third of the time was its due, and it ran for two rounds.
  EXPECT_NEAR(static_cast<double>(CellOf(turns, "a", kOwedCell)), (600 - 720) * 1e6, 3e6);
}

TEST(Gavel, AGangStartsWithItsMinimumAndGrowsIntoWhatIsFree) {
  Turns turns("gavel");
  turns.Add({.name = "a", .gpus = 6, .min_available = 2});
  EXPECT_EQ(turns.Cycle(0), "+a");
  EXPECT_EQ(turns.plan().binds().size(), 4u);
  EXPECT_EQ(turns.Reasons(), "a-w-4: no node, a-w-5: no node");
  EXPECT_EQ(turns.Cycle(360), "");
}

TEST(Gavel, GangsThatHaveRoomTogetherStopNothing) {
  Turns turns("gavel");
  turns.Add({.name = "a", .gpus = 4, .min_available = 2});
  turns.Add({.name = "b", .created = 1, .gpus = 4, .min_available = 2});
  EXPECT_EQ(turns.Cycle(0), "+a +b");
  for (int64_t round = 1; round < 5; ++round) EXPECT_EQ(turns.Cycle(360 * round), "");
  turns.End("b");
  EXPECT_EQ(turns.Cycle(1500), "+a");
  EXPECT_EQ(turns.plan().binds().size(), 2u);
}

TEST(Gavel, TasksBeyondGangsWaitForGangs) {
  Turns turns("gavel");
  turns.Add({.name = "a", .gpus = 4, .min_available = 2});
  turns.Add({.name = "b", .created = 1, .gpus = 3});
  EXPECT_EQ(turns.Cycle(0), "+a");
  EXPECT_EQ(turns.plan().binds().size(), 2u);
  EXPECT_EQ(turns.Reasons(),
            "a-w-2: another reason, a-w-3: another reason, b-w-0: 0 of 3 undone, "
            "b-w-1: 0 of 3 undone, b-w-2: 0 of 3 undone");
}

TEST(Gavel, TellsThatNoTypeSuits) {
  Turns turns("gavel", std::vector<std::string>{"fast", "slow"});
  turns.Add({.name = "a", .settings = {{"speed/quick", "4"}}});
  EXPECT_EQ(turns.Cycle(0), "");
  EXPECT_NE(turns.Why().find("the job's speed is 0 on each type of GPU: \"fast\", \"slow\""),
            std::string::npos)
      << turns.Why();
}

// Each node has one GPU left, so c finds none: it stops nothing, in no round.
TEST(Gavel, AJobThatWouldFindNoNodesGetsNoType) {
  Turns turns("gavel", 2);
  turns.Add({.name = "a", .gpus = 1, .each = 3});
  turns.Add({.name = "b", .gpus = 1, .each = 3});
  turns.Add({.name = "c", .created = 1, .gpus = 1, .each = 2});
  EXPECT_EQ(turns.Cycle(0), "+a +b");
  EXPECT_EQ(turns.Cycle(360), "");
  EXPECT_EQ(turns.Reasons(), "c-w-0: 0 of 1 undone");
  turns.End("a");
  EXPECT_EQ(turns.Cycle(361), "+c");
}

TEST(Gavel, LeavesTasksThatMustNotBePreemptedAndThoseThatNeverPreempt) {
  Turns turns("gavel");
  turns.unstoppable = "a";
  turns.Add({.name = "a"});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 20});
  EXPECT_EQ(turns.Cycle(360), "");
  EXPECT_NE(turns.Why().find("nvidia.com/gpu"), std::string::npos) << turns.Why();
  turns.End("a");
  EXPECT_EQ(turns.Cycle(400), "+b");
}

TEST(Gavel, JobsWithoutGpusTakeWhatIsFree) {
  Turns turns("gavel");
  turns.Add({.name = "a"});
  turns.Add({.name = "none", .created = 1, .gpus = 2, .each = 0});
  EXPECT_EQ(turns.Cycle(0), "+a +none");
}

TEST(Gavel, RefusesSpeedsThatAreNone) {
  Turns turns("gavel");
  turns.Add({.name = "a", .settings = {{"speed/k80", "quick"}}});
  const absl::StatusOr<Plan> plan = turns.cluster().Schedule("gavel");
  EXPECT_EQ(plan.status().message(),
            "job \"a\", setting \"speed/k80\": is \"quick\"; must be a number from 0 to 1000000");
}

}  // namespace
}  // namespace muster
