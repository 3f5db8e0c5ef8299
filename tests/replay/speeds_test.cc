// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Speeds of models on types of nodes: tables, rates, and replays on nodes of several types.
#include "lib/replay/speeds.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/replay.h"

namespace muster {
namespace {

using Times = std::vector<int64_t>;

constexpr int64_t kUnit = kSpeedUnit;

// Two nodes of each type with four GPUs each. Shape 0 is model m, one GPU a task; shape 1 has no
// model; shape 2 is model m, four GPUs a task.
Trace Mixed(const std::vector<SpeedRow>& speeds, const std::vector<TraceJob>& jobs) {
  Trace trace;
  trace.speeds = speeds;
  for (const char* type : {"slow", "fast"}) {
    for (int i = 0; i < 2; ++i) {
      trace.machine.nodes.push_back({.name = absl::StrCat(type, i),
                                     .capacity = {{"nvidia.com/gpu", 4}},
                                     .labels = {{"gpu-model", type}}});
    }
  }
  trace.shapes = {{.request = {{"nvidia.com/gpu", 1}}, .labels = {{"model", "m"}}},
                  {.request = {{"nvidia.com/gpu", 1}}},
                  {.request = {{"nvidia.com/gpu", 4}}, .labels = {{"model", "m"}}}};
  for (const TraceJob& job : jobs) EXPECT_TRUE(AddJob(job, &trace).ok());
  return trace;
}

ReplayResult Played(const Trace& trace, const ReplayOptions& options = {},
                    const std::string& profile = "volcano") {
  absl::StatusOr<ReplayResult> result = Replay(trace, profile, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : ReplayResult();
}

TEST(SpeedTable, WorkersOfNoRowGoByTheNextBelow) {
  const SpeedTable table(
      {{"m", "v", 1, 10 * kUnit}, {"m", "v", 4, 32 * kUnit}, {"m", "k", 2, 3 * kUnit}});
  EXPECT_EQ(table.Speed("m", "v", 1), 10 * kUnit);
  EXPECT_EQ(table.Speed("m", "v", 3), 30 * kUnit);
  EXPECT_EQ(table.Speed("m", "v", 4), 32 * kUnit);
  EXPECT_EQ(table.Speed("m", "v", 8), 64 * kUnit);
  EXPECT_EQ(table.Speed("m", "k", 1), 3 * kUnit / 2);  // the least row
  EXPECT_EQ(table.Speed("m", "p", 1), std::nullopt);
  EXPECT_EQ(table.Speed("n", "v", 1), std::nullopt);
  EXPECT_EQ(table.Fastest("m", 4), 32 * kUnit);
  EXPECT_EQ(table.Slowest("m", 4), 6 * kUnit);
  EXPECT_EQ(table.Fastest("n", 4), 0);
  EXPECT_EQ(table.Types("m"), (std::vector<std::string>{"k", "v"}));
}

TEST(SpeedTable, AddRefusesASecondRow) {
  SpeedTable table({});
  EXPECT_TRUE(table.Add({"m", "v", 1, 5}));
  EXPECT_FALSE(table.Add({"m", "v", 1, 6}));
  EXPECT_TRUE(table.Add({"m", "v", 2, 6}));
  EXPECT_EQ(table.Speed("m", "v", 1), 5);
}

TEST(SpeedTable, TextHasNoNeedlessZeros) {
  EXPECT_EQ(SpeedText(5'400'000), "5.4");
  EXPECT_EQ(SpeedText(1), "0.000001");
  EXPECT_EQ(SpeedText(30 * kUnit), "30");
}

TEST(JobSpeeds, TheSlowestWorkerSetsTheRate) {
  const Trace trace =
      Mixed({{"m", "slow", 1, kUnit}, {"m", "fast", 1, 3 * kUnit}},
            {{.run = 10, .tasks = 2, .shape = 0}, {.run = 10, .tasks = 2, .shape = 1}});
  const JobSpeeds speeds(trace);
  EXPECT_EQ(speeds.WorkUnit(0), kFullRate);
  EXPECT_EQ(speeds.Rate(0, std::vector<uint32_t>{2, 3}), 2 * kFullRate);
  EXPECT_EQ(speeds.Rate(0, std::vector<uint32_t>{0, 3}), 2 * kFullRate / 3);
  EXPECT_EQ(speeds.Rate(0, std::vector<uint32_t>{2}), kFullRate);
  EXPECT_EQ(speeds.Rate(0, {}), 0);
  EXPECT_EQ(speeds.WorkUnit(1), 1);
  EXPECT_EQ(speeds.Rate(1, std::vector<uint32_t>{0, 3}), 2);
  EXPECT_EQ(speeds.Settings(0), (Labels{{"speed/fast", "6"}, {"speed/slow", "2"}}));
  EXPECT_TRUE(speeds.Settings(1).empty());
}

TEST(JobSpeeds, EveryGpuOfATaskIsAWorker) {
  const Trace trace = Mixed({{"m", "fast", 1, kUnit}, {"m", "fast", 8, 4 * kUnit}},
                            {{.run = 10, .tasks = 2, .shape = 2}});
  // With one of its two tasks the job has four workers, which are as fast as all eight.
  EXPECT_EQ(JobSpeeds(trace).Rate(0, std::vector<uint32_t>{2, 3}), 2 * kFullRate);
  EXPECT_EQ(JobSpeeds(trace).Rate(0, std::vector<uint32_t>{2}), 2 * kFullRate);
}

TEST(SpeedReplay, AJobIsAsFastAsItsNode) {
  const std::vector<SpeedRow> speeds = {{"m", "slow", 1, kUnit}, {"m", "fast", 1, 4 * kUnit}};
  Trace trace =
      Mixed(speeds, {{.run = 100, .tasks = 4, .shape = 0}, {.run = 100, .tasks = 4, .shape = 1}});
  trace.shapes[0].node_selector = {{"gpu-model", "slow"}};
  trace.shapes[1].node_selector = {{"gpu-model", "slow"}};
  EXPECT_EQ(Played(trace).end, (Times{400, 100}));
  trace.shapes[0].node_selector = {{"gpu-model", "fast"}};
  EXPECT_EQ(Played(trace).end, (Times{100, 100}));
}

TEST(SpeedReplay, AModelRunsOnTypesWithRowsAlone) {
  const Trace trace = Mixed({{"m", "fast", 1, kUnit}}, {{.run = 10, .tasks = 6, .shape = 0},
                                                        {.run = 10, .tasks = 6, .shape = 0},
                                                        {.run = 10, .tasks = 7, .shape = 1}});
  EXPECT_EQ(Played(trace, {}, "muster").start, (Times{0, 10, 0}));
  // Every profile decides as if the tasks had a selector of that type.
  Trace selected = trace;
  selected.speeds.clear();
  selected.shapes[0].node_selector = {{"gpu-model", "fast"}};
  for (const char* profile : {"muster", "volcano", "kube-batch", "transwarp", "easy"}) {
    EXPECT_EQ(Played(trace, {}, profile).start, Played(selected, {}, profile).start) << profile;
  }
}

TEST(SpeedReplay, ACheckpointKeepsWorkThatASlowNodeDid) {
  Trace trace = Mixed({{"m", "slow", 1, kUnit}, {"m", "fast", 1, 2 * kUnit}},
                      {{.run = 100, .tasks = 4, .shape = 0}});
  trace.shapes[0].node_selector = {{"gpu-model", "slow"}};
  ReplayOptions options;
  options.recovery.checkpoint_interval = 20;
  options.node_events = {{50, NodeEvent::Kind::kFail, "slow0"},
                         {50, NodeEvent::Kind::kFail, "slow1"},
                         {60, NodeEvent::Kind::kReturn, "slow0"}};
  // 50 s at half speed are 25 s of work, of which 20 are kept; 80 are left, at half speed.
  const ReplayResult result = Played(trace, options);
  EXPECT_EQ(result.lost, (Times{5 * 4}));
  EXPECT_EQ(result.end, (Times{60 + 160}));
}

TEST(SpeedReplay, RoundsDecideAgainThoughNothingChanged) {
  const Trace trace = Mixed({}, {{.run = 1000, .tasks = 16, .shape = 1},
                                 {.submit = 5, .run = 10, .tasks = 4, .shape = 1}});
  ReplayOptions options;
  EXPECT_EQ(Played(trace, options).passes, 3);
  options.cycles = CycleTiming::kRounds;
  options.period = 100;
  const ReplayResult result = Played(trace, options);
  EXPECT_EQ(result.start, (Times{0, 1000}));
  EXPECT_EQ(result.passes, 3 + 9);
}

TEST(SpeedReplay, RoundsEndWhereNothingWillHappen) {
  Trace trace = Mixed({}, {{.run = kEndless, .tasks = 16, .shape = 1},
                           {.submit = 5, .run = 10, .tasks = 4, .shape = 1}});
  ReplayOptions options;
  options.cycles = CycleTiming::kRounds;
  options.period = 100;
  const ReplayResult result = Played(trace, options);
  EXPECT_EQ(result.outcome[1], JobOutcome::kWaiting);
  EXPECT_LT(result.passes, 10);
}

// The end of each job that ran alone equals a sum of work by hand, whatever the table.
TEST(SpeedReplay, RandomTablesAgreeWithAPlainSum) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const int64_t slow = 1 + static_cast<int64_t>(rng.Below(5 * kUnit));
    const int64_t fast = 1 + static_cast<int64_t>(rng.Below(5 * kUnit));
    const int64_t run = 1 + static_cast<int64_t>(rng.Below(5000));
    const auto tasks = 1 + static_cast<int64_t>(rng.Below(4));
    Trace trace = Mixed({{"m", "slow", 1, slow}, {"m", "fast", 1, fast}},
                        {{.run = run, .tasks = tasks, .shape = 0}});
    const bool on_slow = rng.Below(2) == 0;
    trace.shapes[0].node_selector = {{"gpu-model", on_slow ? "slow" : "fast"}};
    const int64_t rate =
        std::max<int64_t>(tasks * kFullRate * (on_slow ? slow * tasks : fast * tasks) /
                              (std::max(slow, fast) * tasks),
                          1);
    const int64_t work = run * tasks * kFullRate;
    EXPECT_EQ(Played(trace).end, (Times{(work + rate - 1) / rate})) << "seed " << seed;
  }
}

CsvFiles SpeedFiles(const std::string& jobs, const std::string& nodes, const std::string& speeds) {
  return {
      .jobs = {"jobs.csv", jobs}, .nodes = {"nodes.csv", nodes}, .speeds = {"speeds.csv", speeds}};
}

constexpr char kModelJobs[] =
    "submit,run,tasks,request.nvidia.com/gpu,label.model\n0,60,2,1,m\n0,5,1,1,\n";
constexpr char kTypedNodes[] = "name,capacity.nvidia.com/gpu,label.gpu-model\na,4,v100\nb,4,k80\n";

TEST(SpeedCsv, ReadsWhatItWrites) {
  const std::string speeds = "model,type,workers,speed\nm,v100,1,10.25\nm,k80,2,3\n";
  const absl::StatusOr<Trace> trace = ReadCsv(SpeedFiles(kModelJobs, kTypedNodes, speeds));
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->speeds.size(), 2u);
  EXPECT_EQ(trace->speeds[0].speed, 10'250'000);
  EXPECT_EQ(trace->speeds[1].workers, 2);
  const CsvText text = WriteCsv(*trace);
  EXPECT_EQ(text.speeds, speeds);
  const absl::StatusOr<Trace> again = ReadCsv(SpeedFiles(text.jobs, text.nodes, text.speeds));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->shapes[again->shape[0]].labels, (Labels{{"model", "m"}}));
  EXPECT_TRUE(again->shapes[again->shape[1]].labels.empty());
}

