// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Batch policies on pools: every recorded wait of three logs, the twins on random worlds, and small
// worlds by hand.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/reference/peer/batch/batch.h"
#include "lib/replay/engine.h"
#include "lib/replay/table_reader.h"
#include "muster/metrics.h"
#include "muster/replay.h"
#include "tests/replay/logs.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

using testing::RandomLog;

Trace Pool(int64_t processors, const std::vector<TraceJob>& jobs) {
  Trace trace;
  trace.processors = processors;
  trace.users = {"u"};
  for (const TraceJob& job : jobs) EXPECT_TRUE(AddJob(job, &trace).ok());
  return trace;
}

std::vector<int64_t> Starts(const Trace& trace, const std::string& policy,
                            const ReplayOptions& options = {}) {
  const absl::StatusOr<ReplayResult> result = Replay(trace, policy, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->start : std::vector<int64_t>();
}

// --- recorded waits

struct GoldenLog {
  const char* name;
  int64_t processors;
  int64_t jobs;
  int64_t backfilled[3];
  double mean_wait[3], slowdown[3];
};

class Golden : public ::testing::TestWithParam<GoldenLog> {};

TEST_P(Golden, EveryWaitIsTheRecordedOne) {
  const GoldenLog& log = GetParam();
  const std::string path = absl::StrCat("hpc_easy_golden/", log.name, ".csv.gz");
  MUSTER_TRACE_FILE(bytes, path);
  ReadReport report;
  const absl::StatusOr<Trace> trace =
      ReadHpc({path, *bytes}, {.processors = log.processors}, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(report.jobs, log.jobs);
  EXPECT_EQ(report.lines, log.jobs);
  EXPECT_TRUE(report.dropped.empty());

  const char* policies[] = {"easy", "easy:estimate=actual", "easy:estimate=actual,order=sjf"};
  const char* columns[] = {"wait_easy", "wait_easy_clair", "wait_easy_sjbf_clair"};
  for (int variant = 0; variant < 3; ++variant) {
    const absl::StatusOr<ReplayResult> result = Replay(*trace, policies[variant]);
    ASSERT_TRUE(result.ok()) << result.status();
    Budget budget;
    TableReader table({path, *bytes}, {}, nullptr, &budget);
    const int column = table.Require(columns[variant]), flag = table.Require("bf_easy");
    int64_t row = 0, different = 0;
    for (; table.NextRow(); ++row) {
      different += result->start[row] - result->submit[row] != table.Integer(column, 0, kEndless);
      if (variant == 0) different += result->backfilled[row] != table.Integer(flag, 0, 1);
      ASSERT_TRUE(table.EndRow());
    }
    EXPECT_EQ(row, log.jobs);
    EXPECT_EQ(different, 0) << policies[variant];
    const Metrics metrics = Measure(*trace, *result);
    EXPECT_EQ(metrics.backfilled, log.backfilled[variant]);
    EXPECT_NEAR(metrics.all.wait.mean, log.mean_wait[variant], 0.005);
    EXPECT_NEAR(metrics.all.bounded_slowdown.mean, log.slowdown[variant], 0.00005);
  }
}

INSTANTIATE_TEST_SUITE_P(Logs, Golden,
                         ::testing::Values(GoldenLog{"KTH-SP2",
                                                     100,
                                                     28481,
                                                     {17074, 16706, 16787},
                                                     {6836.87, 6327.68, 5436.02},
                                                     {92.5765, 71.7224, 49.8477}},
                                           GoldenLog{"CTC-SP2",
                                                     338,
                                                     77199,
                                                     {61588, 56490, 57300},
                                                     {14272.59, 13581.72, 10004.96},
                                                     {49.5713, 37.1654, 17.5717}},
                                           GoldenLog{"SDSC-SP2",
                                                     128,
                                                     54006,
                                                     {36304, 34973, 35842},
                                                     {20497.76, 17337.11, 16307.08},
                                                     {87.8703, 70.4779, 56.8362}}),
                         [](const auto& info) {
                           return std::string(info.param.name).substr(0, 3) + "SP2";
                         });

TEST(Fcfs, MeanWaitsOfTheLogs) {
  const std::string path = "hpc_easy_golden/KTH-SP2.csv.gz";
  MUSTER_TRACE_FILE(bytes, path);
  const absl::StatusOr<Trace> trace = ReadHpc({path, *bytes}, {.processors = 100});
  ASSERT_TRUE(trace.ok()) << trace.status();
  const absl::StatusOr<ReplayResult> result = Replay(*trace, "fcfs");
  ASSERT_TRUE(result.ok());
  const Metrics metrics = Measure(*trace, *result);
  EXPECT_NEAR(metrics.all.wait.mean, 353776, 0.5);
  EXPECT_NEAR(metrics.all.bounded_slowdown.mean, 6814.97, 0.005);
}

// --- twins

void CompareWithTwin(const std::string& policy) {
  const int64_t worlds = testing::WorldCount(2000);
  for (int64_t seed = 1; seed <= worlds; ++seed) {
    Rng rng(static_cast<uint64_t>(seed));
    Trace trace = RandomLog(rng);
    reference::BatchQuestion question;
    question.policy = policy;
    const auto pick = [&](std::initializer_list<const char*> words) {
      return std::string(words.begin()[rng.Below(words.size())]);
    };
    question.order = pick({"fifo", "sjf", "ljf", "smallest", "largest", "area", "due", "due", "saf",
                           "f1", "f2", "f3", "f4", "edf"});
    for (size_t i = 0; question.order == "edf" && i < trace.size(); ++i) {
      trace.deadline.push_back(rng.Chance(0.3) ? kAbsent : static_cast<int64_t>(rng.Below(300)));
    }
    question.estimate = pick({"user", "user", "actual", "last_two", "learnt", "learnt"});
    question.order_estimate = pick({"", "", "user", "actual", "last_two", "learnt"});
    question.follow_preceding = rng.Chance(0.5);
    std::string spec =
        absl::StrCat(policy, ":order=", question.order, ",estimate=", question.estimate);
    if (!question.order_estimate.empty()) {
      absl::StrAppend(&spec, ",order_estimate=", question.order_estimate);
    }
    if (question.estimate == "learnt" && rng.Chance(0.7)) {
      question.quantile = 100 + 100 * static_cast<int64_t>(rng.Below(9));
      absl::StrAppend(&spec, ",quantile=0.", question.quantile / 100);
      question.order_quantile = question.quantile;
    }
    if (question.order_estimate == "learnt" && rng.Chance(0.7)) {
      question.order_quantile = 100 + 100 * static_cast<int64_t>(rng.Below(9));
      absl::StrAppend(&spec, ",order_quantile=0.", question.order_quantile / 100);
    }
    if (question.order == "due" && rng.Chance(0.5)) {
      question.scale = static_cast<double>(rng.Below(20)) / 4;
      question.cap = static_cast<double>(rng.Below(8)) / 4;
      absl::StrAppend(&spec, ",scale=", question.scale, ",cap=", question.cap);
    }
    if (policy == "easy") {
      constexpr std::string_view kFirst[] = {"due", "saf", "f1", "f2", "f3", "f4", "edf"};
      question.promises_first =
          std::find(std::begin(kFirst), std::end(kFirst), question.order) != std::end(kFirst);
      if (rng.Chance(0.5)) {
        question.promises_first = rng.Chance(0.5);
        absl::StrAppend(&spec, ",head=", question.promises_first ? "first" : "oldest");
      }
    }
    if (policy == "conservative") {
      question.reservations = pick({"kept", "afresh"});
      absl::StrAppend(&spec, ",reservations=", question.reservations);
    }
    ReplayOptions options;
    options.follow_preceding = question.follow_preceding;
    const absl::StatusOr<ReplayResult> result = Replay(trace, spec, options);
    ASSERT_TRUE(result.ok()) << result.status() << " seed " << seed;
    const reference::BatchStarts twin = reference::ReferenceBatch(trace, question);
    ASSERT_EQ(result->start, twin.start) << spec << " seed " << seed;
    ASSERT_EQ(result->submit, twin.submit) << spec << " seed " << seed;
    if (!result->backfilled.empty()) {
      ASSERT_EQ(result->backfilled, twin.backfilled) << spec << " seed " << seed;
    }
  }
}

// A log in which no submission depends on the job before it.
Trace LogOfArrivals(Rng& rng) {
  Trace trace = RandomLog(rng);
  trace.preceding.clear();
  trace.think.clear();
  return trace;
}

// The policy on a pool starts the jobs when the profile of the spec starts them on one node, with a
// cycle after each event.
void ExpectStartsOfCycles(const Trace& pool, const std::string& policy, const Trace& one_node,
                          const std::string& profile, int64_t seed) {
  ReplayOptions options;
  options.cycles = CycleTiming::kEachEvent;
  const absl::StatusOr<ReplayResult> cycles = Replay(one_node, profile, options);
  ASSERT_TRUE(cycles.ok()) << cycles.status();
  ASSERT_EQ(Starts(pool, policy), cycles->start) << profile << " seed " << seed;
}

// The profiles of the same names on one node, a cycle an event, start the same jobs, with corrected
// guesses, too. But for easy in the order of submission: there a pool makes no pass for a job that
// does not fit, whatever was given back before.
void CompareWithProfile(const std::string& policy) {
  const int64_t worlds = testing::WorldCount(500);
  for (int64_t seed = 1; seed <= worlds; ++seed) {
    Rng rng(static_cast<uint64_t>(seed));
    const Trace trace = LogOfArrivals(rng);
    constexpr const char* kOrders[] = {"fifo", "sjf", "ljf", "smallest", "largest"};
    constexpr const char* kEstimates[] = {"user", "actual", "last_two", "learnt,quantile=0.5"};
    const size_t first = policy == "easy" ? 1 : 0;
    std::string spec = absl::StrCat(policy, ":order=", kOrders[first + rng.Below(5 - first)],
                                    ",estimate=", kEstimates[rng.Below(4)]);
    if (policy == "easy" && rng.Chance(0.5)) spec += ",head=first";
    // Cycles have no promises of earlier ones.
    if (policy == "conservative") spec += ",reservations=afresh";
    ASSERT_NO_FATAL_FAILURE(ExpectStartsOfCycles(trace, spec, AsOneNode(trace), spec, seed));
  }
}

// Orders of policies, by memory and without. Jobs run shorter than their estimates: one that runs
// as long gives its processors back before its end is learnt.
void CompareOrderWithProfile(const std::string& policy) {
  const int64_t worlds = testing::WorldCount(500);
  for (int64_t seed = 1; seed <= worlds; ++seed) {
    Rng rng(static_cast<uint64_t>(seed));
    Trace trace = LogOfArrivals(rng);
    for (size_t i = 0; i < trace.size(); ++i) {
      if (trace.estimate[i] == trace.run[i]) ++trace.estimate[i];
      trace.deadline.push_back(rng.Chance(0.3) ? kAbsent : static_cast<int64_t>(rng.Below(300)));
    }
    constexpr const char* kOrders[] = {
        "due", "due,scale=1", "due,scale=3,cap=2", "due,cap=1.5", "f1", "f4", "edf"};
    std::string spec = absl::StrCat(policy, ":order=", kOrders[rng.Below(std::size(kOrders))]);
    if (policy == "conservative") spec += ",reservations=afresh";
    ASSERT_NO_FATAL_FAILURE(ExpectStartsOfCycles(trace, spec, AsOneNode(trace), spec, seed));
  }
}

// Profile muster with a promise to the head and due order is easy with that order.
TEST(OneNode, MusterWithPromisesIsEasy) {
  const int64_t worlds = testing::WorldCount(500);
  for (int64_t seed = 1; seed <= worlds; ++seed) {
    Rng rng(static_cast<uint64_t>(seed));
    Trace trace = LogOfArrivals(rng);
    for (size_t i = 0; i < trace.size(); ++i)
      trace.estimate[i] += trace.estimate[i] == trace.run[i];
    const std::string due = rng.Chance(0.5) ? "scale=1,cap=2" : "scale=200,cap=0.3";
    ASSERT_NO_FATAL_FAILURE(ExpectStartsOfCycles(trace, absl::StrCat("easy:order=due,", due), trace,
                                                 absl::StrCat("muster:due(", due, ")"), seed));
  }
}

TEST(OneNode, FcfsByPolicies) { CompareOrderWithProfile("fcfs"); }
TEST(OneNode, EasyByPolicies) { CompareOrderWithProfile("easy"); }
TEST(OneNode, ConservativeByPolicies) { CompareOrderWithProfile("conservative"); }

TEST(OneNode, Fcfs) { CompareWithProfile("fcfs"); }
TEST(OneNode, Easy) { CompareWithProfile("easy"); }
TEST(OneNode, Conservative) { CompareWithProfile("conservative"); }

TEST(Twin, Fcfs) { CompareWithTwin("fcfs"); }
TEST(Twin, Easy) { CompareWithTwin("easy"); }
TEST(Twin, Conservative) { CompareWithTwin("conservative"); }

// --- by hand

TEST(Pool, EasyLetsAJobGoAheadThatEndsAtTheShadow) {
  // The head (4 processors) can start at 100. A job of 1 processor that ends exactly then goes
  // ahead, one that ends a second later does not: all four are the head's.
  const Trace trace = Pool(4, {{.submit = 0, .run = 100, .estimate = 100, .tasks = 3},
                               {.submit = 1, .run = 10, .estimate = 10, .tasks = 4},
                               {.submit = 2, .run = 99, .estimate = 99, .tasks = 1},
                               {.submit = 2, .run = 98, .estimate = 98, .tasks = 1}});
  EXPECT_EQ(Starts(trace, "easy"), (std::vector<int64_t>{0, 100, 110, 2}));
  EXPECT_EQ(Starts(trace, "fcfs"), (std::vector<int64_t>{0, 100, 110, 110}));
}

TEST(Pool, ConservativeDelaysNoPromise) {
  // At 1 the second job is promised 100 and the third, of two processors, 110. Under easy the
  // fourth takes what the head leaves over and delays the third; conservative does not let it.
  const Trace trace = Pool(4, {{.submit = 0, .run = 100, .estimate = 100, .tasks = 3},
                               {.submit = 1, .run = 10, .estimate = 10, .tasks = 3},
                               {.submit = 2, .run = 10, .estimate = 10, .tasks = 4},
                               {.submit = 3, .run = 200, .estimate = 200, .tasks = 1}});
  EXPECT_EQ(Starts(trace, "easy"), (std::vector<int64_t>{0, 100, 203, 3}));
  EXPECT_EQ(Starts(trace, "conservative"), (std::vector<int64_t>{0, 100, 110, 120}));
}

TEST(Pool, FollowsPrecedingJobs) {
  Trace trace = Pool(1, {{.submit = 0, .run = 10, .user = 0},
                         {.submit = 3, .run = 10},
                         {.submit = 15, .run = 5, .user = 0}});
  LinkUsers(&trace);
  EXPECT_EQ(trace.preceding, (std::vector<uint32_t>{kNone, kNone, 0}));
  EXPECT_EQ(trace.think[2], 5);
  ReplayOptions options;
  EXPECT_EQ(Starts(trace, "fcfs", options), (std::vector<int64_t>{0, 10, 20}));
  trace.think[2] = 30;
  options.follow_preceding = true;
  EXPECT_EQ(Starts(trace, "fcfs", options), (std::vector<int64_t>{0, 10, 40}));
}

TEST(Pool, RefusesWhatDoesNotFitAndGoesOn) {
  const Trace trace = Pool(2, {{.submit = 0, .run = 10, .tasks = 3}, {.submit = 1, .run = 10}});
  const absl::StatusOr<ReplayResult> result = Replay(trace, "easy");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->outcome[0], JobOutcome::kRefused);
  EXPECT_EQ(result->outcome[1], JobOutcome::kDone);
  EXPECT_EQ(Measure(trace, *result).refused, 1);
}

// Each is promised its time at once; no job is looked at while nothing is due.
TEST(Pool, ConservativeWithManyJobsAtOneInstant) {
  constexpr int64_t kProcessors = 1000, kJobs = 200000, kRun = 60;
  Trace trace;
  trace.processors = kProcessors;
  for (int64_t i = 0; i < kJobs; ++i) {
    ASSERT_TRUE(AddJob({.submit = 5, .run = kRun, .estimate = kRun}, &trace).ok());
  }
  const std::vector<int64_t> starts = Starts(trace, "conservative");
  ASSERT_EQ(starts.size(), trace.size());
  for (int64_t i = 0; i < kJobs; ++i) {
    ASSERT_EQ(starts[static_cast<size_t>(i)], 5 + i / kProcessors * kRun);
  }
}

TEST(Pool, AMillionJobsAtOneInstant) {
  Trace trace;
  trace.processors = 1000;
  for (int i = 0; i < 1000000; ++i) {
    ASSERT_TRUE(AddJob({.submit = 5, .run = 1 + i % 7, .tasks = 1 + i % 3}, &trace).ok());
  }
  const absl::StatusOr<ReplayResult> result = Replay(trace, "easy");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(Measure(trace, *result).ended, 1000000);
}

TEST(Pool, StopsWhenAskedTo) {
  Trace trace;
  trace.processors = 1;
  for (int i = 0; i < 100000; ++i) ASSERT_TRUE(AddJob({.submit = i, .run = 2}, &trace).ok());
  int asked = 0;
  const absl::StatusOr<ReplayResult> result =
      Replay(trace, "easy", {.should_stop = [&] { return ++asked == 3; }});
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->complete);
  const Metrics metrics = Measure(trace, *result);
  EXPECT_GT(metrics.ended, 0);
  EXPECT_LT(metrics.ended, 100000);
}

