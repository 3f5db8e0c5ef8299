// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// lease, attained and finish-time by hand: gangs of whole GPUs on one or two nodes of 4.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "muster/memory.h"
#include "tests/peer/training/turns.h"

namespace muster {
namespace {

TEST(Tiresias, AJobFallsAtTheThresholdAndGivesWay) {
  Turns turns("tiresias");
  turns.Add({.name = "long"});
  EXPECT_EQ(turns.Cycle(0), "+long");
  turns.Add({.name = "new", .created = 100});
  EXPECT_EQ(turns.Cycle(812), "");  // 4 GPUs for 812 s: 3248 GPU-seconds of 3250
  EXPECT_EQ(turns.Cycle(813), "-long");
  EXPECT_EQ(turns.Cycle(813), "+new");
  EXPECT_EQ(turns.cluster().memory().Find("attained")->Integer("long", 0), 3'252'000);
  // The new job falls at 813 + 813: then both are on one level, and the one that runs stays.
  EXPECT_EQ(turns.Cycle(1700), "");
  // At 7200 GPU-seconds it falls below the other one.
  EXPECT_EQ(turns.Cycle(813 + 1799), "");
  EXPECT_EQ(turns.Cycle(813 + 1800), "-new");
  EXPECT_EQ(turns.Cycle(813 + 1800), "+long");
}

TEST(Tiresias, WithoutThresholdsTheLeastServiceGoesFirst) {
  Turns turns("tiresias:attained(level1=0,level2=0)");
  turns.Add({.name = "a"});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 1});
  EXPECT_EQ(turns.Cycle(1), "-a");
  EXPECT_EQ(turns.Cycle(1), "+b");
  EXPECT_EQ(turns.Cycle(2), "");  // 4 GPU-seconds each
  EXPECT_EQ(turns.Cycle(3), "-b");
}

TEST(Tiresias, AJobThatWaitedLongEnoughIsPromoted) {
  Turns turns("tiresias:attained(level1=3250,level2=0,promote=2)");
  turns.Add({.name = "a"});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 1000});
  EXPECT_EQ(turns.Cycle(1000), "-a");
  EXPECT_EQ(turns.Cycle(1000), "+b");
  // It ran for 1000 s, so it must wait for 2000.
  EXPECT_EQ(turns.Cycle(2500), "");
  EXPECT_EQ(turns.Cycle(2999), "");
  EXPECT_EQ(turns.cluster().memory().Find("attained")->Integer("a", 2), 1999);
  EXPECT_EQ(turns.Cycle(3000), "-b");
  EXPECT_EQ(turns.Cycle(3000), "+a");
  const MemorySlot* slot = turns.cluster().memory().Find("attained");
  EXPECT_EQ(slot->Integer("a", 0), 0);
  EXPECT_EQ(slot->Integer("a", 4), 1000);  // it ran for that long before
  turns.End("a");
  EXPECT_EQ(turns.Cycle(3001), "+b");
  EXPECT_EQ(turns.cluster().memory().Find("attained")->Find("a"), nullptr);
}

// By arrival a job that falls to a level goes behind those that wait there, and gives way once.
TEST(Tiresias, ALineWithinALevel) {
  for (const bool line : {false, true}) {
    Turns turns(line ? "tiresias:attained(level1=40,level2=0,within=arrival)"
                     : "tiresias:attained(level1=40,level2=0)");
    turns.Add({.name = "a"});
    EXPECT_EQ(turns.Cycle(0), "+a");
    turns.Add({.name = "b", .created = 5});
    EXPECT_EQ(turns.Cycle(9), "");
    EXPECT_EQ(turns.Cycle(10), "-a");  // 40 GPU-seconds
    EXPECT_EQ(turns.Cycle(10), "+b");
    EXPECT_EQ(turns.Cycle(19), "");
    // b falls to the level in which a waits, and which a joined first.
    EXPECT_EQ(turns.Cycle(20), line ? "-b" : "") << line;
    EXPECT_EQ(turns.Cycle(20), line ? "+a" : "") << line;
    // Neither gives way to the other any more.
    EXPECT_EQ(turns.Cycle(40), "") << line;
    EXPECT_EQ(turns.Cycle(80), "") << line;
    turns.End(line ? "a" : "b");
    EXPECT_EQ(turns.Cycle(81), line ? "+b" : "+a");
  }
}

TEST(Tiresias, APromotedJobGoesToTheEndOfTheFirstLine) {
  Turns turns("tiresias:attained(level1=40,level2=0,promote=1,within=arrival)");
  turns.Add({.name = "a"});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 5});
  EXPECT_EQ(turns.Cycle(10), "-a");
  EXPECT_EQ(turns.Cycle(10), "+b");
  turns.Add({.name = "c", .created = 15});
  // a has waited as long as it ran, and b falls. c and a are in the first line, in this order.
  EXPECT_EQ(turns.Cycle(20), "-b");
  EXPECT_EQ(turns.Cycle(20), "+c");
}

