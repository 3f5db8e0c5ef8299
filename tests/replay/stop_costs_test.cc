// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a profile reads of the cost of a stop in a replay by cycles: when work was saved, and what a
// restart costs. Option `exchange` of profile muster weighs it.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/replay/progress.h"
#include "muster/replay.h"

namespace muster {
namespace {

// A job of 1000 s holds the only node, and a more important one comes after 530 s. Cycles follow
// each other after ten seconds, and an eviction pays if no more is lost than was waited for.
// Returns the start of the important job.
int64_t StartOfUrgent(const Recovery& recovery) {
  Trace trace;
  trace.machine.nodes.push_back({.name = "n", .capacity = {{"cpu", 4}}});
  trace.shapes = {{.request = {{"cpu", 1}}}};
  EXPECT_TRUE(AddJob({.submit = 0, .run = 1000, .tasks = 4}, &trace).ok());
  EXPECT_TRUE(AddJob({.submit = 530, .run = 20, .tasks = 4, .priority = 1000}, &trace).ok());
  ReplayOptions options;
  options.cycles = CycleTiming::kRounds;
  options.period = 10;
  options.recovery = recovery;
  const absl::StatusOr<ReplayResult> result =
      Replay(trace, "muster:actions=allocate+preempt(exchange=1)", options);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return kAbsent;
  EXPECT_EQ(result->evictions, result->start[1] < 1000 ? 4 : 0);
  return result->start[1];
}

TEST(StopCosts, WithoutCheckpointsAllOfTheRunIsLost) {
  // The first job has always run for longer than the second one has waited.
  EXPECT_EQ(StartOfUrgent({}), 1000);
  EXPECT_EQ(StartOfUrgent({.checkpoint_interval = 1000}), 1000);
}

TEST(StopCosts, WorkUpToTheLastCheckpointIsSaved) {
  // At 540 40 s are lost for 10, at 560 60 for 30, and at 600 none for 70.
  EXPECT_EQ(StartOfUrgent({.checkpoint_interval = 100}), 601);
}

TEST(StopCosts, ARestartAndAMoveAddTheirTime) {
  // At 540 50 s are lost for 10, and at 550 10 for 20.
  EXPECT_EQ(StartOfUrgent({.checkpoint_interval = 50, .restart_seconds = 10}), 551);
  // At 600 80 for 70, at 610 90 for 80, and so on until 700: 80 for 170.
  EXPECT_EQ(StartOfUrgent({.checkpoint_interval = 100, .restart_seconds = 80}), 701);
  EXPECT_EQ(
      StartOfUrgent({.checkpoint_interval = 100, .restart_seconds = 30, .migration_seconds = 50}),
      701);
}

TEST(StopCosts, AJobThatIsSavedOnEvictionLosesItsRestartAlone) {
  EXPECT_EQ(StartOfUrgent({.evicted_jobs_checkpoint = true}), 531);
  EXPECT_EQ(StartOfUrgent({.evicted_jobs_checkpoint = true, .restart_seconds = 35}), 571);
}

// A job that keeps half of its work is expected to end as much earlier, so that `easy` lets no job
// pass that would end after it.
TEST(StopCosts, APromiseCountsTheWorkThatARestartKeeps) {
  Trace trace;
  trace.machine.nodes.push_back({.name = "n", .capacity = {{"cpu", 4}}});
  trace.shapes = {{.request = {{"cpu", 2}}}, {.request = {{"cpu", 4}}}};
  EXPECT_TRUE(AddJob({.submit = 0, .run = 1000, .estimate = 1000}, &trace).ok());
  EXPECT_TRUE(AddJob({.submit = 520, .run = 50, .estimate = 50, .shape = 1}, &trace).ok());
  EXPECT_TRUE(AddJob({.submit = 530, .run = 800, .estimate = 800}, &trace).ok());
  ReplayOptions options;
  options.node_events = {{500, NodeEvent::Kind::kFail, "n"}, {510, NodeEvent::Kind::kReturn, "n"}};
  options.recovery.checkpoint_interval = 100;
  const absl::StatusOr<ReplayResult> result = Replay(trace, "easy", options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->start, (std::vector<int64_t>{0, 1010, 1060}));
}

// One answer for the whole pause, so that tasks are told once.
TEST(StopCosts, WorkIsSavedAtTheEndOfAPauseAndAtCheckpoints) {
  constexpr int64_t kInterval = 400;  // 100 s of four tasks
  Progress progress;
  progress.Submit(1000, 4, 1);
  progress.Begin(0, 4, /*pause=*/0);
  EXPECT_EQ(progress.SavedAt(0, kInterval), 0);
  EXPECT_EQ(progress.SavedAt(99, kInterval), 0);
  EXPECT_EQ(progress.SavedAt(100, kInterval), 100);
  EXPECT_EQ(progress.SavedAt(250, kInterval), 200);
  EXPECT_EQ(progress.Stop(250, kInterval), 200);
  progress.Begin(300, 4, /*pause=*/30);
  for (const int64_t now : {300, 301, 329, 330, 429}) {
    EXPECT_EQ(progress.SavedAt(now, kInterval), 330) << now;
  }
  EXPECT_EQ(progress.SavedAt(430, kInterval), 430);
  // With one task fewer it takes a third longer.
  progress.ChangeRate(450, 3);
  EXPECT_EQ(progress.SavedAt(450, kInterval), 423);
  EXPECT_EQ(progress.SavedAt(550, kInterval), 423);
  EXPECT_EQ(progress.SavedAt(560, kInterval), 556);
}

}  // namespace
}  // namespace muster
