// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "muster/trace_bound.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/metrics.h"
#include "muster/replay.h"
#include "muster/schedule.h"
#include "tests/replay/logs.h"

namespace muster {
namespace {

TraceBound BoundOfTrace(const Trace& trace, const TraceBoundOptions& options = {}) {
  const absl::StatusOr<TraceBound> bound = BoundTrace(trace, options);
  EXPECT_TRUE(bound.ok()) << bound.status();
  return bound.value_or(TraceBound{});
}

TEST(TraceBound, TwoJobsOnOneProcessor) {
  Trace trace{.name = "two", .processors = 1};
  ASSERT_TRUE(AddJob({.submit = 0, .run = 100}, &trace).ok());
  ASSERT_TRUE(AddJob({.submit = 0, .run = 100}, &trace).ok());
  const TraceBound bound = BoundOfTrace(trace, {.steps = 400});
  // One of them waits 100 s.
  EXPECT_LE(bound.mean_wait, 50);
  EXPECT_GT(bound.mean_wait, 45);
  EXPECT_LE(bound.mean_bounded_slowdown, 1.5);
  EXPECT_GT(bound.mean_bounded_slowdown, 1.45);
  EXPECT_EQ(bound.jobs, 2);
  EXPECT_EQ(bound.resource, "processors");
}

TEST(TraceBound, ShortJobsHaveAGrace) {
  Trace trace{.name = "short", .processors = 1};
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(AddJob({.submit = 0, .run = 5}, &trace).ok());
  const TraceBound bound = BoundOfTrace(trace, {.steps = 100});
  EXPECT_GT(bound.mean_wait, 2);
  EXPECT_LE(bound.mean_wait, 2.5);
  EXPECT_EQ(bound.mean_bounded_slowdown, 1);  // both have ended within 10 s
}

TEST(TraceBound, NothingWaitsWhereEverythingFits) {
  Trace trace{.name = "wide", .processors = 4};
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(AddJob({.submit = i, .run = 50}, &trace).ok());
  const TraceBound bound = BoundOfTrace(trace);
  EXPECT_EQ(bound.mean_wait, 0);
  EXPECT_EQ(bound.mean_bounded_slowdown, 1);
}

TEST(TraceBound, OfNodesTheBusiestResourceCounts) {
  Trace trace{.name = "nodes"};
  trace.machine.nodes = {{.name = "a", .capacity = {{"cpu", 64}, {"nvidia.com/gpu", 1}}}};
  trace.shapes = {{.request = {{"cpu", 1}, {"nvidia.com/gpu", 1}}}};
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(AddJob({.submit = 0, .run = 100}, &trace).ok());
  const TraceBound bound = BoundOfTrace(trace);
  EXPECT_EQ(bound.resource, "nvidia.com/gpu");
  EXPECT_GT(bound.mean_wait, 40);
  EXPECT_LE(bound.mean_wait, 50);
}

TEST(TraceBound, RefusesWhatIsOutOfRange) {
  Trace trace{.name = "t", .processors = 1};
  ASSERT_TRUE(AddJob({.submit = 0, .run = 1}, &trace).ok());
  const auto message = [&](const TraceBoundOptions& options) {
    return std::string(BoundTrace(trace, options).status().message());
  };
  EXPECT_EQ(message({.rounds = 0}), "rounds: 0 is not in 1..100000");
  EXPECT_EQ(message({.steps = 1'000'001}), "steps: 1000001 is not in 1..1000000");
  EXPECT_EQ(message({.slowdown_bound = 0}), "slowdown_bound: 0 is not in 1..9007199254740992");
  EXPECT_EQ(message({.rows = std::vector<uint32_t>{0, 0}}),
            "rows[1]: 0 is not a row of the trace, or is listed twice");
  EXPECT_EQ(message({.rows = std::vector<uint32_t>{1}}),
            "rows[0]: 1 is not a row of the trace, or is listed twice");
  EXPECT_FALSE(BoundTrace(Trace{.processors = 1, .submit = {1}}).ok());
}

// The slow twin: D of the header, every start second by second, every price second by second.
double SumByHand(const Trace& trace, const std::vector<uint32_t>& rows, const TracePrices& prices,
                 int64_t capacity, int64_t slowdown_bound) {
  const auto end = prices.origin + prices.width * static_cast<int64_t>(prices.price.size());
  const auto price_at = [&](int64_t t) {
    if (t < prices.origin || t >= end) return absl::int128(0);
    return absl::int128(prices.price[static_cast<size_t>((t - prices.origin) / prices.width)]);
  };
  absl::int128 sum = 0;
  for (int64_t price : prices.price) sum -= absl::int128(price) * prices.width * capacity;
  for (uint32_t row : rows) {
    const int64_t run = trace.run[row], over = std::max(run, slowdown_bound);
    const int64_t slope = slowdown_bound == 0 ? int64_t{1} << 40 : (int64_t{1} << 40) / over;
    const int64_t grace = slowdown_bound == 0 ? 0 : over - run;
    absl::int128 paid = 0, best = 0;
    for (int64_t t = trace.submit[row]; t < trace.submit[row] + run; ++t) paid += price_at(t);
    for (int64_t t = trace.submit[row];; ++t) {
      const absl::int128 waits =
          absl::int128(slope) * std::max<int64_t>(t - trace.submit[row] - grace, 0);
      const absl::int128 cost = waits + paid * trace.tasks[row];
      if (t == trace.submit[row] || cost < best) best = cost;
      if (t >= end) break;
      paid += price_at(t + run) - price_at(t);
    }
    sum += best;
  }
  return sum <= 0 ? 0 : static_cast<double>(sum) * 0x1p-40;
}

TEST(TraceBoundWorlds, NoReplayUndercutsTheBound) {
  std::vector<std::string> policies = {"fcfs", "easy", "easy:order=sjf,estimate=actual",
                                       "conservative", "easy:order=due"};
  for (const ProfileInfo& profile : Profiles()) policies.push_back(profile.name);
  int64_t compared = 0, waits = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    Rng rng(seed);
    const Trace trace = testing::RandomLog(rng);
    std::vector<uint32_t> all;
    for (uint32_t row = 0; row < trace.size(); ++row) {
      if (trace.tasks[row] <= trace.processors) all.push_back(row);
    }
    const TraceBound bound = BoundOfTrace(trace, {.rounds = 60, .steps = 200});
    ASSERT_EQ(bound.jobs, static_cast<int64_t>(all.size()));
    const double jobs = std::max(1.0, static_cast<double>(all.size()));
    const double by_hand = SumByHand(trace, all, bound.wait_prices, trace.processors, 0) / jobs;
    ASSERT_NEAR(bound.mean_wait, by_hand, 1e-6 + by_hand * 1e-9) << seed;
    const double slow = SumByHand(trace, all, bound.slowdown_prices, trace.processors, 10) / jobs;
    ASSERT_NEAR(bound.mean_bounded_slowdown, 1 + slow, 1e-6 + slow * 1e-9) << seed;
    waits += bound.mean_wait > 0;
    for (const std::string& policy : policies) {
      const absl::StatusOr<ReplayResult> result = Replay(trace, policy);
      if (!result.ok()) continue;  // a profile that plays no traces
      TraceBoundOptions options{.rounds = 30, .steps = 200};
      options.rows.emplace();
      for (uint32_t row = 0; row < trace.size(); ++row) {
        if (result->end[row] != kAbsent) options.rows->push_back(row);
      }
      const TraceBound of_ended =
          options.rows->size() == all.size() ? bound : BoundOfTrace(trace, options);
      const Metrics metrics = Measure(trace, *result);
      if (metrics.ended == 0) continue;
      double turnaround = 0;
      for (uint32_t row : *options.rows) {
        turnaround += static_cast<double>(result->end[row] - trace.submit[row] - trace.run[row]);
      }
      ASSERT_LE(of_ended.mean_wait, turnaround / static_cast<double>(metrics.ended) + 1e-9)
          << "seed " << seed << " " << policy;
      ASSERT_LE(of_ended.mean_bounded_slowdown, metrics.all.bounded_slowdown.mean + 1e-9)
          << "seed " << seed << " " << policy;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(waits, 60);
}

}  // namespace
}  // namespace muster