TEST(SpeedCsv, ARowWithoutSpeedIsNoRow) {
  const absl::StatusOr<Trace> trace =
      ReadCsv(SpeedFiles(kModelJobs, kTypedNodes, "model,type,speed\nm,v100,2\nm,k80,0\n"));
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->speeds.size(), 1u);
}

TEST(SpeedCsv, NamesLineAndRuleOfWhatItRefuses) {
  const std::pair<const char*, const char*> bad[] = {
      {"model,type\nm,v100\n", "speeds.csv:1:"},
      {"model,type,speed,gpu\nm,v100,1,2\n", "column \"gpu\" is not known"},
      {"model,type,speed\nm,v100,fast\n", "speeds.csv:2: speed:"},
      {"model,type,speed\nm,v100,1\nm,v100,2\n", "speeds.csv:3: model: the model has a speed"},
      {"model,type,speed\n,v100,1\n", "speeds.csv:2: model: the name is empty"},
      {"model,type,workers,speed\nm,v100,0,1\n", "speeds.csv:2: workers:"},
      {"model,type,speed\nm,v100,1e13\n", "speeds.csv:2: speed:"}};
  for (const auto& [speeds, error] : bad) {
    const absl::StatusOr<Trace> trace = ReadCsv(SpeedFiles(kModelJobs, kTypedNodes, speeds));
    ASSERT_FALSE(trace.ok()) << speeds;
    EXPECT_NE(trace.status().message().find(error), std::string::npos) << trace.status();
  }
  CsvOptions options;
  options.read.limits.rows = 4;
  const absl::StatusOr<Trace> trace = ReadCsv(
      SpeedFiles(kModelJobs, kTypedNodes, "model,type,speed\nm,a,1\nm,b,1\nm,c,1\n"), options);
  EXPECT_EQ(trace.status().code(), absl::StatusCode::kResourceExhausted) << trace.status();
}

