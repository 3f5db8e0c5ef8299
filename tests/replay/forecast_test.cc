// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Forecasts: futures against replays, intervals, what a forecast may know, and refusals.
#include "muster/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/replay/arrival_draws.h"
#include "lib/replay/engine.h"
#include "lib/replay/forecast_math.h"
#include "lib/replay/interval_scale.h"
#include "lib/replay/log_state.h"
#include "lib/replay/pool_future.h"
#include "muster/replay.h"
#include "tests/replay/logs.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

using testing::RandomLog;

Trace PlainLog(Rng& rng) {
  Trace trace = RandomLog(rng);
  trace.preceding.clear();
  trace.think.clear();
  return trace;
}

Trace LogOfPool(int64_t processors, const std::vector<TraceJob>& jobs) {
  Trace trace;
  trace.processors = processors;
  trace.users = {"ann", "bob"};
  for (const TraceJob& job : jobs) EXPECT_TRUE(AddJob(job, &trace).ok());
  return trace;
}

// A trace of many like jobs that keep a pool busy.
Trace BusyLog(int64_t jobs, uint64_t seed) {
  Rng rng(seed);
  Trace trace = LogOfPool(8, {});
  int64_t time = 0;
  for (int64_t i = 0; i < jobs; ++i) {
    time += static_cast<int64_t>(rng.Exponential(130));
    TraceJob job;
    job.submit = time;
    job.run = 1 + static_cast<int64_t>(rng.Exponential(300));
    job.estimate = job.run * 4;
    job.tasks = 1 + static_cast<int64_t>(rng.Below(4));
    job.user = static_cast<uint32_t>(rng.Below(2));
    EXPECT_TRUE(AddJob(job, &trace).ok());
  }
  return trace;
}

// --- futures

// A future with the run times and submissions of the log is the rest of its replay, whenever it
// begins.
void CompareFutureWithReplay(const std::string& policy) {
  const int64_t worlds = testing::WorldCount(300);
  for (int64_t seed = 1; seed <= worlds; ++seed) {
    Rng rng(static_cast<uint64_t>(seed));
    const Trace trace = PlainLog(rng);
    constexpr const char* kOrders[] = {"sjf", "largest", "saf", "f1", "due"};
    const std::string text = absl::StrCat(policy, ":order=", kOrders[rng.Below(5)]);
    const absl::StatusOr<BatchSpec> spec = ParseBatchSpec(text);
    ASSERT_TRUE(spec.ok()) << spec.status();
    PoolColumns columns;
    ReplayOptions options;
    const ReplayResult whole = ReplayPool(trace, *spec, options, &columns);
    LogState state(trace, whole);
    const int64_t now = static_cast<int64_t>(rng.Below(300));
    state.AdvanceTo(now);
    std::vector<uint32_t> rows = state.running();
    rows.insert(rows.end(), state.waiting().begin(), state.waiting().end());
    const auto job_of = [&](uint32_t row) {
      return FutureJob{.processors = trace.tasks[row],
                       .run = trace.run[row],
                       .estimate = columns.estimate[row],
                       .cap = std::max(trace.estimate[row], trace.run[row]),
                       .key = columns.key[row],
                       .start = state.started(row) ? whole.start[row] : kAbsent};
    };
    std::vector<FutureJob> jobs;
    for (const uint32_t row : rows) jobs.push_back(job_of(row));
    size_t next = state.submitted();
    const auto arrivals = [&]() -> FutureArrival {
      if (next >= state.submissions().size()) return {};
      const uint32_t row = state.submissions()[next++];
      FutureArrival arrival = {.time = whole.submit[row], .job = job_of(row)};
      arrival.job.start = kAbsent;
      return arrival;
    };
    PoolFuture future(trace.processors, *spec, now, jobs, arrivals);
    future.Play(kNone, 1'000'000);
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(future.start(static_cast<uint32_t>(i)), whole.start[rows[i]])
          << text << " seed " << seed << " now " << now << " job " << rows[i];
    }
  }
}

TEST(PoolFuture, IsTheRestOfFcfs) { CompareFutureWithReplay("fcfs"); }
TEST(PoolFuture, IsTheRestOfEasy) { CompareFutureWithReplay("easy"); }