TEST(Pool, ReportsItsTime) {
  for (const int64_t processors : {int64_t{1}, int64_t{0}}) {
    Trace trace;
    trace.processors = processors;
    if (processors == 0) trace.machine.nodes.push_back({.name = "n", .capacity = {{"cpu", 1}}});
    trace.shapes.push_back({.request = {{"cpu", 1}}});
    for (int i = 0; i < 8000; ++i) ASSERT_TRUE(AddJob({.submit = i, .run = 1}, &trace).ok());
    std::vector<int64_t> times;
    const std::string policy = processors == 0 ? "volcano" : "easy";
    const absl::StatusOr<ReplayResult> result =
        Replay(trace, policy, {.progress = [&](int64_t now) { times.push_back(now); }});
    const absl::StatusOr<ReplayResult> silent = Replay(trace, policy);
    ASSERT_TRUE(result.ok() && silent.ok());
    EXPECT_EQ(result->start, silent->start);
    EXPECT_GT(times.size(), 3u);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_GT(times.back(), times.front());
    EXPECT_LE(times.back(), *std::max_element(result->end.begin(), result->end.end()));
  }
}

// Where each early end gives thousands of promises anew, that is not only after thousands of them.
TEST(Pool, StopsSoonWhereEventsAreSlow) {
  Trace trace;
  trace.processors = 10;
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(AddJob({.submit = 0, .run = 1 + i % 7, .estimate = 10}, &trace).ok());
  }
  int asked = 0;
  const absl::StatusOr<ReplayResult> result =
      Replay(trace, "conservative", {.should_stop = [&] { return ++asked == 30; }});
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->complete);
  EXPECT_GT(result->events, 20000);
  EXPECT_LT(result->events, 20100);
}