TEST(SpeedCheck, RefusesWhatNoReaderMakes) {
  const auto refused = [](const Trace& trace) { return !CheckTrace(trace).ok(); };
  Trace trace = Mixed({{"m", "slow", 1, kUnit}}, {{.run = 10}});
  EXPECT_FALSE(refused(trace));
  for (const SpeedRow& row :
       {SpeedRow{"", "slow", 1, 1}, SpeedRow{"m", "", 1, 1}, SpeedRow{"m", "fast", 0, 1},
        SpeedRow{"m", "fast", 1, 0}, SpeedRow{"m", "fast", 1, kMostSpeed + 1},
        SpeedRow{"m", "slow", 1, 5}, SpeedRow{"\xff", "slow", 1, 5}}) {
    Trace bad = trace;
    bad.speeds.push_back(row);
    EXPECT_TRUE(refused(bad)) << row.model << " " << row.type << " " << row.speed;
  }
  trace.run[0] = kMostWork;
  EXPECT_FALSE(refused(trace));
  trace.run[0] = kMostWork + 1;
  EXPECT_TRUE(refused(trace));
  trace.run[0] = kEndless;
  EXPECT_FALSE(refused(trace));
  Trace pool{.processors = 4, .speeds = {{"m", "slow", 1, 1}}};
  EXPECT_TRUE(refused(pool));
  EXPECT_FALSE(RefuseSpeeds(trace, "a bound").ok());
  trace.speeds.clear();
  EXPECT_TRUE(RefuseSpeeds(trace, "a bound").ok());
}

}  // namespace
}  // namespace muster
