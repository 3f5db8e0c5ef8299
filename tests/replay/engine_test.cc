// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Replays by cycles on a living cluster: small worlds by hand, and the recorded cluster traces.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "muster/metrics.h"
#include "muster/replay.h"
#include "tests/replay/logs.h"

namespace muster {
namespace {

using Times = std::vector<int64_t>;

// `nodes` of 4 cpus, two to a rack; tasks of one cpu.
Trace Small(int64_t nodes, const std::vector<TraceJob>& jobs) {
  Trace trace;
  trace.machine.domains = {{.name = "rack-0"}, {.name = "rack-1"}};
  for (int64_t i = 0; i < nodes; ++i) {
    trace.machine.nodes.push_back({.name = absl::StrCat("n", i),
                                   .capacity = {{"cpu", 4}},
                                   .domain = absl::StrCat("rack-", i / 2 % 2)});
  }
  trace.shapes = {{.request = {{"cpu", 1}}}};
  for (const TraceJob& job : jobs) EXPECT_TRUE(AddJob(job, &trace).ok());
  return trace;
}

ReplayResult Play(const Trace& trace, const std::string& profile,
                  const ReplayOptions& options = {}) {
  absl::StatusOr<ReplayResult> result = Replay(trace, profile, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : ReplayResult();
}

class EachProfile : public ::testing::TestWithParam<const char*> {};

TEST_P(EachProfile, GangsWaitForRoom) {
  const Trace trace = Small(2, {{.submit = 0, .run = 10, .tasks = 6},
                                {.submit = 1, .run = 10, .tasks = 6},
                                {.submit = 2, .run = 3, .tasks = 2},
                                {.submit = 3, .run = 5, .tasks = 9}});
  const ReplayResult result = Play(trace, GetParam());
  // kube-batch leaves the two tasks of the second gang that found a place there until the cycle
  // ends.
  const int64_t third = GetParam() == std::string("kube-batch") ? 10 : 2;
  EXPECT_EQ(result.start, (Times{0, 10, third, kAbsent}));
  EXPECT_EQ(result.end, (Times{10, 20, third + 3, kAbsent}));
  EXPECT_EQ(result.outcome[3], JobOutcome::kRefused);
  EXPECT_TRUE(result.complete);
}

TEST_P(EachProfile, APeriodDelaysStarts) {
  const Trace trace =
      Small(1, {{.submit = 1, .run = 7, .tasks = 4}, {.submit = 2, .run = 7, .tasks = 4}});
  ReplayOptions options;
  options.cycles = CycleTiming::kPeriodic;
  options.period = 5;
  EXPECT_EQ(Play(trace, GetParam(), options).start, (Times{5, 15}));
}

TEST_P(EachProfile, DecisionsMayBeLate) {
  const Trace trace =
      Small(1, {{.submit = 1, .run = 7, .tasks = 2}, {.submit = 2, .run = 7, .tasks = 2}});
  ReplayOptions options;
  options.latency = 3;
  // The cycle of time 1 decides at 4, and then the next one begins.
  EXPECT_EQ(Play(trace, GetParam(), options).start, (Times{4, 7}));
}

TEST_P(EachProfile, AFailureCostsWhatWasNotCheckpointed) {
  const Trace trace = Small(2, {{.submit = 0, .run = 100, .tasks = 8}});
  ReplayOptions options;
  options.node_events = {{30, NodeEvent::Kind::kFail, "n1"}, {50, NodeEvent::Kind::kReturn, "n1"}};
  ReplayResult result = Play(trace, GetParam(), options);
  EXPECT_EQ(result.end, (Times{150}));
  EXPECT_EQ(result.lost, (Times{30 * 8}));
  EXPECT_EQ(result.stops, (std::vector<uint32_t>{1}));
  EXPECT_EQ(result.node_failures, 1);

  options.recovery.checkpoint_interval = 20;
  options.recovery.restart_seconds = 7;
  options.recovery.migration_seconds = 1000;  // it comes back to where it was
  result = Play(trace, GetParam(), options);
  EXPECT_EQ(result.end, (Times{50 + 7 + 80}));
  EXPECT_EQ(result.lost, (Times{10 * 8}));
  EXPECT_EQ(result.start, (Times{0}));
}

TEST_P(EachProfile, NodesJoinDrainAndFailByRack) {
  const Trace trace = Small(4, {{.submit = 0, .run = 10, .tasks = 8},
                                {.submit = 20, .run = 10, .tasks = 8},
                                {.submit = 40, .run = 10, .tasks = 16}});
  ReplayOptions options;
  options.node_events = {{5, NodeEvent::Kind::kJoin, "rack-1"},
                         {15, NodeEvent::Kind::kDrain, "n0"},
                         {25, NodeEvent::Kind::kFail, "rack-1"},
                         {26, NodeEvent::Kind::kReturn, "n0"},
                         {60, NodeEvent::Kind::kReturn, "rack-1"}};
  const ReplayResult result = Play(trace, GetParam(), options);
  EXPECT_EQ(result.start[0], 0);
  EXPECT_EQ(result.start[1], 20);
  // Of the drained machine three nodes are left at 20; two of them fail at 25, n0 comes back at 26.
  EXPECT_EQ(result.end[1], 36);
  EXPECT_EQ(result.start[2], 60);
}

TEST_P(EachProfile, ElasticJobsRunWithWhatTheyGet) {
  const Trace trace = Small(1, {{.submit = 0, .run = 10, .tasks = 2},
                                {.submit = 1, .run = 12, .tasks = 4, .min_tasks = 2}});
  const ReplayResult result = Play(trace, GetParam());
  // 48 task-seconds: 9 seconds of two tasks, then four.
  EXPECT_EQ(result.start, (Times{0, 1}));
  EXPECT_EQ(result.end[1], 10 + (48 - 18 + 3) / 4);
}

TEST_P(EachProfile, FailuresByChanceAreReproducible) {
  std::vector<TraceJob> jobs;
  for (int64_t i = 0; i < 60; ++i) {
    jobs.push_back({.submit = 7 * i, .run = 40 + i, .tasks = 1 + i % 5});
  }
  const Trace trace = Small(4, jobs);
  ReplayOptions options;
  options.failures.node_seconds_between = 300;
  options.failures.node_repair_seconds = 30;
  options.failures.domain_seconds_between = 1000;
  options.recovery.checkpoint_interval = 10;
  options.seed = 5;
  const ReplayResult a = Play(trace, GetParam(), options), b = Play(trace, GetParam(), options);
  EXPECT_EQ(a.end, b.end);
  EXPECT_GT(a.node_failures, 3);
  EXPECT_EQ(Measure(trace, a).ended, 60);
  options.seed = 6;
  EXPECT_NE(Play(trace, GetParam(), options).end, a.end);
}

TEST_P(EachProfile, FailuresThatLetNoJobAdvanceEndTheReplay) {
  const Trace trace = Small(2, {{.submit = 0, .run = 1000, .tasks = 8}});
  ReplayOptions options;
  options.failures.node_seconds_between = 1;
  options.failures.node_repair_seconds = 1;
  const absl::Status status = Replay(trace, GetParam(), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "node_seconds_between is 1: in 10201 failures no job ended or kept more work; must be "
            "longer, or jobs must keep work (checkpoint_interval)");
  // Work that is kept is an advance, be it ever so slow, and so is what comes later.
  options.recovery.checkpoint_interval = 1;
  EXPECT_EQ(Measure(trace, Play(trace, GetParam(), options)).ended, 1);
  const Trace later = Small(2, {{.submit = 500'000, .run = 1, .tasks = 1}});
  EXPECT_EQ(Measure(later, Play(later, GetParam(), options)).ended, 1);
  for (const double odd : {-1.0, std::nan(""), 1e300}) {
    options.failures.node_repair_seconds = odd;
    EXPECT_EQ(Replay(trace, GetParam(), options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_P(EachProfile, ManyJobsComeAndGo) {
  // Rows of ended jobs are dropped many times.
  std::vector<TraceJob> jobs;
  for (int64_t i = 0; i < 5000; ++i) {
    jobs.push_back({.submit = i, .run = 1 + i % 23, .tasks = 1 + i % 3});
  }
  const Trace trace = Small(10, jobs);
  const ReplayResult result = Play(trace, GetParam());
  const Metrics metrics = Measure(trace, result);
  EXPECT_EQ(metrics.ended, 5000);
  for (size_t i = 0; i < trace.size(); ++i)
    ASSERT_EQ(result.end[i] - result.start[i], trace.run[i]);
  // 40 cpus, never more in use.
  for (int64_t used : result.series.used[0]) ASSERT_LE(used, 40000);
  EXPECT_GT(result.series.time.size(), 500u);
}

TEST_P(EachProfile, WaitsForNodesThatChanceKeepsDown) {
  // Only n0 is large enough, and the others join later: what chance does to them before says
  // nothing of n0.
  Trace trace = Small(4, {{.submit = 0, .run = 10}, {.submit = 51000, .run = 10}});
  trace.shapes[0].request = {{"cpu", 2}};
  ReplayOptions options;
  options.failures.node_seconds_between = options.failures.node_repair_seconds = 10000;
  for (int64_t n = 1; n < 4; ++n) {
    trace.machine.nodes[n].capacity = {{"cpu", 1}};
    options.node_events.push_back({50000, NodeEvent::Kind::kJoin, absl::StrCat("n", n)});
  }
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    EXPECT_EQ(Measure(trace, Play(trace, GetParam(), options)).ended, 2) << options.seed;
  }
}

TEST_P(EachProfile, WaitsForNodesThatJoinBesideChance) {
  const Trace trace = Small(2, {{.submit = 0, .run = 10, .tasks = 8}});
  ReplayOptions options;
  options.failures.node_seconds_between = 1e9;
  options.node_events = {{1000, NodeEvent::Kind::kJoin, "n1"}};
  EXPECT_EQ(Play(trace, GetParam(), options).start, (Times{1000}));
}

TEST_P(EachProfile, ADrainOutlastsFailures) {
  const Trace trace = Small(2, {{.submit = 6, .run = 10, .tasks = 8}});
  ReplayOptions options;
  options.node_events = {{5, NodeEvent::Kind::kDrain, "n0"},
                         {10, NodeEvent::Kind::kFail, "n0"},
                         {20, NodeEvent::Kind::kReturn, "n0"},
                         {30, NodeEvent::Kind::kReturn, "n0"}};
  EXPECT_EQ(Play(trace, GetParam(), options).start, (Times{30}));
  // What chance returns stays drained, and the replay ends with the job waiting.
  options.node_events.resize(1);
  options.failures.node_seconds_between = 100;
  options.failures.node_repair_seconds = 10;
  const ReplayResult result = Play(trace, GetParam(), options);
  EXPECT_EQ(result.start, (Times{kAbsent}));
  EXPECT_TRUE(result.complete);
}

TEST_P(EachProfile, ANodeJoinsARackThatIsDown) {
  const Trace trace = Small(3, {{.submit = 0, .run = 10, .tasks = 12}});
  ReplayOptions options;
  options.node_events = {{5, NodeEvent::Kind::kFail, "rack-1"},
                         {10, NodeEvent::Kind::kJoin, "n2"},
                         {40, NodeEvent::Kind::kReturn, "rack-1"}};
  const ReplayResult result = Play(trace, GetParam(), options);
  EXPECT_EQ(result.start, (Times{40}));
  EXPECT_EQ(result.node_failures, 0);  // of nodes that were there
}

INSTANTIATE_TEST_SUITE_P(Profiles, EachProfile,
                         ::testing::Values("volcano", "muster", "kube-batch", "easy",
                                           "conservative"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Engine, EvictedJobsStartAgain) {
  const Trace trace = Small(1, {{.submit = 0, .run = 100, .tasks = 4},
                                {.submit = 10, .run = 20, .tasks = 4, .priority = 1000}});
  ReplayOptions options;
  options.eviction_seconds = 5;
  // Whatever the eviction costs.
  const std::string profile = "muster:actions=allocate+reclaim+preempt";
  ReplayResult result = Play(trace, profile, options);
  EXPECT_EQ(result.evictions, 4);
  EXPECT_EQ(result.start, (Times{0, 15}));
  EXPECT_EQ(result.end, (Times{135, 35}));
  EXPECT_EQ(result.lost, (Times{15 * 4, 0}));
  options.recovery.evicted_jobs_checkpoint = true;
  result = Play(trace, profile, options);
  EXPECT_EQ(result.end, (Times{120, 35}));
}

// Two tasks of the first job leave for the third, and another one takes the second's place at once.
TEST(Engine, ATaskThatIsEvictedLeavesThoughItsJobGrows) {
  Trace trace = Small(1, {});
  trace.machine.nodes[0].labels = {{"kind", "large"}};
  trace.machine.nodes.push_back({.name = "small", .capacity = {{"cpu", 1}}});
  trace.machine.nodes[1].labels = {{"kind", "small"}};
  trace.shapes.push_back({.request = {{"cpu", 1}}, .node_selector = {{"kind", "small"}}});
  trace.shapes.push_back({.request = {{"cpu", 2}}});
  const TraceJob jobs[] = {{.submit = 0, .run = 1000, .tasks = 5, .min_tasks = 1, .priority = 1},
                           {.submit = 0, .run = 100, .tasks = 1, .shape = 1, .priority = 5},
                           {.submit = 100, .run = 50, .tasks = 1, .shape = 2, .priority = 9}};
  for (const TraceJob& job : jobs) ASSERT_TRUE(AddJob(job, &trace).ok());
  for (const char* profile : {"kube-scheduler", "volcano:actions=allocate+preempt"}) {
    const ReplayResult result = Play(trace, profile);
    EXPECT_EQ(result.evictions, 2) << profile;
    EXPECT_EQ(result.start, (Times{0, 0, 101})) << profile;
    // Work of 5000: four tasks until 100, five until 101, three until 151, then five.
    EXPECT_EQ(result.end, (Times{151 + (5000 - 400 - 5 - 150) / 5, 100, 151})) << profile;
  }
}

// What was to end is void; the job ends when the tasks that are left have done its work.
TEST_P(EachProfile, AnElasticJobEndsLaterForTheTasksItLost) {
  const Trace trace = Small(2, {{.submit = 0, .run = 10, .tasks = 8, .min_tasks = 4}});
  ReplayOptions options;
  options.node_events = {{5, NodeEvent::Kind::kFail, "n1"}};
  const ReplayResult result = Play(trace, GetParam(), options);
  EXPECT_EQ(result.start, (Times{0}));
  EXPECT_EQ(result.end, (Times{5 + 40 / 4}));
}

TEST(Engine, EasyPromisesNodes) {
  // Two nodes of 4. The second job needs both, at 20. The third would be there until 32 on what the
  // first leaves on its node, which is promised; the fourth is gone by 20.
  const Trace trace = Small(2, {{.submit = 0, .run = 20, .tasks = 6},
                                {.submit = 1, .run = 10, .tasks = 8},
                                {.submit = 2, .run = 30, .tasks = 1},
                                {.submit = 3, .run = 17, .tasks = 2}});
  EXPECT_EQ(Play(trace, "easy").start, (Times{0, 20, 30, 3}));
  EXPECT_EQ(Play(trace, "fcfs").start, (Times{0, 20, 30, 30}));
  // With a node that the second job may not have, the third is in no job's way.
  Trace wider = trace;
  wider.machine.nodes[0].labels = wider.machine.nodes[1].labels = {{"zone", "a"}};
  wider.machine.nodes.push_back({.name = "spare", .capacity = {{"cpu", 1}}});
  wider.shapes.push_back({.request = {{"cpu", 1}}, .node_selector = {{"zone", "a"}}});
  wider.shape = {1, 1, 0, 1};
  EXPECT_EQ(Play(wider, "easy").start, (Times{0, 20, 2, 3}));
}

TEST(Engine, ConservativePromisesNodesToEverybody) {
  // Two nodes of 4. The second job is promised both at 20, the third, of six tasks, both at 30. The
  // fourth would be in the way of the second until 42; under easy and here it waits. The fifth
  // needs one place for 45 s: at 3 that is free beside all but the second job's promise, and from
  // 40 on it is free for good; the sixth is gone by 20.
  const Trace trace = Small(2, {{.submit = 0, .run = 20, .tasks = 6},
                                {.submit = 1, .run = 10, .tasks = 8},
                                {.submit = 2, .run = 10, .tasks = 6},
                                {.submit = 2, .run = 40, .tasks = 1},
                                {.submit = 3, .run = 17, .tasks = 2}});
  const ReplayResult result = Play(trace, "conservative");
  EXPECT_EQ(result.policy, "conservative:reservations=afresh");
  EXPECT_EQ(result.start, (Times{0, 20, 30, 30, 3}));
  // A label that only one node has. The head waits for it; easy keeps others away from the head's
  // node alone.
  Trace labeled = Small(2, {{.submit = 0, .run = 20, .tasks = 3},
                            {.submit = 1, .run = 10, .tasks = 4},
                            {.submit = 2, .run = 30, .tasks = 4},
                            {.submit = 3, .run = 12, .tasks = 1}});
  labeled.machine.nodes[0].labels = {{"zone", "a"}};
  labeled.shapes.push_back({.request = {{"cpu", 1}}, .node_selector = {{"zone", "a"}}});
  labeled.shape = {1, 1, 0, 1};
  // The third has the other node; the fourth fits beside the first until 15.
  EXPECT_EQ(Play(labeled, "conservative").start, (Times{0, 20, 2, 3}));
  const absl::Status kept = Replay(trace, "conservative:reservations=kept").status();
  EXPECT_NE(kept.message().find("needs a pool of processors"), absl::string_view::npos);
}

TEST(Engine, FollowsPrecedingJobs) {
  Trace trace =
      Small(1, {{.submit = 0, .run = 10}, {.submit = 1, .run = 5, .preceding = 0, .think = 7}});
  EXPECT_EQ(Play(trace, "volcano").start, (Times{0, 1}));
  ReplayOptions options;
  options.follow_preceding = true;
  EXPECT_EQ(Play(trace, "volcano", options).start, (Times{0, 17}));
}

TEST(Engine, SeriesAndMetricsByHand) {
  // 8 cpus; the first job holds 6 of them from 0 to 10, the second 4 from 10 to 30.
  Trace trace = Small(2, {{.submit = 0, .run = 10, .tasks = 6, .deadline = 10},
                          {.submit = 5, .run = 20, .tasks = 4, .deadline = 29}});
  ReplayOptions options;
  options.series_interval = 5;
  const ReplayResult result = Play(trace, "muster", options);
  EXPECT_EQ(result.series.time, (Times{0, 5, 10, 15, 20, 25, 30}));
  ASSERT_EQ(result.series.dimensions, (std::vector<std::string>{"cpu"}));
  EXPECT_EQ(result.series.used[0], (Times{6000, 6000, 4000, 4000, 4000, 4000, 0}));
  EXPECT_EQ(result.series.running, (Times{1, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(result.series.waiting, (Times{0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(result.series.fragmentation[0], (std::vector<double>(7, 0.0)));
  const Metrics metrics = Measure(trace, result);
  EXPECT_DOUBLE_EQ(metrics.resources[0].utilisation, 28.0 / 56);
  EXPECT_EQ(metrics.deadlines, 2);
  EXPECT_EQ(metrics.deadline_misses, 1);
  EXPECT_EQ(metrics.all.wait.max, 5);
  EXPECT_DOUBLE_EQ(metrics.all.finish_time_ratio.max, 25.0 / 20);
  EXPECT_EQ(metrics.goodput, 1);
  ASSERT_EQ(metrics.queues.size(), 1u);
  EXPECT_DOUBLE_EQ(metrics.queues[0].delivered, 0.5);
}

TEST(Engine, TellsWhereTasksRanAndWhyJobsWait) {
  // The first job holds 6 of 8 cpus until 10; the second needs 4 of them. n1 fails at 20 and comes
  // back at 22.
  const Trace trace = Small(2, {{.submit = 0, .run = 10, .tasks = 6},
                                {.submit = 5, .run = 20, .tasks = 8},
                                {.submit = 6, .run = 5, .tasks = 9}});
  ReplayOptions options;
  options.series_interval = 5;
  options.record_placements = true;
  options.node_events = {{20, NodeEvent::Kind::kFail, "n1"}, {22, NodeEvent::Kind::kReturn, "n1"}};
  int64_t ticks = 0;
  options.clock = [&ticks] { return ticks += 500'000'000; };
  for (const char* profile : {"muster", "volcano", "easy"}) {
    const ReplayResult result = Play(trace, profile, options);
    const ReplayPlacements& stays = result.placements;
    ASSERT_EQ(stays.job.size(), 6u + 8 + 8) << profile;
    std::vector<int64_t> on_node(2, 0);
    for (size_t i = 0; i < stays.job.size(); ++i) {
      const bool first = i < 6, again = i >= 14;
      EXPECT_EQ(stays.job[i], first ? 0u : 1u);
      EXPECT_EQ(stays.from[i], first ? 0 : again ? 22 : 10);
      EXPECT_EQ(stays.to[i], first ? 10 : again ? 42 : 20);
      on_node[stays.node[i]] += first ? 0 : 1;
    }
    EXPECT_EQ(on_node, (Times{8, 8}));
    // Each task once in each of its job's stays.
    std::vector<uint32_t> last(stays.task.begin() + 14, stays.task.end());
    std::sort(last.begin(), last.end());
    EXPECT_EQ(last, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));

    ASSERT_GE(result.series.time.size(), 5u);
    for (size_t k = 0; k < result.series.time.size(); ++k) {
      int64_t sum = 0;
      for (const auto& column : result.series.waiting_by_reason) {
        ASSERT_EQ(column.size(), result.series.time.size());
        sum += column[k];
      }
      EXPECT_EQ(sum, result.series.waiting[k]) << profile << " at " << result.series.time[k];
    }
    const auto reason = std::find(result.series.reasons.begin(), result.series.reasons.end(),
                                  profile == std::string("easy") ? "gang_undone: insufficient cpu"
                                                                 : result.series.reasons[0]);
    ASSERT_NE(reason, result.series.reasons.end()) << profile << ": " << result.series.reasons[0];
    EXPECT_EQ(result.decision_time.size(), static_cast<size_t>(result.passes));
    EXPECT_DOUBLE_EQ(Measure(trace, result).decision_time.p99, 0.5);
  }
  options.record_placements = false;
  EXPECT_TRUE(Play(trace, "easy", options).placements.job.empty());
}

TEST(Engine, NodesThatJoinKeepTheirRow) {
  const Trace trace = Small(2, {{.submit = 9, .run = 10, .tasks = 8}});
  ReplayOptions options;
  options.record_placements = true;
  options.node_events = {{5, NodeEvent::Kind::kJoin, "n0"}};
  const ReplayResult result = Play(trace, "volcano", options);
  EXPECT_EQ(std::count(result.placements.node.begin(), result.placements.node.end(), 0u), 4);
  EXPECT_EQ(std::count(result.placements.node.begin(), result.placements.node.end(), 1u), 4);
}

TEST(Engine, StaysOnPoolsAreJobs) {
  Trace trace;
  trace.processors = 4;
  for (const TraceJob& job :
       {TraceJob{.submit = 0, .run = 10, .tasks = 3}, TraceJob{.submit = 1, .run = 30, .tasks = 2},
        TraceJob{.submit = 2, .run = 5, .tasks = 1}}) {
    ASSERT_TRUE(AddJob(job, &trace).ok());
  }
  ReplayOptions options;
  options.record_placements = true;
  options.until = 20;
  const ReplayPlacements stays = Play(trace, "easy", options).placements;
  EXPECT_EQ(stays.job, (std::vector<uint32_t>{0, 2, 1}));
  EXPECT_EQ(stays.from, (Times{0, 2, 10}));
  EXPECT_EQ(stays.to, (Times{10, 7, kAbsent}));
}

TEST(Metrics, StarvationAndFinishTimeFairness) {
  // On 4 processors: the first holds all until 10, the second waits for it, the third never starts
  // before 20.
  Trace trace;
  trace.processors = 4;
  for (const TraceJob& job :
       {TraceJob{.submit = 0, .run = 10, .tasks = 4}, TraceJob{.submit = 0, .run = 10, .tasks = 2},
        TraceJob{.submit = 5, .run = 10, .tasks = 3}}) {
    ASSERT_TRUE(AddJob(job, &trace).ok());
  }
  ReplayOptions options;
  options.until = 20;
  const ReplayResult result = Play(trace, "fcfs", options);
  EXPECT_EQ(result.start, (Times{0, 10, 20}));
  const Metrics metrics = Measure(trace, result);
  EXPECT_EQ(metrics.longest_wait, 15);
  // The first: (2 * 5 + 3 * 5) / 10 = 2.5 jobs in its time, each of which has 1.6 processors: 10 /
  // 25. The second: 25 + 20 job-seconds in 20 s, 2.25 jobs, 2 of 4 processors: 20 / (10 * 1.125).
  EXPECT_EQ(metrics.all.finish_time_fairness.count, 2);
  EXPECT_DOUBLE_EQ(metrics.all.finish_time_fairness.p50, 0.4);
  EXPECT_DOUBLE_EQ(metrics.all.finish_time_fairness.max, 20 / 11.25);
  options.until = 19;
  EXPECT_EQ(Measure(trace, Play(trace, "fcfs", options)).longest_wait, 10);
}

TEST(Engine, APoolIsOneNode) {
  Trace trace;
  trace.processors = 4;
  for (const TraceJob& job :
       {TraceJob{.submit = 0, .run = 10, .tasks = 3}, TraceJob{.submit = 1, .run = 10, .tasks = 2},
        TraceJob{.submit = 2, .run = 10, .tasks = 5}}) {
    ASSERT_TRUE(AddJob(job, &trace).ok());
  }
  const ReplayResult result = Play(trace, "volcano");
  EXPECT_EQ(result.start, (Times{0, 10, kAbsent}));
  EXPECT_EQ(result.processors, 4);
}

TEST(Engine, SaysWhatIsWrong) {
  const Trace trace = Small(1, {{.run = 1}});
  EXPECT_NE(Replay(trace, "vulcano").status().message().find("volcano"), absl::string_view::npos);
  ReplayOptions options;
  options.node_events = {{1, NodeEvent::Kind::kFail, "n7"}};
  EXPECT_EQ(Replay(trace, "volcano", options).status().message(),
            "node event: there is no node or domain of nodes \"n7\"");
}

TEST(Engine, StopsAtATime) {
  const Trace trace = Small(1, {{.submit = 0, .run = 10}, {.submit = 30, .run = 10}});
  ReplayOptions options;
  options.until = 20;
  const ReplayResult result = Play(trace, "volcano", options);
  EXPECT_EQ(result.outcome[0], JobOutcome::kDone);
  EXPECT_EQ(result.outcome[1], JobOutcome::kNotSubmitted);
}

// --- recorded cluster traces

TEST(Philly, ReadsAndReplays) {
  MUSTER_TRACE_FILE(jobs, "philly/philly_jobs.csv.gz");
  MUSTER_TRACE_FILE(clusters, "philly/vc_nodes.csv");
  ReadReport report;
  const absl::StatusOr<Trace> trace =
      ReadPhilly({{"philly_jobs.csv.gz", *jobs}, {"vc_nodes.csv", *clusters}}, {}, &report);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(report.lines, 82247);
  EXPECT_EQ(trace->size(), 82229u);
  EXPECT_EQ(trace->machine.nodes.size(), 352u);
  ASSERT_EQ(trace->queues.size(), 11u);
  EXPECT_EQ(trace->queues[0].name, "6214e9");
  std::vector<int64_t> jobs_of(11, 0);
  for (uint32_t queue : trace->queue) ++jobs_of[queue];
  // In the order of vc_nodes.csv.
  EXPECT_EQ(jobs_of, (Times{41226, 723, 16091, 7423, 1511, 374, 9953, 422, 1137, 1934, 1435}));
  EXPECT_TRUE(CheckTrace(*trace).ok());

  std::vector<uint32_t> first(5000);
  for (uint32_t i = 0; i < first.size(); ++i) first[i] = i;
  const Trace begin = SelectJobs(*trace, first);
  for (const char* profile : {"volcano", "muster"}) {
    const ReplayResult result = Play(begin, profile);
    EXPECT_EQ(Measure(begin, result).ended, 5000) << profile;
  }
}

TEST(Philly, SaysWhatIsBad) {
  const std::string vcs = "vc,nodes\na,2\n";
  const auto message = [&](const std::string& row) {
    const std::string text = "timestamp,duration,num_gpus,gpu_time,cluster\n" + row;
    return std::string(ReadPhilly({{"j", text}, {"v", vcs}}).status().message());
  };
  EXPECT_EQ(message("2017-10-09 07:01,5,1,5,a\n"),
            "j:2: timestamp: it is no time like 2017-10-09 07:01:55");
  EXPECT_EQ(message("2017-10-09 07:01:55,nan,1,5,a\n"), "j:2: duration: \"nan\" is not a number");
  EXPECT_EQ(message("2017-10-09 07:01:55,-5,1,5,a\n"), "j:2: duration: \"-5\" is below 0");
  EXPECT_EQ(message("2017-10-09 07:01:55,5,1.5,5,a\n"), "j:2: num_gpus: \"1.5\" is no integer");
}

TEST(Itp, HasTheJobsItsReadmeCounts) {
  const int64_t rows[] = {1595, 5778, 3011, 15802, 3629, 2396, 12699, 13047, 11134, 260};
  for (int i = 0; i < 10; ++i) {
    for (const char* kind : {"raw", "elasticflow"}) {
      const std::string path =
          absl::StrCat("ms_itp_elasticflow/", kind, "/cluster", i < 9 ? "0" : "", i + 1, ".csv.gz");
      MUSTER_TRACE_FILE(bytes, path);
      ReadReport report;
      const absl::StatusOr<Trace> trace = ReadItp({path, *bytes}, {}, &report);
      ASSERT_TRUE(trace.ok()) << trace.status();
      EXPECT_EQ(report.lines, rows[i]) << path;
      EXPECT_EQ(trace->deadline.empty(), kind == std::string("raw"));
      EXPECT_TRUE(CheckTrace(*trace).ok());
    }
  }
}

TEST(Openb, ReadsListsAndOrders) {
  MUSTER_TRACE_FILE(nodes, "openb/openb_node_list_gpu_node.csv");
  MUSTER_TRACE_FILE(pods, "openb/pods/openb_pod_list_default.csv.gz");
  MUSTER_TRACE_FILE(arrivals, "openb/orders/arrivals_default.csv.gz");
  MUSTER_TRACE_FILE(rank, "openb/orders/noderank_default.csv.gz");
  ReadReport report;
  const absl::StatusOr<Trace> recorded =
      ReadOpenb({{"nodes", *nodes}, {"pods", *pods}, {}, {}}, {}, &report);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(report.lines, 8152);
  EXPECT_EQ(recorded->machine.nodes.size(), 1213u);
  EXPECT_EQ(recorded->users.size(), 4u);
  const int64_t events[] = {10866, 10793, 10863, 10813, 10814, 10831, 10805, 10835, 10766, 10859};
  for (int64_t seed = 42; seed <= 51; ++seed) {
    const absl::StatusOr<Trace> trace =
        ReadOpenb({{"nodes", *nodes}, {"pods", *pods}, {"arrivals", *arrivals}, {"rank", *rank}},
                  {.seed = seed});
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(trace->size(), static_cast<size_t>(events[seed - 42]));
    if (seed == 42) {
      // Pod row 255 comes first, and node row 0 has rank 601.
      EXPECT_EQ(trace->id[0], 255);
      EXPECT_EQ(trace->machine.nodes[601].name, "openb-node-0000");
    }
  }
  const absl::StatusOr<Trace> none = ReadOpenb(
      {{"nodes", *nodes}, {"pods", *pods}, {"arrivals", *arrivals}, {"rank", *rank}}, {.seed = 7});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace muster