// A job that goes first in the order, head included: the second submitted is promised a start.
TEST(Pool, TheHeadIsTheOldestOrTheFirstOfTheOrder) {
  const Trace trace = Pool(4, {{.submit = 0, .run = 100, .tasks = 3},
                               {.submit = 1, .run = 50, .tasks = 4},
                               {.submit = 2, .run = 10, .tasks = 2},
                               {.submit = 3, .run = 90, .tasks = 1}});
  EXPECT_EQ(Starts(trace, "easy:order=sjf"), (std::vector<int64_t>{0, 100, 150, 3}));
  EXPECT_EQ(Starts(trace, "easy:order=sjf,head=first"), (std::vector<int64_t>{0, 110, 100, 3}));
}

// 4 x 100 processor-seconds go behind 1 x 90 and 2 x 10, and the smallest that waits is the head.
TEST(Pool, SmallestAreaFirst) {
  const Trace trace = Pool(4, {{.submit = 0, .run = 50, .estimate = 50, .tasks = 4},
                               {.submit = 1, .run = 100, .estimate = 100, .tasks = 4},
                               {.submit = 2, .run = 10, .estimate = 10, .tasks = 2},
                               {.submit = 3, .run = 90, .estimate = 90, .tasks = 1}});
  EXPECT_EQ(Starts(trace, "easy:order=saf"), (std::vector<int64_t>{0, 140, 50, 50}));
  EXPECT_EQ(Starts(trace, "easy:order=saf"), Starts(trace, "easy:order=area,head=first"));
}