TEST(Lease, SparesJobsThatAreNotInTheWay) {
  Turns turns("tiresias:attained(level1=10,level2=20,level3=30)", 2);
  turns.Add({.name = "wide", .gpus = 4});
  turns.Add({.name = "small", .created = 1, .gpus = 2});
  EXPECT_EQ(turns.Cycle(0), "+wide +small");
  // At 15 both are on the last level: 60 and 30 GPU-seconds. The later one is tried first, but two
  // free GPUs and its two are on one node: that is enough for three.
  turns.Add({.name = "three", .created = 15, .gpus = 3});
  EXPECT_EQ(turns.Cycle(15), "-small");
  EXPECT_EQ(turns.Cycle(15), "+three");
  // Six GPUs: the one job beside `three` (9 GPU-seconds, level 0) would be enough with the free one
  // only if it held five.
  turns.Add({.name = "six", .created = 16, .gpus = 6});
  EXPECT_EQ(turns.Cycle(18), "");
  turns.Add({.name = "four", .created = 17, .gpus = 4});
  EXPECT_EQ(turns.Cycle(18), "-wide");
}

TEST(Lease, SparesTheLastIfAnEarlierOneIsEnough) {
  Turns turns("tiresias:attained(level1=10,level2=20)", 2);
  turns.Add({.name = "large", .gpus = 4});
  turns.Add({.name = "small", .created = 1, .gpus = 2});
  EXPECT_EQ(turns.Cycle(0), "+large +small");
  turns.Add({.name = "young", .created = 10, .gpus = 2});
  EXPECT_EQ(turns.Cycle(10), "+young");
  // At 12 large and small are on the last level, with 48 and 24 GPU-seconds. small goes later and
  // is tried first: two GPUs are not enough. large's four are, without those of small.
  turns.Add({.name = "new", .created = 11, .gpus = 4});
  EXPECT_EQ(turns.Cycle(12), "-large");
  EXPECT_EQ(turns.Cycle(12), "+new");
}

TEST(Lease, StopsJobsOnceARound) {
  Turns turns("tiresias:lease(round=100),attained(level1=1,level2=0)");
  turns.Add({.name = "a"});
  EXPECT_EQ(turns.Cycle(10), "+a");
  turns.Add({.name = "b", .created = 20});
  EXPECT_EQ(turns.Cycle(99), "");
  EXPECT_EQ(turns.Cycle(100), "-a");
  EXPECT_EQ(turns.Cycle(101), "+b");
  EXPECT_EQ(turns.cluster().memory().Find("lease")->Integer("round"), 1);
}

TEST(Lease, LeavesTasksThatMustNotBePreemptedAndThoseThatNeverPreempt) {
  for (const bool meek : {false, true}) {
    Turns turns("tiresias:attained(level1=1,level2=0)");
    (meek ? turns.meek : turns.unstoppable) = meek ? "b" : "a";
    turns.Add({.name = "a"});
    EXPECT_EQ(turns.Cycle(0), "+a");
    turns.Add({.name = "b", .created = 20});
    if (meek) {
      for (int i = 0; i < 4; ++i) {
        TaskSpec task{.name = absl::StrCat("b-w-", i), .job = "b", .group = "w"};
        task.shape.request = {{"nvidia.com/gpu", 1}};
        task.never_preempts = true;
        ASSERT_TRUE(turns.cluster().UpdateTask(task).ok());
      }
    }
    EXPECT_EQ(turns.Cycle(99), "") << meek;
    EXPECT_NE(turns.Why().find("nvidia.com/gpu"), std::string::npos) << turns.Why();
    turns.End("a");
    EXPECT_EQ(turns.Cycle(100), "+b");
  }
}

TEST(Lease, StopsNoJobForTasksBeyondAGang) {
  Turns turns("tiresias:attained(level1=4,level2=0)");
  turns.Add({.name = "a", .gpus = 2});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 10, .gpus = 4, .min_available = 1});
  EXPECT_EQ(turns.Cycle(10), "+b");  // two of four, beside a
  EXPECT_EQ(turns.Cycle(11), "");
  turns.End("a");
  EXPECT_EQ(turns.Cycle(12), "+b");
}

TEST(Lease, PassesTasksThatFitNowhereIfTheRestIsEnough) {
  Turns turns("tiresias:attained(level1=4,level2=0)");
  turns.Add({.name = "a", .gpus = 3, .min_available = 2, .large = 2});
  EXPECT_EQ(turns.Cycle(0), "+a");
  // Two of its tasks need two GPUs, not 16: one is free, and a's three are enough.
  turns.Add({.name = "b", .created = 10, .gpus = 3, .min_available = 2, .large = 2});
  EXPECT_EQ(turns.Cycle(10), "-a");
  EXPECT_EQ(turns.Cycle(10), "+b");
  turns.Add({.name = "c", .created = 20, .gpus = 3, .min_available = 4, .large = 2});
  EXPECT_EQ(turns.Cycle(20), "");  // three of four
  EXPECT_NE(turns.Reasons().find("c-a-0: no node, c-a-1: no node, c-w-0: 1 of 4 undone"),
            std::string::npos)
      << turns.Reasons();
}