TEST(PoolFuture, ConservativeStartsAllJobs) {
  std::vector<FutureJob> jobs = {{.processors = 2, .run = 50, .estimate = 80, .start = 0},
                                 {.processors = 3, .run = 10, .estimate = 20},
                                 {.processors = 1, .run = 30, .estimate = 30}};
  PoolFuture future(3, *ParseBatchSpec("conservative"), 10, jobs, [] { return FutureArrival{}; });
  EXPECT_EQ(future.Play(kNone, 100), 2);
  EXPECT_EQ(future.start(2), 10);
  EXPECT_EQ(future.start(1), 50);
}

TEST(PoolFuture, EndsWithItsBudget) {
  std::vector<FutureJob> jobs = {{.processors = 1, .run = 50, .estimate = 80, .start = 0},
                                 {.processors = 1, .run = 10, .estimate = 20},
                                 {.processors = 1, .run = 10, .estimate = 20}};
  PoolFuture future(1, BatchSpec{}, 10, jobs, [] { return FutureArrival{}; });
  EXPECT_EQ(future.Play(2, 1), 1);
  EXPECT_EQ(future.start(1), 50);
  EXPECT_EQ(future.start(2), kAbsent);
  EXPECT_EQ(future.Play(2, 5), 1);
  EXPECT_EQ(future.start(2), 60);
}

TEST(PoolFuture, GuessesGrow) {
  EXPECT_EQ(NextGuess(10, kEndless), 70);
  EXPECT_EQ(NextGuess(4000, kEndless), 5000);
  EXPECT_EQ(NextGuess(4000, 4100), 4100);
}

// --- submissions

TEST(ArrivalDraws, RepeatsDaysOfThePast) {
  constexpr int64_t kDay = 86'400;
  // Two days of submissions at noon and in the evening.
  const std::vector<int64_t> times = {kDay / 2, kDay * 3 / 4, kDay * 3 / 2, kDay * 7 / 4};
  const PastSubmissions past = {times.size(), [&](size_t i) { return times[i]; }};
  Rng rng(5);
  const int64_t now = 2 * kDay;
  ArrivalDraws draws(past, now, &rng);
  int64_t last = now;
  for (int i = 0; i < 100; ++i) {
    const ArrivalDraws::Arrival arrival = draws.Next();
    EXPECT_GT(arrival.time, last);
    EXPECT_EQ((arrival.time - times[arrival.source]) % kDay, 0);
    last = arrival.time;
  }
  EXPECT_EQ(last, now + 50 * kDay - kDay / 4);
}

TEST(ArrivalDraws, HasNoneWithoutADay) {
  const PastSubmissions none = {0, nullptr};
  Rng rng(5);
  EXPECT_EQ(ArrivalDraws(none, 50, &rng).Next().time, kNever);
  const PastSubmissions today = {1, [](size_t) { return int64_t{10}; }};
  EXPECT_EQ(ArrivalDraws(today, 50, &rng).Next().time, kNever);
}

// --- intervals