// A job without a deadline goes last.
TEST(Pool, EarliestDeadlineFirst) {
  const Trace trace = Pool(1, {{.submit = 0, .run = 10},
                               {.submit = 1, .run = 10},
                               {.submit = 2, .run = 10, .deadline = 90},
                               {.submit = 3, .run = 10, .deadline = 80}});
  EXPECT_EQ(Starts(trace, "fcfs:order=edf"), (std::vector<int64_t>{0, 30, 20, 10}));
}

TEST(Pool, OptionsThatOnlyPoolsHaveAreRefusedInCycles) {
  const Trace trace = AsOneNode(Pool(1, {{.run = 1}}));
  const std::pair<const char*, const char*> kRefused[] = {
      {"order=due,head=oldest", "head=oldest"},
      {"order=saf,head=oldest", "head=oldest"},
      {"order_estimate=last_two", "order_estimate"}};
  for (const auto& [options, named] : kRefused) {
    EXPECT_EQ(Replay(trace, absl::StrCat("easy:", options)).status().message(),
              absl::StrCat("policy \"easy\": ", named, " needs a pool of processors"));
  }
}

TEST(Replay, MarksWhatKnowsTheFuture) {
  const Trace told = Pool(2, {{.run = 5, .estimate = 9}}), absent = Pool(2, {{.run = 5}});
  const auto marked = [](const Trace& trace, const std::string& policy) {
    const absl::StatusOr<ReplayResult> result = Replay(trace, policy);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() && result->clairvoyant;
  };
  for (const char* policy :
       {"easy", "fcfs:order=sjf", "easy:order=due", "conservative", "volcano:+joborder"}) {
    EXPECT_FALSE(marked(told, policy)) << policy;
    EXPECT_TRUE(marked(absent, policy)) << policy;
    EXPECT_FALSE(marked(AsOneNode(told), policy)) << policy;
    EXPECT_TRUE(marked(AsOneNode(absent), policy)) << policy;
  }
  // Those that make do without estimates are not told the run time.
  for (const char* policy :
       {"fcfs", "muster", "volcano:+due", "volcano:+joborder(by=las)", "fcfs:order=edf"}) {
    EXPECT_FALSE(marked(absent, policy)) << policy;
    EXPECT_FALSE(marked(AsOneNode(absent), policy)) << policy;
  }
  EXPECT_TRUE(marked(told, "easy:estimate=actual"));
  EXPECT_TRUE(marked(AsOneNode(told), "easy:estimate=actual"));
  EXPECT_FALSE(marked(told, "fcfs:estimate=actual"));
  // What has ended stands in for estimates.
  for (const char* policy : {"easy:estimate=learnt", "conservative:estimate=learnt,order=sjf"}) {
    EXPECT_FALSE(marked(absent, policy)) << policy;
    EXPECT_FALSE(marked(AsOneNode(absent), policy)) << policy;
  }
  EXPECT_TRUE(marked(absent, "easy:estimate=learnt,order=sjf,order_estimate=user"));
  // A pool counts a job without an estimate as one of five days.
  EXPECT_FALSE(marked(absent, "fcfs:order=due"));
}