// Of tasks beyond a gang that runs nothing is undone. Each says that no node fits.
TEST(Lease, TasksBeyondAGangFindNoNode) {
  Turns turns("tiresias");
  turns.Add({.name = "a", .gpus = 6, .min_available = 2});
  EXPECT_EQ(turns.Cycle(0), "+a");
  EXPECT_EQ(turns.Reasons(), "a-w-4: no node, a-w-5: no node");
  EXPECT_EQ(turns.Cycle(1), "");
  EXPECT_EQ(turns.Reasons(), "a-w-4: no node, a-w-5: no node");
}

TEST(Lease, SaysHowManyOfAGangFoundPlaces) {
  Turns turns("tiresias");
  turns.Add({.name = "a", .gpus = 6});
  EXPECT_EQ(turns.Cycle(0), "");
  EXPECT_EQ(turns.Reasons(),
            "a-w-0: 4 of 6 undone, a-w-1: 4 of 6 undone, a-w-2: 4 of 6 undone, "
            "a-w-3: 4 of 6 undone, a-w-4: no node, a-w-5: no node");
}

TEST(Lease, AGangWithKeptPlacesSaysThatItWaits) {
  Turns turns("tiresias:attained(level1=4,level2=0)");
  turns.Add({.name = "a"});
  EXPECT_EQ(turns.Cycle(0), "+a");
  // In the cycle that stops a, all of b's small tasks have places but the fifth.
  turns.Add({.name = "b", .created = 10, .gpus = 5, .min_available = 2, .large = 1});
  turns.Add({.name = "c", .created = 11, .gpus = 1});
  EXPECT_EQ(turns.Cycle(12), "-a");
  EXPECT_EQ(turns.Reasons(),
            "b-a-0: no node, b-w-0: 2 of 2 waits, b-w-1: 2 of 2 waits, b-w-2: 2 of 2 waits, "
            "b-w-3: 2 of 2 waits, b-w-4: no node, c-w-0: no node");
  EXPECT_EQ(turns.Cycle(12), "+b");
}

// As a task by itself, which is what a job is that names no minimum.
TEST(Lease, AJobWithoutAMinimumStopsOthers) {
  Turns turns("tiresias:attained(level1=4,level2=0)");
  turns.Add({.name = "a", .min_available = 0});
  EXPECT_EQ(turns.Cycle(0), "+a");
  turns.Add({.name = "b", .created = 10, .gpus = 4, .min_available = 0});
  EXPECT_EQ(turns.Cycle(10), "-a");
  EXPECT_EQ(turns.Cycle(11), "+b");
  // One task is all that it needs: for the others it stops none.
  turns.Add({.name = "c", .created = 12, .gpus = 5, .min_available = 0});
  EXPECT_EQ(turns.Cycle(13), "-b");
  EXPECT_EQ(turns.Cycle(13), "+c");
  EXPECT_EQ(turns.Cycle(14), "");
}

// rho is 1 of a job that came now, and grows by 1 each estimate that it waits.
TEST(Themis, TheWorstRatioGoesFirst) {
  Turns turns("themis:lease(round=0),finish-time(fairness=1)");
  turns.Add({.name = "long", .created = 0, .estimate = 1000});
  turns.Add({.name = "short", .created = 90, .estimate = 10});
  // (100 + 1000) / 1000 against (10 + 10) / 10.
  EXPECT_EQ(turns.Cycle(100), "+short");
  // At 105 short: (15 + 5) / 10 = 2 still, for it runs. long: 1105 / 1000.
  EXPECT_EQ(turns.Cycle(105), "");
  turns.End("short");
  EXPECT_EQ(turns.Cycle(110), "+long");
  // Its ratio stays at 1.11. A job of 100 s is as badly off once it has waited for 11 s.
  turns.Add({.name = "next", .created = 200, .estimate = 100});
  EXPECT_EQ(turns.Cycle(211), "");
  EXPECT_EQ(turns.Cycle(212), "-long");
  EXPECT_EQ(turns.cluster().memory().Find("finish-time")->Integer("long", 1), 102);
}

TEST(Themis, WithoutFairnessTheLeastWorkGoesFirst) {
  for (const auto& [fairness, first] :
       {std::pair("0", "+narrow"), std::pair("0.6", "+narrow"), std::pair("0.7", "+late")}) {
    Turns turns(absl::StrCat("themis:lease(round=0),finish-time(fairness=", fairness, ")"));
    // At 100: ratios 2, 1.5 and 1.1; work left 200, 100 and 4000.
    turns.Add({.name = "late", .created = 0, .gpus = 2, .estimate = 100});
    turns.Add({.name = "narrow", .created = 50, .gpus = 1, .estimate = 100});
    turns.Add({.name = "wide", .created = 0, .gpus = 4, .estimate = 1000});
    turns.Add({.name = "blind", .created = 0, .gpus = 4});
    // 0.4 of three jobs with estimates are two, rounded up; 0.3 are one.
    const std::string decided = turns.Cycle(100);
    EXPECT_EQ(decided.substr(0, decided.find(' ')), first) << fairness;
    EXPECT_EQ(decided.size(), std::string("+late +narrow").size()) << fairness;
  }
}

}  // namespace
}  // namespace muster