TEST(IntervalScale, MissesAsOftenAsItShould) {
  for (const int64_t percent : {5, 20}) {
    IntervalScale scale(kScaleOne, percent * 10'000);
    Rng rng(9);
    int missed = 0;
    constexpr int kForecasts = 20'000;
    for (int i = 0; i < kForecasts; ++i) {
      // Errors are eight times as large as the spread makes believe.
      const bool held = rng.Exponential(800) <= static_cast<double>(scale.Stretch(100));
      missed += !held;
      scale.Note(held);
    }
    EXPECT_NEAR(100.0 * missed / kForecasts, static_cast<double>(percent), 1.0);
  }
}

TEST(IntervalScale, StaysWithinBounds) {
  IntervalScale scale(kScaleOne, 50'000);
  for (int i = 0; i < 10'000; ++i) scale.Note(true);
  EXPECT_EQ(scale.value(), IntervalScale::kLeast);
  for (int i = 0; i < 10'000; ++i) scale.Note(false);
  EXPECT_EQ(scale.value(), IntervalScale::kMost);
}

TEST(IntervalOf, StretchesTheQuantilesOfFutures) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i <= 100; ++i) times.push_back(1000 + 10 * i);
  std::reverse(times.begin(), times.end());
  const SideScales same = {{kScaleOne, 50'000}, {kScaleOne, 50'000}};
  const ForecastTimes plain = IntervalOf(&times, 90, 1000, 1001, same);
  EXPECT_EQ(plain.middle, 1500);
  EXPECT_EQ(plain.low, 1050);
  EXPECT_EQ(plain.high, 1950);
  const SideScales wide = {{2 * kScaleOne, 50'000}, {3 * kScaleOne, 50'000}};
  const ForecastTimes stretched = IntervalOf(&times, 90, 1000, 1001, wide);
  EXPECT_EQ(stretched.low, 1001);
  EXPECT_EQ(stretched.high, 2850);
  // Futures that agree are not believed to the second.
  std::vector<int64_t> equal(10, 5000);
  EXPECT_EQ(IntervalOf(&equal, 90, 1000, 1001, same).high, 7000);
  std::vector<int64_t> soon(10, 1005);
  EXPECT_EQ(IntervalOf(&soon, 90, 1000, 1001, same).high, 1065);
}

TEST(IntervalOf, HasNoMiddleWithoutHalfOfTheFutures) {
  const SideScales same = {{kScaleOne, 50'000}, {kScaleOne, 50'000}};
  std::vector<int64_t> times = {kNoTime, 70, kNoTime, kNoTime, 60};
  const ForecastTimes few = IntervalOf(&times, 90, 10, 11, same);
  EXPECT_EQ(few.low, 60);
  EXPECT_EQ(few.middle, kAbsent);
  EXPECT_EQ(few.high, kAbsent);
  std::vector<int64_t> most = {70, 70, 70, 70, kNoTime};
  EXPECT_EQ(IntervalOf(&most, 90, 10, 11, same).middle, 70);
  EXPECT_EQ(IntervalOf(&most, 90, 10, 11, same).high, kAbsent);
}

// --- traces

TEST(ForecastTrace, HoldsAsOftenAsItShould) {
  const Trace trace = BusyLog(3000, 4);
  const absl::StatusOr<TraceForecast> forecast = ForecastTrace(trace, "easy", {.futures = 16});
  ASSERT_TRUE(forecast.ok()) << forecast.status();
  const ForecastQuality quality = MeasureForecast(*forecast);
  EXPECT_GT(quality.forecasts, 1000);
  EXPECT_EQ(quality.forecasts, forecast->waited);
  EXPECT_GE(quality.start_held, 0.88);
  EXPECT_LE(quality.start_held, 0.92);
  EXPECT_GE(quality.end_held, 0.88);
  EXPECT_LE(quality.end_held, 0.92);
  EXPECT_LT(quality.start_error, quality.promise_error);
}

// Only jobs that wait after their instant are forecast, and never as if they had started.
TEST(ForecastTrace, ForecastsJobsThatWait) {
  const Trace trace = BusyLog(300, 6);
  const absl::StatusOr<ReplayResult> replayed = Replay(trace, "easy");
  const absl::StatusOr<TraceForecast> forecast = ForecastTrace(trace, "easy", {.futures = 5});
  ASSERT_TRUE(forecast.ok()) << forecast.status();
  int64_t waited = 0;
  for (size_t row = 0; row < trace.size(); ++row) {
    waited += replayed->start[row] > replayed->submit[row];
  }
  EXPECT_EQ(forecast->waited, waited);
  ASSERT_EQ(static_cast<int64_t>(forecast->job.size()), waited);
  for (size_t i = 0; i < forecast->job.size(); ++i) {
    EXPECT_EQ(forecast->made[i], trace.submit[forecast->job[i]]);
    EXPECT_EQ(forecast->started[i], replayed->start[forecast->job[i]]);
    EXPECT_GT(forecast->start_low[i], forecast->made[i]);
    EXPECT_LE(forecast->start_low[i], forecast->start[i]);
    EXPECT_LE(forecast->start[i], forecast->start_high[i]);
    EXPECT_LT(forecast->start[i], forecast->end[i]);
  }
  const absl::StatusOr<TraceForecast> third =
      ForecastTrace(trace, "easy", {.futures = 5, .every = 3});
  EXPECT_EQ(third->waited, waited);
  EXPECT_EQ(static_cast<int64_t>(third->job.size()), (waited + 2) / 3);
}

// What comes later changes no forecast that was made: neither run times that are not over, nor
// submissions.
TEST(ForecastTrace, NeverSeesTheFuture) {
  for (const char* policy : {"fcfs", "easy", "easy:order=due", "easy:order=sjf,estimate=learnt",
                             "conservative", "easy:order=f1,order_estimate=last_two"}) {
    const Trace trace = BusyLog(250, 8);
    const absl::StatusOr<ReplayResult> replayed = Replay(trace, policy);
    ASSERT_TRUE(replayed.ok()) << replayed.status();
    const absl::StatusOr<TraceForecast> forecast = ForecastTrace(trace, policy, {.futures = 4});
    ASSERT_TRUE(forecast.ok()) << forecast.status();
    const int64_t cut = trace.submit[150];
    Trace changed = trace;
    Rng rng(1);
    for (uint32_t row = 0; row < changed.size(); ++row) {
      const bool over = replayed->end[row] != kAbsent && replayed->end[row] <= cut;
      if (over) continue;
      const int64_t ran = replayed->start[row] <= cut ? cut - replayed->start[row] : 0;
      changed.run[row] =
          std::min(*JobOf(changed, row).estimate, std::max(ran + 1, changed.run[row] / 2));
      if (row > 150) changed.submit[row] = cut + 1 + static_cast<int64_t>(rng.Below(10'000));
    }
    const absl::StatusOr<TraceForecast> other = ForecastTrace(changed, policy, {.futures = 4});
    ASSERT_TRUE(other.ok()) << other.status();
    size_t compared = 0;
    for (size_t i = 0; i < forecast->job.size() && forecast->made[i] <= cut; ++i, ++compared) {
      ASSERT_EQ(forecast->job[i], other->job[i]) << policy;
      ASSERT_EQ(forecast->start_low[i], other->start_low[i]) << policy << " job " << i;
      ASSERT_EQ(forecast->start[i], other->start[i]) << policy << " job " << i;
      ASSERT_EQ(forecast->start_high[i], other->start_high[i]) << policy;
      ASSERT_EQ(forecast->end[i], other->end[i]) << policy;
      ASSERT_EQ(forecast->promised[i], other->promised[i]) << policy;
    }
    EXPECT_GT(compared, 20U) << policy;
  }
}

TEST(ForecastTrace, EqualSeedsAreEqual) {
  const Trace trace = BusyLog(120, 3);
  const auto digest = [&](uint64_t seed) {
    return ForecastTrace(trace, "easy", {.futures = 5, .seed = seed})->digest();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

// By cycles, on one node.
TEST(ForecastTrace, ForecastsNodes) {
  const Trace pool = BusyLog(150, 5);
  const Trace trace = AsOneNode(pool);
  for (const char* policy : {"easy", "muster", "volcano", "easy:estimate=learnt"}) {
    const absl::StatusOr<TraceForecast> forecast = ForecastTrace(trace, policy, {.futures = 5});
    ASSERT_TRUE(forecast.ok()) << policy << ": " << forecast.status();
    EXPECT_GT(forecast->job.size(), 30U) << policy;
    for (size_t i = 0; i < forecast->job.size(); ++i) {
      EXPECT_GT(forecast->start[i], forecast->made[i]) << policy;
      EXPECT_NE(forecast->start_high[i], kAbsent) << policy;
    }
  }
  // The promises of easy on the node are those on the pool, where cycles run after each instant.
  const absl::StatusOr<TraceForecast> node = ForecastTrace(trace, "fcfs", {.futures = 3});
  const absl::StatusOr<TraceForecast> same = ForecastTrace(pool, "fcfs", {.futures = 3});
  ASSERT_EQ(node->job, same->job);
  int64_t equal = 0;
  for (size_t i = 0; i < node->job.size(); ++i) equal += node->promised[i] == same->promised[i];
  EXPECT_GE(equal * 10, static_cast<int64_t>(node->job.size()) * 9);
}

TEST(ForecastTrace, StopsWhenAsked) {
  const Trace trace = BusyLog(200, 5);
  int asked = 0;
  ForecastOptions options = {.futures = 3};
  options.should_stop = [&] { return ++asked > 20; };
  const absl::StatusOr<TraceForecast> forecast = ForecastTrace(trace, "easy", options);
  ASSERT_TRUE(forecast.ok());
  EXPECT_FALSE(forecast->complete);
  EXPECT_LT(forecast->job.size(), 21U);
}

TEST(ForecastTrace, NamesWhatItRefuses) {
  const Trace trace = BusyLog(10, 5);
  const auto message = [&](const std::string& policy, const ForecastOptions& options) {
    return std::string(ForecastTrace(trace, policy, options).status().message());
  };
  EXPECT_EQ(message("easy", {.futures = 2}), "forecast: futures: 2 is not in 3..10000");
  EXPECT_EQ(message("easy", {.percent = 99}), "forecast: percent: 99 is not in 50..98");
  EXPECT_EQ(message("easy", {.work_budget = 0}),
            "forecast: work_budget: 0 is not in 1..9007199254740992");
  EXPECT_EQ(message("easy", {.every = 0}), "forecast: every: 0 is not in 1..9007199254740992");
  EXPECT_EQ(message("easy", {.scales = {.start_low = 0}}),
            "forecast: scales: 0 is not in 16777216..17592186044416");
  EXPECT_EQ(message("muster", {}),
            "forecast: policy: \"muster\" is not fcfs, easy or conservative, of which one "
            "forecasts a pool of processors");
  EXPECT_EQ(message("easy:order=x", {}),
            "policy \"easy\": order \"x\" is not known; there are fifo, sjf, ljf, smallest, "
            "largest, area, due, saf, f1, f2, f3, f4, edf");
  Trace events = AsOneNode(trace);
  events.node_events.push_back({.time = 5, .name = "pool"});
  EXPECT_EQ(ForecastTrace(events, "easy", {}).status().message(),
            "forecast: trace: it has node events, and the nodes of a future are those of today");
  EXPECT_EQ(ForecastTrace(AsOneNode(trace), "easy:estimate=last_two", {}).status().message(),
            "forecast: policy: estimate=last_two needs a pool of processors");
}

// --- clusters

Cluster OneNodeCluster() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", "4"}}}).ok());
  const auto add = [&](const std::string& name, int64_t cpus, int64_t estimate) {
    JobSpec job = {.name = name, .min_available = 1, .estimate = estimate};
    job.groups = {{.name = "w", .count = 1, .shape = {.request = {{"cpu", cpus}}}}};
    job.owner = JobOwner{.user = "ann"};
    EXPECT_TRUE(cluster.AddJob(job).ok());
  };
  add("runs", 3, 1000);
  add("wide", 4, 500);
  add("narrow", 1, 2000);
  TaskSpec task = cluster.Describe().tasks[0];
  task.status = TaskStatus::kRunning;
  task.node = "n";
  task.started = 900;
  EXPECT_TRUE(cluster.UpdateTask(task).ok());
  return cluster;
}

TEST(Forecast, ForetellsTheJobsThatWait) {
  const Cluster cluster = OneNodeCluster();
  // Ann's jobs run for half of their estimates, to the second.
  std::vector<TraceJob> jobs;
  for (int64_t i = 0; i < 64; ++i) {
    jobs.push_back({.submit = i, .run = 250, .estimate = 500, .tasks = 4, .user = 0});
    jobs.push_back({.submit = i, .run = 500, .estimate = 1000, .tasks = 3, .user = 0});
    jobs.push_back({.submit = i, .run = 1000, .estimate = 2000, .tasks = 1, .user = 0});
  }
  const Trace history = LogOfPool(4, jobs);
  const absl::StatusOr<ClusterForecast> forecast =
      Forecast(cluster, "fcfs", history, {.now = 1200, .futures = 99, .arrivals = false});
  ASSERT_TRUE(forecast.ok()) << forecast.status();
  ASSERT_EQ(forecast->jobs.size(), 2U);
  EXPECT_TRUE(forecast->complete);
  EXPECT_EQ(forecast->jobs[0].job, "wide");
  EXPECT_EQ(forecast->jobs[0].started, 99);
  // The one that runs ends at 1400, then the wide one runs for 250 seconds.
  EXPECT_EQ(forecast->jobs[0].start.middle, 1400);
  EXPECT_EQ(forecast->jobs[0].end.middle, 1650);
  EXPECT_EQ(forecast->jobs[1].start.middle, 1650);
  EXPECT_EQ(forecast->jobs[1].end.middle, 2650);
  EXPECT_LE(forecast->jobs[0].start.low, 1400);
  EXPECT_GE(forecast->jobs[0].start.high, 1400);
}

TEST(Forecast, WithoutAHistoryRunTimesAreAnythingUpToEstimates) {
  const Cluster cluster = OneNodeCluster();
  const absl::StatusOr<ClusterForecast> forecast =
      Forecast(cluster, "fcfs", Trace{}, {.now = 1200, .futures = 401});
  ASSERT_TRUE(forecast.ok()) << forecast.status();
  // It has run for 300 of 1000 seconds.
  EXPECT_NEAR(static_cast<double>(forecast->jobs[0].start.middle), 1550, 40);
  EXPECT_GE(forecast->jobs[0].start.low, 1200);
  EXPECT_LE(forecast->jobs[0].start.high, 1900);
  EXPECT_EQ(Forecast(cluster, "fcfs", Trace{}, {.now = 1200, .seed = 1})->digest(),
            Forecast(cluster, "fcfs", Trace{}, {.now = 1200, .seed = 1})->digest());
}

// Small jobs of others come each day; without promises they overtake the wide job.
TEST(Forecast, SubmissionsOfThePastComeAgain) {
  Cluster cluster = OneNodeCluster();
  constexpr int64_t kDay = 86'400;
  std::vector<TraceJob> jobs;
  for (int64_t i = 0; i < 4 * kDay / 200; ++i) {
    jobs.push_back({.submit = 200 * i, .run = 800, .estimate = 900, .tasks = 1, .user = 1});
  }
  const Trace history = LogOfPool(8, jobs);
  TaskSpec task = cluster.Describe().tasks[0];
  task.started = 4 * kDay;
  ASSERT_TRUE(cluster.UpdateTask(task).ok());
  const auto start = [&](bool arrivals) {
    const absl::StatusOr<ClusterForecast> forecast =
        Forecast(cluster, "volcano", history,
                 {.now = 4 * kDay, .futures = 9, .arrivals = arrivals, .work_budget = 2000});
    EXPECT_TRUE(forecast.ok()) << forecast.status();
    return forecast->jobs[0].start.middle;
  };
  EXPECT_NE(start(false), kAbsent);
  const int64_t crowded = start(true);
  EXPECT_TRUE(crowded == kAbsent || crowded > start(false));
}

TEST(Forecast, SpendsNoMoreThanItsBudget) {
  const Cluster cluster = OneNodeCluster();
  const absl::StatusOr<ClusterForecast> forecast =
      Forecast(cluster, "fcfs", Trace{}, {.now = 1200, .futures = 50, .work_budget = 20});
  ASSERT_TRUE(forecast.ok());
  EXPECT_FALSE(forecast->complete);
  EXPECT_LE(forecast->events, 25);
  EXPECT_GT(forecast->jobs[0].started, 0);
}

TEST(Forecast, NamesWhatItRefuses) {
  const Cluster cluster = OneNodeCluster();
  EXPECT_EQ(Forecast(cluster, "fcfs", Trace{}, {.futures = 1}).status().message(),
            "forecast: futures: 1 is not in 3..10000");
  EXPECT_EQ(Forecast(cluster, "eazy", Trace{}, {}).status().message(),
            "profile: unknown profile \"eazy\"; did you mean \"easy\"?");
  Trace history = LogOfPool(4, {{.submit = 1, .run = 5}});
  history.queues = {{.name = "gone"}};
  EXPECT_EQ(Forecast(cluster, "fcfs", history, {.now = 10}).status().message(),
            "forecast: history: job \"0\" is of queue \"gone\", which the cluster lacks; add the "
            "queue, or forecast without arrivals");
  EXPECT_TRUE(Forecast(cluster, "fcfs", history, {.now = 10, .arrivals = false}).ok());
  history.run[0] = 0;
  EXPECT_FALSE(Forecast(cluster, "fcfs", history, {.now = 10}).ok());
}

}  // namespace
}  // namespace muster