// The wide job would wait for 100 seconds if the run time of the first was known, and the last
// would not go ahead of it.
TEST(Replay, MusterIsNotToldWhatEstimatesLack) {
  Trace trace = Pool(2, {{.submit = 0, .run = 100},
                         {.submit = 1, .run = 10, .estimate = 10, .tasks = 2},
                         {.submit = 2, .run = 300, .estimate = 300}});
  EXPECT_EQ(Starts(trace, "muster"), (std::vector<int64_t>{0, 302, 2}));
  trace.estimate[0] = 100;
  EXPECT_EQ(Starts(trace, "muster"), (std::vector<int64_t>{0, 100, 110}));
}

// Ten jobs of a user ran for 10 s of 100, and ten of another one as long as estimated.
std::vector<TraceJob> TenOfTwoUsers() {
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 10; ++i) {
    jobs.push_back({.submit = 100 * i, .run = 10, .estimate = 100, .user = 0});
    jobs.push_back({.submit = 100 * i, .run = 50, .estimate = 50, .user = 1});
  }
  return jobs;
}

// The wide job is promised 2100 by estimates of users, and 2010 by what was learnt: then the last
// job does not go ahead of it.
TEST(Pool, LearntBoundsAreThoseOfJobsThatEnded) {
  std::vector<TraceJob> jobs = TenOfTwoUsers();
  jobs.push_back({.submit = 2000, .run = 10, .estimate = 100, .user = 0});
  jobs.push_back({.submit = 2001, .run = 10, .estimate = 100, .tasks = 2, .user = 0});
  jobs.push_back({.submit = 2002, .run = 50, .estimate = 50, .user = 1});
  Trace trace = Pool(2, jobs);
  trace.users = {"a", "b"};
  const auto last = [&](const std::string& policy) {
    const std::vector<int64_t> starts = Starts(trace, policy);
    return std::vector<int64_t>(starts.end() - 2, starts.end());
  };
  EXPECT_EQ(last("easy"), (std::vector<int64_t>{2052, 2002}));
  EXPECT_EQ(last("easy:estimate=learnt"), (std::vector<int64_t>{2010, 2020}));
  // Eleven jobs of a kind are too few for that part of them.
  EXPECT_EQ(last("easy:estimate=learnt,quantile=0.99"), (std::vector<int64_t>{2052, 2002}));
}

