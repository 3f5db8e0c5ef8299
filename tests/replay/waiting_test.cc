// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks that hold a node and are not bound: when a replay binds them, and when they give up.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/action.h"
#include "muster/policy.h"
#include "muster/replay.h"

namespace muster {
namespace {

using ::testing::ElementsAre;

// Reserves a place for each pending task, of the youngest job first.
ReplayResult Play(const Trace& trace, int64_t patience, std::string_view group,
                  ReplayOptions options = {}) {
  auto extensions = std::make_shared<Extensions>();
  extensions->actions.push_back(
      {.name = "hold", .summary = "", .run = [=](Workbench& bench, const Options&) {
         const std::vector<JobIndex> jobs(bench.waiting().rbegin(), bench.waiting().rend());
         const int64_t until = patience == kAbsent ? kAbsent : bench.cycle().now() + patience;
         for (JobIndex job : jobs) {
           const Workbench::Savepoint before = bench.Save();
           for (TaskIndex task : bench.PendingTasks(job)) bench.Reserve(task, until, group);
           bench.Commit(before);
         }
       }});
  options.extensions = extensions;
  options.record_placements = true;
  absl::StatusOr<ReplayResult> result =
      Replay(trace, "muster:actions=hold,tiers=gang/predicates", options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : ReplayResult();
}

// `nodes` of 4 cpus; tasks of one cpu.
Trace Machine(int nodes, const std::vector<TraceJob>& jobs) {
  Trace trace;
  for (int i = 0; i < nodes; ++i) {
    trace.machine.nodes.push_back({.name = absl::StrCat("n", i), .capacity = {{"cpu", 4}}});
  }
  trace.shapes = {{.request = {{"cpu", 1}}}};
  for (const TraceJob& job : jobs) EXPECT_TRUE(AddJob(job, &trace).ok());
  return trace;
}

// The second job holds the last cpu from 1 on, so that the third one finds none.
const std::vector<TraceJob> kThree = {{.submit = 0, .run = 10, .tasks = 3},
                                      {.submit = 1, .run = 10, .tasks = 3},
                                      {.submit = 2, .run = 1, .tasks = 1}};

TEST(Waiting, AJobIsBoundOnceAllItsTasksHoldANode) {
  const ReplayResult result = Play(Machine(1, kThree), kAbsent, "");
  EXPECT_THAT(result.start, ElementsAre(0, 10, 10));
  EXPECT_THAT(result.end, ElementsAre(10, 20, 11));
  // A stay begins with the bind.
  EXPECT_THAT(result.placements.job, ElementsAre(0, 0, 0, 1, 1, 1, 2));
  EXPECT_THAT(result.placements.from, ElementsAre(0, 0, 0, 10, 10, 10, 10));
}

TEST(Waiting, ATaskGivesItsPlaceUpAtItsDeadline) {
  const ReplayResult result = Play(Machine(1, kThree), /*patience=*/4, "");
  // Reserved at 1, given up at 5; the third job is younger and goes first then.
  EXPECT_THAT(result.start, ElementsAre(0, 10, 5));
  EXPECT_THAT(result.end, ElementsAre(10, 20, 6));
}

TEST(Waiting, AGroupIsBoundTogether) {
  // Alone the third job fits at 1; its group also has the second one, which then lacks a cpu.
  const Trace trace = Machine(1, {{.submit = 0, .run = 10, .tasks = 2},
                                  {.submit = 1, .run = 5, .tasks = 2},
                                  {.submit = 1, .run = 5, .tasks = 1}});
  EXPECT_THAT(Play(trace, kAbsent, "").start, ElementsAre(0, 6, 1));
  EXPECT_THAT(Play(trace, kAbsent, "both").start, ElementsAre(0, 10, 10));
}

TEST(Waiting, ANodeThatFailsTakesThePlace) {
  const Trace trace =
      Machine(2, {{.submit = 0, .run = 20, .tasks = 4}, {.submit = 1, .run = 10, .tasks = 5}});
  ReplayOptions options;
  options.node_events = {{5, NodeEvent::Kind::kFail, "n1"}, {7, NodeEvent::Kind::kReturn, "n1"}};
  const ReplayResult result = Play(trace, kAbsent, "", options);
  EXPECT_THAT(result.start, ElementsAre(0, 20));
  EXPECT_THAT(result.end, ElementsAre(20, 30));
  EXPECT_TRUE(result.stops.empty());
  EXPECT_EQ(result.placements.job.size(), 9u);
}

TEST(Waiting, WithoutAnEndOfTheWaitTheReplayEnds) {
  Trace trace =
      Machine(1, {{.submit = 0, .run = kEndless, .tasks = 2}, {.submit = 1, .run = 5, .tasks = 3}});
  const ReplayResult result = Play(trace, kAbsent, "");
  EXPECT_THAT(result.start, ElementsAre(0, kAbsent));
  EXPECT_EQ(result.outcome[1], JobOutcome::kWaiting);
}

}  // namespace
}  // namespace muster
