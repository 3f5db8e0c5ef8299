// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Batch policies on pools when decisions come late, or by cycles in other ways: start by start
// against a slow twin, and by hand. On its own a pool decides at once; what it does not know is
// done by cycles or refused, never passed over.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/reference/peer/batch/batch.h"
#include "muster/metrics.h"
#include "muster/replay.h"
#include "tests/replay/logs.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Trace TwoUserPool(int64_t processors, const std::vector<TraceJob>& jobs) {
  Trace trace;
  trace.processors = processors;
  trace.users = {"a", "b"};
  for (const TraceJob& job : jobs) EXPECT_TRUE(AddJob(job, &trace).ok());
  return trace;
}

ReplayResult PlayWithLatency(const Trace& trace, const std::string& policy,
                             const ReplayOptions& options) {
  absl::StatusOr<ReplayResult> result = Replay(trace, policy, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : ReplayResult();
}

TEST(Latency, EqualsTheTwin) {
  const uint64_t count = testing::WorldCount(300);
  Rng rng(2026);
  for (uint64_t world = 0; world < count; ++world) {
    Trace trace = testing::RandomLog(rng);
    reference::BatchQuestion question;
    question.policy = rng.Chance(0.8) ? "easy" : "fcfs";
    constexpr const char* kOrders[] = {"fifo", "sjf", "ljf", "smallest", "largest", "area"};
    question.order = kOrders[rng.Below(6)];
    constexpr const char* kEstimates[] = {"user", "actual", "last_two", "last_two"};
    question.estimate = kEstimates[rng.Below(4)];
    question.latency = static_cast<int64_t>(1 + rng.Below(rng.Chance(0.5) ? 3 : 100));
    const std::string policy =
        absl::StrCat(question.policy, ":order=", question.order, ",estimate=", question.estimate);
    ReplayOptions options;
    options.latency = question.latency;
    const ReplayResult result = PlayWithLatency(trace, policy, options);
    const reference::BatchStarts twin = reference::ReferenceLateBatch(trace, question);
    ASSERT_EQ(result.submit, twin.submit) << world << " " << policy;
    ASSERT_EQ(result.start, twin.start) << world << " " << policy << " latency " << options.latency;
  }
}

// The third of user a is guessed at 10, runs 50, and is corrected to 70 when it has run 10.
TEST(Latency, EasyPlusPlusByHand) {
  const Trace trace =
      TwoUserPool(4, {{.submit = 0, .run = 10, .estimate = 100, .tasks = 1, .user = 0},
                      {.submit = 0, .run = 10, .estimate = 100, .tasks = 1, .user = 0},
                      {.submit = 40, .run = 50, .estimate = 100, .tasks = 3, .user = 0},
                      {.submit = 41, .run = 20, .estimate = 20, .tasks = 4, .user = 1},
                      {.submit = 60, .run = 15, .estimate = 15, .tasks = 1, .user = 1}});
  const std::string policy = "easy:estimate=last_two,order=sjf";
  // At once: at 60 the third is corrected to end at 110, so that the last one goes ahead.
  EXPECT_THAT(PlayWithLatency(trace, policy, {}).start, ElementsAre(0, 0, 40, 90, 60));
  // Decisions after 2 seconds: it should end at 112 from 52 on, so that at 60 the last one may go
  // ahead.
  ReplayOptions late;
  late.latency = 2;
  EXPECT_THAT(PlayWithLatency(trace, policy, late).start, ElementsAre(2, 2, 42, 94, 62));
  // Before 52 it should end then, and the last one would be in the way of the head; decided at 51.
  Trace earlier = trace;
  earlier.submit[4] = 51;
  EXPECT_THAT(PlayWithLatency(earlier, policy, late).start, ElementsAre(2, 2, 42, 94, 116));
}

TEST(Latency, OfNothingIsTheCyclesOfAnInstant) {
  Rng rng(7);
  for (int world = 0; world < 50; ++world) {
    const Trace trace = testing::RandomLog(rng);
    ReplayOptions options;
    options.cycles = CycleTiming::kPeriodic;
    options.period = 1;
    const reference::BatchStarts twin = reference::ReferenceLateBatch(trace, {});
    ASSERT_EQ(PlayWithLatency(trace, "easy", options).start, twin.start) << world;
  }
}

// A change while no job waits starts no cycle in the past.
TEST(Latency, PeriodsDoNotGoBack) {
  const Trace trace = TwoUserPool(1, {{.submit = 0, .run = 5}, {.submit = 9, .run = 5}});
  ReplayOptions options;
  options.cycles = CycleTiming::kPeriodic;
  for (const auto& [period, start] : {std::pair(1, 9), {2, 10}, {7, 14}, {10, 10}}) {
    options.period = period;
    EXPECT_THAT(PlayWithLatency(trace, "easy", options).start, ElementsAre(0, start)) << period;
  }
}

TEST(Latency, PoolsTakeEveryOption) {
  const Trace trace =
      TwoUserPool(2, {{.submit = 0, .run = 10, .tasks = 2}, {.submit = 1, .run = 10, .tasks = 2}});
  ReplayOptions options;
  options.cycles = CycleTiming::kPeriodic;
  options.period = 7;
  EXPECT_THAT(PlayWithLatency(trace, "easy", options).start, ElementsAre(0, 14));
  options = {};
  options.until = 9;
  const ReplayResult cut = PlayWithLatency(trace, "easy", options);
  EXPECT_THAT(cut.start, ElementsAre(0, kAbsent));
  EXPECT_THAT(cut.end, ElementsAre(kAbsent, kAbsent));
  EXPECT_EQ(cut.outcome[1], JobOutcome::kWaiting);
  EXPECT_TRUE(cut.complete);
  options = {};
  options.failures.node_seconds_between = 8;
  options.failures.node_repair_seconds = 5;
  EXPECT_GT(PlayWithLatency(trace, "easy", options).node_failures, 0);
}

TEST(Latency, ConservativeSaysWhatItCannot) {
  const Trace trace = TwoUserPool(2, {{.submit = 0, .run = 10}});
  const auto refusal = [&](const ReplayOptions& options) {
    return std::string(Replay(trace, "conservative:reservations=kept", options).status().message());
  };
  ReplayOptions options;
  options.latency = 1;
  EXPECT_THAT(refusal(options),
              HasSubstr("reservations=kept needs a pool of processors without latency"));
  options = {};
  options.cycles = CycleTiming::kPeriodic;
  EXPECT_THAT(refusal(options), HasSubstr("without a period"));
  options = {};
  options.failures.node_seconds_between = 8;
  EXPECT_THAT(refusal(options), HasSubstr("without failures"));
}

}  // namespace
}  // namespace muster