// The bound was 10 s, and the job outlives it: it is then that of jobs which ran longer, and the
// wide job behind it is promised that.
TEST(Pool, LearntBoundsAreCorrected) {
  std::vector<TraceJob> jobs = TenOfTwoUsers();
  jobs.push_back({.submit = 2000, .run = 100, .estimate = 100, .user = 0});
  jobs.push_back({.submit = 2001, .run = 10, .estimate = 100, .tasks = 2, .user = 0});
  jobs.push_back({.submit = 2020, .run = 50, .estimate = 50, .user = 1});
  Trace trace = Pool(2, jobs);
  trace.users = {"a", "b"};
  const std::vector<int64_t> starts = Starts(trace, "easy:estimate=learnt");
  // Ten jobs ran as long as they were estimated to: 100 s in proportion.
  EXPECT_EQ(starts[21], 2100);
  EXPECT_EQ(starts[22], 2020);
}

// Both wait for the first; by estimates the second goes before the third.
TEST(OneNode, ProfilesReadLearntBounds) {
  std::vector<TraceJob> jobs = TenOfTwoUsers();
  jobs.push_back({.submit = 2000, .run = 20, .estimate = 20, .tasks = 2, .user = kNone});
  jobs.push_back({.submit = 2001, .run = 50, .estimate = 50, .tasks = 2, .user = 1});
  jobs.push_back({.submit = 2002, .run = 10, .estimate = 100, .tasks = 2, .user = 0});
  Trace trace = Pool(2, jobs);
  trace.users = {"a", "b"};
  const auto last = [&](const std::string& policy, double quantile) {
    ReplayOptions options;
    options.learnt_quantile = quantile;
    const std::vector<int64_t> starts = Starts(AsOneNode(trace), policy, options);
    return std::vector<int64_t>(starts.end() - 2, starts.end());
  };
  EXPECT_EQ(last("volcano:+joborder(by=sjf)", 0), (std::vector<int64_t>{2020, 2070}));
  EXPECT_EQ(last("volcano:+joborder(by=sjf)", 0.9), (std::vector<int64_t>{2030, 2020}));
  EXPECT_EQ(last("fcfs:order=sjf,estimate=learnt", 0), (std::vector<int64_t>{2030, 2020}));
}

TEST(Replay, LearntBoundsNeedAQuantile) {
  const Trace trace = Pool(1, {{.run = 1}});
  ReplayOptions options;
  options.learnt_quantile = 1;
  EXPECT_EQ(Replay(trace, "volcano", options).status().message(),
            "learnt_quantile is 1; must be 0, or from 0.001 to 0.999");
  options.learnt_quantile = 0.9;
  EXPECT_EQ(Replay(trace, "easy", options).status().message(),
            "policy \"easy\": learnt_quantile is not for batch policies; they have "
            "estimate=learnt,quantile=0.9");
}

TEST(Pool, NamesAreCanonical) {
  const Trace trace = Pool(1, {{.run = 1}});
  const auto name = [&](const std::string& policy) { return Replay(trace, policy)->policy; };
  EXPECT_EQ(name("easy:order=due,head=first,scale=200,cap=0.3"), "easy:order=due");
  EXPECT_EQ(name("easy:order=due,head=oldest,scale=100"), "easy:order=due,head=oldest,scale=100");
  EXPECT_EQ(name("easy:estimate=actual,order_estimate=actual"), "easy:estimate=actual");
  EXPECT_EQ(name("easy:estimate=learnt,order_estimate=learnt,order_quantile=0.9"),
            "easy:estimate=learnt");
  EXPECT_EQ(name("easy:order=sjf,estimate=learnt,order_estimate=learnt,order_quantile=0.5"),
            "easy:estimate=learnt,order=sjf,order_estimate=learnt,order_quantile=0.5");
  EXPECT_EQ(name("easy:order=sjf,order_estimate=learnt,quantile=0.5"),
            "easy:order=sjf,order_estimate=learnt,order_quantile=0.5");
  EXPECT_EQ(name("easy:order=sjf,order_estimate=last_two,head=first"),
            "easy:order=sjf,order_estimate=last_two,head=first");
}

TEST(Pool, NamesWhatItDoesNotKnow) {
  const Trace trace = Pool(1, {{.run = 1}});
  const auto message = [&](const std::string& policy) {
    return std::string(Replay(trace, policy).status().message());
  };
  EXPECT_EQ(message("eazy"), "profile: unknown profile \"eazy\"; did you mean \"easy\"?");
  EXPECT_EQ(message("easy:order=smalest"),
            "policy \"easy\": order \"smalest\" is not known; did you mean \"smallest\"?");
  EXPECT_EQ(message("easy:reservations=kept"),
            "policy \"easy\": option \"reservations\" is not known; there are order, estimate, "
            "order_estimate, head");
  EXPECT_EQ(message("easy:scale=3"),
            "policy \"easy\": option \"scale\" is not known; there are "
            "order, estimate, order_estimate, head");
  EXPECT_EQ(message("easy:order=due,cap=-1"),
            "policy \"easy\": cap is \"-1\"; must be a number from 0 to 1e9");
  EXPECT_EQ(message("conservative:head=first"),
            "policy \"conservative\": option \"head\" is not known; there are order, estimate, "
            "order_estimate, reservations");
  EXPECT_EQ(message("easy:quantile=0.9"),
            "policy \"easy\": option \"quantile\" is not known; there are order, estimate, "
            "order_estimate, head");
  EXPECT_EQ(message("easy:estimate=learnt,quantile=1"),
            "policy \"easy\": quantile is \"1\"; must be a number from 0.001 to 0.999");
  EXPECT_EQ(message("easy:sjf"), "policy \"easy\": \"sjf\" is no option=value");
}

}  // namespace
}  // namespace muster
